/* SPDX-License-Identifier: BSD-3-Clause */
/* Light handles of windows (MPICH past PROA_HOST_WINDOWS windows): is this one? */
#ifndef PROA_TEST_LIGHT_H
#define PROA_TEST_LIGHT_H

#include "window.h"

#if defined(HOST_IS_MPICH)
enum { HAS_LIGHT = 1 };

/* The two highest bits of an MPICH handle say where its object lies; 0 is nowhere. */
static inline int is_light(MPI_Win win)
{
    return (uintptr_t)win >> 30 == 0;
}
#else
enum { HAS_LIGHT = 0 };

static inline int is_light(MPI_Win win)
{
    (void)win;
    return 0;
}
#endif

/* A test that wants light handles must not run with others. */
static inline void check_handle(MPI_Win win, int light)
{
    CHECK(is_light(win) == light, "the handle is %slight", light ? "not " : "");
}

#endif
