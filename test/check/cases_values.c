/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values that processes read from one another's windows, and what such a value orders: the update
 * that wrote it, and all that came before that update.
 */
#include "words.h"

enum { FLAG, DATA, OTHER };

/* Origins alone, in an epoch towards all. */
static INLINE void as_both(void (*first)(void), void (*second)(void))
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        first();
    if (rank == SECOND)
        second();
    MPI_Win_unlock_all(win);
}

static INLINE void raise_flag(void)
{
    set_word(TARGET, FLAG, 1);
}

static INLINE void raise_other_first(void)
{
    set_word(TARGET, OTHER, 1);
    set_word(TARGET, FLAG, 1);
}

/* ---- the access behind the read comes after the update ---- */

static INLINE void reset_fetched(void)
{
    await_word(TARGET, FLAG, 1);
    put_word(TARGET, FLAG, 0);
}

static INLINE void reset_unread(void)
{
    await_word(TARGET, OTHER, 1);
    put_word(TARGET, FLAG, 0);
}

static void right_reset(void)
{
    as_both(raise_flag, reset_fetched);
}

static void wrong_reset(void)
{
    as_both(raise_other_first, reset_unread);
}

static INLINE void reset_swapped(void)
{
    while (swap_word(TARGET, FLAG, 1, 2) != 1)
        ;
    put_word(TARGET, FLAG, 0);
}

static void right_reset_swapped(void)
{
    as_both(raise_flag, reset_swapped);
}

static INLINE void reset_exchanged(void)
{
    while (exchange_word(TARGET, FLAG, 0) != 1)
        ;
    put_word(TARGET, FLAG, 0);
}

static void right_reset_exchanged(void)
{
    as_both(raise_flag, reset_exchanged);
}

static INLINE void reset_requested(void)
{
    long value = 0;

    while (value != 1) {
        MPI_Request request;

        MPI_Rget_accumulate(NULL, 0, MPI_LONG, &value, 1, MPI_LONG, TARGET, FLAG, 1, MPI_LONG,
                            MPI_NO_OP, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    put_word(TARGET, FLAG, 0);
}

static void right_reset_requested(void)
{
    as_both(raise_flag, reset_requested);
}

/* All of a row is read, one word of it by its value. */
static INLINE void get_row(void)
{
    MPI_Get(buffer, WORDS, MPI_LONG, TARGET, 0, WORDS, MPI_LONG, win);
    MPI_Win_flush(TARGET, win);
}

static INLINE void get_row_polled(void)
{
    await_word(TARGET, FLAG, 1);
    get_row();
}

static INLINE void fill_row_and_raise(void)
{
    put_word(TARGET, DATA, 5);
    put_word(TARGET, OTHER, 6);
    raise_flag();
}

static INLINE void raise_and_fill_row(void)
{
    put_word(TARGET, DATA, 5);
    raise_flag();
    put_word(TARGET, OTHER, 6);
}

static void right_row(void)
{
    as_both(fill_row_and_raise, get_row_polled);
}

static void wrong_row(void)
{
    as_both(raise_and_fill_row, get_row_polled);
}

/* ---- by way of a third process ---- */

static INLINE void read_and_tell(int at)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        raise_other_first();
    if (rank == SECOND) {
        await_word(TARGET, at, 1);
        MPI_Send(NULL, 0, MPI_BYTE, TARGET, 0, MPI_COMM_WORLD);
    }
    if (rank == TARGET) {
        MPI_Recv(NULL, 0, MPI_BYTE, SECOND, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put_word(TARGET, FLAG, 0);
    }
    MPI_Win_unlock_all(win);
}

static void right_reset_for_another(void)
{
    read_and_tell(FLAG);
}

static void wrong_reset_for_another(void)
{
    read_and_tell(OTHER);
}

/* ---- what the update does not come after ---- */

/* The first one's update comes after the read, of which a message tells it. */
static INLINE void update_behind_read(int is_wrong)
{
    MPI_Win_lock_all(0, win);
    if (rank == SECOND) {
        word_of(TARGET, FLAG);
        MPI_Send(NULL, 0, MPI_BYTE, FIRST, 0, MPI_COMM_WORLD);
        put_word(TARGET, is_wrong ? FLAG : OTHER, 2);
    }
    if (rank == FIRST) {
        MPI_Recv(NULL, 0, MPI_BYTE, SECOND, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put_word(TARGET, FLAG, 1);
    }
    MPI_Win_unlock_all(win);
}

static void wrong_update_behind_read(void)
{
    update_behind_read(1);
}

static void right_update_behind_read(void)
{
    update_behind_read(0);
}

/* ---- what came before the update ---- */

static INLINE void publish(void)
{
    put_word(TARGET, DATA, 5);
    raise_flag();
}

/* The data may come after the flag. */
static INLINE void publish_early(void)
{
    put_begun(TARGET, DATA);
    raise_flag();
}

static INLINE void get_published(void)
{
    await_word(TARGET, FLAG, 1);
    get_word(TARGET, DATA);
}

static void right_published(void)
{
    as_both(publish, get_published);
}

static void wrong_published(void)
{
    as_both(publish_early, get_published);
}

const struct scene values[] = {
    RIGHT(reset),
    WRONG(reset, "Accumulate", FIRST, "Put", SECOND),
    RIGHT(reset_swapped),
    RIGHT(reset_exchanged),
    RIGHT(reset_requested),
    RIGHT(row),
    WRONG(row, "Put", FIRST, "Get", SECOND),
    RIGHT(reset_for_another),
    WRONG(reset_for_another, "Accumulate", FIRST, "Put", TARGET),
    RIGHT(update_behind_read),
    WRONG(update_behind_read, "Put", FIRST, "Put", SECOND),
    RIGHT(published),
    WRONG(published, "Put", FIRST, "Get", SECOND),
    {0},
};
