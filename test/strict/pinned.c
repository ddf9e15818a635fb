/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows that are larger than `ulimit -l`, between two hosts, on a network that pins memory
 * (verbs): all is right, and lines name the bytes. Two ranks.
 */
#include "../mpi/check.h"
#include <sys/resource.h>

enum {
    MIB = 1 << 20,
    ALLOWED = 8 * MIB,
    SMALL = 3 * MIB, /* is registered, and nothing as large beside it */
    LARGE = 24 * MIB,
    PIECE = 4 * MIB
};

/* ---- lines on stderr ---- */

static char said[8192];
static int kept = -1;
static FILE *lines;

static void begin_log(void)
{
    fflush(stderr);
    lines = tmpfile();
    kept = dup(STDERR_FILENO);
    dup2(fileno(lines), STDERR_FILENO);
}

static void end_log(void)
{
    size_t bytes;

    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(lines);
    bytes = fread(said, 1, sizeof said - 1, lines);
    said[bytes] = '\0';
    fclose(lines);
    fputs(said, stderr);
}

static void expect(const char *words)
{
    CHECK(strstr(said, words), "\"%s\" was not said", words);
}

static void expect_none(void)
{
    CHECK(!strstr(said, "ulimit") && !strstr(said, "pins"), "a limit was met");
}

/* ---- puts and gets ---- */

static void fill(unsigned char *memory, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)((i * 2654435761u + seed) >> 13);
}

/* Each rank puts bytes to the other, from memory that is no window's, and gets them back. */
static void exchange(MPI_Win win, MPI_Aint place, int bytes)
{
    unsigned char *from = malloc((size_t)bytes), *to = calloc(1, (size_t)bytes);

    fill(from, (size_t)bytes, (unsigned)rank);
    MPI_Win_lock_all(0, win);
    MPI_Put(from, bytes, MPI_BYTE, 1 - rank, place, bytes, MPI_BYTE, win);
    MPI_Win_flush(1 - rank, win);
    MPI_Get(to, bytes, MPI_BYTE, 1 - rank, place, bytes, MPI_BYTE, win);
    MPI_Win_unlock_all(win);
    CHECK(memcmp(from, to, (size_t)bytes) == 0, "%d bytes have come back otherwise", bytes);
    free(from);
    free(to);
}

/* ---- windows ---- */

static void too_large(void)
{
    unsigned char *memory;
    MPI_Win win;

    begin_log();
    MPI_Win_allocate(LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    end_log();
    expect("cannot register 25165824 bytes of memory beside ");
    expect("`ulimit -l` allows 8388608 bytes: the 25165824 bytes of a window are reached by "
           "messages only");
    exchange(win, 5 * MIB + 1, PIECE);
    MPI_Win_free(&win);
}

static void buffer_too_large(void)
{
    unsigned char *memory;
    MPI_Win win;

    begin_log();
    MPI_Win_allocate(SMALL, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    end_log();
    expect_none();
    begin_log();
    exchange(win, 0, SMALL);
    end_log();
    expect("cannot register 3145728 bytes of memory beside ");
    expect("`ulimit -l` allows 8388608 bytes: a put or get is copied");
    MPI_Win_free(&win);
}

/* Attached regions are not registered, so the limit is not met. */
static void attached(void)
{
    unsigned char *memory = malloc(LARGE);
    MPI_Aint here, there;
    MPI_Win win;

    begin_log();
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, LARGE);
    end_log();
    expect_none();
    MPI_Get_address(memory, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    exchange(win, MPI_Aint_add(there, 3 * MIB), PIECE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    free(memory);
}

int main(int argc, char **argv)
{
    setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ALLOWED, ALLOWED});
    start(&argc, &argv);
    too_large();
    buffer_too_large();
    attached();
    return finish("pinned");
}
