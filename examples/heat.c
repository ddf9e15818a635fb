/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat in a plate: explicit time steps on a grid that is cut into one block per rank. Before each
 * step every rank puts the edge of its block into its neighbours' ghost cells, which is what
 * one-sided communication is best at: the edges and their places never change.
 *
 * A window holds, in doubles: field 0, field 1 (each with a rim of ghost cells), and for each field
 * the strip for the west neighbour's column and the strip for the east one's. A step reads one
 * field and writes the other. Rows go straight into the neighbour's ghost row. Columns do not lie
 * together in memory: they are packed, put into the strip, and copied from there into the ghost
 * column.
 *
 * The rule that fences, locks, and post and start keep: between the moment a rank lets its
 * neighbours put and the moment it knows that they have, it stores nothing into its window. That is
 * what the standard asks of programs that also want to run where window memory is not coherent
 * (MPI_WIN_SEPARATE). With notified puts (proa_notify.h) a rank lets its neighbours put at all
 * times, and needs coherent memory (MPI_WIN_UNIFIED).
 */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROA_MPI_NAMES
#include <proa_notify.h>

#include "example.h"

const char program[] = "heat";

enum { NORTH, SOUTH, WEST, EAST, SIDES };
static const int opposite[SIDES] = {SOUTH, NORTH, EAST, WEST};
/* The values are the indices of the names below. */
enum { PSCW, FENCE, LOCK, NOTIFY };
enum { ALLOCATE, CREATE };

static const char *const sync_names[] = {"pscw", "fence", "lock", "notify", NULL};
static const char *const window_names[] = {"allocate", "create", NULL};

struct options {
    int rows, cols, steps;
    int sync;
    int window;
    const char *picture;
};

/* A rank's part of the plate: where it starts and how large it is, without the ghost cells. */
struct block {
    int row0, rows, col0, cols;
};

struct run {
    struct options opt;
    MPI_Comm grid;
    int rank, ranks;
    int dims[2];
    struct block mine;
    int neighbour[SIDES]; /* MPI_PROC_NULL at the edge of the plate: a put to it does nothing */
    struct block theirs[SIDES];
    MPI_Group peers; /* the neighbours that exist, for post and start */
    MPI_Win win;
    double *base;          /* the window's memory */
    double *column[SIDES]; /* packed copies of the first and the last column (WEST and EAST only) */
};

/* ---- options ---- */

static void read_options(int argc, char **argv, struct options *opt)
{
    const struct example_option list[] = {
        {"size", 's', "NXxNY", "Cells of the plate, columns x rows (256x256)",
         .size = {&opt->cols, &opt->rows, INT_MAX}},
        {"steps", 'n', "N", "Time steps (100)", .number = {&opt->steps, "steps", 0, INT_MAX},
         .wanted = "a number"},
        {"sync", 'y', "pscw|fence|lock|notify",
         "Synchronize by post/start/complete/wait (default), fences, locks and barriers, or "
         "notified puts",
         .choice = {&opt->sync, sync_names}},
        {"window", 'w', "allocate|create",
         "Memory from MPI_Win_allocate (default), or from malloc given to MPI_Win_create",
         .choice = {&opt->window, window_names}},
        {"picture", 'p', "FILE", "Write the last field as a grey picture (PGM)",
         .text = &opt->picture},
        {0}};
    const struct command_line line = {
        .options = list,
        .about = "Heat spreading in a plate, halos exchanged by one-sided puts.\v"
                 "The result is compared, bit for bit, with a sequential run of the same steps."};
    read_command_line(argc, argv, line);
}

/* ---- the scheme ---- */

/* Temperature of a cell at the start: a ring and a spot in it. Row -1, column -1 and so on are the
 * plate's edge, which keeps its temperature: warm above, cold elsewhere. */
