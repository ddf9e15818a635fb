/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of this folder ask of the tool that they run in, and how they compare it. */
#ifndef PROA_TEST_TRANSLATOR_SEEN_H
#define PROA_TEST_TRANSLATOR_SEEN_H

#include "translator/requests.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN_MOST = 1 << 16 };

extern struct proa_touched seen[SEEN_MOST];
extern int seen_count;
extern uint32_t seen_pending;

/* Ends the program with a line unless the condition holds. */
#define CHECK(condition) ((condition) ? (void)0 : seen_fail(__FILE__, __LINE__, #condition))
void seen_fail(const char *file, int line, const char *condition);

/* Begins: ends with status 77 outside the tool. */
void seen_begin(void);
void seen_watch(const void *memory, size_t bytes, int what);
void seen_unwatch(const void *memory, size_t bytes, int what);

/* Accesses since the last call of it, as seen_count entries of seen; *counts: how many they were.
 */
void seen_take(struct proa_touched_counts *counts);

/* The entries of one kind are the bytes [first, end) of that memory, once; there were so many
 * accesses of that kind. Takes them. */
void seen_expect(const void *memory, size_t first, size_t end, int what, uint64_t accesses);
void seen_expect_nothing(void);

/* Of what was taken: is there an entry of that kind with exactly these bytes? */
const struct proa_touched *seen_find(const void *first, size_t bytes, int what);

#endif
