/* SPDX-License-Identifier: BSD-3-Clause */
/* This machine, and whether a process of it has ended. */
#ifndef PROA_SHM_PROCESS_H
#define PROA_SHM_PROCESS_H

#include <stdint.h>

/* A number for this machine, other than that of any other machine or PID namespace: some 50 us, the
 * first time. */
uint64_t proa_machine(void);

/* Ticks since the machine started, as the kernel counts them for processes (proc(5), stat). */
uint64_t proa_ticks_now(void);

/* Has the process, which was alive at `met` (proa_ticks_now), ended? The first function tells it
 * from a later process of the same pid, and a zombie from a live process; some 10 us. The second
 * one does neither, and takes a 20th of that. */
int proa_process_has_ended(int pid, uint64_t met);
int proa_process_is_nobody(int pid);

#endif
