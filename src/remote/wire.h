/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format of core's messages on a network, defined in this one place.
 *
 * A message is a head, followed by the data of its kind. Every part is a multiple of
 * PROA_WIRE_UNIT bytes long, and in the byte order of the sender, which a transport ensures to be
 * the receiver's. No field can be trusted: its reader checks it.
 *
 *   BATCH    operations of one origin on one target's window, done in their order; before them a
 *            lock may be requested, or a post waited for; after them the lock may be released
 *   ANSWER   from a target: all batches up to that number are done; with the data they fetched
 *   LOST     from any process: the process of the rank `number` is gone
 *   ROOM     to and from rank 0: about the room `number` of the window (remote/group_lock.h)
 */
#ifndef PROA_REMOTE_WIRE_H
#define PROA_REMOTE_WIRE_H

#include <stdint.h>

enum { PROA_WIRE_VERSION = 2, PROA_WIRE_UNIT = 8 };

enum proa_wire_kind { PROA_WIRE_BATCH = 1, PROA_WIRE_ANSWER, PROA_WIRE_LOST, PROA_WIRE_ROOM };

/* Flags of a batch. */
enum {
    PROA_WIRE_LOCK_SHARED = 1, /* executed once the origin has the lock */
    PROA_WIRE_LOCK_EXCLUSIVE = 2,
    PROA_WIRE_UNLOCK = 4,   /* the lock is released after the batch */
    PROA_WIRE_ANSWERED = 8, /* an answer is wanted */
    PROA_WIRE_HOLDS = 16,   /* the origin holds other locks (sync/lock.h) */
    /* executed once the target has posted to the origin for the access epoch after those whose end
     * the origin has reported; no lock is requested */
    PROA_WIRE_POSTED = 32,
    PROA_WIRE_WAITS = 64, /* the origin has waited for a post: send later posts at once */
    /* requests a shared lock now, ahead of writers that only wait, or not at all; the answer says
     * which */
    PROA_WIRE_LOCK_TRIED = 128
};

/* Flags of an answer. */
enum {
    PROA_WIRE_REFUSED = 1, /* the origin did not get the lock that the batch tried for */
    PROA_WIRE_OTHERS = 2   /* a failed operation fetches nothing, or is of an earlier batch */
};

/* Flags of a ROOM: one of these, and HOLDS. */
enum {
    PROA_WIRE_ROOM_ASK = 1,
    PROA_WIRE_ROOM_GRANT = 2,
    PROA_WIRE_ROOM_RECALL = 4,
    PROA_WIRE_ROOM_BACK = 8
};

struct proa_wire_head {
    uint8_t kind, flags;
    uint16_t version;
    uint32_t rank;   /* of the sender, in the window's group */
    uint64_t window; /* the same number on all processes of the window */
    uint64_t number; /* of the batch, counted by its origin for each target from 1 on */
};

enum proa_wire_code {
    PROA_WIRE_PUT = 1, /* `count` runs of `bytes` bytes, `stride` apart; followed by the bytes */
    PROA_WIRE_GET,     /* the same; the bytes come with the answer */
    /* `count` contiguous elements of `bytes` bytes; followed by the origin's, if there are any,
     * then the one to compare with; the answer may have the target's previous elements */
    PROA_WIRE_COMBINE,
    /* the word of the number `position` (sync/notify.h) has reached the value `count` */
    PROA_WIRE_NOTIFY,
    PROA_WIRE_NUMBER, /* number of the target's notification counters: 8 bytes, with the answer */
    PROA_WIRE_COUNT   /* a struct proa_wire_count: the operation before was a notified one */
};

/* Flags of a PROA_WIRE_COMBINE. */
enum { PROA_WIRE_ORIGIN = 1, PROA_WIRE_RESULT = 2, PROA_WIRE_COMPARE = 4 };

/* Flag of a part of a notified operation: if the part fails, its PROA_WIRE_COUNT counts nothing. */
enum { PROA_WIRE_NOTED = 8 };

struct proa_wire_op {
    uint8_t code, flags;
    uint8_t operation, basic; /* enum proa_operation, enum proa_basic */
    uint32_t bytes;
    uint64_t position; /* in the target's window; in a dynamic one, an address */
    int64_t stride;
    uint64_t count;
    uint64_t total; /* elements of the whole operation, of which this is a part */
};

/* In place of a struct proa_wire_op: counts up the target's counter of that index
 * (sync/counters.h). */
struct proa_wire_count {
    uint8_t code, unused[3];
    uint32_t index;
};

/* Follows the head of an answer. The text comes next, then the marks if there is a code and
 * anything is fetched, then all fetched data, each part padded. The marks are words: bit i % 64 of
 * word i / 64 says that the batch's i-th operation that fetches has failed. */
struct proa_wire_outcome {
    int32_t code; /* of the first operation that failed since the last answer; 0 if none */
    uint32_t text_bytes;
};

enum { PROA_WIRE_MARKS = 64 }; /* marks in a word */

static inline uint64_t proa_wire_mark_bytes(uint64_t fetches)
{
    return (fetches + PROA_WIRE_MARKS - 1) / PROA_WIRE_MARKS * sizeof(uint64_t);
}

static inline uint64_t proa_wire_padded(uint64_t bytes)
{
    return (bytes + PROA_WIRE_UNIT - 1) / PROA_WIRE_UNIT * PROA_WIRE_UNIT;
}

#endif
