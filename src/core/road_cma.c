/* SPDX-License-Identifier: BSD-3-Clause */
/* The road through the kernel (core/cma.h), to a neighbour's memory that is not mapped here. Its
 * key is its address. See road.h. */
#include "base/fail.h"
#include "core/cma.h"
#include "core/combine.h"
#include "core/road.h"

#include <stdlib.h>

/* Its owner learns by it whether its memory had better move (core/worth.h). The kernel looks up
 * each page anew: four of them take as long as getting there. */
static void tell_owner(const struct proa_win *win, int rank, uint64_t bytes)
{
    struct proa_win_ctl *ctl = win->targets[rank].ctl;

    if (ctl)
        __atomic_fetch_add(&ctl->through_kernel, 1 + bytes / (4 * 4096), __ATOMIC_RELAXED);
}

/* ---- put and get ---- */

static int move(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *runs)
{
    uint64_t key = proa_span_key(span, runs->position);
    int error = PROA_OK;

    tell_owner(carry->win, carry->rank, runs->count * runs->bytes);
    if (carry->batch.peer != span->owner) {
        error = proa_cma_end(&carry->batch);
        proa_cma_begin(&carry->batch, span->owner, carry->put);
    }
    for (uint64_t i = 0; i < runs->count && !error; i++)
        error = proa_cma_add(&carry->batch, proa_at(runs->origin, (int64_t)i * runs->origin_stride),
                             key + (uint64_t)((int64_t)i * runs->stride), runs->bytes);
    return error;
}

static int settle(struct proa_carry *carry)
{
    return proa_cma_end(&carry->batch);
}

/* ---- accumulates ---- */

/* Room for a piece of a neighbour's memory: on the stack where it is short, as a user's thread may
 * have little. */
struct piece {
    char *copy;
    uint64_t bytes;
    char few[512];
};

static int piece_room(struct piece *piece, uint64_t bytes)
{
    piece->bytes = bytes < PROA_GUARD_AT_ONCE ? bytes : PROA_GUARD_AT_ONCE;
    piece->copy = bytes <= sizeof piece->few ? piece->few : malloc(piece->bytes);
    return piece->copy ? PROA_OK
                       : proa_fail(PROA_ERR_NO_MEM, "no memory for a copy of %llu bytes",
                                   (unsigned long long)piece->bytes);
}

/* Value and index of each pair, in few system calls; its padding is not written, as it may have
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

/* Reads, changes here and writes back, in pieces. Whoever may disturb is kept out by the caller. */
static int apply_by_cma(const struct proa_elements *run, struct proa_peer *owner, uint64_t at)
{
    struct proa_elements c = *run;
    struct piece piece;
    int error = piece_room(&piece, c.count * c.bytes);

    for (uint64_t done = 0; done < run->count && !error;
         done += c.count, proa_elements_advance(&c, c.count)) {
        c.count =
            run->count - done < piece.bytes / c.bytes ? run->count - done : piece.bytes / c.bytes;
        error = apply_to_copy(&c, owner, at + done * c.bytes, piece.copy);
    }
    if (piece.copy != piece.few)
        free(piece.copy);
    return error;
}

/* Several stripes at once, as each time has its price. */
static int combine_run(struct proa_combine *combine, const struct proa_span *span,
                       uint64_t position)
{
    struct proa_elements c = combine->run;
    uint64_t key = proa_span_key(span, position), count = c.count;
    int error = PROA_OK;

    tell_owner(combine->win, combine->rank, count * c.bytes);
    proa_guard_enter(combine->win, combine->rank, span, key, combine->total, c.bytes,
                     &combine->guarded);
    if (combine->guarded.guard == PROA_GUARD_PLAIN)
        return apply_by_cma(&c, span->owner, key);
    for (uint64_t done = 0; done < count && !error;
         done += c.count, proa_elements_advance(&c, c.count)) {
        uint64_t first = key + done * c.bytes;

        c.count = proa_guard_elements(&combine->guarded, span->owner, first, c.bytes, count - done,
                                      (count - done) * c.bytes);
        error = apply_by_cma(&c, span->owner, first);
    }
    return error;
}

/* ---- accumulates on derived types ---- */

/* How many of the rows, the first at key, are worked on at once: as many as one system call takes
 * and as are guarded together. 0: not even one. */
static uint64_t rows_at_once(struct proa_combine *combine, struct proa_peer *owner, uint64_t key,
                             const struct proa_rows *rows)
{
    uint64_t most = PROA_GUARD_AT_ONCE / (combine->run.count * combine->run.bytes),
             fit = proa_combine_rows_guarded(combine, owner, key, rows, PROA_GUARD_AT_ONCE);

    most = most < PROA_CMA_RUNS ? most : PROA_CMA_RUNS;
    return fit < most ? fit : most;
}

static int rows_move(struct proa_peer *peer, uint64_t key, uint64_t stride, uint64_t count,
                     char *copy, uint64_t row, int write)
{
    struct proa_cma_batch batch;
    int error = PROA_OK;

    proa_cma_begin(&batch, peer, write);
    for (uint64_t i = 0; i < count && !error; i++)
        error = proa_cma_add(&batch, copy + i * row, key + i * stride, row);
    return error ? error : proa_cma_end(&batch);
}

/* Two system calls for all of them: read, and write back. */
static int rows_apply(struct proa_combine *combine, struct proa_peer *owner, uint64_t key,
                      const struct proa_rows *rows, uint64_t count, char *copy)
{
    struct proa_elements *run = &combine->run;
    uint64_t row = run->count * run->bytes, stride = (uint64_t)rows->stride;
    int error = rows_move(owner, key, stride, count, copy, row, 0);

    for (uint64_t i = 0; i < count && !error; i++, proa_elements_next_row(run, rows, 1))
        proa_apply(run, copy + i * row);
    return error || run->operation == PROA_OP_NO_OP
               ? error
               : rows_move(owner, key, stride, count, copy, row, 1);
}

static int combine_rows(struct proa_combine *combine, const struct proa_span *span,
                        uint64_t position, const struct proa_rows *all)
{
    struct proa_rows rows = *all;
    struct piece piece;
    uint64_t count;
    int error = piece_room(&piece, rows.count * combine->run.count * combine->run.bytes);

    tell_owner(combine->win, combine->rank, rows.count * combine->run.count * combine->run.bytes);
    while (rows.count > 0 && !error) {
        uint64_t key = proa_span_key(span, position);

        proa_guard_enter(combine->win, combine->rank, span, key, combine->total, combine->run.bytes,
                         &combine->guarded);
        count = rows_at_once(combine, span->owner, key, &rows);
        if (count) {
            error = rows_apply(combine, span->owner, key, &rows, count, piece.copy);
        } else { /* a long one */
            count = 1;
            error = combine_run(combine, span, position);
            proa_elements_next_row(&combine->run, &rows, 1);
        }
        rows.count -= count;
        position += count * (uint64_t)rows.stride;
    }
    if (piece.copy != piece.few)
        free(piece.copy);
    return error;
}

const struct proa_road proa_road_cma = {.atomics = 0,
                                        .move = move,
                                        .combine = combine_run,
                                        .combine_rows = combine_rows,
                                        .settle = settle};
