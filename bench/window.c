/* SPDX-License-Identifier: BSD-3-Clause */
/* The window that a case works on, of any kind, and all that its body needs besides. */
#include "bench.h"
#include "irregular.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ASIDE: from the start of a page, so that the static window begins and ends within one. A multiple
 * of 64, because MPICH 4.0.2 alone puts to the address rounded down to one. */
enum { PAGE = 4096, ASIDE = 128 };

/* The origin's buffer starts in the middle of a page. Where it and the target's memory have the
 * same place in their pages, some processors take ten times as long for some ways to copy: that
 * would say nothing about an MPI. */
enum { LOCAL_ASIDE = PAGE / 2 };

/* A block of the heap that shares its pages with others, and begins at a multiple of 64, as above.
 */
enum { BLOCK = 1024 };

static char *heap_block(void)
{
    char *before = malloc(100), *block = aligned_alloc(64, BLOCK), *after = malloc(100);

    if (!before || !block || !after) {
        fprintf(stderr, "rma: no memory for a block\n");
        exit(1);
    }
    free(after);
    free(before);
    return memset(block, 0, BLOCK);
}

static char static_memory[PAGE + SMALL + PAGE] __attribute__((aligned(PAGE)));

void *bench_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        fprintf(stderr, "rma: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memset(memory, 0, bytes);
}

static size_t bytes_of(const struct bench *b)
{
    if (b->kind == KIND_HEAP)
        return BLOCK;
    if (b->job->sizes && b->moved > SMALL)
        return b->moved;
    return b->job->bytes ? b->job->bytes : SMALL;
}

static MPI_Info hints(const struct bench *b)
{
    MPI_Info info = MPI_INFO_NULL;

    if (b->job->info[0]) {
        MPI_Info_create(&info);
        MPI_Info_set(info, b->job->info[0], b->job->info[1]);
    }
    return info;
}

/* Gives back the window's memory on this rank. */
static char *window_open(const struct bench *b, MPI_Info info, MPI_Win *win)
{
    size_t bytes = bytes_of(b);
    char *base = NULL;

    switch (b->kind) {
    case KIND_ALLOCATE:
        MPI_Win_allocate((MPI_Aint)bytes, 1, info, MPI_COMM_WORLD, &base, win);
        break;
    case KIND_CREATE:
        base = bench_memory(bytes);
        MPI_Win_create(base, (MPI_Aint)bytes, 1, info, MPI_COMM_WORLD, win);
        break;
    case KIND_STATIC:
        base = static_memory + ASIDE;
        MPI_Win_create(base, (MPI_Aint)bytes, 1, info, MPI_COMM_WORLD, win);
        break;
    case KIND_HEAP:
        base = heap_block();
        MPI_Win_create(base, (MPI_Aint)bytes, 1, info, MPI_COMM_WORLD, win);
        break;
    case KIND_STACK:
        base = b->stack;
        MPI_Win_create(base, (MPI_Aint)bytes, 1, info, MPI_COMM_WORLD, win);
        break;
    case KIND_DYNAMIC:
        base = bench_memory(bytes);
        MPI_Win_create_dynamic(info, MPI_COMM_WORLD, win);
        MPI_Win_attach(*win, base, (MPI_Aint)bytes);
        break;
    case KIND_SHARED:
        MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, MPI_COMM_WORLD, &base, win);
        break;
    default:
        break;
    }
    return base;
}

static void window_close(const struct bench *b, MPI_Win *win, char *base)
{
    if (*win == MPI_WIN_NULL)
        return;
    if (b->kind == KIND_DYNAMIC) {
        MPI_Barrier(MPI_COMM_WORLD); /* no rank still uses the memory */
        MPI_Win_detach(*win, base);
    }
    MPI_Win_free(win);
    if (b->kind == KIND_CREATE || b->kind == KIND_DYNAMIC)
        munmap(base, bytes_of(b));
    else if (b->kind == KIND_HEAP)
        free(base);
}

/* Some cases need a second window; those of all ranks at once meet by it (bench_meet). */
static bool needs_other(const struct bench_case *job)
{
    return job->body == body_pscw_ahead || job->body == body_pscw_ahead_nocheck ||
           job->body == body_lock_two || bench_is_of_all(job);
}

/* Every page is touched, and the first word has a value that no operation leaves behind by
 * chance. */
static void window_fill(const struct bench *b)
{
    uint64_t first = FIRST_WORD;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b->rank, 0, b->win);
    memset(b->base, 0, bytes_of(b));
    memcpy(b->base, &first, sizeof first);
    MPI_Win_unlock(b->rank, b->win);
}

static void other_clear(const struct bench *b)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b->rank, 0, b->other);
    memset(b->other_base, 0, WORD);
    MPI_Win_unlock(b->rank, b->other);
}