static double initial(const struct options *opt, int row, int col)
{
    double side = fmin(opt->rows, opt->cols);
    if (row < 0)
        return 100 * sin(M_PI * (col + 0.5) / opt->cols);
    if (row >= opt->rows || col < 0 || col >= opt->cols)
        return 0;
    double r = hypot(col + 0.5 - 0.5 * opt->cols, row + 0.5 - 0.55 * opt->rows) / side;
    double ring = (r - 0.28) / 0.04, spot = r / 0.08;
    return 100 * exp(-ring * ring) + 80 * exp(-spot * spot);
}

static size_t field_cells(const struct block *b)
{
    return (size_t)(b->rows + 2) * (size_t)(b->cols + 2);
}

/* Index, in a field with ghost cells, of a cell of the block; -1 and rows (or cols) name the
 * ghosts. */
static size_t cell(const struct block *b, int row, int col)
{
    return (size_t)(row + 1) * (size_t)(b->cols + 2) + (size_t)(col + 1);
}

static void fill(const struct options *opt, const struct block *b, double *field)
{
    for (int i = -1; i <= b->rows; i++)
        for (int j = -1; j <= b->cols; j++)
            field[cell(b, i, j)] = initial(opt, b->row0 + i, b->col0 + j);
}

/* One time step. The one place where numbers are made: the order of the additions is fixed here, so
 * that the sequential run gives the same bits. (The build forbids fused multiply-add for this file,
 * as a compiler might fuse in one copy of the loop only.) */
static void relax(const struct block *b, const double *restrict from, double *restrict to)
{
    const size_t width = (size_t)b->cols + 2;
    for (int i = 0; i < b->rows; i++) {
        const double *here = from + cell(b, i, 0), *above = here - width, *below = here + width;
        double *out = to + cell(b, i, 0);
        for (ptrdiff_t j = 0; j < b->cols; j++)
            out[j] = here[j] +
                     0.2 * (((above[j] + below[j]) + (here[j - 1] + here[j + 1])) - 4 * here[j]);
    }
}

/* ---- halos ---- */

static double *field(const struct run *run, int which)
{
    return run->base + (size_t)which * field_cells(&run->mine);
}

/* Displacement, in the window of a rank that has this block, of the strip for its west or east
 * neighbour's column of a field. */
static MPI_Aint strip(const struct block *b, int which, int side)
{
    return (MPI_Aint)(2 * field_cells(b) + (size_t)(2 * which + (side == EAST)) * (size_t)b->rows);
}

static void pack_columns(struct run *run, int which)
{
    const struct block *b = &run->mine;
    const double *from = field(run, which);
    for (int i = 0; i < b->rows; i++) {
        run->column[WEST][i] = from[cell(b, i, 0)];
        run->column[EAST][i] = from[cell(b, i, b->cols - 1)];
    }
}

/* Where there is no neighbour the ghosts are the plate's edge and stay as they are. */
static void unpack_columns(struct run *run, int which)
{
    const struct block *b = &run->mine;
    double *to = field(run, which);
    for (int i = 0; i < b->rows && run->neighbour[WEST] != MPI_PROC_NULL; i++)
        to[cell(b, i, -1)] = run->base[strip(b, which, WEST) + i];
    for (int i = 0; i < b->rows && run->neighbour[EAST] != MPI_PROC_NULL; i++)
        to[cell(b, i, b->cols)] = run->base[strip(b, which, EAST) + i];
}

/* The counter of a rank that its neighbour on that side counts up. */
static int counter_of(int which, int side)
{
    return which * SIDES + side;
}

static void put(struct run *run, int which, int side, const double *from, int count, MPI_Aint disp)
{
    int to = run->neighbour[side];
    if (run->opt.sync == NOTIFY)
        MPI_Put_notify(from, count, MPI_DOUBLE, to, disp, count, MPI_DOUBLE,
                       counter_of(which, opposite[side]), run->win);
    else
        MPI_Put(from, count, MPI_DOUBLE, to, disp, count, MPI_DOUBLE, run->win);
}

/* Puts one edge of the block where the neighbour on that side needs it: my north edge is the
 * neighbour's south ghost. */
