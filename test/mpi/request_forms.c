/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of operations, in the calls that op_request.c leaves out: Testsome, Waitsome, Testany,
 * Request_free, Request_get_status; with MPI_PROC_NULL, zero counts, derived types and large
 * counts; ten thousand outstanding at once; in one array with receives, sends, persistent and
 * inactive requests, whose statuses have to be their own.
 */
#include "window.h"
#include <stdbool.h>

enum { outstanding = 10000, words = 4096, messages = 6 };

static int right, left;
static uint64_t seed;

static MPI_Aint at(const struct area *a, int index)
{
    return disp_at(a, right, index);
}

/* What a completed request of an operation says: nothing was cancelled, and no error. */
static void check_status(const struct area *a, MPI_Status *status, const char *what)
{
    int cancelled = 1;
    MPI_Test_cancelled(status, &cancelled);
    CHECK(!cancelled, "%s: %s: the status says cancelled", kind_names[a->kind], what);
}

static void check_null(const struct area *a, const MPI_Request *requests, int n, const char *what)
{
    int left_over = 0;
    for (int i = 0; i < n; i++)
        left_over += requests[i] != MPI_REQUEST_NULL;
    CHECK(left_over == 0, "%s: %s: %d requests are not null", kind_names[a->kind], what, left_over);
}

/* ---- nothing to do ---- */

/* Every form, to MPI_PROC_NULL or of nothing. `requests` has room for 8. */
static int issue_nothing(const struct area *a, MPI_Request *requests)
{
    static int value = 5, got = 6;
    MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, a->win, &requests[0]);
    MPI_Rget(&got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, a->win, &requests[1]);
    MPI_Raccumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, a->win,
                    &requests[2]);
    MPI_Rget_accumulate(&value, 1, MPI_INT, &got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM,
                        a->win, &requests[3]);
    MPI_Rput(NULL, 0, MPI_INT, right, at(a, 0), 0, MPI_INT, a->win, &requests[4]);
    MPI_Rget(NULL, 0, MPI_INT, right, at(a, 0), 0, MPI_INT, a->win, &requests[5]);
    MPI_Raccumulate(NULL, 0, MPI_INT, right, at(a, 0), 0, MPI_INT, MPI_SUM, a->win, &requests[6]);
    MPI_Rget_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_INT, right, at(a, 0), 0, MPI_INT, MPI_NO_OP,
                        a->win, &requests[7]);
    CHECK(value == 5 && got == 6, "%s: an operation on nothing changed a buffer",
          kind_names[a->kind]);
    for (int i = 0; i < 8; i++)
        CHECK(requests[i] != MPI_REQUEST_NULL, "%s: operation %d on nothing gives no request",
              kind_names[a->kind], i);
    return 8;
}

static void nothing(struct area *a)
{
    MPI_Request requests[8];
    MPI_Status statuses[8], status;
    int n, done = 0, index;
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    n = issue_nothing(a, requests);
    for (int i = 0; i < n; i++) {
        MPI_Wait(&requests[i], &status);
        check_status(a, &status, "wait");
    }
    check_null(a, requests, n, "wait");
    n = issue_nothing(a, requests);
    while (!done)
        MPI_Testall(n, requests, &done, statuses);
    for (int i = 0; i < n; i++)
        check_status(a, &statuses[i], "testall");
    n = issue_nothing(a, requests);
    for (int i = 0; i < n; i++) {
        for (done = 0; !done;)
            MPI_Testany(n, requests, &index, &done, &status);
        CHECK(index >= 0 && index < n && requests[index] == MPI_REQUEST_NULL,
              "%s: testany gives %d", kind_names[a->kind], index);
    }
    MPI_Testany(n, requests, &index, &done, &status);
    CHECK(done && index == MPI_UNDEFINED, "%s: testany on none gives %d, %d", kind_names[a->kind],
          done, index);
    n = issue_nothing(a, requests);
    for (int i = 0; i < n; i++)
        MPI_Request_free(&requests[i]);
    check_null(a, requests, n, "request_free");
    MPI_Win_unlock(right, a->win);
}

/* ---- many ---- */

static int sent[outstanding], got[outstanding];
static MPI_Request many[outstanding];
static MPI_Status many_statuses[outstanding];
static int indices[outstanding];

/* One of each form in turn; operation i works on word i % words, which only this rank changes. The
 * model is what the words hold. */
