/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The examples have in common, beside their subjects: options, memory, parts, random
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

/* An option: its text in --help, and where its value goes. One of `number`, `size`, `choice` and
 * `text` is set, and says what the value may be. */
struct example_option {
    const char *name;
    int key;
    const char *value, *help;
    struct {
        int *to;
        const char *what; /* its name in the error */
        int low, high;
    } number;
    const char *wanted; /* the numbers in the error; NULL: "a number from LOW to HIGH" */
    struct {
        int *cols, *rows; /* of a size as 200x100 */
        int most;
    } size;
    struct {
        int *to;                  /* index of the name */
        const char *const *names; /* ends with NULL */
    } choice;
    const char **text;
};

/* The words that are not options. */
struct operands {
    const char *shown; /* as --help shows them */
    const char *what;  /* their name in the error */
    const char **to;
    int *count, most;
};

/* The command line of an example. `options` ends with a row of zeros. */
struct command_line {
    const struct example_option *options;
    const char *about; /* text of --help before the options and, behind \v, after them */
    struct operands operands;
};

static inline void read_number(struct argp_state *state, const struct example_option *option,
                               const char *arg)
{
    const char *what = option->number.what;
    int low = option->number.low, high = option->number.high;
    char *rest;
    long value = strtol(arg, &rest, 10);
    bool good = rest != arg && !*rest && value >= low && value <= high;
    if (!good && option->wanted)
        argp_error(state, "the %s must be %s, not '%s'", what, option->wanted, arg);
    else if (!good)
        argp_error(state, "the %s must be a number from %d to %d, not '%s'", what, low, high, arg);
    *option->number.to = (int)value;
}

static inline void read_size(struct argp_state *state, const struct example_option *option,
                             const char *arg)
{
    int *cols = option->size.cols, *rows = option->size.rows, most = option->size.most;
    char rest;
    if (sscanf(arg, "%dx%d%c", cols, rows, &rest) != 2 || *cols < 1 || *rows < 1 || *cols > most ||
        *rows > most)
        argp_error(state, "the size must be like 200x100, not '%s'", arg);
}

static inline void read_choice(struct argp_state *state, const struct example_option *option,
                               const char *arg)
{
    const char *const *names = option->choice.names;
    int i = 0;
    while (names[i] && strcmp(arg, names[i]))
        i++;
    if (!names[i])
        argp_error(state, "--%s cannot be '%s'", option->name, arg);
    *option->choice.to = i;
}

static inline void read_operand(struct argp_state *state, const struct operands *operands,
                                const char *arg)
{
    if (*operands->count == operands->most)
        argp_error(state, "more than %d %s", operands->most, operands->what);
    operands->to[(*operands->count)++] = arg;
}

/* argp calls it for each option and operand. */
static inline error_t read_argument(int key, char *arg, struct argp_state *state)
{
    const struct command_line *line = state->input;
    const struct example_option *option = line->options;
    if (key == ARGP_KEY_ARG && line->operands.to) {
        read_operand(state, &line->operands, arg);
        return 0;
    }
    while (option->key && option->key != key)
        option++;
    if (!option->key)
        return ARGP_ERR_UNKNOWN;
    if (option->number.to)
        read_number(state, option, arg);
    else if (option->size.cols)
        read_size(state, option, arg);
    else if (option->choice.to)
        read_choice(state, option, arg);
    else
        *option->text = arg;
    return 0;
}

/* Sets the values that are given. Ends the program after --help and after an error. */
static inline void read_command_line(int argc, char **argv, struct command_line line)
{
    int count = 0;
    while (line.options[count].key)
        count++;
    struct argp_option shown[count + 1];
    for (int i = 0; i <= count; i++)
        shown[i] = (struct argp_option){.name = line.options[i].name,
                                        .key = line.options[i].key,
                                        .arg = line.options[i].value,
                                        .doc = line.options[i].help};
    struct argp argp = {.options = shown,
                        .parser = read_argument,
                        .args_doc = line.operands.shown,
                        .doc = line.about};
    argp_parse(&argp, argc, argv, 0, NULL, &line);
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
