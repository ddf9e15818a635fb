/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wavefront over ranks: the score of the best local alignment of two sequences of DNA, in the
 * table of Smith and Waterman (1981). A cell needs its neighbours above, on the left, and between
 * the two. The table is cut into bands of columns, one for each rank, and the ranks compute blocks
 * of rows one behind the other: as soon as a block's last column is there, it goes to the rank on
 * the right, which begins that block while this rank goes on to the next.
 *
 *     rank 0:  block 0   block 1   block 2 ...
 *     rank 1:            block 0   block 1 ...
 *     rank 2:                      block 0 ...
 *
 * A column goes by a notified put (proa_notify.h): it says to the right rank that the cells are
 * there, and nothing else need be sent. A rank's window has a few slots for columns that come from
 * the left. When a slot may be used again, an empty notified put tells the left rank so.
 *
 * Notifications of several operations may come in any order. So each slot has two counters of its
 * own, of columns that have come and of times that it was given back: only one operation at a time
 * is under way for each.
 */
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROA_MPI_NAMES
#include <proa_notify.h>

#include "example.h"

const char program[] = "pipeline";

enum { MATCH = 3, MISMATCH = -2, GAP = -4 };
enum { SLOTS = 4 };

struct options {
    int rows, cols, block, seed;
};

/* A band of columns: a row of its cells at a time, and what is kept of all of them. */
struct band {
    int col0, cols;
    int *row;     /* of the row above, or this one */
    int best;     /* highest cell */
    uint64_t sum; /* of all cells, each in its own way */
};

struct run {
    struct options opt;
    int rank, ranks, left, right; /* MPI_PROC_NULL: no such rank */
    char *down, *across;          /* the sequences, all of both on each rank */
    struct band band;
    MPI_Win win;
    int *slots;        /* the window's memory */
    int *edges[SLOTS]; /* last columns on their way to the right */
    struct watch watch;
};

/* ---- options ---- */

static void read_options(int argc, char **argv, struct options *opt)
{
    const struct example_option list[] = {
        {"size", 's', "NXxNY", "Lengths of the sequences, columns x rows (2000x2000)",
         .size = {&opt->cols, &opt->rows, 1 << 24}},
        {"block", 'b', "N", "Rows that a rank computes before it passes their last column on (50)",
         .number = {&opt->block, "rows of a block", 1, 1 << 20}},
        {"seed", 'r', "N", "Start of the random sequences (1)",
         .number = {&opt->seed, "seed", 0, INT_MAX}},
        {0}};
    const struct command_line line = {
        .options = list,
        .about = "Two sequences of DNA are aligned in a pipeline of ranks, by notified puts.\v"
                 "The sum of all cells and the best score are compared with a sequential run."};
    read_command_line(argc, argv, line);
}

/* ---- the table ---- */

