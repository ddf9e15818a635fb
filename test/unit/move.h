/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows and operations in few words, for the unit tests: everything is a 64-bit integer, or what
 * the longer forms say. */
#ifndef PROA_TEST_MOVE_H
#define PROA_TEST_MOVE_H

#include "create/create.h"
#include "sync/barrier.h"
#include "rma/op.h"
#include "sync/sync.h"
#include "world.h"

/* The type of a row of PROA_BASICS. */
const struct proa_type *basic_type(enum proa_basic basic);

/* ---- windows; a failure ends the process ---- */

struct proa_win *window_create(struct world *world, const struct proa_create_args *args);

/* PROA_FLAVOR_ALLOCATE, displacements in units of 8 bytes, zeroed on all processes before anyone
 * gets it. */
struct proa_win *window_of_words(struct world *world, uint64_t words);

/* Collective: barrier, then free. */
void window_free(struct proa_win *win);

/* Our own window memory as words. */
int64_t *window_words(const struct proa_win *win);

/* ---- operations on one 64-bit integer; they return the code, or the value for fetch forms (a
 * failure ends the process) ---- */

int put_word(struct proa_win *win, int rank, int64_t displacement, int64_t value);
int get_word(struct proa_win *win, int rank, int64_t displacement, int64_t *value);
int64_t fetch_op(struct proa_win *win, int rank, int64_t displacement, int64_t value,
                 enum proa_operation operation);
int64_t compare_swap(struct proa_win *win, int rank, int64_t displacement, int64_t compare,
                     int64_t value);

/* ---- on count elements of one basic type at both sides ---- */

int put_many(struct proa_win *win, int rank, int64_t displacement, const void *values,
             uint64_t count, enum proa_basic basic);
int get_many(struct proa_win *win, int rank, int64_t displacement, void *values, uint64_t count,
             enum proa_basic basic);
int accumulate_many(struct proa_win *win, int rank, int64_t displacement, const void *values,
                    uint64_t count, enum proa_basic basic, enum proa_operation operation);
int get_accumulate_many(struct proa_win *win, int rank, int64_t displacement, const void *values,
                        void *results, uint64_t count, enum proa_basic basic,
                        enum proa_operation operation);

#endif
