/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread holds a FILE's lock (flockfile) while another one forks. The C library makes the child's
 * lock a free one; the parent's stays as it is, although the FILE lies in the page where a window
 * begins.
 */
#include "memory.h"
#include <pthread.h>
#include <sys/wait.h>

enum { tries = 200 };

static FILE *file;
static pthread_barrier_t held, over;

static void *hold_lock(void *arg)
{
    (void)arg;
    flockfile(file);
    pthread_barrier_wait(&held);
    pthread_barrier_wait(&over);
    funlockfile(file);
    return NULL;
}

/* A block of the heap that begins in the page where the FILE ends. */
static char *block_beside(size_t bytes)
{
    size_t page = page_size();
    for (int i = 0; i < tries; i++) {
        file = need(fopen("/dev/null", "w"));
        char *block = need(malloc(bytes));
        if ((uintptr_t)block / page == (uintptr_t)file / page && (uintptr_t)block % page != 0)
            return block;
    }
    return NULL;
}

/* 1: another thread has it; 0: it was free. */
static int is_held(void)
{
    if (ftrylockfile(file) != 0)
        return 1;
    funlockfile(file);
    return 0;
}

static void fork_once(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(is_held() ? 1 : 0);
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "the child finds the FILE's lock held, or ended otherwise (%#x)", status);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    size_t bytes = 6 * page_size();
    char *block = block_beside(bytes);
    pthread_t thread;
    MPI_Win win;
    CHECK(block, "no block in a page with a FILE");
    if (!block)
        block = need(malloc(bytes));
    pthread_barrier_init(&held, NULL, 2);
    pthread_barrier_init(&over, NULL, 2);
    pthread_create(&thread, NULL, hold_lock, NULL);
    pthread_barrier_wait(&held);
    MPI_Win_create(block, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    window_works(win, block, 0, 0, "beside a FILE");
    CHECK(is_held(), "a second thread has the FILE's lock after MPI_Win_create");
    fork_once();
    CHECK(is_held(), "a second thread has the FILE's lock in the parent after fork");
    MPI_Win_free(&win);
    CHECK(is_held(), "a second thread has the FILE's lock after MPI_Win_free");
    pthread_barrier_wait(&over);
    pthread_join(thread, NULL);
    free(block);
    return finish("fork_stdio");
}