static void issue_many(const struct area *a, int *model, bool large)
{
    memset(got, -1, sizeof got);
    for (int i = 0; i < outstanding; i++) {
        int w = i % words;
        sent[i] = random_below(&seed, 1000);
        MPI_Request *request = &many[i];
#if MPI_VERSION >= 4
        if (large) {
            MPI_Rget_accumulate_c(&sent[i], 1, MPI_INT, &got[i], 1, MPI_INT, right, at(a, w), 1,
                                  MPI_INT, MPI_SUM, a->win, request);
            model[w] += sent[i];
            continue;
        }
#endif
        (void)large;
        if (i % 3 == 0) {
            MPI_Raccumulate(&sent[i], 1, MPI_INT, right, at(a, w), 1, MPI_INT, MPI_REPLACE, a->win,
                            request);
            model[w] = sent[i];
        } else if (i % 3 == 1) {
            MPI_Raccumulate(&sent[i], 1, MPI_INT, right, at(a, w), 1, MPI_INT, MPI_SUM, a->win,
                            request);
            model[w] += sent[i];
        } else {
            MPI_Rget_accumulate(&sent[i], 1, MPI_INT, &got[i], 1, MPI_INT, right, at(a, w), 1,
                                MPI_INT, MPI_SUM, a->win, request);
            model[w] += sent[i];
        }
    }
}

static void complete_some(const struct area *a, bool wait)
{
    int left_over = outstanding;
    static char seen[outstanding];
    memset(seen, 0, sizeof seen);
    while (left_over > 0) {
        int n = 0;
        if (wait)
            MPI_Waitsome(outstanding, many, &n, indices, many_statuses);
        else
            MPI_Testsome(outstanding, many, &n, indices, many_statuses);
        CHECK(n != MPI_UNDEFINED && (n > 0 || !wait), "%s: some of %d requests: %d",
              kind_names[a->kind], left_over, n);
        if (n == MPI_UNDEFINED)
            return;
        for (int i = 0; i < n; i++) {
            CHECK(!seen[indices[i]], "%s: request %d completes twice", kind_names[a->kind],
                  indices[i]);
            seen[indices[i]] = 1;
            check_status(a, &many_statuses[i], "some");
        }
        left_over -= n;
    }
    int n = 0;
    MPI_Testsome(outstanding, many, &n, indices, many_statuses);
    CHECK(n == MPI_UNDEFINED, "%s: testsome on none gives %d", kind_names[a->kind], n);
}

static void complete_backwards(void)
{
    for (int i = outstanding - 1; i >= 0; i--)
        MPI_Wait(&many[i], MPI_STATUS_IGNORE);
}

/* Asks for all of them, without completing any. */
static void ask_for_all(const struct area *a)
{
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    int done = 0, some = 0, index = -1;
    while (!done)
        MPI_Request_get_status_all(outstanding, many, &done, many_statuses);
    MPI_Request_get_status_some(outstanding, many, &some, indices, many_statuses);
    MPI_Request_get_status_any(outstanding, many, &index, &done, MPI_STATUS_IGNORE);
    CHECK(some == outstanding && done && index == 0, "%s: of all complete %d are, and number %d",
          kind_names[a->kind], some, index);
#else
    (void)a;
#endif
}

static void free_all(const struct area *a)
{
    ask_for_all(a);
    for (int i = 0; i < outstanding; i++) {
        int done = 0;
        if (i % 100 == 0) { /* asks, without completing it */
            MPI_Status status;
            while (!done)
                MPI_Request_get_status(many[i], &done, &status);
            CHECK(many[i] != MPI_REQUEST_NULL, "%s: request_get_status frees the request",
                  kind_names[a->kind]);
        }
        MPI_Request_free(&many[i]);
    }
}

