/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Delete functions of attributes on MPI_COMM_SELF run in MPI_Finalize before any other part of MPI
 * has ended (MPI-4.1, 11.2.4): windows work in them as ever, whenever the attributes were set.
 *
 *   finalize before | after | first | fortran | world
 *
 * before, after: the attribute is set before or after the first window. first: the first window is
 * made in the delete function. fortran: as before, with MPI begun by Fortran's MPI_INIT. world: an
 * attribute of MPI_COMM_WORLD, of which the standard says nothing.
 */
#include "window.h"
#include <stdbool.h>

enum { words = 64, message_bytes = 8 << 20 };

static MPI_Win win = MPI_WIN_NULL;
static int *memory;
static int left, right, done;

static unsigned long windows_served(void)
{
    unsigned long (*served)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    memcpy(&served, &symbol, sizeof served);
    return served ? served() : 0;
}

static void make_window(void)
{
    MPI_Win_allocate(words * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
}

/* Request forms, and a datatype that Proa has not seen yet. */
static void requests_and_types(void)
{
    int values[4] = {rank, rank + 100, rank + 200, rank + 300}, got[4] = {0};
    MPI_Datatype type;
    MPI_Request request;
    MPI_Type_vector(4, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Win_lock_all(0, win);
    MPI_Rput(values, 4, MPI_INT, right, 0, 1, type, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Rget(got, 4, MPI_INT, right, 0, 1, type, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++) {
        CHECK(got[i] == values[i], "Rget brings %d instead of %d", got[i], values[i]);
        CHECK(memory[3 * i] == left + 100 * i, "Rput brings %d instead of %d", memory[3 * i],
              left + 100 * i);
    }
    MPI_Type_free(&type);
}

/* A message that needs its sender's help while the sender waits in a one-sided call for rank 0,
 * which receives it first. */
static void wait_and_send(void)
{
    char *message = need(calloc(message_bytes, 1));
    MPI_Request sending;
    if (rank == 1)
        MPI_Isend(message, message_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &sending);
    else if (rank == 0 && nranks > 1)
        MPI_Recv(message, message_bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    free(message);
}

static int delete_function(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    if (win == MPI_WIN_NULL)
        make_window();
    wait_and_send();
    requests_and_types();
    MPI_Win_free(&win);
    make_window(); /* and there may be more */
    wait_and_send();
    MPI_Win_free(&win);
    CHECK(windows_served() == 2, "Proa has served %lu windows, not 2", windows_served());
    done = 1;
    return MPI_SUCCESS;
}

/* MPICH and Open MPI 4.1 call those of MPI_COMM_WORLD as well, when the processes can no longer
 * wait for each other; Open MPI 5 does not. */
static int world_called;

static int delete_function_of_world(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int number = 5, got = 0;
    MPI_Datatype type;
    MPI_Request request;
    (void)comm, (void)keyval, (void)value, (void)extra;
    world_called = 1;
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Rput(&number, 1, MPI_INT, rank, 1, 1, type, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get(&got, 1, MPI_INT, rank, 1, 1, MPI_INT, win);
    CHECK(got == number && memory[1] == number, "a late Rput brings %d", got);
    done = 1;
    return MPI_SUCCESS;
}

static void set_attribute(MPI_Comm comm, MPI_Comm_delete_attr_function *function)
{
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, NULL);
    MPI_Comm_free_keyval(&keyval);
}

/* By the library of the host's Fortran, whichever compiler has made it. */
static bool begin_by_fortran(void)
{
#if defined(HOST_IS_OPENMPI)
    void *library = dlopen("libmpi_mpifh.so.40", RTLD_NOW | RTLD_GLOBAL);
#else
    void *library = dlopen("libmpichfort.so.12", RTLD_NOW | RTLD_GLOBAL);
#endif
    void (*init)(int *error) = NULL;
    int error = -1;
    void *symbol = library ? dlsym(library, "mpi_init_") : NULL;
    if (!symbol)
        return false;
    memcpy(&init, &symbol, sizeof init);
    init(&error);
    return error == MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *when = argc > 1 ? argv[1] : "before";
    if (strcmp(when, "fortran") == 0 && !begin_by_fortran()) {
        printf("skipped: no Fortran library of this host\n");
        return 77;
    }
    if (strcmp(when, "fortran") != 0)
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    if (strcmp(when, "after") == 0)
        make_window();
    if (strcmp(when, "world") == 0) {
        make_window();
        MPI_Win_lock_all(0, win);
        set_attribute(MPI_COMM_WORLD, delete_function_of_world);
    } else
        set_attribute(MPI_COMM_SELF, delete_function);
    if (win == MPI_WIN_NULL && strcmp(when, "first") != 0)
        make_window();
    MPI_Finalize();
    if (strcmp(when, "world") == 0 && !world_called) {
        printf("skipped: this host does not call delete functions of MPI_COMM_WORLD\n");
        return 77;
    }
    if (!done)
        fprintf(stderr, "rank %d: the delete function was not called, or not to its end\n", rank);
    return check_failures != 0 || !done;
}
