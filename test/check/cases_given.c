/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A word that a reader gives back to a writer, as containers that programs make of accumulates do.
 * The wrong twin has not completed its get of that word before. The writer learns nothing of the
 * reader's memory, in which it could meet the end of the epoch.
 */
#include "words.h"

enum { DATA = 1, LOCK, MORE, MINE };

static INLINE void give_back(void (*release)(void), void (*acquire)(void), int completes)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        if (completes)
            get_word(TARGET, DATA);
        else
            get_begun(TARGET, DATA);
        release();
    }
    if (rank == SECOND) {
        acquire();
        put_word(TARGET, DATA, 5);
    }
    MPI_Win_unlock_all(win);
}

#define GIVING_TWINS(name)                            \
    static void right_##name(void)                    \
    {                                                 \
        give_back(release_##name, acquire_##name, 1); \
    }                                                 \
    static void wrong_##name(void)                    \
    {                                                 \
        give_back(release_##name, acquire_##name, 0); \
    }
#define GIVES_BACK(name) RIGHT(name), WRONG(name, "Get", FIRST, "Put", SECOND)

/* The number of the epoch that the reader has left; the writer uses the old copy anew. */
static INLINE void release_grace(void)
{
    set_word(SECOND, MINE, 1);
}

static INLINE void acquire_grace(void)
{
    exchange_word(TARGET, LOCK, 2);
    await_word(SECOND, MINE, 1);
}

GIVING_TWINS(grace)

/* The consumer's index in a ring. */
static INLINE void release_slot(void)
{
    add_word(TARGET, MORE, 1);
}

static INLINE void acquire_slot(void)
{
    while (word_of(TARGET, MORE) == 0)
        ;
}

GIVING_TWINS(slot)

/* A count of references, of which the last is the writer's. */
static INLINE void release_reference(void)
{
    add_word(TARGET, LOCK, -1);
}

static INLINE void acquire_reference(void)
{
    await_word(TARGET, LOCK, -1);
}

GIVING_TWINS(reference)

/* A lock of readers and writers, which the reader has. */
static INLINE void release_reader(void)
{
    add_word(TARGET, LOCK, 1);
}

static INLINE void acquire_reader(void)
{
    while (swap_word(TARGET, LOCK, 1, -1) != 1)
        ;
}

GIVING_TWINS(reader)

const struct scene given[] = {
    GIVES_BACK(grace), GIVES_BACK(slot), GIVES_BACK(reference), GIVES_BACK(reader), {0},
};
