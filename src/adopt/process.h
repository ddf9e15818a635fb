/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of this process on which moving its memory depends. adopt.c reads it before each move,
 * survey.c reads the stacks, both under adoption's mutex.
 *
 * Direct I/O: reads by the program that store to memory without its page tables. The kernel looks
 * up the pages in advance, so memory that moves meanwhile does not receive the data. Proa detects
 * the means of such reads, not the reads: contexts of io_submit(2) and rings of io_uring(7), which
 * work asynchronously, and files opened with O_DIRECT, which matter if another thread may be in
 * read(2).
 */
#ifndef PROA_ADOPT_PROCESS_H
#define PROA_ADOPT_PROCESS_H

#include "shm/threads.h"

#include <stdint.h>

enum proa_direct {
    PROA_DIRECT_NONE,
    PROA_DIRECT_FILE, /* a file with O_DIRECT, beside threads */
    PROA_DIRECT_ASYNC /* asynchronous I/O, or the kernel does not report it */
};

struct proa_process {
    struct proa_threads threads; /* the program's other threads */
    enum proa_direct direct;     /* the most severe kind that is set up */
    int has_faults;              /* 1 if a userfaultfd is open */
    uint64_t locked_kib;         /* by mlock */
    uint64_t swapped_kib;
    uint64_t pinned_kib; /* for a device, or for io_uring: written to without page tables */
};

/* Reads the state. Returns NULL, or the reason why memory cannot move in either direction: the
 * state is unknown, or the kernel may be about to store to the present pages. */
const char *proa_process_look(struct proa_process *process);

/* Returns NULL, or the reason why memory must not move in, though moved memory may move back.
 * Called after proa_process_look. */
const char *proa_process_keeps(const struct proa_process *process);

/* Unlocks [first, end), whole pages. Returns 1 if some of it was locked at proa_process_look, else
 * 0. */
int proa_process_unlock(const struct proa_process *process, uint64_t first, uint64_t end);

/* A thread of this process. block: address in the control block that the C library has placed at
 * the upper end of the thread's stack. end: end of the stack with its last page. */
struct proa_thread {
    uint64_t block, end;
};

/* Lists all threads. most: size of room, in threads. Returns their number, or -1 if some are
 * unknown or there are more than `most`. */
int proa_threads_stacks(struct proa_thread *room, int most);

#endif
