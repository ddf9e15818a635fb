/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions as their language spells them: "halo::exchange(int)" for _ZN4halo8exchangeEi.
 * The C++ library demangles them. It is loaded for the first such name if the program does not have
 * it. */
#ifndef PROA_FINDINGS_NAMES_H
#define PROA_FINDINGS_NAMES_H

#include <stddef.h>

/* Writes the name of a symbol. Writes the symbol itself if it is not mangled, or without the
 * library. Callable from any thread. */
void proa_names_of(const char *symbol, char *name, size_t room);

/* Returns the language binding that a symbol of the program belongs to, such as the crate `mpi` of
 * Rust. Returns "" for none. */
const char *proa_names_binding(const char *symbol);

#endif
