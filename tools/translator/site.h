/* SPDX-License-Identifier: BSD-3-Clause */
/* Sites: instructions with their callers, and the place in the program that each stands for. */
#ifndef PROA_TRANSLATOR_SITE_H
#define PROA_TRANSLATOR_SITE_H

#include "core.h"

struct proa_page;

enum { PROA_SITE_CALLERS = 3 /* that are compared each time */ };

/* Instruction and stack pointer find it. The callers may be others the next time; so where the
 * stack has the return addresses of the nearest is known, and whether they are the same. */
struct proa_site {
    Addr ip, sp;
    UInt thread; /* as the kernel has it */
    UChar what;
    Bool polls, is_of_call,
        is_left_out; /* left out: it is not the program's, but the MPI's or Proa's */
    ULong changes;   /* of what is watched, when this was found: */
    Addr low, high;  /* all bytes of it are watched for such accesses */
    UInt callers;
    const Addr *slot[PROA_SITE_CALLERS];
    Addr caller[PROA_SITE_CALLERS];
    Addr place;
    UInt stack;
    ULong chain;             /* a hash of the place and its callers */
    struct proa_page *pages; /* of this site since the last drain */
    struct proa_page *last;
    struct proa_site *next;   /* with the same hash */
    struct proa_site *active; /* with pages */
};

/* An access of this thread, which is the running one, or in a system call. */
struct proa_access {
    Addr low, high;
    Addr ip, sp;
    UWord what;
    ThreadId thread;
    Bool polls, is_of_call;
};

/* Its site, if there was one like it before; or one in any case, but for want of room: NULL. */
struct proa_site *proa_site_known(const struct proa_access *access);
struct proa_site *proa_site_of(const struct proa_access *access);

/* None has pages: forgets them if they are many, or if the program's files are others. */
void proa_site_rest(void);

/* A thread ends. Of a process that is a new one: all are forgotten. */
void proa_site_thread_ends(ThreadId thread);
void proa_site_forked(void);

#endif
