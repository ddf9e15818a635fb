/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A queue of work without a server: a picture of the Mandelbrot set, computed row by row by the
 * ranks that are free. The queue is one number in rank 0's window, the first row not yet taken:
 * a rank takes rows by fetch-and-op on it, computes them, and puts them into the picture, which
 * lies behind the number.
 *
 * Rows take unequal time, and one rank is slow on purpose: it computes each of its rows several
 * times over. The others are to take the more. That works as long as no rank has to wait for the
 * slow one - least of all when it is the one that has the queue (--slow owner), and is away
 * computing while the others want to take from it.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

const char program[] = "queue";

enum { OWNER = 0 }; /* the rank that has the queue and the picture */
/* The values are the indices of the names below. */
enum { SLOW_LAST, SLOW_OWNER, SLOW_NONE };

static const char *const slow_names[] = {"last", "owner", "none", NULL};

struct options {
    int rows, cols, depth, chunk;
    int slow, factor;
    const char *picture;
};

struct run {
    struct options opt;
    int rank, ranks;
    int times; /* that this rank computes each row */
    MPI_Win win;
    void *base;      /* the window's memory; NULL or of no size but on the owner */
    uint16_t *lines; /* `chunk` rows on their way to the picture */
    long taken;      /* rows that this rank has computed */
    struct watch watch;
    double seconds;
};

/* ---- options ---- */

static void read_options(int argc, char **argv, struct options *opt)
{
    const struct example_option list[] = {
        {"size", 's', "NXxNY", "Pixels of the picture, columns x rows (256x192)",
         .size = {&opt->cols, &opt->rows, 1 << 14}},
        {"depth", 'd', "N", "Iterations after which a point belongs to the set (500)",
         .number = {&opt->depth, "depth", 1, UINT16_MAX}},
        {"chunk", 'c', "N", "Rows to take at a time (1)",
         .number = {&opt->chunk, "rows at a time", 1, 1 << 14}},
        {"slow", 'l', "last|owner|none",
         "Which rank is slow: the last one (default), the one that has the queue, or none",
         .choice = {&opt->slow, slow_names}},
        {"factor", 'f', "N", "How many times the slow rank computes each row (8)",
         .number = {&opt->factor, "factor", 1, 1000000}},
        {"picture", 'p', "FILE", "Write the picture, in greys (PGM)", .text = &opt->picture},
        {0}};
    const struct command_line line = {
        .options = list,
        .about = "Ranks take the rows of a picture from a queue, and one rank is slow.\v"
                 "The picture is compared, number by number, with one that rank 0 computes alone."};
    read_command_line(argc, argv, line);
}

/* ---- the picture ---- */

/* How many iterations a point takes to leave the circle of radius 2; `depth` if it does not. */
static uint16_t escape(double re, double im, int depth)
{
    double x = 0, y = 0;
    int i = 0;
    while (i < depth && x * x + y * y <= 4) {
        double next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
        i++;
    }
    return (uint16_t)i;
}

static void compute_row(const struct options *opt, int row, uint16_t *line)
{
    double im = 2.4 * (row + 0.5) / opt->rows - 1.2;
    for (int col = 0; col < opt->cols; col++)
        line[col] = escape(3.2 * (col + 0.5) / opt->cols - 2.3, im, opt->depth);
}

/* Displacements in the owner's window, in bytes: the queue, and behind it the picture. */
static MPI_Aint place_of_queue(void)
{
    return 0;
}

static MPI_Aint place_of_row(const struct options *opt, int row)
{
    return (MPI_Aint)sizeof(int64_t) + (MPI_Aint)row * opt->cols * (MPI_Aint)sizeof(uint16_t);
}

/* ---- the queue ---- */

/* Returns the first of the rows that are now ours; past the last row if there are none left. */
static int64_t take(struct run *run)
{
    const int64_t chunk = run->opt.chunk;
    int64_t first;
    MPI_Fetch_and_op(&chunk, &first, MPI_INT64_T, OWNER, place_of_queue(), MPI_SUM, run->win);
    MPI_Win_flush(OWNER, run->win);
    return first;
}

/* The rows have left `lines` when this returns. That they have arrived is known when the epoch
 * ends. */
static void deliver(struct run *run, int first, int count)
{
    int pixels = count * run->opt.cols;
    MPI_Put(run->lines, pixels, MPI_UINT16_T, OWNER, place_of_row(&run->opt, first), pixels,
            MPI_UINT16_T, run->win);
    MPI_Win_flush_local(OWNER, run->win);
}

static void work(struct run *run)
{
    const struct options *opt = &run->opt;
    for (int64_t first; (first = take(run)) < opt->rows;) {
        int count = opt->rows - (int)first < opt->chunk ? opt->rows - (int)first : opt->chunk;
        for (int i = 0; i < count; i++)
            for (int time = 0; time < run->times; time++)
                compute_row(opt, (int)first + i, run->lines + (size_t)i * (size_t)opt->cols);
        deliver(run, (int)first, count);
        run->taken += count;
        show_progress(&run->watch, first, opt->rows, "rows");
    }
}

