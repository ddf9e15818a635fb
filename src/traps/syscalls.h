/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls of the program whose buffers are protected memory: the kernel would refuse them with
 * EFAULT, and would touch the buffer of a pending operation unseen. Calls such as read and write,
 * of the program and its libraries, go through functions of this file: they open the pages for as
 * long as the call takes, and write the access down (traps/trap.h).
 *
 * The functions are put into the tables of addresses by which files call the C library, so nothing
 * is done before proa_syscalls_divert. Proa, the C library and the libraries of an MPI keep theirs.
 */
#ifndef PROA_TRAPS_SYSCALLS_H
#define PROA_TRAPS_SYSCALLS_H

#include <stddef.h>

/* Does an access to that memory, which is not protected, matter? Safe in handlers of signals. */
typedef int proa_syscalls_matters(const void *memory, size_t bytes, int stores);

/* Diverts the calls of all files that are loaded; again for those that were loaded since. Does
 * nothing on processors other than x86-64. */
void proa_syscalls_divert(proa_syscalls_matters *matters);

#endif
