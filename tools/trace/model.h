/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of a run, by its trace: one model for all outputs of `proa trace`.
 *
 * proa_model_open reads the trace once, for processes, windows and files of code. proa_model_run
 * reads it again, merges the threads of all processes by time, and passes to a sink
 *
 *   events   calls and operations with their waits, in the order of their ends
 *   epochs   when they close; those that never do, at the end
 *   arrows   from cause to effect, once both ends are known
 *
 * Times are nanoseconds since the start of the trace, on the clock of the first process's node
 * (clock.h). Open epochs, and ends of arrows without the other end, are stored meanwhile.
 */
#ifndef PROA_TRACE_MODEL_H
#define PROA_TRACE_MODEL_H

#include "clock.h"
#include "reader.h"

#include <stddef.h>
#include <stdint.h>

struct proa_model_process {
    int rank, size; /* in MPI_COMM_WORLD; -1 if there is none */
    int pid, threads;
    int node;      /* index of clocks.clocks */
    int is_killed; /* it did not end regularly */
    uint64_t dropped;
    int64_t dropped_since_ns; /* valid if dropped */
    int had_room; /* true if the file could not grow for another reason, below the limit */
    const char *host;
    int *windows; /* by the process's number of the window, from 1: index in the model, or -1 */
    int window_count;
};

struct proa_model_window {
    uint64_t identity;
    char *name;        /* "" if it has none */
    char *shown;       /* the name without control characters (text.h) */
    const char *maker; /* call that created it */
    int size;
    int known;      /* number of members with a file */
    int *processes; /* by rank: index; -1 if it has no file here */
};

enum proa_event_kind {
    PROA_EVENT_CALL,      /* synchronization */
    PROA_EVENT_OPERATION, /* a call that moves data */
    PROA_EVENT_APPLIED,   /* a part of another node's operation, at its target; rank: origin */
    PROA_EVENT_MESSAGE,   /* sent (way 0) or received (way 1); call: "batch", "answer" ... */
    PROA_EVENT_MOVED,     /* pages moved to where neighbours map them (way 0), or back (way 1) */
    PROA_EVENT_FINDING    /* of check mode; text; other_place: place of the first call */
};

enum proa_epoch_kind {
    PROA_MODEL_FENCE,    /* access and exposure */
    PROA_MODEL_ACCESS,   /* start to complete */
    PROA_MODEL_EXPOSURE, /* post to wait or test */
    PROA_MODEL_LOCK,
    PROA_MODEL_LOCK_ALL,
    PROA_MODEL_EPOCH_KINDS
};

/* A wait within a call. */
struct proa_model_wait {
    int64_t begin_ns, end_ns;
    int rank; /* in the window; -1 if several, or unknown */
};

struct proa_model_event {
    uint64_t id; /* from 1, in the order in which events are passed */
    enum proa_event_kind kind;
    int process, thread;
    int window; /* -1 for none */
    int64_t begin_ns, end_ns;
    const char *call; /* "MPI_Put"; a word for an event that is no call of the program */
    int rank;         /* target, in the window's group; -1 for none */
    uint64_t bytes, displacement;
    uint64_t value; /* as in trace/format.h */
    uint64_t part; /* applied: number of the part; operation: number of its last part; 0 for none */
    int counter;   /* index of the counter of a notified operation or wait; else -1 */
    int way;       /* enum proa_model_way, or as the kind says */
    unsigned mode; /* PROA_TRACE_NOCHECK ... */
    int place;     /* place of the call (place.h); -1 if unknown */
    int other_place;
    int group_count; /* number of ranks of a start or post */
    const int32_t *group;
    int wait_count;
    const struct proa_model_wait *waits;
    uint64_t epoch;                  /* id of the operation's epoch; 0 if unknown */
    enum proa_epoch_kind epoch_kind; /* kind of that epoch */
    int is_open;                     /* the process ended within this call */
    const char *text;                /* text of a finding; else NULL */
};

/* Values as in enum proa_stats_way. */
enum proa_model_way {
    PROA_MODEL_STORE,
    PROA_MODEL_STORE_GENERAL,
    PROA_MODEL_KERNEL,
    PROA_MODEL_NETWORK,
    PROA_MODEL_WAYS
};

/* An epoch of one process. */
struct proa_model_epoch {
    uint64_t id; /* from 1, in the order of their starts */
    enum proa_epoch_kind kind;
    int process, window;
    int rank; /* target of a lock; else -1 */
    unsigned mode;
    int64_t begin_ns, end_ns; /* start of its first call, end of its last one */
    int64_t opened_ns;        /* end of its first call */
    int64_t closing_ns;       /* start of its last call */
    uint64_t operations, bytes;
    int64_t waited_ns; /* in its calls and operations */
    int place, end_place;
    int group_count;
    const int32_t *group;
    int is_open; /* it never ended */
};

enum proa_arrow_kind {
    PROA_ARROW_POST,     /* post to the first access to that target after start */
    PROA_ARROW_COMPLETE, /* complete to wait */
    PROA_ARROW_UNLOCK,   /* unlock to the lock that it allowed */
    PROA_ARROW_FENCE,    /* the last process's fence to the end of another's */
    PROA_ARROW_NOTIFY,   /* a notified operation to the wait that it ended */
    PROA_ARROW_DATA,     /* an operation to the time when another node applied its last part */
    PROA_ARROW_KINDS
};

struct proa_model_end {
    int process, thread;
    int64_t ns;
    uint64_t event; /* id of the event */
    int place;
    const char *call;
};

struct proa_model_arrow {
    enum proa_arrow_kind kind;
    int window;
    int target; /* rank whose memory or exposure it concerns; -1 for all */
    struct proa_model_end from, to;
    int64_t waited_ns; /* time that the process at its end waited for this */
};

/* Callbacks; each may be NULL. Arguments are valid during the call only. */
struct proa_model_sink {
    void *user;
    /* the process created the window; called before the thread's later events */
    void (*window)(void *user, int process, int thread, int window, int64_t ns);
    void (*event)(void *user, const struct proa_model_event *event);
    void (*epoch)(void *user, const struct proa_model_epoch *epoch);
    void (*arrow)(void *user, const struct proa_model_arrow *arrow);
    /* called periodically: this number of all records was read */
    void (*progress)(void *user, uint64_t records, uint64_t all);
};

struct proa_places;

struct proa_model {
    struct proa_reader reader;
    struct proa_clocks clocks;
    int process_count, window_count;
    struct proa_model_process *processes;
    struct proa_model_window *windows;
    struct proa_places *places;
    uint64_t records;
    int64_t end_ns; /* end of the last call */
    /* results of the run: arrows that lead back in time, the largest such distance, and dropped
     * ends */
    uint64_t backward, abandoned;
    int64_t backward_most_ns;
};

/* Returns 0, or -1 after an error message. */
int proa_model_open(struct proa_model *model, const char *folder);
void proa_model_close(struct proa_model *model);

/* Passes everything to the sink. Can be called again. */
void proa_model_run(struct proa_model *model, const struct proa_model_sink *sink);

/* Returns the largest error of a time of that process, nanoseconds. It is the error of its node's
 * clock plus that of a reading, which the processor does not order with the stores around it. */
int64_t proa_model_error(const struct proa_model *model, int process);

extern const char *const proa_epoch_names[PROA_MODEL_EPOCH_KINDS];
extern const char *const proa_arrow_names[PROA_ARROW_KINDS];
extern const char *const proa_way_names[PROA_MODEL_WAYS];

#endif
