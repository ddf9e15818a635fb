/* SPDX-License-Identifier: BSD-3-Clause */
/* Adoption (adopt/adopt.h): memory that moves under threads that write to it or wait in it,
 * failures on the way, and what never moves. */
#include "world.h"
#include "adopt_pages.h"

#include "adopt/adopt.h"
#include "rma/pages.h"
#include "shm/peer.h"
#include "shm/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- failures on demand (linked with --wrap) ---- */

/* calls that still succeed; -1: all */
static int mmap_fails_after = -1, pwrite_fails_after = -1, uffd_fails = 0;
static int uffd_is_idle; /* it registers memory, and stops no thread there */

static int is_due(int *fails_after)
{
    return *fails_after >= 0 && (*fails_after)-- == 0;
}

long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_mmap && d & MAP_SHARED && is_due(&mmap_fails_after)) {
        errno = ENOMEM;
        return -1;
    }
    if (number == SYS_pwrite64 && is_due(&pwrite_fails_after)) {
        errno = ENOSPC;
        return -1;
    }
    if ((number == SYS_userfaultfd || number == SYS_openat) && uffd_fails) {
        errno = EPERM;
        return -1;
    }
    return __real_syscall(number, a, b, c, d, e, f);
}

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
    return request == UFFDIO_REGISTER && uffd_is_idle ? 0 : __real_ioctl(fd, request, argument);
}

/* ---- small things ---- */

/* A thread that waits for a word by its page wakes up, whether the page stays or moves. */
struct waiter {
    uint32_t *word, woken, id;
};

