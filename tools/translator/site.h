/* SPDX-License-Identifier: BSD-3-Clause */
/* Sites: instructions with their callers, and the place in the program that each stands for. */
#ifndef PROA_TRANSLATOR_SITE_H
#define PROA_TRANSLATOR_SITE_H

#include "core.h"

struct proa_page;

enum { PROA_SITE_CALLERS = 3 /* callers that are compared each time */ };

/* Found by instruction and stack pointer. The callers may differ the next time. So the site stores
 * where the stack has the return addresses of the nearest callers, and compares them. */
struct proa_site {
    Addr ip, sp;
    UInt thread; /* kernel id */
    UChar what;
    Bool polls, is_of_call,
        is_left_out; /* left out: it is code of the MPI or of Proa, not of the program */
    ULong changes;   /* number of changes of the watched bytes, when this was found: */
    Addr low, high;  /* all these bytes are watched for such accesses */
    UInt callers;
    const Addr *slot[PROA_SITE_CALLERS];
    Addr caller[PROA_SITE_CALLERS];
    Addr place;
    UInt stack;
    ULong chain;             /* hash of the place and its callers */
    struct proa_page *pages; /* pages of this site since the last drain */
    struct proa_page *last;
    struct proa_site *next;   /* next site with the same hash */
    struct proa_site *active; /* next site with pages */
};

/* An access of this thread, which is running, or in a system call. */
struct proa_access {
    Addr low, high;
    Addr ip, sp;
    UWord what;
    ThreadId thread;
    Bool polls, is_of_call;
};

/* proa_site_known returns the site of the access if it exists. proa_site_of creates it if needed,
 * and returns NULL without room. */
struct proa_site *proa_site_known(const struct proa_access *access);
struct proa_site *proa_site_of(const struct proa_access *access);

/* Called when no site has pages: frees all sites if they are many, or if the program's mapped files
 * changed. */
void proa_site_rest(void);

/* A thread ended. proa_site_forked: this process was forked, so all threads and sites are
 * removed. */
void proa_site_thread_ends(ThreadId thread);
void proa_site_forked(void);

#endif
