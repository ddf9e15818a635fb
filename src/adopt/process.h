/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of this process on which moving its memory depends. adopt.c asks for it before each
 * move, survey.c for the stacks; both under adoption's mutex.
 *
 * Direct I/O: reads of the program's that store to memory without its page tables. The kernel has
 * looked up the pages before, so memory that has moved meanwhile does not get the data. Proa looks
 * for the means of such reads, not for the reads: contexts of io_submit(2) and rings of
 * io_uring(7), which work behind the program's back; and files opened with O_DIRECT, which matter
 * where another thread may be in read(2).
 */
#ifndef PROA_ADOPT_PROCESS_H
#define PROA_ADOPT_PROCESS_H

#include "shm/threads.h"

#include <stdint.h>

enum proa_direct {
    PROA_DIRECT_NONE,
    PROA_DIRECT_FILE, /* a file with O_DIRECT, beside threads */
    PROA_DIRECT_ASYNC /* asynchronous I/O; or the kernel does not tell */
};

struct proa_process {
    struct proa_threads threads; /* the program's others */
    enum proa_direct direct;     /* the worst that is set up */
    int has_faults;              /* a userfaultfd is open */
    uint64_t locked_kib;         /* by mlock */
    uint64_t swapped_kib;
    uint64_t pinned_kib; /* for a device, or for io_uring: written to without page tables */
};

/* NULL, or the reason why memory cannot move in either direction: the state is not known, or the
 * kernel may be about to store to the pages that are there now. */
const char *proa_process_look(struct proa_process *process);

/* NULL, or the reason why its memory must not move in, though what has moved may go back. The
 * process has been looked at. */
const char *proa_process_keeps(const struct proa_process *process);

/* Unlocks [first, end), whole pages. 1 if some of it was locked when the process was looked at,
 * else 0. */
int proa_process_unlock(const struct proa_process *process, uint64_t first, uint64_t end);

/* A thread of this process: an address in the control block that the C library has put at the upper
 * end of the thread's stack, and where the stack ends, with what belongs to it: a whole page. */
struct proa_thread {
    uint64_t block, end;
};

/* All threads, into room; how many, or -1: some are not known, or there are more than `most`. */
int proa_threads_stacks(struct proa_thread *room, int most);

#endif
