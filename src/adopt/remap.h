/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relocation replaces the memory of pages of this process while the program runs: private memory by
 * a file that others map, and back. Address and content stay, and no store of any thread is lost.
 *
 * Moving in: the pages are moved aside, to other addresses, with their mapping (mremap,
 * MREMAP_DONTUNMAP). Those with content are copied to the file, and the file is mapped in their
 * place. The empty mapping stays aside as long as the file is mapped. It keeps the program's
 * settings for this memory (madvise, mbind, large pages, reservation). Moving out fills the mapping
 * aside and moves it back in place.
 *
 * If the program has other threads, the range is first registered with userfaultfd(2). While it is
 * empty, loads and stores of other threads wait in the fault and are then retried. This needs
 * kernel mode faults: with user mode faults alone (vm.unprivileged_userfaultfd) a system call of
 * another thread would fail with EFAULT. Memory moves in pieces of PROA_RELOCATE_BYTES, so that no
 * thread waits for long and little memory exists twice.
 *
 * Memory that has moved is not inherited (MADV_DONTFORK), so a child never shares it. The parent
 * makes a copy aside before fork, and the child only moves it in place. That needs no file,
 * descriptor, /proc or address space. The program's advice (madvise) on this memory applies to the
 * mapping aside: memory not to be inherited is missing in the child, memory to be wiped is empty.
 *
 * adopt.c calls this under its mutex, with all signals blocked, as a handler in this thread would
 * wait for its own thread.
 */
#ifndef PROA_ADOPT_REMAP_H
#define PROA_ADOPT_REMAP_H

#include "adopt/process.h"
#include "adopt/ranges.h"
#include "adopt/content.h"
#include "shm/segment.h"

enum { PROA_RELOCATE_BYTES = 2 << 20 };

/* The resources for moving pages: begin and end bracket one or more moves. */
struct proa_relocation {
    const struct proa_segment *segment; /* file whose offsets are addresses */
    struct proa_process process;        /* state at proa_remap_begin */
    struct proa_touched touched;
    int fault_fd; /* -1 if there are no other threads */
};

/* Begins moves; called after proa_process_look. Returns NULL, or the reason why no page can move:
 * the pages with content are unknown, or there are other threads and no userfaultfd that can stop
 * them (Linux 5.14, and the privilege for kernel mode faults). */
const char *proa_remap_begin(struct proa_relocation *relocation,
                             const struct proa_segment *segment);
void proa_remap_end(struct proa_relocation *relocation);

/* Moves [first, end), whole pages of one readable and writable private mapping, in. aside: address
 * space of the same size and alignment in large pages, so that the kernel need not move single
 * pages. Returns the address up to which all have moved; the rest is unchanged. */
uint64_t proa_remap_in(const struct proa_relocation *relocation, uint64_t first, uint64_t end,
                       uint64_t aside);

/* Moves pages back and removes them from the file. place: address where they are mapped,
 * moved->first unless the program has moved them by mremap(2). prot: their protection, which they
 * keep. Returns the address up to which all of [moved->first, moved->end) have moved back. Stops
 * early, among other reasons, at a thread that stays in a direct read. */
uint64_t proa_remap_out(const struct proa_relocation *relocation, const struct proa_range *moved,
                        uint64_t place, int prot);

/* ---- fork ---- */

/* Before fork: copies all moved memory aside. Returns 0 or an errno. */
int proa_fork_copy(const struct proa_segment *segment, const struct proa_ranges *moves);

/* After fork, in the parent: drops the copies. */
void proa_fork_wipe(const struct proa_ranges *moves);

/* After fork, in the child: moves the copies in place. error: result of proa_fork_copy. Ends the
 * child on that error or its own. */
void proa_fork_place(const struct proa_ranges *moves, int error);

#endif
