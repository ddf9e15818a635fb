/* SPDX-License-Identifier: BSD-3-Clause */
/* See moved.h. */
#include "adopt/moved.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

int proa_moves_reserve(struct proa_moves *moves, size_t more)
{
    size_t room = moves->count + more;
    struct proa_moved *moved;

    if (room <= moves->room)
        return PROA_OK;
    room += room / 2;
    moved = realloc(moves->moved, room * sizeof *moved);
    if (!moved)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember what has moved");
    moves->moved = moved;
    moves->room = room;
    return PROA_OK;
}

/* Index of the first entry with bytes at or above address. */
static size_t lower_bound(const struct proa_moves *moves, uint64_t address)
{
    size_t low = 0, high = moves->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (moves->moved[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(struct proa_moves *moves, size_t at, struct proa_moved moved)
{
    memmove(moves->moved + at + 1, moves->moved + at, (moves->count - at) * sizeof moved);
    moves->moved[at] = moved;
    moves->count++;
}

void proa_moves_add(struct proa_moves *moves, uint64_t first, uint64_t end, uint64_t aside)
{
    insert(moves, lower_bound(moves, first), (struct proa_moved){first, end, aside});
}

const struct proa_moved *proa_moves_next(const struct proa_moves *moves, uint64_t address)
{
    size_t at = lower_bound(moves, address);

    return at < moves->count ? &moves->moved[at] : NULL;
}

/* The part of an entry behind `end` becomes an entry of its own. */
static void split(struct proa_moves *moves, size_t at, uint64_t end)
{
    struct proa_moved *moved = &moves->moved[at], rest = *moved;

    rest.aside += end - moved->first;
    rest.first = end;
    moved->end = end;
    insert(moves, at + 1, rest);
}

void proa_moves_remove(struct proa_moves *moves, uint64_t first, uint64_t end)
{
    size_t at = lower_bound(moves, first), keep;

    if (at < moves->count && moves->moved[at].first < first) {
        if (moves->moved[at].end > end) {
            if (proa_moves_reserve(moves, 1) != PROA_OK)
                return;
            split(moves, at, end);
        }
        moves->moved[at++].end = first;
    }
    for (keep = at; keep < moves->count && moves->moved[keep].end <= end; keep++)
        continue;
    if (keep < moves->count && moves->moved[keep].first < end) {
        moves->moved[keep].aside += end - moves->moved[keep].first;
        moves->moved[keep].first = end;
    }
    memmove(moves->moved + at, moves->moved + keep, (moves->count - keep) * sizeof *moves->moved);
    moves->count -= keep - at;
}

void proa_moves_clear(struct proa_moves *moves)
{
    free(moves->moved);
    *moves = (struct proa_moves){0};
}
