/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct I/O: reads of the program's that store to memory without its page tables. The kernel has
 * looked up the pages before, so memory that has moved meanwhile does not get the data.
 *
 * Proa looks for the means of such reads, not for the reads: contexts of io_submit(2) and rings of
 * io_uring(7), which work behind the program's back; and files opened with O_DIRECT, which matter
 * where another thread may be in read(2).
 */
#ifndef PROA_ADOPT_DIRECT_H
#define PROA_ADOPT_DIRECT_H

enum proa_direct {
    PROA_DIRECT_NONE,
    PROA_DIRECT_FILE, /* a file with O_DIRECT */
    PROA_DIRECT_ASYNC /* asynchronous I/O; or the kernel does not tell */
};

/* The worst of what this process has set up. files: look for O_DIRECT as well. Any thread. */
enum proa_direct proa_direct_find(int files);

#endif
