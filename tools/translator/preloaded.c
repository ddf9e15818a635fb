/* SPDX-License-Identifier: BSD-3-Clause */
/* Valgrind preloads a library of that name in each program. Its own frees memory of the C library
 * at the end, for tools that look for leaks. This one has nothing to do. */
typedef int nothing;
