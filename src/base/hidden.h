/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where functions and variables are placed, for the compiler and the linker.
 *
 * Variables that several files use are the library's own. PROA_HIDDEN stands in their declaration,
 * where the compiler that uses them sees it. From the definition alone (-fvisibility) the compiler
 * would not know there that they are hidden, and would load the address first.
 */
#ifndef PROA_BASE_HIDDEN_H
#define PROA_BASE_HIDDEN_H

#define PROA_HIDDEN __attribute__((visibility("hidden")))

/* The linker lays the functions that programs call often, and those that wait in them, side by
 * side. A thread that has waited for a second returns through pages that the waiting itself has
 * kept warm. A caller that comes then finds two cold pages of code instead of four. */
#define PROA_HOT __attribute__((hot))

/* Behind a thread-local variable that is read often: it lies at a constant distance from the
 * thread. There is little room for such variables in a library that is loaded late, as each rank's
 * copy is where ranks are threads of one process (test/unit/world_threads.c). */
#ifdef __SANITIZE_THREAD__
#define PROA_INITIAL_EXEC
#else
#define PROA_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#endif

#endif
