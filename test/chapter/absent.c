/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of which one runs without Proa, and processes of which this is unknown (absent.sh looks
 * at what is said).
 *
 *   absent all          all have Proa (wrapped.sh)
 *   absent some         one of the ranks has been started without Proa: windows with it are the
 *                       host's, windows among the others are Proa's
 *   absent past         rank 1 has Proa, but starts MPI by the host's own function: it counts as one
 *                       without
 *   absent late FILE    all have Proa, but after a meeting with another job none is sure: rank 1
 *                       comes to the window only when FILE says that
 *                       others have waited long for it
 */
#include "window.h"

enum { without = 1 }; /* the rank */

static unsigned long windows_served(void)
{
    unsigned long (*served)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    memcpy(&served, &symbol, sizeof served);
    return served ? served() : 0;
}

static void exchange(MPI_Comm comm, unsigned long by_proa)
{
    static const enum kind kinds[] = {kind_allocate, kind_create, kind_shared};
    int me, n, value;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    value = 100 + me;
    for (int i = 0; i < 3; i++) {
        if (!by_proa && !host_makes(kinds[i], comm))
            continue;
        unsigned long before = windows_served();
        struct area a = open_area(kinds[i], 64, 4, comm);
        CHECK(windows_served() - before == by_proa, "%s: %lu windows are Proa's, not %lu",
              kind_names[a.kind], windows_served() - before, by_proa);
        MPI_Win_fence(0, a.win);
        MPI_Put(&value, 1, MPI_INT, (me + 1) % n, 1, 1, MPI_INT, a.win);
        MPI_Win_fence(0, a.win);
        CHECK(((int *)a.base)[1] == 100 + (me + n - 1) % n, "%s: put brings %d", kind_names[a.kind],
              ((int *)a.base)[1]);
        close_area(&a);
    }
}

static int all(void)
{
    exchange(MPI_COMM_WORLD, 1);
    return finish("absent all");
}

static int some(void)
{
    MPI_Comm others;
    if (nranks < 3)
        return skip("needs 3 ranks");
    int has_proa = dlsym(RTLD_DEFAULT, "proa_windows_served") != NULL;
    CHECK(has_proa == (rank != without), "has Proa: %d", has_proa);
    exchange(MPI_COMM_WORLD, 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank == without, rank, &others);
    if (rank != without) /* Open MPI makes no windows of one process */
        exchange(others, 1);
    exchange(MPI_COMM_WORLD, 0);
    MPI_Comm_free(&others);
    return finish("absent some");
}

/* As an interpreter may that has loaded MPI for itself alone. */
static int started_past(int *argc, char ***argv)
{
    const char *number = getenv(getenv("PMIX_RANK") ? "PMIX_RANK" : "PMI_RANK");
    int (*init)(int *, char ***) = NULL;
    Dl_info info;
    if (!number || atoi(number) != without || !dladdr(dlsym(RTLD_DEFAULT, "PMPI_Comm_rank"), &info))
        return 0;
    void *symbol = dlsym(dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD), "PMPI_Init");
    memcpy(&init, &symbol, sizeof init);
    init(argc, argv);
    return 1;
}

static int past(int *argc, char ***argv)
{
    if (!started_past(argc, argv))
        MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    exchange(MPI_COMM_WORLD, 0);
    return finish("absent past");
}

/* MPICH of Debian cannot spawn, and Open MPI cannot fail in MPI_Comm_join; whether the meeting
 * succeeds is the same. */
static void meet(char *program)
{
    MPI_Comm others;
#ifdef HOST_IS_MPICH
    (void)program;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_join(-1, &others);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
#else
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&others);
#endif
}

static void wait_for(const char *file, const char *words)
{
    for (int found = 0; !found; usleep(20000)) {
        char text[20000] = "";
        FILE *log = fopen(file, "r");
        if (log && fread(text, 1, sizeof text - 1, log) > 0)
            found = strstr(text, words) != NULL;
        if (log)
            fclose(log);
    }
}

static int late(char *program, const char *file)
{
    meet(program);
    if (rank == 1)
        wait_for(file, "has waited");
    exchange(MPI_COMM_WORLD, 1);
    return finish("absent late");
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    if (argc > 1 && strcmp(argv[1], "past") == 0)
        return past(&argc, &argv);
    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parent);
        return MPI_Finalize();
    }
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        return all();
    if (argc > 2 && strcmp(argv[1], "late") == 0)
        return late(argv[0], argv[2]);
    return some();
}
