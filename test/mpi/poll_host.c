/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that polls by one-sided calls, each of which returns at once, still moves its own
 * messages. Rank 0 has begun to send 8 MiB (or to receive what the other sends synchronously), then
 * looks again and again, in the way under test, at a word that rank 1 sets only after the message
 * has arrived. A message of this size needs rank 0's help, so a way that does not let the host work
 * never comes to an end.
 */
#include "window.h"

enum { bytes = 8 << 20, word = 0, heartbeat = 1 };

struct pair {
    MPI_Comm comm; /* ranks 0 and 1 */
    MPI_Win win;   /* of four longs */
    long *mine;
    char *message;
};

/* ---- ways to look at the word of rank 1, or at one's own: 0 until it is set ---- */

static long look_flush(struct pair *p)
{
    long seen = 0;
    MPI_Get(&seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, p->win);
    MPI_Win_flush(1, p->win);
    return seen;
}

static long look_flush_all(struct pair *p)
{
    long seen = 0;
    MPI_Get(&seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, p->win);
    MPI_Win_flush_all(p->win);
    return seen;
}

static long look_flush_local(struct pair *p)
{
    long seen = 0;
    MPI_Get(&seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, p->win);
    MPI_Win_flush_local(1, p->win);
    return seen;
}

static long look_flush_local_all(struct pair *p)
{
    long seen = 0;
    MPI_Get(&seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, p->win);
    MPI_Win_flush_local_all(p->win);
    return seen;
}

static long look_fetch(struct pair *p)
{
    long seen = 0, none = 0;
    MPI_Fetch_and_op(&none, &seen, MPI_LONG, 1, word, MPI_NO_OP, p->win);
    MPI_Win_flush(1, p->win);
    return seen;
}

static long look_put(struct pair *p)
{
    const long beat = 1;
    MPI_Put(&beat, 1, MPI_LONG, 1, heartbeat, 1, MPI_LONG, p->win);
    MPI_Win_flush(1, p->win);
    return __atomic_load_n(&p->mine[word], __ATOMIC_ACQUIRE);
}

static long look_sync(struct pair *p)
{
    MPI_Win_sync(p->win);
    return __atomic_load_n(&p->mine[word], __ATOMIC_ACQUIRE);
}

static long look_rget(struct pair *p)
{
    MPI_Request request;
    long seen = 0;
    MPI_Rget(&seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, p->win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return seen;
}

static long look_rget_accumulate(struct pair *p)
{
    MPI_Request request;
    long seen = 0, none = 0;
    int done = 0;
    MPI_Rget_accumulate(&none, 1, MPI_LONG, &seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, MPI_SUM,
                        p->win, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return seen;
}

static long look_lock(struct pair *p)
{
    long seen = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, p->win);
    MPI_Get(&seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, p->win);
    MPI_Win_unlock(1, p->win);
    return seen;
}

static long look_lock_exclusive(struct pair *p)
{
    long seen = 0, none = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, p->win);
    MPI_Fetch_and_op(&none, &seen, MPI_LONG, 1, word, MPI_SUM, p->win);
    MPI_Win_unlock(1, p->win);
    return seen;
}

static long look_lock_nocheck(struct pair *p)
{
    long seen = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, p->win);
    MPI_Get(&seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, p->win);
    MPI_Win_unlock(1, p->win);
    return seen;
}

static long look_lock_all(struct pair *p)
{
    long seen = 0;
    MPI_Win_lock_all(0, p->win);
    MPI_Get(&seen, 1, MPI_LONG, 1, word, 1, MPI_LONG, p->win);
    MPI_Win_unlock_all(p->win);
    return seen;
}

static const struct way {
    const char *name;
    long (*look)(struct pair *);
    int locked; /* inside a lock_all epoch */
} ways[] = {
    {"get and flush", look_flush, 1},
    {"get and flush_all", look_flush_all, 1},
    {"get and flush_local", look_flush_local, 1},
    {"get and flush_local_all", look_flush_local_all, 1},
    {"fetch_and_op and flush", look_fetch, 1},
    {"put and flush, and a load", look_put, 1},
    {"sync and a load", look_sync, 1},
    {"rget and wait", look_rget, 1},
    {"rget_accumulate and test", look_rget_accumulate, 1},
    {"lock, get, unlock", look_lock, 0},
    {"exclusive lock, fetch_and_op, unlock", look_lock_exclusive, 0},
    {"lock without a check, get, unlock", look_lock_nocheck, 0},
    {"lock_all, get, unlock_all", look_lock_all, 0},
};
enum { nways = sizeof ways / sizeof ways[0] };

/* ---- the two ranks ---- */

/* The words that are looked at: the other's own, and the looker's. */
static void set_words(struct pair *p)
{
    const long one = 1;
    MPI_Win_lock_all(0, p->win);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, word, 1, MPI_LONG, MPI_REPLACE, p->win);
    MPI_Accumulate(&one, 1, MPI_LONG, 1, word, 1, MPI_LONG, MPI_REPLACE, p->win);
    MPI_Win_unlock_all(p->win);
}

static void poll(struct pair *p, const struct way *way, int sends)
{
    MPI_Request request;
    if (sends)
        MPI_Isend(p->message, bytes, MPI_BYTE, 1, 7, p->comm, &request);
    else
        MPI_Irecv(p->message, bytes, MPI_BYTE, 1, 7, p->comm, &request);
    if (way->locked)
        MPI_Win_lock_all(0, p->win);
    while (!way->look(p))
        ;
    if (way->locked)
        MPI_Win_unlock_all(p->win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void answer(struct pair *p, int receives)
{
    if (receives)
        MPI_Recv(p->message, bytes, MPI_BYTE, 0, 7, p->comm, MPI_STATUS_IGNORE);
    else
        MPI_Ssend(p->message, bytes, MPI_BYTE, 0, 7, p->comm);
    set_words(p);
}

static void run_way(struct pair *p, int me, const struct way *way, int zero_sends)
{
    int full = me == (zero_sends ? 0 : 1); /* has the message */
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, p->comm, &p->mine, &p->win);
    memset(p->mine, 0, 4 * sizeof(long));
    memset(p->message, full ? 'm' : 0, bytes);
    MPI_Barrier(p->comm);
    if (me == 0)
        poll(p, way, zero_sends);
    else
        answer(p, zero_sends);
    CHECK(p->message[0] == 'm' && p->message[bytes - 1] == 'm', "%s: the message arrives damaged",
          way->name);
    MPI_Win_free(&p->win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks < 2)
        return skip("needs 2 ranks");
    struct pair p = {.message = need(malloc(bytes))};
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &p.comm);
    for (int i = 0; i < 2 * nways && rank < 2; i++)
        run_way(&p, rank, &ways[i / 2], i % 2);
    if (rank < 2)
        MPI_Comm_free(&p.comm);
    else
        destroy_area(&(struct area){.win = create_area(kind_allocate, 8, 1, MPI_COMM_SELF).win});
    free(p.message);
    return finish("poll_host");
}
