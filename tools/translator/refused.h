/* SPDX-License-Identifier: BSD-3-Clause */
/* What Valgrind cannot run is named in a line, once of a kind in each process: the program would
 * only end by SIGILL, or have a mapping that fails. */
#ifndef PROA_TRANSLATOR_REFUSED_H
#define PROA_TRANSLATOR_REFUSED_H

#include "core.h"

/* Does the block end at an instruction that Valgrind does not know? */
static inline Bool proa_refused_in(const IRSB *block)
{
    return block->jumpkind == Ijk_NoDecode && block->next->tag == Iex_Const;
}

/* Names the instruction that ends such a block, at the end of its copy. */
void proa_refused_see(IRSB *out, const IRSB *block);

/* Names mappings that fail from now on for want of addresses. */
void proa_refused_begin(void);

#endif
