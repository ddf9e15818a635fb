/* SPDX-License-Identifier: BSD-3-Clause */
/* The moves since adopt.c entered its section, for a trace. */
#ifndef PROA_ADOPT_MOVED_H
#define PROA_ADOPT_MOVED_H

#include "trace/engine.h"

struct proa_moved {
    uint64_t begin;           /* ticks; 0 if no trace is recorded */
    uint64_t in, back, place; /* bytes; place: address of the last place moved */
};

static inline struct proa_moved proa_moved_begin(void)
{
    return (struct proa_moved){.begin = proa_trace_on ? proa_trace_ticks() : 0};
}

/* Called outside the section, as the recorder may have to enlarge its file. */
static inline void proa_moved_tell(const struct proa_moved *moved)
{
    if (moved->begin && moved->in)
        proa_trace_put_moved(moved->place, moved->in, 0, moved->begin);
    if (moved->begin && moved->back)
        proa_trace_put_moved(moved->place, moved->back, 1, moved->begin);
}

#endif
