/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations with a request: MPI_Wait, MPI_Test, MPI_Waitall, MPI_Waitany, MPI_Testall on them,
 * alone and mixed with requests of the host. Completion is local: the buffer of a put may change,
 * the data of a get is there.
 */
#include "window.h"

enum { words = 2000, pieces = 8 };

static int right;

static MPI_Aint piece_at(const struct area *a, int piece)
{
    return disp_at(a, right, (MPI_Aint)piece * words);
}

static void fill(int *values, int seed)
{
    for (int i = 0; i < words; i++)
        values[i] = seed * words + i;
}

static void check_values(const struct area *a, const int *values, int seed, const char *what)
{
    long wrong = 0;
    for (int i = 0; i < words; i++)
        wrong += values[i] != seed * words + i;
    CHECK(wrong == 0, "%s: %s: %ld wrong words", kind_names[a->kind], what, wrong);
}

/* The buffer is changed as soon as each request is complete, before anything is known to be at the
 * target. */
static void puts_then_gets(struct area *a)
{
    static int buffer[words], got[pieces][words];
    MPI_Request request, requests[pieces];
    MPI_Status statuses[pieces];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, a->win);
    for (int p = 0; p < pieces; p++) {
        int done = 0;
        fill(buffer, p + 1);
        MPI_Rput(buffer, words, MPI_INT, right, piece_at(a, p), words, MPI_INT, a->win, &request);
        if (p % 2)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            while (!done)
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        CHECK(request == MPI_REQUEST_NULL, "%s: a completed request is not null",
              kind_names[a->kind]);
        memset(buffer, 0, sizeof buffer);
    }
    MPI_Win_flush(right, a->win);
    for (int p = 0; p < pieces; p++)
        MPI_Rget(got[p], words, MPI_INT, right, piece_at(a, p), words, MPI_INT, a->win,
                 &requests[p]);
    MPI_Waitall(pieces, requests, statuses);
    for (int p = 0; p < pieces; p++)
        check_values(a, got[p], p + 1, "rget after waitall");
    MPI_Win_unlock(right, a->win);
}

static void any_order(struct area *a)
{
    static int got[pieces][words];
    MPI_Request requests[pieces];
    int seen[pieces] = {0};
    MPI_Win_lock_all(0, a->win);
    for (int p = 0; p < pieces; p++)
        MPI_Rget(got[p], words, MPI_INT, right, piece_at(a, p), words, MPI_INT, a->win,
                 &requests[p]);
    for (int i = 0; i < pieces; i++) {
        int index = MPI_UNDEFINED;
        MPI_Waitany(pieces, requests, &index, MPI_STATUS_IGNORE);
        CHECK(index >= 0 && index < pieces && !seen[index], "%s: MPI_Waitany gives %d",
              kind_names[a->kind], index);
        if (index < 0 || index >= pieces)
            break;
        seen[index] = 1;
        check_values(a, got[index], index + 1, "rget after waitany");
    }
    MPI_Win_unlock_all(a->win);
}

static void accumulates(struct area *a)
{
    static int one[words], got[words], after[words];
    MPI_Request request;
    for (int i = 0; i < words; i++)
        one[i] = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, a->win);
    MPI_Raccumulate(one, words, MPI_INT, right, piece_at(a, 0), words, MPI_INT, MPI_SUM, a->win,
                    &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(one, words, MPI_INT, got, words, MPI_INT, right, piece_at(a, 0), words,
                        MPI_INT, MPI_SUM, a->win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(NULL, 0, MPI_INT, after, words, MPI_INT, right, piece_at(a, 0), words,
                        MPI_INT, MPI_NO_OP, a->win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(right, a->win);
    long wrong = 0;
    for (int i = 0; i < words; i++)
        wrong += got[i] != words + i + 1 || after[i] != words + i + 2;
    CHECK(wrong == 0, "%s: raccumulate and rget_accumulate: %ld wrong words", kind_names[a->kind],
          wrong);
}

/* One array holds requests of both: a send and a receive of the host beside two of ours. */
static void mixed_with_messages(struct area *a)
{
    static int got[2][words];
    int left = (rank + nranks - 1) % nranks, sent = rank, received = -1, done = 0;
    MPI_Request requests[5];
    MPI_Status statuses[5];
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    MPI_Irecv(&received, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Rget(got[0], words, MPI_INT, right, piece_at(a, 2), words, MPI_INT, a->win, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    MPI_Isend(&sent, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[3]);
    MPI_Rget(got[1], words, MPI_INT, right, piece_at(a, 3), words, MPI_INT, a->win, &requests[4]);
    while (!done)
        MPI_Testall(5, requests, &done, statuses);
    MPI_Win_unlock(right, a->win);
    CHECK(received == left, "%s: the message beside the requests is %d", kind_names[a->kind],
          received);
    check_values(a, got[0], 3, "rget beside messages");
    check_values(a, got[1], 4, "rget beside messages");
}

/* MPI_Win_unlock before any wait: the operations are complete, the requests still have to be waited
 * for. */
static void waited_for_late(struct area *a)
{
    static int sent[words], got[words];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    fill(sent, 77);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, a->win);
    MPI_Rput(sent, words, MPI_INT, right, piece_at(a, 5), words, MPI_INT, a->win, &requests[0]);
    MPI_Win_flush(right, a->win);
    MPI_Rget(got, words, MPI_INT, right, piece_at(a, 5), words, MPI_INT, a->win, &requests[1]);
    MPI_Win_unlock(right, a->win);
    check_values(a, got, 77, "rget completed by unlock");
    MPI_Waitall(2, requests, statuses);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    right = (rank + 1) % nranks;
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a =
            open_area(kind, (size_t)pieces * words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        puts_then_gets(&a);
        any_order(&a);
        accumulates(&a);
        mixed_with_messages(&a);
        waited_for_late(&a);
        close_area(&a);
    }
    return finish("op_request");
}
