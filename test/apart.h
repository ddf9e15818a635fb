/* SPDX-License-Identifier: BSD-3-Clause */
/* For litmus tests, of processes that have to meet. Of a source with _GNU_SOURCE. */
#ifndef PROA_TEST_APART_H
#define PROA_TEST_APART_H

#include <sched.h>

/* On one processor the processes never meet: each where no other is, as far as this one, the
 * index-th of them, may choose. */
static inline void processor_of_my_own(int index)
{
    cpu_set_t may, one;
    int skip = index;

    CPU_ZERO(&may);
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof may, &may) || CPU_COUNT(&may) < 2)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may) && skip-- == 0)
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

#endif
