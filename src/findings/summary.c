/* SPDX-License-Identifier: BSD-3-Clause */
/* See summary.h. */
#include "findings/summary.h"
#include "base/log.h"
#include "base/settings.h"
#include "findings/documents.h"
#include "findings/lines.h"
#include "findings/sentences.h"
#include "findings/world.h"
#include "host/pmpi.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the exit status ---- */

static int fails;

static void at_exit(int status, void *unused)
{
    (void)unused;
    if (!fails || status != 0)
        return;
    fflush(NULL);
    _exit(PROA_EXIT_FINDINGS);
}

void proa_summary_begin(void)
{
    if (strcmp(proa_settings()->check_fail_on, "none") != 0)
        on_exit(at_exit, NULL);
}

static enum proa_verdict fails_from(void)
{
    const char *name = proa_settings()->check_fail_on;

    for (int verdict = PROA_NOTE; verdict <= PROA_RACE; verdict++)
        if (strcmp(name, proa_verdict_name((enum proa_verdict)verdict)) == 0)
            return (enum proa_verdict)verdict;
    return PROA_RACE + 1;
}

/* ---- gathering ---- */

/* Contribution of each process. */
struct part {
    struct proa_checked checked;
    int count, worst;
    unsigned outers; /* number of calls around the calls of its findings */
};

enum { TAG = 1 };

static void receive_bytes(void *to, size_t bytes, int rank)
{
    MPI_Request request;

    if (bytes == 0)
        return;
    proa_pmpi()->Irecv(to, (int)bytes, MPI_BYTE, rank, TAG, proa_world_comm(), &request);
    proa_pmpi()->Wait(&request, MPI_STATUS_IGNORE);
}

/* Receives in the order of `send`. */
static void receive(const struct part *parts, struct proa_found *found, struct proa_source *outers)
{
    for (int rank = 1; rank < proa_world_size(); rank++) {
        receive_bytes(found, (size_t)parts[rank].count * sizeof *found, rank);
        for (int i = 0; i < parts[rank].count; i++, found++) {
            const unsigned more = proa_found_outers(found);

            receive_bytes(outers, more * sizeof *outers, rank);
            found->outer = outers;
            outers += more;
        }
    }
}

static void send_bytes(const void *from, size_t bytes)
{
    if (bytes)
        proa_pmpi()->Send(from, (int)bytes, MPI_BYTE, 0, TAG, proa_world_comm());
}

static void send(const struct proa_found *found, int count)
{
    send_bytes(found, (size_t)count * sizeof *found);
    for (int i = 0; i < count; i++)
        send_bytes(found[i].outer, proa_found_outers(&found[i]) * sizeof *found[i].outer);
}

static unsigned outers_of(const struct proa_found *found, int count)
{
    unsigned sum = 0;

    for (int i = 0; i < count; i++)
        sum += proa_found_outers(&found[i]);
    return sum;
}

/* Findings, and the outer calls that other processes sent. */
struct all {
    struct proa_found *found;
    struct proa_source *outers;
    size_t room;
    int count;
};

/* Rank 0 replaces its own findings by all findings, if it has memory for them. */
static void receive_all(const struct part *parts, struct all *all)
{
    struct all sum = {0};
    int ready = 1;

    for (int rank = 0; rank < proa_world_size(); rank++) {
        sum.count += parts[rank].count;
        sum.room += rank ? parts[rank].outers : 0;
    }
    if (proa_world_rank() == 0) {
        sum.found = calloc((size_t)sum.count + 1, sizeof *sum.found);
        sum.outers = calloc(sum.room + 1, sizeof *sum.outers);
        ready = sum.found && sum.outers;
    }
    proa_pmpi()->Bcast(&ready, 1, MPI_INT, 0, proa_world_comm());
    if (ready && proa_world_rank() != 0)
        send(all->found, all->count);
    if (!ready || proa_world_rank() != 0) {
        free(sum.found);
        free(sum.outers);
        return;
    }
    if (all->count)
        memcpy(sum.found, all->found, (size_t)all->count * sizeof *sum.found);
    receive(parts, sum.found + all->count, sum.outers);
    free(all->found);
    *all = sum;
}

static void sum_up(const struct part *parts, struct part *sum)
{
    memset(sum, 0, sizeof *sum);
    for (int rank = 0; rank < proa_world_size(); rank++) {
        sum->checked.operations += parts[rank].checked.operations;
        sum->checked.scattered += parts[rank].checked.scattered;
        sum->checked.dropped += parts[rank].checked.dropped;
        sum->checked.untold += parts[rank].checked.untold;
        sum->checked.by_values += parts[rank].checked.by_values;
        sum->checked.unseen |= parts[rank].checked.unseen;
        if (parts[rank].worst > sum->worst)
            sum->worst = parts[rank].worst;
    }
}

/* Gathers all findings at rank 0, and the sums everywhere. Without memory each process keeps its
 * own. */
