/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzer of core's messages (src/remote/wire.h): batches, answers and word of lost processes, of
 * any bytes, given to a window of which some ranks are on other nodes (far.h). For any input,
 * nothing outside of the window is written, and a call that waits comes back. README.md has the
 * format of the input. */
#include "far.h"
#include "base/fail.h"
#include "rma/op.h"
#include "remote/window.h"
#include "sync/sync.h"
#include "remote/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The input's first byte; in the two lowest bits the flavor, 3: as 0. */
enum { FLAVOR = 3, HAS_WANTED = 4, HOLDS_LOCK = 8 };

/* Of a message's first byte; its kind, as in wire.h, is in the two lowest bits, 0: as it is. */
enum {
    KIND = 3,
    OTHER_NUMBER = 8,
    OTHER_SENDER = 16,
    OTHER_RANK = 32,
    RELATIVE = 64,
    LIKELY = 128
};

enum { HOW, FLAGS, LENGTH, BODY }; /* of a message in the input */

enum { WANTED = 4, LIKELY_BYTES = 64, LIKELY_COUNT = 70 };

/* The rest of the input. */
static const uint8_t *input;
static size_t left;

/* ---- a message ---- */

static uint64_t clamp(uint64_t value, uint64_t most)
{
    return value % (most + 1);
}

/* Messages as of an origin, more or less: operations of small numbers in a row. */
static void make_likely(char *body, size_t bytes)
{
    struct proa_wire_op op;

    while (bytes >= sizeof op) {
        uint64_t data = 0;

        memcpy(&op, body, sizeof op);
        op.code = (uint8_t)clamp(op.code, PROA_WIRE_NOTIFY);
        op.basic = (uint8_t)clamp(op.basic, PROA_BASIC_COUNT);
        op.operation = (uint8_t)clamp(op.operation, PROA_OP_COUNT);
        op.bytes = op.code == PROA_WIRE_COMBINE && op.basic < PROA_BASIC_COUNT
                       ? (uint32_t)proa_basic_bytes((enum proa_basic)op.basic)
                       : (uint32_t)clamp(op.bytes, LIKELY_BYTES);
        op.position = clamp(op.position, FAR_BYTES + LIKELY_BYTES);
        op.stride = (int64_t)clamp((uint64_t)op.stride, 2ULL * LIKELY_BYTES) - LIKELY_BYTES;
        op.count = clamp(op.count, LIKELY_COUNT);
        memcpy(body, &op, sizeof op);
        body += sizeof op;
        bytes -= sizeof op;
        if (op.code == PROA_WIRE_PUT ||
            (op.code == PROA_WIRE_COMBINE && op.flags & PROA_WIRE_ORIGIN))
            data = proa_wire_padded(op.bytes * op.count);
        if (data > bytes)
            return;
        body += data;
        bytes -= data;
    }
}

/* Its first operation's position counts from the start of the window's memory. */
static void make_relative(char *body, size_t bytes)
{
    struct proa_wire_op op;

    if (bytes < sizeof op)
        return;
    memcpy(&op, body, sizeof op);
    op.position += (uint64_t)(uintptr_t)far_memory();
    memcpy(body, &op, sizeof op);
}

static uint64_t good_number(const struct proa_win *win, int rank, uint8_t kind)
{
    if (kind == PROA_WIRE_ANSWER)
        return proa_remote_of(win, rank) ? proa_remote_of(win, rank)->flight.sent : 0;
    return kind == PROA_WIRE_BATCH ? far_batches(rank) + 1 : FAR_QUIET;
}

/* As its sender may have chosen. */
static int next(const struct proa_win *win, char *whole, size_t *bytes, int *sender)
{
    struct proa_wire_head head = {.version = PROA_WIRE_VERSION,
                                  .window = win->remote_window->number};
    size_t at, count;
    uint8_t how;

    if (left < BODY)
        return 0;
    how = input[HOW];
    *sender = how & OTHER_SENDER ? FAR_QUIET : FAR_EVIL;
    head.kind = how & KIND;
    head.flags = input[FLAGS];
    head.rank = (uint32_t)(how & OTHER_RANK ? input[FLAGS] : *sender);
    head.number = how & OTHER_NUMBER ? input[FLAGS] : good_number(win, *sender, head.kind);
    at = head.kind ? sizeof head : 0;
    count = (size_t)input[LENGTH] * PROA_WIRE_UNIT;
    count = count < left - BODY ? count : left - BODY;
    memcpy(whole, &head, at);
    memcpy(whole + at, input + BODY, count);
    if (how & LIKELY && head.kind == PROA_WIRE_BATCH)
        make_likely(whole + at, count);
    if (how & RELATIVE && head.kind == PROA_WIRE_BATCH)
        make_relative(whole + at, count);
    *bytes = at + count;
    input += BODY + count;
    left -= BODY + count;
    return 1;
}

/* ---- the program ---- */

/* Gets words from the evil rank, which answers as it likes. */
static void want(struct proa_win *win)
{
    static struct proa_type word;
    int64_t results[WANTED] = {0}, one = 1;

    MUST(word.size || proa_type_basic(PROA_I64, &word) == PROA_OK);
    MUST(proa_win_lock(win, FAR_EVIL, 0, 0) == PROA_OK);
    for (int i = 0; i < WANTED; i++) {
        struct proa_buffer result = {&results[i], 1, &word};
        struct proa_there there = {FAR_EVIL, 8 * (int64_t)i, 1, &word, PROA_CALL_Get};

        MUST((i % 2 ? proa_get(win, &result, &there)
                    : proa_fetch_and_op(win, &one, &results[i], &there, PROA_OP_SUM)) == PROA_OK);
    }
    proa_win_flush(win, FAR_EVIL);
    proa_win_unlock(win, FAR_EVIL);
}

static void run(struct proa_win *win, int choices)
{
    if (choices & HOLDS_LOCK)
        MUST(proa_win_lock(win, FAR_OURS, 1, 0) == PROA_OK);
    if (choices & HAS_WANTED)
        want(win);
    far_drive();
    if (choices & HOLDS_LOCK)
        MUST(proa_win_unlock(win, FAR_OURS) == PROA_OK);
    far_drive(); /* requests that have waited for the lock */
    far_drive();
    MUST(far_is_lost(FAR_EVIL) && far_is_lost(FAR_QUIET));
    /* it is free again */
    MUST(proa_win_lock(win, FAR_OURS, 1, 0) == PROA_OK);
    MUST(proa_win_unlock(win, FAR_OURS) == PROA_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const enum proa_flavor flavors[] = {PROA_FLAVOR_CREATE, PROA_FLAVOR_ALLOCATE,
                                               PROA_FLAVOR_DYNAMIC, PROA_FLAVOR_CREATE};
    int choices = size ? bytes[0] : 0;
    struct proa_win *win;

    input = bytes + 1;
    left = size ? size - 1 : 0;
    win = far_open(flavors[choices & FLAVOR], next);
    run(win, choices);
    far_close(win);
    return 0;
}
