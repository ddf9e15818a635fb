/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two exchanges of borders in the shape of known programs, with their work, for what check mode
 * costs (`./dev bench check`):
 *
 *   halos stencil    the Parallel Research Kernels' stencil: a star of radius 2 on 1000 x 1000
 *                    doubles, in strips of rows; two puts for each neighbour between fences
 *   halos faces      NPB-BT's copy_faces of class W: 24^3 cells of 5 doubles, two layers of each of
 *                    the six faces packed and put to a successor or predecessor, by post and start
 *
 * Each rank compares what it has got, and prints the time that the steps took.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 50,
    GRID = 1000,
    RADIUS = 2,
    CELLS = 24,
    PARTS = 5,  /* doubles of a cell */
    FACES = 6,  /* two for each direction */
    LAYERS = 2, /* of a face */
    FACE = LAYERS * CELLS * CELLS * PARTS
};

static int rank, ranks;

static void *memory(size_t bytes)
{
    void *made = calloc(bytes, 1);

    if (!made)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

static void expect(double got, double expected)
{
    if (got == expected)
        return;
    fprintf(stderr, "halos: rank %d has got %g in place of %g\n", rank, got, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- stencil ---- */

/* A strip of rows with RADIUS rows of each neighbour around it, in the window. */
struct strip {
    MPI_Win win;
    double (*in)[GRID], (*out)[GRID];
    int rows;
};

static void put_rows(const struct strip *strip, int from, int to, int at)
{
    if (to >= 0 && to < ranks)
        MPI_Put(strip->in[from], RADIUS * GRID, MPI_DOUBLE, to, (MPI_Aint)at * GRID, RADIUS * GRID,
                MPI_DOUBLE, strip->win);
}

static void exchange_rows(const struct strip *strip)
{
    const int last = strip->rows; /* the row of `in` where the last RADIUS own ones begin */

    MPI_Win_fence(MPI_MODE_NOPRECEDE, strip->win);
    put_rows(strip, RADIUS, rank - 1, RADIUS + strip->rows);
    put_rows(strip, last, rank + 1, 0);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, strip->win);
}

/* Adds one to the input, as the kernel does, so that each step has new borders. */
static void apply_star(const struct strip *strip)
{
    for (int row = RADIUS; row < RADIUS + strip->rows; row++)
        for (int col = RADIUS; col < GRID - RADIUS; col++)
            for (int far = 1; far <= RADIUS; far++)
                strip->out[row][col] += (strip->in[row][col + far] - strip->in[row][col - far] +
                                         strip->in[row + far][col] - strip->in[row - far][col]) /
                                        (2.0 * far * RADIUS);
    for (int row = RADIUS; row < RADIUS + strip->rows; row++)
        for (int col = 0; col < GRID; col++)
            strip->in[row][col] += 1;
}

static void compare_rows(const struct strip *strip, int steps)
{
    if (rank > 0)
        expect(strip->in[0][0], steps);
    if (rank < ranks - 1)
        expect(strip->in[2 * RADIUS + strip->rows - 1][GRID - 1], steps);
}

static double stencil(void)
{
    struct strip strip = {.rows = GRID / ranks};
    const size_t bytes = sizeof *strip.in * (size_t)(strip.rows + 2 * RADIUS);
    double seconds;

    MPI_Win_allocate((MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &strip.in,
                     &strip.win);
    memset(strip.in, 0, bytes);
    strip.out = memory(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        exchange_rows(&strip);
        compare_rows(&strip, step);
        apply_star(&strip);
    }
    seconds = MPI_Wtime() - seconds;
    MPI_Win_free(&strip.win);
    free(strip.out);
    return seconds;
}

/* ---- faces ---- */

struct block {
    double (*cell)[CELLS][CELLS][PARTS];
    double *out, *in; /* FACES of FACE doubles; `in` is the window */
    MPI_Win win;
    MPI_Group neighbours;
};

static int neighbour(int face)
{
    return (rank + (face & 1 ? 1 : ranks - 1)) % ranks;
}

/* The cell of a face: of the layers at the lower or the upper end of a direction. */
static const double *cell_at(const struct block *block, int face, int layer, int one, int two)
{
    const int deep = face & 1 ? CELLS - LAYERS + layer : layer;

    switch (face / 2) {
    case 0:
        return block->cell[deep][one][two];
    case 1:
        return block->cell[one][deep][two];
    default:
        return block->cell[one][two][deep];
    }
}

static void pack(const struct block *block, int face)
{
    double *to = block->out + (size_t)face * FACE;

    for (int layer = 0; layer < LAYERS; layer++)
        for (int one = 0; one < CELLS; one++)
            for (int two = 0; two < CELLS; two++, to += PARTS)
                memcpy(to, cell_at(block, face, layer, one, two), PARTS * sizeof *to);
}

/* What leaves by a face arrives in the place of the opposite one. */
static void copy_faces(const struct block *block)
{
    MPI_Win_post(block->neighbours, 0, block->win);
    MPI_Win_start(block->neighbours, 0, block->win);
    for (int face = 0; face < FACES; face++) {
        pack(block, face);
        MPI_Put(block->out + (size_t)face * FACE, FACE, MPI_DOUBLE, neighbour(face),
                (MPI_Aint)(face ^ 1) * FACE, FACE, MPI_DOUBLE, block->win);
    }
    MPI_Win_complete(block->win);
    MPI_Win_wait(block->win);
}

/* Less work for each cell than BT's own, which is thousands of operations. */
static void compute(const struct block *block)
{
    double *value = block->cell[0][0][0];

    for (int i = 0; i < CELLS * CELLS * CELLS * PARTS; i++) {
        const double next = value[i] + 1;
        double made = next;

        for (int k = 0; k < 25; k++)
            made = made * 0.5 + next * 0.5;
        value[i] = made;
    }
}

static void compare_faces(const struct block *block, int step)
{
    for (int face = 0; face < FACES; face++) {
        expect(block->in[(size_t)face * FACE], step);
        expect(block->in[(size_t)face * FACE + FACE - 1], step);
    }
}

static MPI_Group group_of_neighbours(void)
{
    const int both[] = {neighbour(0), neighbour(1)};
    MPI_Group all, group;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, both[0] == both[1] ? 1 : 2, both, &group);
    MPI_Group_free(&all);
    return group;
}

static double faces(void)
{
    struct block block = {.cell = memory(CELLS * sizeof *block.cell),
                          .out = memory(sizeof(double) * FACES * FACE),
                          .neighbours = group_of_neighbours()};
    double seconds;

    MPI_Win_allocate((MPI_Aint)sizeof(double) * FACES * FACE, sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &block.in, &block.win);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        copy_faces(&block);
        compare_faces(&block, step);
        compute(&block);
    }
    seconds = MPI_Wtime() - seconds;
    MPI_Win_free(&block.win);
    MPI_Group_free(&block.neighbours);
    free(block.cell);
    free(block.out);
    return seconds;
}

int main(int argc, char **argv)
{
    double seconds;

    if (argc != 2 || (strcmp(argv[1], "stencil") != 0 && strcmp(argv[1], "faces") != 0)) {
        fprintf(stderr, "Usage: halos stencil|faces\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    seconds = strcmp(argv[1], "stencil") == 0 ? stencil() : faces();
    if (rank == 0)
        printf("halos: %s, time %f s; %d steps by %d ranks\n", argv[1], seconds, STEPS, ranks);
    MPI_Finalize();
    return 0;
}
