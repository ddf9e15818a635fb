/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program lowers its limit on the size of files (RLIMIT_FSIZE), after MPI_Init or after a first
 * window: the next request to MPI succeeds or returns an error. SIGXFSZ, which ends a program that
 * does not expect it, is never delivered.
 *
 *   file_size first | later | zero
 *
 * zero: later, and no file may have a byte.
 */
#include "memory.h"
#include <signal.h>
#include <sys/resource.h>

enum { small = 1 << 16, large = 40 << 20 };

static volatile sig_atomic_t delivered;

static void on_signal(int signal)
{
    (void)signal;
    delivered++;
}

static void look(const char *what)
{
    CHECK(delivered == 0, "SIGXFSZ was delivered %d times by %s", (int)delivered, what);
    delivered = 0;
}

/* All ranks have the window, or none. */
static int is_made(int code, const char *what)
{
    int made = code == MPI_SUCCESS, all = 0;
    look(what);
    MPI_Allreduce(&made, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == 0 || all == nranks, "%s: %d of %d ranks have a window", what, all, nranks);
    return made;
}

static void create(size_t bytes, const char *what)
{
    MPI_Win win;
    char *memory = need(malloc(bytes));
    memset(memory, 3, bytes);
    int code = MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (is_made(code, what)) {
        window_works(win, memory, 0, bytes / 2, what);
        MPI_Win_free(&win);
    }
    look(what);
    free(memory);
}

static void allocate(size_t bytes, const char *what)
{
    MPI_Win win;
    char *memory = NULL;
    int code = MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (is_made(code, what)) {
        memset(memory, 3, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        window_works(win, memory, 0, bytes / 2, what);
        MPI_Win_free(&win);
    }
    look(what);
}

static void alloc_mem(size_t bytes, const char *what)
{
    char *memory = NULL;
    if (MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory) == MPI_SUCCESS) {
        memset(memory, 3, bytes);
        CHECK(memory[bytes - 1] == 3, "%s: the memory does not hold what is stored", what);
        MPI_Free_mem(memory);
    }
    look(what);
}

/* larger: an allocated window of which the host has none under the limit either. */
static void ask_for_all(int larger)
{
    create(small, "a small MPI_Win_create");
    create(large, "a large MPI_Win_create");
    allocate(small, "a small MPI_Win_allocate");
    if (larger)
        allocate(large, "a large MPI_Win_allocate");
    alloc_mem(small, "a small MPI_Alloc_mem");
    alloc_mem(large, "a large MPI_Alloc_mem");
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct rlimit limit;
    start(&argc, &argv);
    const char *when = argc > 1 ? argv[1] : "first";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    sigaction(SIGXFSZ, &action, NULL);
    int is_first = strcmp(when, "first") == 0;
    struct room room = room_make(HEAP);
    if (!is_first) {
        create(small, "the first window");
        allocate(small, "the second window");
        room_open(&room, 0);
    }
    getrlimit(RLIMIT_FSIZE, &limit);
    struct rlimit lower = {strcmp(when, "zero") == 0 ? 0 : 1 << 20, limit.rlim_max};
    CHECK(setrlimit(RLIMIT_FSIZE, &lower) == 0, "setrlimit fails");
    ask_for_all(!is_first);
    if (!is_first) {
        room_works(&room, "a window from before the limit");
        room_close(&room);
        look("a window from before the limit");
    }
    setrlimit(RLIMIT_FSIZE, &limit);
    ask_for_all(1);
    room_give_back(&room);
    return finish("file_size");
}
