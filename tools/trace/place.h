/* SPDX-License-Identifier: BSD-3-Clause */
/* Places in programs. Return addresses of calls become numbers that are equal for all processes,
 * and file and line (by libdw, if it is present). */
#ifndef PROA_TRACE_PLACE_H
#define PROA_TRACE_PLACE_H

#include <stdint.h>

struct proa_places;

struct proa_places *proa_places_new(void);
void proa_places_free(struct proa_places *places);

/* Adds a file of code that the process had loaded from first to last. */
void proa_places_add_module(struct proa_places *places, int process, const char *path,
                            uint64_t first, uint64_t last, uint64_t bias);

/* Returns the number of a place, from 0; -1 for address 0. */
int proa_place(struct proa_places *places, int process, uint64_t address);

/* Returns "heat.c:120", "main+0x1f in heat" or "heat+0x12ab"; "" for -1. Valid until the end. */
const char *proa_place_text(struct proa_places *places, int place);

#endif
