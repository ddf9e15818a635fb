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

/* What each process brings. */
struct part {
    struct proa_checked checked;
    int count, worst;
};

enum { TAG = 1 };

static void receive(const struct part *parts, struct proa_found *found)
{
    MPI_Request request;

    for (int rank = 1; rank < proa_world_size(); rank++) {
        const int bytes = parts[rank].count * (int)sizeof *found;

        if (bytes == 0)
            continue;
        proa_pmpi()->Irecv(found, bytes, MPI_BYTE, rank, TAG, proa_world_comm(), &request);
        proa_pmpi()->Wait(&request, MPI_STATUS_IGNORE);
        found += parts[rank].count;
    }
}

/* Rank 0 gets all findings in place of its own, if it has memory for them. */
static void receive_all(const struct part *parts, struct proa_found **found, int *count)
{
    struct proa_found *all = NULL;
    size_t sum = 0;
    int ready = 1;

    for (int rank = 0; rank < proa_world_size(); rank++)
        sum += (size_t)parts[rank].count;
    if (proa_world_rank() == 0)
        ready = (all = calloc(sum + 1, sizeof *all)) != NULL;
    proa_pmpi()->Bcast(&ready, 1, MPI_INT, 0, proa_world_comm());
    if (!all) {
        if (ready && *count)
            proa_pmpi()->Send(*found, *count * (int)sizeof **found, MPI_BYTE, 0, TAG,
                              proa_world_comm());
        return;
    }
    if (*count)
        memcpy(all, *found, (size_t)*count * sizeof *all);
    receive(parts, all + *count);
    free(*found);
    *found = all;
    *count = (int)sum;
}

static void sum_up(const struct part *parts, struct part *sum)
{
    memset(sum, 0, sizeof *sum);
    for (int rank = 0; rank < proa_world_size(); rank++) {
        sum->checked.operations += parts[rank].checked.operations;
        sum->checked.scattered += parts[rank].checked.scattered;
        sum->checked.dropped += parts[rank].checked.dropped;
        sum->checked.untold += parts[rank].checked.untold;
        if (parts[rank].worst > sum->worst)
            sum->worst = parts[rank].worst;
    }
}

/* Brings all findings to rank 0, and the sums to all; without memory each keeps its own. */
static void gather(struct proa_found **found, int *count, struct part *part)
{
    const MPI_Comm comm = proa_world_comm();
    struct part *parts = calloc((size_t)proa_world_size(), sizeof *parts);
    int none = parts == NULL, any_none = none;

    proa_pmpi()->Allreduce(&none, &any_none, 1, MPI_INT, MPI_MAX, comm);
    if (parts && !any_none) {
        proa_pmpi()->Allgather(part, (int)sizeof *part, MPI_BYTE, parts, (int)sizeof *part,
                               MPI_BYTE, comm);
        receive_all(parts, found, count);
        sum_up(parts, part);
    }
    free(parts);
}

/* ---- merging ---- */

static int compare_calls(const struct proa_found_call *one, const struct proa_found_call *other)
{
    int order = strcmp(one->place.file, other->place.file);

    if (!order)
        order = one->place.line - other->place.line;
    if (!order)
        order = one->place.address < other->place.address   ? -1
                : one->place.address > other->place.address ? 1
                                                            : 0;
    return order ? order : strcmp(one->call, other->call);
}

/* The heaviest first, then by rule and places. */
static int compare(const void *one_of, const void *other_of)
{
    const struct proa_found *one = one_of, *other = other_of;
    int order = other->verdict - one->verdict;

    if (!order)
        order = strcmp(one->id, other->id);
    for (int i = PROA_FIRST; i <= PROA_SECOND && !order; i++)
        order = compare_calls(&one->calls[i], &other->calls[i]);
    return order;
}

/* One finding for the same rule at the same places, whichever ranks have found it. */
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

/* ---- telling ---- */

static void say_count(FILE *out, const struct proa_summary *summary, enum proa_verdict verdict,
                      const char *plural)
{
    int count = 0;

    for (int i = 0; i < summary->count; i++)
        count += summary->found[i].verdict == (int)verdict;
    fprintf(out, "%s%d %s%s", count ? proa_sentences_color(verdict) : "", count,
            count == 1 ? proa_verdict_name(verdict) : plural, count ? proa_sentences_plain() : "");
}

static void say_left_out(FILE *out, const struct proa_checked *checked)
{
    if (checked->scattered)
        fprintf(out, "; not checked: %llu of too many pieces",
                (unsigned long long)checked->scattered);
    if (checked->dropped)
        fprintf(out, "; not kept: %llu accesses, as epochs were too long",
                (unsigned long long)checked->dropped);
    if (checked->untold)
        fprintf(out, "; not told: %llu findings, as there were too many",
                (unsigned long long)checked->untold);
}

static void say_places(FILE *out, const struct proa_found *found)
{
    fprintf(out, "proa:   %s: %s at ", proa_verdict_name((enum proa_verdict)found->verdict),
            found->id);
    proa_source_say(out, &found->calls[PROA_FIRST].place);
    if (found->calls[PROA_SECOND].call[0]) {
        fprintf(out, " and ");
        proa_source_say(out, &found->calls[PROA_SECOND].place);
    }
    fprintf(out, ": %llu time%s, by %d rank%s\n", (unsigned long long)found->count,
            found->count == 1 ? "" : "s", found->ranks, found->ranks == 1 ? "" : "s");
}

static void say(FILE *out, const struct proa_summary *summary)
{
    fprintf(out, "proa: check: %d rank%s, %llu operations: ", summary->ranks,
            summary->ranks == 1 ? "" : "s", (unsigned long long)summary->checked.operations);
    if (summary->count == 0)
        fprintf(out, "nothing found");
    else {
        say_count(out, summary, PROA_RACE, "races");
        fprintf(out, ", ");
        say_count(out, summary, PROA_MISUSE, "misuses");
        fprintf(out, ", ");
        say_count(out, summary, PROA_NOTE, "notes");
    }
    say_left_out(out, &summary->checked);
    fprintf(out, "\n");
    for (int i = 0; i < summary->count; i++)
        say_places(out, &summary->found[i]);
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

/* Of all ranks only one speaks; of ranks that speak for themselves, rank 0 and those with
 * findings. */
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
    struct proa_found *found;
    struct part part = {0};
    int count;

    if (told)
        return;
    told = 1;
    found = proa_finding_all(&count, &part.checked);
    part.count = count;
    part.worst = worst_of(found, count);
    if (are_all)
        gather(&found, &count, &part);
    fails = part.worst >= (int)fails_from();
    summary.count = merge(found, count);
    summary.found = found;
    summary.checked = part.checked;
    if (speaks(&summary))
        tell(&summary);
    free(found);
    proa_finding_forget();
    proa_lines_end();
}
