/* SPDX-License-Identifier: BSD-3-Clause */
/* See check.h. */
#include "check/check.h"
#include "base/settings.h"
#include "order/accesses.h"
#include "check/conflict.h"
#include "check/local.h"
#include "check/ordering.h"
#include "check/polls.h"
#include "check/reuse.h"
#include "findings/finding.h"
#include "findings/last_sync.h"
#include "order/clock.h"
#include "host/pmpi.h"
#include "host/types.h"
#include "type/pieces.h"
#include "usage/rules.h"
#include "window/epoch.h"

#include <stdlib.h>

/* Pieces of one operation. An operation with more pieces is counted, but not checked. */
enum { PIECES_MOST = 4096 };

struct proa_check {
    struct proa_accesses own; /* pending accesses, if there are no clocks */
    struct proa_ordering *ordering;
    struct proa_last_syncs sinces;
    uint64_t operations, scattered;
    const struct proa_win *win; /* NULL until the window is created */
};

/* ---- effects of calls ---- */

/* NOTIFIES: the target can respond to the notification, so the operation is complete when the call
 * returns. */
enum { JUDGED = 1, KEPT = 2, FETCHES = 4, NOTIFIES = 8, REQUESTS = 16 };

struct use {
    uint8_t kind; /* enum proa_access_kind */
    uint8_t how;
};

/* Request forms that fetch are complete at the target when their request is. They are kept in
 * check/messages.h, which sees that completion. */
