/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of calls (a `caller` of base/calls.h) that processes tell one another: each by a number of
 * its own, before its first access there. A frame is a file that the process has loaded, and an
 * offset in it. The caller excludes other threads.
 */
#ifndef PROA_ORDER_PLACE_H
#define PROA_ORDER_PLACE_H

#include "base/calls.h"
#include "order/accesses.h"

#include <stdint.h>

/* Begins, in so many processes: 0, or -1 without memory; and ends. */
int proa_place_begin(int processes);
void proa_place_end(void);

/* ---- the origin ---- */

struct proa_place;

/* The place of that caller; NULL without memory. */
struct proa_place *proa_place_of(const void *caller);
uint32_t proa_place_number(const struct proa_place *place);

/* Tells that process of the place, unless it has been told: by messages that `push` appends to its
 * queue, which returns 0 if there is no room. Returns 0 then. */
int proa_place_tell(int process, struct proa_place *place,
                    int (*push)(int process, const uint64_t *words, uint32_t count));

/* The longest message, in words. No other message begins with a word from PROA_PLACE_MESSAGES on.
 */
enum { PROA_PLACE_WORDS = 2 + PROA_STACK_MOST };
#define PROA_PLACE_MESSAGES (UINT64_MAX - 1)

/* ---- the target ---- */

/* Such a message has come. */
void proa_place_take(int origin, const uint64_t *words);

/* The return address of the call of an access that was handed over, in the same file here, and
 * those of the calls around it, as far as this process has loaded these files. Returns how many. */
unsigned proa_place_frames(const struct proa_access *access, const void *frames[PROA_STACK_MOST]);

/* The library of a language that the call went through, of enum proa_binding. */
unsigned proa_place_binding(const struct proa_access *access);

/* The file of the call as its process has it, and the offset of its return address there; NULL: it
 * is not known. */
const char *proa_place_file(const struct proa_access *access, uint64_t *offset);

/* A pointer that users keep for the place, NULL at first; NULL: the place is not known. */
const void **proa_place_note(const struct proa_access *access);

#endif
