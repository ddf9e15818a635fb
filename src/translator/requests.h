/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program asks of the tool `proa` of Valgrind that it runs in (tools/translator): which
 * bytes to watch, and which of the program's own loads and stores have touched them. This header
 * needs nothing of Valgrind's. It is under a BSD licence; that of the tool does not matter.
 *
 * Outside Valgrind, and in another of its tools, a request (shm/valgrind.h) returns 0.
 */
#ifndef PROA_TRANSLATOR_REQUESTS_H
#define PROA_TRANSLATOR_REQUESTS_H

#include "shm/valgrind.h"

enum { PROA_TRANSLATOR_VERSION = 1 };

/* Accesses; both: of an instruction that loads and stores as one, such as a compare and swap. */
enum { PROA_LOADS = 1, PROA_STORES = 2, PROA_LOADS_AND_STORES = 3 };

/* Bytes [low, high) that were touched since the last drain, each from that place with the same
 * callers. */
struct proa_touched {
    uint64_t low, high;
    uint64_t place;      /* in the program, behind an instruction as a return address is */
    uint32_t stack;      /* for PROA_ASK_STACK */
    uint32_t order;      /* touched before those with a greater number, at about the first byte */
    uint32_t thread;     /* as gettid(2) has it */
    uint8_t what;        /* as above */
    uint8_t is_repeated; /* one instruction has touched each of the bytes several times */
    uint8_t is_of_call;  /* a system call's */
    uint8_t ends_loop;   /* a load: a loop ends when its value equals another one, or differs */
};

/* Accesses to watched bytes so far, by `what`; [0]: those that were not kept for want of room. */
struct proa_touched_counts {
    uint64_t of[4];
};

/* The requests; their arguments are words. */
enum {
    /* (uint32_t *pending): the version of the tool. *pending is not 0 from the first touch on until
     * all are drained. */
    PROA_ASK_BEGIN = 'P' << 24 | 'A' << 16,
    /* (low, bytes, what): watches for such accesses, once more for each request; or once less. */
    PROA_ASK_WATCH,
    PROA_ASK_UNWATCH,
    /* (struct proa_touched *into, count): how many are there now; 0: no more. */
    PROA_ASK_DRAIN,
    /* (stack, uintptr_t *into, count): how many return addresses are there now, the innermost one
     * first. */
    PROA_ASK_STACK,
    /* (struct proa_touched_counts *into): 1. */
    PROA_ASK_COUNTS
};

#endif
