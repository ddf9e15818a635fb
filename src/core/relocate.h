/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of this process change what they are made of, under the hands of the program: from private
 * memory to a file that others map, and back. Address and content stay; no store of any thread is
 * lost.
 *
 * Where there are other threads, the pages are write-protected by userfaultfd(2) first: who stores
 * there waits in the fault, who loads goes on. Then they are copied, the copy is mapped in their
 * place, and the waiters are woken, to try again on the copy. So there is no moment at which
 * nothing is mapped, or something without the content, and until the copy is mapped nothing has
 * happened that would have to be undone. It goes in pieces of PROA_RELOCATE_BYTES: as much memory
 * is there twice, and as long is a thread held up.
 *
 * Without other threads nobody stores meanwhile: signals are blocked.
 *
 * Kernels let a process without privileges have user mode faults only
 * (vm.unprivileged_userfaultfd): then a system call of another thread that stores into the very
 * piece that is being moved, such as read(2), fails with EFAULT instead of waiting.
 */
#ifndef PROA_CORE_RELOCATE_H
#define PROA_CORE_RELOCATE_H

#include "core/segment.h"

enum { PROA_RELOCATE_BYTES = 2 << 20 };

/* What is needed to move pages: begin and end bracket one or more moves. */
struct proa_relocation {
    const struct proa_segment *segment; /* whose offsets are addresses */
    int fault_fd;                       /* -1: there are no other threads */
    int whole; /* pages that have never been touched are protected too, without touching them */
};

/* threads: of this process. 0, or an errno: with other threads, where the kernel has no userfaultfd
 * for us, or one that is not able to protect both kinds of memory (Linux 5.19). */
int proa_relocate_begin(struct proa_relocation *relocation, const struct proa_segment *segment,
                        long threads);
void proa_relocate_end(struct proa_relocation *relocation);

/* [first, end): whole pages, of one private mapping that reads and writes. Returns 0 or an errno;
 * *done: the address up to which all have moved. The rest is as it was. */
int proa_relocate_in(const struct proa_relocation *relocation, uint64_t first, uint64_t end,
                     uint64_t *done);

/* The way back, of pages that have moved and are mapped: the file has them no more. */
int proa_relocate_out(const struct proa_relocation *relocation, uint64_t first, uint64_t end,
                      uint64_t *done);

/* In a child after fork, while its parent waits: pages that the child shares with it become the
 * child's own. offset: in the file, of the first. 0 or an errno. */
int proa_relocate_copy(const struct proa_segment *segment, uint64_t first, uint64_t end,
                       uint64_t offset);

#endif
