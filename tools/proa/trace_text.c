/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a trace as text. */
#include "trace.h"

#include "base/log.h"
#include "place.h"
#include "text.h"

#include <stdlib.h>

enum { WORST = 10, MATRIX_MOST = 16, PAIRS = 10 };

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static int rank_of(const struct proa_summary *summary, int process)
{
    return process < 0 ? -1 : summary->model->processes[process].rank;
}

/* Returns true if two processes of one rank exist, one after the other. */
static int has_twins(const struct proa_model *model)
{
    for (int i = 1; i < model->process_count; i++)
        if (model->processes[i].rank == model->processes[i - 1].rank)
            return 1;
    return 0;
}

static void show_processes(const struct proa_model *model, FILE *out)
{
    const int nodes = model->clocks.count, windows = model->window_count;

    fprintf(out, "%d process%s on %d node%s, %d window%s, %llu record%s, %.3f s\n",
            model->process_count, model->process_count == 1 ? "" : "es", nodes,
            proa_log_plural((uint64_t)nodes), windows, proa_log_plural((uint64_t)windows),
            (unsigned long long)model->records, proa_log_plural(model->records),
            (double)model->end_ns / 1e9);
    for (int i = 0; i < model->process_count; i++) {
        const struct proa_model_process *process = &model->processes[i];

        if (process->is_killed)
            fprintf(out, "rank %d (pid %d, %s) did not end in order: its trace ends where it did\n",
                    process->rank, process->pid, process->host);
        if (process->dropped)
            fprintf(out, "rank %d dropped %llu record%s from %.3f s on: %s\n", process->rank,
                    (unsigned long long)process->dropped, proa_log_plural(process->dropped),
                    (double)process->dropped_since_ns / 1e9,
                    process->had_room ? "there was no more room for its file"
                                      : "PROA_TRACE_LIMIT was reached");
    }
    if (has_twins(model))
        fprintf(out, "several processes are of one rank: the folder has more than one run, or "
                     "programs that were spawned\n");
    for (int i = 1; i < model->clocks.count; i++) {
        const struct proa_clock *clock = &model->clocks.clocks[i];

        if (clock->is_known)
            fprintf(out, "the clock of node %d is known to %.3f us, by %d comparison%s\n", i,
                    (double)clock->error_ns / 1e3, clock->count,
                    proa_log_plural((uint64_t)clock->count));
        else
            fprintf(out, "the clock of node %d was never compared with that of the first\n", i);
    }
    if (model->backward)
        fprintf(out, "%llu arrow%s back in time, by %.3f us at most beyond these errors\n",
                (unsigned long long)model->backward, model->backward == 1 ? " goes" : "s go",
                (double)model->backward_most_ns / 1e3);
}

static void show_time(const char *what, const struct proa_sum_notify *times, FILE *out)
{
    if (times->count)
        fprintf(out, "  %s: %llu, %.3f us on average, %.3f us at most\n", what,
                (unsigned long long)times->count, (double)times->ns / 1e3 / (double)times->count,
                (double)times->most_ns / 1e3);
}

static void show_count(const char *what, const struct proa_sum_count *count, FILE *out)
{
    if (count->count)
        fprintf(out, "  %s: %llu, %llu bytes\n", what, (unsigned long long)count->count,
                (unsigned long long)count->bytes);
}

/* Prints the ways of operations, and the traffic of the window with other nodes. */
static void show_traffic(const struct proa_sum_window *window, FILE *out)
{
    const struct proa_sum_count *ways = window->ways;
    const struct proa_sum_count store = {
        ways[PROA_MODEL_STORE].count + ways[PROA_MODEL_STORE_GENERAL].count,
        ways[PROA_MODEL_STORE].bytes + ways[PROA_MODEL_STORE_GENERAL].bytes};

    show_count("operations by load and store", &store, out);
    show_count("operations by the kernel", &ways[PROA_MODEL_KERNEL], out);
    show_count("operations by the network", &ways[PROA_MODEL_NETWORK], out);
    show_count("messages sent", &window->sent, out);
    show_count("messages received", &window->received, out);
    show_count("parts of operations applied at their targets", &window->applied, out);
    show_time("operations until their targets had applied them", &window->delivered, out);
}

static void show_window(const struct proa_summary *summary, int index, FILE *out)
{
    const struct proa_model_window *window = &summary->model->windows[index];
    const struct proa_sum_notify *notify = &summary->notify[index];
    const char *head =
        "  epochs       count      time ms    waited ms   operations          bytes\n";

    fprintf(out, "\nwindow %d \"%s\" (%s, %d ranks)\n", index + 1, window->shown, window->maker,
            window->size);
    for (int kind = 0; kind < PROA_MODEL_EPOCH_KINDS; kind++) {
        const struct proa_sum_epochs *sum = &summary->epochs[index * PROA_MODEL_EPOCH_KINDS + kind];

        if (sum->count == 0)
            continue;
        fputs(head, out);
        head = "";
        fprintf(out, "  %-8s %9llu %12.3f %12.3f %12llu %14llu", proa_epoch_names[kind],
                (unsigned long long)sum->count, ms(sum->ns), ms(sum->waited_ns),
                (unsigned long long)sum->operations, (unsigned long long)sum->bytes);
        if (sum->never_ended)
            fprintf(out, "  (%llu never ended)", (unsigned long long)sum->never_ended);
        fputc('\n', out);
    }
    show_traffic(&summary->windows[index], out);
    show_time("notifications, from operation to wait", notify, out);
}

