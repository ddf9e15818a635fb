/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a trace (PROA_TRACE, doc/TRACE.md): one per process, which maps it and writes by
 * plain stores. So all records survive the process, however it ends. Numbers are in the byte order
 * of the process.
 *
 *   header   PROA_TRACE_HEAD_BYTES: struct proa_trace_head, threads' slots, names of calls
 *   chunks   PROA_TRACE_CHUNK_BYTES each, of one thread each: a CHUNK, its sites, records
 *
 * A record takes four cells of PROA_TRACE_CELL_BYTES, or one if it is BRIEF, TEXT or FILL. It is
 * valid once its kind, the last byte of its first cell, is not 0; that is stored last (release).
 * The rest of a chunk after its last record is 0. Records of a thread are in the order of their
 * ends. TEXT records continue the preceding one, with PROA_TRACE_TEXT_BYTES bytes each.
 *
 * Programs make few different calls, many times. A site is a call without its times, place and
 * rank, which are in its brief record. A chunk has room for PROA_TRACE_SITES sites; the first calls
 * in it define them.
 *
 * Times are ticks of a clock that all processes of a node share. Two pairs in the header map ticks
 * to nanoseconds of CLOCK_MONOTONIC: one from the start, and one that is renewed with each chunk.
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
    PROA_TRACE_SLOTS = 64,  /* threads that show their current call */
    PROA_TRACE_CALLS = 128, /* limit of the numbers of calls */
    PROA_TRACE_NAME_BYTES = 32,
    PROA_TRACE_CELL_BYTES = 16,
    PROA_TRACE_TEXT_BYTES = 15,
    PROA_TRACE_SITES = 128, /* numbers of sites start at 1 */
    PROA_TRACE_HOST_BYTES = 64
};

enum proa_trace_kind {
    PROA_TRACE_NOTHING,
    /* rank: number of the thread, from 0; value: number of the chunk in the file; begin: base of
     * the times of the chunk's brief records. The sites follow it */
    PROA_TRACE_CHUNK,
    PROA_TRACE_TEXT,
    /* a loaded file of code: place, value: first and last address; end: number to subtract from an
     * address to get the one in the file. TEXT: its path; value2 bytes */
    PROA_TRACE_MODULE,
    /* a window was created: value: its number, equal on all its processes; rank: of this process;
     * place: size of the group; way: enum proa_flavor; bytes: size of this process's part */
    PROA_TRACE_WINDOW,
    PROA_TRACE_NAME,  /* name of the window; bytes; TEXT */
    PROA_TRACE_FREED, /* the window was freed */
    /* the ranks of the next start or post of this thread; rank: number of ranks; TEXT: int32_t
     * each. Further calls on the window have the same ranks until the next GROUP of that call */
    PROA_TRACE_GROUP,
    /* a synchronization call: rank: target, or -1; mode: assertions; value: of a notified wait or a
     * reset 1 + the index of its counter, whose count is `place`; of a fence, and of
     * MPI_Win_set_num_notify, the number of both before it on the window */
    PROA_TRACE_CALL,
    /* an operation; bytes, rank: target; place: displacement in bytes; value: 1 + the index of a
     * notified operation's counter, or 0; in its upper half the number of its last part that was
     * sent to another node by a message (APPLIED), or 0. begin == end: too short to time */
    PROA_TRACE_OPERATION,
    /* within the next CALL or OPERATION of the thread; end: of the wait; value: its ns; rank: the
     * awaited one, or -1 if several or unknown */
    PROA_TRACE_WAIT,
    /* at the target: a part of an operation of another node was applied in this process's part of
     * the window. rank: origin; bytes; place; value: number of the part among all parts of that
     * origin here, from 1. The network's own puts and gets have none */
    PROA_TRACE_APPLIED,
    /* a message of Proa to or from another node. rank: the other's; bytes; value: number of the
     * batch, or for a loss the failed rank; way: enum proa_wire_kind */
    PROA_TRACE_SENT,
    PROA_TRACE_RECEIVED,
    /* pages were moved to where neighbours map them, or back (way 1); place: first address;
     * bytes */
    PROA_TRACE_MOVED,
    /* of check mode: the call at `caller` is wrong, or conflicts with the one at `value`; mode:
     * enum proa_verdict. bytes; TEXT: the sentence */
    PROA_TRACE_FINDING,
    /* clocks of nodes: when this process's clock was at begin nanoseconds, the clock of node
     * `value` was at end, within `bytes` nanoseconds (between the two, `place` is its process) */
    PROA_TRACE_CLOCK,
    /* a CALL or an OPERATION in one cell (struct proa_trace_brief), which readers expand */
    PROA_TRACE_BRIEF,
    PROA_TRACE_FILL, /* one cell at the end of a chunk that has no room for a record of four */
    PROA_TRACE_KINDS
};

