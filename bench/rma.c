/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times MPI's one-sided communication. Plain MPI: the same program runs on a host's own
 * implementation and, preloaded, on Proa.
 *
 * It measures one case and prints one line (loop.h). Rank 0 decides how many iterations a loop has
 * and tells the others by a broadcast; where only rank 0 is busy, the others wait in the broadcast
 * for the next loop, so that an implementation that needs the target's help gets it.
 */
#include "bench.h"
#include "options.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char *const kind_names[KINDS] = {"allocate", "create", "static", "heap",
                                              "dynamic",  "shared", "stack",  "idle"};

#define ALLOCATE (1u << KIND_ALLOCATE)
#define CREATE (1u << KIND_CREATE)
#define STATIC (1u << KIND_STATIC)
#define HEAP (1u << KIND_HEAP)
#define DYNAMIC (1u << KIND_DYNAMIC)
#define SHARED (1u << KIND_SHARED)
#define STACK (1u << KIND_STACK)
#define IDLE (1u << KIND_IDLE)

/* Rank 0 works on rank 1 in one lock_all epoch. */
#define FLUSHED .epoch = EPOCH_ALL, .check = CHECK_TARGET

/* All ranks work on the same words in one lock_all epoch. */
#define TOGETHER .epoch = EPOCH_EVERY, .check = CHECK_SUM

/* clang-format off */
#define GRANULARITY {"mpi_accumulate_granularity", "8"}
/* clang-format on */

/* Members left out are 0: EPOCH_NONE, CHECK_NOTHING. */
/* clang-format off */
#define CASE(title, where, processes, ...) \
    {.name = title, .kinds = where, .ranks = processes, __VA_ARGS__}
/* clang-format on */