static void *wait_at_word(void *arg)
{
    struct waiter *waiter = arg;

    __atomic_store_n(&waiter->id, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    while (!__atomic_load_n(waiter->word, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, waiter->word, FUTEX_WAIT, 0, NULL, NULL, 0);
    __atomic_store_n(&waiter->woken, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void await_sleep(const struct waiter *waiter)
{
    char path[64], text[16] = "";
    long number = -1;

    while (!__atomic_load_n(&waiter->id, __ATOMIC_ACQUIRE))
        world_sleep_us(100);
    snprintf(path, sizeof path, "/proc/self/task/%u/syscall", waiter->id);
    while (number != SYS_futex) {
        FILE *file = fopen(path, "r");

        CHECK(file && fgets(text, sizeof text, file));
        fclose(file);
        number = strtol(text, NULL, 10);
    }
}

/* Skips the test where no userfaultfd stops other threads in system calls and in faults of mapped
 * files: no memory moves beside them then (no_faults). An ordinary user may not have it, and
 * processors but x86-64 and arm64 have a part of it. */
static void run_with_faults(world_body *body, int limit_s)
{
    struct uffdio_api api = {.api = UFFD_API,
                             .features = UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_MINOR_SHMEM};
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK), works;

    works = fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0;
    if (fd >= 0)
        close(fd);
    if (!works)
        skip();
    world_run(&(struct world_plan){.size = 1, .body = body, .limit_s = limit_s});
}

static void waiter_body(struct world *world)
{
    char *memory = map_pages(world_pages(4));
    struct waiter waiter = {.word = (uint32_t *)(void *)(memory + 100)};
    struct proa_hold h;
    pthread_t thread;

    (void)world;
    fill(memory + world_pages(1), world_pages(3), 1);
    CHECK(pthread_create(&thread, NULL, wait_at_word, &waiter) == 0);
    await_sleep(&waiter);
    hold(&h, memory, world_pages(4)); /* where it waits, memory stays */
    CHECK_EQUAL(proa_adopt_bytes(&h), 0);
    proa_adopt_drop(&h);
    __atomic_store_n(waiter.word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, waiter.word, FUTEX_WAKE, 1, NULL, NULL, 0);
    pthread_join(thread, NULL);

    *waiter.word = 0;
    waiter.id = waiter.woken = 0;
    hold(&h, memory, world_pages(4));
    CHECK_EQUAL(proa_adopt_bytes(&h), world_pages(4));
    CHECK(pthread_create(&thread, NULL, wait_at_word, &waiter) == 0);
    await_sleep(&waiter);
    proa_adopt_drop(&h); /* it is woken, to wait at the page that is there then */
    CHECK_EQUAL(file_blocks(), 0);
    __atomic_store_n(waiter.word, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&waiter.woken, __ATOMIC_ACQUIRE)) {
        syscall(SYS_futex, waiter.word, FUTEX_WAKE, 1, NULL, NULL, 0);
        world_sleep_us(100);
    }
    pthread_join(thread, NULL);
    munmap(memory, world_pages(4));
}

static void waiter(void **state)
{
    (void)state;
    run_with_faults(waiter_body, 0);
}

/* ---- threads that write ---- */

enum { WRITERS = 3, AREA_PAGES = 24 };

struct writers {
    char *memory;
    uint64_t words; /* of each writer */
    uint32_t stop;
    uint64_t written[WRITERS];
};

struct writer {
    struct writers *all;
    int number;
};

/* Counts up words of its own, all over the area, and looks whether each is what it left. */
static void *write_words(void *arg)
{
    const struct writer *me = arg;
    struct writers *all = me->all;
    uint64_t *mine = calloc(all->words, sizeof *mine), seed = (uint64_t)me->number + 1;

    CHECK(mine);
    while (!__atomic_load_n(&all->stop, __ATOMIC_RELAXED)) {
        uint64_t i = world_below(&seed, all->words);
        uint64_t *word = (uint64_t *)(void *)all->memory + i * WRITERS + (uint64_t)me->number,
                 found = __atomic_load_n(word, __ATOMIC_RELAXED);

        if (found != mine[i])
            world_failed(__FILE__, __LINE__, "a word is %llu, not %llu", (unsigned long long)found,
                         (unsigned long long)mine[i]);
        __atomic_store_n(word, ++mine[i], __ATOMIC_RELAXED);
        __atomic_fetch_add(&all->written[me->number], 1, __ATOMIC_RELAXED);
    }
    free(mine);
    return NULL;
}

static void threads_body(struct world *world)
{
    const uint64_t area = world_pages(AREA_PAGES);
    struct writers all = {.memory = map_pages(area), .words = area / 8 / WRITERS};
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    long rounds = world_rounds(1000);
    uint64_t seed = 9, total = 0;

    (void)world;
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){&all, i};
        CHECK(pthread_create(&threads[i], NULL, write_words, &writers[i]) == 0);
    }
    /* the stack of a thread that has not run yet is not known, and memory stays then */
    for (int i = 0; i < WRITERS; i++)
        while (__atomic_load_n(&all.written[i], __ATOMIC_RELAXED) == 0)
            world_sleep_us(100);
    for (long i = 0; i < rounds; i++) {
        uint64_t from = world_below(&seed, area - 8), bytes = 1 + world_below(&seed, area - from);
        struct proa_hold h;

        hold(&h, all.memory + from, bytes);
        CHECK_EQUAL(proa_adopt_bytes(&h), bytes);
        proa_adopt_drop(&h);
    }
    __atomic_store_n(&all.stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        total += all.written[i];
    }
    CHECK(total > (uint64_t)rounds); /* they did get to run */
    CHECK_EQUAL(file_blocks(), 0);
    munmap(all.memory, area);
}

static void threads(void **state)
{
    (void)state;
    run_with_faults(threads_body, 150);
}

/* A thread that sleeps until it is told to stop. */
enum { STARTING, SLEEPS, STOPS };

static void *sleep_long(void *arg)
{
    __atomic_store_n((uint32_t *)arg, SLEEPS, __ATOMIC_RELEASE);
    while (__atomic_load_n((uint32_t *)arg, __ATOMIC_RELAXED) != STOPS)
        world_sleep_us(1000);
    return NULL;
}

/* The stack of a thread that has not run yet is not known. */
static pthread_t sleeper(uint32_t *state)
{
    pthread_t thread;

    *state = STARTING;
    CHECK(pthread_create(&thread, NULL, sleep_long, state) == 0);
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != SLEEPS)
        world_sleep_us(100);
    return thread;
}