static void puts_and_gets(struct area *a)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, a->win);
    for (int i = 0; i < outstanding; i++) {
        sent[i] = 3 * i + rank;
        MPI_Rput(&sent[i], 1, MPI_INT, right, at(a, i), 1, MPI_INT, a->win, &many[i]);
    }
    complete_some(a, false);
    MPI_Win_flush(right, a->win);
    memset(got, -1, sizeof got);
    for (int i = 0; i < outstanding; i++)
        MPI_Rget(&got[i], 1, MPI_INT, right, at(a, outstanding - 1 - i), 1, MPI_INT, a->win,
                 &many[i]);
    MPI_Waitall(outstanding, many, many_statuses);
    MPI_Win_unlock(right, a->win);
    long wrong = 0;
    for (int i = 0; i < outstanding; i++)
        wrong += got[i] != 3 * (outstanding - 1 - i) + rank;
    CHECK(wrong == 0, "%s: ten thousand rget after ten thousand rput: %ld wrong",
          kind_names[a->kind], wrong);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void ten_thousand(struct area *a)
{
    static int model[words], found[words];
    memset(model, 0, sizeof model);
    clear_own(a, words * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, a->win);
    for (int way = 0; way < 6; way++) {
        issue_many(a, model, way == 5);
        if (way == 0 || way == 5)
            MPI_Waitall(outstanding, many, many_statuses);
        else if (way == 1 || way == 2)
            complete_some(a, way == 1);
        else if (way == 3)
            complete_backwards();
        else {
            free_all(a);
            MPI_Win_flush(right, a->win);
        }
        check_null(a, many, outstanding, "ten thousand");
        if (way != 4)
            MPI_Win_flush(right, a->win);
        MPI_Get(found, words, MPI_INT, right, at(a, 0), words, MPI_INT, a->win);
        MPI_Win_flush(right, a->win);
        CHECK(memcmp(found, model, sizeof model) == 0,
              "%s: ten thousand requests, way %d: the words are wrong", kind_names[a->kind], way);
    }
    MPI_Win_unlock_all(a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- Rput and Rget of derived types, requests as Fortran sees them, waited for after unlock
 * ---- */

static void derived(struct area *a)
{
    enum { n = 50, stride = 3 };
    int values[n * stride] = {0}, back[n] = {0};
    MPI_Datatype comb;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int i = 0; i < n; i++)
        values[i * stride] = 10 * rank + i;
    MPI_Type_vector(n, 1, stride, MPI_INT, &comb);
    MPI_Type_commit(&comb);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, a->win);
    MPI_Rput(values, 1, comb, right, at(a, 0), 1, comb, a->win, &requests[0]);
    requests[0] = request_by_number(requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    memset(values, 0, sizeof values); /* local completion: the buffer is free */
    MPI_Win_flush(right, a->win);
    MPI_Rget(back, n, MPI_INT, right, at(a, 0), 1, comb, a->win, &requests[1]);
    MPI_Type_free(&comb);
    MPI_Win_unlock(right, a->win);
    MPI_Wait(&requests[1], &statuses[1]);
    long wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += back[i] != 10 * rank + i;
    CHECK(wrong == 0, "%s: rput and rget of a vector: %ld wrong", kind_names[a->kind], wrong);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- in one array with the host's ---- */

/* Messages of different lengths and tags at odd places, operations at even ones, a persistent send,
 * an inactive one, a null one. */
static void mixed(struct area *a)
{
    enum { all = 2 * messages + 4 };
    static int in[messages][messages], out[messages] = {1, 2, 3, 4, 5, 6}, fetched[messages];
    MPI_Request requests[all], sends[messages];
    MPI_Status statuses[all], send_statuses[messages];
    int first = 70 + rank, order[all], done = 0, count = -1, cancelled = 1;
    MPI_Win_lock_all(0, a->win);
    for (int m = 0; m < messages; m++) {
        fetched[m] = -1;
        MPI_Irecv(in[m], messages, MPI_INT, left, 10 + m, MPI_COMM_WORLD, &requests[2 * m + 1]);
        MPI_Rget_accumulate(&first, 1, MPI_INT, &fetched[m], 1, MPI_INT, right, at(a, 100 + m), 1,
                            MPI_INT, MPI_REPLACE, a->win, &requests[2 * m]);
    }
    MPI_Send_init(out, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[2 * messages]);
    MPI_Start(&requests[2 * messages]);
    MPI_Recv_init(&order[0], 1, MPI_INT, left, 6, MPI_COMM_WORLD,
                  &requests[2 * messages + 1]); /* never started */
    requests[2 * messages + 2] = MPI_REQUEST_NULL;
    MPI_Rput(&first, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, a->win, &requests[2 * messages + 3]);
    for (int m = messages - 1; m >= 0; m--)
        MPI_Isend(out, m, MPI_INT, right, 10 + m, MPI_COMM_WORLD, &sends[m]);
    MPI_Recv(&order[1], 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!done)
        MPI_Testall(all, requests, &done, statuses);
    for (int m = 0; m < messages; m++) {
        const MPI_Status *s = &statuses[2 * m + 1];
        MPI_Get_count(s, MPI_INT, &count);
        MPI_Test_cancelled(s, &cancelled);
        CHECK(s->MPI_SOURCE == left && s->MPI_TAG == 10 + m && count == m && !cancelled,
              "%s: message %d: source %d, tag %d, %d ints, cancelled %d", kind_names[a->kind], m,
              s->MPI_SOURCE, s->MPI_TAG, count, cancelled);
        check_status(a, &statuses[2 * m], "beside messages");
        CHECK(requests[2 * m] == MPI_REQUEST_NULL && fetched[m] == 0,
              "%s: rget_accumulate beside messages gives %d", kind_names[a->kind], fetched[m]);
    }
    CHECK(requests[2 * messages] != MPI_REQUEST_NULL, "%s: a persistent request is gone",
          kind_names[a->kind]);
    MPI_Request_free(&requests[2 * messages]);
    MPI_Request_free(&requests[2 * messages + 1]);
    MPI_Waitall(messages, sends, send_statuses);
    MPI_Win_unlock_all(a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    seed = 3u + (unsigned)rank;
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, outstanding * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        nothing(&a);
        mixed(&a);
        derived(&a);
        ten_thousand(&a);
        puts_and_gets(&a);
        close_area(&a);
    }
    return finish("request_forms");
}
