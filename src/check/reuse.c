/* SPDX-License-Identifier: BSD-3-Clause */
/* See reuse.h. */
#include "check/reuse.h"
#include "base/atomic.h"
#include "base/settings.h"
#include "check/own.h"

enum { PIECES_MOST = 1024 /* pieces of a buffer; a buffer with more is not compared */ };

/* Buffers are accesses of one target; their addresses are those of this process. */
enum { HERE };

/* Used if several threads call MPI. */
static _Thread_local struct proa_reuse_stage of_thread;

/* Used if one thread calls MPI: the current operation and the last one alternate. Buffers of the
 * last one are kept on demand, as most operations complete before. */
static struct proa_reuse_stage stages[2], *last = &stages[1];
struct proa_reuse_stage *proa_reuse_current = &stages[0];

static struct proa_accesses pending;

struct proa_reuse_stage *proa_reuse_of_thread(void)
{
    return &of_thread;
}

int proa_reuse_any(void)
{
    return last->count != 0 || proa_atomic_load(&pending.alive, PROA_RELAXED) != 0;
}

/* ---- one buffer ---- */

struct use {
    struct proa_access access; /* access of the next piece */
    const char *call;
    int told;
};

static struct use use_of(const struct proa_buffer_user *user,
                         const struct proa_reuse_buffer *buffer)
{
    return (struct use){.call = proa_call_name(user->call),
                        .access = {.caller = user->caller,
                                   .call = (uint16_t)user->call,
                                   .kind = buffer->is_result ? PROA_ACCESS_WRITE : PROA_ACCESS_READ,
                                   .requested = (uint8_t)user->is_requested,
                                   .window = user->win,
                                   .payload = user->payload,
                                   .origin = (int16_t)user->rank}};
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
    user = (struct proa_buffer_user){found->window, (enum proa_call)found->call,
                                     found->origin, found->requested,
                                     found->caller, found->payload};
    proa_buffers_tell(&user, found->kind == PROA_ACCESS_WRITE, use->call, use->access.caller,
                      use->access.payload);
    use->told = 1;
}

static void keep(void *arg, int64_t low, uint64_t bytes)
{
    struct use *use = arg;

    use->access.low = (uint64_t)low;
    use->access.high = (uint64_t)low + bytes;
    proa_accesses_keep(&pending, HERE, &use->access);
}

int proa_reuse_pieces(const void *memory, int64_t count, const struct proa_type *type,
                      proa_piece_do *what, void *arg)
{
    const int64_t start = (int64_t)(uintptr_t)memory;

    return proa_pieces_each(start, (uint64_t)count, type, PIECES_MOST, what, arg);
}

static inline __attribute__((always_inline)) int each_piece(const struct proa_reuse_buffer *buffer,
                                                            void *arg, proa_piece_do *what)
{
    if (buffer->bytes) {
        what(arg, (int64_t)(uintptr_t)buffer->memory, buffer->bytes);
        return 1;
    }
    return proa_reuse_pieces(buffer->memory, buffer->count, buffer->type, what, arg);
}

/* Watches the bytes from first to last. Accesses to the gaps are not reported. */
static void watch(const struct proa_buffer_user *user, const struct proa_reuse_buffer *buffer)
{
    const struct proa_type *type = buffer->type;
    const char *memory = buffer->memory;
    int64_t last;

    if (buffer->bytes) {
        proa_buffers_watch(user, memory, buffer->bytes, buffer->is_result);
        return;
    }
    last = (buffer->count - 1) * type->extent;
    proa_buffers_watch(user, memory + type->lower + (last < 0 ? last : 0),
                       (uint64_t)(type->upper - type->lower + (last < 0 ? -last : last)),
                       buffer->is_result);
}

static void keep_all(struct proa_reuse_stage *stage)
{
    const int is_there = pending.of || proa_accesses_begin(&pending, HERE + 1) == 0;

    for (int i = 0; i < stage->count && is_there; i++) {
        struct use use = use_of(&stage->user, &stage->buffer[i]);

        each_piece(&stage->buffer[i], &use, keep);
        watch(&stage->user, &stage->buffer[i]);
    }
    stage->count = 0;
}

static void keep_last(void)
{
    if (last->count)
        keep_all(last);
}

/* ---- operations ---- */

/* Loads, stores and other threads are compared with kept buffers only. A datatype with gaps may be
 * freed. */
static int is_kept_at_once(const struct proa_reuse_stage *stage)
{
    return stage->has_gaps || !proa_inside_is_single() || proa_settings()->check_memory;
}

/* A buffer that may be window memory as well. */
struct owned {
    const struct proa_access *operation;
    int process, stores;
};

static void keep_owned(void *arg, int64_t low, uint64_t bytes)
{
    const struct owned *owned = arg;

    if (!proa_own_may_be((uint64_t)low, (uint64_t)low + bytes))
        return;
    proa_own_keep(owned->process, owned->operation, (uint64_t)low, bytes, owned->stores);
}

/* Buffers of the same operation are not compared with each other (usage/datatypes.h does that). */
void proa_reuse_done(const struct proa_access *operation, int process)
{
    struct proa_reuse_stage *stage = proa_reuse_stage();

    for (int i = 0; i < stage->count && operation; i++)
        each_piece(&stage->buffer[i],
                   &(struct owned){operation, process, stage->buffer[i].is_result}, keep_owned);
    keep_last();
    for (int i = 0; i < stage->count && pending.alive; i++) {
        struct use use = use_of(&stage->user, &stage->buffer[i]);

        each_piece(&stage->buffer[i], &use, compare);
    }
    if (is_kept_at_once(stage)) {
        keep_all(stage);
        return;
    }
    proa_reuse_current = last;
    last = stage;
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

static int is_last_complete(const struct goes *goes)
{
    const struct proa_buffer_user *user = &last->user;

    return (!goes->win || user->win == goes->win) && (goes->rank < 0 || user->rank == goes->rank) &&
           (!goes->requested || user->is_requested);
}

void proa_reuse_complete(const struct proa_win *win, int rank, int requested)
{
    struct goes goes = {win, rank, requested};

    if (last->count && is_last_complete(&goes))
        last->count = 0;
    if (pending.alive)
        proa_accesses_drop(&pending, HERE, 0, is_complete, &goes);
    proa_buffers_complete(win, rank, requested);
}

/* ---- the host's calls ---- */

void proa_reuse_call(const char *call, const void *caller, const void *memory, int64_t count,
                     MPI_Datatype datatype, int stores)
{
    const struct proa_type *type = count > 0 ? proa_type_find(datatype) : NULL;
    const struct proa_reuse_buffer buffer = {
        .memory = memory,
        .bytes = type && type->dense ? (uint64_t)count * type->size : 0,
        .count = count,
        .type = type};
    struct use use = {
        .call = call,
        .access = {.caller = caller, .kind = stores ? PROA_ACCESS_WRITE : PROA_ACCESS_READ}};

    if (!type || type->size == 0)
        return;
    proa_inside_enter();
    keep_last();
    if (pending.alive)
        each_piece(&buffer, &use, compare);
    proa_inside_leave();
}

/* ---- loads and stores ---- */

void proa_reuse_access(const char *access, const void *place, uintptr_t memory, uint64_t bytes,
                       int stores)
{
    struct use use = {
        .call = access,
        .access = {.caller = place, .kind = stores ? PROA_ACCESS_WRITE : PROA_ACCESS_READ}};

    if (pending.alive)
        compare(&use, (int64_t)memory, bytes);
}
