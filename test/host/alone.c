/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank, the last, cannot serve windows, for a reason that its neighbours do not have: every
 * window with it is the host's on all ranks, and no rank waits. The log says why, on each rank.
 *
 *   alone files | disabled | communicator | handle
 *   alone nowhere       no rank can, as this host makes no windows on one process
 *
 */
#include "window.h"

#include "below.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

static int wrong; /* is this the rank? */
static const char *reason;

static unsigned long windows_served(void)
{
    unsigned long (*served)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    memcpy(&served, &symbol, sizeof served);
    CHECK(served, "Proa is not loaded");
    return served ? served() : 0;
}

/* ---- what is wrong ---- */

/* All files that this process may have are open when Proa starts, which it does with the first
 * memory. Afterwards there are files again: Open MPI's own windows need them. */
static void start_without_files(void)
{
    struct rlimit files;
    void *memory = NULL;
    int lowest = dup(0);
    close(lowest);
    getrlimit(RLIMIT_NOFILE, &files);
    struct rlimit few = {(rlim_t)lowest, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    int more = dup(0);
    CHECK(more < 0, "there is a file left: %d", more);
    int error = MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
    setrlimit(RLIMIT_NOFILE, &files);
    CHECK(error == MPI_SUCCESS && memory,
          "the host has memory without files, but MPI_Alloc_mem gives %d", error);
    MPI_Free_mem(memory);
}

static int number_in_environment(const char *mpich, const char *openmpi)
{
    const char *text = getenv(mpich) ? getenv(mpich) : getenv(openmpi);
    return text ? atoi(text) : -1;
}

/* Before MPI_Init. */
static int is_last(void)
{
    return number_in_environment("PMI_RANK", "OMPI_COMM_WORLD_RANK") ==
           number_in_environment("PMI_SIZE", "OMPI_COMM_WORLD_SIZE") - 1;
}

static int go_wrong(const char *how)
{
    if (strcmp(how, "files") == 0) {
        reason = "Too many open files";
        if (wrong)
            start_without_files();
    } else if (strcmp(how, "disabled") == 0) {
        reason = "PROA_DISABLE is set";
        if (wrong)
            setenv("PROA_DISABLE", "1", 1);
    } else if (strcmp(how, "communicator") == 0) {
        reason = "private communicator"; /* from before MPI_Init on */
    } else if (strcmp(how, "handle") == 0) {
        reason = "window behind a handle";
        below_find()->no_windows = wrong;
    } else if (strcmp(how, "nowhere") == 0) {
        reason = "window behind a handle";
        wrong = 1;
    } else
        return -1;
    return 0;
}

/* ---- the log ---- */

static int log_file, stderr_kept;

static void log_begin(void)
{
    log_file = memfd_create("log", 0);
    stderr_kept = dup(2);
}

static void log_catch(void)
{
    dup2(log_file, 2);
}

/* One line about this creation, with the reason and, where it is another's, the rank. */
static void log_check(void)
{
    char text[8000] = "", who[40];
    dup2(stderr_kept, 2);
    ssize_t length = pread(log_file, text, sizeof text - 1, 0);
    CHECK(length > 0, "nothing in the log");
    snprintf(who, sizeof who, "(on rank %d)", nranks - 1);
    const char *line = strstr(text, "MPI_Win_create is left to the host MPI: "),
               *why = line ? strstr(line, reason) : NULL;
    CHECK(line, "the log does not say what is left: %s", text);
    CHECK(why && strchr(line, '\n') > why, "the log does not say \"%s\": %s", reason, text);
    CHECK(wrong || strstr(text, who), "the log does not say %s: %s", who, text);
    CHECK(!why || !strstr(why, "left to the host MPI"), "several lines for one window: %s", text);
}

/* ---- windows ---- */

static void use(MPI_Win win, const int *memory, MPI_Comm comm, const char *what)
{
    int me, n, value;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    value = 70 + me;
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[0] == 70 + (me + n - 1) % n, "%s: put and fence bring %d", what, memory[0]);
}

static void make(enum kind kind, MPI_Comm comm)
{
    struct area a = open_area(kind, 64, sizeof(int), comm);
    if (kind != kind_dynamic)
        use(a.win, a.base, comm, kind_names[kind]);
    close_area(&a);
}

static int first[16];

/* The first window of the program, which starts Proa if nothing has yet. */
static void make_first(void)
{
    MPI_Win win = MPI_WIN_NULL;
    log_catch();
    int error =
        MPI_Win_create(first, sizeof first, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    log_check();
    CHECK(error == MPI_SUCCESS, "error %d", error);
    use(win, first, MPI_COMM_WORLD, "first");
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "communicator") == 0)
        below_find()->no_communicator = is_last();
    start(&argc, &argv);
    wrong = rank == nranks - 1;
    unsetenv("PROA_EXPECT"); /* there is a rank that serves none */
    log_begin();
    if (argc < 2 || go_wrong(argv[1]) != 0)
        return skip("say what is to be wrong");
    make_first();
    int nowhere = strcmp(argv[1], "nowhere") == 0;
    for (int kind = 0; kind < nkinds; kind++)
        /* Open MPI has none where it makes no windows on one process */
        if ((!nowhere || kind != kind_shared) && host_makes((enum kind)kind, MPI_COMM_WORLD))
            make((enum kind)kind, MPI_COMM_WORLD);
    CHECK(windows_served() == 0, "%lu windows with the rank that cannot are Proa's",
          windows_served());
    if (nowhere)
        return finish("alone");

    MPI_Comm part; /* without that rank all is well */
    /* the host makes windows again, and that is all that was lacking */
    int serves = !wrong || below_find()->no_windows;
    below_find()->no_windows = 0;
    MPI_Comm_split(MPI_COMM_WORLD, wrong, rank, &part);
    for (int kind = 0; kind < nkinds; kind++)
        if (serves || kind == kind_allocate) /* Open MPI's own fail on one process, some of them */
            make((enum kind)kind, part);
    CHECK((windows_served() > 0) == serves, "%lu windows are Proa's", windows_served());
    MPI_Comm_free(&part);
    return finish("alone");
}
