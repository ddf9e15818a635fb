/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened in a run, by its trace: one model behind all forms in which `proa trace` shows it.
 *
 * proa_model_open reads the trace once, for processes, windows and files of code. proa_model_run
 * reads it again, merges the threads of all processes by time, and gives a sink
 *
 *   events   calls and operations with their waits, in the order of their ends
 *   epochs   when they close; those that never do, at the end
 *   arrows   what made what possible, once both ends are known
 *
 * Times are nanoseconds since the start of the trace, on the clock of the first process's node
 * (clock.h). Open epochs, and ends of arrows without the other end, are kept meanwhile.
 */
#ifndef PROA_TRACE_MODEL_H
#define PROA_TRACE_MODEL_H

#include "clock.h"
#include "reader.h"

#include <stddef.h>
#include <stdint.h>

struct proa_model_process {
    int rank, size; /* in MPI_COMM_WORLD; -1: there is none */
    int pid, threads;
    int node;      /* index of clocks.clocks */
    int is_killed; /* it did not end in order */
    uint64_t dropped;
    int64_t dropped_since_ns; /* if dropped */
    int had_room;             /* below the limit: its file could not grow for another reason */
    const char *host;
    int *windows; /* by the process's number, from 1 on: index in the model, or -1 */
    int window_count;
};

struct proa_model_window {
    uint64_t identity;
    char *name;        /* "" if it has none */
    char *shown;       /* the same without control characters (text.h) */
    const char *maker; /* the call that made it */
    int size;
    int known;      /* members with a file */
    int *processes; /* by rank: index; -1: it has no file here */
};

enum proa_event_kind {
    PROA_EVENT_CALL,      /* synchronization */
    PROA_EVENT_OPERATION, /* a call that moves data */
    PROA_EVENT_APPLIED,   /* a part of another node's operation, at its target; rank: its origin */
    PROA_EVENT_MESSAGE,   /* sent (way 0) or received (way 1); call: "batch" or "answer" ... */
    PROA_EVENT_MOVED,     /* pages, to where neighbours map them (way 0), or back (way 1) */
    PROA_EVENT_FINDING    /* of check mode; text; other_place: of the first call */
};

enum proa_epoch_kind {
    PROA_MODEL_FENCE,    /* access and exposure */
    PROA_MODEL_ACCESS,   /* start to complete */
    PROA_MODEL_EXPOSURE, /* post to wait or test */
    PROA_MODEL_LOCK,
    PROA_MODEL_LOCK_ALL,
    PROA_MODEL_EPOCH_KINDS
};

/* Within its call. */
struct proa_model_wait {
    int64_t begin_ns, end_ns;
    int rank; /* in the window; -1: several, or unknown */
};

struct proa_model_event {
    uint64_t id; /* from 1 on, in the order in which they are given */
    enum proa_event_kind kind;
    int process, thread;
    int window; /* -1: none */
    int64_t begin_ns, end_ns;
    const char *call; /* "MPI_Put"; of no call of the program's: a word for it */
    int rank;         /* target, in the window's group; -1: none */
    uint64_t bytes, displacement;
    uint64_t value; /* as in trace/format.h */
    uint64_t part;  /* applied: its number; of an operation: that of its last part; 0: none */
    int counter;    /* of a notified operation or wait: its index; else -1 */
    int way;        /* enum proa_model_way; else see the kind */
    unsigned mode;  /* PROA_TRACE_NOCHECK ... */
    int place;      /* of the call (place.h); -1: unknown */
    int other_place;
    int group_count; /* of a start or post: its ranks */
    const int32_t *group;
    int wait_count;
    const struct proa_model_wait *waits;
    uint64_t epoch;                  /* id of the one that an operation is in; 0: none is known */
    enum proa_epoch_kind epoch_kind; /* of it */
    int is_open;                     /* the process was ended within this call */
    const char *text;                /* of a finding; else NULL */
};

/* As enum proa_stats_way. */
enum proa_model_way {
    PROA_MODEL_STORE,
    PROA_MODEL_STORE_GENERAL,
    PROA_MODEL_KERNEL,
    PROA_MODEL_NETWORK,
    PROA_MODEL_WAYS
};

/* An epoch of one process. */
struct proa_model_epoch {
    uint64_t id; /* from 1 on, in the order of their beginnings */
    enum proa_epoch_kind kind;
    int process, window;
    int rank; /* of a lock: the target; else -1 */
    unsigned mode;
    int64_t begin_ns, end_ns; /* beginning of its first call, end of its last one */
    int64_t opened_ns;        /* end of its first call */
    int64_t closing_ns;       /* beginning of its last call */
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
    PROA_ARROW_UNLOCK,   /* unlock to the lock that it let pass */
    PROA_ARROW_FENCE,    /* the last process's fence to the end of another's */
    PROA_ARROW_NOTIFY,   /* a notified operation to the wait that it ended */
    PROA_ARROW_DATA,     /* an operation to the moment another node applied its last part */
    PROA_ARROW_KINDS
};

struct proa_model_end {
    int process, thread;
    int64_t ns;
    uint64_t event; /* its id */
    int place;
    const char *call;
};

struct proa_model_arrow {
    enum proa_arrow_kind kind;
    int window;
    int target; /* rank whose memory or exposure it is about; -1: all */
    struct proa_model_end from, to;
    int64_t waited_ns; /* by the process at its end, for this */
};

/* Each may be NULL. The arguments are valid during the call only. */
struct proa_model_sink {
    void *user;
    /* the process has made the window; before the thread's later events */
    void (*window)(void *user, int process, int thread, int window, int64_t ns);
    void (*event)(void *user, const struct proa_model_event *event);
    void (*epoch)(void *user, const struct proa_model_epoch *epoch);
    void (*arrow)(void *user, const struct proa_model_arrow *arrow);
    /* now and then: so many of all records have been read */
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
    int64_t end_ns; /* of the last call */
    /* of the run: arrows that go backward, by how much at most, and ends that were given up */
    uint64_t backward, abandoned;
    int64_t backward_most_ns;
};

/* 0, or -1 after a complaint. */
int proa_model_open(struct proa_model *model, const char *folder);
void proa_model_close(struct proa_model *model);

/* Gives everything to the sink. Can be called again. */
void proa_model_run(struct proa_model *model, const struct proa_model_sink *sink);

/* The largest error of a time of that process, in ns: of its node's clock, and of a reading, which
 * the processor does not order with the stores around it. */
int64_t proa_model_error(const struct proa_model *model, int process);

extern const char *const proa_epoch_names[PROA_MODEL_EPOCH_KINDS];
extern const char *const proa_arrow_names[PROA_ARROW_KINDS];
extern const char *const proa_way_names[PROA_MODEL_WAYS];

#endif
