/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong arguments of the calls that make windows: the communicator's error handler is told, no
 * window comes to be on any rank, and the next creation works.
 */
#include "wrong.h"

static MPI_Comm comm; /* its handler is the one to be told */

/* None of the calls may have given a handle, or an address. */
static MPI_Win win = MPI_WIN_NULL;
static void *base;

static void check_nothing_made(void)
{
    CHECK(win == MPI_WIN_NULL, "a wrong creation gave a window");
    CHECK(base == NULL, "a wrong creation gave an address");
}

/* Right arguments on the same communicator, and the window is good. */
static void create_rightly(MPI_Comm on)
{
    int *memory = NULL, me, n;
    MPI_Win good;
    MPI_Comm_rank(on, &me);
    MPI_Comm_size(on, &n);
    RIGHT(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, on, &memory, &good));
    RIGHT(MPI_Win_fence(0, good));
    RIGHT(MPI_Put(&me, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, good));
    RIGHT(MPI_Win_fence(0, good));
    CHECK(memory[0] == (me + n - 1) % n, "window after wrong creations: %d", memory[0]);
    RIGHT(MPI_Win_free(&good));
}

/* ---- the communicator ---- */

static void null_communicator(void)
{
    static int memory[4];
    MPI_Aint size = sizeof memory;
    const char *about = "MPI_COMM_NULL";
    comm = MPI_COMM_WORLD; /* where both hosts raise errors that belong to nothing */
    WRONG_ON(comm, MPI_ERR_COMM, about, MPI_Win_create,
             (memory, size, 4, MPI_INFO_NULL, MPI_COMM_NULL, &win));
    WRONG_ON(comm, MPI_ERR_COMM, about, MPI_Win_allocate,
             (size, 4, MPI_INFO_NULL, MPI_COMM_NULL, &base, &win));
    WRONG_ON(comm, MPI_ERR_COMM, about, MPI_Win_allocate_shared,
             (size, 4, MPI_INFO_NULL, MPI_COMM_NULL, &base, &win));
    WRONG_ON(comm, MPI_ERR_COMM, about, MPI_Win_create_dynamic,
             (MPI_INFO_NULL, MPI_COMM_NULL, &win));
}

static void intercommunicator(void)
{
    static int memory[4];
    MPI_Aint size = sizeof memory;
    const char *about = "intercommunicator";
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &comm);
    WRONG_ON(comm, MPI_ERR_COMM, about, MPI_Win_create,
             (memory, size, 4, MPI_INFO_NULL, comm, &win));
    WRONG_ON(comm, MPI_ERR_COMM, about, MPI_Win_allocate,
             (size, 4, MPI_INFO_NULL, comm, &base, &win));
    WRONG_ON(comm, MPI_ERR_COMM, about, MPI_Win_allocate_shared,
             (size, 4, MPI_INFO_NULL, comm, &base, &win));
    WRONG_ON(comm, MPI_ERR_COMM, about, MPI_Win_create_dynamic, (MPI_INFO_NULL, comm, &win));
    MPI_Comm_free(&comm);
    create_rightly(half);
    MPI_Comm_free(&half);
}

static void run_comm(struct area *a)
{
    (void)a;
    null_communicator();
    intercommunicator();
    check_nothing_made();
    create_rightly(MPI_COMM_WORLD);
}

/* ---- sizes, units, base ---- */

/* Runs body on a communicator of its own, whose handler is then the one to be told. */
static void on_own_communicator(void (*body)(void))
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    body();
    check_nothing_made();
    create_rightly(comm);
    MPI_Comm_free(&comm);
}

static void wrong_sizes(void)
{
    static int memory[4];
    const char *about = "-8 is negative";
    WRONG_ON(comm, MPI_ERR_SIZE, about, MPI_Win_create, (memory, -8, 4, MPI_INFO_NULL, comm, &win));
    WRONG_ON(comm, MPI_ERR_SIZE, about, MPI_Win_allocate,
             (-8, 4, MPI_INFO_NULL, comm, &base, &win));
    WRONG_ON(comm, MPI_ERR_SIZE, about, MPI_Win_allocate_shared,
             (-8, 4, MPI_INFO_NULL, comm, &base, &win));
#if MPI_VERSION >= 4
    WRONG_ON(comm, MPI_ERR_SIZE, about, MPI_Win_create_c,
             (memory, -8, 4, MPI_INFO_NULL, comm, &win));
    WRONG_ON(comm, MPI_ERR_SIZE, about, MPI_Win_allocate_c,
             (-8, 4, MPI_INFO_NULL, comm, &base, &win));
    WRONG_ON(comm, MPI_ERR_SIZE, about, MPI_Win_allocate_shared_c,
             (-8, 4, MPI_INFO_NULL, comm, &base, &win));
#endif
}

/* One rank's mistake is everybody's error: there is no window on the others either, and none of
 * them waits for it. */