/* From the first row that is taken to the last one that has arrived. */
static void run_queue(struct run *run)
{
    start_watch(&run->watch);
    MPI_Win_lock_all(0, run->win);
    work(run);
    MPI_Win_unlock_all(run->win);
    MPI_Barrier(MPI_COMM_WORLD);
    run->seconds = stop_watch(&run->watch);
}

static int slow_rank(const struct run *run)
{
    switch (run->opt.slow) {
    case SLOW_LAST:
        return run->ranks - 1;
    case SLOW_OWNER:
        return OWNER;
    default:
        return -1;
    }
}

static void set_up(struct run *run)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->ranks);
    run->times = run->rank == slow_rank(run) ? run->opt.factor : 1;
    if (run->opt.chunk > run->opt.rows)
        run->opt.chunk = run->opt.rows;
    run->lines = checked_calloc((size_t)run->opt.chunk * (size_t)run->opt.cols, sizeof(uint16_t));
    MPI_Aint bytes = run->rank == OWNER ? place_of_row(&run->opt, run->opt.rows) : 0;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &run->base, &run->win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, run->win);
    if (bytes)
        memset(run->base, 0, (size_t)bytes);
    MPI_Win_unlock(run->rank, run->win);
    MPI_Barrier(MPI_COMM_WORLD); /* the queue is there before the first one takes from it */
}

/* ---- the result ---- */

/* Returns the number of rows that differ from what the owner computes alone. */
static long compare_with_sequential(const struct options *opt, const uint16_t *picture)
{
    size_t bytes = (size_t)opt->cols * sizeof(uint16_t);
    uint16_t *line = checked_calloc((size_t)opt->cols, sizeof(uint16_t));
    long differ = 0;
    for (int row = 0; row < opt->rows; row++) {
        compute_row(opt, row, line);
        differ += memcmp(line, picture + (size_t)row * (size_t)opt->cols, bytes) != 0;
    }
    free(line);
    return differ;
}

/* The set is black, and what leaves at once is white. */
static bool write_picture(const struct options *opt, const uint16_t *picture)
{
    size_t pixels = (size_t)opt->rows * (size_t)opt->cols;
    FILE *file = open_picture(opt->picture, opt->cols, opt->rows);
    if (!file)
        return false;
    for (size_t i = 0; i < pixels; i++)
        putc(picture[i] == opt->depth ? 0 : 255 - 200 * picture[i] / opt->depth, file);
    return close_picture(file, opt->picture);
}

static void report(const struct run *run, long differ, const long *taken)
{
    const struct options *opt = &run->opt;
    print_result(!differ, run->seconds);
    printf("%dx%d pixels by %d ranks, slow: %s;", opt->cols, opt->rows, run->ranks,
           slow_names[opt->slow]);
    for (int rank = 0; rank < run->ranks; rank++)
        printf(" %ld", taken[rank]);
    printf(" rows each; ");
    print_comparison(differ, "rows", "every number as in");
}

/* Every row has been taken once if all ranks together have as many as there are. */
static bool judge_on_owner(struct run *run, const long *taken)
{
    const uint16_t *picture = (void *)((char *)run->base + place_of_row(&run->opt, 0));
    long rows = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, OWNER, 0, run->win);
    long differ = compare_with_sequential(&run->opt, picture);
    for (int rank = 0; rank < run->ranks; rank++)
        rows += taken[rank];
    if (rows != run->opt.rows) {
        fprintf(stderr, "queue: %ld rows were taken, there are %d\n", rows, run->opt.rows);
        differ += !differ;
    }
    report(run, differ, taken);
    bool good = !differ && (!run->opt.picture || write_picture(&run->opt, picture));
    MPI_Win_unlock(OWNER, run->win);
    return good;
}

static bool judge(struct run *run)
{
    long *taken = checked_calloc((size_t)run->ranks, sizeof(*taken));
    int good = 1;
    MPI_Gather(&run->taken, 1, MPI_LONG, taken, 1, MPI_LONG, OWNER, MPI_COMM_WORLD);
    if (run->rank == OWNER)
        good = judge_on_owner(run, taken);
    MPI_Bcast(&good, 1, MPI_INT, OWNER, MPI_COMM_WORLD);
    free(taken);
    return good;
}

int main(int argc, char **argv)
{
    struct run run = {.opt = {.rows = 192, .cols = 256, .depth = 500, .chunk = 1, .factor = 8}};
    read_options(argc, argv, &run.opt); /* before MPI_Init: --help needs no MPI */
    MPI_Init(&argc, &argv);
    set_up(&run);
    run_queue(&run);
    bool good = judge(&run);
    MPI_Win_free(&run.win);
    free(run.lines);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
