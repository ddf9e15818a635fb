/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Some pages of one process as the kernel has them, and its calls that move them: as little of
 * userfaultfd(2), mremap(2) and mmap(2) as src/adopt/remap.c builds upon.
 *
 * A page is private or of the file, and there or not. A thread that stores to a page that is not
 * there waits if the page is registered for that, and else gets one. A call that changes the map
 * does so page by page, and keeps out other such calls and faults, but no stores to pages that are
 * there.
 */
#ifndef PROA_EXPLORE_PAGES_H
#define PROA_EXPLORE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PAGES = 2, PAGE_BYTES = 256, PAGE_WORDS = PAGE_BYTES / 8 };

/* For `setup`: the pages are private, and the first one is there; or all have moved. */
void pages_make(int have_moved);

uint64_t pages_first(void), pages_aside(void);

/* The next call of that number (SYS_mmap, SYS_mremap) is refused. */
void pages_refuse(long number);

/* A thread of the program stores and loads; a neighbour stores to the file; for `finish`: what the
 * program loads. */
void pages_store(int page, int word, uint64_t value);
uint64_t pages_load(int page, int word);
void pages_store_beside(int page, int word, uint64_t value);
uint64_t pages_now(int page, int word);

/* ---- calls ---- */

int pages_size(void);
long pages_syscall(long number, ...);
int pages_ioctl(int fd, unsigned long request, ...);
int pages_madvise(void *address, size_t bytes, int advice);
int pages_mincore(void *address, size_t bytes, unsigned char *are_there);
off_t pages_lseek(int fd, off_t position, int whence);
int pages_fallocate(int fd, int mode, off_t position, off_t bytes);

#endif
