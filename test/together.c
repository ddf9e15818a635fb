/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs programs of the tests one after the other in one job, which takes much less time than a
 * job for each:
 *
 *   together NAME [ARG...] [-- NAME [ARG...]]...
 *
 * The programs are linked in: main() of each is called NAME_main. together.list, which CMake
 * writes, lists them as PROGRAM(NAME). MPI is initialized and finalized here, not by start() and
 * finish() of the programs (check.h).
 *
 * Rank 0 appends to the file PROA_TEST_STEPS the name and the arguments of each program before it
 * runs, and the result behind it. test/together reads that.
 */
#include "check.h"
#include <fcntl.h>

#define PROGRAM(name) int name##_main(int argc, char **argv);
#include "together.list"
#undef PROGRAM

static const struct program {
    const char *name;
    int (*run)(int argc, char **argv);
} programs[] = {
#define PROGRAM(name) {#name, name##_main},
#include "together.list"
#undef PROGRAM
};

static const struct program *program_named(const char *name)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(programs[i].name, name) == 0)
            return &programs[i];
    fprintf(stderr, "together: no program %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return NULL;
}

static void write_step(const char *text)
{
    const char *path = getenv("PROA_TEST_STEPS");
    int fd = path && rank == 0 ? open(path, O_WRONLY | O_APPEND) : -1;
    if (fd < 0)
        return;
    if (write(fd, text, strlen(text)) < 0)
        perror(path);
    close(fd);
}

static void write_begin(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        write_step(i ? " " : "");
        write_step(argv[i]);
    }
    write_step(":");
}

/* Returns the status of the program: 0, 77 if it skipped, else it failed. */
static int run_program(int argc, char **argv)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(MPI_COMM_WORLD);
    write_begin(argc, argv);
    int status = program_named(argv[0])->run(argc, argv);
    fflush(NULL);
    write_step(status == 0 ? " ok\n" : status == 77 ? " skipped\n" : " failed\n");
    return status;
}

/* Cuts the words of the next program off. Returns how many they are. */
static int next_program(char **words)
{
    int count = 0;
    while (words[count] && strcmp(words[count], "--") != 0)
        count++;
    return count;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int failed = 0, skipped = 0, programs_run = 0;
    for (char **words = argv + 1; *words;) {
        int count = next_program(words), more = words[count] != NULL;
        words[count] = NULL;
        int status = run_program(count, words);
        failed += status != 0 && status != 77;
        skipped += status == 77;
        programs_run++;
        words += count + more;
    }
    MPI_Finalize();
    return failed ? 1 : programs_run == skipped ? 77 : 0;
}
