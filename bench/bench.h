/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of rma share: the description of a case, and the state of the one that is
 * measured. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "loop.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the memory of the window comes from. A case's full name is its kind's name, a dot, and its
 * own. */
enum kind {
    KIND_ALLOCATE, /* MPI_Win_allocate */
    KIND_CREATE,   /* MPI_Win_create on whole pages that the program has allocated */
    KIND_STATIC,   /* MPI_Win_create on a static array that starts in the middle of a page */
    KIND_HEAP,     /* MPI_Win_create on a small block of the heap, among others */
    KIND_DYNAMIC,  /* MPI_Win_create_dynamic, whole pages attached */
    KIND_SHARED,   /* MPI_Win_allocate_shared */
    KIND_STACK,    /* MPI_Win_create on an array of main's */
    KIND_IDLE,     /* no window at all */
    KINDS
};

/* The epoch that is open all the time while a body runs. */
enum epoch {
    EPOCH_NONE,
    EPOCH_ALL,   /* MPI_Win_lock_all on rank 0 */
    EPOCH_EVERY, /* MPI_Win_lock_all on every rank */
    EPOCH_FENCE  /* from one fence to the next, all ranks */
};

/* The ranks that run the body, and the result that is checked at the end: unfinished work is not
 * measured. */
enum check {
    CHECK_NOTHING, /* and all ranks run the body */
    /* only rank 0 runs the body; the first word of rank 1's window is rank 0's `expected` */
    CHECK_TARGET,
    /* all ranks run the body; the first word of every rank's window is its own `expected` */
    CHECK_EVERY,
    /* all ranks run the body; all words of all windows together are what all expect together. The
     * figure is from when the first begins until the last is done */
    CHECK_SUM,
    CHECK_ALL /* as CHECK_EVERY, and the figure as for CHECK_SUM */
};

/* Of how many sizes a case is: NAME.BYTES, and the window is as large. */
enum sizes {
    SIZES_NONE,
    SIZES_MANY, /* 1 byte to LARGE, each SIZE_STEP times the one before */
    SIZES_FEW,  /* 4 bytes to LARGE, every second of those */
    SIZES_TWO   /* a page and 64 of them */
};

enum {
    WORD = 8,             /* bytes of a small operation */
    FIRST_WORD = 42,      /* in every window before the first operation */
    SMALL = 65536,        /* bytes of a window for small operations, and of the middle-sized ones */
    MIDDLE = 1048576,     /* bytes of a put between these and the large ones */
    LARGE = 4194304,      /* bytes of the large ones */
    RATE_WORDS = 1000,    /* puts between two flushes of put_rate */
    VECTOR_BLOCKS = 1000, /* blocks of a word, two words apart, or irregularly */
    SIZE_STEP = 4,        /* from one of several sizes to the next */
    RING = 8 /* ranks of a ring: on most machines that this is run on, more than processors */
};

struct bench;
struct bench_case;
typedef void bench_body(struct bench *b, long n);
typedef struct loop_figure bench_measure(struct bench *b);
/* measures and prints without MPI in this process; gives the exit status */
typedef int bench_whole(const char *name);

struct bench_case {
    const char *name;
    unsigned kinds; /* bits: 1 << kind */
    int ranks;
    bench_body *body;
    enum epoch epoch;
    enum check check;
    size_t bytes; /* of the window on every rank; 0: SMALL */
    enum sizes sizes;
    int words;              /* for CHECK_EVERY: so many words are as expected; 0: one */
    const char *info[2];    /* a hint for the window: key and value */
    bench_measure *measure; /* NULL: loops of the body */
    bench_whole *whole;     /* if there is one, it is all there is to do */
};

/* Do all ranks begin together, and is the figure that of all? */
static inline bool bench_is_of_all(const struct bench_case *job)
{
    return job->check == CHECK_SUM || job->check == CHECK_ALL;
}

