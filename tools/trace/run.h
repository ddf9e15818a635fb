/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of the model (model.h): the parts that its files share.
 *
 *   run.c      merges the records of all threads into events
 *   epochs.c   follows what each process has open
 *   arrows.c   finds the other ends of posts, completes and fences
 *   locks.c    finds the unlock that let a lock pass
 *   deliveries.c    finds where operations and notifications arrived */
#ifndef PROA_TRACE_RUN_H
#define PROA_TRACE_RUN_H

#include "model.h"

#include <uthash.h>

/* The effect of a call on epochs. */
enum proa_role {
    PROA_ROLE_OTHER,
    PROA_ROLE_FENCE,
    PROA_ROLE_START,
    PROA_ROLE_COMPLETE,
    PROA_ROLE_POST,
    PROA_ROLE_WAIT, /* or a successful test */
    PROA_ROLE_LOCK,
    PROA_ROLE_UNLOCK,
    PROA_ROLE_LOCK_ALL,
    PROA_ROLE_UNLOCK_ALL,
    PROA_ROLE_FLUSH, /* not one of local completion */
    PROA_ROLE_NOTIFY_WAIT,
    PROA_ROLE_NOTIFY_RESET,
    PROA_ROLE_NOTIFY_RENUMBER,
    PROA_ROLE_FREE
};

enum proa_role proa_role_of(const char *call);

/* The first access to a target of a start, by its rank's index in the group. */
struct proa_access {
    struct proa_model_end end; /* ns 0 and event 0 if there is none yet */
    int64_t waited_ns;
};

/* An open epoch. */
struct proa_open {
    struct proa_model_epoch epoch;
    struct proa_access *accesses; /* of a start: by index in the group */
    struct proa_open *prev, *next;
};

/* The open epochs of one process on one window. */
struct proa_side {
    struct proa_open *fence, *access, *exposure, *lock_all, *locks;
    int32_t *started, *posted; /* the last groups */
    int started_count, posted_count;
    uint64_t renumbered; /* number of returns from MPI_Win_set_num_notify */
};

struct proa_arrows;
struct proa_locks;
struct proa_deliveries;

struct proa_run {
    struct proa_model *model;
    const struct proa_model_sink *sink;
    struct proa_side **sides; /* by process, then window */
    struct proa_arrows *arrows;
    struct proa_locks *locks;
    struct proa_deliveries *deliveries;
    uint64_t events, epochs;
};

struct proa_side *proa_run_side(struct proa_run *run, int process, int window);

/* Returns the sum of the event's waits for that rank. rank: < 0 for all. */
int64_t proa_waited(const struct proa_model_event *event, int rank);

/* ---- epochs.c ---- */

/* Called before the event is passed to the sink: sets its epoch. group: ranks of a start or post,
 * allocated and taken over, or NULL for the last group. */
void proa_epochs_before(struct proa_run *run, struct proa_model_event *event, enum proa_role role,
                        int32_t *group, int group_count);
/* Called after the event was passed to the sink. */
void proa_epochs_after(struct proa_run *run, const struct proa_model_event *event,
                       enum proa_role role);
/* Passes the epochs that are still open to the sink. */
void proa_epochs_end(struct proa_run *run);

/* ---- arrows.c ---- */

struct proa_arrows *proa_arrows_new(void);
void proa_arrows_free(struct proa_run *run);

void proa_arrows_post(struct proa_run *run, const struct proa_model_event *post,
                      const int32_t *group, int count);
/* A complete: adds the accesses that started its epoch, and the complete itself. */
void proa_arrows_complete(struct proa_run *run, const struct proa_open *access,
                          const struct proa_model_event *complete);
void proa_arrows_wait(struct proa_run *run, const struct proa_open *exposure,
                      const struct proa_model_event *wait);
void proa_arrows_fence(struct proa_run *run, const struct proa_model_event *fence);

/* ---- locks.c ---- */

struct proa_locks *proa_locks_new(void);
void proa_locks_lock(struct proa_run *run, const struct proa_model_event *lock);
void proa_locks_unlock(struct proa_run *run, const struct proa_model_event *unlock);
void proa_locks_flush(struct proa_run *run, const struct proa_model_event *flush);
void proa_locks_applied(struct proa_run *run, const struct proa_model_event *applied);
/* Passes the remaining arrows to the sink, and frees all state. */
void proa_locks_end(struct proa_run *run);

/* ---- deliveries.c ---- */

struct proa_deliveries *proa_deliveries_new(void);
void proa_deliveries_free(struct proa_run *run);

/* An operation whose last part was sent to another node by a message; and a part applied there. */
void proa_deliveries_sent(struct proa_run *run, const struct proa_model_event *operation);
void proa_deliveries_applied(struct proa_run *run, const struct proa_model_event *applied);

/* A notified operation; a wait for its counter, or a call that reset the counter; and a call that
 * recreated all counters of its process. */
void proa_deliveries_notified(struct proa_run *run, const struct proa_model_event *operation);
void proa_deliveries_wait(struct proa_run *run, const struct proa_model_event *wait, int is_reset);
void proa_deliveries_renumber(struct proa_run *run, const struct proa_model_event *call);

#endif
