/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores by the program to windows of each flavor, and over each kind of memory. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LATE_US = 500000 };

enum memory_kind { HEAP, BSS, STACK, SMALL, ALLOCATED, ATTACHED, ATTACHED_ALLOCATED, CONTIGUOUS };

enum {
    MANY = 1 << 15, /* longs; malloc maps them apart */
    FEW = 10,       /* more than the processor watches */
    AT = 3000       /* the word that scenes work on, behind the first page */
};

static volatile long seen;
static long static_words[2 * MANY];
static int static_count; /* windows over it so far: each begins at another word (cases.c) */

/* The window of a scene, which has the name of the scene. */
struct opened {
    MPI_Win win;
    long *words;
    MPI_Aint displacement; /* of the word in question, at TARGET */
    int at;                /* its index */
};

static MPI_Win create(long *words, int count)
{
    MPI_Win made;

    MPI_Win_create(words, count * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &made);
    return made;
}

static MPI_Win attach(long *words, int count)
{
    MPI_Win made;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    MPI_Win_attach(made, words, count * (MPI_Aint)sizeof(long));
    return made;
}

/* The displacement of a word in a dynamic window is its address at the target. */
static void know_address(struct opened *opened)
{
    MPI_Get_address(&opened->words[opened->at], &opened->displacement);
    MPI_Bcast(&opened->displacement, 1, MPI_AINT, TARGET, MPI_COMM_WORLD);
}

static void name_as_scene(MPI_Win made)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    MPI_Win_get_name(win, name, &length);
    MPI_Win_set_name(made, name);
}

static struct opened open_window(enum memory_kind kind, long *stack)
{
    struct opened o = {.at = AT, .displacement = AT};

    if (kind == SMALL || kind == STACK)
        o.at = FEW - 2, o.displacement = FEW - 2;
    if (kind == HEAP || kind == ATTACHED)
        o.words = malloc(MANY * sizeof(long));
    else if (kind == SMALL)
        o.words = malloc(FEW * sizeof(long));
    else if (kind == ALLOCATED || kind == ATTACHED_ALLOCATED)
        MPI_Alloc_mem(MANY * sizeof(long), MPI_INFO_NULL, (void *)&o.words);
    else
        o.words = kind == BSS ? static_words + 16 * static_count++ : stack;
    if (kind == ATTACHED || kind == ATTACHED_ALLOCATED)
        o.win = attach(o.words, MANY);
    else if (kind == CONTIGUOUS)
        MPI_Win_allocate_shared(MANY * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                                (void *)&o.words, &o.win);
    else
        o.win = create(o.words, kind == SMALL || kind == STACK ? FEW : MANY);
    if (kind == ATTACHED || kind == ATTACHED_ALLOCATED)
        know_address(&o);
    name_as_scene(o.win);
    return o;
}

static void close_window(struct opened *o, enum memory_kind kind)
{
    if (kind == ATTACHED || kind == ATTACHED_ALLOCATED)
        MPI_Win_detach(o->win, o->words);
    MPI_Win_free(&o->win);
    if (kind == ALLOCATED || kind == ATTACHED_ALLOCATED)
        MPI_Free_mem(o->words);
    if (kind == HEAP || kind == ATTACHED || kind == SMALL)
        free(o->words);
}

static INLINE void move(struct opened *o, int is_store)
{
    if (is_store)
        MPI_Get(buffer + WORDS, 1, MPI_LONG, TARGET, o->displacement, 1, MPI_LONG, o->win);
    else
        MPI_Put(buffer, 1, MPI_LONG, TARGET, o->displacement, 1, MPI_LONG, o->win);
}

static INLINE void touch(long *word, int is_store)
{
    if (is_store)
        *(volatile long *)word = 5;
    else
        seen = *(volatile long *)word;
}

/* The target works on the word beside the operation, or on another word. */
static INLINE void race(enum memory_kind kind, int is_store, int is_wrong)
{
    long stack[FEW] = {0};
    struct opened o = open_window(kind, stack);

    buffer[0] = 17;
    o.words[o.at] = 1;
    MPI_Win_fence(0, o.win);
    if (rank == FIRST)
        move(&o, is_store);
    if (rank == TARGET)
        touch(&o.words[o.at + !is_wrong], is_store);
    MPI_Win_fence(0, o.win);
    if (rank == TARGET && o.words[o.at] != (is_wrong && is_store ? 5 : is_store ? 1 : 17))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == FIRST && is_store && !is_wrong && buffer[WORDS] != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close_window(&o, kind);
}

