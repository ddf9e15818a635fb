/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ThreadSanitizer, in programs that are built with -fsanitize=thread, by gcc or clang: accesses of
 * other actors than the threads of this process are announced to it, so that it compares them with
 * the program's own loads and stores. Its functions are weak here: they are there or not.
 *
 * An actor is a fiber of ThreadSanitizer's. Marks tell the order, which are addresses that
 * a thread or an actor releases, and another one acquires.
 */
#ifndef PROA_TRAPS_SANITIZER_H
#define PROA_TRAPS_SANITIZER_H

#include <stdint.h>

struct proa_sanitized {
    const void *memory;
    uint64_t bytes;
    const void *caller; /* the return address of the call that accesses; NULL: not known */
    int is_store, is_atomic;
};

/* Is the program built with it? */
int proa_sanitizer_is_there(void);

/* Makes an actor, which reports name so. NULL: there is no memory. */
void *proa_sanitizer_actor(const char *name);

/* Of the calling thread. */
void proa_sanitizer_release(void *mark);
void proa_sanitizer_acquire(void *mark);

/* From here on the calling thread acts as the actor, until it leaves. Returns what to leave with.
 */
void *proa_sanitizer_enter(void *actor);
void proa_sanitizer_leave(void *before);

/* The calling thread's loads and stores are left out from here on, or no longer; at the latest when
 * it ends. */
void proa_sanitizer_ignore(int ignores);

/* An access. Of atomic ones the memory is touched, and not changed; they are left out where the
 * program cannot write there. */
void proa_sanitizer_access(const struct proa_sanitized *access);

#endif