static const struct bench_case cases[] = {
    /* 8 bytes */
    CASE("put", ALLOCATE | CREATE | STATIC | HEAP | DYNAMIC | SHARED | STACK, 2, .body = body_put,
         FLUSHED),
    CASE("get", ALLOCATE | CREATE | HEAP | DYNAMIC | SHARED, 2, .body = body_get, FLUSHED),
    CASE("fetch_and_op", ALLOCATE | CREATE | STATIC | HEAP | DYNAMIC | SHARED | STACK, 2,
         .body = body_fetch_and_op, FLUSHED),
    CASE("compare_and_swap", ALLOCATE | CREATE, 2, .body = body_compare_and_swap, FLUSHED),
    CASE("accumulate", ALLOCATE | CREATE | HEAP | DYNAMIC | SHARED, 2, .body = body_accumulate,
         FLUSHED),
    CASE("put_nothing", ALLOCATE, 2, .body = body_put_nothing, FLUSHED),
    CASE("put_nowhere", ALLOCATE, 2, .body = body_put_nowhere, FLUSHED),
    CASE("accumulate_nothing", ALLOCATE, 2, .body = body_accumulate_nothing, FLUSHED),
    CASE("lock", ALLOCATE | CREATE | STATIC | HEAP | DYNAMIC | SHARED, 2, .body = body_lock,
         .check = CHECK_TARGET),
    CASE("lock_two", ALLOCATE | CREATE, 2, .body = body_lock_two, .check = CHECK_TARGET),
    CASE("lock_shared", ALLOCATE | CREATE, 2, .body = body_lock_shared, .check = CHECK_TARGET),
    CASE("lock_all", ALLOCATE | CREATE, 2, .body = body_lock_all, .check = CHECK_TARGET),
    CASE("pscw", ALLOCATE | CREATE | SHARED, 2, .body = body_pscw, .check = CHECK_EVERY),
    CASE("notify", ALLOCATE | CREATE, 2, .body = body_notify, .check = CHECK_EVERY),
    CASE("notify_polled", ALLOCATE, 2, .body = body_notify_polled, .check = CHECK_EVERY),
    CASE("notify_nothing", ALLOCATE, 2, .body = body_notify_nothing, .check = CHECK_EVERY),
    CASE("flags", ALLOCATE, 2, .body = body_flags, .check = CHECK_EVERY),
    CASE("fence", ALLOCATE | CREATE | SHARED, 2, .body = body_fence, .epoch = EPOCH_FENCE,
         .check = CHECK_EVERY),
    /* more */
    CASE("put_64k", ALLOCATE | CREATE | DYNAMIC | SHARED, 2, .body = body_put_64k, FLUSHED),
    CASE("put_1m", ALLOCATE | CREATE, 2, .body = body_put_1m, FLUSHED, .bytes = LARGE),
    CASE("put_4m", ALLOCATE | CREATE, 2, .body = body_put_4m, FLUSHED, .bytes = LARGE),
    CASE("put_64k_many", ALLOCATE, 2, .body = body_put_64k_many, FLUSHED),
    CASE("put_1m_many", ALLOCATE, 2, .body = body_put_1m_many, FLUSHED, .bytes = LARGE),
    CASE("put_4m_many", ALLOCATE, 2, .body = body_put_4m_many, FLUSHED, .bytes = LARGE),
    CASE("get_1m_many", ALLOCATE, 2, .body = body_get_1m_many, FLUSHED, .bytes = LARGE),
    CASE("get_4m_many", ALLOCATE, 2, .body = body_get_4m_many, FLUSHED, .bytes = LARGE),
    CASE("get_4m", ALLOCATE | CREATE, 2, .body = body_get_4m, FLUSHED, .bytes = LARGE),
    CASE("get_64k", ALLOCATE, 2, .body = body_get_64k, FLUSHED),
    CASE("get_64k_fence", ALLOCATE, 2, .body = body_get_64k_fence, .epoch = EPOCH_FENCE,
         .check = CHECK_EVERY),
    CASE("get_64k_pscw", ALLOCATE, 2, .body = body_get_64k_pscw, .check = CHECK_EVERY),
    CASE("put_rate", ALLOCATE | CREATE, 2, .body = body_put_rate, FLUSHED),
    CASE("notify_rate", ALLOCATE, 2, .body = body_notify_rate, .check = CHECK_EVERY),
    CASE("get_rate", ALLOCATE, 2, .body = body_get_rate, FLUSHED),
    CASE("accumulate_rate", ALLOCATE, 2, .body = body_accumulate_rate, FLUSHED),
    CASE("accumulate_64k", ALLOCATE | CREATE, 2, .body = body_accumulate_64k,
         .check = CHECK_TARGET),
    CASE("accumulate_64k_shared", ALLOCATE | CREATE, 2, .body = body_accumulate_64k_shared,
         .check = CHECK_TARGET),
    CASE("put_vector", ALLOCATE, 2, .body = body_put_vector, FLUSHED),
    CASE("put_vector_both", ALLOCATE, 2, .body = body_put_vector_both, FLUSHED),
    CASE("put_indexed", ALLOCATE | STACK, 2, .body = body_put_indexed, FLUSHED),
    CASE("accumulate_vector", ALLOCATE | CREATE | STACK, 2, .body = body_accumulate_vector,
         FLUSHED),
    CASE("accumulate_indexed", ALLOCATE | CREATE | STACK, 2, .body = body_accumulate_indexed,
         FLUSHED),
    /* 1 byte to 4 MiB */
    CASE("put", ALLOCATE, 2, .body = body_put_size, FLUSHED, .sizes = SIZES_MANY),
    CASE("get", ALLOCATE, 2, .body = body_get_size, FLUSHED, .sizes = SIZES_MANY),
    CASE("accumulate", ALLOCATE, 2, .body = body_accumulate_size, FLUSHED, .sizes = SIZES_MANY),
    /* 4 bytes to 4 MiB */
    CASE("put", CREATE | DYNAMIC | SHARED, 2, .body = body_put_size, FLUSHED, .sizes = SIZES_FEW),
    CASE("get", CREATE | DYNAMIC | SHARED, 2, .body = body_get_size, FLUSHED, .sizes = SIZES_FEW),
    CASE("accumulate", CREATE | DYNAMIC | SHARED, 2, .body = body_accumulate_size, FLUSHED,
         .sizes = SIZES_FEW),
    CASE("get_accumulate", ALLOCATE, 2, .body = body_get_accumulate_size, FLUSHED,
         .sizes = SIZES_FEW),
    CASE("fetch", ALLOCATE, 2, .body = body_fetch_size, FLUSHED, .sizes = SIZES_FEW),
    CASE("replace", ALLOCATE, 2, .body = body_replace_size, FLUSHED, .sizes = SIZES_FEW),
    CASE("put_lock", ALLOCATE, 2, .body = body_put_lock_size, .check = CHECK_TARGET,
         .sizes = SIZES_FEW),
    CASE("put_lock", CREATE | DYNAMIC | SHARED, 2, .body = body_put_lock_size,
         .check = CHECK_TARGET, .sizes = SIZES_TWO),
    CASE("put_fence", ALLOCATE, 2, .body = body_put_fence_size, .epoch = EPOCH_FENCE,
         .check = CHECK_EVERY, .sizes = SIZES_FEW),
    CASE("put_fence", CREATE | DYNAMIC | SHARED, 2, .body = body_put_fence_size,
         .epoch = EPOCH_FENCE, .check = CHECK_EVERY, .sizes = SIZES_TWO),
    CASE("put_pscw", ALLOCATE, 2, .body = body_put_pscw_size, .check = CHECK_EVERY,
         .sizes = SIZES_FEW),
    CASE("put_pscw", CREATE | DYNAMIC | SHARED, 2, .body = body_put_pscw_size, .check = CHECK_EVERY,
         .sizes = SIZES_TWO),
    CASE("notify", ALLOCATE, 2, .body = body_notify_size, .check = CHECK_EVERY, .sizes = SIZES_FEW),
    CASE("put_both", ALLOCATE, 2, .body = body_put_size, .epoch = EPOCH_EVERY, .check = CHECK_ALL,
         .sizes = SIZES_FEW),
    CASE("get_both", ALLOCATE, 2, .body = body_get_size, .epoch = EPOCH_EVERY, .check = CHECK_ALL,
         .sizes = SIZES_FEW),
    /* many at once */
    CASE("random", ALLOCATE, 2, .body = body_random, TOGETHER, .bytes = MIDDLE),
    CASE("random_4", ALLOCATE, 4, .body = body_random, TOGETHER, .bytes = MIDDLE),
    CASE("random_8", ALLOCATE, 8, .body = body_random, TOGETHER, .bytes = MIDDLE),
    CASE("counter_2", ALLOCATE, 2, .body = body_counter, TOGETHER),
    CASE("counter_4", ALLOCATE, 4, .body = body_counter, TOGETHER),
    CASE("counter_8", ALLOCATE, 8, .body = body_counter, TOGETHER),
    CASE("notify_counter_2", ALLOCATE, 2, .body = body_notify_counter, .check = CHECK_SUM),
    CASE("notify_counter_8", ALLOCATE, 8, .body = body_notify_counter, .check = CHECK_SUM),
    CASE("mutex_2", ALLOCATE, 2, .body = body_mutex, .check = CHECK_SUM),
    CASE("mutex_4", ALLOCATE, 4, .body = body_mutex, .check = CHECK_SUM),
    CASE("mutex_8", ALLOCATE, 8, .body = body_mutex, .check = CHECK_SUM),
    /* more ranks than processors */
    CASE("ring_fence", ALLOCATE, RING, .body = body_fence, .epoch = EPOCH_FENCE,
         .check = CHECK_EVERY),
    CASE("ring_pscw", ALLOCATE, RING, .body = body_pscw, .check = CHECK_EVERY),
    CASE("pipeline_4", ALLOCATE, 4, .body = body_pipeline, TOGETHER),
    CASE("pipeline_8", ALLOCATE, RING, .body = body_pipeline, TOGETHER),
    CASE("pipeline_notify_4", ALLOCATE, 4, .body = body_pipeline_notify, .check = CHECK_ALL),
    CASE("pipeline_notify_8", ALLOCATE, RING, .body = body_pipeline_notify, .check = CHECK_ALL),
    CASE("pipeline_pscw_4", ALLOCATE, 4, .body = body_pipeline_pscw, .check = CHECK_ALL),
    CASE("pipeline_pscw_8", ALLOCATE, RING, .body = body_pipeline_pscw, .check = CHECK_ALL),
    CASE("pipeline_send_4", ALLOCATE, 4, .body = body_pipeline_send, .check = CHECK_ALL),
    CASE("pipeline_send_8", ALLOCATE, RING, .body = body_pipeline_send, .check = CHECK_ALL),
    CASE("halo_fence", ALLOCATE, RING, .body = body_halo_fence, .check = CHECK_EVERY, .words = 2),
    CASE("halo_pscw", ALLOCATE, RING, .body = body_halo_pscw, .check = CHECK_EVERY, .words = 2),
    CASE("halo_notify", ALLOCATE, RING, .body = body_halo_notify, .check = CHECK_EVERY, .words = 2),
    /* creation */
    CASE("window", ALLOCATE | CREATE | SHARED, 2, .body = body_window),
    CASE("first_window", ALLOCATE, 2, .measure = measure_first_window),
    CASE("window_1m", ALLOCATE, 2, .body = body_window_1m),
    CASE("window_16m", ALLOCATE, 2, .body = body_window_16m),
    CASE("window_256m", ALLOCATE, 2, .body = body_window_256m),
    CASE("window_1g", CREATE, 2, .body = body_window_1g),
    CASE("window_1g_peak", CREATE, 2, .measure = measure_peak),
    CASE("loads_during", CREATE, 2, .measure = measure_loads_during),
    CASE("loads_after", CREATE, 2, .measure = measure_loads_after),
    CASE("fork_during", CREATE, 2, .measure = measure_fork),
    CASE("memory_1m", ALLOCATE, 2, .body = body_memory_1m),
    CASE("memory_16m", ALLOCATE, 2, .body = body_memory_16m),
    CASE("memory_256m", ALLOCATE, 2, .body = body_memory_256m),
    /* a target that computes */
    CASE("busy_lock", ALLOCATE | CREATE, 2, .body = body_lock, .check = CHECK_TARGET,
         .measure = measure_busy),
    CASE("busy_fetch_and_op", CREATE, 2, .body = body_fetch_and_op, FLUSHED,
         .measure = measure_busy),
    /* an origin that computes */
    CASE("put_heard", ALLOCATE, 2, .body = body_put_heard, .epoch = EPOCH_EVERY,
         .check = CHECK_EVERY),
    /* waits of a second */
    CASE("waited_cpu", ALLOCATE, 2, .epoch = EPOCH_FENCE, .measure = measure_waited_cpu),
    CASE("waited_cpu_8", ALLOCATE, RING, .epoch = EPOCH_FENCE, .measure = measure_waited_cpu),
    CASE("waited_reaction", ALLOCATE, 2, .epoch = EPOCH_FENCE, .measure = measure_waited_reaction),
    /* what the program promises */
    CASE("lock_nocheck", ALLOCATE, 2, .body = body_lock_nocheck, .check = CHECK_TARGET),
    CASE("fence_pair", ALLOCATE, 2, .body = body_fence_pair, .check = CHECK_EVERY),
    CASE("fence_pair_asserted", ALLOCATE, 2, .body = body_fence_pair_asserted,
         .check = CHECK_EVERY),
    CASE("fence_pair_nostore", ALLOCATE, 2, .body = body_fence_pair_nostore, .check = CHECK_EVERY),
    CASE("ring_fence_pair", ALLOCATE, RING, .body = body_fence_pair, .check = CHECK_EVERY),
    CASE("ring_fence_pair_asserted", ALLOCATE, RING, .body = body_fence_pair_asserted,
         .check = CHECK_EVERY),
    CASE("fence_nothing", ALLOCATE, 2, .body = body_fence_nothing),
    CASE("fence_no_locks", ALLOCATE, 2, .body = body_fence, .epoch = EPOCH_FENCE,
         .check = CHECK_EVERY, .info = {"no_locks", "true"}),
    CASE("pscw_ahead", ALLOCATE, 2, .body = body_pscw_ahead, .check = CHECK_EVERY),
    CASE("pscw_ahead_nocheck", ALLOCATE, 2, .body = body_pscw_ahead_nocheck, .check = CHECK_EVERY),
    CASE("accumulate_16", ALLOCATE, 2, .body = body_accumulate_16, FLUSHED),
    CASE("accumulate_16_granular", ALLOCATE, 2, .body = body_accumulate_16, FLUSHED,
         .info = GRANULARITY),
    CASE("accumulate_1024", ALLOCATE, 2, .body = body_accumulate_1024, FLUSHED),
    CASE("accumulate_1024_granular", ALLOCATE, 2, .body = body_accumulate_1024, FLUSHED,
         .info = GRANULARITY),
    CASE("accumulate_same_op", ALLOCATE, 2, .body = body_accumulate, FLUSHED,
         .info = {"accumulate_ops", "same_op"}),
    CASE("put_same_size", ALLOCATE, 2, .body = body_put, FLUSHED, .info = {"same_size", "true"}),
    CASE("put_same_disp_unit", ALLOCATE, 2, .body = body_put, FLUSHED,
         .info = {"same_disp_unit", "true"}),
    /* no one-sided communication */
    CASE("pingpong", IDLE, 2, .body = body_pingpong),
    CASE("halo_send", IDLE, RING, .body = body_halo_send),
    CASE("init", IDLE, 2, .whole = idle_init),
    CASE("init_cpu", IDLE, 2, .whole = idle_init),
};

