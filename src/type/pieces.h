/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of memory that elements of a datatype cover, one by one: for checks, not for data. */
#ifndef PROA_TYPE_PIECES_H
#define PROA_TYPE_PIECES_H

#include "type/type.h"

typedef void proa_piece_do(void *arg, int64_t low, uint64_t bytes);

/* proa_pieces_each for a type with gaps. */
int proa_pieces_walk(int64_t start, uint64_t count, const struct proa_type *type, int most,
                     proa_piece_do *what, void *arg);

/* Calls `what` for each piece of `count` elements that begin at `start`, in the order of the
 * datatype. Adjacent pieces are one if the type knows that they are. Returns 0 if there are more
 * than `most`, or there is no memory; then some calls may have been made. */
static inline int proa_pieces_each(int64_t start, uint64_t count, const struct proa_type *type,
                                   int most, proa_piece_do *what, void *arg)
{
    if (!type->dense)
        return proa_pieces_walk(start, count, type, most, what, arg);
    what(arg, start, count * type->size);
    return 1;
}

#endif
