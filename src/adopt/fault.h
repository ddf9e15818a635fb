/* SPDX-License-Identifier: BSD-3-Clause */
/* userfaultfd(2), which stops other threads while memory moves (adopt/remap.h). */
#ifndef PROA_ADOPT_FAULT_H
#define PROA_ADOPT_FAULT_H

#include <stdint.h>

/* Returns a descriptor with the features that moves need, or a negative errno; -ENODATA if it opens
 * but stops no thread. The descriptor serves kernel mode faults, which needs the privilege for
 * userfaultfd(2) or access to its device. The first call of a process tests it with a thread. */
int proa_fault_open(void);

/* Returns whether the program has registered memory of [first, end), whole pages, with its own
 * userfaultfd; 0 if the kernel gives us none. A trial registration determines this and briefly
 * stops threads at missing pages. Called under adoption's mutex. */
int proa_fault_is_registered(uint64_t first, uint64_t end);

#endif
