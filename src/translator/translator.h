/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Valgrind tool that this process runs in (tools/translator), which records the program's own
 * loads and stores. All functions are callable from any thread, and are no-ops outside the tool.
 * One thread at a time may take accesses.
 */
#ifndef PROA_TRANSLATOR_TRANSLATOR_H
#define PROA_TRANSLATOR_TRANSLATOR_H

#include "translator/requests.h"

#include <stddef.h>

/* Returns true if this process runs in the tool. */
int proa_translator_is_there(void);

/* Starts watching these bytes, counted, or undoes one start. what: accesses, PROA_LOADS and so
 * on. */
void proa_translator_watch(const void *memory, uint64_t bytes, int what);
void proa_translator_unwatch(const void *memory, uint64_t bytes, int what);

/* Takes up to `count` accesses of the program since the last call. Returns their number; 0 if there
 * are no more. */
size_t proa_translator_take(struct proa_touched *into, size_t count);

/* Returns the number of accesses lost so far. */
uint64_t proa_translator_lost(void);

#endif
