/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A large system of linear equations with few coefficients in each, x = A x + b, solved step by
 * step: each multiplies the sparse matrix A by the x of the step before. The matrix is irregular,
 * as those of meshes and graphs are: rows of very different lengths, most columns close to the
 * diagonal, some far from it.
 *
 * Every rank has a block of rows, and the same block of x. Which entries of x it needs of others is
 * known once the matrix is there, and never changes: it tells their owners once, and these then
 * put just those entries, before each step, into its window. As the matrix is not symmetric, whom a
 * rank sends to and from whom it receives need not be the same ranks: start names the ones, post
 * the others.
 *
 * While entries are under way a rank computes the rows that need none of them: the inner rows
 * between complete and wait, the outer ones behind wait.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

const char program[] = "spmv";

enum { LONG_ROW = 10, ONE_LONG_OF = 50 }; /* one row of fifty is ten times as long as others */

struct options {
    int rows, degree, reach, steps, seed;
};

/* A block of rows by compressed rows: those of row i of the block are the entries start[i] to
 * start[i + 1] - 1, in the order in which they are added up. */
struct matrix {
    int first, rows;
    long *start;
    int *column;
    double *value, *b;
};

/* The ranks with which there is something to exchange, in one direction. Partner i's entries of x
 * are index[offset[i]] to index[offset[i + 1] - 1], by their numbers in the whole x. */
struct partners {
    int count;
    int *rank, *offset, *index;
    int *place; /* of what is sent: where it begins in the window of each */
    MPI_Group group;
};

struct run {
    struct options opt;
    int rank, ranks;
    struct matrix matrix;
    struct partners from, to;
    int *inner, *outer; /* rows without and with entries of others */
    int inner_count, outer_count;
    MPI_Win win;
    double *halo;     /* the window: what others put, in the order of from.index */
    double *packed;   /* the values to put, in the order of to.index */
    double *x, *next; /* the block of this rank, and behind it a copy of the halo */
    struct watch watch;
    double seconds;
};

/* ---- options ---- */

static void read_options(int argc, char **argv, struct options *opt)
{
    const struct example_option list[] = {
        {"rows", 'r', "N", "Equations (20000)", .number = {&opt->rows, "rows", 2, 1 << 26}},
        {"degree", 'd', "N", "Coefficients of most equations, on average (8)",
         .number = {&opt->degree, "coefficients", 1, 1000}},
        {"reach", 'w', "N", "How far from the diagonal they may be (a sixteenth of the rows)",
         .number = {&opt->reach, "reach", 1, 1 << 26}},
        {"steps", 'n', "N", "Steps (200)", .number = {&opt->steps, "steps", 0, 1 << 30}},
        {"seed", 's', "N", "Start of the random numbers (1)",
         .number = {&opt->seed, "seed", 0, INT32_MAX}},
        {0}};
    const struct command_line line = {
        .options = list,
        .about = "Multiplies a vector by a sparse matrix again and again; each rank is put just "
                 "the entries that it needs of others.\v"
                 "The result is compared, bit for bit, with a sequential run of the same steps."};
    read_command_line(argc, argv, line);
    if (!opt->reach)
        opt->reach = 1 + opt->rows / 16;
    if (opt->reach >= opt->rows)
        opt->reach = opt->rows - 1;
}

static int *checked_ints(size_t count)
{
    return checked_calloc(count, sizeof(int));
}

static double *checked_doubles(size_t count)
{
    return checked_calloc(count, sizeof(double));
}

/* ---- the matrix ---- */

