/* SPDX-License-Identifier: BSD-3-Clause */
/* `refused WAY`: does something that the tool may not be able to run (refused.sh). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    puts(memory == MAP_FAILED ? "fails" : "maps");
}

static void handle(int number)
{
    (void)number;
    puts("meant");
    fflush(stdout);
    _Exit(0);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    if (strcmp(way, "avx512") == 0)
        __asm__ volatile(".byte 0x62, 0xf1, 0x7d, 0x48, 0xef, 0xc0" ::: "memory"); /* vpxord */
    else if (strcmp(way, "unknown") == 0)
        __asm__ volatile(".byte 0x0f, 0xa6, 0xff" ::: "memory");
    else if (strcmp(way, "large") == 0)
        for (int i = 0; i < 2; i++)
            map((size_t)64 << 30);
    else if (strcmp(way, "small") == 0)
        map((size_t)1 << 28);
    else if (strcmp(way, "wrong") == 0)
        map(0);
    else if (strcmp(way, "meant") == 0) {
        signal(SIGILL, handle);
        __builtin_trap();
    }
    return 0;
}
