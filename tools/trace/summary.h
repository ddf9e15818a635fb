/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of a trace: time in epochs, waits of ranks for each other, and the most expensive
 * waits. */
#ifndef PROA_TRACE_SUMMARY_H
#define PROA_TRACE_SUMMARY_H

#include "model.h"

#include <uthash.h>

/* Epochs of one kind on one window. */
struct proa_sum_epochs {
    uint64_t count, operations, bytes, never_ended;
    int64_t ns, waited_ns;
};

/* Waits of one process for another. */
struct proa_sum_pair {
    struct {
        int waiter, awaited;
    } key;
    uint64_t count;
    int64_t ns;
    UT_hash_handle hh;
};

/* Similar waits: of the calls at one place for those at another. */
struct proa_sum_wait {
    struct {
        int kind; /* enum proa_arrow_kind; PROA_ARROW_KINDS if no call is known */
        int window, place, other_place;
    } key;
    uint64_t count;
    int64_t ns, most_ns;
    int waiter, awaited; /* of the longest wait; awaited: -1 if unknown */
    const char *call, *other_call;
    UT_hash_handle hh;
};

enum { PROA_SUM_RECENT = 64, PROA_SUM_FINDINGS = 100 };

/* The lock of one target. */
struct proa_sum_lock {
    struct {
        int window, rank;
    } key;
    uint64_t count, waited, deepest; /* deepest: most processes ahead of a waiting one */
    int64_t waited_ns, most_ns, held_ns;
    int64_t recent_ns[PROA_SUM_RECENT]; /* times of the last acquisitions: a ring */
    UT_hash_handle hh;
};

struct proa_sum_notify {
    uint64_t count;
    int64_t ns, most_ns, waited_ns;
};

struct proa_sum_count {
    uint64_t count, bytes;
};

/* Traffic of a window other than by calls. */
struct proa_sum_window {
    struct proa_sum_count ways[PROA_MODEL_WAYS]; /* operations, by enum proa_model_way */
    struct proa_sum_count applied;               /* parts of operations of other nodes */
    struct proa_sum_count sent, received;        /* messages */
    struct proa_sum_notify delivered;            /* from an operation to the end of its last part */
    uint64_t findings;
};

/* A finding of check mode. */
struct proa_sum_finding {
    int process, window, place, other_place;
    const char *call;
    char *text;
};

struct proa_summary {
    struct proa_model *model;
    struct proa_sum_epochs *epochs; /* by window, then kind */
    struct proa_sum_window *windows;
    struct proa_sum_count moved[2]; /* to where neighbours map them; and back */
    int finding_count;
    struct proa_sum_finding *findings; /* the first PROA_SUM_FINDINGS */
    struct proa_sum_notify *notify;    /* by window */
    struct proa_sum_pair *pairs;
    struct proa_sum_wait *waits;
    struct proa_sum_lock *locks;
    uint64_t events, arrows[PROA_ARROW_KINDS];
    int64_t *waited_ns; /* all waits, by process */
};

/* Runs the model, and fills in the summary. */
void proa_summary_make(struct proa_summary *summary, struct proa_model *model);
void proa_summary_free(struct proa_summary *summary);

/* Sorts pairs and waits, longest first. */
void proa_summary_sort(struct proa_summary *summary);

/* Returns the change that would have avoided such a wait. */
const char *proa_summary_remedy(const struct proa_sum_wait *wait);

#endif