/* From 0 up to 1. */
static double next_fraction(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static int by_number(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* Sorts, and leaves each number once; returns how many there are. */
static int sort_once(int *numbers, int count)
{
    int left = 0;
    qsort(numbers, (size_t)count, sizeof(*numbers), by_number);
    for (int i = 0; i < count; i++)
        if (!left || numbers[left - 1] != numbers[i])
            numbers[left++] = numbers[i];
    return left;
}

static int longest_row(const struct options *opt)
{
    return 2 * opt->degree * LONG_ROW;
}

/* Mostly close to the diagonal; columns outside of the matrix are mirrored into it. */
static int draw_column(const struct options *opt, int row, uint64_t *state)
{
    double far = next_fraction(state);
    int distance = 1 + (int)(far * far * far * (opt->reach - 1));
    int column = next_random(state) & 1 ? row + distance : row - distance;
    if (column < 0)
        column = -column;
    return column < opt->rows ? column : 2 * (opt->rows - 1) - column;
}

/* A row follows from its number alone, so that any rank can make it. Its sum is less than
 * the largest |x|, so that the steps converge. Returns its length. */
static int make_row(const struct options *opt, int row, int *column, double *value, double *b)
{
    uint64_t state = (uint64_t)opt->seed << 32 ^ (uint64_t)row;
    int length = 1 + (int)(next_random(&state) % (uint64_t)(2 * opt->degree - 1));
    if (next_random(&state) % ONE_LONG_OF == 0)
        length *= LONG_ROW;
    for (int i = 0; i < length; i++)
        column[i] = draw_column(opt, row, &state);
    length = sort_once(column, length);
    for (int i = 0; i < length; i++)
        value[i] = 1.9 * (next_fraction(&state) - 0.5) / length;
    *b = next_fraction(&state);
    return length;
}

static struct matrix make_matrix(const struct options *opt, int first, int rows)
{
    struct matrix m = {.first = first, .rows = rows};
    int *column = checked_ints((size_t)longest_row(opt));
    double *value = checked_doubles((size_t)longest_row(opt));
    m.start = checked_calloc((size_t)rows + 1, sizeof(*m.start));
    m.b = checked_doubles((size_t)rows);
    for (int i = 0; i < rows; i++)
        m.start[i + 1] = m.start[i] + make_row(opt, first + i, column, value, &m.b[i]);
    m.column = checked_ints((size_t)m.start[rows]);
    m.value = checked_doubles((size_t)m.start[rows]);
    for (int i = 0; i < rows; i++) {
        size_t length = (size_t)make_row(opt, first + i, column, value, &m.b[i]);
        memcpy(m.column + m.start[i], column, length * sizeof(*column));
        memcpy(m.value + m.start[i], value, length * sizeof(*value));
    }
    free(column);
    free(value);
    return m;
}

static void free_matrix(struct matrix *m)
{
    free(m->start);
    free(m->column);
    free(m->value);
    free(m->b);
}

/* Row i times x. The one place where numbers are made: the order of the additions is that of the
 * columns, on each rank. (The build forbids fused multiply-add for this file.) */
static double multiply_row(const struct matrix *m, int i, const double *x)
{
    double sum = m->b[i];
    for (long k = m->start[i]; k < m->start[i + 1]; k++)
        sum += m->value[k] * x[m->column[k]];
    return sum;
}

/* ---- the columns that ranks need of each other ---- */

/* First row of a rank's block. */
static int first_row(const struct run *run, int rank)
{
    return first_of(run->opt.rows, rank, run->ranks);
}

static bool is_own(const struct run *run, int column)
{
    return column >= run->matrix.first && column < run->matrix.first + run->matrix.rows;
}

/* The columns of others that this rank's rows have, sorted, each once. */
static int *find_needed(const struct run *run, int *count)
{
    const struct matrix *m = &run->matrix;
    int *needed = checked_ints((size_t)m->start[m->rows]), found = 0;
    for (long k = 0; k < m->start[m->rows]; k++)
        if (!is_own(run, m->column[k]))
            needed[found++] = m->column[k];
    *count = sort_once(needed, found);
    return needed;
}

/* How many of the sorted numbers are in each rank's block. */
static int *count_by_owner(const struct run *run, const int *needed, int count)
{
    int *entries = checked_ints((size_t)run->ranks);
    for (int i = 0, owner = 0; i < count; i++) {
        while (needed[i] >= first_row(run, owner + 1))
            owner++;
        entries[owner]++;
    }
    return entries;
}

static int *sums_before(const int *entries, int ranks)
{
    int *sums = checked_ints((size_t)ranks + 1);
    for (int rank = 0; rank < ranks; rank++)
        sums[rank + 1] = sums[rank] + entries[rank];
    return sums;
}

/* Of all ranks those with entries. Takes the list of entries for its own. */
static struct partners make_partners(const struct run *run, const int *entries, int *index)
{
    struct partners p = {.index = index,
                         .rank = checked_ints((size_t)run->ranks),
                         .offset = checked_ints((size_t)run->ranks + 1)};
    MPI_Group all;
    for (int rank = 0; rank < run->ranks; rank++) {
        if (!entries[rank])
            continue;
        p.rank[p.count] = rank;
        p.offset[p.count + 1] = p.offset[p.count] + entries[rank];
        p.count++;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, p.count, p.rank, &p.group);
    MPI_Group_free(&all);
    return p;
}

static void free_partners(struct partners *p)
{
    free(p->rank);
    free(p->offset);
    free(p->index);
    free(p->place);
    if (p->group != MPI_GROUP_EMPTY)
        MPI_Group_free(&p->group);
}

/* Every rank tells every other which entries it needs of it, and where in its window they go. */
static void find_partners(struct run *run)
{
    int count;
    int *needed = find_needed(run, &count);
    int *entries = count_by_owner(run, needed, count);
    int *offsets = sums_before(entries, run->ranks);
    int *asked_entries = checked_ints((size_t)run->ranks);
    int *places = checked_ints((size_t)run->ranks);
    MPI_Alltoall(entries, 1, MPI_INT, asked_entries, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(offsets, 1, MPI_INT, places, 1, MPI_INT, MPI_COMM_WORLD);
    int *asked_offsets = sums_before(asked_entries, run->ranks);
    int *asked = checked_ints((size_t)asked_offsets[run->ranks]);
    MPI_Alltoallv(needed, entries, offsets, MPI_INT, asked, asked_entries, asked_offsets, MPI_INT,
                  MPI_COMM_WORLD);
    run->from = make_partners(run, entries, needed);
    run->to = make_partners(run, asked_entries, asked);
    run->to.place = checked_ints((size_t)run->to.count);
    for (int i = 0; i < run->to.count; i++)
        run->to.place[i] = places[run->to.rank[i]];
    free(entries);
    free(offsets);
    free(asked_entries);
    free(asked_offsets);
    free(places);
}

static int halo_entries(const struct run *run)
{
    return run->from.offset[run->from.count];
}

/* Columns become places in x: first this rank's own block, behind it the halo. Rows that have
 * any of the halo are outer ones. */
static void renumber(struct run *run)
{
    struct matrix *m = &run->matrix;
    for (int i = 0; i < m->rows; i++) {
        bool outer = false;
        for (long k = m->start[i]; k < m->start[i + 1]; k++) {
            if (is_own(run, m->column[k])) {
                m->column[k] -= m->first;
                continue;
            }
            const int *at = bsearch(&m->column[k], run->from.index, (size_t)halo_entries(run),
                                    sizeof(int), by_number);
            m->column[k] = m->rows + (int)(at - run->from.index);
            outer = true;
        }
        if (outer)
            run->outer[run->outer_count++] = i;
        else
            run->inner[run->inner_count++] = i;
    }
}

/* ---- the steps ---- */

static void put_entries(struct run *run)
{
    const struct partners *to = &run->to;
    for (int i = 0; i < to->count; i++) {
        int entries = to->offset[i + 1] - to->offset[i];
        MPI_Put(run->packed + to->offset[i], entries, MPI_DOUBLE, to->rank[i], to->place[i],
                entries, MPI_DOUBLE, run->win);
    }
}

static void multiply(struct run *run, const int *rows, int count)
{
    for (int i = 0; i < count; i++)
        run->next[rows[i]] = multiply_row(&run->matrix, rows[i], run->x);
}

/* Post before start on every rank: a start may wait for the posts, and so must never come first.
 * No rank stores into its own window, which is the halo alone: others put while this rank
 * computes. */
static void step(struct run *run)
{
    for (int k = 0; k < run->to.offset[run->to.count]; k++)
        run->packed[k] = run->x[run->to.index[k] - run->matrix.first];
    MPI_Win_post(run->from.group, 0, run->win);
    MPI_Win_start(run->to.group, 0, run->win);
    put_entries(run);
    MPI_Win_complete(run->win);
    multiply(run, run->inner, run->inner_count);
    MPI_Win_wait(run->win);
    for (int k = 0; k < halo_entries(run); k++) /* none of them: the halo may be NULL */
        run->x[run->matrix.rows + k] = run->halo[k];
    multiply(run, run->outer, run->outer_count);
    double *next = run->next;
    run->next = run->x;
    run->x = next;
}

static void run_steps(struct run *run)
{
    start_watch(&run->watch);
    for (int i = 0; i < run->opt.steps; i++) {
        step(run);
        show_progress(&run->watch, i + 1, run->opt.steps, "steps");
    }
    run->seconds = stop_watch(&run->watch);
}

/* Returns false, on every rank, if there are more ranks than rows. */
static bool set_up(struct run *run)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->ranks);
    if (run->opt.rows < run->ranks) {
        if (run->rank == 0)
            fprintf(stderr, "spmv: %d rows are too few for %d ranks\n", run->opt.rows, run->ranks);
        return false;
    }
    int first = first_row(run, run->rank), rows = first_row(run, run->rank + 1) - first;
    run->matrix = make_matrix(&run->opt, first, rows);
    find_partners(run);
    run->inner = checked_ints((size_t)rows);
    run->outer = checked_ints((size_t)rows);
    renumber(run);
    run->packed = checked_doubles((size_t)run->to.offset[run->to.count]);
    run->x = checked_doubles((size_t)(rows + halo_entries(run)));
    run->next = checked_doubles((size_t)(rows + halo_entries(run)));
    MPI_Win_allocate((MPI_Aint)halo_entries(run) * (MPI_Aint)sizeof(double), sizeof(double),
                     MPI_INFO_NULL, MPI_COMM_WORLD, &run->halo, &run->win);
    return true;
}

static void tear_down(struct run *run)
{
    MPI_Win_free(&run->win);
    free_matrix(&run->matrix);
    free_partners(&run->from);
    free_partners(&run->to);
    free(run->inner);
    free(run->outer);
    free(run->packed);
    free(run->x);
    free(run->next);
}

/* ---- the result ---- */

/* Rank 0 repeats everything alone. Returns the number of entries whose bits differ. */
static long compare_with_sequential(const struct options *opt, const double *result)
{
    struct matrix m = make_matrix(opt, 0, opt->rows);
    double *x = checked_doubles((size_t)opt->rows), *next = checked_doubles((size_t)opt->rows);
    long differ = 0;
    for (int i = 0; i < opt->steps; i++) {
        for (int row = 0; row < opt->rows; row++)
            next[row] = multiply_row(&m, row, x);
        double *swap = x;
        x = next;
        next = swap;
    }
    for (int row = 0; row < opt->rows; row++)
        differ += memcmp(&x[row], &result[row], sizeof(double)) != 0;
    free(x);
    free(next);
    free_matrix(&m);
    return differ;
}

static void report(const struct run *run, long differ, const long *sums)
{
    print_result(!differ, run->seconds);
    printf("%d equations, %ld coefficients, %d steps by %d ranks; "
           "%ld entries to %ld neighbours in each step; ",
           run->opt.rows, sums[0], run->opt.steps, run->ranks, sums[1], sums[2]);
    print_comparison(differ, "entries", "bit for bit");
}

/* Brings the whole of x together in a window of rank 0, where it is compared. */
static bool judge(struct run *run)
{
    long sums[3] = {run->matrix.start[run->matrix.rows], halo_entries(run), run->to.count};
    MPI_Aint bytes = run->rank == 0 ? (MPI_Aint)run->opt.rows * (MPI_Aint)sizeof(double) : 0;
    double *whole;
    MPI_Win win;
    int good = 1;
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &whole, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(run->x, run->matrix.rows, MPI_DOUBLE, 0, run->matrix.first, run->matrix.rows,
            MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (run->rank == 0) {
        long differ = compare_with_sequential(&run->opt, whole);
        report(run, differ, sums);
        good = !differ;
    }
    MPI_Win_free(&win);
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return good;
}

int main(int argc, char **argv)
{
    struct run run = {.opt = {.rows = 20000, .degree = 8, .steps = 200, .seed = 1}};
    read_options(argc, argv, &run.opt); /* before MPI_Init: --help needs no MPI */
    MPI_Init(&argc, &argv);
    bool good = set_up(&run);
    if (good) {
        run_steps(&run);
        good = judge(&run);
        tear_down(&run);
    }
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