static void find_target(struct bench *b)
{
    MPI_Aint mine = 0, all[RING];

    if (b->kind == KIND_DYNAMIC)
        MPI_Get_address(b->base, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    b->at = all[b->target];
}

static void windows_open(struct bench *b)
{
    MPI_Info info = hints(b);

    MPI_Barrier(MPI_COMM_WORLD);
    b->first_ns = -loop_now_ns();
    b->base = window_open(b, info, &b->win);
    b->first_ns += loop_now_ns();
    if (needs_other(b->job))
        b->other_base = window_open(b, info, &b->other);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    /* A window with no_locks must not be locked, not even to fill it; its first word then is what
     * the check finds after a put. */
    if (!b->job->info[0] || strcmp(b->job->info[0], "no_locks") != 0)
        window_fill(b);
    if (bench_is_of_all(b->job))
        other_clear(b);
    find_target(b);
}

static void groups_make(struct bench *b)
{
    int both[2];
    MPI_Group world;

    both[0] = b->source = (b->rank + b->ranks - 1) % b->ranks;
    both[1] = b->target = (b->rank + 1) % b->ranks;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &b->target, &b->target_group);
    MPI_Group_incl(world, 1, &b->source, &b->source_group);
    MPI_Group_incl(world, b->ranks > 2 ? 2 : 1, both, &b->both_group);
    MPI_Group_free(&world);
}

static void epoch_open(const struct bench *b)
{
    if (bench_is_of_all(b->job))
        MPI_Win_lock_all(0, b->other);
    if (b->job->epoch == EPOCH_EVERY || (b->job->epoch == EPOCH_ALL && b->rank == 0))
        MPI_Win_lock_all(0, b->win);
    if (b->job->epoch == EPOCH_FENCE)
        MPI_Win_fence(MPI_MODE_NOPRECEDE, b->win);
}

void bench_epoch_close(const struct bench *b)
{
    if (bench_is_of_all(b->job))
        MPI_Win_unlock_all(b->other);
    if (b->job->epoch == EPOCH_EVERY || (b->job->epoch == EPOCH_ALL && b->rank == 0))
        MPI_Win_unlock_all(b->win);
    if (b->job->epoch == EPOCH_FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, b->win);
}

/* It is made once a process: one value. */
struct loop_figure measure_first_window(struct bench *b)
{
    return loop_figure_of(&b->first_ns, 1);
}

/* Creating a window and freeing it, nothing else. */
void body_window(struct bench *b, long n)
{
    void *pages = bench_memory(SMALL);

    for (long i = 0; i < n; i++) {
        MPI_Win win;
        void *base;

        if (b->kind == KIND_ALLOCATE)
            MPI_Win_allocate(SMALL, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        else if (b->kind == KIND_SHARED)
            MPI_Win_allocate_shared(SMALL, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        else
            MPI_Win_create(pages, SMALL, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_free(&win);
    }
    munmap(pages, SMALL);
}

/* Memory or a window comes, is used on one page, and goes. */
static void window_come_and_go(long n, MPI_Aint bytes)
{
    for (long i = 0; i < n; i++) {
        MPI_Win win;
        char *base;

        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        base[i % PAGE] = 1;
        MPI_Win_free(&win);
    }
}

static void memory_come_and_go(long n, MPI_Aint bytes)
{
    for (long i = 0; i < n; i++) {
        char *base;

        MPI_Alloc_mem(bytes, MPI_INFO_NULL, &base);
        base[i % PAGE] = 1;
        MPI_Free_mem(base);
    }
}

#define COME_AND_GO(name, bytes)                     \
    void body_window_##name(struct bench *b, long n) \
    {                                                \
        (void)b;                                     \
        window_come_and_go(n, bytes);                \
    }                                                \
    void body_memory_##name(struct bench *b, long n) \
    {                                                \
        (void)b;                                     \
        memory_come_and_go(n, bytes);                \
    }

COME_AND_GO(1m, 1l << 20)
COME_AND_GO(16m, 16l << 20)
COME_AND_GO(256m, 256l << 20)

/* A window on a GiB that the program has used, made and freed. */
void body_window_1g(struct bench *b, long n)
{
    const size_t bytes = (size_t)1 << 30;
    char *pages = bench_memory(bytes);

    (void)b;
    memset(pages, 1, bytes);
    for (long i = 0; i < n; i++) {
        MPI_Win win;

        MPI_Win_create(pages, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_free(&win);
    }
    munmap(pages, bytes);
}

static void indexed_make(MPI_Datatype *type)
{
    int at[VECTOR_BLOCKS];

    irregular_words(at, VECTOR_BLOCKS);
    MPI_Type_create_indexed_block(VECTOR_BLOCKS, 1, at, MPI_UINT64_T, type);
    MPI_Type_commit(type);
}

void bench_open(struct bench *b)
{
    b->win = b->other = MPI_WIN_NULL;
    groups_make(b);
    b->local = (char *)bench_memory(bytes_of(b) + PAGE) + LOCAL_ASIDE;
    MPI_Type_vector(VECTOR_BLOCKS, 1, 2, MPI_UINT64_T, &b->vector);
    MPI_Type_commit(&b->vector);
    indexed_make(&b->indexed);
    if (b->kind != KIND_IDLE)
        windows_open(b);
    MPI_Barrier(MPI_COMM_WORLD);
    epoch_open(b);
}

void bench_close(struct bench *b)
{
    window_close(b, &b->other, b->other_base);
    window_close(b, &b->win, b->base);
    MPI_Type_free(&b->vector);
    MPI_Type_free(&b->indexed);
    MPI_Group_free(&b->target_group);
    MPI_Group_free(&b->source_group);
    MPI_Group_free(&b->both_group);
    munmap(b->local - LOCAL_ASIDE, bytes_of(b) + PAGE);
}
