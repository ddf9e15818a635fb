/* SPDX-License-Identifier: BSD-3-Clause */
/* See buffers.h. */
#include "check/buffers.h"
#include "base/atomic.h"
#include "findings/finding.h"
#include "translator/translator.h"
#include "window/epoch.h"

#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

enum { BUFFERS_MOST = 16384 };

struct buffer {
    const struct proa_win *win;
    const void *memory;
    uint64_t bytes;
    int rank, is_requested, what;
    struct buffer *prev, *next;
};

static struct buffer *buffers;
static int buffer_count, is_on;
static uint64_t left_out;

void proa_buffers_start(void)
{
    is_on = 1;
}

void proa_buffers_watch(const struct proa_buffer_user *user, const void *memory, uint64_t bytes,
                        int is_result)
{
    struct buffer *buffer;

    if (!is_on || bytes == 0)
        return;
    buffer = buffer_count < BUFFERS_MOST ? malloc(sizeof *buffer) : NULL;
    if (!buffer) {
        proa_atomic_fetch_add(&left_out, 1, PROA_RELAXED);
        return;
    }
    *buffer = (struct buffer){.win = user->win,
                              .memory = memory,
                              .bytes = bytes,
                              .rank = user->rank,
                              .is_requested = user->is_requested,
                              .what = is_result ? PROA_LOADS_AND_STORES : PROA_STORES};
    DL_APPEND(buffers, buffer);
    buffer_count++;
    proa_translator_watch(memory, bytes, buffer->what);
}

static void buffer_end(struct buffer *buffer)
{
    proa_translator_unwatch(buffer->memory, buffer->bytes, buffer->what);
    DL_DELETE(buffers, buffer);
    buffer_count--;
    free(buffer);
}

void proa_buffers_complete(const struct proa_win *win, int rank, int requested)
{
    struct buffer *buffer, *next;

    DL_FOREACH_SAFE(buffers, buffer, next) {
        if ((!win || buffer->win == win) && (rank < 0 || buffer->rank == rank) &&
            (!requested || buffer->is_requested))
            buffer_end(buffer);
    }
}

/* Flushes are legal in passive target epochs only (MPI-4.1, 13.5.4). */
static void say_remedy(char *remedy, size_t room, const struct proa_buffer_user *user,
                       int is_result)
{
    const unsigned epoch = proa_epoch_towards(user->win, user->rank);

    if (epoch & PROA_EPOCH_LOCK)
        snprintf(remedy, room,
                 is_result ? "MPI_Win_flush(%d, win) between them"
                           : "MPI_Win_flush_local(%d, win) between them",
                 user->rank);
    else if (epoch & PROA_EPOCH_START)
        snprintf(remedy, room, "MPI_Win_complete between them");
    else
        snprintf(remedy, room, "MPI_Win_fence on all ranks between them");
}

void proa_buffers_tell(const struct proa_buffer_user *user, int is_result, const char *access,
                       const void *place, struct proa_payload payload)
{
    const char *id = is_result ? "result-buffer" : "origin-buffer";
    struct proa_finding finding = {
        .verdict = PROA_RACE,
        .id = id,
        .rule =
            is_result
                ? "the result buffer of an operation must not be touched before the operation is "
                  "complete (MPI-4.1, 13.3)"
                : "the origin buffer of an operation must not be changed before the operation is "
                  "locally complete (MPI-4.1, 13.3)",
        .win = user->win,
        .calls = {
            {.call = proa_call_name(user->call), .caller = user->caller, .payload = user->payload},
            {.call = access,
             .caller = place,
             .thread = proa_finding_thread(),
             .payload = payload}}};
    char what[160], remedy[120];

    if (proa_finding_again(id, user->caller, place))
        return;
    snprintf(what, sizeof what,
             "rank %d touches the %s buffer of an operation on rank %d that is not complete",
             user->win->rank, is_result ? "result" : "origin", user->rank);
    say_remedy(remedy, sizeof remedy, user, is_result);
    finding.what = what;
    finding.remedy = remedy;
    proa_finding_add(&finding);
}

uint64_t proa_buffers_left_out(void)
{
    return proa_atomic_load(&left_out, PROA_RELAXED);
}
