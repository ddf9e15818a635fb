/* SPDX-License-Identifier: BSD-3-Clause */
/* See buffers.h. */
#include "check/buffers.h"
#include "base/atomic.h"
#include "check/own.h"
#include "findings/finding.h"
#include "order/inside.h"
#include "traps/protection.h"
#include "traps/view.h"
#include "traps/watchpoint.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utlist.h>

enum {
    BUFFERS = 3, /* of one operation */
    BUFFERS_MOST = 4096,
    KEPT_MOST = 1 << 20,    /* bytes of one result that is kept back */
    COMPARED_MOST = 1 << 16 /* bytes of an origin buffer that are compared */
};

struct buffer {
    struct proa_buffer_user user;
    const char *memory; /* the program's address */
    char *behind;       /* the engine's, which is never protected */
    uint64_t bytes;
    char *kept; /* the result, kept back, or NULL; or the origin buffer at the call */
    int is_result, watchpoint; /* watchpoint -1: it is not watched */
    int is_told;
    uint64_t cookie;
    struct buffer *prev, *next;
};

/* The buffers of an operation of this thread that has begun, and may be refused. The engine writes
 * to them, so a completion by another thread must not end them. */
static _Thread_local struct {
    struct buffer *buffer[BUFFERS];
    int count;
    uint64_t before; /* the last cookie when the thread's call began */
} stage;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *buffers;
static int buffer_count, is_on;
static uint64_t cookies, left_out, chance = 0x9e3779b97f4a7c15u;

void proa_buffers_start(void)
{
    is_on = 1;
}

/* ---- the program's memory: it may be gone, so the kernel looks ---- */

static int copy(char *here, char *there, uint64_t bytes, int is_store)
{
    struct iovec local = {here, bytes}, other = {there, bytes};
    const int is_lent = proa_protection_lend(there, bytes);
    ssize_t moved = is_store ? process_vm_writev(getpid(), &local, 1, &other, 1, 0)
                             : process_vm_readv(getpid(), &local, 1, &other, 1, 0);

    if (is_lent)
        proa_protection_take_back(there, bytes);
    return moved == (ssize_t)bytes;
}

/* ---- findings ---- */

void proa_buffers_tell(const struct proa_buffer_user *user, int is_result, const char *access,
                       const void *place)
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
        .calls = {{.call = proa_call_name(user->call), .caller = user->caller},
                  {.call = access, .caller = place, .thread = proa_finding_thread()}}};
    char what[160], remedy[120];

    if (proa_finding_again(id, user->caller, place))
        return;
    snprintf(what, sizeof what,
             "rank %d touches the %s buffer of an operation on rank %d that is not complete",
             user->win->rank, is_result ? "result" : "origin", user->rank);
    snprintf(remedy, sizeof remedy, "MPI_Win_flush%s(%d, win) before it, or the end of the epoch",
             is_result ? "" : "_local", user->rank);
    finding.what = what;
    finding.remedy = remedy;
    proa_finding_add(&finding);
}

static void tell(struct buffer *buffer, const void *instruction, const char *access)
{
    buffer->is_told = 1;
    proa_buffers_tell(&buffer->user, buffer->is_result, access, instruction);
}

void proa_buffers_excuse(const void *behind, uint64_t bytes)
{
    const uintptr_t low = (uintptr_t)behind;
    struct buffer *buffer;

    pthread_mutex_lock(&mutex);
    DL_FOREACH(buffers, buffer) {
        if ((uintptr_t)buffer->behind < low + bytes &&
            low < (uintptr_t)buffer->behind + buffer->bytes)
            buffer->is_told = 1;
    }
    pthread_mutex_unlock(&mutex);
}

int proa_buffers_hit(const struct proa_trap_hit *hit)
{
    const void *place = proa_trap_place(hit);
    struct buffer *buffer;

    if (hit->cookie == 0 || hit->cookie > cookies)
        return 0;
    pthread_mutex_lock(&mutex);
    DL_FOREACH(buffers, buffer) {
        if (buffer->cookie == hit->cookie && place)
            tell(buffer, place, buffer->is_result ? "a load or a store" : "a store");
    }
    pthread_mutex_unlock(&mutex);
    return 1;
}

/* ---- watchpoints ---- */

static void unwatch(struct buffer *buffer)
{
    if (buffer->watchpoint >= 0)
        proa_watchpoint_clear(buffer->watchpoint);
    buffer->watchpoint = -1;
}

static uint64_t draw(uint64_t below)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % below;
}

/* Each pending buffer is watched with the same chance: of n, the newest takes the watchpoint of
 * another one in PROA_WATCHPOINTS of n cases. */
static void make_way(void)
{
    struct buffer *buffer;
    uint64_t which = draw((uint64_t)buffer_count + 1);

    if (which >= PROA_WATCHPOINTS)
        return;
    DL_FOREACH(buffers, buffer) {
        if (buffer->watchpoint >= 0 && which-- == 0) {
            unwatch(buffer);
            return;
        }
    }
}

static void watch(struct buffer *buffer)
{
    const enum proa_watched_access accesses =
        buffer->is_result ? PROA_WATCHED_ALL : PROA_WATCHED_STORES;

    if (proa_protection_has(buffer->memory))
        return; /* each access traps anyway */
    for (int try = 0; try < 2; try++) {
        if (proa_watchpoint_set(buffer->memory, buffer->bytes, accesses, buffer->cookie,
                                &buffer->watchpoint))
            return;
        buffer->watchpoint = -1;
        make_way();
    }
}

