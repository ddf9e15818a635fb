/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the ranks of tests, and linked into unit tests of the network: /proc/kallsyms is
 * not there.
 *
 * libfabric looks in this file of 5 MB for what the kernel can do with memory of GPUs, in each
 * process. It takes 50 ms, as long as the rest of a short test.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    FILE *(*open_file)(const char *, const char *) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "fopen");
    memcpy(&open_file, &symbol, sizeof open_file);
    if (strcmp(path, "/proc/kallsyms") == 0) {
        errno = ENOENT;
        return NULL;
    }
    return open_file(path, mode);
}
