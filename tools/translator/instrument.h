/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translation of code. After each load and store, the map of watched bytes (watched.h) is read, and
 * the tool is called if the map requires it. Code of an MPI and of Proa is not instrumented. It
 * starts with a store that gives its thread an empty map; the program's code starts with one that
 * gives it the full map again. So accesses of the C library for an MPI do not count.
 *
 * Before any bytes are watched, no code is instrumented.
 */
#ifndef PROA_TRANSLATOR_INSTRUMENT_H
#define PROA_TRANSLATOR_INSTRUMENT_H

#include "core.h"

IRSB *proa_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                      const VexGuestExtents *extents, const VexArchInfo *machine, IRType guest_word,
                      IRType host_word);

#endif