enum { CASES = sizeof cases / sizeof *cases };

static size_t size_first(const struct bench_case *job)
{
    static const size_t first[] = {[SIZES_MANY] = 1, [SIZES_FEW] = SIZE_STEP, [SIZES_TWO] = 4096};

    return first[job->sizes];
}

static size_t size_step(const struct bench_case *job)
{
    static const size_t step[] = {
        [SIZES_MANY] = SIZE_STEP, [SIZES_FEW] = (size_t)SIZE_STEP * SIZE_STEP, [SIZES_TWO] = 64};

    return step[job->sizes];
}

static void list_case(enum kind kind, const struct bench_case *job)
{
    if (!job->sizes)
        printf("%s.%s %d\n", kind_names[kind], job->name, job->ranks);
    for (size_t bytes = size_first(job); job->sizes && bytes <= LARGE; bytes *= size_step(job))
        printf("%s.%s.%zu %d\n", kind_names[kind], job->name, bytes, job->ranks);
}

static void list(void)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < CASES; i++)
            if (cases[i].kinds & (1u << kind))
                list_case((enum kind)kind, &cases[i]);
}

/* The bytes in the name of a case for several sizes, behind that of the case; 0: it is none. */
static size_t size_of(const char *name, const struct bench_case *job)
{
    size_t length = strlen(job->name);

    if (strncmp(name, job->name, length) != 0 || name[length] != '.')
        return 0;
    for (size_t bytes = size_first(job); bytes <= LARGE; bytes *= size_step(job)) {
        char text[32];

        snprintf(text, sizeof text, "%zu", bytes);
        if (strcmp(name + length + 1, text) == 0)
            return bytes;
    }
    return 0;
}

