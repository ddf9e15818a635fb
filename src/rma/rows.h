/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows: the runs that a derived type has in one piece of memory, each behind the one before.
 * Copying them to or from a place where they lie side by side, and accumulating to all of them
 * together. Nothing here guards: that is the work of rma/guard.h.
 */
#ifndef PROA_RMA_ROWS_H
#define PROA_RMA_ROWS_H

#include "base/hidden.h"
#include "type/walk.h"

struct proa_elements;
struct proa_combine;
struct proa_peer;

/* Loops of runs, placed from a base on. At the origin, and in the result, runs of one loop are
 * origin_stride and result_stride apart; those of several loops follow each other without a gap. */
struct proa_rows {
    const struct proa_item *items; /* without children */
    uint32_t count;
    int64_t origin_stride, result_stride;
    uint64_t even;     /* bytes of each item, if all are single runs of one size; else 0 */
    int ascends;       /* each row lies behind the one before */
    int apart;         /* no byte is in two rows, for certain */
    int64_t low, high; /* all lie in [low, high), from the base on */
};

/* Those of a list. */
static inline struct proa_rows proa_rows_of_list(const struct proa_list *list)
{
    return (struct proa_rows){.items = list->items,
                              .count = list->count,
                              .even = list->even,
                              .ascends = list->ascends,
                              .apart = list->apart,
                              .low = list->low,
                              .high = list->high};
}

/* Where one is: the next row. */
struct proa_rows_at {
    uint32_t item;
    uint64_t row; /* of the item's */
};

static inline int64_t proa_rows_offset(const struct proa_rows *rows, const struct proa_rows_at *at)
{
    const struct proa_item *item = &rows->items[at->item];

    return item->offset + (int64_t)at->row * item->stride;
}

/* Where it ends. */
static inline int64_t proa_rows_row_end(const struct proa_rows *rows, const struct proa_rows_at *at)
{
    return proa_rows_offset(rows, at) + (int64_t)rows->items[at->item].bytes;
}

/* Goes n rows of the present item further. */
static inline void proa_rows_step(const struct proa_rows *rows, struct proa_rows_at *at, uint64_t n)
{
    at->row += n;
    if (at->row == rows->items[at->item].count) {
        at->row = 0;
        at->item++;
    }
}

/* Runs of one size at regular distances, of which each may be zero bytes long. */
void proa_runs_copy(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                    uint64_t bytes, uint64_t count);

/* Where proa_rows_copy is to stop: at the first row that is longer, that does not fit into so many
 * bytes with all before it, or whose end lies behind the offset. Rows that do not ascend have no
 * such end: INT64_MAX. */
struct proa_rows_bounds {
    uint64_t longest, bytes;
    int64_t end;
};

extern PROA_HIDDEN const struct proa_rows_bounds proa_rows_all; /* at the last row's end only */

/* Copies rows, in any order, to where they lie side by side, or back. Moves *at, and returns how
 * many bytes. */
uint64_t proa_rows_copy(const struct proa_rows *rows, struct proa_rows_at *at, char *base,
                        char *packed, int back, const struct proa_rows_bounds *bounds);

/* Does what run says, its count aside, to all rows from *at on that end at offset `end` or before
 * it; INT64_MAX if they do not ascend. Moves *at, and origin and result of the run. Returns how
 * many bytes these rows had. */
uint64_t proa_rows_apply(struct proa_elements *run, char *base, const struct proa_rows *rows,
                         struct proa_rows_at *at, int64_t end);

/* Moves *at, and origin and result of the run, on from one row to the next. */
void proa_rows_next(struct proa_elements *run, const struct proa_rows *rows,
                    struct proa_rows_at *at);

/* The rows of combine, after proa_guard_enter has not chosen atomics: sees to it that stripes are
 * held of elements from the row at *at on, for at most so many bytes. Returns the offset before
 * which rows may end for all of their elements to be guarded. Rows that do not ascend: INT64_MAX if
 * all are guarded, else INT64_MIN, and none is. key: of the base. */
int64_t proa_rows_guard(struct proa_combine *combine, struct proa_peer *owner, uint64_t key,
                        const struct proa_rows *rows, const struct proa_rows_at *at, uint64_t most);

#endif
