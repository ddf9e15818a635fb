/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See hang.h.
 *
 * All processes wait at one moment if each is in the same episode before and after it. Rank 0
 * records when it received the first and the last report of an episode. The moment is the latest of
 * the first reports.
 */
#include "hang/hang.h"
#include "base/system.h"
#include "findings/finding.h"
#include "findings/sentences.h"
#include "findings/summary.h"
#include "findings/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks that are reported one by one, and ranks in one line. */
enum { TOLD_MOST = 32, LISTED_MOST = 8 };

struct known {
    struct proa_stuck *stuck; /* NULL until a report arrives */
    long first_ns, last_ns;
};

static struct known *known; /* by rank; NULL if this process is not rank 0 */
static int told;

void proa_hang_begin(void)
{
    if (proa_world_rank() == 0)
        known = calloc((size_t)proa_world_size(), sizeof *known);
}

void proa_hang_end(void)
{
    for (int rank = 0; known && rank < proa_world_size(); rank++)
        free(known[rank].stuck);
    free(known);
    known = NULL;
}

/* ---- reports ---- */

static int is_text(const char *text, size_t room)
{
    return memchr(text, '\0', room) != NULL;
}

static int is_wait(const struct proa_stuck_wait *wait)
{
    return is_text(wait->call, sizeof wait->call) && is_text(wait->window, sizeof wait->window) &&
           is_text(wait->what, sizeof wait->what) &&
           is_text(wait->source.file, sizeof wait->source.file) &&
           is_text(wait->source.function, sizeof wait->source.function) && wait->count >= 0 &&
           wait->count <= PROA_STUCK_RANKS && wait->messages >= 0 &&
           wait->messages <= PROA_STUCK_MESSAGES;
}

static int is_report(const struct proa_stuck *stuck)
{
    if (stuck->rank < 0 || stuck->rank >= proa_world_size() || stuck->waits < 1 ||
        stuck->waits > PROA_STUCK_WAITS || stuck->locks < 0 || stuck->locks > PROA_STUCK_LOCKS ||
        stuck->pending < 0 || stuck->pending > PROA_STUCK_MESSAGES || stuck->done < 0 ||
        stuck->done > PROA_STUCK_DONE)
        return 0;
    for (int i = 0; i < stuck->waits; i++)
        if (!is_wait(&stuck->wait[i]))
            return 0;
    return 1;
}

static void keep(const struct proa_stuck *stuck)
{
    struct known *of = &known[stuck->rank];
    const long now_ns = proa_system->now_ns();

    if (!of->stuck)
        of->stuck = calloc(1, sizeof *of->stuck);
    if (!of->stuck)
        return;
    if (of->stuck->episode != stuck->episode || of->stuck->waits == 0)
        of->first_ns = now_ns;
    of->last_ns = now_ns;
    *of->stuck = *stuck;
}

static int do_all_wait(void)
{
    long moment_ns = 0;

    for (int rank = 0; rank < proa_world_size(); rank++) {
        if (!known[rank].stuck)
            return 0;
        if (known[rank].first_ns > moment_ns)
            moment_ns = known[rank].first_ns;
    }
    for (int rank = 0; rank < proa_world_size(); rank++)
        if (known[rank].last_ns <= moment_ns)
            return 0;
    return 1;
}

/* ---- awaited ranks ---- */

static const struct proa_stuck_wait *wait_of(int rank)
{
    return &known[rank].stuck->wait[0];
}

static int is_same_call(const struct proa_stuck_wait *one, const struct proa_stuck_wait *other)
{
    return one->id == other->id && strcmp(one->call, other->call) == 0;
}

/* Returns true if a thread of that rank is in the call that the wait is for. */
static int is_in(int rank, const struct proa_stuck_wait *wait)
{
    const struct proa_stuck *stuck = known[rank].stuck;

    for (int i = 0; i < stuck->waits; i++)
        if (is_same_call(&stuck->wait[i], wait))
            return 1;
    return 0;
}

/* Returns the number of calls on that communicator. Calls on windows are not counted. */
static uint64_t calls_done(int rank, uint64_t id)
{
    const struct proa_stuck *stuck = known[rank].stuck;

    for (int i = 0; i < stuck->done; i++)
        if (stuck->did[i].id == id)
            return stuck->did[i].count;
    return 0;
}

