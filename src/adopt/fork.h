/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that has moved is not inherited (MADV_DONTFORK): a child never shares it. It gets a copy,
 * made aside by the parent before fork, which only has to be put in place: that takes no file, no
 * number, no /proc and no address space. The program's advice (madvise) on this memory holds for
 * the mapping aside: if the memory is not to be inherited, the child has none; if it is to be
 * wiped, it is empty.
 *
 * Called by adoption's handlers of fork(2), under its mutex, with signals blocked.
 */
#ifndef PROA_ADOPT_FORK_H
#define PROA_ADOPT_FORK_H

#include "adopt/ranges.h"
#include "shm/segment.h"

/* Before fork: makes a copy aside of all that has moved. 0 or an errno. */
int proa_fork_copy(const struct proa_segment *segment, const struct proa_ranges *moves);

/* After it, in the parent: drops the copies. */
void proa_fork_wipe(const struct proa_ranges *moves);

/* In the child: puts the copies in place. error: of proa_fork_copy. With that, or if it fails, the
 * child ends. */
void proa_fork_place(const struct proa_ranges *moves, int error);

#endif
