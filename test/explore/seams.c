/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the code of src/ meets the explorer, other than by atomics: memory, mutexes, sleeps, plain
 * loads and stores, and the statics of threads.
 *
 * The code is compiled with -fsanitize=thread, but not linked with its runtime: the calls that the
 * compiler puts before each plain load and store come here. Calls of the C library are replaced
 * by those below, whose names CMakeLists.txt defines.
 */
#include "core.h"
#include "base/doorbell.h"
#include "base/host_progress.h"
#include "base/settings.h"
#include "base/system.h"
#include "base/wait.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

/* ---- shared memory ---- */

enum { PAGE = 4096, PIECES = 16 };

static char arena[EXPLORE_SHARED_BYTES] __attribute__((aligned(PAGE)));
static size_t arena_used;
static uint8_t dirty[EXPLORE_SHARED_BYTES / PAGE];

static struct {
    char *address;
    size_t size, at;
} statics[PIECES], privates[PIECES];
static int statics_count, privates_count;
static char statics_first[EXPLORE_STATIC_BYTES], privates_first[EXPLORE_PRIVATE_BYTES];
static size_t statics_bytes, privates_bytes;

long explore_shared_at(const volatile void *address)
{
    uintptr_t at = (uintptr_t)address - (uintptr_t)arena;

    if (at < sizeof arena)
        return (long)at;
    for (int i = 0; i < statics_count; i++) {
        at = (uintptr_t)address - (uintptr_t)statics[i].address;
        if (at < statics[i].size)
            return (long)(EXPLORE_SHARED_BYTES + statics[i].at + at);
    }
    return -1;
}

void explore_shared_dirty(long at, size_t size)
{
    for (size_t i = (size_t)at / PAGE; i <= ((size_t)at + size - 1) / PAGE; i++)
        if (i < sizeof dirty)
            dirty[i] = 1;
}

void explore_shared_reset(void)
{
    for (size_t i = 0; i < sizeof dirty; i++)
        if (dirty[i])
            memset(arena + i * PAGE, 0, PAGE);
    memset(dirty, 0, sizeof dirty);
    arena_used = 0;
    for (int i = 0; i < statics_count; i++)
        memcpy(statics[i].address, statics_first + statics[i].at, statics[i].size);
}

void *explore_new(size_t size, size_t align)
{
    size_t at = (arena_used + align - 1) / align * align;

    if (at + size > sizeof arena)
        explore_fail("too much shared memory");
    arena_used = at + size;
    return arena + at;
}

/* Memory is not used again in the same execution, so that an access to freed memory of another
 * thread is found: to free it is to store to all of it. */
void explore_delete(void *memory, size_t size)
{
    explore_plain(memory, size, 1);
}

void explore_share(void *variable, size_t size)
{
    if (statics_bytes + size > sizeof statics_first)
        explore_fail("too many shared statics");
    statics[statics_count].address = variable;
    statics[statics_count].size = size;
    statics[statics_count++].at = statics_bytes;
    memcpy(statics_first + statics_bytes, variable, size);
    statics_bytes += (size + 7) / 8 * 8;
}

/* ---- statics of each thread ---- */

static void private_add(void *variable, size_t size, const void *first)
{
    privates[privates_count].address = variable;
    privates[privates_count].size = size;
    privates[privates_count++].at = privates_bytes;
    memcpy(privates_first + privates_bytes, first, size);
    privates_bytes += size;
}

void explore_private(void *variable, size_t size)
{
    private_add(variable, size, variable);
}

void explore_private_save(char *to)
{
    for (int i = 0; i < privates_count; i++)
        memcpy(to + privates[i].at, privates[i].address, privates[i].size);
}

void explore_private_load(const char *from)
{
    for (int i = 0; i < privates_count; i++)
        memcpy(privates[i].address, from + privates[i].at, privates[i].size);
}

void explore_private_fresh(char *to)
{
    memcpy(to, privates_first, privates_bytes);
}

/* The thread-local variables of this program: its first object's. */
static int find_thread_locals(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS && object->dlpi_tls_data)
            explore_private(object->dlpi_tls_data, object->dlpi_phdr[i].p_memsz);
    return 1;
}

/* ---- the system ---- */

enum { SHORT_SLEEP_NS = 1000000 };

/* Time passes where no thread can run. Before that, host progress is not due (base/wait.c). */
static long now_ns(void)
{
    return explore_time() * 1000000000L - 1;
}

static void rest(long ns)
{
    (void)ns;
    explore_yield();
}

/* A sleep without a heavy fence behind its announcement may miss its ring, and is short for that
 * reason (base/wait.c): it times out. Any other that has to time out is an error. */
