/* SPDX-License-Identifier: BSD-3-Clause */
/* See world.h. */
#include "world_ranks.h"
#include "base/fail.h"
#include "create/start.h"
#include "progress/progress.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include "between.h"

/* Read by AddressSanitizer's leak detection: libfabric keeps what describes each connection of its
 * providers for TCP. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
    return "leak:libfabric.so";
}

enum {
    LIMIT_S = 60,
    PATIENCE = 3,        /* for slow processors */
    SANITIZED_TIMES = 4, /* slower, or so the limit is set */
    EMULATED_TIMES = 10,
    CARD_BYTES = 4096 /* what one rank may show in an exchange */
};

/* What a rank leaves for the parent. */
struct report {
    /* where it was last: a name, by its distance from `anchor`, which is the same in the parent and
     * in each copy of the program; 0: nowhere yet */
    uintptr_t file;
    int line;
    int reported; /* text says what was wrong */
    char text[480];
};

/* One mapping, shared by parent and processes. */
struct area {
    pthread_barrier_t barrier;
    uint64_t met __attribute__((aligned(64)));
    struct report reports[WORLD_MOST];
    int largest[WORLD_MOST];
    char cards[WORLD_MOST][CARD_BYTES];
    char shared[WORLD_SHARED_BYTES] __attribute__((aligned(4096)));
};

static const char anchor[] = "";
static struct area *area;
static struct report *own_report; /* of this rank */
static int broken_exchange;

/* ---- in a process: the exchange ---- */

void world_barrier(struct world *world)
{
    (void)world;
    pthread_barrier_wait(&area->barrier);
}

void world_meet(struct world *world)
{
    uint64_t size = (uint64_t)world->size,
             mine = __atomic_fetch_add(&area->met, 1, __ATOMIC_SEQ_CST),
             all = (mine / size + 1) * size;

    for (long i = 1; __atomic_load_n(&area->met, __ATOMIC_SEQ_CST) < all; i++)
        if (i % 2000 == 0)
            sched_yield();
}

void world_break_exchange(int code)
{
    broken_exchange = code;
}

/* How many members of a group process `process` plays. */
struct stretch {
    struct world *world;
    int size;
};

static int fake_allgather(void *context, const void *mine, void *all, size_t bytes)
{
    const struct stretch *stretch = context;
    struct world *world = stretch->world;

    if (broken_exchange)
        return broken_exchange;
    if (bytes > CARD_BYTES)
        world_failed(__FILE__, __LINE__, "the fake exchange takes %d bytes, not %zu", CARD_BYTES,
                     bytes);
    memcpy(area->cards[world->rank], mine, bytes);
    world_barrier(world);
    for (int i = 0; i < stretch->size; i++)
        memcpy((char *)all + (size_t)i * bytes, area->cards[i < world->size ? i : world->size - 1],
               bytes);
    world_barrier(world);
    return 0;
}

static int fake_intersect(void *context, void *bits, size_t bytes)
{
    struct world *world = ((const struct stretch *)context)->world;
    unsigned char *mine = bits;

    if (broken_exchange)
        return broken_exchange;
    if (bytes > CARD_BYTES)
        world_failed(__FILE__, __LINE__, "the fake exchange takes %d bytes, not %zu", CARD_BYTES,
                     bytes);
    memcpy(area->cards[world->rank], bits, bytes);
    world_barrier(world);
    for (int i = 0; i < world->size; i++)
        for (size_t k = 0; k < bytes; k++)
            mine[k] &= (unsigned char)area->cards[i][k];
    world_barrier(world);
    return 0;
}

static int fake_max(void *context, int *value)
{
    struct world *world = ((const struct stretch *)context)->world;

    if (broken_exchange)
        return broken_exchange;
    area->largest[world->rank] = *value;
    world_barrier(world);
    for (int i = 0; i < world->size; i++)
        if (area->largest[i] > *value)
            *value = area->largest[i];
    world_barrier(world);
    return 0;
}

