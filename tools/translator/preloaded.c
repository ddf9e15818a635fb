/* SPDX-License-Identifier: BSD-3-Clause */
/* Valgrind preloads a library of that name in each program. Valgrind's own library frees memory of
 * the C library at the end, for leak checkers. This one is empty. */
typedef int nothing;