/* Bits of `mode`: assertions, with the values of sync/sync.h, and others. */
enum {
    PROA_TRACE_NOCHECK = 1,
    PROA_TRACE_NOSTORE = 2,
    PROA_TRACE_NOPUT = 4,
    PROA_TRACE_NOPRECEDE = 8,
    PROA_TRACE_NOSUCCEED = 16,
    PROA_TRACE_EXCLUSIVE = 32, /* an exclusive lock */
    PROA_TRACE_FAILED = 64     /* the call returned an error */
};

/* Four cells. Fields without a meaning for a kind are 0; rank is -1. */
struct proa_trace_record {
    uint64_t begin;  /* ticks */
    uint32_t window; /* this process's number of the window, from 1; 0 for none */
    uint16_t call;   /* enum proa_call; the header has the names */
    uint8_t epoch;   /* PROA_EPOCH_* towards the target, when the call returned */
    uint8_t kind;    /* enum proa_trace_kind */
    uint64_t end;    /* ticks */
    int32_t rank;    /* in the group of the window */
    uint8_t way;     /* enum proa_stats_way, unless the kind defines it */
    uint8_t mode;
    uint16_t unused;
    uint64_t bytes, place, value;
    uint64_t caller; /* return address of the call; 0 if unknown */
};

/* Several numbers in one word: the lowest bit of each. */
enum {
    PROA_TRACE_MODE_AT = 0,
    PROA_TRACE_WAY_AT = 8, /* PROA_TRACE_NO_WAY for a CALL */
    PROA_TRACE_EPOCH_AT = 16,
    PROA_TRACE_CALL_AT = 24,
    PROA_TRACE_WINDOW_AT = 32,
    PROA_TRACE_NO_WAY = 255
};

struct proa_trace_site {
    uint64_t caller, bytes;
    uint64_t what; /* mode, way, epoch, call, window; 0 if the site is not defined */
};

/* One cell: a CALL without a place, or an OPERATION without a value. If it names the site of a
 * flush as well, it is an operation by load and store that was not timed. The flush is the next
 * call of its thread, on the same target, and had nothing to wait for. */
struct proa_trace_brief {
    uint32_t since; /* ticks from the base of the chunk to its start */
    uint32_t place; /* for a call: its value */
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

/* Cells of a record, and of the head of a chunk, including its sites. */
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

/* Current state of a thread: the call that it is in (since != 0). Written without order: displayed
 * while the program runs, and after a kill. */
struct proa_trace_slot {
    uint64_t since;   /* ticks at the start of the call; 0 for no call */
    uint64_t caller;  /* return address of the call */
    uint64_t dropped; /* dropped records of the thread, beyond the limit */
    uint32_t window, call;
    int32_t rank;   /* target, or -1 */
    int32_t waited; /* 1 + the awaited rank; 0 for none */
    /* 1 + the index of the counter of a notified operation or wait; 0 for none, or several */
    uint32_t counter;
    uint32_t unused[21];
};
_Static_assert(sizeof(struct proa_trace_slot) == 128, "slots share no line");

struct proa_trace_head {
    char magic[8];
    uint32_t version, head_bytes, chunk_bytes, cell_bytes;
    int32_t rank, size; /* in MPI_COMM_WORLD; -1 if there is none */
    int32_t pid;
    uint32_t is_ended; /* MPI ended regularly */
    uint64_t process, node;
    uint64_t limit_bytes;
    uint64_t chunks;        /* number of chunks so far */
    uint64_t dropped;       /* dropped records of threads without a slot, beyond the limit */
    uint64_t dropped_since; /* ticks of the first dropped record */
    int64_t realtime_ns;    /* start of recording, since 1970 */
    struct proa_trace_pair first, last;
    char host[PROA_TRACE_HOST_BYTES];
    char proa[PROA_TRACE_NAME_BYTES]; /* version of Proa */
};

/* Offsets of the parts of the header. */
enum {
    PROA_TRACE_SLOTS_AT = 4096,
    PROA_TRACE_CALLS_AT = PROA_TRACE_SLOTS_AT + PROA_TRACE_SLOTS * 128,
};
_Static_assert(PROA_TRACE_CALLS_AT + PROA_TRACE_CALLS * PROA_TRACE_NAME_BYTES ==
                   PROA_TRACE_HEAD_BYTES,
               "the header is full");

/* Returns the number of dropped records of all threads. head: followed by the rest of the
 * header. */
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
