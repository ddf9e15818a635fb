/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_minimum_memory_alignment: MPI_Win_shared_query gives each process an address with that
 * alignment, of every rank's memory. The windows stay, so that larger alignments take new segments.
 */
#include "window.h"

enum { alignments = 9, first_alignment = 4096, bytes = 5000 };

static void check_rank(MPI_Win win, int other, long alignment, const char *what)
{
    MPI_Aint size = 0;
    int unit;
    void *base = NULL;
    MPI_Win_shared_query(win, other, &size, &unit, &base);
    CHECK(size == bytes && (uintptr_t)base % (uintptr_t)alignment == 0,
          "%s: rank %d's %ld bytes are at %p, alignment %ld", what, other, (long)size, base,
          alignment);
    ((char *)base)[rank] = (char)(rank + 1);
}

static void check_all(MPI_Win win, const char *memory, long alignment, const char *what)
{
    for (int other = 0; other < nranks; other++)
        check_rank(win, other, alignment, what);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int other = 0; other < nranks; other++)
        CHECK(memory[other] == other + 1, "%s: rank %d has stored %d", what, other, memory[other]);
}

static MPI_Info info_of(long alignment)
{
    char text[20];
    MPI_Info info;
    snprintf(text, sizeof text, "%ld", alignment);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", text);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    return info;
}

int main(int argc, char **argv)
{
    MPI_Win wins[2 * alignments];
    char *memory[2];
    start(&argc, &argv);
    if (!shares_memory())
        return skip("needs memory that all ranks share");
    for (int i = 0; i < alignments; i++) {
        const long alignment = (long)first_alignment << (2 * i); /* up to 256 MiB */
        MPI_Info info = info_of(alignment);
        MPI_Win_allocate_shared(bytes, 1, info, MPI_COMM_WORLD, &memory[0], &wins[2 * i]);
        MPI_Win_allocate(bytes, 1, info, MPI_COMM_WORLD, &memory[1], &wins[2 * i + 1]);
        check_all(wins[2 * i], memory[0], alignment, "MPI_Win_allocate_shared");
        check_all(wins[2 * i + 1], memory[1], alignment, "MPI_Win_allocate");
        MPI_Info_free(&info);
    }
    for (int i = 0; i < 2 * alignments; i++)
        MPI_Win_free(&wins[i]);
    return finish("win_aligned");
}
