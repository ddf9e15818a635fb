/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How code is translated. Each load and store is followed by a look at the map of watched bytes
 * (watched.h), and by a call of the tool where that says so. Code of an MPI and of Proa is left as
 * it is; it begins with a store by which its thread has an empty map, and the program's with one by
 * which it has the full map again. So what the C library does for an MPI does not count.
 *
 * Before anything is watched all code is left as it is.
 */
#ifndef PROA_TRANSLATOR_INSTRUMENT_H
#define PROA_TRANSLATOR_INSTRUMENT_H

#include "core.h"

IRSB *proa_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                      const VexGuestExtents *extents, const VexArchInfo *machine, IRType guest_word,
                      IRType host_word);

#endif