#define USE_OF(call, kind, how) [PROA_CALL_##call] = {PROA_ACCESS_##kind, JUDGED | (how)}
#define USE(call, kind, how) USE_OF(call, kind, how), USE_OF(call##_c, kind, how)
#define NOTIFIED_USE(call, form, kind) \
    USE(call##_notify, kind, NOTIFIES), USE(form##_notify, kind, NOTIFIES)
static const struct use uses[PROA_CALL_COUNT] = {
    USE(Put, WRITE, KEPT),
    USE(Rput, WRITE, KEPT | REQUESTS),
    USE(Get, READ, KEPT | FETCHES),
    USE(Rget, READ, FETCHES | REQUESTS),
    USE(Accumulate, ATOMIC, KEPT),
    USE(Raccumulate, ATOMIC, KEPT | REQUESTS),
    USE(Get_accumulate, ATOMIC, KEPT | FETCHES),
    USE(Rget_accumulate, ATOMIC, FETCHES | REQUESTS),
    USE_OF(Fetch_and_op, ATOMIC, KEPT | FETCHES),
    USE_OF(Compare_and_swap, ATOMIC, KEPT | FETCHES),
    NOTIFIED_USE(Put, Rput, WRITE),
    NOTIFIED_USE(Get, Rget, READ),
    NOTIFIED_USE(Accumulate, Raccumulate, ATOMIC),
    NOTIFIED_USE(Get_accumulate, Rget_accumulate, ATOMIC),
};
#undef NOTIFIED_USE
#undef USE
#undef USE_OF

enum completes { NOTHING, ONE, ALL, LOCALLY_ONE, LOCALLY_ALL };

/* A notification gives no guarantee for earlier operations. */
static const uint8_t completes[PROA_CALL_COUNT] = {
    [PROA_CALL_Win_fence] = ALL,
    [PROA_CALL_Win_complete] = ALL,
    [PROA_CALL_Win_unlock] = ONE,
    [PROA_CALL_Win_unlock_all] = ALL,
    [PROA_CALL_Win_flush] = ONE,
    [PROA_CALL_Win_flush_all] = ALL,
    [PROA_CALL_Win_flush_local] = LOCALLY_ONE,
    [PROA_CALL_Win_flush_local_all] = LOCALLY_ALL,
};

/* ---- windows ---- */

int proa_check_sees_memory;

struct proa_check *proa_check_new(MPI_Comm comm)
{
    struct proa_check *check;
    int size = 0;

    if (!proa_settings()->check || !proa_settings()->check_conflicts ||
        proa_pmpi()->Comm_size(comm, &size) != MPI_SUCCESS)
        return NULL;
    check = calloc(1, sizeof *check);
    proa_check_sees_memory = proa_local_is_on();
    if (!check || proa_last_syncs_begin(&check->sinces, size) != 0) {
        free(check);
        return NULL;
    }
    if (proa_accesses_begin(&check->own, size) != 0) {
        proa_last_syncs_end(&check->sinces);
        free(check);
        return NULL;
    }
    return check;
}

void proa_check_open(struct proa_check *check, struct proa_win *win, MPI_Comm comm)
{
    struct proa_ordering *ordering;

    ordering = proa_settings()->check_conflicts ? proa_ordering_open(win, comm) : NULL;
    if (!check) {
        proa_ordering_close(ordering);
        return;
    }
    check->ordering = ordering;
    check->win = win;
    if (!ordering && win->size > 1)
        proa_finding_unseen(PROA_UNSEEN_PROCESSES);
    proa_local_open(win, ordering);
}

void proa_check_attach(struct proa_check *check, const void *base, uint64_t bytes)
{
    if (check)
        proa_ordering_attach(check->ordering, base, bytes);
}

void proa_check_detach(struct proa_check *check, const void *base)
{
    if (check)
        proa_ordering_detach(check->ordering, base);
}

void proa_check_drop(struct proa_check *check)
{
    if (!check)
        return;
    proa_local_close(check->win);
    proa_ordering_close(check->ordering);
    proa_finding_count(check->operations, check->scattered, check->own.dropped);
    proa_accesses_end(&check->own);
    proa_last_syncs_end(&check->sinces);
    free(check);
}

static int has_completed(const struct proa_access *access, void *arg)
{
    (void)access, (void)arg;
    return 1;
}

static void complete(struct proa_check *check, int rank, int local)
{
    if (check->ordering)
        proa_ordering_complete(check->ordering, rank, local);
    else
        proa_accesses_drop(&check->own, rank, local, has_completed, NULL);
}

/* The call completes no operation. */
void proa_check_operated(struct proa_check *check, enum proa_call call, int rank)
{
    proa_inside_enter();
    proa_ordering_operated(check->ordering, call, rank);
    proa_inside_leave();
    if (proa_check_sees_memory)
        proa_local_called(call);
}

void proa_check_complete(struct proa_check *check, enum proa_call call, int rank,
                         const void *caller)
{
    const enum completes what = completes[call];
    const int is_one = what == ONE || what == LOCALLY_ONE;

    if (proa_check_sees_memory && (call == PROA_CALL_Win_wait || what != NOTHING))
        proa_local_await_threads(caller);
    proa_inside_enter();
    if (proa_last_sync_is_noted(call))
        proa_last_syncs_note(&check->sinces, call, rank, caller);
    if (what != NOTHING && (!is_one || (rank >= 0 && rank < check->own.targets)))
        complete(check, is_one ? rank : -1, what == LOCALLY_ONE || what == LOCALLY_ALL);
    proa_ordering_after(check->ordering, call, rank);
    if (what != NOTHING)
        proa_reuse_complete(check->win, is_one ? rank : -1, 0);
    proa_inside_leave();
    if (proa_check_sees_memory)
        proa_local_called(call);
}

void proa_check_share(struct proa_check *check)
{
    if (!check)
        return;
    proa_inside_enter();
    proa_ordering_share(check->ordering);
    proa_inside_leave();
}

void proa_check_operates(struct proa_check *check, enum proa_call call, int rank)
{
    const unsigned how = uses[call].how;

    if (proa_check_sees_memory)
        proa_local_take(proa_polls_with(call));
    proa_reuse_begin(proa_reuse_stage(),
                     (struct proa_buffer_user){
                         check->win, call, rank, (how & REQUESTS) != 0, proa_source_here, {0}},
                     (unsigned)rank < (unsigned)check->win->size && !(how & NOTIFIES));
    proa_inside_enter();
    proa_ordering_operates(check->ordering, call, rank);
    proa_inside_leave();
}

void proa_check_before(struct proa_check *check, enum proa_call call, int rank)
{
    if (proa_check_sees_memory)
        proa_local_take(proa_polls_with(call));
    proa_inside_enter();
    proa_ordering_before(check->ordering, call, rank);
    proa_inside_leave();
}

/* ---- operations ---- */

/* An operation that is checked. */
struct operation {
    struct proa_check *check;
    const struct proa_win *win;
    int target;
    struct proa_accesses *accesses;
    int process;               /* of the target, in `accesses` */
    uint64_t base;             /* address of the target's window, if accesses have addresses */
    struct proa_access access; /* access of the next piece */
    unsigned element;          /* bytes of an accumulate's element, less 1; else 0 */
    int told;
};

typedef void piece_do(struct operation *operation);

struct for_piece {
    struct operation *operation;
    piece_do *what;
};

/* Converts addresses to offsets in the window, as the program counts them. */
static struct proa_access in_window(const struct operation *operation,
                                    const struct proa_access *access)
{
    struct proa_access said = *access;

    said.low -= operation->base;
    said.high -= operation->base;
    return said;
}

static void judge(struct operation *operation)
{
    const struct proa_access *found;
    struct proa_access first, second;

    if (operation->told)
        return;
    found = proa_accesses_conflict(operation->accesses, operation->process, &operation->access);
    if (!found)
        return;
    first = in_window(operation, found);
    second = in_window(operation, &operation->access);
    proa_conflict_tell(operation->win, operation->target,
                       proa_epoch_towards(operation->win, operation->target), &first, &second,
                       proa_last_syncs_last(&operation->check->sinces, operation->target));
    operation->told = 1;
}

static void keep(struct operation *operation)
{
    proa_accesses_keep(operation->accesses, operation->process, &operation->access);
}

static void hand_over(struct operation *operation)
{
    proa_ordering_hand_over(operation->check->ordering, operation->target, &operation->access);
}

static void piece(void *for_piece, int64_t low, uint64_t bytes)
{
    const struct for_piece *this = for_piece;
    struct operation *operation = this->operation;

    operation->access.low = operation->base + (uint64_t)low;
    operation->access.high = operation->access.low + bytes;
    operation->access.phase = (uint8_t)(operation->access.low & operation->element);
    this->what(operation);
}

/* Calls `what` for each piece of the target's memory, in the order of the datatype. Returns 0 if
 * there are too many pieces. */
static int each_piece(struct operation *operation, int64_t start, uint64_t count,
                      const struct proa_type *type, piece_do *what)
{
    return proa_pieces_each(start, count, type, PIECES_MOST, piece,
                            &(struct for_piece){operation, what});
}

static void judge_and_keep(struct operation *operation, int64_t start, uint64_t count,
                           const struct proa_type *type, unsigned how)
{
    const int is_followed = operation->check->ordering != NULL;

    operation->check->operations++;
    if (!each_piece(operation, start, count, type, judge))
        operation->check->scattered++;
    else if (how & NOTIFIES && is_followed) {
        each_piece(operation, start, count, type, hand_over);
        proa_ordering_notify(operation->check->ordering, operation->target);
    } else if (how & KEPT || (how & FETCHES && is_followed))
        each_piece(operation, start, count, type, keep);
}

static void follow(struct operation *operation, enum proa_call call)
{
    struct proa_ordering *ordering = operation->check->ordering;

    if (!ordering)
        return;
    operation->accesses =
        proa_ordering_accesses(ordering, operation->target, &operation->process, &operation->base);
    proa_ordering_fill(ordering, call, &operation->access);
}

/* Assigns each field: clearing the whole structure first is slower. */
static void begin(struct operation *operation, struct proa_check *check, const struct proa_win *win,
                  enum proa_call call, int rank, const void *caller)
{
    operation->check = check;
    operation->win = win;
    operation->target = operation->process = rank;
    operation->accesses = &check->own;
    operation->base = 0;
    operation->element = 0;
    operation->told = 0;
    operation->access = (struct proa_access){.low = 0,
                                             .high = 0,
                                             .caller = caller,
                                             .call = (uint16_t)call,
                                             .kind = uses[call].kind,
                                             .basic = 0,
                                             .fetches = (uses[call].how & FETCHES) != 0,
                                             .epoch = proa_epoch_towards(win, rank),
                                             .requested = 0,
                                             .op = 0,
                                             .phase = 0,
                                             .serial = 0,
                                             .origin = 0,
                                             .place = 0,
                                             .window = NULL,
                                             .number = 0,
                                             .stamp = 0,
                                             .seen = 0,
                                             .seen_arrival = 0,
                                             .arrival = 0,
                                             .unread = 0,
                                             .moment = NULL,
                                             .payload = {0}};
}

static struct proa_payload payload_of(int64_t count, const struct proa_type *type, MPI_Op op)
{
    const uint64_t most = ((uint64_t)1 << 44) - 1, number = (uint64_t)count;

    return (struct proa_payload){.count = number < most ? number : most,
                                 .datatype = type->number,
                                 .op =
                                     op == MPI_OP_NULL ? 0 : 1 + (unsigned)proa_operation_find(op),
                                 .is_known = 1};
}

/* The sizes of all basic types are powers of two. */
static unsigned element_mask(enum proa_basic basic)
{
    return (unsigned)proa_basic_bytes(basic) - 1;
}

void proa_check_operation(struct proa_check *check, const struct proa_win *win, enum proa_call call,
                          int rank, MPI_Aint displacement, int64_t count, MPI_Datatype datatype,
                          MPI_Op op, const void *caller)
{
    const struct proa_rules *rules = proa_handle_of(win)->rules;
    const struct use use = uses[call];
    const struct proa_type *type;
    struct operation operation;

    if (!(use.how & JUDGED) || (unsigned)rank >= (unsigned)win->size || count == 0)
        return;
    type = proa_type_find(datatype);
    if (type->size == 0)
        return;
    begin(&operation, check, win, call, rank, caller);
    operation.access.kind = op == MPI_NO_OP ? PROA_ACCESS_ATOMIC_READ : use.kind;
    operation.access.basic = type->basic;
    if (use.kind == PROA_ACCESS_ATOMIC)
        operation.element = element_mask(type->basic);
    operation.access.payload = payload_of(count, type, op);
    proa_reuse_stage()->user.payload = operation.access.payload;
    if (rules && rules->ops != PROA_OPS_ANY)
        operation.access.op = proa_rules_op(rules, op);
    if (rules && operation.access.epoch & (PROA_EPOCH_START | PROA_EPOCH_FENCE))
        operation.access.serial = proa_rules_serial(rules, rank, operation.access.epoch);
    proa_inside_enter();
    follow(&operation, call);
    judge_and_keep(&operation, displacement * win->targets[rank].disp_unit, (uint64_t)count, type,
                   use.how);
    operation.access.requested = (use.how & REQUESTS) != 0;
    proa_reuse_done(check->ordering ? &operation.access : NULL, operation.process);
    proa_moment_drop(operation.access.moment);
    proa_inside_leave();
}

/* ---- buffers ---- */

void proa_check_origin(const void *origin, int64_t count, MPI_Datatype datatype)
{
    proa_reuse_buffer(proa_reuse_stage(), origin, count, datatype, 0);
}

void proa_check_result(const void *result, int64_t count, MPI_Datatype datatype)
{
    proa_reuse_buffer(proa_reuse_stage(), result, count, datatype, 1);
}
