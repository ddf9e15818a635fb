/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line that rma and limit share. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "loop.h"

#include <stdbool.h>

struct options {
    const char *name; /* of the case to measure */
    bool list;
    struct loop_plan plan;
};

/* Exits with a message where the command line makes no sense. */
struct options options_parse(int argc, char **argv, const char *about);

#endif
