/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a trace (PROA_TRACE, doc/TRACE.md): one a process, which it maps and writes by plain
 * stores. So all that was recorded survives the process, however it ends. The numbers are in the
 * byte order of the process.
 *
 *   header   PROA_TRACE_HEAD_BYTES: struct proa_trace_head, threads' slots, names of calls
 *   chunks   PROA_TRACE_CHUNK_BYTES each, of one thread each: a CHUNK, its sites, records
 *
 * A record takes four cells of PROA_TRACE_CELL_BYTES, or one if it is BRIEF, TEXT or FILL. It is
 * there once its kind, the last byte of its first cell, is not 0; that is stored last (release).
 * Behind the last record of a chunk all is 0. Records of a thread are in the order of their ends.
 * TEXT records continue the one before them, with PROA_TRACE_TEXT_BYTES bytes each.
 *
 * Programs make few different calls, many times. A site is all of a call but its times, place and
 * rank, which are in its brief record. A chunk knows PROA_TRACE_SITES sites; the first calls in it
 * define them.
 *
 * Times are ticks of a clock that all processes of a node share. Two pairs in the header tell their
 * nanoseconds of CLOCK_MONOTONIC: one from the start, one that is renewed with each chunk.
 */
#ifndef PROA_TRACE_FORMAT_H
#define PROA_TRACE_FORMAT_H

#include "base/atomic.h"

#include <stddef.h>
#include <stdint.h>

#define PROA_TRACE_MAGIC "ProaTrc"

enum {
    PROA_TRACE_VERSION = 3,
    PROA_TRACE_HEAD_BYTES = 16 << 10,
    PROA_TRACE_CHUNK_BYTES = 256 << 10,
    PROA_TRACE_SLOTS = 64,  /* threads that show what they are in */
    PROA_TRACE_CALLS = 128, /* the most numbers of calls */
    PROA_TRACE_NAME_BYTES = 32,
    PROA_TRACE_CELL_BYTES = 16,
    PROA_TRACE_TEXT_BYTES = 15,
    PROA_TRACE_SITES = 128, /* their numbers begin with 1 */
    PROA_TRACE_HOST_BYTES = 64
};

enum proa_trace_kind {
    PROA_TRACE_NOTHING,
    /* rank: number of the thread, from 0 on; value: how manieth chunk of the file; begin: the
     * brief records of the chunk count from here. The sites follow it */
    PROA_TRACE_CHUNK,
    PROA_TRACE_TEXT,
    /* a loaded file of code: place, value: first and last address; end: what to subtract from an
     * address to get the one in the file. TEXT: its path; value2 bytes */
    PROA_TRACE_MODULE,
    /* a window has been created: value: its number, the same on all its processes; rank: of this
     * process; place: size of the group; way: enum proa_flavor; bytes: of this process's part */
    PROA_TRACE_WINDOW,
    PROA_TRACE_NAME,  /* of the window; bytes; TEXT */
    PROA_TRACE_FREED, /* the window has been freed */
    /* the ranks of the next start or post of this thread; rank: how many; TEXT: int32_t each. As
     * long as there is no other GROUP of that call and window the next ones have the same */
    PROA_TRACE_GROUP,
    /* a call of synchronization: rank: the target's, or -1; mode: assertions; value: of a notified
     * wait or a reset 1 + the index of its counter, which has come to `place`; of a fence, and
     * of MPI_Win_set_num_notify, how many of both came before it on the window */
    PROA_TRACE_CALL,
    /* an operation; bytes, rank: target; place: displacement in bytes; value: 1 + the index of a
     * notified operation's counter, or 0; in its upper half the number of its last part that went
     * to another node by a message (APPLIED), or 0. begin == end: too short to time */
    PROA_TRACE_OPERATION,
    /* within the next CALL or OPERATION of the thread; end: of the wait; value: its ns; rank: the
     * one waited for, or -1: several, or unknown */
    PROA_TRACE_WAIT,
    /* at the target: a part of an operation of another node was done in this process's part of the
     * window. rank: of the origin; bytes; place; value: the number of the part among all of that
     * origin here, from 1 on. The network's own puts and gets have none */
    PROA_TRACE_APPLIED,
    /* a message of Proa's to or from another node. rank: the other's; bytes; value: number of the
     * batch, or of a loss the rank that is gone; way: enum proa_wire_kind */
    PROA_TRACE_SENT,
    PROA_TRACE_RECEIVED,
    /* pages were moved to where neighbours map them, or back (way 1); place: first address; bytes
     */
    PROA_TRACE_MOVED,
    /* of check mode: the call at `caller` is wrong, or conflicts with that at `value`; mode: enum
     * proa_verdict. bytes; TEXT: the sentence */
    PROA_TRACE_FINDING,
    /* clocks of nodes: at begin nanoseconds of this process's clock the one of node `value` was at
     * end, give or take `bytes` nanoseconds (between the two, `place` is its process) */
    PROA_TRACE_CLOCK,
    /* a CALL or an OPERATION in one cell (struct proa_trace_brief), which readers expand */
    PROA_TRACE_BRIEF,
    PROA_TRACE_FILL, /* one cell at the end of a chunk, where a record of four has no room */
    PROA_TRACE_KINDS
};

