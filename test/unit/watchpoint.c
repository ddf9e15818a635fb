/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware watchpoints (traps/watchpoint.h), where the kernel lets this process have them. */
#include "traps/trap.h"
#include "traps/watchpoint.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static volatile int64_t words[16];
static int refused; /* perf_event_open fails with this error */

extern long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* The functions of the module make calls of at most five arguments. */
long __wrap_syscall(long number, ...)
{
    long arg[5];
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 5; i++)
        arg[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_perf_event_open && refused) {
        errno = refused;
        return -1;
    }
    return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4]);
}

static int set(int word, size_t bytes, enum proa_watched_access accesses, uint64_t cookie)
{
    int watchpoint = -1;

    assert_true(
        proa_watchpoint_set((const void *)&words[word], bytes, accesses, cookie, &watchpoint) > 0);
    return watchpoint;
}

/* How many hits of that cookie are there? Others are a failure. */
static int hits_of(uint64_t cookie)
{
    struct proa_trap_hit hit;
    int hits = 0;

    for (; proa_trap_next(&hit); hits++)
        assert_int_equal(hit.cookie, cookie);
    return hits;
}

static void stores_alone(void **state)
{
    int watchpoint = set(1, 8, PROA_WATCHED_STORES, 7);
    int64_t value = words[1];

    (void)state;
    assert_int_equal(hits_of(7), 0);
    words[1] = value + 1;
    words[2] = 1;
    assert_int_equal(hits_of(7), 1);
    proa_watchpoint_clear(watchpoint);
    words[1] = value;
    assert_int_equal(hits_of(7), 0);
}

static void loads_too(void **state)
{
    int watchpoint = set(3, 8, PROA_WATCHED_ALL, 8);
    int64_t value = words[3];

    (void)state;
    assert_int_equal(hits_of(8), 1);
    words[3] = value;
    assert_int_equal(hits_of(8), 1);
    proa_watchpoint_clear(watchpoint);
}

/* Returns the address behind the instruction that stores; 0 where its length is not known. */
static uintptr_t store_there(volatile int64_t *word)
{
    uintptr_t behind = 0;

#ifdef __x86_64__
    __asm__ volatile("movq $5, %1\n\tleaq 0(%%rip), %0" : "=r"(behind), "=m"(*word));
#else
    *word = 5;
#endif
    return behind;
}

/* The hit names the instruction behind the store. */
static void instruction(void **state)
{
    struct proa_trap_hit hit;
    int watchpoint = set(1, 8, PROA_WATCHED_STORES, 7);
    uintptr_t behind;

    (void)state;
    behind = store_there(&words[1]);
    assert_true(proa_trap_next(&hit));
    assert_true((uintptr_t)hit.instruction < behind && behind - (uintptr_t)hit.instruction <= 8);
    assert_int_equal(hit.thread, (int)__real_syscall(SYS_gettid));
    proa_watchpoint_clear(watchpoint);
}

/* A word on top of the stack, as that of a function whose buffer is its only variable. A handler
 * that reads it would be called again, for ever. */
static void top_of_the_stack(void **state)
{
    static int64_t stack[8192];
    volatile int64_t *top = &stack[8190];
    int watchpoint = -1;

    (void)state;
    assert_int_equal(proa_watchpoint_set((const void *)top, 8, PROA_WATCHED_ALL, 9, &watchpoint),
                     8);
#ifdef __x86_64__
    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tmovq $5, (%%rsp)\n\tnop\n\t"
                     "movq %%rbx, %%rsp"
                     :
                     : "r"(top)
                     : "rbx", "memory");
#else
    *top = 5;
#endif
    assert_int_equal(hits_of(9), 1);
    proa_watchpoint_clear(watchpoint);
}