/* ---- buffers come and go ---- */

static void buffer_free(struct buffer *buffer)
{
    free(buffer->kept);
    free(buffer);
}

static int is_room(void)
{
    return stage.count < BUFFERS && proa_atomic_load(&buffer_count, PROA_RELAXED) < BUFFERS_MOST;
}

/* NULL: it is not watched, and counted. */
static struct buffer *buffer_stage(const struct proa_buffer_user *user, const void *memory,
                                   uint64_t bytes, uint64_t kept)
{
    struct buffer *buffer = kept <= KEPT_MOST && is_room() ? calloc(1, sizeof *buffer) : NULL;

    if (buffer && kept && !(buffer->kept = malloc(kept))) {
        free(buffer);
        buffer = NULL;
    }
    if (!buffer) {
        proa_atomic_fetch_add(&left_out, 1, PROA_RELAXED);
        return NULL;
    }
    buffer->user = *user;
    buffer->memory = memory;
    buffer->behind = proa_view_behind(memory);
    buffer->bytes = bytes;
    buffer->watchpoint = -1;
    stage.buffer[stage.count++] = buffer;
    return buffer;
}

void *proa_buffers_result(const struct proa_buffer_user *user, void *result, uint64_t bytes)
{
    struct buffer *buffer;
    char *place = proa_view_buffer(result, bytes, user->win->remote_window != NULL);
    const uint64_t kept = user->is_requested ? 0 : bytes;

    if (!is_on || bytes == 0 || !(buffer = buffer_stage(user, result, bytes, kept)))
        return place;
    buffer->is_result = 1;
    if (!kept)
        return place;
    if (!copy(buffer->kept, buffer->behind, bytes, 0)) {
        stage.count--;
        buffer_free(buffer);
        return place;
    }
    return buffer->kept;
}

static uint64_t compared_bytes(uint64_t bytes)
{
    return bytes < COMPARED_MOST ? bytes : COMPARED_MOST;
}

/* Operations of other processes change memory of windows, too: these are told of at their target.
 */
static int is_window(const struct buffer *buffer)
{
    uint64_t low = (uintptr_t)buffer->behind, high = low + buffer->bytes;
    int found;

    proa_inside_enter();
    found = proa_own_range(&low, &high) != NULL;
    proa_inside_leave();
    return found;
}

void proa_buffers_origin(const struct proa_buffer_user *user, const void *origin, uint64_t bytes)
{
    struct buffer *buffer;

    if (!is_on || bytes == 0)
        return;
    buffer = buffer_stage(user, origin, bytes, compared_bytes(bytes));
    if (buffer)
        buffer->is_told =
            is_window(buffer) || !copy(buffer->kept, buffer->behind, compared_bytes(bytes), 0);
}

static void drop_staged(void)
{
    while (stage.count > 0)
        buffer_free(stage.buffer[--stage.count]);
}

void proa_buffers_begin(void)
{
    if (!is_on)
        return;
    drop_staged(); /* an error handler may have left the last call by longjmp */
    pthread_mutex_lock(&mutex);
    stage.before = cookies;
    pthread_mutex_unlock(&mutex);
}

/* Engine, kernel and check mode have touched the buffer for the last time before it is watched. */
static void buffer_add(struct buffer *buffer)
{
    buffer->cookie = ++cookies;
    DL_APPEND(buffers, buffer);
    proa_atomic_store(&buffer_count, buffer_count + 1, PROA_RELAXED);
    watch(buffer);
}

void proa_buffers_done(int is_accepted)
{
    if (!is_on)
        return;
    if (!is_accepted)
        drop_staged();
    if (stage.count == 0)
        return;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < stage.count; i++)
        buffer_add(stage.buffer[i]);
    stage.count = 0;
    pthread_mutex_unlock(&mutex);
}

/* Was it changed, with no watchpoint that saw the store? */
static int is_changed(const struct buffer *buffer)
{
    const uint64_t bytes = compared_bytes(buffer->bytes);
    char *now = buffer->is_told ? NULL : malloc(bytes);
    int changed =
        now && copy(now, buffer->behind, bytes, 0) && memcmp(now, buffer->kept, bytes) != 0;

    free(now);
    return changed;
}

static void buffer_end(struct buffer *buffer)
{
    DL_DELETE(buffers, buffer);
    proa_atomic_store(&buffer_count, buffer_count - 1, PROA_RELAXED);
    unwatch(buffer);
    if (buffer->is_result && buffer->kept)
        copy(buffer->kept, buffer->behind, buffer->bytes, 1);
    else if (!buffer->is_result && is_changed(buffer))
        tell(buffer, NULL, "a store");
    buffer_free(buffer);
}

void proa_buffers_complete(const struct proa_win *win, int rank, int requested)
{
    struct buffer *buffer, *next;

    if (!is_on)
        return;
    pthread_mutex_lock(&mutex);
    DL_FOREACH_SAFE(buffers, buffer, next) {
        if ((!win || buffer->user.win == win) && (rank < 0 || buffer->user.rank == rank) &&
            (requested ? buffer->user.is_requested : buffer->cookie <= stage.before))
            buffer_end(buffer);
    }
    pthread_mutex_unlock(&mutex);
}

uint64_t proa_buffers_left_out(void)
{
    return proa_atomic_load(&left_out, PROA_RELAXED);
}
