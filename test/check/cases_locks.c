/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks, barriers and containers that programs make of accumulates. In each the first origin hands
 * a word over to the second one. The wrong twin has not completed its put of that word before.
 *
 * A word of 0 is the state in which the first one holds the lock, or the container is empty. The
 * second one learns nothing of the first one's memory, in which it could meet the end of the epoch.
 */
#include "words.h"

enum { DATA = 1, LOCK, MORE, MINE, GRANTED };

static INLINE void hand_over(void (*release)(void), void (*acquire)(void), int completes)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        if (completes)
            put_word(TARGET, DATA, 5);
        else
            put_begun(TARGET, DATA);
        release();
    }
    if (rank == SECOND) {
        acquire();
        get_word(TARGET, DATA);
    }
    MPI_Win_unlock_all(win);
}

#define TWINS(name)                                   \
    static void right_##name(void)                    \
    {                                                 \
        hand_over(release_##name, acquire_##name, 1); \
    }                                                 \
    static void wrong_##name(void)                    \
    {                                                 \
        hand_over(release_##name, acquire_##name, 0); \
    }
#define HANDS_OVER(name) RIGHT(name), WRONG(name, "Put", FIRST, "Get", SECOND)

/* ---- locks ---- */

static INLINE void release_spin(void)
{
    set_word(TARGET, LOCK, 1);
}

static INLINE void acquire_spin(void)
{
    while (swap_word(TARGET, LOCK, 1, 0) != 1)
        ;
}

TWINS(spin)

static INLINE void release_exchanged(void)
{
    exchange_word(TARGET, LOCK, 1);
}

static INLINE void acquire_exchanged(void)
{
    while (exchange_word(TARGET, LOCK, 0) == 0)
        ;
}

TWINS(exchanged)

static INLINE void acquire_looked_at(void)
{
    await_word(TARGET, LOCK, 1);
    acquire_spin();
}

static INLINE void release_looked_at(void)
{
    release_spin();
}

TWINS(looked_at)

static INLINE void release_ticket(void)
{
    add_word(TARGET, MORE, 1);
}

static INLINE void acquire_ticket(void)
{
    const long before = add_word(TARGET, LOCK, 1);

    await_word(TARGET, MORE, before + 1);
}

TWINS(ticket)

static INLINE void release_mcs(void)
{
    await_word(FIRST, MINE, 1);
    set_word(SECOND, GRANTED, 1);
}

static INLINE void acquire_mcs(void)
{
    exchange_word(TARGET, LOCK, 1 + SECOND);
    set_word(FIRST, MINE, 1);
    await_word(SECOND, GRANTED, 1);
}

TWINS(mcs)

static INLINE void release_clh(void)
{
    set_word(TARGET, GRANTED, 1);
}

static INLINE void acquire_clh(void)
{
    exchange_word(TARGET, LOCK, 1 + SECOND);
    await_word(TARGET, GRANTED, 1);
}

TWINS(clh)

static INLINE void release_bakery(void)
{
    set_word(TARGET, MINE, 2);
}

static INLINE void acquire_bakery(void)
{
    set_word(TARGET, GRANTED, 1);
    await_word(TARGET, MINE, 2);
}

TWINS(bakery)

static INLINE void release_semaphore(void)
{
    add_word(TARGET, LOCK, 1);
}

static INLINE void acquire_semaphore(void)
{
    while (add_word(TARGET, LOCK, -1) <= 0)
        add_word(TARGET, LOCK, 1);
}

TWINS(semaphore)

static INLINE void release_writer(void)
{
    swap_word(TARGET, LOCK, 0, 1);
}

static INLINE void acquire_writer(void)
{
    long readers;

    do
        readers = word_of(TARGET, LOCK);
    while (readers == 0 || swap_word(TARGET, LOCK, readers, readers + 1) != readers);
}

TWINS(writer)

/* ---- barriers ---- */

static INLINE void release_counted(void)
{
    add_word(TARGET, LOCK, 1);
}

static INLINE void acquire_counted(void)
{
    add_word(TARGET, LOCK, 1);
    await_word(TARGET, LOCK, 2);
}

TWINS(counted)

static INLINE void release_flagged(void)
{
    set_word(SECOND, GRANTED, 1);
}

static INLINE void acquire_flagged(void)
{
    await_word(SECOND, GRANTED, 1);
}

TWINS(flagged)

/* ---- containers ---- */

static INLINE void release_promise(void)
{
    swap_word(TARGET, LOCK, 0, 1);
}

static INLINE void acquire_promise(void)
{
    await_word(TARGET, LOCK, 1);
}

TWINS(promise)

/* The number of a sequence lock that is even once more. */
static INLINE void release_sequence(void)
{
    add_word(TARGET, LOCK, 2);
}

static INLINE void acquire_sequence(void)
{
    await_word(TARGET, LOCK, 2);
}

TWINS(sequence)

static INLINE void release_ring(void)
{
    set_word(TARGET, LOCK, 1);
}

static INLINE void acquire_ring(void)
{
    while (word_of(TARGET, LOCK) == word_of(TARGET, MORE))
        ;
}

TWINS(ring)

/* A pointer to the copy that readers use. */
static INLINE void release_copy(void)
{
    exchange_word(TARGET, LOCK, DATA);
}

static INLINE void acquire_copy(void)
{
    await_word(TARGET, LOCK, DATA);
}

TWINS(copy)

static INLINE void release_stack(void)
{
    swap_word(TARGET, LOCK, 0, DATA);
}

static INLINE void acquire_stack(void)
{
    while (swap_word(TARGET, LOCK, DATA, 0) != DATA)
        ;
}

TWINS(stack)

/* The thief takes from the top what the owner has pushed at the bottom. */
static INLINE void release_deque(void)
{
    add_word(TARGET, MORE, 1);
}

static INLINE void acquire_deque(void)
{
    while (word_of(TARGET, MORE) <= word_of(TARGET, LOCK))
        ;
    swap_word(TARGET, LOCK, 0, 1);
}

TWINS(deque)

/* The key of a bucket of a hash table. */
static INLINE void release_bucket(void)
{
    swap_word(TARGET, LOCK, 0, 77);
}

static INLINE void acquire_bucket(void)
{
    while (swap_word(TARGET, LOCK, 77, 77) != 77)
        ;
}

TWINS(bucket)

/* An entry elsewhere, behind the head of a chain. */
static INLINE void release_chain(void)
{
    set_word(SECOND, MORE, 77);
    exchange_word(TARGET, LOCK, MORE);
}

static INLINE void acquire_chain(void)
{
    long head;

    do
        head = word_of(TARGET, LOCK);
    while (head == 0 || word_of(SECOND, head) != 77);
}

TWINS(chain)

/* ---- more locks and barriers ---- */

/* Of two: each has a flag, and the later one waits. */
static INLINE void release_two_flags(void)
{
    set_word(TARGET, MINE, 2);
}

static INLINE void acquire_two_flags(void)
{
    set_word(TARGET, GRANTED, 1);
    set_word(TARGET, MORE, FIRST);
    while (word_of(TARGET, MINE) != 2 && word_of(TARGET, MORE) == FIRST)
        ;
}

TWINS(two_flags)

/* ---- other operations and types ---- */

static INLINE void fetch_with(MPI_Op op, long value, long *before)
{
    MPI_Fetch_and_op(&value, before, MPI_LONG, TARGET, LOCK, op, win);
    MPI_Win_flush(TARGET, win);
}

static INLINE void release_bits(void)
{
    long before;

    fetch_with(MPI_BOR, 4, &before);
}

static INLINE void acquire_bits(void)
{
    long before;

    do
        fetch_with(MPI_BOR, 2, &before);
    while (!(before & 4));
}

TWINS(bits)

static INLINE void release_toggled(void)
{
    long before;

    fetch_with(MPI_BXOR, 1, &before);
}

static INLINE void acquire_toggled(void)
{
    long before;

    do
        fetch_with(MPI_BXOR, 0, &before);
    while (!(before & 1));
}

TWINS(toggled)

static INLINE void release_raised(void)
{
    const long value = 9;

    MPI_Accumulate(&value, 1, MPI_LONG, TARGET, LOCK, 1, MPI_LONG, MPI_MAX, win);
    MPI_Win_flush(TARGET, win);
}

static INLINE void acquire_raised(void)
{
    await_word(TARGET, LOCK, 9);
}

TWINS(raised)

static INLINE void release_two(void)
{
    const long both[] = {1, 1};

    MPI_Accumulate(both, 2, MPI_LONG, TARGET, LOCK, 2, MPI_LONG, MPI_REPLACE, win);
    MPI_Win_flush(TARGET, win);
}

static INLINE void acquire_two(void)
{
    long both[2];

    do {
        MPI_Get_accumulate(NULL, 0, MPI_LONG, both, 2, MPI_LONG, TARGET, LOCK, 2, MPI_LONG,
                           MPI_NO_OP, win);
        MPI_Win_flush(TARGET, win);
    } while (!both[0] || !both[1]);
}

TWINS(two)

const struct scene locks[] = {
    HANDS_OVER(spin),
    HANDS_OVER(exchanged),
    HANDS_OVER(looked_at),
    HANDS_OVER(ticket),
    HANDS_OVER(mcs),
    HANDS_OVER(clh),
    HANDS_OVER(bakery),
    HANDS_OVER(semaphore),
    HANDS_OVER(writer),
    HANDS_OVER(counted),
    HANDS_OVER(flagged),
    HANDS_OVER(promise),
    HANDS_OVER(sequence),
    HANDS_OVER(ring),
    HANDS_OVER(copy),
    HANDS_OVER(stack),
    HANDS_OVER(deque),
    HANDS_OVER(bucket),
    HANDS_OVER(bits),
    HANDS_OVER(raised),
    HANDS_OVER(two),
    HANDS_OVER(chain),
    HANDS_OVER(two_flags),
    HANDS_OVER(toggled),
    {0},
};