/* Bytes that no single watchpoint can have: the first ones up to a border are watched. */
static void borders(void **state)
{
    const char *bytes = (const char *)&words[4];
    int watchpoint;

    (void)state;
    assert_int_equal(proa_watchpoint_set(bytes + 1, 7, PROA_WATCHED_ALL, 1, &watchpoint), 1);
    proa_watchpoint_clear(watchpoint);
    assert_int_equal(proa_watchpoint_set(bytes + 2, 7, PROA_WATCHED_ALL, 1, &watchpoint), 2);
    proa_watchpoint_clear(watchpoint);
    assert_int_equal(proa_watchpoint_set(bytes, 7, PROA_WATCHED_ALL, 1, &watchpoint), 4);
    proa_watchpoint_clear(watchpoint);
    assert_int_equal(proa_watchpoint_set(bytes, 100, PROA_WATCHED_ALL, 1, &watchpoint), 8);
    proa_watchpoint_clear(watchpoint);
    assert_int_equal(proa_watchpoint_set(bytes, 0, PROA_WATCHED_ALL, 1, &watchpoint), 0);
}

static void as_many_as_there_are(void **state)
{
    int watchpoint[PROA_WATCHPOINTS], further;

    (void)state;
    for (int i = 0; i < PROA_WATCHPOINTS; i++)
        watchpoint[i] = set(i, 8, PROA_WATCHED_STORES, 10 + (uint64_t)i);
    assert_int_equal(proa_watchpoint_set((const void *)&words[5], 8, PROA_WATCHED_ALL, 1, &further),
                     0);
    for (int i = 0; i < PROA_WATCHPOINTS; i++) {
        words[i] = 1;
        assert_int_equal(hits_of(10 + (uint64_t)i), 1);
        proa_watchpoint_clear(watchpoint[i]);
    }
}

static void *touch(void *arg)
{
    (void)arg;
    words[1] = 5;
    return NULL;
}

static void other_threads(void **state)
{
    int watchpoint = set(1, 8, PROA_WATCHED_STORES, 7);
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, touch, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(hits_of(7), 1);
    proa_watchpoint_clear(watchpoint);
}

/* More hits than the ring has room for: the first ones are kept, and later ones again once there is
 * room. */
static void many(void **state)
{
    int watchpoint = set(1, 8, PROA_WATCHED_STORES, 7), kept;

    (void)state;
    for (int i = 0; i < 3000; i++)
        words[1] = i;
    kept = hits_of(7);
    assert_true(kept > 10 && kept < 3000);
    assert_int_equal(proa_trap_lost(), 3000 - kept);
    words[1] = 0;
    assert_int_equal(hits_of(7), 1);
    proa_watchpoint_clear(watchpoint);
}

static volatile sig_atomic_t own_traps;

static void own_trap(int number)
{
    (void)number;
    own_traps++;
}

/* The program's own traps go to its handler, and without one end it, as before. */
static void own_signals(void **state)
{
    int status;
    pid_t child;

    (void)state;
    proa_watchpoint_stop();
    signal(SIGTRAP, own_trap);
    assert_int_equal(proa_watchpoint_start(), 0);
    raise(SIGTRAP);
    assert_int_equal(own_traps, 1);
    proa_watchpoint_stop();
    signal(SIGTRAP, SIG_DFL);
    assert_int_equal(proa_watchpoint_start(), 0);
    child = fork();
    if (child == 0) {
        raise(SIGTRAP);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP);
}

static void refusal(void **state)
{
    int watchpoint;

    (void)state;
    proa_watchpoint_stop();
    refused = EACCES;
    assert_int_equal(proa_watchpoint_start(), EACCES);
    refused = 0;
    assert_int_equal(proa_watchpoint_set((const void *)words, 8, PROA_WATCHED_ALL, 1, &watchpoint),
                     0);
    assert_int_equal(proa_watchpoint_start(), 0);
}

/* Takes all hits of that cookie. */
static int hits_with(uint64_t cookie, enum proa_trap_access access)
{
    struct proa_trap_hit hit;
    int hits = 0;

    for (; proa_trap_next(&hit); hits++) {
        assert_int_equal(hit.cookie, cookie);
        assert_int_equal(hit.access, access);
    }
    return hits;
}

static void guard(int word, uint64_t cookie, int steals)
{
    assert_int_equal(proa_watchpoint_guard((const void *)&words[word], 8, cookie, steals), 8);
}

