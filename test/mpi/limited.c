/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits that a batch system sets, on the last rank alone, one after the other: address space, open
 * files, locked memory. Windows that fit are made and work; one that does not is MPI_ERR_NO_MEM on
 * all ranks, with a sentence that says why; no rank hangs, and afterwards windows are made again.
 */
#include "window.h"
#include <sys/resource.h>

enum { small = 1 << 14, large = 256 << 20 };

static int is_limited(void)
{
    return rank == nranks - 1;
}

/* Puts into the window of every rank that has some. */
static void use(MPI_Win win, void *base, size_t bytes, const char *what)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, value = 300 + rank,
        got = -1, there = 0;
    int mine = bytes > 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, left, 1, &there, 1, MPI_INT, right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    if (there)
        MPI_Put(&value, 1, MPI_INT, right, 5, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (there)
        MPI_Get(&got, 1, MPI_INT, right, 5, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(!there || got == value, "%s: got %d, not %d", what, got, value);
    CHECK(!mine || ((int *)base)[5] == 300 + left, "%s: put brings %d", what, ((int *)base)[5]);
}

/* A code that is the same everywhere, with a sentence. */
static void check_refusal(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int mine = code == MPI_SUCCESS ? 0 : error_class(code), least, most, length = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(least == most, "%s: classes from %d to %d", what, least, most);
    CHECK(mine == 0 || mine == MPI_ERR_NO_MEM, "%s: class %d", what, mine);
    if (mine)
        MPI_Error_string(code, text, &length);
    CHECK(!mine || strstr(text, "memory"), "%s: says: %s", what, text);
    CHECK(!mine || is_limited() || strstr(text, "rank"), "%s: does not say where: %s", what, text);
}

/* bytes: on this rank. Made, or refused for all. */
static int allocated(size_t bytes, const char *what)
{
    void *base;
    MPI_Win win;
    int code =
        MPI_Win_allocate((MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    check_refusal(code, what);
    if (code != MPI_SUCCESS)
        return 0;
    use(win, base, bytes, what);
    MPI_Win_free(&win);
    return 1;
}

static int created(size_t bytes, const char *what)
{
    void *base = bytes ? need(calloc(bytes, 1)) : NULL;
    MPI_Win win;
    int code =
        MPI_Win_create(base, (MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check_refusal(code, what);
    if (code == MPI_SUCCESS) {
        use(win, base, bytes, what);
        MPI_Win_free(&win);
    }
    free(base);
    return code == MPI_SUCCESS;
}

static void shared(size_t bytes, const char *what)
{
    void *base;
    MPI_Win win;
    int code = MPI_Win_allocate_shared((MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                                       &base, &win);
    check_refusal(code, what);
    if (code != MPI_SUCCESS)
        return;
    use(win, base, bytes, what);
    MPI_Win_free(&win);
}

/* fits: large windows of the last rank's do. */
static void all_windows(int fits, const char *what)
{
    char text[100];
#define NAMED(kind) (snprintf(text, sizeof text, "%s, %s", what, kind), text)
    CHECK(allocated(small, NAMED("small")), "%s: a small window is refused", what);
    CHECK(created(small, NAMED("small, created")), "%s: a small one is refused", what);
    int made = allocated(large, NAMED("large"));
    CHECK(made || !fits, "%s: a large window is refused", what);
    CHECK(fits || !made, "%s: a large window is made", what);
    allocated(is_limited() ? 0 : large, NAMED("large on the others"));
    CHECK(created(is_limited() ? 0 : large, NAMED("large on the others, created")),
          "%s: a created window is refused", what);
    shared(small, NAMED("small, shared"));
    shared(is_limited() ? small : large, NAMED("large, shared"));
    CHECK(allocated(small, NAMED("small again")), "%s: a small window is refused", what);
}

static void with_limit(int resource, rlim_t most, int fits, const char *what)
{
    struct rlimit before, now;
    getrlimit(resource, &before);
    now = (struct rlimit){most, before.rlim_max};
    if (is_limited())
        CHECK(setrlimit(resource, &now) == 0, "%s: setrlimit fails", what);
    all_windows(fits, what);
    if (is_limited())
        setrlimit(resource, &before);
    MPI_Barrier(MPI_COMM_WORLD);
}

static rlim_t space_now(void)
{
    long pages = 0;
    FILE *file = need(fopen("/proc/self/statm", "r"));
    CHECK(fscanf(file, "%ld", &pages) == 1, "no /proc/self/statm");
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static int next_file(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (getenv("PROA_EXPECT")) { /* the host alone does as it likes */
        with_limit(RLIMIT_AS, space_now() + (100 << 20), 0, "little address space");
        with_limit(RLIMIT_NOFILE, (rlim_t)next_file(), 0, "no more files");
        with_limit(RLIMIT_MEMLOCK, 0, 1, "no locked memory");
    }
    all_windows(1, "no limit");
    return finish("limited");
}
