/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads that poll, by the code around them: a loop goes on until the value equals another one. So a
 * load that finds the value at once, and that no other load repeats, is known as one.
 *
 * The branch is in the block of the load. The loop is one of three: the branch goes back to before
 * the load; or one side of the branch is a copy of the loop's body with its own branch, as
 * optimizing compilers make it; or one side goes back to the load.
 */
#ifndef PROA_TRANSLATOR_POLL_H
#define PROA_TRANSLATOR_POLL_H

#include "core.h"

/* By temporary of the block, whether it is the result of such a load; NULL: of none. To be freed by
 * VG_(free). */
UChar *proa_polls_of(const IRSB *block);

#endif
