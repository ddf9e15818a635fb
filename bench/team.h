/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that share memory and do a loop together: they stand in for MPI in limit. */
#ifndef BENCH_TEAM_H
#define BENCH_TEAM_H

#include "loop.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { TEAM_MOST = 8, LINE = 64 };

/* A word on a cache line of its own. */
struct word {
    uint64_t value __attribute__((aligned(LINE)));
};

/* Shared by the team. Counters only grow. */
struct board {
    struct word go;  /* number of the loop */
    long iterations; /* of that loop; 0: it was the last. Written before go. */
    pid_t pid[TEAM_MOST];
    struct word ready;    /* how many processes have been made */
    struct word gathered; /* processes that have reached a loop that all run, in all loops */
    struct word lock;
    struct word reached[TEAM_MOST];   /* [rank], written by rank: flags of two processes */
    struct word arrived, passed;      /* the barrier of more processes than processors */
    struct word posted[TEAM_MOST];    /* [rank], written by the process after rank in the ring */
    struct word completed[TEAM_MOST]; /* [rank], written by the process before */
    /* the same the other way round */
    struct word posted_back[TEAM_MOST], completed_back[TEAM_MOST];
    double seen_ns; /* when rank 1 saw what its body waits for */
};

struct team {
    struct board *board;
    int rank, size;
    bool crowded; /* more processes than processors */
    size_t bytes; /* of each memory below */
    char *memory; /* the target's, shared: what a window made by MPI_Win_allocate would be */
    /* the same address in every process, but private: what MPI_Win_create gets. Reached by the
     * kernel. */
    char *private_memory;
    char *local;      /* this process's */
    uint64_t counter; /* iterations so far, for values that differ and flags that grow */
    double took_ns;   /* the own measurement of a sampled body */
};

typedef void team_body(struct team *team, long n);

/* Makes the processes, measures the body in rank 0, ends the processes. everybody: all run the
 * body, not only rank 0; the others wait for the next loop as busily as a rank in an MPI call
 * does. */
struct loop_figure team_measure(const struct loop_plan *plan, int size, size_t bytes,
                                team_body *body, bool everybody);

/* The same of a body that measures its one iteration itself, in rank 0, and takes long: so many
 * times. All run it. */
struct loop_figure team_sample(int samples, int size, team_body *body);

/* Waits for all. Counts team->counter up, which nothing else may do in a body that calls it. */
void team_barrier(struct team *team);

/* How often to look before the processor is left to others: on a processor of one's own, far longer
 * than any wait here. */
enum { TEAM_LOOKS = 2000 };

static inline void team_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits until the word is at least `value`. Acquires. */
static inline void team_wait(const struct team *team, const struct word *word, uint64_t value)
{
    int looks = team->crowded ? 0 : TEAM_LOOKS;

    while (__atomic_load_n(&word->value, __ATOMIC_ACQUIRE) < value) {
        if (looks-- <= 0)
            sched_yield();
        else
            team_pause();
    }
}

static inline void team_tell(struct word *word, uint64_t value)
{
    __atomic_store_n(&word->value, value, __ATOMIC_RELEASE);
}

#endif
