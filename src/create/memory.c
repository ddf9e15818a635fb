/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a window that is being created: the shared words of each process, and the memory
 * that it allocates or brings. The one block of a contiguous shared window lies in the arena of the
 * leader.
 */
#include "create/create.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "shm/arena.h"
#include "sync/pair.h"

#include <errno.h>

/* ---- memory of one process ---- */

/* Returns the outcome if the arena has no room for so many bytes. If only a limit on this process's
 * files is the reason, the host, which may need no file, serves the window. */
static int no_room(uint64_t bytes)
{
    return proa_arena_is_limited(bytes) ? PROA_ELSEWHERE : PROA_ERR_NO_MEM;
}

/* Allocates the memory that this process can allocate without the others' sizes. */
static int allocate_memory(struct proa_win *win, const struct proa_create_args *args)
{
    int allocates = args->flavor == PROA_FLAVOR_ALLOCATE ||
                    (args->flavor == PROA_FLAVOR_SHARED && args->noncontig);

    win->base = allocates ? NULL : args->base;
    if (!allocates || args->bytes == 0)
        return PROA_OK;
    win->base = win->memory = proa_arena_alloc(args->bytes, proa_memory_align(args));
    return win->memory ? PROA_OK : no_room(args->bytes);
}

/* Holds memory that the program brings, and that is in no process's arena. A window of one process
 * moves nothing, as no other process has to reach the memory. But it holds the memory as all
 * windows do, adopted or not, because that decides how elements are guarded. */
static int hold_memory(struct proa_win *win, const struct proa_create_args *args)
{
    struct proa_hello owner;

    if (args->flavor != PROA_FLAVOR_CREATE || args->bytes == 0 ||
        proa_position_of(args->base, args->bytes, &owner).segment >= 0)
        return PROA_OK;
    return proa_pages_hold(win, args->base, args->bytes,
                           win->size > 1 ? (enum proa_adopt)args->adopt : PROA_ADOPT_NEVER);
}

int proa_memory_prepare(struct proa_win *win, const struct proa_create_args *args)
{
    int error;

    /* for the largest case; proa_pairs_make gives back the part that is not needed */
    if (proa_block_new(win) != PROA_OK)
        return no_room(proa_rounds_bytes(win->size) + proa_block_bytes(win->size));
    error = allocate_memory(win, args);
    return error ? error : hold_memory(win, args);
}

int proa_target_set_memory(struct proa_target *target, struct proa_peer *owner,
                           const struct proa_position *at, char *segment)
{
    struct proa_span span = {.end = target->bytes,
                             .here = segment + at->offset,
                             .owner = owner,
                             .road = PROA_ROAD_STORE,
                             .atomics = 1,
                             .key = proa_peer_address(owner, at->segment, at->offset)};

    return proa_spans_set(target, &span, 1);
}

/* ---- contiguous shared windows: one block in the leader's arena ---- */

/* A shared window has one piece of memory, unless all processes have requested memory of their own
 * (MPI-4.1, 13.2.3: the key may be ignored). Memory that a process has allocated for itself is
 * freed if others have not requested it. */
void proa_contiguous_decide(struct proa_win *win, const struct proa_card *cards)
{
    if (win->flavor != PROA_FLAVOR_SHARED)
        return;
    for (int i = 0; i < win->size; i++)
        win->contiguous |= !cards[i].noncontig;
    if (!win->contiguous || !win->memory)
        return;
    proa_arena_free(win->memory);
    win->memory = win->base = NULL;
}

int proa_contiguous_allocate(struct proa_win *win, const struct proa_card *cards)
{
    uint64_t total = 0, align = 0;
    struct proa_position at;

    if (win->rank != PROA_LEADER || win->memory) /* memory may exist from an earlier try */
        return PROA_OK;
    for (int i = 0; i < win->size; i++) {
        align = cards[i].align > align ? cards[i].align : align;
        if (__builtin_add_overflow(total, cards[i].bytes, &total))
            return proa_fail(PROA_ERR_NO_MEM,
                             "the sizes of all ranks together exceed the address space");
    }
    if (total == 0)
        return PROA_OK;
    win->memory = proa_arena_alloc(total, align);
    if (!win->memory)
        return no_room(total);
    at = proa_position_of(win->memory, total, NULL);
    proa_atomic_store(&win->ctl->shared.segment, (uint32_t)at.segment, PROA_RELAXED);
    proa_atomic_store(&win->ctl->shared.offset, at.offset, PROA_RELEASE);
    return PROA_OK;
}

int proa_contiguous_locate(struct proa_win *win)
{
    const struct proa_shared_ctl *word = &win->leader->shared;
    struct proa_peer *owner = win->targets[PROA_LEADER].peer;
    struct proa_position at = {.offset = proa_atomic_load(&word->offset, PROA_ACQUIRE)};
    char *segment;
    int error = PROA_OK;

    at.segment = (int32_t)proa_atomic_load(&word->segment, PROA_RELAXED);
    /* segment 0, offset 0 is the owner's own block: nothing was allocated */
    if (at.segment == 0 && at.offset == 0)
        return PROA_OK;
    segment = proa_peer_segment(owner, at.segment);
    if (!segment) /* the sentence was set */
        return proa_segment_is_limit(errno) ? PROA_ERR_NO_MEM : PROA_ELSEWHERE;
    for (int i = 0; i < win->size && !error; i++) {
        error = proa_target_set_memory(&win->targets[i], owner, &at, segment);
        at.offset += win->targets[i].bytes;
    }
    win->base = win->targets[win->rank].only.here;
    return error;
}