static void show_moved(const struct proa_summary *summary, FILE *out)
{
    if (summary->moved[0].count || summary->moved[1].count)
        fprintf(out, "\npages of the program's\n");
    show_count("moved to where neighbours map them", &summary->moved[0], out);
    show_count("moved back", &summary->moved[1], out);
}

static void show_findings(const struct proa_summary *summary, FILE *out)
{
    struct proa_places *places = summary->model->places;

    if (summary->finding_count)
        fprintf(out, "\nfindings of check mode\n");
    for (int i = 0; i < summary->finding_count; i++) {
        const struct proa_sum_finding *finding = &summary->findings[i];
        char *text;

        fprintf(out, "  rank %d: %s", rank_of(summary, finding->process), finding->call);
        if (finding->place >= 0)
            fprintf(out, " at %s", proa_place_text(places, finding->place));
        if (finding->other_place >= 0)
            fprintf(out, ", with the call at %s", proa_place_text(places, finding->other_place));
        text = proa_text_shown(finding->text);
        fprintf(out, "\n      %s\n", text);
        free(text);
    }
}

static int64_t pair_ns(const struct proa_summary *summary, int waiter, int awaited)
{
    const struct proa_sum_pair *pair;

    for (pair = summary->pairs; pair; pair = pair->hh.next)
        if (pair->key.waiter == waiter && pair->key.awaited == awaited)
            return pair->ns;
    return 0;
}

static void show_matrix(const struct proa_summary *summary, FILE *out)
{
    const int count = summary->model->process_count;

    fprintf(out, "\nwaiting, ms: the rank of a row waited for that of a column\n      ");
    for (int awaited = 0; awaited < count; awaited++)
        fprintf(out, " %10d", rank_of(summary, awaited));
    fprintf(out, "      others\n");
    for (int waiter = 0; waiter < count; waiter++) {
        fprintf(out, "%6d", rank_of(summary, waiter));
        for (int awaited = 0; awaited < count; awaited++)
            fprintf(out, " %10.3f", ms(pair_ns(summary, waiter, awaited)));
        fprintf(out, "  %10.3f\n", ms(pair_ns(summary, waiter, -1)));
    }
}

static void show_pairs(const struct proa_summary *summary, FILE *out)
{
    const struct proa_sum_pair *pair = summary->pairs;

    fprintf(out, "\nwaiting, the worst pairs\n");
    for (int i = 0; i < PAIRS && pair; i++, pair = pair->hh.next)
        fprintf(out, "  rank %d for rank %d: %.3f ms in %llu wait%s\n",
                rank_of(summary, pair->key.waiter), rank_of(summary, pair->key.awaited),
                ms(pair->ns), (unsigned long long)pair->count, proa_log_plural(pair->count));
}

static void show_late_posts(const struct proa_summary *summary, FILE *out)
{
    const char *head = "\nlate posts\n";
    const struct proa_sum_wait *wait;

    for (wait = summary->waits; wait; wait = wait->hh.next) {
        if (wait->key.kind != PROA_ARROW_POST)
            continue;
        fputs(head, out);
        head = "";
        fprintf(out, "  at %s: %llu waited for, %.3f ms in all, %.3f ms at most (rank %d)\n",
                proa_place_text(summary->model->places, wait->key.other_place),
                (unsigned long long)wait->count, ms(wait->ns), ms(wait->most_ns),
                rank_of(summary, wait->awaited));
    }
}

static void show_locks(const struct proa_summary *summary, FILE *out)
{
    const char *head = "\nlocks that were waited for\n";
    const struct proa_sum_lock *lock;

    for (lock = summary->locks; lock; lock = lock->hh.next) {
        if (!lock->waited)
            continue;
        fputs(head, out);
        head = "";
        fprintf(out,
                "  window %d, rank %d: %llu of %llu, %.3f ms in all, %.3f ms at most, %llu ahead "
                "at most; held for %.3f ms\n",
                lock->key.window + 1, lock->key.rank, (unsigned long long)lock->waited,
                (unsigned long long)lock->count, ms(lock->waited_ns), ms(lock->most_ns),
                (unsigned long long)lock->deepest, ms(lock->held_ns));
    }
}

static void show_worst(const struct proa_summary *summary, FILE *out)
{
    struct proa_places *places = summary->model->places;
    const struct proa_sum_wait *wait = summary->waits;

    if (wait)
        fprintf(out, "\nthe worst waits\n");
    for (int i = 0; i < WORST && wait; i++, wait = wait->hh.next) {
        fprintf(out, "  %2d. %.3f ms in %llu wait%s, %.3f ms at most: %s at %s", i + 1,
                ms(wait->ns), (unsigned long long)wait->count, proa_log_plural(wait->count),
                ms(wait->most_ns), wait->call, proa_place_text(places, wait->key.place));
        if (wait->other_call)
            fprintf(out, ", for %s at %s", wait->other_call,
                    proa_place_text(places, wait->key.other_place));
        if (wait->awaited >= 0)
            fprintf(out, " (rank %d for rank %d)", rank_of(summary, wait->waiter),
                    rank_of(summary, wait->awaited));
        fprintf(out, "\n      %s\n", proa_summary_remedy(wait));
    }
}

void proa_trace_show(const struct proa_summary *summary, FILE *out)
{
    show_processes(summary->model, out);
    for (int i = 0; i < summary->model->window_count; i++)
        show_window(summary, i, out);
    show_moved(summary, out);
    show_findings(summary, out);
    if (summary->pairs && summary->model->process_count <= MATRIX_MOST)
        show_matrix(summary, out);
    else if (summary->pairs)
        show_pairs(summary, out);
    show_late_posts(summary, out);
    show_locks(summary, out);
    show_worst(summary, out);
}