/* Returns true if the other rank has left the collective call that this rank is in. */
static int is_ahead(int other, int rank)
{
    const uint64_t id = wait_of(rank)->id;

    return calls_done(other, id) > calls_done(rank, id);
}

static int holds(int rank, const struct proa_stuck_wait *wait)
{
    const struct proa_stuck *stuck = known[rank].stuck;

    for (int i = 0; i < stuck->locks; i++)
        if (stuck->lock[i].id == wait->id && (wait->target < 0 || stuck->lock[i].target < 0 ||
                                              stuck->lock[i].target == wait->target))
            return 1;
    return 0;
}

/* Returns true if that rank is in the awaited call on the window of the wait. It is not missing
 * then. */
static int is_in_awaited(int rank, const struct proa_stuck_wait *wait)
{
    const struct proa_stuck *stuck = known[rank].stuck;

    for (int i = 0; i < stuck->waits; i++)
        if (stuck->wait[i].id == wait->id && strcmp(stuck->wait[i].call, wait->what) == 0)
            return 1;
    return 0;
}

static int lists(const struct proa_stuck_wait *wait, int rank)
{
    for (int i = 0; i < wait->count; i++)
        if (wait->rank[i] == rank)
            return 1;
    return 0;
}

static int waits_for(int rank, int other)
{
    const struct proa_stuck_wait *wait = wait_of(rank);

    switch (wait->kind) {
    case PROA_STUCK_LIST:
        return lists(wait, other) && !is_in_awaited(other, wait);
    case PROA_STUCK_SOME:
        return lists(wait, other);
    case PROA_STUCK_ALL:
        return other != rank && lists(wait, other) && !is_in(other, wait) && !is_ahead(other, rank);
    case PROA_STUCK_LOCK:
        return other != rank && holds(other, wait);
    default:
        return 0;
    }
}

static int first_awaited(int rank)
{
    for (int other = 0; other < proa_world_size(); other++)
        if (waits_for(rank, other))
            return other;
    return -1;
}

/* Returns the one awaited rank. Returns -1 for several, as some may not be awaited any more. */
static int surely_awaited(int rank)
{
    return wait_of(rank)->kind == PROA_STUCK_SOME ? -1 : first_awaited(rank);
}

/* Returns a rank on a cycle of waits; -1 if none is found. A walk along the first awaited ranks
 * ends in a cycle, or at a rank that waits for none. */
static int on_cycle(void)
{
    for (int start = 0; start < proa_world_size(); start++) {
        int rank = start;

        for (int steps = 0; steps < proa_world_size() && rank >= 0; steps++)
            rank = surely_awaited(rank);
        if (rank >= 0)
            return rank;
    }
    return -1;
}

/* ---- calls with a counterpart ---- */

/* Returns true if one of these messages is the counterpart of that rank's message. */
static int is_matched(int rank, const struct proa_stuck_message *message,
                      const struct proa_stuck_message *others, int count)
{
    for (int i = 0; i < count; i++)
        if (others[i].way != message->way && (others[i].rank < 0 || others[i].rank == rank) &&
            (others[i].tag < 0 || message->tag < 0 || others[i].tag == message->tag))
            return 1;
    return 0;
}

static int is_answered_by(int other, int rank, const struct proa_stuck_message *message)
{
    const struct proa_stuck *stuck = known[other].stuck;

    for (int i = 0; i < stuck->waits; i++)
        if (is_matched(rank, message, stuck->wait[i].message, stuck->wait[i].messages))
            return 1;
    return is_matched(rank, message, stuck->message, stuck->pending);
}

static int is_answered(int rank, const struct proa_stuck_message *message)
{
    for (int other = 0; other < proa_world_size(); other++)
        if ((message->rank < 0 || message->rank == other) && is_answered_by(other, rank, message))
            return 1;
    return 0;
}

static int may_go_on(int rank)
{
    const struct proa_stuck_wait *wait = wait_of(rank);

    if (wait->kind != PROA_STUCK_OPEN && first_awaited(rank) < 0)
        return 1;
    for (int i = 0; i < wait->messages; i++)
        if (is_answered(rank, &wait->message[i]))
            return 1;
    return 0;
}