static void gather(struct all *all, struct part *part)
{
    const MPI_Comm comm = proa_world_comm();
    struct part *parts = calloc((size_t)proa_world_size(), sizeof *parts);
    int none = parts == NULL, any_none = none;

    proa_pmpi()->Allreduce(&none, &any_none, 1, MPI_INT, MPI_MAX, comm);
    if (parts && !any_none) {
        proa_pmpi()->Allgather(part, (int)sizeof *part, MPI_BYTE, parts, (int)sizeof *part,
                               MPI_BYTE, comm);
        receive_all(parts, all);
        sum_up(parts, part);
    }
    free(parts);
}

/* ---- merging ---- */

static int compare_places(const struct proa_source *one, const struct proa_source *other)
{
    int order = strcmp(one->file, other->file);

    if (!order)
        order = one->line - other->line;
    if (!order)
        order = one->address < other->address ? -1 : one->address > other->address ? 1 : 0;
    return order;
}

static int compare_calls(const struct proa_found_call *one, const struct proa_found_call *other)
{
    const int order = compare_places(&one->place, &other->place);

    return order ? order : strcmp(one->call, other->call);
}

static int compare_outer(const struct proa_found *one, const struct proa_found *other)
{
    const unsigned count = proa_found_outers(one);
    int order = 0;

    for (int i = PROA_FIRST; i <= PROA_SECOND && !order; i++)
        order = (int)one->calls[i].outer - (int)other->calls[i].outer;
    for (unsigned i = 0; i < count && !order; i++)
        order = compare_places(&one->outer[i], &other->outer[i]);
    return order;
}

/* Orders by weight, heaviest first, then by rule and places. */
static int compare(const void *one_of, const void *other_of)
{
    const struct proa_found *one = one_of, *other = other_of;
    int order = other->verdict - one->verdict;

    if (!order)
        order = strcmp(one->id, other->id);
    for (int i = PROA_FIRST; i <= PROA_SECOND && !order; i++)
        order = compare_calls(&one->calls[i], &other->calls[i]);
    return order ? order : compare_outer(one, other);
}

/* Merges findings of the same rule at the same places, on any ranks. */
static int merge(struct proa_found *found, int count)
{
    int merged = 0;

    if (count)
        qsort(found, (size_t)count, sizeof *found, compare);
    for (int i = 0; i < count; i++)
        if (merged && compare(&found[merged - 1], &found[i]) == 0) {
            found[merged - 1].count += found[i].count;
            found[merged - 1].ranks += found[i].ranks;
        } else {
            found[merged++] = found[i];
        }
    return merged;
}

/* ---- reporting ---- */

static void say_count(FILE *out, const struct proa_summary *summary, enum proa_verdict verdict,
                      const char *plural)
{
    int count = 0;

    for (int i = 0; i < summary->count; i++)
        count += summary->found[i].verdict == (int)verdict;
    fprintf(out, "%s%d %s%s", count ? proa_sentences_color(verdict) : "", count,
            count == 1 ? proa_verdict_name(verdict) : plural, count ? proa_sentences_plain() : "");
}

/* Writes one part of the line on memory and processes that were not checked. */
static void say_part(FILE *out, const char **before, uint64_t count, const char *one,
                     const char *several)
{
    if (!count)
        return;
    fprintf(out, "%s%llu %s", *before, (unsigned long long)count, count == 1 ? one : several);
    *before = "; ";
}

static void say_kind(FILE *out, const char **before, unsigned is_unseen, const char *what)
{
    if (!is_unseen)
        return;
    fprintf(out, "%s%s", *before, what);
    *before = "; ";
}

static int is_whole(const struct proa_checked *checked)
{
    return !checked->scattered && !checked->dropped && !checked->untold && !checked->by_values &&
           !checked->unseen;
}

static void say_unseen(FILE *out, const struct proa_checked *checked)
{
    const char *before = "proa:   not seen: ";

    if (is_whole(checked))
        return;
    say_part(out, &before, checked->scattered, "operation of too many pieces",
             "operations of too many pieces");
    say_part(out, &before, checked->dropped, "access, as an epoch was too long",
             "accesses, as epochs were too long");
    say_part(out, &before, checked->by_values, "access ordered only by values",
             "accesses ordered only by values");
    say_part(out, &before, checked->untold, "finding, as there were too many",
             "findings, as there were too many");
    say_kind(out, &before, checked->unseen & PROA_UNSEEN_PROCESSES,
             "conflicts between operations of different processes");
    say_kind(out, &before, checked->unseen & PROA_UNSEEN_WINDOWS, "loads and stores to windows");
    say_kind(out, &before, checked->unseen & PROA_UNSEEN_BUFFERS,
             "loads from buffers and places of stores to them");
    fprintf(out, "\n");
}

static void say_place(FILE *out, const struct proa_found *found, int call, int has_twin)
{
    proa_source_say(out, &found->calls[call].place);
    if (has_twin && found->calls[call].outer) {
        fprintf(out, " called at ");
        proa_source_say(out, proa_found_outer(found, call));
    }
}