static int fake_tell(void *context, int rank, char *text, size_t bytes)
{
    struct world *world = ((const struct stretch *)context)->world;

    if (broken_exchange)
        return broken_exchange;
    if (bytes > CARD_BYTES)
        world_failed(__FILE__, __LINE__, "the fake exchange takes %d bytes, not %zu", CARD_BYTES,
                     bytes);
    memcpy(area->cards[world->rank], text, bytes);
    world_barrier(world);
    memcpy(text, area->cards[rank < world->size ? rank : world->size - 1], bytes);
    world_barrier(world);
    return 0;
}

struct proa_group world_stretch(struct world *world, int size)
{
    static struct stretch stretches[4];
    static int used;
    struct stretch *stretch = &stretches[used++ % 4];

    *stretch = (struct stretch){world, size};
    return (struct proa_group){.size = size,
                               .rank = world->rank,
                               .context = stretch,
                               .allgather = fake_allgather,
                               .intersect = fake_intersect,
                               .max = fake_max,
                               .tell = fake_tell};
}

/* ---- in a process: checks ---- */

void world_at(const char *file, int line)
{
    __atomic_store_n(&own_report->file, (uintptr_t)file - (uintptr_t)anchor, __ATOMIC_RELAXED);
    __atomic_store_n(&own_report->line, line, __ATOMIC_RELAXED);
}

void world_failed(const char *file, int line, const char *fmt, ...)
{
    va_list args;

    world_at(file, line);
    va_start(args, fmt);
    vsnprintf(own_report->text, sizeof own_report->text, fmt, args);
    va_end(args);
    own_report->reported = 1;
    fflush(NULL);
    _exit(WORLD_EXIT_FAILED);
}

void world_check_equal(const char *file, int line, const char *got_text, long long got,
                       const char *expected_text, long long expected)
{
    world_at(file, line);
    if (got != expected)
        world_failed(file, line, "%s is %lld, not %s (%lld)", got_text, got, expected_text,
                     expected);
}

void world_check_code(const char *file, int line, const char *call, int got, int expected)
{
    world_at(file, line);
    if (got != expected)
        world_failed(file, line, "%s returned %d, not %d: %s", call, got, expected, proa_failure());
    if (expected != 0 && proa_failure()[0] == '\0')
        world_failed(file, line, "%s returned %d as it should, but proa_failure() says nothing",
                     call, got);
}

/* Out of time, or crashed: says where. */
static void stopped(int number)
{
    void *frames[64];
    int count = backtrace(frames, 64);

    backtrace_symbols_fd(frames, count, STDERR_FILENO);
    if (number == SIGALRM)
        _exit(WORLD_EXIT_TIMED_OUT);
    signal(number, SIG_DFL);
    raise(number);
}

/* cmocka's own handlers would take the process back into the list of tests. */
static void handle_signals(void)
{
    static const int signals[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGABRT};
    void *frame;

    backtrace(&frame, 1); /* loads what it needs now rather than in the handler */
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], stopped);
}

/* ---- in a process: its life ---- */

void world_limit(int seconds)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    const struct itimerspec limit = {.it_value = {seconds, 0}};
    timer_t timer;

    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0 ||
        timer_settime(timer, 0, &limit, NULL) != 0)
        world_failed(__FILE__, __LINE__, "no timer: %s", strerror(errno));
}

void world_live(struct area *of_world, int rank, const struct world_plan *plan)
{
    struct world world = {
        .rank = rank, .size = plan->size, .shared = of_world->shared, .arg = plan->arg};
    int code;

    area = of_world;
    own_report = &area->reports[rank];
    broken_exchange = 0;
    world.group = world_stretch(&world, plan->size);
    handle_signals();
    if (plan->before)
        plan->before(&world);
    code = proa_core_start();
    if (code)
        world_failed(__FILE__, __LINE__, "proa_core_start returned %d: %s", code, proa_failure());
    world_barrier(&world); /* no rank is met half started */
    plan->body(&world);
    world_barrier(&world); /* no memory goes while a neighbour may still use it */
    proa_progress_stop();
    proa_core_stop();
}

/* ---- in the parent ---- */

struct area *world_area_open(int size)
{
    pthread_barrierattr_t attributes;
    struct area *opened;

    assert_between(size, 1, WORLD_MOST);
    opened = mmap(NULL, sizeof *opened, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (opened == MAP_FAILED)
        fail_msg("no memory for a world");
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&opened->barrier, &attributes, (unsigned)size);
    pthread_barrierattr_destroy(&attributes);
    return opened;
}

