/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines, by libdw of elfutils. The library is loaded for the first line that is requested. A
 * program without findings never loads it, and Proa works without it. */
#ifndef PROA_FINDINGS_LINES_H
#define PROA_FINDINGS_LINES_H

#include "findings/source.h"

#include <stdint.h>

/* Fills in file, line and function of an address of this process, and the calls that are inlined
 * there, innermost first. most: room in `places`. Returns the number of places; 0 if no line is
 * known. Callable from any thread. */
unsigned proa_lines_find_all(uintptr_t address, struct proa_source *places, unsigned most);

/* Frees all data that was read. */
void proa_lines_end(void);

/* A file of code, loaded in this process or not, for traces of others. */
struct proa_lines_file;

/* Returns NULL if the file cannot be read, or without libdw. */
struct proa_lines_file *proa_lines_open(const char *path);
void proa_lines_close(struct proa_lines_file *file); /* NULL is a no-op */

/* As proa_lines_find_all for an address in the file, but the innermost place only. */
int proa_lines_find_in(struct proa_lines_file *file, uint64_t address, struct proa_source *place);

#endif