static void put_edge(struct run *run, int which, int side)
{
    const struct block *b = &run->mine, *t = &run->theirs[side];
    const double *from = run->column[side];
    MPI_Aint disp = 0;
    int count = b->cols;
    if (run->neighbour[side] == MPI_PROC_NULL)
        return;
    switch (side) {
    case NORTH:
        from = field(run, which) + cell(b, 0, 0);
        disp = (MPI_Aint)((size_t)which * field_cells(t) + cell(t, t->rows, 0));
        break;
    case SOUTH:
        from = field(run, which) + cell(b, b->rows - 1, 0);
        disp = (MPI_Aint)((size_t)which * field_cells(t) + cell(t, -1, 0));
        break;
    case WEST:
        disp = strip(t, which, EAST);
        count = b->rows;
        break;
    case EAST:
        disp = strip(t, which, WEST);
        count = b->rows;
        break;
    }
    put(run, which, side, from, count, disp);
}

static void put_edges(struct run *run, int which)
{
    for (int side = 0; side < SIDES; side++)
        put_edge(run, which, side);
}

/* Post before start on every rank: a start may wait for the posts, and so must never come first. */
static void exchange_pscw(struct run *run, int which)
{
    MPI_Win_post(run->peers, 0, run->win);
    MPI_Win_start(run->peers, 0, run->win);
    put_edges(run, which);
    MPI_Win_complete(run->win);
    MPI_Win_wait(run->win);
}

/* Two fences: the first one says that all ranks are done computing, the second one that all puts
 * have arrived. */
static void exchange_fence(struct run *run, int which)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, run->win);
    put_edges(run, which);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, run->win);
}

/* The neighbours put into different cells, so a shared lock is enough. Locks order nothing between
 * the ranks: the barriers do. That the puts become visible to the owner's loads is the work of the
 * owner's own lock, in open_own. */
static void exchange_lock(struct run *run, int which)
{
    MPI_Barrier(run->grid);
    for (int side = 0; side < SIDES; side++) {
        if (run->neighbour[side] == MPI_PROC_NULL)
            continue;
        MPI_Win_lock(MPI_LOCK_SHARED, run->neighbour[side], 0, run->win);
        put_edge(run, which, side);
        MPI_Win_unlock(run->neighbour[side], run->win);
    }
    MPI_Barrier(run->grid);
}

/* No rank says that its neighbours may put: with two fields they cannot come too early. A neighbour
 * puts into this field again two steps later, when it has had this rank's edges of the step
 * between. Nor do two puts count up one counter at a time, since each field and side has its own.
 */
static void exchange_notify(struct run *run, int step)
{
    int which = step % 2;
    put_edges(run, which);
    for (int side = 0; side < SIDES; side++)
        if (run->neighbour[side] != MPI_PROC_NULL)
            PROA_Win_wait_notify(run->win, counter_of(which, side), step / 2 + 1);
    MPI_Win_flush_local_all(run->win); /* the edges may change */
}

static void exchange(struct run *run, int step)
{
    int which = step % 2;
    pack_columns(run, which);
    switch (run->opt.sync) {
    case PSCW:
        exchange_pscw(run, which);
        break;
    case FENCE:
        exchange_fence(run, which);
        break;
    case LOCK:
        exchange_lock(run, which);
        break;
    case NOTIFY:
        exchange_notify(run, step);
        break;
    }
}

/* Loads and stores on the own window belong inside a lock when the others reach it by locks. */
static void open_own(struct run *run)
{
    if (run->opt.sync == LOCK)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, run->win);
}

static void close_own(struct run *run)
{
    if (run->opt.sync == LOCK)
        MPI_Win_unlock(run->rank, run->win);
}

static void fill_own(struct run *run)
{
    open_own(run);
    fill(&run->opt, &run->mine, field(run, 0));
    fill(&run->opt, &run->mine, field(run, 1));
    close_own(run);
}

