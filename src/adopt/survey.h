/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A look at memory of the program's that is to be adopted (adopt/adopt.h): which of its pages are
 * adopted already, which may move, and which stay, and why:
 *
 *   pages that are not the window's alone    what else lies there would move as well: a futex, a
 *                          buffer of a read under way, a stack
 *   files, MAP_SHARED      others have them too, or they are to be written back
 *   not both read and written, executable    the protection is there for a purpose
 *   memory with a policy (mbind)    pages of the file would have none
 *   memory that grows (MAP_GROWSDOWN)    the mapping that is there meanwhile would not
 *   stacks                 this thread works on its own; the kernel stores to any thread's for a
 *                          signal, where it cannot wait; and a child after fork runs on one before
 *                          it can make a copy of it. A control block of a thread lies at the upper
 *                          end of its stack: all below it in the same mapping is taken for stack
 *   the head of a heap of malloc's (glibc, 64 MiB aligned)   a child after fork stores there before
 *                          it can make a copy
 *   pages that a live window has through the kernel   a neighbour may be about to store through a
 *                          page that it has looked up before; and accumulates there go by stripes
 *
 * Called by adopt.c alone, under its mutex.
 */
#ifndef PROA_ADOPT_SURVEY_H
#define PROA_ADOPT_SURVEY_H

#include "adopt/maps.h"
#include "adopt/process.h"
#include "adopt/ranges.h"
#include "shm/segment.h"

#include <stdint.h>

enum proa_survey_kind { PROA_SURVEY_STAYS, PROA_SURVEY_MOVABLE, PROA_SURVEY_ADOPTED };

struct proa_survey_part {
    uint64_t first, end; /* whole pages */
    enum proa_survey_kind kind;
    uint64_t moved_end; /* of a movable part: it has moved up to there, if that is above first */
};

enum { PROA_SURVEY_PARTS = 64, PROA_SURVEY_THREADS = 1024 };

struct proa_survey {
    /* the memory that is looked at; the whole pages of it that may move */
    uint64_t first, end, own_first, own_end;
    const struct proa_segment *segment; /* of adopted memory; NULL: there is none */
    const struct proa_ranges *through_kernel;
    /* the parts that were found: in order, side by side. A movable part lies in one mapping */
    struct proa_survey_part part[PROA_SURVEY_PARTS];
    int count, movable, full, before_mapping; /* movable: one may be */
    const char *why; /* the first reason found why a part stays; NULL: none does */
    uint64_t here;   /* an address on this thread's stack */
    int threads;     /* -1: not known of all; -2: not looked for */
    struct proa_thread thread[PROA_SURVEY_THREADS];
};

/* Fills in the rest of a survey whose first, end, own_first, own_end, segment and through_kernel
 * are set. is_idle: nothing there has moved or is to, so the kernel need not be asked for the
 * mappings. */
void proa_survey_make(struct proa_survey *survey, int is_idle);

/* Does it map pages of adopted memory, in place or where the program has moved them? */
int proa_survey_is_of_file(const struct proa_segment *segment, const struct proa_mapping *mapping);

/* Is that a page of adopted memory, in place? */
int proa_survey_is_adopted(const struct proa_segment *segment, const struct proa_mapping *mapping);

/* Does the page of base hold nothing but a header of malloc's, and then base? So it is where malloc
 * has mapped a block by itself. */
int proa_survey_is_malloc_start(uint64_t base);

#endif
