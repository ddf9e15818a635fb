/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects loads that poll, by the code around them: a loop continues until the value equals another
 * one. So a load is detected even if it finds the value at once, and is never repeated.
 *
 * The branch is in the block of the load. The loop has one of three forms. The branch jumps back to
 * before the load. Or one side of the branch is a copy of the loop's body with its own branch, as
 * optimizing compilers generate it. Or one side jumps back to the load.
 */
#ifndef PROA_TRANSLATOR_POLL_H
#define PROA_TRANSLATOR_POLL_H

#include "core.h"

/* Returns flags by temporary of the block: true if it is the result of such a load. Returns NULL if
 * there are none. The caller frees them by VG_(free). */
UChar *proa_polls_of(const IRSB *block);

#endif