static void sleep_at(uint32_t *word, uint32_t expected, long timeout_ns)
{
    const struct proa_doorbell *bell =
        (const void *)((const char *)word - offsetof(struct proa_doorbell, rings));

    explore_sleep(word, expected,
                  timeout_ns <= SHORT_SLEEP_NS &&
                      !explore_is_fenced(&bell->sleeper, sizeof bell->sleeper));
}

static void wake(uint32_t *word)
{
    explore_wake(word);
}

static long nothing(void)
{
    return 0;
}

static const struct proa_system simulated = {.now_ns = now_ns,
                                             .yield = explore_yield,
                                             .rest = rest,
                                             .sleep = sleep_at,
                                             .wake = wake,
                                             .preempted = nothing,
                                             .ran_ns = nothing};

const struct proa_system *proa_system = &simulated;

int proa_host_progress_moves(int has_slept)
{
    (void)has_slept;
    return 0;
}

int proa_host_progress(void)
{
    return 0;
}

/* Waits do not spin: a look is as good as many. Batches are gathered. */
const struct proa_settings *proa_settings(void)
{
    static const struct proa_settings settings = {.spin_ns = 0, .gather_ns = 1, .trace_skew = ""};

    return &settings;
}

void explore_seams_begin(void)
{
    char first[EXPLORE_PRIVATE_BYTES];

    explore_shared_reset();
    explore_private_fresh(first);
    explore_private_load(first);
    statics_count = privates_count = 0;
    statics_bytes = privates_bytes = 0;
    dl_iterate_phdr(find_thread_locals, NULL);
    proa_wait_set_driver(NULL); /* of the last scenario */
}

/* ---- the C library ---- */

#define STANDS_FOR(type, name, ...)   \
    type explore_##name(__VA_ARGS__); \
    type explore_##name(__VA_ARGS__)

STANDS_FOR(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
    explore_lock(mutex);
    return 0;
}

STANDS_FOR(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
    return explore_try_lock(mutex) ? 0 : EBUSY;
}

STANDS_FOR(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
{
    explore_unlock(mutex);
    return 0;
}

STANDS_FOR(int, sched_yield, void)
{
    explore_yield();
    return 0;
}

STANDS_FOR(int, gettid, void)
{
    return 1 + explore_thread();
}

enum { HEAD = 64 }; /* before a block: its size */

STANDS_FOR(void *, malloc, size_t size)
{
    char *block = explore_new(HEAD + size, HEAD);

    *(size_t *)(void *)block = size;
    explore_plain(block, sizeof size, 1);
    return block + HEAD;
}

/* The zeros are stores of this thread. */
STANDS_FOR(void *, calloc, size_t count, size_t size)
{
    void *memory = explore_malloc(count * size);

    explore_plain(memory, count * size, 1);
    return memory;
}

STANDS_FOR(void, free, void *memory)
{
    if (memory)
        explore_delete(memory, *(size_t *)(void *)((char *)memory - HEAD));
}

STANDS_FOR(void *, memcpy, void *to, const void *from, size_t size)
{
    explore_plain(from, size, 0);
    explore_plain(to, size, 1);
    return memcpy(to, from, size);
}

STANDS_FOR(void *, memset, void *to, int byte, size_t size)
{
    explore_plain(to, size, 1);
    return memset(to, byte, size);
}

/* ---- plain loads and stores ---- */

#define READS_AND_WRITES(size)              \
    void __tsan_read##size(void *address);  \
    void __tsan_write##size(void *address); \
    void __tsan_read##size(void *address)   \
    {                                       \
        explore_plain(address, size, 0);    \
    }                                       \
    void __tsan_write##size(void *address)  \
    {                                       \
        explore_plain(address, size, 1);    \
    }

READS_AND_WRITES(1)
READS_AND_WRITES(2)
READS_AND_WRITES(4)
READS_AND_WRITES(8)
READS_AND_WRITES(16)

#define UNALIGNED(size)                               \
    void __tsan_unaligned_read##size(void *address);  \
    void __tsan_unaligned_write##size(void *address); \
    void __tsan_unaligned_read##size(void *address)   \
    {                                                 \
        explore_plain(address, size, 0);              \
    }                                                 \
    void __tsan_unaligned_write##size(void *address)  \
    {                                                 \
        explore_plain(address, size, 1);              \
    }

UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

#define RUNTIME(name, ...)  \
    void name(__VA_ARGS__); \
    void name(__VA_ARGS__)

RUNTIME(__tsan_read_range, void *address, size_t size)
{
    explore_plain(address, size, 0);
}

RUNTIME(__tsan_write_range, void *address, size_t size)
{
    explore_plain(address, size, 1);
}

RUNTIME(__tsan_init, void)
{
}

RUNTIME(__tsan_func_entry, void *caller)
{
    (void)caller;
}

RUNTIME(__tsan_func_exit, void)
{
}
