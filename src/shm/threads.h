/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's other threads, and their system calls: they may use memory of the
 * program's while it moves (adopt/adopt.h).
 *
 * Threads that the host MPI starts in MPI_Init or at its first window, and Proa's own, never touch
 * memory that moves, and are not counted. (The progress thread does so only under its lock, which
 * the mover holds.)
 *
 * Sources: proc(5) (task, syscall), futex(2).
 */
#ifndef PROA_SHM_THREADS_H
#define PROA_SHM_THREADS_H

#include <stdint.h>

/* Called around a call of the host that starts threads, MPI_Init or its first window. Threads that
 * start during it count as the host's if the program had only one thread before. In Valgrind they
 * receive no signal that the program handles. */
void proa_threads_host_begin(void);
void proa_threads_host_end(void);

/* Called by a thread of Proa at its start and its end. Such a thread mostly sleeps. When it has
 * work it runs before threads that compute, because the first call requests short slices from the
 * kernel. The thread keeps its policy and nice value. The request is made only if the policy is
 * SCHED_OTHER, and has no effect before Linux 6.12. */
void proa_threads_begin(void);
void proa_threads_end(void);

enum { PROA_THREADS_MOST = 1024 };

/* The program's threads except the calling one. */
struct proa_threads {
    int count; /* -1 if unknown or more than PROA_THREADS_MOST */
    int id[PROA_THREADS_MOST];
};

void proa_threads_find(struct proa_threads *threads);

/* System calls on some memory in which threads sleep. */
enum {
    /* a futex there without FUTEX_PRIVATE_FLAG, which the kernel identifies by its page */
    PROA_THREADS_WAIT = 1,
    /* the same, of a kind that FUTEX_WAKE does not wake */
    PROA_THREADS_WAIT_FIXED = 2,
    /* a read that may store there */
    PROA_THREADS_READ = 4,
};

/* Returns the kinds of these calls for [first, end), or-ed; 0 if none. If the kernel does not
 * report calls, returns the last two. wake: function called for each word of the first kind; may be
 * NULL. */
int proa_threads_look(const struct proa_threads *threads, uint64_t first, uint64_t end,
                      void (*wake)(uint64_t word, void *context), void *context);

#endif
