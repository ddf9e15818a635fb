/* SPDX-License-Identifier: BSD-3-Clause */
/* The writable memory of the core's library, and its thread-local part: each rank has its own. */
#ifndef PROA_TEST_SIMULATE_STATICS_H
#define PROA_TEST_SIMULATE_STATICS_H

struct simulate_statics; /* of a rank that is not loaded */

/* Finds them, as they are before any rank has run. */
void simulate_statics_open(void);

/* Puts a rank's statics in place, and keeps those of the rank before. *statics: NULL at first, and
 * the rank begins with the statics as they were found. */
void simulate_statics_load(struct simulate_statics **statics);

#endif
