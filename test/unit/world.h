/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world: the ranks of one test, each with Proa's core started in it, and a stand-in for the host
 * MPI's exchange among them. A rank is a process (world_processes.c); in one more build for
 * ThreadSanitizer it is a thread (world_threads.c).
 *
 * world_run() forks the processes, runs the body in each and waits for them. A CHECK that fails, a
 * signal, a non-zero exit (a sanitizer's report) or running out of time in any of them fails the
 * cmocka test, after a line for every process in trouble: rank, file, line, why. Core is started
 * after the fork: the test's own process never has one, so each world begins with fresh processes.
 * One world at a time.
 */
#ifndef PROA_TEST_WORLD_H
#define PROA_TEST_WORLD_H

#include "base/fail.h"
#include "sync/sync.h"
#include "window/win.h"

#include <stddef.h>
#include <stdint.h>

/* Built with a sanitizer that has a malloc and threads of its own ideas. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define WORLD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define WORLD_SANITIZED 1
#endif
#endif
#ifndef WORLD_SANITIZED
#define WORLD_SANITIZED 0
#endif

enum {
    WORLD_MOST = 16,               /* processes */
    WORLD_SHARED_BYTES = 256 << 20 /* untouched pages cost nothing */
};

struct world {
    int rank, size;
    struct proa_group group; /* the fake exchange, over all processes of the world */
    /* WORLD_SHARED_BYTES, the same memory in all processes, zeroed before they start */
    char *shared;
    const void *arg; /* of the plan */
};

typedef void world_body(struct world *world);

struct world_plan {
    int size;
    world_body *body;
    const void *arg;
    /* runs in each process before core is started there: for the environment and limits. NULL:
     * nothing */
    world_body *before;
    int limit_s; /* of processor time of a rank, or of standing still; 0: 60; more with a sanitizer
                  */
    int kernel;  /* 1: world_needs_kernel() */
};

void world_run(const struct world_plan *plan);

/* Does an emulator of a processor stand in for the kernel? */
int world_is_emulated(void);

/* Skips the test there. qemu-user has neither process_vm_readv(2) nor userfaultfd(2), and its
 * madvise(2) gives no pages back. */
void world_needs_kernel(void);

/* Makes the cmocka test NAME, which runs NAME_body in so many processes. Other fields of the plan
 * may stand behind their number: WORLD_TEST(name, 2, .limit_s = 20). No semicolon after it. */
#define WORLD_TEST(name, ...)                                                      \
    static void name(void **state)                                                 \
    {                                                                              \
        (void)state;                                                               \
        world_run(&(struct world_plan){.body = name##_body, .size = __VA_ARGS__}); \
    }

/* Returns once all processes of the world have called it. Not Proa's barrier. */
void world_barrier(struct world *world);

/* The same, spinning: all go on within less than a microsecond of each other where there are
 * processors for all. */
void world_meet(struct world *world);

/* A group of `size` members that only world->size processes stand for: this process is member
 * rank, the last one plays all from its own rank on. For windows of more members than one wants to
 * fork. */
struct proa_group world_stretch(struct world *world, int size);

/* From now on exchanges of this process and world return code, having done nothing. 0: work
 * again. */
void world_break_exchange(int code);

/* ---- checks, for the body and the threads that it starts ---- */

/* Says that this process got here: reported if the process hangs or crashes. */
void world_at(const char *file, int line);

/* Reports, and ends this process. */
void world_failed(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn, cold));

#define HERE() world_at(__FILE__, __LINE__)

#define CHECK(condition)                                        \
    do {                                                        \
        HERE();                                                 \
        if (!(condition))                                       \
            world_failed(__FILE__, __LINE__, "%s", #condition); \
    } while (0)

/* Integers of any kind, or addresses; told as signed numbers. */
#define CHECK_EQUAL(got, expected)                                                    \
    (HERE(), world_check_equal(__FILE__, __LINE__, #got, (long long)(got), #expected, \
                               (long long)(expected)))
void world_check_equal(const char *file, int line, const char *got_text, long long got,
                       const char *expected_text, long long expected);

/* A call of core that must succeed. */
#define CHECK_OK(call) (HERE(), world_check_code(__FILE__, __LINE__, #call, (call), 0))
/* A call of core that must fail with this code, and say why. */
#define CHECK_FAILS(call, code) \
    (HERE(), world_check_code(__FILE__, __LINE__, #call, (call), (code)))
void world_check_code(const char *file, int line, const char *call, int got, int expected);

/* What a flush of one target returns: PROA_OK, in whichever form it was done, or an error. */
static inline int flushed(int code)
{
    return code == PROA_FLUSHED_GENERALLY ? PROA_OK : code;
}

/* ---- small things that most tests need ---- */

/* How often to repeat, given how often without a sanitizer and an emulator. */
long world_rounds(long rounds);

/* Sebastiano Vigna's splitmix64. */
uint64_t world_random(uint64_t *seed);
uint64_t world_below(uint64_t *seed, uint64_t limit);

/* The bytes of so many pages of this system, which has pages of 4, 16 or 64 KiB. */
uint64_t world_pages(uint64_t count);

void world_sleep_us(long us);

/* Waits, without Proa, until the word has at least this value: for steps between processes. */
void world_await(const uint32_t *word, uint32_t least);

/* Starts a function in count threads of this process, numbered from 0, and waits for their ends. */
typedef void world_thread(void *arg, int number);
void world_threads(int count, world_thread *thread, void *arg);

/* Lines of /proc/self/maps that contain text; open files of this process; bytes that malloc has
 * given out. Always 0 where ranks are threads. */
long world_mappings(const char *text);
uint64_t world_malloc_bytes(void);
/* Has the mapping of address that flag (VmFlags of proc(5), smaps)? */
int world_flags(const void *address, const char *flag);
long world_open_files(void);

#endif
