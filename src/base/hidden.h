/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where functions and variables are, for the compiler and the linker.
 *
 * Variables that cross files are the library's own: PROA_HIDDEN stands in the declaration, where
 * the compiler sees it that uses them. That the definition is hidden (-fvisibility) it does not
 * know there, and would load the address first.
 */
#ifndef PROA_BASE_HIDDEN_H
#define PROA_BASE_HIDDEN_H

#define PROA_HIDDEN __attribute__((visibility("hidden")))

/* What programs call often, and what waits there, the linker lays side by side. Who has waited for
 * a second returns through pages that the waiting itself has kept at hand, and who comes then finds
 * two cold pages of code in place of four. */
#define PROA_HOT __attribute__((hot))

#endif
