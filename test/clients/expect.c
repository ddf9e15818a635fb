/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into programs that know nothing of Proa: when one ends in which Proa has served no
 * window, its status is 1. Without this a client's test would pass on the host alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((destructor)) static void expect_served(void)
{
    const char *expect = getenv("PROA_EXPECT");
    void *symbol = dlsym(RTLD_DEFAULT, "proa_windows_served");
    unsigned long (*served)(void) = NULL;

    if (!expect || strcmp(expect, "1") != 0)
        return;
    memcpy(&served, &symbol, sizeof served);
    if (served && served() > 0)
        return;
    fprintf(stderr, "expect: Proa has served no window\n");
    _exit(1);
}
