/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window on gigabytes that the program has never touched: 4 GiB of calloc, and 16 GiB of
 * MAP_NORESERVE. MPI_Win_create and MPI_Win_free give them no pages and no page tables, as the
 * kernel counts it; puts arrive there, and the rest is zero.
 *
 *   untouched calloc | noreserve
 */
#include "memory.h"
#include <signal.h>
#include <sys/resource.h>

/* Faults: of one page each, where all of a window was read there would be a million. */
enum {
    more_kib_most = 16 << 10,
    tables_kib_most = 2 << 10,
    faults_most = 50000,
    places = 8,
    patience_s = 60
};

struct use {
    long resident_kib, tables_kib, faults;
};

static long status_value(const char *name)
{
    char line[200];
    long value = -1;
    FILE *status = need(fopen("/proc/self/status", "r"));
    while (value < 0 && fgets(line, sizeof line, status))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtol(line + strlen(name), NULL, 10);
    fclose(status);
    return value;
}

static struct use use_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct use){status_value("VmRSS:"), status_value("VmPTE:"), usage.ru_minflt};
}

static void check_use(const struct use *before, const char *when)
{
    struct use now = use_now();
    CHECK(now.resident_kib - before->resident_kib < more_kib_most, "%s: %ld KiB more are resident",
          when, now.resident_kib - before->resident_kib);
    CHECK(now.tables_kib - before->tables_kib < tables_kib_most, "%s: %ld KiB more of page tables",
          when, now.tables_kib - before->tables_kib);
    CHECK(now.faults - before->faults < faults_most, "%s: %ld page faults", when,
          now.faults - before->faults);
}

static size_t place(size_t bytes, int i)
{
    return bytes / places * (size_t)i + 64;
}

static void on_alarm(int signal)
{
    static const char text[] = "a window on untouched memory takes more than a minute\n";
    (void)signal;
    if (write(2, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(1);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int reserved = argc > 1 && strcmp(argv[1], "calloc") == 0;
    size_t bytes = reserved ? (size_t)4 << 30 : (size_t)16 << 30;
    char *memory = reserved ? need(calloc(bytes, 1)) : map_pages(bytes, MAP_NORESERVE);
    struct use before = use_now();
    MPI_Win win;
    signal(SIGALRM, on_alarm);
    alarm(patience_s);
    MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check_use(&before, "after MPI_Win_create");
    for (int i = 0; i < places; i++)
        window_works(win, memory, 0, place(bytes, i), "untouched memory");
    check_use(&before, "while the window lives");
    MPI_Win_free(&win);
    check_use(&before, "after MPI_Win_free");
    int left = (rank + nranks - 1) % nranks, got;
    for (int i = 0; i < places; i++) {
        memcpy(&got, memory + place(bytes, i), sizeof got);
        CHECK(got == 1000 + left, "memory at %zu holds %d after MPI_Win_free", place(bytes, i),
              got);
        CHECK(memory[place(bytes, i) - 1] == 0 && memory[place(bytes, i) + 8192] == 0,
              "memory that was never stored to is not zero");
    }
    if (reserved)
        free(memory);
    else
        munmap(memory, bytes);
    return finish("untouched");
}
