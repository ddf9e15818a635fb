/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines, by libdw of elfutils. The library is loaded when the first line is asked for, so a
 * program without findings never has it, and Proa works without it. */
#ifndef PROA_FINDINGS_LINES_H
#define PROA_FINDINGS_LINES_H

#include "findings/source.h"

#include <stdint.h>

/* Sets file, line and function of the place at that address of this process. 0: they are not
 * known. Safe from any thread. */
int proa_lines_find(uintptr_t address, struct proa_source *place);

/* Frees what was read. */
void proa_lines_end(void);

#endif
