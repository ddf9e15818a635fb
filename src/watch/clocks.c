/* SPDX-License-Identifier: BSD-3-Clause */
/* See clocks.h. */
#include "watch/clocks.h"
#include "host/pmpi.h"
#include "shm/peer.h"
#include "trace/recorder.h"

enum { ROUNDS = 20, DUE_LEAST_NS = 10000000, DUE_MOST_NS = 1000000000 };

/* Reply of the other node. */
struct answer {
    int64_t ns;
    uint64_t node;
};

MPI_Comm proa_clocks_open(const struct proa_win *win, MPI_Comm comm)
{
    MPI_Comm nodes = MPI_COMM_NULL;
    int is_first = win->leader == win->ctl;

    if (proa_pmpi()->Comm_split(comm, is_first ? 0 : MPI_UNDEFINED, win->rank, &nodes) !=
        MPI_SUCCESS)
        return MPI_COMM_NULL;
    return nodes;
}

/* Replaces MPI_Recv, which the host's header of the standard ABI does not declare. */
static int receive(void *data, int bytes, int from, MPI_Comm nodes)
{
    MPI_Request request;
    int error = proa_pmpi()->Irecv(data, bytes, MPI_BYTE, from, 0, nodes, &request);

    return error == MPI_SUCCESS ? proa_pmpi()->Wait(&request, MPI_STATUS_IGNORE) : error;
}

/* Keeps the reply with the shortest round trip: the other clock was read during it. */
static int ask(MPI_Comm nodes, int other, struct proa_trace_record *best)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct answer answer;
        int64_t before = proa_trace_now_ns(), after;

        if (proa_pmpi()->Send(NULL, 0, MPI_BYTE, other, 0, nodes) != MPI_SUCCESS ||
            receive(&answer, sizeof answer, other, nodes) != MPI_SUCCESS)
            return 0;
        after = proa_trace_now_ns();
        if (i && (uint64_t)(after - before) / 2 >= best->bytes)
            continue;
        best->begin = (uint64_t)(before + (after - before) / 2);
        best->end = (uint64_t)answer.ns;
        best->bytes = (uint64_t)(after - before) / 2 + 1;
        best->value = answer.node;
    }
    return 1;
}

static void answer(MPI_Comm nodes)
{
    struct answer answer = {.node = proa_hello_of(proa_self).node};

    for (int i = 0; i < ROUNDS; i++) {
        if (receive(NULL, 0, 0, nodes) != MPI_SUCCESS)
            return;
        answer.ns = proa_trace_now_ns();
        if (proa_pmpi()->Send(&answer, sizeof answer, MPI_BYTE, 0, 0, nodes) != MPI_SUCCESS)
            return;
    }
}

/* Returns how long a comparison stays valid. span_ns: time from the first comparison to the last
 * one, nanoseconds. This span gives the relative speed of the clocks, and the time since the last
 * comparison must be a small part of it. */
static int64_t holds_ns(int64_t span_ns)
{
    const int64_t ns = span_ns / 8;

    return ns < DUE_LEAST_NS ? DUE_LEAST_NS : ns > DUE_MOST_NS ? DUE_MOST_NS : ns;
}

/* The first window compares the clocks. Later windows do so when they are created and freed, at a
 * limited rate. */
static int is_due(int count)
{
    static int64_t first_ns, last_ns;
    static int last_count;
    int64_t now_ns = proa_trace_now_ns();

    if (last_count == count && now_ns - last_ns < holds_ns(last_ns - first_ns))
        return 0;
    if (last_count != count)
        first_ns = now_ns;
    last_ns = now_ns;
    last_count = count;
    return 1;
}

void proa_clocks_compare(MPI_Comm nodes)
{
    int rank = 0, count = 0, due = 0;

    if (nodes == MPI_COMM_NULL)
        return;
    proa_pmpi()->Comm_rank(nodes, &rank);
    proa_pmpi()->Comm_size(nodes, &count);
    if (rank == 0)
        due = is_due(count);
    if (proa_pmpi()->Bcast(&due, 1, MPI_INT, 0, nodes) != MPI_SUCCESS || !due)
        return;
    if (rank != 0)
        answer(nodes);
    for (int other = 1; rank == 0 && other < count; other++) {
        struct proa_trace_record best = {.rank = -1, .kind = PROA_TRACE_CLOCK};

        if (ask(nodes, other, &best))
            proa_trace_put(&best);
    }
}
