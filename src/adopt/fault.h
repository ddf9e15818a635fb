/* SPDX-License-Identifier: BSD-3-Clause */
/* userfaultfd(2), which stops other threads while memory moves (adopt/remap.h). */
#ifndef PROA_ADOPT_FAULT_H
#define PROA_ADOPT_FAULT_H

#include <stdint.h>

/* A descriptor with the features that moving takes, or a negative errno; -ENODATA: it opens and
 * stops no thread. It serves kernel mode faults: for processes that may call that, or open the
 * device. The first call of a process tries it by a thread of its own. */
int proa_fault_open(void);

/* Has the program registered memory of [first, end), whole pages, with a userfaultfd of its own? By
 * a trial, which stops threads at missing pages for a moment. 0 where the kernel has none for us.
 * Under the mutex of adoption. */
int proa_fault_is_registered(uint64_t first, uint64_t end);

#endif