#define PAIRS(name, kind)                  \
    static void wrong_##name##_load(void)  \
    {                                      \
        race(kind, 0, 1);                  \
    }                                      \
    static void wrong_##name##_store(void) \
    {                                      \
        race(kind, 1, 1);                  \
    }                                      \
    static void right_##name##_load(void)  \
    {                                      \
        race(kind, 0, 0);                  \
    }                                      \
    static void right_##name##_store(void) \
    {                                      \
        race(kind, 1, 0);                  \
    }

PAIRS(heap, HEAP)
PAIRS(bss, BSS)
PAIRS(stack, STACK)
PAIRS(small, SMALL)
PAIRS(allocated, ALLOCATED)
PAIRS(attached, ATTACHED)
PAIRS(attached_allocated, ATTACHED_ALLOCATED)

/* A store to both guarded words at once, long before, does not hide what the next one to either is.
 */
static INLINE void store_cleared(int at)
{
    typedef long both __attribute__((vector_size(16)));
    struct opened o = open_window(SMALL, NULL);

    o.at = at, o.displacement = at;
    *(volatile both *)o.words = (both){0, 0};
    MPI_Win_fence(0, o.win);
    if (rank == FIRST)
        move(&o, 1);
    if (rank == TARGET)
        touch(&o.words[at], 1);
    MPI_Win_fence(0, o.win);
    close_window(&o, SMALL);
}

static void wrong_cleared_first(void)
{
    store_cleared(0);
}

static void wrong_cleared_second(void)
{
    store_cleared(1);
}

/* For a while. */
static void compute(void)
{
    for (volatile int i = 0; i < 5000; i++)
        continue;
}

/* One word has two elements, of which another process puts one. */
static INLINE void halves(int put_at, int load_at)
{
    int *words = calloc(2 * FEW, sizeof *words);
    struct opened o;

    MPI_Win_create(words, 2 * FEW * (MPI_Aint)sizeof *words, sizeof *words, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &o.win);
    name_as_scene(o.win);
    MPI_Win_fence(0, o.win);
    if (rank == FIRST)
        MPI_Put(buffer, 1, MPI_INT, TARGET, put_at, 1, MPI_INT, o.win);
    if (rank == TARGET) {
        compute();
        seen = *(volatile int *)&words[load_at];
    }
    MPI_Win_fence(0, o.win);
    MPI_Win_free(&o.win);
    free(words);
}

static void wrong_half(void)
{
    halves(1, 1);
}

static void right_first_half(void)
{
    halves(1, 0);
}

static void right_second_half(void)
{
    halves(0, 1);
}

/* A load that finds the value at once is not known for a poll, so the value comes late. */
static void right_polled_slowly(void)
{
    long stack[FEW] = {0}, found;
    struct opened o = open_window(STACK, stack);

    buffer[0] = 17;
    MPI_Win_lock_all(0, o.win);
    if (rank == FIRST)
        usleep(LATE_US);
    if (rank == FIRST)
        MPI_Accumulate(buffer, 1, MPI_LONG, TARGET, o.displacement, 1, MPI_LONG, MPI_REPLACE,
                       o.win);
    if (rank == FIRST)
        MPI_Win_flush(TARGET, o.win);
    if (rank == TARGET)
        do {
            found = *(volatile long *)&o.words[o.at];
            compute();
        } while (found == 0);
    MPI_Win_unlock_all(o.win);
    close_window(&o, STACK);
}

/* A buffer in memory that the processor guards. */
static INLINE void store_to_origin(int at)
{
    struct opened o = open_window(SMALL, NULL);

    MPI_Win_fence(0, o.win);
    if (rank == FIRST) {
        MPI_Put(&o.words[1], 1, MPI_LONG, TARGET, FEW - 1, 1, MPI_LONG, o.win);
        touch(&o.words[at], 1);
    }
    MPI_Win_fence(0, o.win);
    close_window(&o, SMALL);
}

static void wrong_small_origin(void)
{
    store_to_origin(1);
}

static void right_small_origin(void)
{
    store_to_origin(0);
}

/* Loads from a shared window may order anything, so only a process's own operations are compared
 * until it is freed. */