/* By two watchpoints loads are told from stores, by one they are not. */
static void guards(void **state)
{
    int64_t value;

    (void)state;
    guard(5, 1005, 0);
    words[5] = 1;
    assert_int_equal(hits_with(1005, PROA_TRAP_STORE), 1);
    value = words[5];
    assert_int_equal(hits_with(1005, PROA_TRAP_LOAD), 1);
    words[6] = value;
    assert_int_equal(hits_with(1005, PROA_TRAP_LOAD), 0);
    guard(6, 1006, 0);
    assert_int_equal(proa_watchpoint_guard((const void *)&words[7], 8, 1007, 0), 0);
    guard(7, 1007, 1); /* the oldest goes */
    assert_false(proa_watchpoint_guards(1005));
    assert_true(proa_watchpoint_guards(1006));
    words[5] = value;
    words[7] = value;
    assert_int_equal(hits_with(1007, PROA_TRAP_STORE), 1);
    proa_watchpoint_unguard(1000, 2000);
    words[6] = words[7] = value;
    assert_int_equal(hits_with(0, PROA_TRAP_LOAD), 0);
}

/* A buffer takes a watchpoint from a guard, which gets it back. */
static void guard_displaced(void **state)
{
    int watchpoints[4];

    (void)state;
    guard(5, 1005, 0);
    guard(6, 1006, 0);
    for (int i = 0; i < 4; i++)
        watchpoints[i] = set(i, 8, PROA_WATCHED_STORES, 20);
    words[0] = words[3] = 1;
    assert_int_equal(hits_with(20, PROA_TRAP_TOUCH), 2);
    words[5] = 1;
    assert_int_equal(hits_with(0, PROA_TRAP_TOUCH), 0);
    for (int i = 0; i < 4; i++)
        proa_watchpoint_clear(watchpoints[i]);
    words[5] = 1;
    assert_int_equal(hits_with(1005, PROA_TRAP_STORE), 1);
    proa_watchpoint_unguard(1000, 2000);
}

/* A loop over guarded memory comes to its end. */
static void guard_loop(void **state)
{
    int hits;

    (void)state;
    guard(5, 1005, 0);
    for (int i = 0; i < 4 * PROA_WATCHPOINT_HITS; i++)
        words[5] = i;
    hits = hits_of(1005); /* of the last ones the kind is not known */
    assert_true(hits >= PROA_WATCHPOINT_HITS && hits < 4 * PROA_WATCHPOINT_HITS);
    proa_watchpoint_renew();
    words[5] = 1;
    assert_int_equal(hits_with(1005, PROA_TRAP_STORE), 1);
    proa_watchpoint_unguard(1000, 2000);
}

/* ---- several threads ---- */

static int is_over;

/* What it stores to is guarded, or not watched at all. */
static void *store_always(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        words[5]++;
    return NULL;
}

static void *renew_always(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        proa_watchpoint_renew();
    return NULL;
}

/* Buffers that no thread touches take the watchpoints of a guard that one thread always touches. */
static void moved(void **state)
{
    struct proa_trap_hit hit;
    pthread_t threads[2];
    int hits = 0, watchpoints[PROA_WATCHPOINTS];

    (void)state;
    guard(5, 1005, 0);
    assert_int_equal(pthread_create(&threads[0], NULL, store_always, NULL), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, renew_always, NULL), 0);
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < PROA_WATCHPOINTS; i++)
            watchpoints[i] = set(i, 8, PROA_WATCHED_STORES, 20);
        for (int i = 0; i < PROA_WATCHPOINTS; i++)
            proa_watchpoint_clear(watchpoints[i]);
        while (proa_trap_next(&hit))
            hits += hit.cookie == 20;
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    proa_watchpoint_unguard(1000, 2000);
    while (proa_trap_next(&hit))
        hits += hit.cookie == 20;
    assert_int_equal(hits, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_alone),  cmocka_unit_test(loads_too),
        cmocka_unit_test(instruction),   cmocka_unit_test(borders),
        cmocka_unit_test(other_threads), cmocka_unit_test(as_many_as_there_are),
        cmocka_unit_test(many),          cmocka_unit_test(own_signals),
        cmocka_unit_test(guards),        cmocka_unit_test(guard_displaced),
        cmocka_unit_test(guard_loop),    cmocka_unit_test(top_of_the_stack),
        cmocka_unit_test(moved),         cmocka_unit_test(refusal),
    };
    int error = proa_watchpoint_start();

    if (error) {
        print_message("no watchpoints here: %s\n", strerror(error));
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
