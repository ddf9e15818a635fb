/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables that cross files are the library's own: PROA_HIDDEN stands in the declaration, where
 * the compiler sees it that uses them. That the definition is hidden (-fvisibility) it does not
 * know there, and would load the address first.
 */
#ifndef PROA_BASE_HIDDEN_H
#define PROA_BASE_HIDDEN_H

#define PROA_HIDDEN __attribute__((visibility("hidden")))

#endif
