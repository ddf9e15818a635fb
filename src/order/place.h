/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of calls (a `caller` of base/calls.h) that processes send to each other. The sender
 * assigns each a number, before its first access there. A frame is a file that the process has
 * loaded, and an offset in it. The caller excludes other threads.
 */
#ifndef PROA_ORDER_PLACE_H
#define PROA_ORDER_PLACE_H

#include "base/calls.h"
#include "order/accesses.h"

#include <stdint.h>

/* Start and end. processes: number of processes. Returns 0, or -1 without memory. */
int proa_place_begin(int processes);
void proa_place_end(void);

/* ---- the origin ---- */

struct proa_place;

/* Returns the place of that caller, or NULL without memory. */
struct proa_place *proa_place_of(const void *caller);
uint32_t proa_place_number(const struct proa_place *place);

/* Sends the place to that process, once. push: appends a message to its queue, and returns 0 if
 * there is no room. Returns 0 if there was no room. */
int proa_place_tell(int process, struct proa_place *place,
                    int (*push)(int process, const uint64_t *words, uint32_t count));

/* Longest message, in words. No other message starts with a word from PROA_PLACE_MESSAGES on. */
enum { PROA_PLACE_WORDS = 2 + PROA_STACK_MOST };
#define PROA_PLACE_MESSAGES (UINT64_MAX - 1)

/* ---- the target ---- */

/* Such a message arrived. */
void proa_place_take(int origin, const uint64_t *words);

/* Fills in the frames of an access that was handed over, as addresses in this process: the return
 * address of its call, and those of the calls around it. Stops at a file that this process has not
 * loaded. Returns the number of frames. */
unsigned proa_place_frames(const struct proa_access *access, const void *frames[PROA_STACK_MOST]);

/* Returns the language library that the call passed through, an enum proa_binding. */
unsigned proa_place_binding(const struct proa_access *access);

/* Returns the file of the call as its process has it, and the offset of its return address there.
 * Returns NULL if it is unknown. */
const char *proa_place_file(const struct proa_access *access, uint64_t *offset);

/* Returns a pointer that users store with the place, NULL at first. Returns NULL if the place is
 * unknown. */
const void **proa_place_note(const struct proa_access *access);

#endif
