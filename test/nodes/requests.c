/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of operations on another node, on two ranks: `requests [threads]`.
 *
 * The calls return although a third process has the target's lock; the data comes while the origin
 * calls no MPI at all; and every call that completes requests, or asks for them, is right for them,
 * alone and in one array with the host's own, with null and inactive ones.
 */
#include "../mpi/check.h"
#include <pthread.h>

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
#define GET_STATUS_OF_SEVERAL
#endif

enum { words = 20000, tag_go = 1, tag_answer = 2, all = 5 };

static MPI_Win win;
static int *memory, *got, *ones;

/* ---- rank 1 holds the lock until rank 0 has got so far ---- */

static void target_holds(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    for (int i = 0; i < words; i++)
        memory[i] = 7 + i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 0, tag_go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_unlock(1, win);
    MPI_Send(NULL, 0, MPI_INT, 0, tag_answer, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* not locked again before rank 0 has had it */
}

static MPI_Request asked(void)
{
    MPI_Request request;
    memset(got, 0, words * sizeof *got);
    MPI_Barrier(MPI_COMM_WORLD); /* the lock is taken */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Rget(got, words, MPI_INT, 1, 0, words, MPI_INT, win, &request);
    return request;
}

static void go(void)
{
    MPI_Send(NULL, 0, MPI_INT, 1, tag_go, MPI_COMM_WORLD);
}

static void unlock(void)
{
    MPI_Win_unlock(1, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_got(const char *how)
{
    long wrong = 0;
    for (int i = 0; i < words; i++)
        wrong += got[i] != 7 + i;
    CHECK(wrong == 0, "%s: %ld wrong words", how, wrong);
}

/* ---- what completes it ---- */

/* Requests behind the Rget in the arrays: null, a receive of rank 1's answer, an inactive one, a
 * message to ourselves that has come. */
static void others(MPI_Request requests[all], int *received)
{
    int sent = words;
    requests[1] = MPI_REQUEST_NULL;
    MPI_Irecv(NULL, 0, MPI_INT, 1, tag_answer, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv_init(received, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &requests[3]);
    MPI_Irecv(received, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[4]);
    MPI_Send(&sent, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
}

static void check_not_yet(MPI_Request *request)
{
    MPI_Status status;
    int flag = 1, index;
    MPI_Test(request, &flag, &status);
    CHECK(!flag, "MPI_Test says that it is done");
    MPI_Request_get_status(*request, &flag, &status);
    CHECK(!flag, "MPI_Request_get_status says that it is done");
#ifdef GET_STATUS_OF_SEVERAL
    MPI_Request_get_status_all(1, request, &flag, &status);
    CHECK(!flag, "MPI_Request_get_status_all says that it is done");
    MPI_Request_get_status_any(1, request, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag, "MPI_Request_get_status_any says that it is done");
    MPI_Request_get_status_some(1, request, &flag, &index, &status);
    CHECK(flag == 0, "MPI_Request_get_status_some says that it is done");
#endif
    MPI_Testall(1, request, &flag, &status);
    CHECK(!flag, "MPI_Testall says that it is done");
    MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag, "MPI_Testany says that it is done");
    MPI_Testsome(1, request, &flag, &index, &status);
    CHECK(flag == 0, "MPI_Testsome says that it is done");
    CHECK(*request != MPI_REQUEST_NULL, "the request is gone");
}

static void check_status(const MPI_Status *status)
{
    int cancelled = 1, count = -1;
    MPI_Test_cancelled(status, &cancelled);
    MPI_Get_count(status, MPI_BYTE, &count);
    CHECK(!cancelled && count == 0, "cancelled %d, %d bytes", cancelled, count);
}

static void complete_all(MPI_Request requests[all], int wait)
{
    MPI_Status statuses[all];
    int done = 0;
    if (wait)
        MPI_Waitall(all, requests, statuses);
    while (!wait && !done)
        MPI_Testall(all, requests, &done, statuses);
    check_status(&statuses[0]);
    CHECK(statuses[2].MPI_SOURCE == 1 && statuses[2].MPI_TAG == tag_answer, "source %d, tag %d",
          statuses[2].MPI_SOURCE, statuses[2].MPI_TAG);
    CHECK(statuses[4].MPI_SOURCE == 0 && statuses[4].MPI_TAG == 5, "source %d, tag %d",
          statuses[4].MPI_SOURCE, statuses[4].MPI_TAG);
}

static void complete_each(MPI_Request requests[all], int wait)
{
    int seen[all] = {0}, index = -1, done;
    for (int left = 3; left > 0; left--) {
        if (wait)
            MPI_Waitany(all, requests, &index, MPI_STATUS_IGNORE);
        for (done = wait; !done;)
            MPI_Testany(all, requests, &index, &done, MPI_STATUS_IGNORE);
        CHECK(index == 0 || index == 2 || index == 4, "number %d is complete", index);
        if (index < 0 || index >= all)
            return;
        CHECK(!seen[index], "number %d is complete twice", index);
        seen[index] = 1;
    }
    if (wait)
        MPI_Waitany(all, requests, &index, MPI_STATUS_IGNORE);
    else
        MPI_Testany(all, requests, &index, &done, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED, "of inactive requests number %d is complete", index);
}

static void complete_some(MPI_Request requests[all], int wait)
{
    int seen[all] = {0}, indices[all], count, left = 3;
    MPI_Status statuses[all];
    while (left > 0) {
        if (wait)
            MPI_Waitsome(all, requests, &count, indices, statuses);
        else
            MPI_Testsome(all, requests, &count, indices, statuses);
        CHECK(count >= wait && count <= left, "%d are complete", count);
        for (int i = 0; i < count && i < all; i++) {
            CHECK(!seen[indices[i]], "number %d is complete twice", indices[i]);
            seen[indices[i]] = 1;
        }
        left -= count < 0 ? left : count;
    }
    CHECK(seen[0] && seen[2] && seen[4], "not all are complete");
}

#ifdef GET_STATUS_OF_SEVERAL
/* Only asked for, all of them by one call, or the first alone: as long as it names a request that
 * is complete, MPI_Request_get_status_some of neither host receives messages. */
static void complete_asked(MPI_Request requests[all], int one)
{
    MPI_Request *const active[] = {&requests[0], &requests[2], &requests[4]};
    MPI_Request asked[] = {requests[0], requests[2], requests[4]};
    MPI_Status statuses[3];
    int done = 0, index = -1;
    while (!done) {
        if (one)
            MPI_Request_get_status_some(1, asked, &done, &index, statuses);
        else
            MPI_Request_get_status_all(3, asked, &done, statuses);
    }
    check_status(&statuses[0]);
    MPI_Request_get_status_any(1, asked, &index, &done, &statuses[0]);
    CHECK(done && index == 0, "MPI_Request_get_status_any: %d, number %d", done, index);
    MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
    CHECK(done, "it is not complete, though it was");
    for (int i = 1; i < 3; i++)
        MPI_Wait(active[i], MPI_STATUS_IGNORE);
}
#endif

static void complete_one(MPI_Request requests[all], int wait)
{
    for (int i = 0; i < all; i++) {
        MPI_Status status;
        int done = 0;
        if (wait)
            MPI_Wait(&requests[i], &status);
        while (!wait && !done)
            MPI_Test(&requests[i], &done, &status);
        if (i == 0)
            check_status(&status);
    }
}

static void in_all_ways(void)
{
    static void (*const ways[])(MPI_Request *, int) = {
#ifdef GET_STATUS_OF_SEVERAL
        complete_asked,
#endif
        complete_one, complete_all, complete_each, complete_some};
    static const char *const names[] = {
#ifdef GET_STATUS_OF_SEVERAL
        "get_status",
#endif
        "one", "all", "any", "some"};
    for (int way = 0; way < 2 * (int)(sizeof ways / sizeof *ways); way++) {
        int received = 0;
        MPI_Request requests[all];
        if (rank == 1) {
            target_holds();
            continue;
        }
        requests[0] = asked();
        check_not_yet(&requests[0]);
        others(requests, &received);
        go();
        ways[way / 2](requests, way % 2);
        check_got(names[way / 2]);
        CHECK(received == words, "%s: received %d", names[way / 2], received);
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL,
              "%s: a completed request is not null", names[way / 2]);
        MPI_Request_free(&requests[3]);
        unlock();
    }
}

/* ---- no process is in MPI ---- */

static void while_computing(void)
{
    MPI_Request request;
    if (rank == 1) {
        target_holds();
        return;
    }
    request = asked();
    go();
    while (__atomic_load_n(&got[0], __ATOMIC_RELAXED) == 0 ||
           __atomic_load_n(&got[words - 1], __ATOMIC_RELAXED) == 0)
        ; /* computes */
    MPI_Recv(NULL, 0, MPI_INT, 1, tag_answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_got("while computing");
    unlock();
}

/* The others of the family, all under way at once; word i is summed up twice, then read. */
static void family(void)
{
    MPI_Request requests[4];
    MPI_Status *volatile ignore = MPI_STATUSES_IGNORE; /* gcc takes it for an array of none */
    long wrong = 0;
    if (rank == 1) {
        target_holds();
        return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Raccumulate(ones, words, MPI_INT, 1, 0, words, MPI_INT, MPI_SUM, win, &requests[0]);
    MPI_Rget_accumulate(ones, words, MPI_INT, got, words, MPI_INT, 1, 0, words, MPI_INT, MPI_SUM,
                        win, &requests[1]);
    MPI_Rput(ones, words, MPI_INT, 1, words, words, MPI_INT, win, &requests[2]);
    check_not_yet(&requests[1]);
    MPI_Irecv(NULL, 0, MPI_INT, 1, tag_answer, MPI_COMM_WORLD, &requests[3]);
    go();
    MPI_Waitall(4, requests, ignore);
    for (int i = 0; i < words; i++)
        wrong += got[i] != 8 + i;
    CHECK(wrong == 0, "rget_accumulate: %ld wrong words", wrong);
    memset(got, 0, words * sizeof *got);
    MPI_Win_flush(1, win);
    MPI_Rget(got, words, MPI_INT, 1, 0, words, MPI_INT, win, &requests[0]);
    MPI_Request_free(&requests[0]); /* the unlock completes it */
    unlock();
    for (int i = 0; i < words; i++)
        wrong += got[i] != 9 + i;
    CHECK(wrong == 0, "rget whose request is freed: %ld wrong words", wrong);
}

/* ---- wrong uses, and errors ---- */

static void started_and_cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    if (rank == 1) {
        target_holds();
        return;
    }
    request = asked();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Start(&request) != MPI_SUCCESS, "MPI_Start takes it");
    CHECK(MPI_Cancel(&request) != MPI_SUCCESS, "MPI_Cancel takes it");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    go();
    MPI_Wait(&request, &status);
    check_status(&status);
    check_got("after start and cancel");
    MPI_Recv(NULL, 0, MPI_INT, 1, tag_answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    unlock();
}

/* Of memory that is not attached: on the window's error handler, and in the statuses. */

enum { nowhere = 64 };

static void check_range(int code, const char *what)
{
    CHECK(error_class(code) == MPI_ERR_RMA_RANGE, "%s gives %d", what, code);
}

/* A request that fails. The answer may be there before the call returns: then once more. */
static MPI_Request failing(MPI_Win dynamic)
{
    static int value;
    MPI_Request request;
    while (MPI_Rget(&value, 1, MPI_INT, 1, nowhere, 1, MPI_INT, dynamic, &request))
        MPI_Win_flush(1, dynamic);
    return request;
}

static MPI_Request complete(void)
{
    MPI_Request request;
    MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    return request;
}

static void fails_alone(MPI_Win dynamic)
{
    MPI_Request request;
    int value = 0, error;
    error = MPI_Rget(&value, 1, MPI_INT, 1, nowhere, 1, MPI_INT, dynamic, &request);
    if (error == MPI_SUCCESS)
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_range(error, "MPI_Wait");
    CHECK(request == MPI_REQUEST_NULL, "a failed request is not null");
    MPI_Win_flush(1, dynamic);
}

static void fails_in_all(MPI_Win dynamic)
{
    MPI_Request requests[] = {complete(), failing(dynamic)};
    MPI_Status statuses[2];
    int error;
    statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = -1;
    error = MPI_Waitall(2, requests, statuses);
    CHECK(error == MPI_ERR_IN_STATUS, "MPI_Waitall gives %d", error);
    check_range(statuses[1].MPI_ERROR, "the status of MPI_Waitall");
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS, "the other status says %d", statuses[0].MPI_ERROR);
}

/* The calls list what is complete, so the one that fails, third of all, is not third there: behind
 * a null one and a message that has not come. */
static void fails_in_some(MPI_Win dynamic, int wait)
{
    enum { bad = 2, count = 4 };
    const char *call = wait ? "MPI_Waitsome" : "MPI_Testsome";
    MPI_Request requests[count] = {MPI_REQUEST_NULL};
    MPI_Status statuses[count];
    int indices[count], done = 0, error, failed, left = 2;
    MPI_Irecv(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
    requests[bad] = failing(dynamic);
    requests[3] = complete();
    for (; left > 0; left -= done) {
        for (int i = 0; i < count; i++)
            statuses[i].MPI_ERROR = -1;
        error = wait ? MPI_Waitsome(count, requests, &done, indices, statuses)
                     : MPI_Testsome(count, requests, &done, indices, statuses);
        CHECK(done >= wait && done <= left, "%s: %d are complete", call, done);
        failed = 0;
        for (int i = 0; i < done; i++)
            failed |= indices[i] == bad;
        CHECK(error == (failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS), "%s gives %d", call, error);
        for (int i = 0; failed && i < done; i++)
            if (indices[i] == bad)
                check_range(statuses[i].MPI_ERROR, call);
            else
                CHECK(statuses[i].MPI_ERROR == MPI_SUCCESS, "%s: status %d says %d", call, i,
                      statuses[i].MPI_ERROR);
    }
    MPI_Send(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

/* Only asked for, it does not fail: neither the call that asks, nor one that completes another
 * request behind it. The call that completes it does, however often it was asked for. */
static void fails_when_completed(MPI_Win dynamic, int (*ask)(MPI_Request, int *, MPI_Status *))
{
    MPI_Request request = failing(dynamic), other;
    MPI_Status status;
    for (int round = 0; round < 2; round++) {
        for (int done = 0; !done;)
            CHECK(ask(request, &done, &status) == MPI_SUCCESS, "to ask for it fails");
        check_status(&status);
        other = complete();
        CHECK(MPI_Wait(&other, MPI_STATUS_IGNORE) == MPI_SUCCESS, "another request fails");
    }
    check_range(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait for what was asked for");
    CHECK(request == MPI_REQUEST_NULL, "a failed request is not null");
    other = complete();
    CHECK(MPI_Wait(&other, MPI_STATUS_IGNORE) == MPI_SUCCESS, "the request behind it fails");
}

#ifdef GET_STATUS_OF_SEVERAL
static int ask_all(MPI_Request request, int *flag, MPI_Status *status)
{
    return MPI_Request_get_status_all(1, &request, flag, status);
}

static int ask_any(MPI_Request request, int *flag, MPI_Status *status)
{
    int index;
    return MPI_Request_get_status_any(1, &request, &index, flag, status);
}

static int ask_some(MPI_Request request, int *flag, MPI_Status *status)
{
    int index;
    return MPI_Request_get_status_some(1, &request, flag, &index, status);
}
#endif

/* Operations without a request fail in the call that completes them, once, and it does all the rest
 * that it has to do. */

static void put_nowhere(MPI_Win dynamic)
{
    static int value;
    CHECK(MPI_Put(&value, 1, MPI_INT, 1, nowhere, 1, MPI_INT, dynamic) == MPI_SUCCESS,
          "MPI_Put fails");
}

static void fails_in_fence(MPI_Win dynamic)
{
    int error;
    MPI_Win_fence(0, dynamic);
    if (rank == 0)
        put_nowhere(dynamic);
    error = MPI_Win_fence(0, dynamic);
    if (rank == 0)
        check_range(error, "MPI_Win_fence");
    else
        CHECK(error == MPI_SUCCESS, "MPI_Win_fence of the target gives %d", error);
    CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, dynamic) == MPI_SUCCESS, "the next fence fails too");
}

static void fails_in_complete(MPI_Win dynamic)
{
    const int other = 1 - rank;
    MPI_Group all, group;
    MPI_Win_get_group(dynamic, &all);
    MPI_Group_incl(all, 1, &other, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, dynamic);
        put_nowhere(dynamic);
        check_range(MPI_Win_complete(dynamic), "MPI_Win_complete");
        MPI_Win_start(group, 0, dynamic);
        CHECK(MPI_Win_complete(dynamic) == MPI_SUCCESS, "the next MPI_Win_complete fails too");
    }
    for (int i = 0; i < 2 && rank == 1; i++) {
        MPI_Win_post(group, 0, dynamic);
        CHECK(MPI_Win_wait(dynamic) == MPI_SUCCESS, "MPI_Win_wait fails");
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void fails_in_unlock(MPI_Win dynamic)
{
    for (int i = 0; i < 2; i++) {
        MPI_Win_lock(i ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 1, 0, dynamic);
        put_nowhere(dynamic);
        check_range(MPI_Win_unlock(1, dynamic), "MPI_Win_unlock");
        MPI_Win_lock_all(0, dynamic);
        put_nowhere(dynamic);
        check_range(MPI_Win_unlock_all(dynamic), "MPI_Win_unlock_all");
        MPI_Win_lock_all(0, dynamic);
        put_nowhere(dynamic);
        check_range(MPI_Win_flush_all(dynamic), "MPI_Win_flush_all");
        CHECK(MPI_Win_unlock_all(dynamic) == MPI_SUCCESS, "MPI_Win_unlock_all fails too");
    }
}

/* A request that fails may outlive its window: then the error is MPI_COMM_WORLD's. Of two, the host
 * knows of the failure of the first before the window is freed. */

static void check_late(MPI_Request *request)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, error = MPI_Wait(request, MPI_STATUS_IGNORE);
    check_range(error, "MPI_Wait behind MPI_Win_free");
    MPI_Error_string(error, text, &length);
    CHECK(strncmp(text, "MPI_Rget: ", 10) == 0, "the text does not name MPI_Rget: %s", text);
    CHECK(*request == MPI_REQUEST_NULL, "a failed request is not null");
}

static void fails_behind_free(MPI_Win *dynamic)
{
    MPI_Request late[2], other;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, *dynamic);
        for (int i = 0; i < 2; i++) {
            late[i] = failing(*dynamic);
            MPI_Win_flush(1, *dynamic);
            other = complete();
            if (i == 0)
                MPI_Wait(&other, MPI_STATUS_IGNORE);
        }
        MPI_Win_unlock(1, *dynamic);
    }
    MPI_Win_free(dynamic);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; rank == 0 && i < 2; i++)
        check_late(&late[i]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void outside(void)
{
    MPI_Win dynamic;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
    fails_in_fence(dynamic);
    fails_in_complete(dynamic);
    if (rank == 0) {
        fails_in_unlock(dynamic);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, dynamic);
        fails_alone(dynamic);
        fails_in_all(dynamic);
        fails_in_some(dynamic, 0);
        fails_in_some(dynamic, 1);
        fails_when_completed(dynamic, MPI_Request_get_status);
#ifdef GET_STATUS_OF_SEVERAL
        fails_when_completed(dynamic, ask_all);
        fails_when_completed(dynamic, ask_any);
        fails_when_completed(dynamic, ask_some);
#endif
        MPI_Win_unlock(1, dynamic);
    }
    fails_behind_free(&dynamic);
}

/* ---- threads: one waits in the host for what comes last ---- */

static void *last(void *unused)
{
    (void)unused;
    MPI_Recv(NULL, 0, MPI_INT, 1, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void beside_a_thread(void)
{
    pthread_t thread;
    if (rank == 0)
        pthread_create(&thread, NULL, last, NULL);
    in_all_ways();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 20, MPI_COMM_WORLD);
    else
        pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int provided, threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    MPI_Win_allocate(2 * words * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    got = calloc(words, sizeof *got);
    ones = calloc(words, sizeof *ones);
    for (int i = 0; i < words; i++)
        ones[i] = 1;
    if (threads && provided == MPI_THREAD_MULTIPLE)
        beside_a_thread();
    in_all_ways();
    while_computing();
    family();
    started_and_cancelled();
    outside();
    MPI_Win_free(&win);
    free(got);
    free(ones);
    return finish("requests");
}