/* Of `mode`: assertions, which have the values of sync/sync.h, and more. */
enum {
    PROA_TRACE_NOCHECK = 1,
    PROA_TRACE_NOSTORE = 2,
    PROA_TRACE_NOPUT = 4,
    PROA_TRACE_NOPRECEDE = 8,
    PROA_TRACE_NOSUCCEED = 16,
    PROA_TRACE_EXCLUSIVE = 32, /* of a lock */
    PROA_TRACE_FAILED = 64     /* the call returned an error */
};

/* Four cells. Fields without a meaning for a kind are 0; rank is -1. */
struct proa_trace_record {
    uint64_t begin;  /* ticks */
    uint32_t window; /* this process's number of it, from 1 on; 0: none */
    uint16_t call;   /* enum proa_call; the header has the names */
    uint8_t epoch;   /* PROA_EPOCH_* towards the target, when the call was over */
    uint8_t kind;    /* enum proa_trace_kind */
    uint64_t end;    /* ticks */
    int32_t rank;    /* in the window's group */
    uint8_t way;     /* enum proa_stats_way, where the kind says nothing else */
    uint8_t mode;
    uint16_t unused;
    uint64_t bytes, place, value;
    uint64_t caller; /* return address of the call; 0: unknown */
};

/* A number of several: where each is, from the lowest bit on. */
enum {
    PROA_TRACE_MODE_AT = 0,
    PROA_TRACE_WAY_AT = 8, /* of a CALL PROA_TRACE_NO_WAY */
    PROA_TRACE_EPOCH_AT = 16,
    PROA_TRACE_CALL_AT = 24,
    PROA_TRACE_WINDOW_AT = 32,
    PROA_TRACE_NO_WAY = 255
};

struct proa_trace_site {
    uint64_t caller, bytes;
    uint64_t what; /* mode, way, epoch, call, window; 0: the site is not defined */
};

/* One cell: a CALL without a place, or an OPERATION without a value. If it names the site of a
 * flush, too, it is an operation by load and store that has not been timed; the flush is the next
 * call of its thread, of its target, and had nothing to wait for. */
struct proa_trace_brief {
    uint32_t since; /* ticks from the beginning of the chunk to its own */
    uint32_t place; /* of a call: its value */
    uint64_t rest;
};

/* `rest`, from the lowest bit on: rank; ticks to its end, or to the flush; site; site of the flush,
 * or 0. The kind is the last byte in either byte order. */
enum {
    PROA_TRACE_LENGTH_BITS = 24,
    PROA_TRACE_RANK_AT = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8,
    PROA_TRACE_LENGTH_AT = PROA_TRACE_RANK_AT + 16,
    PROA_TRACE_SITE_AT = PROA_TRACE_LENGTH_AT + PROA_TRACE_LENGTH_BITS,
    PROA_TRACE_FLUSH_AT = PROA_TRACE_SITE_AT + 8,
    PROA_TRACE_KIND_AT = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 56 : 0
};