void world_area_close(struct area *opened)
{
    munmap(opened, sizeof *opened);
}

int world_is_emulated(void)
{
    static int answer = -1; /* of the first time */
    char from = 0, to;
    struct iovec local = {.iov_base = &to, .iov_len = 1},
                 remote = {.iov_base = &from, .iov_len = 1};

    if (__atomic_load_n(&answer, __ATOMIC_RELAXED) < 0)
        __atomic_store_n(
            &answer, process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 && errno == ENOSYS,
            __ATOMIC_RELAXED);
    return __atomic_load_n(&answer, __ATOMIC_RELAXED);
}

void world_needs_kernel(void)
{
    if (world_is_emulated())
        skip();
}

int world_limit_s(const struct world_plan *plan)
{
    return (plan->limit_s ? plan->limit_s : LIMIT_S) * PATIENCE *
           (WORLD_SANITIZED ? SANITIZED_TIMES : 1) * (world_is_emulated() ? EMULATED_TIMES : 1);
}

int world_has_reported(const struct area *of_world, int rank)
{
    return of_world->reports[rank].reported;
}

void world_tell(const struct area *of_world, int rank, int status, int limit_s, int late)
{
    const struct report *report = &of_world->reports[rank];
    uintptr_t distance = __atomic_load_n(&report->file, __ATOMIC_SEQ_CST);
    const char *path = distance ? (const char *)((uintptr_t)anchor + distance) : NULL;
    const char *file = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : "(no check yet)";
    int line = __atomic_load_n(&report->line, __ATOMIC_SEQ_CST);

    if (report->reported)
        print_error("rank %d: %s:%d: %s\n", rank, file, line, report->text);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == WORLD_EXIT_TIMED_OUT)
        print_error("rank %d: still running after %d s of processor time, or of standing still, "
                    "last seen at %s:%d\n",
                    rank, limit_s, file, line);
    else if (WIFEXITED(status))
        print_error("rank %d: exit status %d, last seen at %s:%d\n", rank, WEXITSTATUS(status),
                    file, line);
    else if (!late)
        print_error("rank %d: %s, last seen at %s:%d\n", rank, strsignal(WTERMSIG(status)), file,
                    line);
    else
        print_error("rank %d: ended because of the others, last seen at %s:%d\n", rank, file, line);
}

/* ---- small things ---- */

long world_rounds(long rounds)
{
    return (WORLD_SANITIZED || world_is_emulated()) && rounds > 10 ? rounds / 10 : rounds;
}

uint64_t world_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t world_below(uint64_t *seed, uint64_t limit)
{
    return world_random(seed) % limit;
}

uint64_t world_pages(uint64_t count)
{
    return count * (uint64_t)getpagesize();
}

void world_sleep_us(long us)
{
    struct timespec time = {us / 1000000, us % 1000000 * 1000};

    nanosleep(&time, NULL);
}

void world_await(const uint32_t *word, uint32_t least)
{
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) < least)
        world_sleep_us(100);
}

struct started_thread {
    pthread_t id;
    world_thread *thread;
    void *arg;
    int number;
};

static void *thread_main(void *arg)
{
    struct started_thread *started = arg;

    started->thread(started->arg, started->number);
    return NULL;
}

void world_threads(int count, world_thread *thread, void *arg)
{
    struct started_thread *started = calloc((size_t)count, sizeof *started);

    CHECK(started);
    for (int i = 0; i < count; i++) {
        started[i] = (struct started_thread){.thread = thread, .arg = arg, .number = i};
        CHECK_EQUAL(pthread_create(&started[i].id, NULL, thread_main, &started[i]), 0);
    }
    for (int i = 0; i < count; i++)
        pthread_join(started[i].id, NULL);
    free(started);
}

int world_flags(const void *address, const char *flag)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    unsigned long first, end, at = (unsigned long)(uintptr_t)address;
    int is_there = 0, found = 0;
    char line[512];

    CHECK(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            is_there = at >= first && at < end;
        else if (is_there && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, flag) != NULL;
    fclose(file);
    return found;
}
