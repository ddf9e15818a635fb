/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of every binding's test that are C: whether Proa, and not the host, served the windows
 * of this process, which each asks at its end, and memory for a large window.
 *
 * The library is not linked to: it is preloaded, or the program runs with the host alone, which is
 * how the tests themselves are tried. So its public function is looked up by name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int served_as_expected(void);
void *reserved(size_t bytes);

/* 1 where PROA_EXPECT=1 is not set, or Proa has served a window; else 0. */
int served_as_expected(void)
{
    const char *expect = getenv("PROA_EXPECT");
    unsigned long (*windows_served)(void);

    if (!expect || strcmp(expect, "1") != 0)
        return 1;
    *(void **)&windows_served = dlsym(RTLD_DEFAULT, "proa_windows_served");
    return windows_served && windows_served() > 0;
}

/* Addresses whose memory comes only when it is touched; NULL: there are none to be had. */
void *reserved(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}