/* A TEXT record: one cell. */
struct proa_trace_text {
    char text[PROA_TRACE_TEXT_BYTES];
    uint8_t kind;
};

/* Cells of a record, and of the head of a chunk, which has its sites. */
enum {
    PROA_TRACE_RECORD_CELLS = sizeof(struct proa_trace_record) / PROA_TRACE_CELL_BYTES,
    PROA_TRACE_CHUNK_HEAD_CELLS = PROA_TRACE_RECORD_CELLS + PROA_TRACE_SITES *
                                                                sizeof(struct proa_trace_site) /
                                                                PROA_TRACE_CELL_BYTES
};
_Static_assert(sizeof(struct proa_trace_record) == 64 &&
                   sizeof(struct proa_trace_brief) == PROA_TRACE_CELL_BYTES &&
                   sizeof(struct proa_trace_text) == PROA_TRACE_CELL_BYTES &&
                   PROA_TRACE_SITES * sizeof(struct proa_trace_site) % PROA_TRACE_CELL_BYTES == 0,
               "records and sites take whole cells");
_Static_assert(offsetof(struct proa_trace_record, kind) == PROA_TRACE_CELL_BYTES - 1 &&
                   offsetof(struct proa_trace_text, kind) == PROA_TRACE_CELL_BYTES - 1,
               "the kind is the last byte of the first cell");

struct proa_trace_pair {
    uint64_t ticks;
    int64_t ns;
};

/* A thread as it is now: the call that it is in (since != 0). Written without order: to be shown
 * while the program runs, and after a kill. */
struct proa_trace_slot {
    uint64_t since;   /* ticks; 0: in no call */
    uint64_t caller;  /* of the call that it is in */
    uint64_t dropped; /* records of the thread beyond the limit */
    uint32_t window, call;
    int32_t rank;   /* the target's, or -1 */
    int32_t waited; /* the rank waited for: 1 + rank; 0: none */
    /* 1 + the index of the counter of a notified operation or wait; 0: of none, or of several */
    uint32_t counter;
    uint32_t unused[21];
};
_Static_assert(sizeof(struct proa_trace_slot) == 128, "slots share no line");

struct proa_trace_head {
    char magic[8];
    uint32_t version, head_bytes, chunk_bytes, cell_bytes;
    int32_t rank, size; /* in MPI_COMM_WORLD; -1: there is none */
    int32_t pid;
    uint32_t is_ended; /* MPI has ended in order */
    uint64_t process, node;
    uint64_t limit_bytes;
    uint64_t chunks;        /* taken so far */
    uint64_t dropped;       /* records beyond the limit, of threads without a slot */
    uint64_t dropped_since; /* ticks of the first of them */
    int64_t realtime_ns;    /* when recording began, since 1970 */
    struct proa_trace_pair first, last;
    char host[PROA_TRACE_HOST_BYTES];
    char proa[PROA_TRACE_NAME_BYTES]; /* version of the recorder */
};

/* Where the parts of the header are. */
enum {
    PROA_TRACE_SLOTS_AT = 4096,
    PROA_TRACE_CALLS_AT = PROA_TRACE_SLOTS_AT + PROA_TRACE_SLOTS * 128,
};
_Static_assert(PROA_TRACE_CALLS_AT + PROA_TRACE_CALLS * PROA_TRACE_NAME_BYTES ==
                   PROA_TRACE_HEAD_BYTES,
               "the header is full");

/* Records of all threads beyond the limit; head: with the rest of the header behind it. */
static inline uint64_t proa_trace_dropped(const struct proa_trace_head *head)
{
    const struct proa_trace_slot *slots =
        (const struct proa_trace_slot *)(const void *)((const char *)head + PROA_TRACE_SLOTS_AT);
    uint64_t dropped = proa_atomic_load(&head->dropped, PROA_RELAXED);

    for (int i = 0; i < PROA_TRACE_SLOTS; i++)
        dropped += proa_atomic_load(&slots[i].dropped, PROA_RELAXED);
    return dropped;
}

#endif
