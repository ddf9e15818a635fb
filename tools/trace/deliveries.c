/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrows of arriving data. They lead from an operation to the time when its target applied its last
 * part (APPLIED), and from notified operations to the wait that they ended.
 */
#include "ends.h"

#include <stdlib.h>

/* From an origin a to a target b: operations that were sent, and parts that were applied. Numbers
 * of both increase. */
struct flow {
    struct proa_key key;
    struct proa_queue sent, applied;
    UT_hash_handle hh;
};

/* Notified operations on target a's counter b, and its waits. number: count of the counter since
 * the trace started. */
struct counter {
    struct proa_key key;
    struct proa_queue operations, waits;
    uint64_t taken;  /* operations with an arrow */
    uint64_t before; /* sum of the counts removed by resets */
    UT_hash_handle hh;
};

struct proa_deliveries {
    struct flow *flows;
    struct counter *counters;
};

struct proa_deliveries *proa_deliveries_new(void)
{
    return proa_zeroed(sizeof(struct proa_deliveries));
}

/* ---- operations of other nodes ---- */

static struct flow *flow_of(struct proa_deliveries *deliveries, int window, int origin, int target)
{
    const struct proa_key key = proa_key(window, origin, target, 0);
    struct flow *flow;

    HASH_FIND(hh, deliveries->flows, &key, sizeof key, flow);
    if (flow)
        return flow;
    flow = proa_zeroed(sizeof *flow);
    flow->key = key;
    HASH_ADD(hh, deliveries->flows, key, sizeof flow->key, flow);
    return flow;
}

/* Returns the number of the oldest applied part minus that of the oldest operation, in 32 bits. */
static int32_t distance(const struct flow *flow)
{
    return (int32_t)((uint32_t)proa_queue_first(&flow->applied)->number -
                     (uint32_t)proa_queue_first(&flow->sent)->number);
}

/* Parts before an operation's last one belong to it, or to an operation without a record. */
static void match(struct proa_run *run, struct flow *flow)
{
    while (flow->sent.count && flow->applied.count) {
        const int32_t apart = distance(flow);

        if (apart == 0)
            proa_arrow_give(
                run, &(struct proa_model_arrow){PROA_ARROW_DATA, flow->key.window, flow->key.b,
                                                proa_queue_first(&flow->sent)->end,
                                                proa_queue_first(&flow->applied)->end, 0});
        if (apart >= 0)
            proa_queue_take(&flow->sent);
        if (apart <= 0)
            proa_queue_take(&flow->applied);
    }
}

void proa_deliveries_sent(struct proa_run *run, const struct proa_model_event *operation)
{
    const int origin = proa_rank_in(&run->model->windows[operation->window], operation->process);
    struct flow *flow = flow_of(run->deliveries, operation->window, origin, operation->rank);

    proa_queue_put(
        run, &flow->sent,
        (struct proa_item){proa_end_at(operation, operation->begin_ns), 0, operation->part});
    match(run, flow);
}

void proa_deliveries_applied(struct proa_run *run, const struct proa_model_event *applied)
{
    const int target = proa_rank_in(&run->model->windows[applied->window], applied->process);
    struct flow *flow = flow_of(run->deliveries, applied->window, applied->rank, target);

    proa_queue_put(run, &flow->applied,
                   (struct proa_item){proa_end_at(applied, applied->end_ns), 0, applied->part});
    match(run, flow);
}

/* ---- notifications ---- */

static struct counter *counter_of(struct proa_deliveries *deliveries, int window, int target,
                                  int index)
{
    const struct proa_key key = proa_key(window, target, index, 0);
    struct counter *counter;

    HASH_FIND(hh, deliveries->counters, &key, sizeof key, counter);
    if (counter)
        return counter;
    counter = proa_zeroed(sizeof *counter);
    counter->key = key;
    HASH_ADD(hh, deliveries->counters, key, sizeof counter->key, counter);
    return counter;
}

/* A wait consumes the count up to its end. The last one of these operations ended it. */
static void count_up(struct proa_run *run, struct counter *counter)
{
    while (counter->operations.count && counter->waits.count) {
        struct proa_item *to = proa_queue_first(&counter->waits), from;
        const int is_last = counter->taken + 1 == to->number;

        if (counter->taken >= to->number) {
            proa_queue_take(&counter->waits);
            continue;
        }
        from = proa_queue_take(&counter->operations);
        counter->taken++;
        proa_arrow_give(run, &(struct proa_model_arrow){PROA_ARROW_NOTIFY, counter->key.window,
                                                        counter->key.a, from.end, to->end,
                                                        is_last ? to->waited_ns : 0});
        if (is_last)
            proa_queue_take(&counter->waits);
    }
}

void proa_deliveries_notified(struct proa_run *run, const struct proa_model_event *operation)
{
    struct counter *counter =
        counter_of(run->deliveries, operation->window, operation->rank, operation->counter);

    proa_queue_put(
        run, &counter->operations,
        (struct proa_item){proa_end_at(operation, operation->begin_ns), 0,
                           proa_run_side(run, operation->process, operation->window)->renumbered});
    count_up(run, counter);
}

void proa_deliveries_wait(struct proa_run *run, const struct proa_model_event *wait, int is_reset)
{
    const int target = proa_rank_in(&run->model->windows[wait->window], wait->process);
    struct counter *counter;

    if (wait->counter < 0)
        return;
    counter = counter_of(run->deliveries, wait->window, target, wait->counter);
    proa_queue_put(run, &counter->waits,
                   (struct proa_item){proa_end_at(wait, wait->end_ns), proa_waited(wait, -1),
                                      counter->before + wait->displacement});
    if (is_reset)
        counter->before += wait->displacement;
    count_up(run, counter);
}

/* An origin may return from the collective call, and increment the counter, before the target
 * returns. Such operations are kept. */
void proa_deliveries_renumber(struct proa_run *run, const struct proa_model_event *call)
{
    const int target = proa_rank_in(&run->model->windows[call->window], call->process);
    const uint64_t renumbered = ++proa_run_side(run, call->process, call->window)->renumbered;
    struct counter *counter, *next;

    HASH_ITER(hh, run->deliveries->counters, counter, next)
        if (counter->key.window == call->window && counter->key.a == target) {
            while (counter->operations.count &&
                   proa_queue_first(&counter->operations)->number < renumbered)
                proa_queue_take(&counter->operations);
            counter->waits.count = 0;
            counter->taken = counter->before = 0;
        }
}

/* ---- closing ---- */

void proa_deliveries_free(struct proa_run *run)
{
    struct flow *flow, *next_flow;
    struct counter *counter, *next_counter;

    HASH_ITER(hh, run->deliveries->flows, flow, next_flow) {
        HASH_DEL(run->deliveries->flows, flow);
        free(flow->sent.items);
        free(flow->applied.items);
        free(flow);
    }
    HASH_ITER(hh, run->deliveries->counters, counter, next_counter) {
        HASH_DEL(run->deliveries->counters, counter);
        free(counter->operations.items);
        free(counter->waits.items);
        free(counter);
    }
    free(run->deliveries);
}
