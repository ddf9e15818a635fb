/* SPDX-License-Identifier: BSD-3-Clause */
/* See pieces.h. */
#include "type/pieces.h"
#include "type/walk.h"

int proa_pieces_walk(int64_t start, uint64_t count, const struct proa_type *type, int most,
                     proa_piece_do *what, void *arg)
{
    struct proa_walk walk;
    struct proa_stretch stretch;
    int pieces = 0;

    if (proa_walk_begin(&walk, 1, &type, &count, 0) != 0)
        return 0;
    while (proa_walk_goes_on(&walk) && pieces < most) {
        proa_walk_next(&walk, 0, &stretch);
        for (uint64_t i = 0; i < stretch.count && pieces < most; i++, pieces++)
            what(arg, start + stretch.offset[0] + (int64_t)i * stretch.stride[0], stretch.bytes);
    }
    proa_walk_end(&walk);
    return pieces < most;
}
