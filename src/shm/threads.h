/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's other threads, and their system calls: they may use memory of the
 * program's while it moves (adopt/adopt.h).
 *
 * Threads that the host MPI starts in MPI_Init or at its first window, and Proa's own, never touch
 * memory that moves; they are not counted. (The progress thread does so inside its lock, which the
 * mover holds.)
 *
 * Sources: proc(5) (task, syscall), futex(2).
 */
#ifndef PROA_SHM_THREADS_H
#define PROA_SHM_THREADS_H

#include <stdint.h>

/* Around a call of the host's that starts threads, MPI_Init or its first window: threads that start
 * meanwhile are the host's, if there is but one thread of the program's before. In Valgrind they
 * take no signal that is the program's to handle. */
void proa_threads_host_begin(void);
void proa_threads_host_end(void);

/* Around the life of a thread of Proa's own, by itself. Such a thread mostly sleeps. Once there is
 * something to do it runs before threads that compute, because the first call asks the kernel for
 * short slices. The thread keeps its policy and nice value; nothing is asked unless the policy is
 * SCHED_OTHER, and nothing changes before Linux 6.12. */
void proa_threads_begin(void);
void proa_threads_end(void);

enum { PROA_THREADS_MOST = 1024 };

/* The program's threads but for the calling one. */
struct proa_threads {
    int count; /* -1: not known, or more than PROA_THREADS_MOST */
    int id[PROA_THREADS_MOST];
};

void proa_threads_find(struct proa_threads *threads);

/* System calls on some memory in which threads sleep. */
enum {
    /* a futex there without FUTEX_PRIVATE_FLAG, which the kernel knows by its page */
    PROA_THREADS_WAIT = 1,
    /* the same, of a kind that FUTEX_WAKE does not wake */
    PROA_THREADS_WAIT_FIXED = 2,
    /* a read that may store there */
    PROA_THREADS_READ = 4,
};

/* Any of the above for [first, end); 0: none. Where the kernel does not tell, the last two. wake is
 * called for each word of the first kind; it may be NULL. */
int proa_threads_look(const struct proa_threads *threads, uint64_t first, uint64_t end,
                      void (*wake)(uint64_t word, void *context), void *context);

#endif
