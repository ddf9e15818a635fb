/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a trace as JSON. */
#include "trace.h"

#include "json.h"
#include "place.h"

static void number(struct proa_json *json, const char *name, uint64_t value)
{
    proa_json_number(json, name, (long)value);
}

static void processes(const struct proa_summary *summary, struct proa_json *json)
{
    const struct proa_model *model = summary->model;

    proa_json_open(json, "processes", '[');
    for (int i = 0; i < model->process_count; i++) {
        const struct proa_model_process *process = &model->processes[i];

        proa_json_open(json, NULL, '{');
        proa_json_number(json, "rank", process->rank);
        proa_json_number(json, "pid", process->pid);
        proa_json_text(json, "host", process->host);
        proa_json_number(json, "node", process->node);
        proa_json_number(json, "clock_error_ns", proa_model_error(model, i));
        proa_json_truth(json, "ended", !process->is_killed);
        number(json, "dropped", process->dropped);
        proa_json_number(json, "waited_ns", summary->waited_ns[i]);
        proa_json_close(json, '}');
    }
    proa_json_close(json, ']');
}

static void epochs_of(const struct proa_summary *summary, int window, struct proa_json *json)
{
    proa_json_open(json, "epochs", '{');
    for (int kind = 0; kind < PROA_MODEL_EPOCH_KINDS; kind++) {
        const struct proa_sum_epochs *sum =
            &summary->epochs[window * PROA_MODEL_EPOCH_KINDS + kind];

        if (sum->count == 0)
            continue;
        proa_json_open(json, proa_epoch_names[kind], '{');
        number(json, "count", sum->count);
        proa_json_number(json, "ns", sum->ns);
        proa_json_number(json, "waited_ns", sum->waited_ns);
        number(json, "operations", sum->operations);
        number(json, "bytes", sum->bytes);
        number(json, "never_ended", sum->never_ended);
        proa_json_close(json, '}');
    }
    proa_json_close(json, '}');
}

static void count(struct proa_json *json, const char *name, const struct proa_sum_count *sum)
{
    proa_json_open(json, name, '{');
    number(json, "count", sum->count);
    number(json, "bytes", sum->bytes);
    proa_json_close(json, '}');
}

static void times(struct proa_json *json, const char *name, const struct proa_sum_notify *sum)
{
    proa_json_open(json, name, '{');
    number(json, "count", sum->count);
    proa_json_number(json, "ns", sum->ns);
    proa_json_number(json, "most_ns", sum->most_ns);
    proa_json_close(json, '}');
}

static void traffic_of(const struct proa_sum_window *window, struct proa_json *json)
{
    const struct proa_sum_count *ways = window->ways;
    const struct proa_sum_count store = {
        ways[PROA_MODEL_STORE].count + ways[PROA_MODEL_STORE_GENERAL].count,
        ways[PROA_MODEL_STORE].bytes + ways[PROA_MODEL_STORE_GENERAL].bytes};

    proa_json_open(json, "ways", '{');
    count(json, "store", &store);
    count(json, "kernel", &ways[PROA_MODEL_KERNEL]);
    count(json, "network", &ways[PROA_MODEL_NETWORK]);
    proa_json_close(json, '}');
    count(json, "sent", &window->sent);
    count(json, "received", &window->received);
    count(json, "applied", &window->applied);
    times(json, "delivered", &window->delivered);
    number(json, "findings", window->findings);
}

static void findings(const struct proa_summary *summary, struct proa_json *json)
{
    struct proa_places *places = summary->model->places;

    proa_json_open(json, "findings", '[');
    for (int i = 0; i < summary->finding_count; i++) {
        const struct proa_sum_finding *finding = &summary->findings[i];

        proa_json_open(json, NULL, '{');
        proa_json_number(json, "process", finding->process);
        proa_json_number(json, "window", finding->window);
        proa_json_text(json, "call", finding->call);
        proa_json_text(json, "at", proa_place_text(places, finding->place));
        proa_json_text(json, "other_at", proa_place_text(places, finding->other_place));
        proa_json_text(json, "text", finding->text);
        proa_json_close(json, '}');
    }
    proa_json_close(json, ']');
}