/* Is it what stands behind the kind? Sets b->moved for one of several sizes. */
static bool is_called(struct bench *b, const struct bench_case *job, const char *name)
{
    if (!job->sizes)
        return strcmp(name, job->name) == 0;
    b->moved = size_of(name, job);
    return b->moved > 0;
}

/* Sets b->job and b->kind. `name` is KIND.CASE. */
static bool find(struct bench *b, const char *name)
{
    for (int kind = 0; kind < KINDS; kind++) {
        size_t length = strlen(kind_names[kind]);

        if (strncmp(name, kind_names[kind], length) != 0 || name[length] != '.')
            continue;
        for (int i = 0; i < CASES; i++)
            if (cases[i].kinds & (1u << kind) && is_called(b, &cases[i], name + length + 1)) {
                b->job = &cases[i];
                b->kind = (enum kind)kind;
                return true;
            }
    }
    return false;
}

/* ---- loops ---- */

static bool takes_part(const struct bench *b)
{
    return b->rank == 0 || b->job->check != CHECK_TARGET;
}

/* Iterations that are not timed and bring all ranks together: each of them only waits for its
 * neighbours. MPI_Barrier would not do, because with more ranks than processors some may need a
 * while to come back from it. */
static long meeting_length(const struct bench *b)
{
    return b->ranks > 2 ? b->ranks / 2 : 1;
}

