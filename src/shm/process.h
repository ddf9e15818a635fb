/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of this machine, and whether a process on it has ended. */
#ifndef PROA_SHM_PROCESS_H
#define PROA_SHM_PROCESS_H

#include <stdint.h>

/* Returns a number for this machine and PID namespace, different from that of any other. The first
 * call takes some 50 us. */
uint64_t proa_machine(void);

/* Returns the ticks since the machine started, in the kernel's unit for processes (proc(5),
 * stat). */
uint64_t proa_ticks_now(void);

/* Return whether the process has ended. met: time at which it was alive, in ticks (proa_ticks_now).
 * The first function distinguishes it from a later process with the same pid, and a zombie from a
 * live process; it takes some 10 us. The second one does neither, and takes a 20th of that. */
int proa_process_has_ended(int pid, uint64_t met);
int proa_process_is_nobody(int pid);

#endif
