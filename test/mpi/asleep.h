/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether another rank sleeps, which it only does while it waits. */
#ifndef PROA_TEST_ASLEEP_H
#define PROA_TEST_ASLEEP_H

#include <stdio.h>

/* The state of another process: 'S' while it sleeps. */
static inline char state_of(int pid)
{
    char path[64], state = '?';

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d %*s %c", &state) != 1)
        state = '?';
    if (file)
        fclose(file);
    return state;
}

#endif
