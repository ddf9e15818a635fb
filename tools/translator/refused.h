/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports features that Valgrind cannot run, one line for each kind in each process. Without it,
 * the program would only end by SIGILL, or a mapping would fail. */
#ifndef PROA_TRANSLATOR_REFUSED_H
#define PROA_TRANSLATOR_REFUSED_H

#include "core.h"

/* Returns true if the block ends at an instruction that Valgrind does not know. */
static inline Bool proa_refused_in(const IRSB *block)
{
    return block->jumpkind == Ijk_NoDecode && block->next->tag == Iex_Const;
}

/* Reports the instruction that ends such a block, at the end of its copy. */
void proa_refused_see(IRSB *out, const IRSB *block);

/* From now on reports mappings that fail for lack of addresses. */
void proa_refused_begin(void);

#endif
