/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relocation replaces the memory behind pages of this process while the program runs: from private
 * memory to a file that others map, and back. Address and content stay; no store of any thread is
 * lost.
 *
 * The way in: the pages are taken aside with their mapping (mremap, MREMAP_DONTUNMAP), those with
 * content are copied to the file, and the file is mapped in their place. The mapping stays aside,
 * empty, as long as the file is there: it keeps what the program has told the kernel of this
 * memory (madvise, mbind, large pages, whether it is reserved). The way out fills the mapping
 * aside, and moves it back in place.
 *
 * Where the program has other threads, the range is registered with userfaultfd(2) first: while
 * it is empty, loads and stores of other threads wait in the fault, and try again when it is over.
 * That takes kernel mode faults: with user mode faults alone (vm.unprivileged_userfaultfd) a
 * system call of another thread would fail with EFAULT. It goes in pieces of PROA_RELOCATE_BYTES,
 * so that no thread waits for long, and little memory is there twice.
 *
 * Memory that has moved is not inherited (MADV_DONTFORK): a child never shares it. It gets a copy,
 * made aside by the parent before fork, which only has to be put in place: that takes no file, no
 * number, no /proc and no address space. The program's advice (madvise) on this memory holds for
 * the mapping aside: if the memory is not to be inherited, the child has none; if it is to be
 * wiped, it is empty.
 *
 * adopt.c calls this under its mutex, with all signals blocked: a handler of this thread's would
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
    const struct proa_segment *segment; /* whose offsets are addresses */
    struct proa_process process;        /* as it was when moving began */
    struct proa_touched touched;
    int fault_fd; /* -1: there are no other threads */
};

/* The process has been looked at. NULL, or why there is none: nothing tells which pages have
 * content; or there are other threads, and the kernel has no userfaultfd for us that is able to
 * stop them (Linux 5.14, and the right to kernel mode faults). */
const char *proa_remap_begin(struct proa_relocation *relocation,
                             const struct proa_segment *segment);
void proa_remap_end(struct proa_relocation *relocation);

/* Moves [first, end): whole pages of one private mapping that reads and writes. aside: room for as
 * many, made like them, so that the kernel need not move single pages. Returns the address up to
 * which all have moved; the rest is as it was. */
uint64_t proa_remap_in(const struct proa_relocation *relocation, uint64_t first, uint64_t end,
                       uint64_t aside);

/* The way back, of pages that have moved and are mapped at place with protection `prot`, which they
 * keep: the file has them no more. place: moved->first, unless the program has moved them by
 * mremap(2). Returns the address up to which all of [moved->first, moved->end) are back. Ends
 * early, among other reasons, at a thread that does not come out of a direct read. */
uint64_t proa_remap_out(const struct proa_relocation *relocation, const struct proa_range *moved,
                        uint64_t place, int prot);

/* ---- fork ---- */

/* Before fork: makes a copy aside of all that has moved. 0 or an errno. */
int proa_fork_copy(const struct proa_segment *segment, const struct proa_ranges *moves);

/* After it, in the parent: drops the copies. */
void proa_fork_wipe(const struct proa_ranges *moves);

/* In the child: puts the copies in place. error: of proa_fork_copy. With that, or if it fails, the
 * child ends. */
void proa_fork_place(const struct proa_ranges *moves, int error);

#endif
