/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traps of the program's own loads and stores: what the handlers of signals share. A handler may
 * have interrupted anything, so it writes down the hit, and the next call of check mode tells of
 * it.
 */
#ifndef PROA_TRAPS_TRAP_H
#define PROA_TRAPS_TRAP_H

#include <signal.h>
#include <stdint.h>

enum proa_trap_access { PROA_TRAP_LOAD, PROA_TRAP_STORE, PROA_TRAP_TOUCH /* one of both */ };

struct proa_trap_hit {
    const void *instruction; /* behind the access, as a return address is behind its call */
    const void *caller; /* of an access in the C library: its return address to the rest; or NULL */
    const void *memory; /* the first byte that is known to be touched; of a watchpoint: NULL */
    uint64_t bytes;     /* from there on; of a watchpoint: 0 */
    uint64_t cookie;    /* of a watchpoint; else 0 */
    enum proa_trap_access access;
    int is_of_call; /* a system call's; else of one instruction */
    int is_step;    /* it is a single step's */
    int thread;     /* as gettid(2) has it */
};

/* From a handler: appends the hit, with this thread's number. It is lost if the ring of hits is
 * full. */
void proa_trap_write_down(const struct proa_trap_hit *hit);

/* The oldest hit, taken out; one thread at a time. 0: there is none. */
int proa_trap_next(struct proa_trap_hit *hit);

/* How many hits were lost so far. */
uint64_t proa_trap_lost(void);

/* From here on no hit reads a word for which `watched` says yes: the handler would trap itself. */
void proa_trap_spare(int (*watched)(uintptr_t word));

/* The hit of a handler with that context: its instruction and caller. The word on top of the stack,
 * which is the return address in a leaf function, is tried if it is not spared. */
struct proa_trap_hit proa_trap_hit(const void *context);

/* The place in the program of a hit: of an access in the C library, such as by memcpy, its caller.
 * NULL: it is an access by the MPI, Proa, or a network's library. Not for handlers. */
const void *proa_trap_place(const struct proa_trap_hit *hit);

/* Does a loaded file count as part of the program? Not the C library, the dynamic linker, and the
 * libraries that proa_trap_place names. path: "" of the program itself. */
int proa_trap_is_program(const char *path);

/* Takes the signal; *before: its action before. 0, or an errno. The last to take it is the first to
 * give it back. */
int proa_trap_take(int number, void (*handler)(int, siginfo_t *, void *), struct sigaction *before);
void proa_trap_give_back(int number, const struct sigaction *before);

/* The program's own action of a signal that is taken; NULL: it is not taken. */
struct sigaction *proa_trap_action(int number);

/* A signal that is not ours: a debugger's, or the program's own. Does what it did before. */
void proa_trap_hand_on(const struct sigaction *before, int number, siginfo_t *info, void *context);

#endif
