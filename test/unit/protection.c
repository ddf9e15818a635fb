/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores to protected memory (traps/protection.h). */
#include "traps/protection.h"
#include "traps/trap.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGES = 4 };

static long page;
static volatile uintptr_t page_that_is_none = 8;
static char *memory; /* PAGES pages */

static void begin(void)
{
    memory =
        mmap(NULL, PAGES * (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(proa_protection_start(), 0); /* cmocka takes the signal before each test */
    assert_int_equal(proa_protection_add(memory, PAGES * (size_t)page), 0);
}

static void end(void)
{
    struct proa_trap_hit hit;

    while (proa_trap_next(&hit)) {
    }
    proa_protection_stop();
    munmap(memory, PAGES * (size_t)page);
}

/* A test of the program NAME_body, above protected memory. */
#define TEST(name)                 \
    static void name(void **state) \
    {                              \
        (void)state;               \
        begin();                   \
        name##_body();             \
        end();                     \
    }

static volatile int64_t *word(int64_t index)
{
    return (volatile int64_t *)memory + index;
}

static void expect(const volatile void *at, enum proa_trap_access access)
{
    struct proa_trap_hit hit;

    assert_true(proa_trap_next(&hit));
    assert_ptr_equal(hit.memory, at);
    assert_int_equal(hit.access, access);
    assert_int_equal(hit.cookie, 0);
}

static void expect_none(void)
{
    struct proa_trap_hit hit;

    assert_false(proa_trap_next(&hit));
}

/* Each access of a page traps, the first one and those after it. */
static void each_access_body(void)
{
    *word(1) = 5;
    *word(2) = 6;
    assert_int_equal(*word(1), 5);
    expect(word(1), PROA_TRAP_STORE);
    expect(word(2), PROA_TRAP_STORE);
    expect(word(1), PROA_TRAP_LOAD);
    expect_none();
}
TEST(each_access)

/* By one instruction, where the processor has one that does both. */
static void load_and_store(const void *source, void *target)
{
#ifdef __x86_64__
    __asm__ volatile("movsq" : "+S"(source), "+D"(target) : : "memory");
#else
    memcpy(target, source, sizeof(int64_t));
#endif
}

/* An instruction that loads from one page and stores to another: both trap, and stay protected. */
static void two_pages_body(void)
{
    const void *from = memory + 8;
    void *to = memory + page + 8;

    for (int i = 0; i < 2; i++) {
        load_and_store(from, to);
        expect(from, PROA_TRAP_LOAD);
        expect(to, PROA_TRAP_STORE);
        expect_none();
    }
}
TEST(two_pages)

/* All bytes count, on both pages of an operand that goes over. */
static void bytes_body(void)
{
    struct proa_trap_hit hit;
    volatile int64_t *over = (volatile int64_t *)(memory + page - 2);

    *over = 1;
    assert_true(proa_trap_next(&hit));
    assert_ptr_equal(hit.memory, over);
    assert_int_equal(hit.bytes, 8);
    assert_true(proa_trap_next(&hit));
    assert_ptr_equal(hit.memory, memory + page);
    assert_int_equal(hit.bytes, 6);
    expect_none();
}
TEST(bytes)

static void other_memory_body(void)
{
    volatile int64_t other = 1;

    other = other + 1;
    expect_none();
}
TEST(other_memory)

/* Returns the address behind the instruction that stores; 0 where its length is not known. */
static uintptr_t store_there(void *target)
{
    uintptr_t behind = 0;

#ifdef __x86_64__
    __asm__ volatile("movq $5, (%1)\n\tleaq 0(%%rip), %0" : "=&r"(behind) : "r"(target) : "memory");
#else
    *(volatile int64_t *)target = 5;
#endif
    return behind;
}

/* The place is inside the instruction. */
static void instruction_body(void)
{
    struct proa_trap_hit hit;
    const uintptr_t behind = store_there(memory);

    assert_true(proa_trap_next(&hit));
    assert_true((uintptr_t)hit.instruction < behind && behind - (uintptr_t)hit.instruction < 20);
}
TEST(instruction)

static void opened_body(void)
{
    proa_protection_open(memory + page - 1, 2); /* two pages */
    *word(1) = 1;
    memory[page] = 1;
    expect_none();
    memory[2 * page] = 1;
    expect(memory + 2 * page, PROA_TRAP_STORE);
    proa_protection_renew();
    *word(1) = 2;
    memory[page] = 1;
    memory[3 * page] = 1;
    expect(word(1), PROA_TRAP_STORE);
    expect(memory + page, PROA_TRAP_STORE);
    expect(memory + 3 * page, PROA_TRAP_STORE);
}
TEST(opened)

/* A loop comes to its end: the page is left open, and counted. */
static void loop_body(void)
{
    const uint64_t before = proa_protection_left_open();
    struct proa_trap_hit hit;
    int hits = 0;

    for (int i = 0; i < 10 * PROA_PROTECTION_TRAPS; i++) {
        *word(i % 8) = i;
        hits += proa_trap_next(&hit);
    }
    assert_true(hits >= PROA_PROTECTION_TRAPS && hits < 2 * PROA_PROTECTION_TRAPS);
    assert_int_equal(proa_protection_left_open(), before + 1);
    memory[page] = 1;
    expect(memory + page, PROA_TRAP_STORE);
    proa_protection_renew();
    *word(0) = 1;
    expect(word(0), PROA_TRAP_STORE);
}
TEST(loop)

static void system_call_body(void)
{
    int pipes[2];

    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(write(pipes[1], memory, 8), -1);
    assert_int_equal(errno, EFAULT);
    proa_protection_open(memory, 8);
    assert_int_equal(write(pipes[1], memory, 8), 8);
    close(pipes[0]);
    close(pipes[1]);
}
TEST(system_call)

/* What is lent twice is protected again once it is taken back twice. */
static void lent_body(void)
{
    int pipes[2];
    static int64_t mine;

    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(proa_protection_lend(&mine, sizeof mine), 0);
    assert_int_equal(proa_protection_lend(memory, 8), 1);
    assert_int_equal(proa_protection_lend(memory, 8), 1);
    proa_protection_take_back(memory, 8);
    proa_protection_renew();
    assert_int_equal(write(pipes[1], memory, 8), 8);
    proa_protection_take_back(memory, 8);
    assert_int_equal(write(pipes[1], memory, 8), -1);
    expect_none();
    *word(0) = 1;
    expect(word(0), PROA_TRAP_STORE);
    close(pipes[0]);
    close(pipes[1]);
}
TEST(lent)

static void *touch(void *arg)
{
    for (int i = 0; i < 100; i++)
        ++*(volatile int64_t *)arg;
    return NULL;
}

/* Threads of the program are seen, and stores of several threads at once all arrive. */
static void threads_body(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, touch, (void *)word(8 * i)), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    proa_protection_drop(memory);
    assert_int_equal(*word(0) + *word(8), 200);
}
TEST(threads)

static void dropped_body(void)
{
    proa_protection_drop(memory);
    *word(1) = 5;
    expect_none();
    assert_int_equal(proa_protection_add(memory, (size_t)page), 0);
    memory[page] = 1;
    expect_none();
    *word(1) = 6;
    expect(word(1), PROA_TRAP_STORE);
}
TEST(dropped)

/* A handler that takes its time. */
static int slowly; /* 1: the next one is to; 2: it does */

extern void __real_proa_trap_write_down(const struct proa_trap_hit *hit);
void __wrap_proa_trap_write_down(const struct proa_trap_hit *hit);

void __wrap_proa_trap_write_down(const struct proa_trap_hit *hit)
{
    int is_to = 1;

    if (__atomic_compare_exchange_n(&slowly, &is_to, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        usleep(20000);
    __real_proa_trap_write_down(hit);
}

/* A range goes, and another one comes in its stead, beside a handler that has found it. */
static void dropped_in_handler_body(void)
{
    enum { FAR = 1 << 28 }; /* pages: no table of the other range's has room for this one's */
    char *other = mmap(memory - (intptr_t)FAR * page, (size_t)page, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;

    __atomic_store_n(&slowly, 1, __ATOMIC_SEQ_CST);
    assert_int_equal(pthread_create(&thread, NULL, touch, (void *)word(8)), 0);
    while (__atomic_load_n(&slowly, __ATOMIC_SEQ_CST) != 2)
        usleep(100);
    proa_protection_drop(memory);
    assert_int_equal(proa_protection_add(other, (size_t)page), 0);
    pthread_join(thread, NULL);
    assert_int_equal(*word(8), 100);
    proa_protection_drop(other);
    munmap(other, (size_t)page);
}
TEST(dropped_in_handler)

static volatile int is_over;

static void *store_on(void *unused)
{
    for (int64_t i = 0; !is_over; i++)
        *word(i % (PAGES * page / 8)) = i;
    return unused;
}

/* A range comes and goes beside a thread whose stores trap: none of them is taken for a fault of
 * the program's, and no handler uses a range that has gone. */
static void dropped_beside_body(void)
{
    pthread_t thread;

    is_over = 0;
    assert_int_equal(pthread_create(&thread, NULL, store_on, NULL), 0);
    for (int i = 0; i < 2000; i++) {
        proa_protection_drop(memory);
        /* another number of pages: what handlers know of the range before does not fit */
        assert_int_equal(proa_protection_add(memory, (size_t)(1 + i % PAGES) * (size_t)page), 0);
        proa_protection_renew();
    }
    is_over = 1;
    pthread_join(thread, NULL);
}
TEST(dropped_beside)

/* A large range: pages that are left open are protected again, and only those are looked at. */
static void too_many_traps_body(void)
{
    const size_t pages = PROA_PROTECTION_PAGES + 100;
    char *large = mmap(NULL, pages * (size_t)page, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct proa_trap_hit hit;

    assert_ptr_not_equal(large, MAP_FAILED);
    assert_int_equal(proa_protection_add(large, pages * (size_t)page), 0);
    for (size_t i = 0; i < pages; i++) {
        *(volatile char *)(large + i * (size_t)page) = 1;
        while (proa_trap_next(&hit)) {
        }
    }
    proa_protection_renew();
    *(volatile char *)(large + (pages - 1) * (size_t)page) = 1;
    expect(large + (pages - 1) * (size_t)page, PROA_TRAP_STORE);
    *(volatile char *)large = 1;
    expect(large, PROA_TRAP_STORE);
    proa_protection_drop(large);
    munmap(large, pages * (size_t)page);
}
TEST(too_many_traps)

static void too_many_body(void)
{
    char *more = mmap(NULL, PROA_PROTECTIONS * (size_t)page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (int i = 0; i < PROA_PROTECTIONS - 1; i++)
        assert_int_equal(proa_protection_add(more + i * page, (size_t)page), 0);
    assert_int_equal(proa_protection_add(more + (PROA_PROTECTIONS - 1) * page, (size_t)page),
                     ENOSPC);
    for (int i = 0; i < PROA_PROTECTIONS - 1; i++)
        proa_protection_drop(more + i * page);
    munmap(more, PROA_PROTECTIONS * (size_t)page);
}
TEST(too_many)

/* A fault of the program's own ends it, or goes to its handler. */
static void own_faults_body(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        assert_int_equal(proa_protection_start(), 0);
        memset((void *)(uintptr_t)page_that_is_none, 1, 1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}
TEST(own_faults)

static void other_handler(int number)
{
    _exit(number);
}

/* A library that is loaded after the start takes the signal. */
static void taken_body(void)
{
    proa_protection_drop(memory);
    signal(SIGSEGV, other_handler);
    assert_int_equal(proa_protection_add(memory, PAGES * (size_t)page), 0);
    *word(0) = 1;
    expect(word(0), PROA_TRAP_STORE);
}
TEST(taken)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_access),    cmocka_unit_test(two_pages),
        cmocka_unit_test(other_memory),   cmocka_unit_test(instruction),
        cmocka_unit_test(opened),         cmocka_unit_test(loop),
        cmocka_unit_test(system_call),    cmocka_unit_test(threads),
        cmocka_unit_test(lent),           cmocka_unit_test(dropped),
        cmocka_unit_test(too_many),       cmocka_unit_test(own_faults),
        cmocka_unit_test(dropped_beside), cmocka_unit_test(dropped_in_handler),
        cmocka_unit_test(too_many_traps), cmocka_unit_test(bytes),
        cmocka_unit_test(taken),
    };

    page = sysconf(_SC_PAGESIZE);
    if (proa_protection_start() != 0) {
        print_message("no single step is known of this processor\n");
        return 77;
    }
    proa_protection_stop();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
