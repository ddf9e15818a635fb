/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the ranks of a benchmark: writes down where each one runs, and whether Proa serves
 * its windows, so that a figure is of what its row says (where.sh). Knows no MPI, and nothing of
 * the program.
 *
 * A rank appends a line to the file BENCH_WHERE when it ends, or at its first call of
 * bench_where():
 *
 *   RANK NODE PROCESSORS WINDOWS    host name; such as 0-1,3; windows of Proa's, -1: without Proa
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bench_where(void);

/* As launchers tell it; NULL: it is no rank, but a launcher or a shell. */
static const char *rank_of_job(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    const char *rank = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !rank; i++)
        rank = getenv(names[i]);
    return rank;
}

/* The processors that this process may use, one behind the other with commas between. */
static void list_processors(char *text, size_t bytes)
{
    cpu_set_t set;
    size_t at = 0;

    text[0] = '\0';
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (int i = 0; i < CPU_SETSIZE && at + 8 < bytes; i++)
        if (CPU_ISSET(i, &set))
            at += (size_t)snprintf(text + at, bytes - at, "%s%d", at > 0 ? "," : "", i);
}

static long windows(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    unsigned long (*served)(void) = NULL;

    memcpy(&served, &symbol, sizeof served);
    return served ? (long)served() : -1;
}

/* One write, so that lines of several ranks do not mix. */
void bench_where(void)
{
    static int is_told;
    const char *path = getenv("BENCH_WHERE"), *rank = rank_of_job();
    char node[256] = "?", processors[1024], line[2048];
    int file, length;

    if (is_told || !path || !rank || (file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)) < 0)
        return;
    is_told = 1;
    gethostname(node, sizeof node - 1);
    list_processors(processors, sizeof processors);
    length = snprintf(line, sizeof line, "%s %s %s %ld\n", rank, node, processors, windows());
    if (write(file, line, (size_t)length) != length)
        fprintf(stderr, "where: cannot write %s\n", path);
    close(file);
}

__attribute__((destructor)) static void at_end(void)
{
    bench_where();
}
