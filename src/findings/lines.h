/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines, by libdw of elfutils. The library is loaded when the first line is asked for, so a
 * program without findings never has it, and Proa works without it. */
#ifndef PROA_FINDINGS_LINES_H
#define PROA_FINDINGS_LINES_H

#include "findings/source.h"

#include <stdint.h>

/* Sets file, line and function of the place at that address of this process, and of the calls that
 * are inlined there, the innermost first: at most that many. Returns how many; 0: no line is known.
 * Safe from any thread. */
unsigned proa_lines_find_all(uintptr_t address, struct proa_source *places, unsigned most);

/* Frees what was read. */
void proa_lines_end(void);

/* A file of code that this process need not have loaded, for traces of others. */
struct proa_lines_file;

/* NULL: it cannot be read, or there is no libdw. */
struct proa_lines_file *proa_lines_open(const char *path);
void proa_lines_close(struct proa_lines_file *file); /* NULL: nothing */

/* The same of that address in the file, and the innermost alone. */
int proa_lines_find_in(struct proa_lines_file *file, uint64_t address, struct proa_source *place);

#endif
