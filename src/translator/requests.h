/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of a program to the Valgrind tool `proa` that it runs in (tools/translator). They set
 * which bytes to watch, and return the program's own loads and stores of these bytes. This header
 * needs nothing of Valgrind's. It is under a BSD licence, independent of the tool's licence.
 *
 * Outside Valgrind, and in another of its tools, a request (shm/valgrind.h) returns 0.
 */
#ifndef PROA_TRANSLATOR_REQUESTS_H
#define PROA_TRANSLATOR_REQUESTS_H

#include "shm/valgrind.h"

enum { PROA_TRANSLATOR_VERSION = 1 };

/* Accesses. LOADS_AND_STORES: an instruction that does both at once, such as a compare and swap. */
enum { PROA_LOADS = 1, PROA_STORES = 2, PROA_LOADS_AND_STORES = 3 };

/* Bytes [low, high) that were accessed since the last drain, all from that place with the same
 * callers. */
struct proa_touched {
    uint64_t low, high;
    uint64_t place;  /* address in the program, after the instruction as for a return address */
    uint32_t stack;  /* argument for PROA_ASK_STACK */
    uint32_t order;  /* order of accesses, approximately by their first byte: smaller is earlier */
    uint32_t thread; /* thread, from gettid(2) */
    uint8_t what;    /* accesses, as above */
    uint8_t is_repeated; /* one instruction accessed each of the bytes several times */
    uint8_t is_of_call;  /* the access of a system call */
    uint8_t ends_loop;   /* a load: its loop ends when the value equals another one, or differs */
};

/* Accesses to watched bytes so far, by `what`. [0]: accesses lost for lack of space. */
struct proa_touched_counts {
    uint64_t of[4];
};

/* The requests; their arguments are words. */
enum {
    /* (uint32_t *pending): returns the version of the tool. *pending is nonzero from the first
     * access until all are drained. */
    PROA_ASK_BEGIN = 'P' << 24 | 'A' << 16,
    /* (low, bytes, what): starts watching for such accesses, counted; or undoes one start. */
    PROA_ASK_WATCH,
    PROA_ASK_UNWATCH,
    /* (struct proa_touched *into, count): returns the number of accesses; 0 if there are no
     * more. */
    PROA_ASK_DRAIN,
    /* (stack, uintptr_t *into, count): returns the number of return addresses, innermost first. */
    PROA_ASK_STACK,
    /* (struct proa_touched_counts *into): returns 1. */
    PROA_ASK_COUNTS
};

#endif