/* The second sequence is the first with every fifth letter drawn anew, so that much of it fits. */
static void draw_sequences(struct run *run)
{
    const struct options *opt = &run->opt;
    uint64_t state = start_of(opt->seed, 0);
    run->down = checked_calloc((size_t)opt->rows, 1);
    run->across = checked_calloc((size_t)opt->cols, 1);
    for (int i = 0; i < opt->rows; i++)
        run->down[i] = "ACGT"[next_random(&state) % 4];
    for (int j = 0; j < opt->cols; j++) {
        uint64_t drawn = next_random(&state);
        run->across[j] = drawn % 5 == 0 || j >= opt->rows ? "ACGT"[drawn / 5 % 4] : run->down[j];
    }
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* A row of the band. left, corner: the cells beside its first one, of this row and of the one
 * above. Returns the last cell. */
static int compute_row(const struct run *run, struct band *band, int row, int left, int corner)
{
    for (int j = 0; j < band->cols; j++) {
        int above = band->row[j];
        int fits = run->down[row] == run->across[band->col0 + j];
        int cell = most(corner + (fits ? MATCH : MISMATCH), most(left, above) + GAP);
        cell = most(cell, 0);
        band->row[j] = left = cell;
        corner = above;
        band->best = most(band->best, cell);
        band->sum = band->sum * 31 + (uint64_t)cell;
    }
    return left;
}

static void make_band(struct band *band, int first, int end)
{
    *band = (struct band){.col0 = first, .cols = end - first};
    band->row = checked_calloc((size_t)band->cols, sizeof(int));
}

/* ---- the pipeline ---- */

static int blocks_of(const struct options *opt)
{
    return (opt->rows + opt->block - 1) / opt->block;
}

static int rows_of(const struct options *opt, int block)
{
    int rest = opt->rows - block * opt->block;
    return rest < opt->block ? rest : opt->block;
}

/* Counters of slot s: columns that have come from the left, and times that the right has given its
 * slot back. */
static int come(int slot)
{
    return slot;
}

static int back(int slot)
{
    return SLOTS + slot;
}

/* The column that block `block` needs; zeros at the table's left edge. */
static const int *take_column(struct run *run, int block)
{
    int slot = block % SLOTS;
    if (run->left != MPI_PROC_NULL)
        PROA_Win_wait_notify(run->win, come(slot), block / SLOTS + 1);
    return run->slots + (ptrdiff_t)slot * run->opt.block;
}

/* The left rank may put its next column there. */
static void give_back(struct run *run, int block)
{
    MPI_Put_notify(NULL, 0, MPI_INT, run->left, 0, 0, MPI_INT, back(block % SLOTS), run->win);
}

/* Where the last column of a block is gathered, once the right rank has a slot for it. */
static int *edge_for(struct run *run, int block)
{
    if (run->right != MPI_PROC_NULL && block >= SLOTS) {
        PROA_Win_wait_notify(run->win, back(block % SLOTS), block / SLOTS);
        MPI_Win_flush_local(run->right, run->win); /* the put from there */
    }
    return run->edges[block % SLOTS];
}

static void pass_on(struct run *run, int block)
{
    int slot = block % SLOTS, rows = rows_of(&run->opt, block);
    MPI_Put_notify(run->edges[slot], rows, MPI_INT, run->right, (MPI_Aint)slot * run->opt.block,
                   rows, MPI_INT, come(slot), run->win);
}

/* corner: the left rank's cell above the block. Returns that of the next block. */
static int compute_block(struct run *run, int block, int corner)
{
    const int *left = take_column(run, block);
    int *edge = edge_for(run, block);
    for (int i = 0; i < rows_of(&run->opt, block); i++) {
        edge[i] = compute_row(run, &run->band, block * run->opt.block + i, left[i], corner);
        corner = left[i];
    }
    give_back(run, block);
    pass_on(run, block);
    return corner;
}

/* Returns the slowest rank's time, on every rank. */
static double run_blocks(struct run *run)
{
    int corner = 0, blocks = blocks_of(&run->opt);
    MPI_Win_lock_all(0, run->win);
    start_watch(&run->watch);
    for (int block = 0; block < blocks; block++) {
        corner = compute_block(run, block, corner);
        show_progress(&run->watch, block + 1, blocks, "blocks");
    }
    MPI_Win_flush_all(run->win);
    double seconds = stop_watch(&run->watch);
    MPI_Win_unlock_all(run->win);
    return seconds;
}

/* ---- set-up ---- */

/* Returns false, on every rank, if there are more ranks than columns. */
static bool set_up(struct run *run)
{
    size_t block = (size_t)run->opt.block;
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->ranks);
    if (run->ranks > run->opt.cols) {
        if (run->rank == 0)
            fprintf(stderr, "pipeline: %d columns are too few for %d ranks\n", run->opt.cols,
                    run->ranks);
        return false;
    }
    run->left = run->rank > 0 ? run->rank - 1 : MPI_PROC_NULL;
    run->right = run->rank < run->ranks - 1 ? run->rank + 1 : MPI_PROC_NULL;
    draw_sequences(run);
    make_band(&run->band, first_of(run->opt.cols, run->rank, run->ranks),
              first_of(run->opt.cols, run->rank + 1, run->ranks));
    for (int slot = 0; slot < SLOTS; slot++)
        run->edges[slot] = checked_calloc(block, sizeof(int));
    MPI_Win_allocate((MPI_Aint)(SLOTS * block * sizeof(int)), sizeof(int), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &run->slots, &run->win);
    if (run->left == MPI_PROC_NULL) /* the table's edge, where no rank puts */
        memset(run->slots, 0, SLOTS * block * sizeof(int));
    MPI_Win_set_num_notify(run->win, MPI_INFO_NULL, 2 * SLOTS); /* all ranks wait here */
    return true;
}

static void tear_down(struct run *run)
{
    MPI_Win_free(&run->win);
    for (int slot = 0; slot < SLOTS; slot++)
        free(run->edges[slot]);
    free(run->band.row);
    free(run->down);
    free(run->across);
}

/* ---- the result ---- */

/* Rank 0 computes all bands alone, each with the last column of the one before. Returns how many
 * bands differ. */
static long compare_with_sequential(const struct run *run, const uint64_t *sums, const int *bests)
{
    const struct options *opt = &run->opt;
    int *column = checked_calloc((size_t)opt->rows, sizeof(int));
    long differ = 0;
    for (int rank = 0; rank < run->ranks; rank++) {
        struct band band;
        int corner = 0;
        make_band(&band, first_of(opt->cols, rank, run->ranks),
                  first_of(opt->cols, rank + 1, run->ranks));
        for (int i = 0; i < opt->rows; i++) {
            int left = column[i];
            column[i] = compute_row(run, &band, i, left, corner);
            corner = left;
        }
        differ += band.sum != sums[rank] || band.best != bests[rank];
        free(band.row);
    }
    free(column);
    return differ;
}

static void report(const struct run *run, long differ, const int *bests, double seconds)
{
    const struct options *opt = &run->opt;
    int best = 0;
    for (int rank = 0; rank < run->ranks; rank++)
        best = most(best, bests[rank]);
    print_result(!differ, seconds);
    printf("%dx%d cells in blocks of %d rows on %d ranks, best score %d; ", opt->cols, opt->rows,
           opt->block, run->ranks, best);
    print_comparison(differ, "bands", "all cells as in");
}

static bool judge(const struct run *run, double seconds)
{
    uint64_t *sums = checked_calloc((size_t)run->ranks, sizeof *sums);
    int *bests = checked_calloc((size_t)run->ranks, sizeof *bests), good = 1;
    MPI_Gather(&run->band.sum, 1, MPI_UINT64_T, sums, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    MPI_Gather(&run->band.best, 1, MPI_INT, bests, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (run->rank == 0) {
        long differ = compare_with_sequential(run, sums, bests);
        report(run, differ, bests, seconds);
        good = !differ;
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(sums);
    free(bests);
    return good;
}

int main(int argc, char **argv)
{
    struct run run = {.opt = {.rows = 2000, .cols = 2000, .block = 50, .seed = 1}};
    read_options(argc, argv, &run.opt); /* before MPI_Init: --help needs no MPI */
    MPI_Init(&argc, &argv);
    bool good = set_up(&run);
    if (good) {
        double seconds = run_blocks(&run);
        good = judge(&run, seconds);
        tear_down(&run);
    }
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