/* With notified puts one epoch lasts for all steps. */
static void open_all(struct run *run)
{
    if (run->opt.sync != NOTIFY)
        return;
    MPI_Win_set_num_notify(run->win, MPI_INFO_NULL, 2 * SIDES);
    MPI_Win_lock_all(0, run->win);
    MPI_Win_sync(run->win); /* the fields are filled; the barrier follows */
}

static void close_all(struct run *run)
{
    if (run->opt.sync == NOTIFY)
        MPI_Win_unlock_all(run->win);
}

/* Returns the slowest rank's time, on every rank. */
static double run_steps(struct run *run)
{
    struct watch watch;
    start_watch(&watch);
    for (int step = 0; step < run->opt.steps; step++) {
        int which = step % 2;
        exchange(run, step);
        open_own(run);
        unpack_columns(run, which);
        relax(&run->mine, field(run, which), field(run, 1 - which));
        close_own(run);
    }
    return stop_watch(&watch);
}

/* ---- set-up ---- */

static struct block block_of(const struct run *run, int rank)
{
    int coords[2];
    MPI_Cart_coords(run->grid, rank, 2, coords);
    struct block b = {.row0 = first_of(run->opt.rows, coords[0], run->dims[0]),
                      .col0 = first_of(run->opt.cols, coords[1], run->dims[1])};
    b.rows = first_of(run->opt.rows, coords[0] + 1, run->dims[0]) - b.row0;
    b.cols = first_of(run->opt.cols, coords[1] + 1, run->dims[1]) - b.col0;
    return b;
}

static void find_neighbours(struct run *run)
{
    int present[SIDES], count = 0;
    MPI_Group all;
    MPI_Cart_shift(run->grid, 0, 1, &run->neighbour[NORTH], &run->neighbour[SOUTH]);
    MPI_Cart_shift(run->grid, 1, 1, &run->neighbour[WEST], &run->neighbour[EAST]);
    for (int side = 0; side < SIDES; side++) {
        if (run->neighbour[side] == MPI_PROC_NULL)
            continue;
        run->theirs[side] = block_of(run, run->neighbour[side]);
        present[count++] = run->neighbour[side];
    }
    MPI_Comm_group(run->grid, &all);
    MPI_Group_incl(all, count, present, &run->peers);
    MPI_Group_free(&all);
}

static void make_window(struct run *run)
{
    MPI_Aint bytes = (strip(&run->mine, 1, EAST) + run->mine.rows) * (MPI_Aint)sizeof(double);
    if (run->opt.window == ALLOCATE) {
        MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, run->grid, &run->base, &run->win);
        return;
    }
    run->base = checked_calloc((size_t)bytes, 1);
    MPI_Win_create(run->base, bytes, sizeof(double), MPI_INFO_NULL, run->grid, &run->win);
}

/* Returns false, on every rank, if there are more ranks than rows or columns to give them. */
static bool set_up(struct run *run)
{
    int periods[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &run->ranks);
    MPI_Dims_create(run->ranks, 2, run->dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, run->dims, periods, 1, &run->grid);
    MPI_Comm_rank(run->grid, &run->rank);
    if (run->opt.rows < run->dims[0] || run->opt.cols < run->dims[1]) {
        if (run->rank == 0)
            fprintf(stderr, "heat: %dx%d cells (columns x rows) are too few for %dx%d ranks\n",
                    run->opt.cols, run->opt.rows, run->dims[1], run->dims[0]);
        MPI_Comm_free(&run->grid);
        return false;
    }
    run->mine = block_of(run, run->rank);
    find_neighbours(run);
    run->column[WEST] = checked_calloc((size_t)run->mine.rows, sizeof(double));
    run->column[EAST] = checked_calloc((size_t)run->mine.rows, sizeof(double));
    make_window(run);
    return true;
}

static void tear_down(struct run *run)
{
    MPI_Win_free(&run->win);
    if (run->opt.window == CREATE)
        free(run->base);
    free(run->column[WEST]);
    free(run->column[EAST]);
    if (run->peers != MPI_GROUP_EMPTY)
        MPI_Group_free(&run->peers);
    MPI_Comm_free(&run->grid);
}