static void sleeper_end(pthread_t thread, uint32_t *state)
{
    __atomic_store_n(state, STOPS, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

/* ThreadSanitizer's runtime has a thread of its own from the first on: a process is never alone
 * again. */
static int stays_alone(void)
{
#if defined(__SANITIZE_THREAD__)
    return 0;
#else
    return 1;
#endif
}

/* Without userfaultfd memory stays where it is while there are threads. Returns the thread. */
static pthread_t stays_beside_thread(char *memory, uint32_t *stop)
{
    pthread_t thread = sleeper(stop);
    struct proa_hold h;

    hold(&h, memory, world_pages(4));
    CHECK_EQUAL(proa_adopt_bytes(&h), 0);
    if (!h.why || !strstr(h.why, "userfaultfd"))
        world_failed(__FILE__, __LINE__, "it stays because: %s", h.why);
    proa_adopt_drop(&h);
    return thread;
}

static void no_faults_body(struct world *world)
{
    char *memory = map_pages(world_pages(4));
    uint32_t stop;
    struct proa_hold h;
    pthread_t thread;

    (void)world;
    if (!stays_alone())
        return;
    uffd_fails = 1;
    thread = stays_beside_thread(memory, &stop);
    proa_threads_host_begin(); /* not alone: its present memory stays the program's */
    proa_threads_host_end();
    hold(&h, memory, world_pages(4));
    CHECK_EQUAL(proa_adopt_bytes(&h), 0);
    proa_adopt_drop(&h);
    sleeper_end(thread, &stop);
    for (int i = 0; i < 1000 && !proa_adopt_bytes(&h); i++) { /* the kernel may still count it */
        hold(&h, memory, world_pages(4));
        if (!proa_adopt_bytes(&h))
            proa_adopt_drop(&h);
        world_sleep_us(1000);
    }
    CHECK_EQUAL(proa_adopt_bytes(&h), world_pages(4));
    proa_adopt_drop(&h);
    proa_threads_host_begin(); /* MPI's own threads are no reason */
    thread = sleeper(&stop);
    proa_threads_host_end();
    hold(&h, memory, world_pages(4));
    if (proa_adopt_bytes(&h) != world_pages(4))
        world_failed(__FILE__, __LINE__, "it stays because: %s", h.why);
    proa_adopt_drop(&h);
    sleeper_end(thread, &stop);
    munmap(memory, world_pages(4));
}
WORLD_TEST(no_faults, 1, .kernel = 1)

static void idle_faults_body(struct world *world)
{
    char *memory = map_pages(world_pages(4));
    uint32_t stop;

    (void)world;
    if (!stays_alone())
        return;
    uffd_is_idle = 1;
    sleeper_end(stays_beside_thread(memory, &stop), &stop);
    munmap(memory, world_pages(4));
}
WORLD_TEST(idle_faults, 1, .kernel = 1)

/* With a thread that came meanwhile pages stay in the file, and go back once it has gone; pages
 * that the program unmaps are given back at the next look. */
static void leftovers_body(struct world *world)
{
    char *memory = map_pages(world_pages(8));
    uint32_t stop;
    struct proa_hold h;
    pthread_t thread;

    (void)world;
    if (!stays_alone())
        return;
    fill(memory, world_pages(8), 1);
    hold(&h, memory, world_pages(8));
    CHECK_EQUAL(proa_adopt_bytes(&h), world_pages(8));
    uffd_fails = 1;
    thread = sleeper(&stop);
    proa_adopt_drop(&h);
    CHECK_EQUAL(file_blocks(), world_pages(8) / 512);
    check_filled(memory, world_pages(8), 1);
    munmap(memory + world_pages(3), world_pages(1));
    hold(&h, memory, world_pages(1));
    CHECK_EQUAL(proa_adopt_bytes(&h), world_pages(1)); /* it is there already */
    CHECK_EQUAL(file_blocks(), world_pages(7) / 512);
    sleeper_end(thread, &stop);
    for (int i = 0; i < 1000 && file_blocks(); i++) { /* the kernel may still count it */
        proa_adopt_drop(&h);
        hold(&h, &stop, sizeof stop);
        world_sleep_us(1000);
    }
    CHECK_EQUAL(file_blocks(), 0);
    check_filled(memory, world_pages(3), 1);
    munmap(memory, world_pages(8));
}
WORLD_TEST(leftovers, 1, .kernel = 1)

/* The program moves such pages by itself: they are its own where they are now, at the next look
 * that finds it alone. */
static void leftovers_moved_body(struct world *world)
{
    char *memory = map_pages(world_pages(8)), *place = map_pages(world_pages(8));
    uint32_t stop;
    struct proa_hold h;
    pthread_t thread;

    (void)world;
    if (!stays_alone())
        return;
    fill(memory, world_pages(8), 1);
    hold(&h, memory, world_pages(8));
    uffd_fails = 1;
    thread = sleeper(&stop);
    proa_adopt_drop(&h);
    CHECK(mremap(memory, world_pages(8), world_pages(8), MREMAP_MAYMOVE | MREMAP_FIXED, place) ==
          place);
    hold(&h, place, world_pages(8));
    CHECK_EQUAL(proa_adopt_bytes(&h), 0);
    check_filled(place, world_pages(8), 1);
    fill(place, world_pages(8), 2);
    proa_adopt_drop(&h);
    sleeper_end(thread, &stop);
    for (int i = 0; i < 1000 && file_blocks(); i++) { /* the kernel may still count it */
        hold(&h, &stop, sizeof stop);
        proa_adopt_drop(&h);
        world_sleep_us(1000);
    }
    CHECK_EQUAL(file_blocks(), 0);
    check_filled(place, world_pages(8), 2);
    CHECK_EQUAL(world_flags(place, "sh"), 0);
    hold(&h, place, world_pages(8));
    CHECK_EQUAL(proa_adopt_bytes(&h), world_pages(8));
    proa_adopt_drop(&h);
    check_filled(place, world_pages(8), 2);
    munmap(place, world_pages(8));
}
WORLD_TEST(leftovers_moved, 1, .kernel = 1)

/* ---- failures on the way ---- */

static void fails(int *counter, int after, uint64_t expected)
{
    enum { BYTES = 8 * MIB };
    char *memory = map_pages(BYTES + 2 * MIB);
    /* a whole number of pieces */
    char *start = memory + (2 * MIB - (uint64_t)(uintptr_t)memory % (2 * MIB)) % (2 * MIB);
    struct proa_hold h;

    fill(start, BYTES, 4);
    *counter = after;
    hold(&h, start, BYTES);
    *counter = -1;
    CHECK_EQUAL(proa_adopt_bytes(&h), expected);
    CHECK(expected == BYTES || h.why);
    check_filled(start, BYTES, 4);
    fill(start, BYTES, 5);
    if (expected) {
        char *side = other_side(start, expected);
        check_filled(side, expected, 5);
        munmap(side, expected);
    }
    proa_adopt_drop(&h);
    check_filled(start, BYTES, 5);
    CHECK_EQUAL(file_blocks(), 0);
    munmap(memory, BYTES + 2 * MIB);
}

static void failures_body(struct world *world)
{
    (void)world;
    for (int after = 0; after < 5; after++) {
        uint64_t moved = (uint64_t)(after < 4 ? after : 4) * 2 * MIB;
        fails(&mmap_fails_after, after, moved);
        fails(&pwrite_fails_after, after, moved);
    }
}
WORLD_TEST(failures, 1, .kernel = 1)

/* The same with a thread, where what was protected must be let go again. */
static void failures_threads_body(struct world *world)
{
    uint32_t stop;
    pthread_t thread;

    thread = sleeper(&stop);
    failures_body(world);
    sleeper_end(thread, &stop);
}

static void failures_threads(void **state)
{
    (void)state;
    run_with_faults(failures_threads_body, 0);
}

/* ---- what stays ---- */

enum { LARGE_PAGE = 64 << 10 }; /* the largest of any system */

static void stays(const void *memory, uint64_t bytes)
{
    struct proa_hold h;

    hold(&h, memory, bytes);
    CHECK_EQUAL(proa_adopt_bytes(&h), 0);
    CHECK(h.why);
    proa_adopt_drop(&h);
}

static void *on_a_thread(void *arg)
{
    char local[3 * LARGE_PAGE];
    static __thread int of_thread;

    (void)arg;
    memset(local, 1, sizeof local);
    of_thread = 1;
    stays(local, sizeof local);
    stays(&of_thread, sizeof of_thread);
    return NULL;
}

static void kinds_body(struct world *world)
{
    char local[3 * LARGE_PAGE], *memory = map_pages(world_pages(8));
    static char in_file[] = "initialized: private, but of a file";
    FILE *file = tmpfile();
    pthread_t thread;
    struct proa_hold h;
    char *mapped;

    (void)world;
    memset(local, 1, sizeof local);
    stays(local, sizeof local);
    stays(in_file, sizeof in_file);
    CHECK(pthread_create(&thread, NULL, on_a_thread, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK(file && ftruncate(fileno(file), world_pages(4)) == 0);
    mapped = mmap(NULL, world_pages(4), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    stays(mapped, world_pages(4));
    munmap(mapped, world_pages(4));
    mapped = mmap(NULL, world_pages(4), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stays(mapped, world_pages(4));
    munmap(mapped, world_pages(4));
    fclose(file);

    /* readable only in the middle: pieces around it */
    fill(memory, world_pages(8), 1);
    CHECK(mprotect(memory + world_pages(3), world_pages(1), PROT_READ) == 0);
    hold(&h, memory + 7, world_pages(8) - 7);
    CHECK_EQUAL(h.count, 3);
    CHECK_EQUAL(proa_adopt_bytes(&h), world_pages(7) - 7);
    CHECK_EQUAL(h.piece[0].end, (uint64_t)(uintptr_t)memory + world_pages(3));
    CHECK_EQUAL(h.piece[1].end, (uint64_t)(uintptr_t)memory + world_pages(4));
    check_filled(memory, world_pages(8), 1);
    proa_adopt_drop(&h);
    munmap(memory, world_pages(8));
}
WORLD_TEST(kinds, 1, .kernel = 1)

/* Locked memory is to stay locked. */
static void locked_body(struct world *world)
{
    char *memory = map_pages(world_pages(4)), *lock = map_pages(world_pages(1));

    (void)world;
    if (!WORLD_SANITIZED && mlock(lock, world_pages(1)) == 0) /* AddressSanitizer locks nothing */
        stays(memory, world_pages(4));
    munlock(lock, world_pages(1));
}
WORLD_TEST(locked, 1)

/* Pages that a window has through the kernel stay so for others, until that window is gone. */
static void not_asked_body(struct world *world)
{
    char *memory = map_pages(world_pages(4));
    struct proa_hold kernel, h;

    (void)world;
    fill(memory, world_pages(4), 1);
    CHECK_OK(proa_adopt_hold(&kernel, memory + world_pages(1) + 5, 10, PROA_ADOPT_NEVER));
    CHECK_EQUAL(proa_adopt_bytes(&kernel), 0);
    hold(&h, memory, world_pages(4));
    CHECK_EQUAL(h.count, 3);
    CHECK_EQUAL(proa_adopt_bytes(&h), world_pages(3));
    proa_adopt_drop(&kernel);
    proa_adopt_drop(&h);
    hold(&h, memory, world_pages(4));
    CHECK_EQUAL(h.count, 1);
    proa_adopt_drop(&h);
    check_filled(memory, world_pages(4), 1);
    munmap(memory, world_pages(4));
}
WORLD_TEST(not_asked, 1, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiter),           cmocka_unit_test(threads),
        cmocka_unit_test(no_faults),        cmocka_unit_test(idle_faults),
        cmocka_unit_test(leftovers),        cmocka_unit_test(failures),
        cmocka_unit_test(failures_threads), cmocka_unit_test(kinds),
        cmocka_unit_test(locked),           cmocka_unit_test(not_asked),
        cmocka_unit_test(leftovers_moved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
