/* SPDX-License-Identifier: BSD-3-Clause */
/* See reuse.h. */
#include "check/reuse.h"
#include "base/atomic.h"
#include "host/types.h"
#include "order/accesses.h"
#include "order/announce.h"
#include "traps/view.h"
#include "type/pieces.h"

#include <pthread.h>

enum {
    BUFFERS = 3,       /* of one operation */
    PIECES_MOST = 1024 /* of one buffer; one with more is not compared */
};

/* Buffers are accesses of one target: its addresses are those of this process. */
enum { HERE };

struct staged {
    struct proa_buffer_user user;
    const void *memory;
    int64_t count;
    const struct proa_type *type;
    int is_result;
};

static _Thread_local struct {
    struct staged buffer[BUFFERS];
    int count;
} stage;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_accesses pending;

int proa_reuse_any(void)
{
    return proa_atomic_load(&pending.alive, PROA_RELAXED) != 0;
}

/* ---- one buffer ---- */

struct use {
    struct proa_access access; /* of its next piece */
    const char *call;
    int told;
};

static struct use use_of(const struct staged *buffer)
{
    const struct proa_buffer_user *user = &buffer->user;

    return (struct use){.call = proa_call_name(user->call),
                        .access = {.caller = user->caller,
                                   .call = (uint16_t)user->call,
                                   .kind = buffer->is_result ? PROA_ACCESS_WRITE : PROA_ACCESS_READ,
                                   .requested = (uint8_t)user->is_requested,
                                   .window = user->win,
                                   .origin = user->rank}};
}

static void compare(void *arg, int64_t low, uint64_t bytes)
{
    struct use *use = arg;
    const struct proa_access *found;
    struct proa_buffer_user user;

    use->access.low = (uint64_t)low;
    use->access.high = (uint64_t)low + bytes;
    found = use->told ? NULL : proa_accesses_conflict(&pending, HERE, &use->access);
    if (!found)
        return;
    user = (struct proa_buffer_user){found->window, (enum proa_call)found->call, found->origin,
                                     found->requested, found->caller};
    proa_buffers_tell(&user, found->kind == PROA_ACCESS_WRITE, use->call, use->access.caller);
    proa_buffers_excuse((const void *)(uintptr_t)low, bytes);
    use->told = 1;
}

static void keep(void *arg, int64_t low, uint64_t bytes)
{
    struct use *use = arg;

    use->access.low = (uint64_t)low;
    use->access.high = (uint64_t)low + bytes;
    proa_accesses_keep(&pending, HERE, &use->access);
    proa_announce_buffer(&use->access);
}

static int each_piece(const struct staged *buffer, struct use *use, proa_piece_do *what)
{
    return proa_pieces_each((int64_t)(uintptr_t)proa_view_behind(buffer->memory),
                            (uint64_t)buffer->count, buffer->type, PIECES_MOST, what, use);
}

/* ---- operations ---- */

void proa_reuse_begin(void)
{
    stage.count = 0;
}

void proa_reuse_buffer(const struct proa_buffer_user *user, const void *memory, int64_t count,
                       MPI_Datatype datatype, int is_result)
{
    const struct proa_type *type = count > 0 ? proa_type_find(datatype) : NULL;

    if (type && type->size > 0 && stage.count < BUFFERS)
        stage.buffer[stage.count++] = (struct staged){*user, memory, count, type, is_result};
}

/* Buffers of the same operation are not compared (check/datatypes.h does that). */
void proa_reuse_done(void)
{
    int is_there;

    pthread_mutex_lock(&mutex);
    is_there = pending.roots || proa_accesses_begin(&pending, HERE + 1) == 0;
    for (int i = 0; i < stage.count && is_there && pending.alive; i++) {
        struct use use = use_of(&stage.buffer[i]);

        each_piece(&stage.buffer[i], &use, compare);
    }
    for (int i = 0; i < stage.count && is_there; i++) {
        struct use use = use_of(&stage.buffer[i]);

        each_piece(&stage.buffer[i], &use, keep);
    }
    pthread_mutex_unlock(&mutex);
    stage.count = 0;
}

struct goes {
    const struct proa_win *win;
    int rank, requested;
};

static int is_complete(const struct proa_access *access, void *arg)
{
    const struct goes *goes = arg;

    return (!goes->win || access->window == goes->win) &&
           (goes->rank < 0 || access->origin == goes->rank) &&
           (!goes->requested || access->requested);
}

void proa_reuse_complete(const struct proa_win *win, int rank, int requested)
{
    struct goes goes = {win, rank, requested};

    if (!proa_reuse_any())
        return;
    pthread_mutex_lock(&mutex);
    proa_accesses_drop(&pending, HERE, 0, is_complete, &goes);
    pthread_mutex_unlock(&mutex);
}

/* ---- the host's calls ---- */

void proa_reuse_call(const char *call, const void *caller, const void *memory, int64_t count,
                     MPI_Datatype datatype, int stores)
{
    const struct staged buffer = {
        .memory = memory, .count = count, .type = count > 0 ? proa_type_find(datatype) : NULL};
    struct use use = {
        .call = call,
        .access = {.caller = caller, .kind = stores ? PROA_ACCESS_WRITE : PROA_ACCESS_READ}};

    if (!buffer.type || buffer.type->size == 0)
        return;
    pthread_mutex_lock(&mutex);
    if (pending.alive)
        each_piece(&buffer, &use, compare);
    pthread_mutex_unlock(&mutex);
}

/* ---- system calls ---- */

int proa_reuse_touches(const void *memory, size_t bytes, int stores)
{
    const struct proa_access access = {.low = (uintptr_t)memory,
                                       .high = (uintptr_t)memory + bytes,
                                       .kind = stores ? PROA_ACCESS_WRITE : PROA_ACCESS_READ};
    int touches;

    if (!proa_reuse_any() || pthread_mutex_trylock(&mutex) != 0)
        return 0;
    touches = pending.alive && proa_accesses_conflict(&pending, HERE, &access);
    pthread_mutex_unlock(&mutex);
    return touches;
}

void proa_reuse_access(const void *place, const void *memory, uint64_t bytes, int stores)
{
    struct use use = {
        .call = stores ? "a store by a system call" : "a load by a system call",
        .access = {.caller = place, .kind = stores ? PROA_ACCESS_WRITE : PROA_ACCESS_READ}};

    pthread_mutex_lock(&mutex);
    if (pending.alive)
        compare(&use, (int64_t)(uintptr_t)memory, bytes);
    pthread_mutex_unlock(&mutex);
}
