/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mixed workload for test/nodes/faults: mixed SECONDS [SEED]. Rounds of random kinds, the same on
 * all ranks: accumulates and locked increments whose sums must be exact in the end, rings of puts
 * by fence and by post and start, long puts that are read back; on windows of several flavors.
 *
 * Ends with status 0 and a line "ok mixed" if all went well; 3 after a line "lost: " if a process
 * was gone or given up, as an error said; 1 after a line "FAILED" if the windows were not Proa's; 1
 * after a line "wrong: " otherwise.
 */
#include "window.h"

enum { KINDS = 3, WORDS = 1 << 14, SLOTS = 32, LONG_AT = 1024, LONG = 8192, EACH = 10 };
enum { RING_AT = SLOTS, LOCKED_AT = SLOTS + 8 };

static struct area areas[KINDS];
static long *issued[KINDS]; /* added by this rank, by target and slot */
static long round_number;
static uint64_t seed;

static void end_with(int status, const char *kind, const char *what)
{
    printf("%s: rank %d, round %ld: %s\n", kind, rank, round_number, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, status);
}

/* The two sentences of a loss: of another process, and of this one. */
static int is_of_loss(const char *text)
{
    return strstr(text, "is gone") || strstr(text, "have given this process up");
}

/* Every call of a window. */
static void try(int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &length);
    end_with(is_of_loss(text) ? 3 : 1, is_of_loss(text) ? "lost" : "wrong", text);
}

static void expect(const char *what, long found, long expected)
{
    char text[200];

    if (found == expected)
        return;
    snprintf(text, sizeof text, "%s: %ld instead of %ld", what, found, expected);
    end_with(1, "wrong", text);
}

static long *words_of(const struct area *a)
{
    return a->base;
}

/* ---- kinds of rounds; ours: the source of the differences between ranks ---- */

static void sums(struct area *a, int kind, uint64_t *ours)
{
    const long one = 1;

    try(MPI_Win_lock_all(0, a->win));
    for (int i = 0; i < EACH; i++) {
        int target = random_below(ours, nranks), slot = random_below(ours, SLOTS);
        long was;

        if (i % 3)
            try(MPI_Accumulate(&one, 1, MPI_LONG, target, disp_at(a, target, slot), 1, MPI_LONG,
                               MPI_SUM, a->win));
        else
            try(MPI_Fetch_and_op(&one, &was, MPI_LONG, target, disp_at(a, target, slot), MPI_SUM,
                                 a->win));
        issued[kind][target * SLOTS + slot]++;
    }
    try(MPI_Win_unlock_all(a->win));
}

/* A word of rank 0 that only locks guard. */
static void locked(struct area *a, int kind, uint64_t *ours)
{
    long value = -1;
    int target = random_below(ours, nranks);

    (void)kind;
    try(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a->win));
    try(MPI_Get(&value, 1, MPI_LONG, target, disp_at(a, target, LOCKED_AT), 1, MPI_LONG, a->win));
    try(MPI_Win_flush(target, a->win));
    value++;
    try(MPI_Put(&value, 1, MPI_LONG, target, disp_at(a, target, LOCKED_AT), 1, MPI_LONG, a->win));
    try(MPI_Win_unlock(target, a->win));
    issued[kind][nranks * SLOTS + target]++;
}

static void fenced(struct area *a, int kind, uint64_t *ours)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    long value = round_number * nranks + rank;

    (void)kind, (void)ours;
    try(MPI_Win_fence(0, a->win));
    try(MPI_Put(&value, 1, MPI_LONG, right, disp_at(a, right, RING_AT), 1, MPI_LONG, a->win));
    try(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
    expect("fence", words_of(a)[RING_AT], round_number * nranks + left);
}

static void posted(struct area *a, int kind, uint64_t *ours)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    long value = round_number * nranks + rank;
    MPI_Group to = group_of_one(right), from = group_of_one(left);

    (void)kind, (void)ours;
    try(MPI_Win_post(from, 0, a->win));
    try(MPI_Win_start(to, 0, a->win));
    try(MPI_Put(&value, 1, MPI_LONG, right, disp_at(a, right, RING_AT + 1), 1, MPI_LONG, a->win));
    try(MPI_Win_complete(a->win));
    try(MPI_Win_wait(a->win));
    expect("post and start", words_of(a)[RING_AT + 1], round_number * nranks + left);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

/* The right neighbour's stretch is ours alone. */
static void long_ones(struct area *a, int kind, uint64_t *ours)
{
    static long values[LONG], back[LONG];
    int right = (rank + 1) % nranks, n = 1 + random_below(ours, LONG);

    (void)kind;
    for (int i = 0; i < n; i++)
        values[i] = round_number * LONG + i;
    try(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win));
    try(MPI_Put(values, n, MPI_LONG, right, disp_at(a, right, LONG_AT), n, MPI_LONG, a->win));
    try(MPI_Win_flush(right, a->win));
    try(MPI_Get(back, n, MPI_LONG, right, disp_at(a, right, LONG_AT), n, MPI_LONG, a->win));
    try(MPI_Win_unlock(right, a->win));
    for (int i = 0; i < n; i++)
        expect("long put", back[i], values[i]);
}

/* ---- all of it ---- */

static void verify(struct area *a, int kind)
{
    int n = nranks * (SLOTS + 1);
    long *all = need(calloc((size_t)n, sizeof *all));

    MPI_Allreduce(issued[kind], all, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    try(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win));
    for (int i = 0; i < SLOTS; i++)
        expect("sum", words_of(a)[i], all[rank * SLOTS + i]);
    expect("locked", words_of(a)[LOCKED_AT], all[nranks * SLOTS + rank]);
    try(MPI_Win_unlock(rank, a->win));
    free(all);
}

static void one_round(void)
{
    static void (*const kinds[])(struct area *, int, uint64_t *) = {sums, locked, fenced, posted,
                                                                    long_ones};
    int kind = random_below(&seed, KINDS), what = random_below(&seed, 5);
    uint64_t ours = next_random(&seed) + (uint64_t)rank;

    kinds[what](&areas[kind], kind, &ours);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1, began;
    int go_on;

    seed = argc > 2 ? (uint64_t)atol(argv[2]) : 1;
    start(&argc, &argv);
    for (int kind = 0; kind < KINDS; kind++) {
        areas[kind] = open_area(kind, WORDS * sizeof(long), sizeof(long), MPI_COMM_WORLD);
        MPI_Win_set_errhandler(areas[kind].win, MPI_ERRORS_RETURN);
        issued[kind] = need(calloc((size_t)nranks * (SLOTS + 1), sizeof(long)));
    }
    check_served(); /* before an error of the host's own windows looks like one of Proa's */
    go_on = check_failures == 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && go_on)
        printf("begun\n");
    fflush(stdout);
    began = MPI_Wtime();
    for (; go_on; round_number++) {
        one_round();
        if (round_number % 16 == 0) {
            go_on = MPI_Wtime() < began + seconds;
            MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; kind < KINDS; kind++) {
        verify(&areas[kind], kind);
        close_area(&areas[kind]);
    }
    if (rank == 0)
        printf("%ld rounds\n", round_number);
    return finish("mixed");
}
