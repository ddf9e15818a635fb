/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions as their language spells them: "halo::exchange(int)" for _ZN4halo8exchangeEi.
 * The C++ library does that, which is loaded for the first such name if the program has none. */
#ifndef PROA_FINDINGS_NAMES_H
#define PROA_FINDINGS_NAMES_H

#include <stddef.h>

/* Writes the name of a symbol, or the symbol itself where it is no other name's or there is no such
 * library. Safe from any thread. */
void proa_names_of(const char *symbol, char *name, size_t room);

/* The language binding that a symbol of the program belongs to, such as the crate `mpi` of Rust;
 * "": none. */
const char *proa_names_binding(const char *symbol);

#endif
