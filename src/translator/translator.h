/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tool of Valgrind that this process runs in (tools/translator), which sees the program's own
 * loads and stores. All functions are safe from any thread, and do nothing outside the tool. One
 * thread at a time takes.
 */
#ifndef PROA_TRANSLATOR_TRANSLATOR_H
#define PROA_TRANSLATOR_TRANSLATOR_H

#include "translator/requests.h"

#include <stddef.h>

/* Does this process run in the tool? */
int proa_translator_is_there(void);

/* Watches these bytes for such accesses (PROA_LOADS and so on), once more; or once less. */
void proa_translator_watch(const void *memory, uint64_t bytes, int what);
void proa_translator_unwatch(const void *memory, uint64_t bytes, int what);

/* Takes up to that many accesses of the program since the last call; 0: there are no more. */
size_t proa_translator_take(struct proa_touched *into, size_t count);

/* How many accesses were lost so far. */
uint64_t proa_translator_lost(void);

#endif
