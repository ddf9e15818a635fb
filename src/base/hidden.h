/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Placement of functions and variables, for the compiler and the linker.
 *
 * Variables that several files use are not exported. PROA_HIDDEN stands in their declarations. With
 * -fvisibility alone, the compiler would not know at a use that the variable is hidden, and would
 * load its address first.
 */
#ifndef PROA_BASE_HIDDEN_H
#define PROA_BASE_HIDDEN_H

#define PROA_HIDDEN __attribute__((visibility("hidden")))

/* The linker places the functions that programs call often, and those in which they wait, side by
 * side. After a wait of a second, a thread returns through pages that the wait has kept in the
 * caches. The next call finds two cold pages of code instead of four. */
#define PROA_HOT __attribute__((hot))

/* Stands after a thread-local variable that is read often: its offset from the thread pointer is
 * constant. A library that is loaded late has little room for such variables. Each rank's copy is
 * one if ranks are threads of one process (test/unit/world_threads.c). */
#ifdef __SANITIZE_THREAD__
#define PROA_INITIAL_EXEC
#else
#define PROA_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#endif

#endif
