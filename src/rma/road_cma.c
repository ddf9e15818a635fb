/* SPDX-License-Identifier: BSD-3-Clause */
/* The road through the kernel (shm/cma.h), to a neighbour's memory that is not mapped here. Its
 * key is its address. See road.h. */
#include "base/atomic.h"
#include "base/fail.h"
#include "shm/cma.h"
#include "rma/combine.h"
#include "rma/road.h"

#include <stdlib.h>

/* The kernel looks up each page again; four lookups take as long as the system call itself. */
enum { FOUR_PAGES = 4 * 4096 };

/* The owner decides by this count whether to move its memory (adopt/policy.h). */
static void tell_owner(const struct proa_win *win, int rank, uint64_t bytes)
{
    struct proa_win_ctl *ctl = win->targets[rank].ctl;

    if (ctl)
        proa_atomic_fetch_add(&ctl->through_kernel, 1 + bytes / FOUR_PAGES, PROA_RELAXED);
}

/* ---- put and get ---- */

static int move(struct proa_carry *carry, const struct proa_span *span, const struct proa_runs *all)
{
    struct proa_runs runs = *all;
    int error = PROA_OK;

    tell_owner(carry->win, carry->rank, proa_runs_total(all));
    if (carry->batch.peer != span->owner) {
        error = proa_carry_end(carry);
        proa_cma_begin(&carry->batch, span->owner, carry->put);
    }
    for (; runs.count && !error; proa_runs_skip(&runs, 1)) {
        struct proa_runs run = proa_runs_row(&runs, 1);

        error =
            proa_cma_add(&carry->batch, run.origin, proa_span_key(span, run.position), run.count);
    }
    return error;
}

/* ---- accumulates ---- */

/* Writes value and index of each pair, in few system calls. Padding is not written, as it may have
 * changed since it was read. */
static int write_fields(const struct proa_elements *c, struct proa_peer *peer, uint64_t at,
                        char *copy)
{
    struct proa_cma_batch batch;
    size_t value, index, index_at;
    int error = PROA_OK;

    proa_basic_pair(c->basic, &value, &index, &index_at);
    proa_cma_begin(&batch, peer, 1);
    for (uint64_t i = 0; i < c->count && !error; i++, at += c->bytes, copy += c->bytes) {
        error = proa_cma_add(&batch, copy, at, index_at == value ? value + index : value);
        if (!error && index_at != value)
            error = proa_cma_add(&batch, copy + index_at, at + index_at, index);
    }
    return error ? error : proa_cma_end(&batch);
}

static int apply_to_copy(const struct proa_elements *c, struct proa_peer *peer, uint64_t at,
                         char *copy)
{
    int error = proa_cma_read(peer, at, copy, c->count * c->bytes - proa_padding_of(c->basic));

    if (error)
        return error;
    proa_apply(c, copy);
    if (c->operation == PROA_OP_NO_OP)
        return PROA_OK;
    return proa_is_padded(c->basic) ? write_fields(c, peer, at, copy)
                                    : proa_cma_write(peer, at, copy, c->count * c->bytes);
}

/* Applies the first run: reads it, changes the copy and writes it back, in pieces of `room`
 * bytes. */
static int apply_run(struct proa_combine *c, const struct proa_span *span,
                     const struct proa_runs *runs, char *copy, uint64_t room)
{
    struct proa_runs row = proa_runs_row(runs, c->run.bytes);
    const uint64_t most = room / row.bytes;
    int error = PROA_OK;

    while (row.count && !error) {
        struct proa_runs part = proa_runs_joined(&row, row.count < most ? row.count : most);

        proa_runs_first(&part, &c->run);
        error = apply_to_copy(&c->run, span->owner, proa_span_key(span, part.position), copy);
        proa_runs_skip(&row, c->run.count);
    }
    return error;
}

/* ---- several runs ---- */

/* The kernel takes as long for another run as for reading an unneeded page. */
enum { GAP = 4096 };

/* Reads ascending runs, and the bytes between those that are close together. The first run is at
 * the start of the copy. */
static int read_close(struct proa_peer *owner, uint64_t key, const struct proa_runs *all,
                      char *copy)
{
    struct proa_runs runs = *all;
    struct proa_cma_batch batch;
    uint64_t start = key + (uint64_t)proa_runs_low(all), from = start, end = start;
    int error = PROA_OK;

    proa_cma_begin(&batch, owner, 0);
    for (; runs.count && !error; proa_runs_skip(&runs, 1)) {
        uint64_t at = key + (runs.position - all->position) + (uint64_t)proa_runs_offset(&runs);

        if (at - end > GAP) {
            error = proa_cma_add(&batch, copy + (from - start), from, end - from);
            from = at;
        }
        end = at + proa_runs_bytes(&runs);
    }
    if (!error)
        error = proa_cma_add(&batch, copy + (from - start), from, end - from);
    return error ? error : proa_cma_end(&batch);
}

/* Writes only the runs. */
static int write_each(struct proa_peer *owner, uint64_t key, const struct proa_runs *all,
                      char *copy)
{
    struct proa_runs runs = *all;
    struct proa_cma_batch batch;
    uint64_t start = (uint64_t)proa_runs_low(all);
    int error = PROA_OK;

    proa_cma_begin(&batch, owner, 1);
    for (; runs.count && !error; proa_runs_skip(&runs, 1)) {
        uint64_t at = runs.position - all->position + (uint64_t)proa_runs_offset(&runs);

        error = proa_cma_add(&batch, copy + (at - start), key + at, proa_runs_bytes(&runs));
    }
    return error ? error : proa_cma_end(&batch);
}

/* Applies the runs in a copy of all bytes that they span, which few system calls read and write
 * back. */
static int apply_together(struct proa_combine *c, const struct proa_span *span,
                          const struct proa_runs *runs, char *copy)
{
    const uint64_t key = proa_span_key(span, runs->position);
    const int64_t low = proa_runs_low(runs);
    int error = proa_runs_ascend(runs) ? read_close(span->owner, key, runs, copy)
                                       : proa_cma_read(span->owner, key + (uint64_t)low, copy,
                                                       (uint64_t)(proa_runs_high(runs) - low));

    if (error)
        return error;
    proa_runs_apply(&c->run, runs, proa_at(copy, -low));
    return c->run.operation == PROA_OP_NO_OP ? PROA_OK : write_each(span->owner, key, runs, copy);
}

/* Applies the bytes of several stripes at a time, to save system calls. */
static int apply(struct proa_combine *c, const struct proa_span *span, const struct proa_runs *all)
{
    const uint64_t reaches = (uint64_t)(proa_runs_high(all) - proa_runs_low(all)),
                   most = PROA_GUARD_AT_ONCE + c->run.bytes, room = reaches < most ? reaches : most;
    struct proa_runs runs = *all, part;
    char *copy = malloc(room);
    int error = PROA_OK;

    if (!copy)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a copy of %llu bytes",
                         (unsigned long long)room);
    tell_owner(c->win, c->rank, reaches);
    for (; runs.count && !error; proa_runs_skip(&runs, part.count)) {
        part = runs;
        part.count = runs.count == 1 ? 0 : proa_runs_within(&runs, room);
        if (part.count) {
            error = apply_together(c, span, &part, copy);
        } else {
            error = apply_run(c, span, &runs, copy, room);
            part.count = 1;
        }
    }
    free(copy);
    return error;
}

const struct proa_road proa_road_cma = {.move = move, .apply = apply};
