/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the examples have in common and what is not their subject: options, memory, parts, random
 * numbers, time, and the line that says how it went. Nothing here communicates by windows.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <argp.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of the example, which each says itself: its lines begin with it. */
extern const char program[];

/* ---- options ---- */

/* Reads a number. `what` names it to who has given another one. */
static inline int number(struct argp_state *state, const char *what, const char *arg, int low,
                         int high)
{
    char *rest;
    long value = strtol(arg, &rest, 10);
    if (rest == arg || *rest || value < low || value > high)
        argp_error(state, "the %s must be a number from %d to %d, not '%s'", what, low, high, arg);
    return (int)value;
}

/* An option that is a number: its key, what it is called when it is wrong, where it goes, and from
 * what to what it may be. */
struct number_option {
    int key;
    const char *what;
    int *value;
    int low, high;
};

/* For a parser: reads the option if it is in this list, which ends with a row of zeros. */
static inline error_t parse_number(const struct number_option *list, int key, const char *arg,
                                   struct argp_state *state)
{
    for (; list->key; list++) {
        if (list->key != key)
            continue;
        *list->value = number(state, list->what, arg, list->low, list->high);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* Reads a size as in 200x100, columns x rows, of which neither may be more than `most`. */
static inline void read_size(struct argp_state *state, const char *arg, int most, int *cols,
                             int *rows)
{
    char rest;
    if (sscanf(arg, "%dx%d%c", cols, rows, &rest) != 2 || *cols < 1 || *rows < 1 || *cols > most ||
        *rows > most)
        argp_error(state, "the size must be like 200x100, not '%s'", arg);
}

/* Returns the index of a word in a list of names that ends with NULL. */
static inline int choose(struct argp_state *state, const char *what, const char *arg,
                         const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(arg, names[i]))
            return i;
    argp_error(state, "%s cannot be '%s'", what, arg);
    return 0;
}

/* ---- memory ---- */

/* Zeros. All ranks end if there are none to have. */
static inline void *checked_calloc(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory) {
        fprintf(stderr, "%s: no memory for %zu x %zu bytes\n", program, count, bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

/* ---- parts and random numbers ---- */

/* First index of part `part` of `parts`; the parts differ by one at most. */
static inline int first_of(int total, int part, int parts)
{
    return (int)((int64_t)total * part / parts);
}

/* splitmix64 */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Where a rank's random numbers start: each has others, and a seed gives the same ones again. */
static inline uint64_t start_of(int seed, int rank)
{
    uint64_t state = (uint64_t)seed ^ ((uint64_t)rank + 1) << 32;
    return next_random(&state);
}

/* ---- time ---- */

struct watch {
    double began, shown;
};

/* Begins when all ranks are there. */
static inline void start_watch(struct watch *watch)
{
    MPI_Barrier(MPI_COMM_WORLD);
    watch->began = watch->shown = MPI_Wtime();
}

/* Returns the slowest rank's time, on every rank. */
static inline double slowest(double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/* Returns the seconds since the start, those of the slowest rank. */
static inline double stop_watch(const struct watch *watch)
{
    return slowest(MPI_Wtime() - watch->began);
}

/* Where it takes long, a line of rank 0 now and then. (A launcher gives its ranks no terminal to
 * draw on.) */
static inline void show_progress(struct watch *watch, long done, long all, const char *what)
{
    int rank;
    double now = MPI_Wtime();
    if (now - watch->shown < 2)
        return;
    watch->shown = now;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "%s: %ld of %ld %s so far\n", program, done, all, what);
}

/* ---- the result ---- */

/* Opens a grey picture (PGM), whose pixels follow, a byte each. Returns NULL, and says why, if it
 * cannot. */
static inline FILE *open_picture(const char *path, int cols, int rows)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return NULL;
    }
    fprintf(file, "P5\n%d %d\n255\n", cols, rows);
    return file;
}

/* Returns whether all of it has been written, and says so if not. */
static inline bool close_picture(FILE *file, const char *path)
{
    bool failed = ferror(file);
    if (fclose(file) || failed) {
        fprintf(stderr, "%s: cannot write %s\n", program, path);
        return false;
    }
    return true;
}

/* Begins the line that says how it went, which the demo reads. The example ends it. */
static inline void print_result(bool good, double seconds)
{
    printf("%s: result %s, time %.6f s; ", program, good ? "equal" : "WRONG", seconds);
}

/* Ends it: how many of `what` differ from the sequential run, or how well all agree. */
static inline void print_comparison(long differ, const char *what, const char *agreement)
{
    if (differ)
        printf("%ld %s differ from the sequential run\n", differ, what);
    else
        printf("%s the sequential run\n", agreement);
}

#endif
