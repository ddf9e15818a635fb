/* SPDX-License-Identifier: BSD-3-Clause */
/* See sanitizer.h. */
#include "traps/sanitizer.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* Linux 5.14. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* Names of our own: compilers know some of these as functions of theirs. */
#define SANITIZER(result, name, symbol, ...) \
    result name(__VA_ARGS__) __asm__(symbol) __attribute__((weak))

SANITIZER(void *, sanitizer_create_fiber, "__tsan_create_fiber", unsigned);
SANITIZER(void *, sanitizer_current_fiber, "__tsan_get_current_fiber", void);
SANITIZER(void, sanitizer_switch_to_fiber, "__tsan_switch_to_fiber", void *, unsigned);
SANITIZER(void, sanitizer_set_fiber_name, "__tsan_set_fiber_name", void *, const char *);
SANITIZER(void, sanitizer_acquire, "__tsan_acquire", void *);
SANITIZER(void, sanitizer_release, "__tsan_release", void *);
SANITIZER(void, sanitizer_func_entry, "__tsan_func_entry", const void *);
SANITIZER(void, sanitizer_func_exit, "__tsan_func_exit", void);
SANITIZER(void, sanitizer_read_range, "__tsan_read_range_pc", const void *, unsigned long,
          const void *);
SANITIZER(void, sanitizer_write_range, "__tsan_write_range_pc", const void *, unsigned long,
          const void *);
SANITIZER(uint8_t, sanitizer_load8, "__tsan_atomic8_load", const void *, int);
SANITIZER(uint16_t, sanitizer_load16, "__tsan_atomic16_load", const void *, int);
SANITIZER(uint32_t, sanitizer_load32, "__tsan_atomic32_load", const void *, int);
SANITIZER(uint64_t, sanitizer_load64, "__tsan_atomic64_load", const void *, int);
SANITIZER(uint8_t, sanitizer_add8, "__tsan_atomic8_fetch_add", void *, uint8_t, int);
SANITIZER(uint16_t, sanitizer_add16, "__tsan_atomic16_fetch_add", void *, uint16_t, int);
SANITIZER(uint32_t, sanitizer_add32, "__tsan_atomic32_fetch_add", void *, uint32_t, int);
SANITIZER(uint64_t, sanitizer_add64, "__tsan_atomic64_fetch_add", void *, uint64_t, int);

SANITIZER(void, sanitizer_ignore_loads, "AnnotateIgnoreReadsBegin", const char *, int);
SANITIZER(void, sanitizer_see_loads, "AnnotateIgnoreReadsEnd", const char *, int);
SANITIZER(void, sanitizer_ignore_stores, "AnnotateIgnoreWritesBegin", const char *, int);
SANITIZER(void, sanitizer_see_stores, "AnnotateIgnoreWritesEnd", const char *, int);

/* Of a switch: it orders nothing by itself. And the order of atomics. */
enum { NO_SYNC = 1, RELAXED = 0 };

int proa_sanitizer_is_there(void)
{
    return sanitizer_create_fiber && sanitizer_switch_to_fiber && sanitizer_current_fiber &&
           sanitizer_set_fiber_name && sanitizer_acquire && sanitizer_release &&
           sanitizer_func_entry && sanitizer_func_exit && sanitizer_read_range &&
           sanitizer_write_range && sanitizer_load8 && sanitizer_load16 && sanitizer_load32 &&
           sanitizer_load64 && sanitizer_add8 && sanitizer_add16 && sanitizer_add32 &&
           sanitizer_add64 && sanitizer_ignore_loads && sanitizer_see_loads &&
           sanitizer_ignore_stores && sanitizer_see_stores;
}

void *proa_sanitizer_actor(const char *name)
{
    void *actor = sanitizer_create_fiber(0);

    if (actor)
        sanitizer_set_fiber_name(actor, name);
    return actor;
}

void proa_sanitizer_release(void *mark)
{
    sanitizer_release(mark);
}

void proa_sanitizer_acquire(void *mark)
{
    sanitizer_acquire(mark);
}

void *proa_sanitizer_enter(void *actor)
{
    void *before = sanitizer_current_fiber();

    sanitizer_switch_to_fiber(actor, NO_SYNC);
    return before;
}

void proa_sanitizer_leave(void *before)
{
    sanitizer_switch_to_fiber(before, NO_SYNC);
}

/* ---- what is left out ---- */

static _Thread_local int is_ignoring;
static pthread_key_t at_end;

/* ThreadSanitizer ends a program of which a thread has ended like that. */
static void thread_ends(void *unused)
{
    (void)unused;
    proa_sanitizer_ignore(0);
}

static void make_key(void)
{
    pthread_key_create(&at_end, thread_ends);
}

void proa_sanitizer_ignore(int ignores)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (ignores == is_ignoring)
        return;
    is_ignoring = ignores;
    if (!ignores) {
        sanitizer_see_stores("", 0);
        sanitizer_see_loads("", 0);
        return;
    }
    pthread_once(&once, make_key);
    pthread_setspecific(at_end, &is_ignoring);
    sanitizer_ignore_loads("", 0);
    sanitizer_ignore_stores("", 0);
}

/* ---- accesses ---- */

/* The program may have given it back, or protected it, since the access. A kernel that cannot tell
 * has its atomics left out. */
static int is_there(const struct proa_sanitized *access)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t low = (uintptr_t)access->memory & ~(page - 1);

    return madvise((void *)low, (uintptr_t)access->memory + access->bytes - low,
                   access->is_store ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0;
}

static uint64_t touch(uintptr_t at, uint64_t left, int is_store)
{
    void *memory = (void *)at;

    if (at % 8 == 0 && left >= 8) {
        is_store ? sanitizer_add64(memory, 0, RELAXED) : sanitizer_load64(memory, RELAXED);
        return 8;
    }
    if (at % 4 == 0 && left >= 4) {
        is_store ? sanitizer_add32(memory, 0, RELAXED) : sanitizer_load32(memory, RELAXED);
        return 4;
    }
    if (at % 2 == 0 && left >= 2) {
        is_store ? sanitizer_add16(memory, 0, RELAXED) : sanitizer_load16(memory, RELAXED);
        return 2;
    }
    is_store ? sanitizer_add8(memory, 0, RELAXED) : sanitizer_load8(memory, RELAXED);
    return 1;
}

static void access_atomically(const struct proa_sanitized *access)
{
    if (!is_there(access))
        return;
    for (uint64_t done = 0; done < access->bytes;)
        done += touch((uintptr_t)access->memory + done, access->bytes - done, access->is_store);
}

void proa_sanitizer_access(const struct proa_sanitized *access)
{
    if (access->caller)
        sanitizer_func_entry(access->caller);
    if (access->is_atomic)
        access_atomically(access);
    else if (access->is_store)
        sanitizer_write_range(access->memory, access->bytes, access->caller);
    else
        sanitizer_read_range(access->memory, access->bytes, access->caller);
    if (access->caller)
        sanitizer_func_exit();
}