struct bench {
    const struct bench_case *job;
    enum kind kind;
    const struct loop_plan *plan;
    int rank, ranks;
    size_t moved;                         /* bytes, by the name of a case for several sizes */
    int target;                           /* the next rank, to which this one puts */
    int source;                           /* the one before */
    MPI_Group target_group, source_group; /* of one rank each */
    MPI_Group both_group;                 /* of both, in a ring */
    MPI_Win win, other;                   /* other: MPI_WIN_NULL but for the cases that need two */
    char *base, *other_base;              /* this rank's window memory */
    char *stack;                          /* SMALL bytes of it, for KIND_STACK */
    MPI_Aint at;                          /* the displacement of the target's */
    char *local;                          /* origin and result buffer, as large as the window */
    MPI_Datatype vector;                  /* VECTOR_BLOCKS words, two words apart */
    MPI_Datatype indexed;                 /* as many, each 2 to 7 words behind the one before */
    int64_t meetings;                     /* how often bench_meet was called */
    uint64_t loops;                       /* how often body_pipeline_notify was */
    double first_ns;                      /* the time of making the first window */
    uint64_t counter;                     /* iterations so far, for values that differ */
    uint64_t expected;                    /* see enum check */
};

/* window.c: opens everything of struct bench that a body uses, and the epoch. */
void bench_open(struct bench *b);
void bench_epoch_close(const struct bench *b);
void bench_close(struct bench *b);
/* asleep.c: the length of the next loop, which rank 0 knows. is_idle: this rank does nothing then.
 */
void bench_learn(long *n, bool is_idle);
/* many.c: waits for all ranks, by a counter in b->other: from MPI_Barrier some come back much later
 * where there are more than processors, as others wait in it without a pause. */
void bench_meet(struct bench *b);
/* window.c: zeroed pages, for munmap; ends the process if there are none */
void *bench_memory(size_t bytes);

/* notify.c: gives the window two counters on each rank, if it has none, and locks all. */
void bench_counters_open(const struct bench *b);

/* The bodies, by the file that has them. All iterate n times. */
/* small.c */
bench_body body_put, body_get, body_fetch_and_op, body_compare_and_swap, body_accumulate;
bench_body body_put_nothing, body_put_nowhere, body_accumulate_nothing;
bench_body body_lock, body_lock_two, body_lock_nocheck, body_lock_shared, body_lock_all;
bench_body body_fence, body_fence_pair, body_fence_pair_asserted, body_fence_pair_nostore,
    body_fence_nothing; /* active.c */
bench_body body_pscw, body_pscw_ahead, body_pscw_ahead_nocheck;
bench_body body_put_64k, body_put_1m, body_put_4m, body_put_64k_many, body_put_1m_many,
    body_put_4m_many, body_get_1m_many, body_get_4m_many, body_get_4m, body_accumulate_64k,
    body_accumulate_64k_shared, body_put_rate; /* bulk.c */
bench_body body_get_64k, body_get_64k_fence, body_get_64k_pscw;
bench_body body_put_vector, body_put_vector_both, body_accumulate_16, body_accumulate_1024;
bench_body body_put_indexed, body_accumulate_vector, body_accumulate_indexed;
bench_body body_window, body_window_1m, body_window_16m, body_window_256m, body_window_1g;
bench_body body_memory_1m, body_memory_16m, body_memory_256m; /* window.c */
bench_body body_halo_fence, body_halo_pscw;                   /* active.c */
bench_body body_pipeline, body_pipeline_notify, body_pipeline_pscw,
    body_pipeline_send;                                        /* pipeline.c */
bench_body body_put_size, body_get_size, body_accumulate_size; /* sizes.c */
bench_body body_get_accumulate_size, body_fetch_size, body_replace_size;
bench_body body_put_lock_size, body_put_fence_size, body_put_pscw_size;
bench_body body_get_rate, body_accumulate_rate;   /* bulk.c */
bench_body body_counter, body_mutex, body_random; /* many.c */
bench_body body_pingpong, body_halo_send;         /* idle.c */
bench_body body_notify, body_notify_polled, body_notify_nothing, body_notify_size, body_flags,
    body_notify_rate, body_notify_counter, body_halo_notify; /* notify.c */
bench_body body_put_heard;                                   /* busy.c */
bench_measure measure_busy;
bench_measure measure_peak;                                            /* peak.c: bytes */
bench_measure measure_loads_during, measure_loads_after, measure_fork; /* loads.c */
bench_measure measure_first_window;                                    /* window.c */
bench_measure measure_waited_cpu, measure_waited_reaction;             /* waited.c */
bench_whole idle_init;                                                 /* idle.c */
int idle_init_child(void); /* idle.c: what idle_init measures; gives the exit status */

#endif