/* All begin together, which some bodies do not see to. */
static void meet(struct bench *b)
{
    if (bench_is_of_all(b->job))
        bench_meet(b);
    else if (b->job->check != CHECK_TARGET)
        b->job->body(b, meeting_length(b));
}

/* From the first that began until the last that was done, whom the others leave the processors. */
static double span(struct bench *b, double start_ns, double end_ns)
{
    double mine[2] = {-start_ns, end_ns}, most[2];

    bench_meet(b);
    MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most[1] + most[0];
}

/* What all ranks do for one loop: rank 0 comes with the number of iterations, the others learn it.
 * Gives it back. */
static long loop_once(struct bench *b, long n, double *took_ns)
{
    double start_ns, end_ns;

    bench_learn(&n, !takes_part(b));
    if (n == 0 || !takes_part(b))
        return n;
    meet(b);
    start_ns = loop_now_ns();
    b->job->body(b, n);
    end_ns = loop_now_ns();
    *took_ns = bench_is_of_all(b->job) ? span(b, start_ns, end_ns) : end_ns - start_ns;
    return n;
}

static double run_loop(void *arg, long n)
{
    double took_ns = 0;

    loop_once(arg, n, &took_ns);
    return took_ns;
}

static struct loop_figure measure_loops(struct bench *b)
{
    struct loop_plan plan = b->ranks > 2 ? loop_plan_crowded(b->plan) : *b->plan;
    struct loop_figure figure = {0, 0};
    double ignored;