static INLINE void contiguous(int is_wrong)
{
    struct opened o = open_window(CONTIGUOUS, NULL);

    MPI_Win_lock_all(0, o.win);
    if (rank == TARGET)
        move(&o, 0);
    if (rank == TARGET && !is_wrong)
        MPI_Win_flush(TARGET, o.win);
    if (rank == TARGET)
        touch(&o.words[o.at], 0);
    MPI_Win_unlock_all(o.win);
    close_window(&o, CONTIGUOUS);
}

static void wrong_contiguous(void)
{
    contiguous(1);
}

static void right_contiguous(void)
{
    contiguous(0);
}

/* The alignment that the program asks for is that of what it gets. */
static void right_aligned(void)
{
    enum { ALIGNMENT = 1 << 18 };
    struct opened o = {.at = 0};
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "262144");
    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), info, MPI_COMM_WORLD, (void *)&o.words,
                     &o.win);
    if ((size_t)o.words % ALIGNMENT != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Info_free(&info);
    MPI_Win_free(&o.win);
}

/* The host uses the memory at each start. */
static void right_persistent(void)
{
#if MPI_VERSION >= 4
    struct opened o = open_window(ALLOCATED, NULL);
    MPI_Request request;

    o.words[AT] = rank == FIRST;
    MPI_Bcast_init(o.words, MANY, MPI_LONG, FIRST, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Win_fence(0, o.win);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (o.words[AT] != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Request_free(&request);
    close_window(&o, ALLOCATED);
#endif
}

/* The request is older than the window. Its memory is the system's, not malloc's. */
static void right_begun_before(void)
{
    long *words = mmap(NULL, MANY * sizeof *words, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Request request;
    MPI_Win made;

    if (rank == FIRST)
        MPI_Send_init(words, MANY, MPI_LONG, TARGET, 0, MPI_COMM_WORLD, &request);
    if (rank == TARGET)
        MPI_Recv_init(words, MANY, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, &request);
    made = create(words, MANY);
    if (rank != SECOND) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Win_free(&made);
    munmap(words, MANY * sizeof *words);
}

/* Waits for the flag at this word of the target. */
static void await(long *word)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        continue;
}

static void set(long *word)
{
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
}

/* The load comes before the put by a flag in the window, and check mode hears of it only after
 * that. A load before MPI_Win_sync might be one that polls. */
static void right_contiguous_flags(void)
{
    struct opened o = open_window(CONTIGUOUS, NULL);
    MPI_Aint size;
    long *words;
    int unit;

    MPI_Win_shared_query(o.win, TARGET, &size, &unit, (void *)&words);
    if (rank == TARGET)
        memset(words, 0, 3 * sizeof *words);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, o.win);
    if (rank == TARGET) {
        touch(&words[AT], 0);
        set(&words[0]);
        await(&words[1]);
        MPI_Win_flush(TARGET, o.win);
        set(&words[2]);
    }
    if (rank == FIRST) {
        await(&words[0]);
        move(&o, 0);
        set(&words[1]);
        await(&words[2]);
    }
    MPI_Win_unlock_all(o.win);
    close_window(&o, CONTIGUOUS);
}

#define ROWS_OF(name, load, store)                                                \
    LOCAL(name##_load, "MPI_Put", FIRST, load, TARGET),                           \
        LOCAL(name##_store, "MPI_Get", FIRST, store, TARGET), RIGHT(name##_load), \
        RIGHT(name##_store)

const struct scene flavors[] = {
    ROWS_OF(heap, "a load", "a store"),
    ROWS_OF(bss, "a load", "a store"),
    ROWS_OF(stack, "a load", "a store"),
    ROWS_OF(small, "a load", "a store"),
    ROWS_OF(allocated, "a load", "a store"),
    ROWS_OF(attached, "a load", "a store"),
    ROWS_OF(attached_allocated, "a load", "a store"),
    LOCAL(cleared_first, "MPI_Get", FIRST, "a store", TARGET),
    LOCAL(cleared_second, "MPI_Get", FIRST, "a store", TARGET),
    LOCAL(small_origin, "MPI_Put", FIRST, "a store", FIRST),
    RIGHT(small_origin),
    LOCAL(half, "MPI_Put", FIRST, "a load", TARGET),
    RIGHT(first_half),
    RIGHT(second_half),
    RIGHT(polled_slowly),
    LOCAL(contiguous, "MPI_Put", TARGET, "a load", TARGET),
    RIGHT(contiguous),
    RIGHT(aligned),
    RIGHT(persistent),
    RIGHT(begun_before),
    RIGHT(contiguous_flags),
    {0},
};