static int are_twins(const struct proa_found *one, const struct proa_found *other)
{
    return strcmp(one->id, other->id) == 0 &&
           compare_calls(&one->calls[PROA_FIRST], &other->calls[PROA_FIRST]) == 0 &&
           compare_calls(&one->calls[PROA_SECOND], &other->calls[PROA_SECOND]) == 0;
}

static void say_places(FILE *out, const struct proa_summary *summary, int number)
{
    const struct proa_found *found = &summary->found[number];
    const int has_twin = (number > 0 && are_twins(found, found - 1)) ||
                         (number + 1 < summary->count && are_twins(found, found + 1));

    fprintf(out, "proa:   %s: %s at ", proa_verdict_name((enum proa_verdict)found->verdict),
            found->id);
    say_place(out, found, PROA_FIRST, has_twin);
    if (found->calls[PROA_SECOND].call[0]) {
        fprintf(out, " and ");
        say_place(out, found, PROA_SECOND, has_twin);
    }
    fprintf(out, ": %llu time%s, by %d rank%s\n", (unsigned long long)found->count,
            proa_log_plural(found->count), found->ranks, proa_log_plural((uint64_t)found->ranks));
}

/* "Nothing found" applies to the checked part only. */
static void say_found(FILE *out, const struct proa_summary *summary)
{
    if (summary->count == 0) {
        fprintf(out, "nothing found%s\n",
                is_whole(&summary->checked) ? "" : " in what was looked at");
        return;
    }
    say_count(out, summary, PROA_RACE, "races");
    fprintf(out, ", ");
    say_count(out, summary, PROA_MISUSE, "misuses");
    fprintf(out, ", ");
    say_count(out, summary, PROA_NOTE, "notes");
    fprintf(out, "\n");
}

static void say(FILE *out, const struct proa_summary *summary)
{
    const uint64_t operations = summary->checked.operations;

    fprintf(out, "proa: check: %d rank%s, ", summary->ranks,
            proa_log_plural((uint64_t)summary->ranks));
    if (proa_settings()->check_conflicts)
        fprintf(out, "%llu operation%s: ", (unsigned long long)operations,
                proa_log_plural(operations));
    else
        fprintf(out, "usage rules and hangs alone: ");
    say_found(out, summary);
    say_unseen(out, &summary->checked);
    for (int i = 0; i < summary->count; i++)
        say_places(out, summary, i);
}

static void write_file(const char *file, const struct proa_summary *summary,
                       void write(FILE *out, const struct proa_summary *summary))
{
    char path[4096];
    FILE *out;

    if (!file[0])
        return;
    if (proa_world_rank() == 0)
        snprintf(path, sizeof path, "%s", file);
    else
        snprintf(path, sizeof path, "%s.%d", file, proa_world_rank());
    out = fopen(path, "we");
    if (out)
        write(out, summary);
    if (!out || fclose(out) != 0)
        proa_log(PROA_LOG_WARN, "the findings could not be written to %s", path);
}

static void write_files(const struct proa_summary *summary)
{
    write_file(proa_settings()->check_json, summary, proa_document_json);
    write_file(proa_settings()->check_sarif, summary, proa_document_sarif);
}

void proa_summary_write_now(void)
{
    struct proa_summary summary = {.ranks = 1};
    struct proa_found *found = proa_finding_all(&summary.count, &summary.checked);

    summary.found = found;
    write_files(&summary);
    free(found);
}

static void tell(const struct proa_summary *summary)
{
    struct proa_piece piece;

    if (proa_piece_open(&piece)) {
        say(piece.out, summary);
        proa_piece_close(&piece);
    }
    write_files(summary);
}

/* Returns true if this process reports: one rank for all. Of ranks that report for themselves, rank
 * 0 and those with findings. */
static int speaks(const struct proa_summary *summary)
{
    return proa_world_rank() == 0 ||
           (proa_world_comm() == MPI_COMM_NULL &&
            (summary->count || summary->checked.scattered || summary->checked.dropped));
}

static int worst_of(const struct proa_found *found, int count)
{
    int worst = PROA_NO_VERDICT;

    for (int i = 0; i < count; i++)
        if (found[i].verdict > worst)
            worst = found[i].verdict;
    return worst;
}

void proa_summary_tell(void)
{
    static int told;
    const int are_all = proa_world_comm() != MPI_COMM_NULL;
    struct proa_summary summary = {.ranks = are_all ? proa_world_size() : 1};
    struct part part = {0};
    struct all all = {0};

    if (told)
        return;
    told = 1;
    all.found = proa_finding_all(&all.count, &part.checked);
    part.count = all.count;
    part.outers = outers_of(all.found, all.count);
    part.worst = worst_of(all.found, all.count);
    if (are_all)
        gather(&all, &part);
    fails = part.worst >= (int)fails_from();
    summary.count = merge(all.found, all.count);
    summary.found = all.found;
    summary.checked = part.checked;
    if (speaks(&summary))
        tell(&summary);
    free(all.found);
    free(all.outers);
    proa_finding_forget();
    proa_lines_end();
}