static void wrong_on_one(void)
{
    int wrong = rank == nranks - 1;
    char who[40];
    snprintf(who, sizeof who, "rank %d", nranks - 1);
    WRONG_ON(comm, MPI_ERR_SIZE, wrong ? "-8 is negative" : who, MPI_Win_allocate,
             (wrong ? -8 : 8, 4, MPI_INFO_NULL, comm, &base, &win));
    WRONG_ON(comm, MPI_ERR_DISP, wrong ? "disp_unit 0" : who, MPI_Win_allocate_shared,
             (8, wrong ? 0 : 4, MPI_INFO_NULL, comm, &base, &win));
}

static void wrong_units(void)
{
    static int memory[4];
    MPI_Aint size = sizeof memory;
    WRONG_ON(comm, MPI_ERR_DISP, "disp_unit 0", MPI_Win_create,
             (memory, size, 0, MPI_INFO_NULL, comm, &win));
    WRONG_ON(comm, MPI_ERR_DISP, "disp_unit -4", MPI_Win_create,
             (memory, size, -4, MPI_INFO_NULL, comm, &win));
    WRONG_ON(comm, MPI_ERR_DISP, "disp_unit 0", MPI_Win_allocate,
             (size, 0, MPI_INFO_NULL, comm, &base, &win));
    WRONG_ON(comm, MPI_ERR_DISP, "disp_unit -1", MPI_Win_allocate_shared,
             (size, -1, MPI_INFO_NULL, comm, &base, &win));
#if MPI_VERSION >= 4
    WRONG_ON(comm, MPI_ERR_DISP, "disp_unit 0", MPI_Win_create_c,
             (memory, size, 0, MPI_INFO_NULL, comm, &win));
    WRONG_ON(comm, MPI_ERR_DISP, "disp_unit -4", MPI_Win_allocate_c,
             (size, -4, MPI_INFO_NULL, comm, &base, &win));
    WRONG_ON(comm, MPI_ERR_DISP, "disp_unit 0", MPI_Win_allocate_shared_c,
             (size, 0, MPI_INFO_NULL, comm, &base, &win));
#endif
}

static void wrong_bases(void)
{
    WRONG_ON(comm, MPI_ERR_BASE, "base is NULL", MPI_Win_create,
             (NULL, 64, 4, MPI_INFO_NULL, comm, &win));
#if MPI_VERSION >= 4
    WRONG_ON(comm, MPI_ERR_BASE, "base is NULL", MPI_Win_create_c,
             (NULL, 64, 4, MPI_INFO_NULL, comm, &win));
#endif
    MPI_Win empty; /* NULL is right where there is nothing */
    RIGHT(MPI_Win_create(NULL, 0, 4, MPI_INFO_NULL, comm, &empty));
    RIGHT(MPI_Win_free(&empty));
}

static void run_size(struct area *a)
{
    (void)a;
    void *memory = NULL;
    on_own_communicator(wrong_sizes);
    on_own_communicator(wrong_on_one);
    WRONG_ON(MPI_COMM_WORLD, MPI_ERR_SIZE, "-8 is negative", MPI_Alloc_mem,
             (-8, MPI_INFO_NULL, &memory));
    CHECK(!memory, "a wrong MPI_Alloc_mem gave an address");
}

static void run_disp_unit(struct area *a)
{
    (void)a;
    on_own_communicator(wrong_units);
}

static void run_base(struct area *a)
{
    (void)a;
    on_own_communicator(wrong_bases);
}

/* ---- several nodes ---- */

static void shared_over_nodes(void)
{
    WRONG_ON(comm, MPI_ERR_RMA_SHARED, "node", MPI_Win_allocate_shared,
             (64, 4, MPI_INFO_NULL, comm, &base, &win));
#if MPI_VERSION >= 4
    WRONG_ON(comm, MPI_ERR_RMA_SHARED, "node", MPI_Win_allocate_shared_c,
             (64, 4, MPI_INFO_NULL, comm, &base, &win));
#endif
}

/* A communicator of the node's own is how it is done. */
static void shared_on_node(void)
{
    MPI_Comm node;
    int *memory = NULL;
    MPI_Win good;
    MPI_Comm_split(comm, rank == 0, rank, &node);
    RIGHT(MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, node, &memory, &good));
    CHECK(memory, "no shared memory on the node");
    RIGHT(MPI_Win_free(&good));
    create_rightly(node);
    MPI_Comm_free(&node);
}

/* The first rank counts as being on another node (settings are read when the first window is
 * made). */
static void run_nodes(void)
{
    setenv("PROA_NODE_ID", rank == 0 ? "first" : "others", 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    shared_over_nodes();
    check_nothing_made();
    shared_on_node();
    MPI_Comm_free(&comm);
}

static const struct row rows[] = {{"comm", run_comm, 1},
                                  {"size", run_size, 1},
                                  {"disp_unit", run_disp_unit, 1},
                                  {"base", run_base, 1}};

int main(int argc, char **argv)
{
    start_listening(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "nodes") == 0)
        run_nodes(); /* before any window has been made */
    else
        run_row(argc, argv, rows, sizeof rows / sizeof rows[0]);
    return finish_listening("error_create");
}