static void windows(const struct proa_summary *summary, struct proa_json *json)
{
    proa_json_open(json, "windows", '[');
    for (int i = 0; i < summary->model->window_count; i++) {
        const struct proa_model_window *window = &summary->model->windows[i];

        proa_json_open(json, NULL, '{');
        proa_json_text(json, "name", window->name);
        proa_json_text(json, "made_by", window->maker);
        proa_json_number(json, "size", window->size);
        epochs_of(summary, i, json);
        traffic_of(&summary->windows[i], json);
        times(json, "notifications", &summary->notify[i]);
        proa_json_close(json, '}');
    }
    proa_json_close(json, ']');
}

static void pairs(const struct proa_summary *summary, struct proa_json *json)
{
    const struct proa_sum_pair *pair;

    proa_json_open(json, "waiting", '[');
    for (pair = summary->pairs; pair; pair = pair->hh.next) {
        proa_json_open(json, NULL, '{');
        proa_json_number(json, "process", pair->key.waiter);
        proa_json_number(json, "for", pair->key.awaited);
        number(json, "count", pair->count);
        proa_json_number(json, "ns", pair->ns);
        proa_json_close(json, '}');
    }
    proa_json_close(json, ']');
}

static void locks(const struct proa_summary *summary, struct proa_json *json)
{
    const struct proa_sum_lock *lock;

    proa_json_open(json, "locks", '[');
    for (lock = summary->locks; lock; lock = lock->hh.next) {
        proa_json_open(json, NULL, '{');
        proa_json_number(json, "window", lock->key.window);
        proa_json_number(json, "rank", lock->key.rank);
        number(json, "count", lock->count);
        number(json, "waited", lock->waited);
        proa_json_number(json, "waited_ns", lock->waited_ns);
        proa_json_number(json, "most_ns", lock->most_ns);
        number(json, "most_ahead", lock->deepest);
        proa_json_number(json, "held_ns", lock->held_ns);
        proa_json_close(json, '}');
    }
    proa_json_close(json, ']');
}

static void waits(const struct proa_summary *summary, struct proa_json *json)
{
    struct proa_places *places = summary->model->places;
    const struct proa_sum_wait *wait;

    proa_json_open(json, "waits", '[');
    for (wait = summary->waits; wait; wait = wait->hh.next) {
        proa_json_open(json, NULL, '{');
        proa_json_text(json, "for",
                       wait->key.kind < PROA_ARROW_KINDS ? proa_arrow_names[wait->key.kind] : NULL);
        proa_json_number(json, "window", wait->key.window);
        proa_json_text(json, "call", wait->call);
        proa_json_text(json, "at", proa_place_text(places, wait->key.place));
        proa_json_text(json, "awaited_call", wait->other_call);
        proa_json_text(json, "awaited_at", proa_place_text(places, wait->key.other_place));
        proa_json_number(json, "process", wait->waiter);
        proa_json_number(json, "awaited", wait->awaited);
        number(json, "count", wait->count);
        proa_json_number(json, "ns", wait->ns);
        proa_json_number(json, "most_ns", wait->most_ns);
        proa_json_text(json, "remedy", proa_summary_remedy(wait));
        proa_json_close(json, '}');
    }
    proa_json_close(json, ']');
}

void proa_trace_show_json(const struct proa_summary *summary, FILE *out)
{
    const struct proa_model *model = summary->model;
    struct proa_json json = {.out = out};

    proa_json_open(&json, NULL, '{');
    number(&json, "records", model->records);
    number(&json, "events", summary->events);
    proa_json_number(&json, "ns", model->end_ns);
    number(&json, "backward_arrows", model->backward);
    proa_json_number(&json, "backward_most_ns", model->backward_most_ns);
    proa_json_open(&json, "arrows", '{');
    for (int kind = 0; kind < PROA_ARROW_KINDS; kind++)
        number(&json, proa_arrow_names[kind], summary->arrows[kind]);
    proa_json_close(&json, '}');
    processes(summary, &json);
    windows(summary, &json);
    count(&json, "moved", &summary->moved[0]);
    count(&json, "moved_back", &summary->moved[1]);
    findings(summary, &json);
    pairs(summary, &json);
    locks(summary, &json);
    waits(summary, &json);
    proa_json_close(&json, '}');
}
