/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The findings of check mode in this process. The same rule at the same pair of places is one
 * finding. It is reported on standard error the first time, and counted from then on. When MPI
 * ends, the findings of all processes are merged (findings/summary.h).
 *
 * All functions are callable from any thread.
 */
#ifndef PROA_FINDINGS_FINDING_H
#define PROA_FINDINGS_FINDING_H

#include "base/calls.h"
#include "base/hidden.h"
#include "findings/source.h"
#include "window/win.h"

#include <stdint.h>

/* RACE: an access that the standard calls undefined (MPI_ERR_RMA_CONFLICT). MISUSE: another rule is
 * broken. NOTE: legal, and likely unintended. Ordered by weight. */
enum proa_verdict { PROA_NO_VERDICT, PROA_NOTE, PROA_MISUSE, PROA_RACE };

/* Returns the name, such as "race". */
const char *proa_verdict_name(enum proa_verdict verdict);

/* A call that a finding names. */
struct proa_finding_call {
    const char *call;   /* "MPI_Put"; NULL if there is no such call */
    const void *caller; /* caller in this process (base/calls.h), or NULL if `place` is set */
    const struct proa_source *place; /* place of another process's call, or NULL if unknown */
    int other;                       /* 1 + its rank in MPI_COMM_WORLD; 0 for this process */
    int thread;                      /* proa_finding_thread(); 0 if unknown, or with one thread */
    int is_address;                  /* low and high are addresses, not offsets in the window */
    uint64_t low, high;              /* its bytes [low, high); both 0 if not reported */
    struct proa_payload payload;     /* payload of an operation */
};

/* The calls of the finding, and the synchronization call before it. */
enum { PROA_FIRST, PROA_SECOND, PROA_LAST_SYNC, PROA_FINDING_CALLS };

struct proa_finding {
    enum proa_verdict verdict;
    const char *id;   /* id of the rule for programs, constant, such as "conflict" */
    const char *rule; /* the rule and its section; constant */
    const char *what; /* sentence that describes the error, without the window */
    const char *remedy;
    const struct proa_win *win; /* NULL if it concerns no window, or one that may be gone */
    const char *window;         /* name of the latter; or NULL */
    struct proa_finding_call calls[PROA_FINDING_CALLS];
    int is_told; /* the caller reports it itself */
};

/* Called before and after a finding is reported, as the report takes time within the current call.
 * NULL if unused. */
extern PROA_HIDDEN void (*proa_finding_around)(int begins);

/* Adds a finding, or counts it if this process reported it before. */
void proa_finding_add(const struct proa_finding *finding);

/* Counts a finding that this process reported before. Returns 1 if it did; 0 if the caller must add
 * it. Saves the caller its sentences. first, second: return addresses, or NULL. */
int proa_finding_again(const char *id, const void *first, const void *second);

/* Returns a number of this thread, from 1 on. Returns 0 if only one thread calls MPI. */
int proa_finding_thread(void);

/* Adds to the counts of the last line. operations: checked operations. scattered: operations with
 * too many pieces to be checked. dropped: accesses dropped before they were complete. */
void proa_finding_count(uint64_t operations, uint64_t scattered, uint64_t dropped);

/* Adds to the count of accesses that only a value read from memory orders with others. */
void proa_finding_count_by_values(uint64_t accesses);

/* Parts of check mode that this machine has no memory for. The summary names them. */
enum proa_unseen {
    PROA_UNSEEN_WINDOWS = 1,
    PROA_UNSEEN_BUFFERS = 2,
    PROA_UNSEEN_PROCESSES = 4 /* there are no clocks */
};
void proa_finding_unseen(unsigned parts);

/* ---- kept findings, in plain bytes: for findings/summary.c ---- */

struct proa_found_call {
    char call[40];     /* "" if there is none */
    char op[16];       /* "MPI_SUM"; "" if it has none */
    char datatype[64]; /* "" if it is no operation */
    uint64_t count;    /* number of elements */
    struct proa_source place;
    uint32_t outer; /* number of calls around it */
    int32_t rank;   /* in MPI_COMM_WORLD */
    int32_t thread, is_address;
    uint64_t low, high;
};

struct proa_found {
    int32_t verdict, rank; /* rank: first process with the finding, in MPI_COMM_WORLD */
    int32_t ranks;         /* number of ranks with the finding */
    uint64_t count;
    char id[32], rule[256], what[256], remedy[256], window[64];
    struct proa_found_call calls[PROA_FINDING_CALLS];
    struct proa_source *outer; /* the calls around all calls, in their order */
};

/* Returns the calls around one call of the finding. */
const struct proa_source *proa_found_outer(const struct proa_found *found, int call);

/* Returns the number of calls around all calls. */
unsigned proa_found_outers(const struct proa_found *found);

struct proa_checked {
    uint64_t operations, scattered, dropped;
    uint64_t untold;    /* findings beyond the limit, which were not kept */
    uint64_t by_values; /* accesses that only a value orders with others */
    unsigned unseen;    /* parts of enum proa_unseen */
};

/* Copies all findings and the counts. *count: number of findings. The caller frees them. Returns
 * NULL if there are none, or without memory. The copies share the outer calls of the kept
 * findings. */
struct proa_found *proa_finding_all(int *count, struct proa_checked *checked);

/* Frees all findings. */
void proa_finding_forget(void);

#endif
