/* SPDX-License-Identifier: BSD-3-Clause */
/* The info key proa_adopt, on some ranks or all: memory of this rank stays where it is; a window
 * works all the same. Adopted memory is seen in /proc/self/maps. */
#include "check.h"

enum { words = 4096 };

/* Is this address in a file of Proa's now? */
static int is_adopted(const void *address)
{
    char line[512];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long first, end;
        if (sscanf(line, "%lx-%lx", &first, &end) == 2 && (uintptr_t)address >= first &&
            (uintptr_t)address < end)
            found = strstr(line, "memfd:proa") != NULL;
    }
    if (maps)
        fclose(maps);
    return found;
}

/* Each on memory of its own: where windows come and go on the same, it may stay (auto). */
static void window(const char *value, int expected, const char *what)
{
    static long memories[6][words];
    static int count;
    long *memory = memories[count++], one = 1;
    int right = (rank + 1) % nranks;
    MPI_Info info;
    MPI_Win win;
    MPI_Info_create(&info);
    if (value)
        MPI_Info_set(info, "proa_adopt", value);
    MPI_Win_create(memory, words * sizeof *memory, sizeof *memory, info, MPI_COMM_WORLD, &win);
    /* without userfaultfd, it depends on the host's threads */
    CHECK(is_adopted(memory + words / 2) == expected || getenv("PROA_TEST_SERVED"),
          "%s: adopted: %d", what, !expected);
    MPI_Win_fence(0, win);
    for (int i = 0; i < words; i += 100)
        MPI_Accumulate(&one, 1, MPI_LONG, right, i, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < words; i++)
        CHECK(memory[i] == (i % 100 == 0), "%s: word %d is %ld", what, i, memory[i]);
    MPI_Win_free(&win);
    CHECK(!is_adopted(memory + words / 2), "%s: adopted after MPI_Win_free", what);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int can = nranks > 1 && (!getenv("PROA_ADOPT") || strcmp(getenv("PROA_ADOPT"), "never") != 0);
    window(NULL, can, "no key");
    window("auto", can, "auto");
    window("always", can, "always");
    window("perhaps", can, "a value that is none");
    window("never", 0, "never");
    window(rank == 0 ? "never" : "auto", can && rank != 0, "never on rank 0");
    return finish("adopt_key");
}
