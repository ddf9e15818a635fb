/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several windows over the same memory, of communicators that differ: of its owner alone, of the
 * owner and another rank, of all. Every rank adds to the same elements at the same time, the owner
 * through one of the windows and the others through another; nothing may be lost.
 */
#include "window.h"

enum { words = 8192, long_words = 6 };

/* Whose memory it is: rank 0's. */
enum memory { HEAP, STACK, ALLOCATED, MEMORIES };
static const char *const memory_names[] = {"heap", "stack", "MPI_Alloc_mem"};

/* In which order the windows come. AGAIN: the second one is freed and made anew. */
enum order { NARROW_FIRST, WIDE_FIRST, AGAIN, ORDERS };
static const char *const order_names[] = {"narrow first", "wide first", "wide made again"};

/* A window over the memory, or over none, on a rank that is not in comm. */
struct part {
    MPI_Win win;
    MPI_Comm comm;
    MPI_Aint at; /* displacement of rank 0's memory */
    int dynamic;
};

static int64_t *base; /* rank 0's memory; NULL elsewhere */

static void open_part(struct part *p)
{
    MPI_Aint bytes = base ? words * (MPI_Aint)sizeof *base : 0;
    if (p->comm == MPI_COMM_NULL)
        return;
    p->at = 0;
    if (!p->dynamic) {
        MPI_Win_create(base, bytes, sizeof *base, MPI_INFO_NULL, p->comm, &p->win);
    } else {
        MPI_Win_create_dynamic(MPI_INFO_NULL, p->comm, &p->win);
        if (base) {
            MPI_Win_attach(p->win, base, bytes);
            MPI_Get_address(base, &p->at);
        }
        MPI_Bcast(&p->at, 1, MPI_AINT, 0, p->comm);
    }
    MPI_Win_lock_all(0, p->win);
}

static void close_part(struct part *p)
{
    if (p->comm == MPI_COMM_NULL)
        return;
    MPI_Win_unlock_all(p->win);
    MPI_Barrier(p->comm);
    if (p->dynamic && base)
        MPI_Win_detach(p->win, base);
    MPI_Win_free(&p->win);
}

static void open_both(struct part *narrow, struct part *wide, enum order order)
{
    if (order == WIDE_FIRST) {
        open_part(wide);
        open_part(narrow);
        return;
    }
    open_part(narrow);
    open_part(wide);
    if (order == AGAIN) {
        close_part(wide);
        open_part(wide);
    }
}

static int rounds; /* of additions, at least */

/* How often another rank has added between two additions of this one. */
static int64_t add(const struct part *p, int n, int times)
{
    static const int64_t ones[long_words] = {1, 1, 1, 1, 1, 1};
    int64_t old, last = -1, met = 0;
    for (int i = 0; i < times; i++) {
        if (n == 1)
            MPI_Fetch_and_op(ones, &old, MPI_INT64_T, 0, p->at, MPI_SUM, p->win);
        else
            MPI_Accumulate(ones, n, MPI_INT64_T, 0, p->at, n, MPI_INT64_T, MPI_SUM, p->win);
        if (n > 1 || !shares_memory())
            continue; /* the result comes later */
        met += old != last + 1;
        last = old;
    }
    MPI_Win_flush(0, p->win);
    return met;
}

/* Goes on until all have added as much and, where they see it, have met as often, however busy the
 * machine is; but not for long. */
static int64_t add_until_all_have(const struct part *p, int n)
{
    enum { at_once = 100, times_most = 30 };
    const int sees = n == 1 && shares_memory();
    MPI_Request request = MPI_REQUEST_NULL;
    int64_t added = 0, met = 0;
    for (int done = 0; !done; added += at_once) {
        met += add(p, n, at_once);
        if (added < rounds || (sees && met < rounds && added < (int64_t)rounds * times_most))
            continue;
        if (request == MPI_REQUEST_NULL)
            MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    return added;
}

/* Processes of the narrow window add through that one, the others through the wide one. */
static void add_all(const struct part *narrow, const struct part *wide, int n, const char *what)
{
    int64_t added, expected;
    if (base)
        memset(base, 0, words * sizeof *base);
    MPI_Win_sync(wide->win);
    MPI_Barrier(MPI_COMM_WORLD);
    added = add_until_all_have(narrow->comm == MPI_COMM_NULL ? wide : narrow, n);
    MPI_Allreduce(&added, &expected, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_sync(wide->win);
    for (int i = 0; base && i < n; i++)
        CHECK(base[i] == expected, "%s, word %d: %lld of %lld additions are lost", what, i,
              (long long)(expected - base[i]), (long long)expected);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Most where the memory is adopted: faults that mix two guards show there. */
static int rounds_of(enum memory memory, enum order order, int n)
{
    return shares_memory() && n == 1 && memory == HEAP && order == WIDE_FIRST ? 30000 : 300;
}

static void check_pair(MPI_Comm narrow_comm, const char *whose, int dynamic, enum memory memory,
                       enum order order, int n)
{
    struct part narrow = {.comm = narrow_comm, .dynamic = dynamic & 1},
                wide = {.comm = MPI_COMM_WORLD, .dynamic = dynamic >> 1};
    char what[120];
    snprintf(what, sizeof what, "%s%s beside %s all ranks, %s, %s, %d elements",
             narrow.dynamic ? "dynamic of " : "", whose, wide.dynamic ? "dynamic of " : "",
             memory_names[memory], order_names[order], n);
    rounds = rounds_of(memory, order, n);
    open_both(&narrow, &wide, order);
    add_all(&narrow, &wide, n, what);
    close_part(&narrow);
    close_part(&wide);
}

/* Long operations at the end: they make the owner's memory go over to stripes, for good. */
static void check_pairs(MPI_Comm narrow, const char *whose, enum memory memory, int n)
{
    for (int order = 0; order < ORDERS; order++)
        for (int dynamic = 0; dynamic < 4; dynamic++)
            check_pair(narrow, whose, dynamic, memory, (enum order)order, n);
}

static void on_memory(MPI_Comm pair, enum memory memory, int n)
{
    int64_t on_stack[words];
    int64_t *brought = NULL;
    MPI_Comm alone = rank == 0 ? MPI_COMM_SELF : MPI_COMM_NULL;
    if (rank == 0 && memory == HEAP)
        brought = need(aligned_alloc(65536, words * sizeof *brought));
    else if (rank == 0 && memory == ALLOCATED)
        MPI_Alloc_mem(words * sizeof *brought, MPI_INFO_NULL, &brought);
    base = rank == 0 && memory == STACK ? on_stack : brought;
    check_pairs(alone, "its owner", memory, n);
    check_pairs(pair, "two ranks", memory, n);
    if (brought && memory == HEAP)
        free(brought);
    else if (brought)
        MPI_Free_mem(brought);
    base = NULL;
}

int main(int argc, char **argv)
{
    MPI_Comm pair;
    start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank == nranks - 1 ? 0 : MPI_UNDEFINED, rank,
                   &pair);
    for (int n = 1; n <= long_words; n += long_words - 1)
        for (int memory = 0; memory < MEMORIES; memory++)
            on_memory(pair, (enum memory)memory, n);
    if (pair != MPI_COMM_NULL)
        MPI_Comm_free(&pair);
    return finish("atomic_windows");
}