/* A call that awaits no rank works: it moves much data, or the machine is busy. */
static int may_any_go_on(void)
{
    for (int rank = 0; rank < proa_world_size(); rank++)
        if (may_go_on(rank))
            return 1;
    return 0;
}

/* ---- sentences ---- */

static void say_ranks(FILE *out, int rank)
{
    const char *before = " of rank ";
    int listed = 0;

    for (int other = 0; other < proa_world_size(); other++)
        if (waits_for(rank, other)) {
            if (listed++ == LISTED_MOST) {
                fprintf(out, ", ...");
                return;
            }
            fprintf(out, "%s%d", before, other);
            before = ", ";
        }
}

static void say_what(FILE *out, int rank)
{
    const struct proa_stuck_wait *wait = wait_of(rank);

    fprintf(out, "%s", wait->kind == PROA_STUCK_ALL ? wait->call : wait->what);
    say_ranks(out, rank);
}

static void say_rank(FILE *out, int rank)
{
    const struct proa_stuck_wait *wait = wait_of(rank);

    fprintf(out, "proa:   rank %d: %s, at %s", rank, wait->call,
            proa_sentences_color(PROA_NO_VERDICT));
    proa_source_say(out, &wait->source);
    fprintf(out, "%s, for %d s, waits", proa_sentences_plain(), wait->seconds);
    if (first_awaited(rank) >= 0 || wait->kind != PROA_STUCK_ALL) {
        fprintf(out, " for ");
        say_what(out, rank);
    }
    if (wait->window[0])
        fprintf(out, " (window \"%s\")", wait->window);
    fprintf(out, "\n");
}

static void say_cycle(FILE *out, int rank)
{
    const int first = rank;

    fprintf(out, "proa:   cycle: rank %d waits for rank %d", rank, first_awaited(rank));
    for (rank = first_awaited(rank); rank != first; rank = first_awaited(rank))
        fprintf(out, ", which waits for rank %d", first_awaited(rank));
    fprintf(out, "\n");
}

static void say(FILE *out, int cycle)
{
    const int size = proa_world_size();

    fprintf(out, "proa: %shang:%s %s wait%s, and none can go on\n",
            proa_sentences_color(PROA_MISUSE), proa_sentences_plain(),
            size == 1 ? "the only rank" : "all ranks", size == 1 ? "s" : "");
    for (int rank = 0; rank < size && rank < TOLD_MOST; rank++)
        say_rank(out, rank);
    if (size > TOLD_MOST)
        fprintf(out, "proa:   %d more ranks wait\n", size - TOLD_MOST);
    if (cycle >= 0)
        say_cycle(out, cycle);
}

/* ---- a finding ---- */

static struct proa_finding_call call_of(int rank)
{
    const struct proa_stuck_wait *wait = wait_of(rank);

    return (struct proa_finding_call){
        .call = wait->call, .place = &wait->source, .other = 1 + rank};
}

/* The program may never end, so the findings so far are written to the files now. */
static void find(int cycle)
{
    const int first = cycle < 0 ? 0 : cycle, second = first_awaited(first);
    struct proa_finding finding = {
        .verdict = PROA_MISUSE,
        .id = "hang",
        .rule = "a call that waits is ended by its counterpart in the ranks that it waits for "
                "(MPI-4.1, 13.5 and 3.5)",
        .what = "all ranks wait, and none can go on",
        .is_told = 1,
    };

    finding.calls[PROA_FIRST] = call_of(first);
    if (second >= 0 && second != first)
        finding.calls[PROA_SECOND] = call_of(second);
    proa_finding_add(&finding);
    proa_summary_write_now();
}

void proa_hang_know(const struct proa_stuck *stuck)
{
    struct proa_piece piece;
    int cycle;

    if (!known || told || !is_report(stuck))
        return;
    keep(stuck);
    if (!do_all_wait() || may_any_go_on())
        return;
    told = 1;
    cycle = on_cycle();
    if (proa_piece_open(&piece)) {
        say(piece.out, cycle);
        proa_piece_close(&piece);
    }
    find(cycle);
}
