/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of a trace: time in epochs, which rank waited for which, and the waits that cost
 * most. */
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

/* Alike waits: of the calls at one place for those at another. */
struct proa_sum_wait {
    struct {
        int kind; /* enum proa_arrow_kind; PROA_ARROW_KINDS: for no call that is known */
        int window, place, other_place;
    } key;
    uint64_t count;
    int64_t ns, most_ns;
    int waiter, awaited; /* of the longest; awaited -1: unknown */
    const char *call, *other_call;
    UT_hash_handle hh;
};

enum { PROA_SUM_RECENT = 64, PROA_SUM_FINDINGS = 100 };

/* The lock of one target. */
struct proa_sum_lock {
    struct {
        int window, rank;
    } key;
    uint64_t count, waited, deepest; /* processes ahead of one that waited */
    int64_t waited_ns, most_ns, held_ns;
    int64_t recent_ns[PROA_SUM_RECENT]; /* when the last ones were taken: a ring */
    UT_hash_handle hh;
};

struct proa_sum_notify {
    uint64_t count;
    int64_t ns, most_ns, waited_ns;
};

struct proa_sum_count {
    uint64_t count, bytes;
};

/* What a window had by other ways than calls. */
struct proa_sum_window {
    struct proa_sum_count ways[PROA_MODEL_WAYS]; /* operations, by enum proa_model_way */
    struct proa_sum_count applied;               /* parts of operations of other nodes */
    struct proa_sum_count sent, received;        /* messages */
    struct proa_sum_notify delivered;            /* from an operation to its last part's end */
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
    struct proa_sum_count moved[2]; /* to where neighbours map them; back */
    int finding_count;
    struct proa_sum_finding *findings; /* the first PROA_SUM_FINDINGS */
    struct proa_sum_notify *notify;    /* by window */
    struct proa_sum_pair *pairs;
    struct proa_sum_wait *waits;
    struct proa_sum_lock *locks;
    uint64_t events, arrows[PROA_ARROW_KINDS];
    int64_t *waited_ns; /* by process, all waits */
};

/* Runs the model. */
void proa_summary_make(struct proa_summary *summary, struct proa_model *model);
void proa_summary_free(struct proa_summary *summary);

/* Sorts pairs and waits, the longest first. */
void proa_summary_sort(struct proa_summary *summary);

/* The change that would have avoided such a wait. */
const char *proa_summary_remedy(const struct proa_sum_wait *wait);

#endif
