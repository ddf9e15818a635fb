/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guard pages inside a window's memory, which the program never touches: of MADV_GUARD_INSTALL,
 * which /proc/self/maps does not show, and of PROT_NONE. MPI_Win_create does not touch them either,
 * the window's other pages work, and after MPI_Win_free the guards still stand.
 */
#include "memory.h"
#include <signal.h>
#include <sys/wait.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

enum guard { INSTALLED, PROTECTED, nguards };

static const char *const guard_names[nguards] = {"MADV_GUARD_INSTALL", "PROT_NONE"};

enum { pages = 16, guarded = 5, guarded_too = 11 };

static int install(char *memory, enum guard guard)
{
    size_t page = page_size();
    char *first = memory + guarded * page, *second = memory + guarded_too * page;
    if (guard == PROTECTED)
        return mprotect(first, page, PROT_NONE) == 0 && mprotect(second, page, PROT_NONE) == 0;
    return madvise(first, page, MADV_GUARD_INSTALL) == 0 &&
           madvise(second, page, MADV_GUARD_INSTALL) == 0;
}

/* A child's load there ends it with SIGSEGV. */
static int still_stands(const char *guard)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(*(const volatile char *)guard ? 1 : 2);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

/* SIGSEGV in MPI_Win_create, where signals are blocked, ends the process at once. This child says
 * so when the end of the pipe, of which it has no other, comes before a byte. */
static int watch(void)
{
    char done = 0;
    int ends[2];
    CHECK(pipe(ends) == 0, "no pipe");
    if (fork() == 0) {
        close(ends[1]);
        if (read(ends[0], &done, 1) != 1)
            fprintf(stderr, "rank %d ended inside MPI, by a guard page in a window's memory\n",
                    rank);
        _exit(0);
    }
    close(ends[0]);
    return ends[1];
}

static void with(enum guard guard, int attached, int touched)
{
    size_t page = page_size();
    char *memory = map_pages(pages * page, 0);
    MPI_Win win;
    if (touched)
        memset(memory, 3, pages * page);
    if (!install(memory, guard)) {
        printf("skipped: the kernel has no %s\n", guard_names[guard]);
        munmap(memory, pages * page);
        return;
    }
    if (attached) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_attach(win, memory, (MPI_Aint)(pages * page));
    } else {
        MPI_Win_create(memory, (MPI_Aint)(pages * page), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    window_works(win, memory, attached, 2 * page, guard_names[guard]);
    window_works(win, memory, attached, (pages - 1) * page, guard_names[guard]);
    CHECK(still_stands(memory + guarded * page), "%s: the guard page is gone while a window lives",
          guard_names[guard]);
    if (attached) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_detach(win, memory);
    }
    MPI_Win_free(&win);
    CHECK(still_stands(memory + guarded * page) && still_stands(memory + guarded_too * page),
          "%s: a guard page is gone after MPI_Win_free", guard_names[guard]);
    CHECK(memory[3 * page] == (touched ? 3 : 0), "%s: the page behind holds %d", guard_names[guard],
          memory[3 * page]);
    munmap(memory, pages * page);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int watched = watch();
    for (int i = 0; i < 8; i++)
        with(i & 1 ? INSTALLED : PROTECTED, i & 2, i & 4);
    CHECK(write(watched, "", 1) == 1 && wait(NULL) > 0, "the child that watches has ended");
    return finish("guard_page");
}