/* ---- the result ---- */

/* Brings the whole field together in a window of rank 0: every rank puts its rows where they
 * belong. */
static void collect(struct run *run, MPI_Win *win, double **whole)
{
    const struct block *b = &run->mine;
    const double *from = field(run, run->opt.steps % 2);
    MPI_Aint bytes =
        run->rank == 0 ? (MPI_Aint)run->opt.rows * run->opt.cols * (MPI_Aint)sizeof(double) : 0;
    MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, run->grid, whole, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, *win);
    for (int i = 0; i < b->rows; i++)
        MPI_Put(from + cell(b, i, 0), b->cols, MPI_DOUBLE, 0,
                (MPI_Aint)(b->row0 + i) * run->opt.cols + b->col0, b->cols, MPI_DOUBLE, *win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, *win);
}

/* Rank 0 repeats everything alone. Returns the number of cells whose bits differ. */
static long compare_with_sequential(const struct options *opt, const double *whole)
{
    struct block all = {.rows = opt->rows, .cols = opt->cols};
    double *fields[2] = {checked_calloc(field_cells(&all), sizeof(double)),
                         checked_calloc(field_cells(&all), sizeof(double))};
    long differ = 0;
    fill(opt, &all, fields[0]);
    fill(opt, &all, fields[1]);
    for (int step = 0; step < opt->steps; step++)
        relax(&all, fields[step % 2], fields[1 - step % 2]);
    for (int i = 0; i < opt->rows; i++)
        for (int j = 0; j < opt->cols; j++)
            differ +=
                memcmp(&fields[opt->steps % 2][cell(&all, i, j)],
                       whole + (size_t)i * (size_t)opt->cols + (size_t)j, sizeof(double)) != 0;
    free(fields[0]);
    free(fields[1]);
    return differ;
}

/* Square root of the temperature: the eye tells dark greys apart better than bright ones. */
static bool write_picture(const struct options *opt, const double *whole)
{
    size_t cells = (size_t)opt->rows * (size_t)opt->cols;
    double hottest = 1e-9;
    FILE *file = open_picture(opt->picture, opt->cols, opt->rows);
    if (!file)
        return false;
    for (size_t i = 0; i < cells; i++)
        hottest = fmax(hottest, whole[i]);
    for (size_t i = 0; i < cells; i++)
        putc((int)(255 * sqrt(fmax(whole[i], 0) / hottest) + 0.5), file);
    return close_picture(file, opt->picture);
}

static void report(const struct run *run, long differ, double seconds)
{
    const struct options *opt = &run->opt;
    print_result(!differ, seconds);
    printf("%dx%d cells, %d steps on %dx%d ranks, %s, %s; ", opt->cols, opt->rows, opt->steps,
           run->dims[1], run->dims[0], sync_names[opt->sync], window_names[opt->window]);
    print_comparison(differ, "cells", "bit for bit");
}

static bool judge(struct run *run, double seconds)
{
    MPI_Win win;
    double *whole;
    int good = 1;
    collect(run, &win, &whole);
    if (run->rank == 0) {
        long differ = compare_with_sequential(&run->opt, whole);
        report(run, differ, seconds);
        good = !differ;
        if (run->opt.picture && !write_picture(&run->opt, whole))
            good = 0;
    }
    MPI_Win_free(&win);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, run->grid);
    return good;
}

int main(int argc, char **argv)
{
    struct run run = {.opt = {.rows = 256, .cols = 256, .steps = 100}};
    read_options(argc, argv, &run.opt); /* before MPI_Init: --help needs no MPI */
    MPI_Init(&argc, &argv);
    bool good = set_up(&run);
    if (good) {
        fill_own(&run);
        open_all(&run);
        double seconds = run_steps(&run);
        close_all(&run);
        good = judge(&run, seconds);
        tear_down(&run);
    }
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
