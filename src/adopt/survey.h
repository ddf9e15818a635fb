/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A survey of memory of the program before its adoption (adopt/adopt.h): which pages are adopted
 * already, which may move, and which stay and why:
 *
 *   pages that are not the window's alone    other data there would move as well: a futex, a
 *                          buffer of a read in progress, a stack
 *   files, MAP_SHARED      others map them too, or they must be written back
 *   not both read and written, executable    the protection has a purpose
 *   memory with a policy (mbind)    pages of the file would have none
 *   memory that grows (MAP_GROWSDOWN)    the mapping in its place would not grow meanwhile
 *   stacks                 this thread runs on its own stack; the kernel stores to any thread's
 *                          stack for a signal, where it cannot wait; and a child after fork runs
 *                          on one before it can copy it. A control block of a thread lies at the
 *                          upper end of its stack: all below it in its mapping counts as stack
 *   the head of a heap of malloc (glibc, 64 MiB aligned)   a child after fork stores there before
 *                          it can copy it
 *   pages that a live window reaches through the kernel   a neighbour may be about to store through
 *                          a page that it looked up before; and accumulates there use stripes
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
    uint64_t moved_end; /* of a movable part: end of the pages moved so far, if above first */
};

enum { PROA_SURVEY_PARTS = 64, PROA_SURVEY_THREADS = 1024 };

struct proa_survey {
    /* the surveyed memory; its whole pages that may move */
    uint64_t first, end, own_first, own_end;
    const struct proa_segment *segment; /* of adopted memory; NULL if there is none */
    const struct proa_ranges *through_kernel;
    /* the parts found, in order and adjacent. A movable part lies in one mapping */
    struct proa_survey_part part[PROA_SURVEY_PARTS];
    int count, movable, full, before_mapping; /* movable: 1 if a part may move */
    const char *why; /* the first reason found why a part stays; NULL if none does */
    uint64_t here;   /* an address on this thread's stack */
    int threads;     /* -1 if some are unknown; -2 before the search */
    struct proa_thread thread[PROA_SURVEY_THREADS];
};

/* Fills in the rest of a survey whose first, end, own_first, own_end, segment and through_kernel
 * are set. is_idle: 1 if no page has moved or may move, so that the mappings need not be read from
 * the kernel. */
void proa_survey_make(struct proa_survey *survey, int is_idle);

/* Returns whether it maps pages of adopted memory, in place or where the program has moved them. */
int proa_survey_is_of_file(const struct proa_segment *segment, const struct proa_mapping *mapping);

/* Returns whether it maps pages of adopted memory in place. */
int proa_survey_is_adopted(const struct proa_segment *segment, const struct proa_mapping *mapping);

/* Returns whether the page of base holds only a header of malloc before base. Then malloc has
 * mapped the block separately. */
int proa_survey_is_malloc_start(uint64_t base);

#endif
