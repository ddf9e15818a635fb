/* SPDX-License-Identifier: BSD-3-Clause */
/* The road through the kernel (shm/cma.h), to a neighbour's memory that is not mapped here. Its
 * key is its address. See road.h. */
#include "base/fail.h"
#include "shm/cma.h"
#include "rma/combine.h"
#include "rma/road.h"

#include <stdlib.h>

/* The kernel looks up each page anew: four of them take as long as getting there. */
enum { FOUR_PAGES = 4 * 4096 };

/* The count tells the owner whether its memory had better move (adopt/worth.h). */
static void tell_owner(const struct proa_win *win, int rank, uint64_t bytes)
{
    struct proa_win_ctl *ctl = win->targets[rank].ctl;

    if (ctl)
        __atomic_fetch_add(&ctl->through_kernel, 1 + bytes / FOUR_PAGES, __ATOMIC_RELAXED);
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

/* For so many bytes, or for the most that are needed at a time. */
static int piece_room(struct piece *piece, uint64_t bytes, uint64_t most)
{
    piece->bytes = bytes < most ? bytes : most;
    piece->copy = bytes <= sizeof piece->few ? piece->few : malloc(piece->bytes);
    return piece->copy ? PROA_OK
                       : proa_fail(PROA_ERR_NO_MEM, "no memory for a copy of %llu bytes",
                                   (unsigned long long)piece->bytes);
}

static void piece_free(struct piece *piece)
{
    if (piece->copy != piece->few)
        free(piece->copy);
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

/* Reads, changes here and writes back, in pieces. The caller keeps other accessors out. */
static int apply_by_cma(const struct proa_elements *run, struct proa_peer *owner, uint64_t at)
{
    struct proa_elements c = *run;
    struct piece piece;
    int error = piece_room(&piece, c.count * c.bytes, PROA_GUARD_AT_ONCE);

    for (uint64_t done = 0; done < run->count && !error;
         done += c.count, proa_elements_advance(&c, c.count)) {
        c.count =
            run->count - done < piece.bytes / c.bytes ? run->count - done : piece.bytes / c.bytes;
        error = apply_to_copy(&c, owner, at + done * c.bytes, piece.copy);
    }
    piece_free(&piece);
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
        uint64_t first = key + done * c.bytes, left = (count - done) * c.bytes;

        c.count = proa_guard_elements(&combine->guarded, span->owner, first, c.bytes, count - done,
                                      left < PROA_GUARD_AT_ONCE ? left : PROA_GUARD_AT_ONCE);
        error = apply_by_cma(&c, span->owner, first);
    }
    return error;
}

/* ---- accumulates on derived types ---- */

/* The kernel takes as long for one more run as for reading a page that is not needed. */
enum { GAP = 4096 };

/* Some rows, with a copy of the memory from the first one on; all of them, from the lowest one on,
 * if they do not ascend. */
struct some {
    struct proa_peer *owner;
    uint64_t key; /* of the base */
    const struct proa_rows *rows;
    struct proa_rows_at first;
    int64_t start, end; /* of what has been copied */
    struct piece piece;
};

static int read_all(struct some *some)
{
    some->start = some->rows->low;
    some->end = some->rows->high;
    return proa_cma_read(some->owner, some->key + (uint64_t)some->start, some->piece.copy,
                         (uint64_t)(some->end - some->start));
}

/* Reads them, and what lies between those that are close together. Fewer than there are if they
 * are more than one system call takes: sets end. */
static int some_read(struct some *some, int64_t end)
{
    const struct proa_rows *rows = some->rows;
    struct proa_rows_at at = some->first;
    struct proa_cma_batch batch;
    int64_t start = proa_rows_offset(rows, &at), from = start;

    proa_cma_begin(&batch, some->owner, 0);
    some->start = some->end = start;
    for (unsigned n = 0;
         n < PROA_CMA_RUNS && at.item < rows->count && proa_rows_row_end(rows, &at) <= end;
         n++, proa_rows_step(rows, &at, 1)) {
        int64_t offset = proa_rows_offset(rows, &at);

        if (offset - some->end > GAP) {
            proa_cma_add(&batch, some->piece.copy + (from - start), some->key + (uint64_t)from,
                         (uint64_t)(some->end - from));
            from = offset;
        }
        some->end = proa_rows_row_end(rows, &at);
    }
    if (some->end > from)
        proa_cma_add(&batch, some->piece.copy + (from - start), some->key + (uint64_t)from,
                     (uint64_t)(some->end - from));
    return proa_cma_end(&batch);
}

/* Writes them, and nothing else. */
static int some_write(const struct some *some)
{
    struct proa_rows_at at = some->first;
    struct proa_cma_batch batch;
    int error = PROA_OK;

    proa_cma_begin(&batch, some->owner, 1);
    for (; at.item < some->rows->count && proa_rows_row_end(some->rows, &at) <= some->end && !error;
         proa_rows_step(some->rows, &at, 1)) {
        int64_t offset = proa_rows_offset(some->rows, &at);

        error = proa_cma_add(&batch, some->piece.copy + (offset - some->start),
                             some->key + (uint64_t)offset, some->rows->items[at.item].bytes);
    }
    return error ? error : proa_cma_end(&batch);
}

/* Those from *at on that end at `end` or before it, in two system calls: read, and write back.
 * Nothing if there are none. */
static int some_apply(struct proa_elements *run, struct some *some, struct proa_rows_at *at,
                      int64_t end)
{
    int error;

    some->first = *at;
    error = some->rows->ascends ? some_read(some, end) : read_all(some);
    if (error)
        return error;
    proa_rows_apply(run, proa_at(some->piece.copy, -some->start), some->rows, at,
                    some->rows->ascends ? some->end : INT64_MAX);
    return run->operation == PROA_OP_NO_OP ? PROA_OK : some_write(some);
}

/* A row that goes over more than is guarded at a time. */
static int combine_long_row(struct proa_combine *combine, const struct proa_span *span,
                            uint64_t position, const struct proa_rows *rows,
                            struct proa_rows_at *at)
{
    int error;

    combine->run.count = rows->items[at->item].bytes / combine->run.bytes;
    error = combine_run(combine, span, position + (uint64_t)proa_rows_offset(rows, at));
    proa_rows_next(&combine->run, rows, at);
    return error;
}

static int combine_rows(struct proa_combine *combine, const struct proa_span *span,
                        uint64_t position, const struct proa_rows *rows, struct proa_rows_at *at)
{
    struct some some = {.owner = span->owner, .key = proa_span_key(span, position), .rows = rows};
    int64_t inside = (int64_t)(span->end - position);
    uint64_t reaches =
        (uint64_t)(rows->high - (rows->ascends ? proa_rows_offset(rows, at) : rows->low));
    int error = piece_room(&some.piece, reaches + combine->run.bytes,
                           PROA_GUARD_AT_ONCE + combine->run.bytes);

    tell_owner(combine->win, combine->rank, reaches);
    proa_guard_enter(combine->win, combine->rank, span, 0, combine->total, combine->run.bytes,
                     &combine->guarded);
    while (!error && at->item < rows->count && proa_rows_row_end(rows, at) <= inside) {
        int64_t end = proa_rows_guard(combine, span->owner, some.key, rows, at, PROA_GUARD_AT_ONCE);

        error = proa_rows_row_end(rows, at) <= end
                    ? some_apply(&combine->run, &some, at, end < inside ? end : inside)
                    : combine_long_row(combine, span, position, rows, at);
    }
    piece_free(&some.piece);
    return error;
}

const struct proa_road proa_road_cma = {
    .move = move, .combine = combine_run, .combine_rows = combine_rows, .settle = settle};
