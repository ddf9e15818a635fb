/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong programs and their correct twins, for check mode: what the files of cases share. */
#ifndef PROA_TEST_CASES_H
#define PROA_TEST_CASES_H

#include <mpi.h>
#include <stddef.h>

/* Ranks: two origins, and a target whose memory they work on. */
enum { FIRST = 0, TARGET = 1, SECOND = 2, RANKS = 3, WORDS = 16 };

/* With sessions alone all scenes are of a communicator that one gave. */
#ifdef SESSIONS
#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD session_comm
extern MPI_Comm session_comm;
#endif

extern int rank;
extern MPI_Win win;            /* of WORDS longs on each rank */
extern long *memory;           /* this rank's */
extern long buffer[3 * WORDS]; /* for operations */

/* A report: the kind (NULL: none is expected), and the two calls with their ranks, in any order. */
struct report {
    const char *verdict;
    const char *first;
    int first_rank;
    const char *second;
    int second_rank;
};

struct scene {
    const char *name; /* of its window: "wrong_..." or "right_..." */
    void (*run)(void);
    struct report report;
};

/* By subject; each list ends with a scene without a name. */
extern const struct scene conflicts[], orders[], atomics[], hidden[], buffers[], local[], direct[],
    flavors[], shapes[], threads[], syncs[], types[], messages[], notified[], signals[], values[],
    polls[], locks[], given[], futexes[];

#define WRONG(name, first, first_rank, second, second_rank)              \
    {                                                                    \
        "wrong_" #name, wrong_##name,                                    \
        {                                                                \
            "race", "MPI_" first, first_rank, "MPI_" second, second_rank \
        }                                                                \
    }
/* The same of a usage rule, and of any calls. */
#define MISUSE(name, first, first_rank, second, second_rank) \
    {                                                        \
        "wrong_" #name, wrong_##name,                        \
        {                                                    \
            "misuse", first, first_rank, second, second_rank \
        }                                                    \
    }
/* The same of a call and a load or store. */
#define LOCAL(name, first, first_rank, second, second_rank) \
    {                                                       \
        "wrong_" #name, wrong_##name,                       \
        {                                                   \
            "race", first, first_rank, second, second_rank  \
        }                                                   \
    }
#define RIGHT(name)                   \
    {                                 \
        "right_" #name, right_##name, \
        {                             \
            0                         \
        }                             \
    }

/* Each scene has calls of its own: a pair of places is told once. */
#define INLINE inline __attribute__((always_inline))

static INLINE void put(int target, MPI_Aint at)
{
    MPI_Put(buffer, 1, MPI_LONG, target, at, 1, MPI_LONG, win);
}

static INLINE void get(int target, MPI_Aint at)
{
    MPI_Get(buffer + WORDS, 1, MPI_LONG, target, at, 1, MPI_LONG, win);
}

static INLINE void add(int target, MPI_Aint at)
{
    MPI_Accumulate(buffer, 1, MPI_LONG, target, at, 1, MPI_LONG, MPI_SUM, win);
}

/* To the target's second word, and then to a flag in its first. */
static INLINE void put_flagged(void)
{
    put(TARGET, 1);
    MPI_Win_flush(TARGET, win);
    buffer[2] = 1;
    MPI_Accumulate(buffer + 2, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, MPI_REPLACE, win);
    MPI_Win_flush(TARGET, win);
}

#endif