    if (b->rank == 0) {
        figure = loop_measure(&plan, run_loop, b);
        loop_once(b, 0, &ignored);
    } else {
        while (loop_once(b, 0, &ignored) != 0)
            ;
    }
    return figure;
}

/* ---- the end ---- */

/* Copies words of this rank's window. */
static void read_own(const struct bench *b, uint64_t *words, size_t count)
{
    bool locks = !b->job->info[0] || strcmp(b->job->info[0], "no_locks") != 0;

    if (locks) /* else after a fence nothing more is needed */
        MPI_Win_lock(MPI_LOCK_SHARED, b->rank, 0, b->win);
    memcpy(words, b->base, count * sizeof *words);
    if (locks)
        MPI_Win_unlock(b->rank, b->win);
}

/* Every rank tells the same. */
static bool is_sum_right(const struct bench *b)
{
    size_t count = (b->job->bytes ? b->job->bytes : SMALL) / WORD;
    uint64_t mine[2] = {0, b->expected}, all[2], *words = bench_memory(count * WORD);

    read_own(b, words, count);
    for (size_t i = 0; i < count; i++)
        mine[0] += words[i];
    munmap(words, count * WORD);
    MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] == all[1])
        return true;
    fprintf(stderr, "rma: wrong result: the windows hold %llu, not %llu\n",
            (unsigned long long)all[0], (unsigned long long)all[1]);
    return false;
}

static bool is_right(struct bench *b)
{
    uint64_t words[2];
    int count = b->job->words ? b->job->words : 1;

    if (b->job->check == CHECK_NOTHING)
        return true;
    if (b->job->check == CHECK_SUM)
        return is_sum_right(b);
    if (b->job->check == CHECK_TARGET) {
        MPI_Bcast(&b->expected, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        if (b->rank != 1)
            return true;
    }
    read_own(b, words, (size_t)count);
    for (int i = 0; i < count; i++)
        if (words[i] != b->expected) {
            fprintf(stderr, "rma: wrong result: word %d of rank %d is %#llx, not %#llx\n", i,
                    b->rank, (unsigned long long)words[i], (unsigned long long)b->expected);
            return false;
        }
    return true;
}

/* With PROA_EXPECT=1 the figure counts only if Proa has done the work: without this one could
 * measure the host twice. Looked up by name, as this program knows nothing of Proa. */
static bool is_by_whom_expected(const struct bench *b)
{
    const char *expect = getenv("PROA_EXPECT");
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    unsigned long (*served)(void) = NULL;

    if (!expect || strcmp(expect, "1") != 0)
        return true;
    memcpy(&served, &symbol, sizeof served);
    if (served && (served() > 0 || b->kind == KIND_IDLE))
        return true;
    fprintf(stderr, "rma: %s\n",
            served ? "Proa has left the window to the host" : "Proa is expected, but not loaded");
    return false;
}

static bool all_say(bool yes)
{
    int mine = yes, all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

static int run_case(struct bench *b, const char *name)
{
    struct loop_figure figure;
    bool good;

    bench_open(b);
    figure = b->job->measure ? b->job->measure(b) : measure_loops(b);
    bench_epoch_close(b);
    MPI_Barrier(MPI_COMM_WORLD);
    good = all_say(is_right(b));
    good = all_say(is_by_whom_expected(b)) && good;
    if (good && b->rank == 0)
        loop_print(name, figure);
    bench_close(b);
    return good ? 0 : 1;
}

static int with_mpi(struct bench *b, const char *name)
{
    int status = 2;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
    if (b->ranks == b->job->ranks)
        status = run_case(b, name);
    else if (b->rank == 0)
        fprintf(stderr, "rma: %s is for %d ranks, not %d\n", name, b->job->ranks, b->ranks);
    MPI_Finalize();
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    char stack[SMALL] __attribute__((aligned(64)));
    struct bench b = {.expected = FIRST_WORD, .stack = stack};

    if (argc == 2 && strcmp(argv[1], "--init") == 0)
        return idle_init_child();
    options = options_parse(
        argc, argv,
        "Times one case of MPI's one-sided communication. Run it under the launcher of its MPI.");
    if (options.list) {
        list();
        return 0;
    }
    if (!find(&b, options.name)) {
        fprintf(stderr, "rma: no case %s; --list shows them\n", options.name);
        return 2;
    }
    b.plan = &options.plan;
    return b.job->whole ? b.job->whole(options.name) : with_mpi(&b, options.name);
}
