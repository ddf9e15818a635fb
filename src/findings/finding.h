/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The findings of check mode in this process. The same rule at the same pair of places is one
 * finding, which is told on standard error when it is found first, and counted from then on. When
 * MPI ends the findings of all processes come together (findings/summary.h).
 *
 * All functions are safe from any thread.
 */
#ifndef PROA_FINDINGS_FINDING_H
#define PROA_FINDINGS_FINDING_H

#include "base/calls.h"
#include "base/hidden.h"
#include "findings/source.h"
#include "window/win.h"

#include <stdint.h>

/* RACE: an access that the standard calls undefined (MPI_ERR_RMA_CONFLICT). MISUSE: another rule is
 * broken. NOTE: legal, and likely unintended. In the order of their weight. */
enum proa_verdict { PROA_NO_VERDICT, PROA_NOTE, PROA_MISUSE, PROA_RACE };

/* "race" and so on. */
const char *proa_verdict_name(enum proa_verdict verdict);

/* A call that a finding names. */
struct proa_finding_call {
    const char *call;                /* "MPI_Put"; NULL: there is no such call */
    const void *caller;              /* in this process (base/calls.h); NULL: see place */
    const struct proa_source *place; /* of a call of another process; NULL: it is not known */
    int other;                       /* 1 + its rank in MPI_COMM_WORLD; 0: this process */
    int thread;                      /* proa_finding_thread(); 0: not known, or there is one only */
    int is_address;                  /* low and high are addresses, not offsets in the window */
    uint64_t low, high;              /* its bytes [low, high); both 0: not told */
    struct proa_payload payload;     /* of an operation */
};

/* The calls of the finding, and the call of synchronization before it. */
enum { PROA_FIRST, PROA_SECOND, PROA_LAST_SYNC, PROA_FINDING_CALLS };

struct proa_finding {
    enum proa_verdict verdict;
    const char *id;   /* of the rule: a word for programs, constant, such as "conflict" */
    const char *rule; /* the rule and its section; constant */
    const char *what; /* a sentence of what is wrong, without the window */
    const char *remedy;
    const struct proa_win *win; /* NULL: of no window */
    struct proa_finding_call calls[PROA_FINDING_CALLS];
    int is_told; /* the caller tells it itself */
};

/* Called before a finding is told and after it: that takes time within the call that has found it.
 * NULL: nothing is. */
extern PROA_HIDDEN void (*proa_finding_around)(int begins);

/* Adds a finding, or counts it if this process has told it before. */
void proa_finding_add(const struct proa_finding *finding);

/* Counts a finding that this process has told before: 1. 0: it has not, and the caller is to add
 * it. Saves the caller its sentences. first, second: return addresses, or NULL. */
int proa_finding_again(const char *id, const void *first, const void *second);

/* A number of this thread, from 1 on; 0: only one thread calls MPI. */
int proa_finding_thread(void);

/* Adds to the numbers of the last line: operations that were checked, those that had too many
 * pieces to be, and accesses that were dropped before they were complete. */
void proa_finding_count(uint64_t operations, uint64_t scattered, uint64_t dropped);

/* And accesses that are ordered with others by values that were read there, and by nothing else. */
void proa_finding_count_by_values(uint64_t accesses);

/* Parts of check mode for memory that this machine does not have: the summary names them. */
enum proa_unseen {
    PROA_UNSEEN_WINDOWS = 1,
    PROA_UNSEEN_BUFFERS = 2,
    PROA_UNSEEN_PROCESSES = 4 /* there are no clocks */
};
void proa_finding_unseen(unsigned parts);

/* ---- findings as they are kept, in plain bytes: for findings/summary.c ---- */

struct proa_found_call {
    char call[40];     /* "": there is none */
    char op[16];       /* "MPI_SUM"; "": it has none */
    char datatype[64]; /* "": it is no operation */
    uint64_t count;    /* of elements */
    struct proa_source place;
    uint32_t outer; /* calls around it */
    int32_t rank;   /* in MPI_COMM_WORLD */
    int32_t thread, is_address;
    uint64_t low, high;
};

struct proa_found {
    int32_t verdict, rank; /* rank: in MPI_COMM_WORLD, of the first process that has found it */
    int32_t ranks;         /* how many have */
    uint64_t count;
    char id[32], rule[256], what[256], remedy[256], window[64];
    struct proa_found_call calls[PROA_FINDING_CALLS];
    struct proa_source *outer; /* the calls around all calls, in their order */
};

/* The calls around one call of the finding. */
const struct proa_source *proa_found_outer(const struct proa_found *found, int call);

/* How many calls there are around all calls. */
unsigned proa_found_outers(const struct proa_found *found);

struct proa_checked {
    uint64_t operations, scattered, dropped;
    uint64_t untold;    /* findings that were too many to be kept */
    uint64_t by_values; /* accesses that a value alone orders with others */
    unsigned unseen;    /* parts of enum proa_unseen */
};

/* Copies all findings, *count of them, and the numbers; the caller frees them. NULL: there are
 * none, or no memory. Their calls around calls are those that are kept. */
struct proa_found *proa_finding_all(int *count, struct proa_checked *checked);

/* Forgets them. */
void proa_finding_forget(void);

#endif
