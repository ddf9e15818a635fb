/* SPDX-License-Identifier: BSD-3-Clause */
/* See report.h. */
#include "watch/report.h"
#include "base/log.h"
#include "base/settings.h"
#include "host/pmpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* The data kept of a window: the counts of each rank, and the waits of each rank for each other,
 * row by row. */
struct report {
    struct report *prev, *next;
    char name[PROA_HANDLE_NAME_BYTES];
    enum proa_flavor flavor;
    int ranks;                   /* ranks with counts here: all of the window, or one */
    int size;                    /* size of the window */
    unsigned long long *waited;  /* `ranks` rows of `size`; stored after the counts */
    struct proa_stats numbers[]; /* by rank */
};

static struct report *reports;

static const char *const row_names[PROA_STATS_CALLS] = {"put",
                                                        "get",
                                                        "accumulate",
                                                        "get_accumulate",
                                                        "fetch_and_op",
                                                        "compare_and_swap",
                                                        "Win_fence",
                                                        "Win_start",
                                                        "Win_complete",
                                                        "Win_post",
                                                        "Win_wait",
                                                        "Win_test",
                                                        "Win_lock",
                                                        "Win_unlock",
                                                        "Win_lock_all",
                                                        "Win_unlock_all",
                                                        "Win_flush",
                                                        "Win_sync",
                                                        "Win_wait_notify"};

static const char *const way_names[PROA_STATS_WAYS] = {"plain", "general", "kernel", "network"};
static const char *const target_names[PROA_STATS_REGIONS + 1] = {
    "load and store", "load and store", "the kernel", "the network", "region by region"};
static const char *const flavor_names[] = {[PROA_FLAVOR_CREATE] = "create",
                                           [PROA_FLAVOR_ALLOCATE] = "allocate",
                                           [PROA_FLAVOR_DYNAMIC] = "dynamic",
                                           [PROA_FLAVOR_SHARED] = "allocate_shared"};

/* ---- gathering ---- */

static struct report *report_new(const struct proa_record *record, int ranks)
{
    size_t waits = (size_t)ranks * (size_t)record->size;
    struct report *report = calloc(1, sizeof *report + (size_t)ranks * sizeof report->numbers[0] +
                                          waits * sizeof report->waited[0]);

    if (!report)
        return NULL;
    memcpy(report->name, record->name, sizeof report->name);
    report->flavor = record->flavor;
    report->ranks = ranks;
    report->size = record->size;
    report->waited = (unsigned long long *)&report->numbers[ranks];
    return report;
}

/* All ranks receive all counts, and rank 0 keeps them. This needs only the host's calls that
 * creation uses, and windows are not freed often. */
static void gather(const struct proa_record *record, struct report *report)
{
    const int bytes = (int)sizeof record->numbers;
    const int row_bytes = record->size * (int)sizeof *record->waited_for;

    if (record->comm == MPI_COMM_NULL) {
        memcpy(report->numbers, &record->numbers, (size_t)bytes);
        memcpy(report->waited, record->waited_for, (size_t)row_bytes);
        return;
    }
    proa_pmpi()->Allgather(&record->numbers, bytes, MPI_BYTE, report->numbers, bytes, MPI_BYTE,
                           record->comm);
    proa_pmpi()->Allgather(record->waited_for, row_bytes, MPI_BYTE, report->waited, row_bytes,
                           MPI_BYTE, record->comm);
}

/* The ranks first agree that each has memory. */
void proa_report_gather(const struct proa_record *record)
{
    int alone = record->comm == MPI_COMM_NULL, none, any_none;
    struct report *report = report_new(record, alone ? 1 : record->size);

    none = any_none = !report;
    if (!alone)
        proa_pmpi()->Allreduce(&none, &any_none, 1, MPI_INT, MPI_MAX, record->comm);
    if (report && !any_none)
        gather(record, report);
    if (report && !any_none && (alone || record->rank == 0))
        DL_APPEND(reports, report);
    else
        free(report);
}

/* ---- sums ---- */

/* The structure consists of numbers of one type (include/proa.h). */
static struct proa_stats sum_of(const struct report *report)
{
    struct proa_stats sum = {0};
    unsigned long long *to = (unsigned long long *)&sum;

    for (int rank = 0; rank < report->ranks; rank++) {
        const unsigned long long *one = (const unsigned long long *)&report->numbers[rank];
        for (size_t i = 0; i < sizeof sum / sizeof *to; i++)
            to[i] += one[i];
    }
    return sum;
}

struct pair {
    int waiter, awaited;
    unsigned long long ns;
};

/* The pairs with the longest waits, longest first; unused entries have 0 ns. */
enum { PAIRS = 3 };
static void worst_pairs(const struct report *report, struct pair pairs[PAIRS])
{
    memset(pairs, 0, PAIRS * sizeof *pairs);
    for (int i = 0; i < report->ranks; i++)
        for (int j = 0; j < report->size; j++) {
            struct pair one = {i, j, report->waited[(size_t)i * (size_t)report->size + (size_t)j]};
            for (int k = 0; k < PAIRS; k++)
                if (one.ns > pairs[k].ns) {
                    struct pair before = pairs[k];
                    pairs[k] = one;
                    one = before;
                }
        }
}

/* ---- text ---- */

static void show_memory(const struct proa_stats *sum, FILE *out)
{
    const char *before = "; memory by ";

    for (int way = 0; way <= PROA_STATS_REGIONS; way++) {
        if (sum->targets[way] == 0 || (way == PROA_STATS_GENERAL && sum->targets[PROA_STATS_PLAIN]))
            continue;
        fprintf(out, "%s%s", before, target_names[way]);
        before = ", ";
    }
    fprintf(out, "\n");
}

static void show_operations(const struct proa_stats *sum, FILE *out)
{
    for (int row = 0; row < PROA_STATS_OPERATIONS; row++) {
        if (sum->calls[row].count == 0)
            continue;
        unsigned long long bytes = 0;
        for (int way = 0; way < PROA_STATS_WAYS; way++)
            bytes += sum->operations[row][way].bytes;
        fprintf(out, "proa:   %-17s %10llu  %13llu bytes ", row_names[row], sum->calls[row].count,
                bytes);
        for (int way = 0; way < PROA_STATS_WAYS; way++)
            if (sum->operations[row][way].count)
                fprintf(out, " %s %llu", way_names[way], sum->operations[row][way].count);
        fprintf(out, "\n");
    }
}

static void show_calls(const struct proa_stats *sum, FILE *out)
{
    for (int row = 0; row < PROA_STATS_CALLS; row++) {
        const struct proa_stats_call *call = &sum->calls[row];
        if (call->count == 0 || (row < PROA_STATS_OPERATIONS && call->waits == 0))
            continue;
        fprintf(out, "proa:   %s%-17s %10llu", row < PROA_STATS_OPERATIONS ? "in " : "",
                row_names[row], call->count);
        if (call->waits)
            fprintf(out, "  %llu wait%s, %.3f ms in all", call->waits, proa_log_plural(call->waits),
                    (double)call->waited_ns / 1e6);
        fprintf(out, "\n");
    }
}

/* Escapes control characters, also from U+0080 on, which would reach the terminal. */
static void show_name(const char *name, FILE *out)
{
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
            fprintf(out, "\\x%02x", *++at);
        else if (*at < ' ' || *at == 0x7f)
            fprintf(out, "\\x%02x", *at);
        else
            fputc(*at, out);
}

static void show(const struct report *report, FILE *out)
{
    struct proa_stats sum = sum_of(report);
    struct pair pairs[PAIRS];

    fputs("proa: window \"", out);
    show_name(report->name, out);
    fprintf(out, "\" (%s), %d rank%s%s, %llu byte%s in all", flavor_names[report->flavor],
            report->size, proa_log_plural((uint64_t)report->size),
            report->ranks == report->size ? "" : ", of which one reported", sum.window_bytes,
            proa_log_plural(sum.window_bytes));
    show_memory(&sum, out);
    show_operations(&sum, out);
    show_calls(&sum, out);
    worst_pairs(report, pairs);
    for (int i = 0; i < PAIRS && pairs[i].ns; i++)
        fprintf(out, "proa:   rank %d waited for rank %d: %.3f ms\n", pairs[i].waiter,
                pairs[i].awaited, (double)pairs[i].ns / 1e6);
    if (sum.notified)
        fprintf(out, "proa:   notified operations %llu\n", sum.notified);
    if (sum.messages)
        fprintf(out, "proa:   messages between nodes %llu\n", sum.messages);
}

/* ---- JSON ---- */

static void write_name(const char *name, FILE *out)
{
    fputc('"', out);
    for (; *name; name++)
        if (*name == '"' || *name == '\\')
            fprintf(out, "\\%c", *name);
        else if ((unsigned char)*name < ' ')
            fprintf(out, "\\u%04x", (unsigned char)*name);
        else
            fputc(*name, out);
    fputc('"', out);
}

static void write_rank(const struct report *report, int rank, FILE *out)
{
    const struct proa_stats *one = &report->numbers[rank];
    const char *before = "";

    fprintf(out, "    {\"bytes\": %llu, \"messages\": %llu, \"notified\": %llu, \"operations\": {",
            one->window_bytes, one->messages, one->notified);
    for (int row = 0; row < PROA_STATS_OPERATIONS; row++)
        for (int way = 0; way < PROA_STATS_WAYS; way++)
            if (one->operations[row][way].count) {
                fprintf(out, "%s\"%s.%s\": {\"count\": %llu, \"bytes\": %llu}", before,
                        row_names[row], way_names[way], one->operations[row][way].count,
                        one->operations[row][way].bytes);
                before = ", ";
            }
    fprintf(out, "}, \"calls\": {");
    before = "";
    for (int row = 0; row < PROA_STATS_CALLS; row++)
        if (one->calls[row].count) {
            fprintf(out, "%s\"%s\": {\"count\": %llu, \"waits\": %llu, \"waited_ns\": %llu}",
                    before, row_names[row], one->calls[row].count, one->calls[row].waits,
                    one->calls[row].waited_ns);
            before = ", ";
        }
    fprintf(out, "}, \"waited_for_ns\": [");
    for (int i = 0; i < report->size; i++)
        fprintf(out, "%s%llu", i ? ", " : "",
                report->waited[(size_t)rank * (size_t)report->size + (size_t)i]);
    fprintf(out, "]}");
}

static void write_report(const struct report *report, FILE *out)
{
    struct proa_stats sum = sum_of(report);

    fprintf(out, "  {\"name\": ");
    write_name(report->name, out);
    fprintf(out, ", \"flavor\": \"%s\", \"size\": %d,\n   \"targets\": {",
            flavor_names[report->flavor], report->size);
    fprintf(out, "\"load_store\": %llu, \"kernel\": %llu, \"network\": %llu, ",
            sum.targets[PROA_STATS_PLAIN] + sum.targets[PROA_STATS_GENERAL],
            sum.targets[PROA_STATS_KERNEL], sum.targets[PROA_STATS_NETWORK]);
    fprintf(out, "\"by_region\": %llu},\n   \"ranks\": [\n", sum.targets[PROA_STATS_REGIONS]);
    for (int rank = 0; rank < report->ranks; rank++) {
        write_rank(report, rank, out);
        fprintf(out, "%s\n", rank + 1 < report->ranks ? "," : "");
    }
    fprintf(out, "   ]}");
}

static void write_all(FILE *out)
{
    fprintf(out, "{\"proa\": \"" PROA_VERSION "\", \"windows\": [\n");
    for (const struct report *report = reports; report; report = report->next) {
        write_report(report, out);
        fprintf(out, "%s\n", report->next ? "," : "");
    }
    fprintf(out, "]}\n");
}

/* Windows on parts of the job may have different ranks 0. Each such process has its own file, named
 * by its rank in MPI_COMM_WORLD. */
static void write_file(const char *file)
{
    char path[4096];
    int rank = 0;
    FILE *out;

    proa_pmpi()->Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        snprintf(path, sizeof path, "%s", file);
    else
        snprintf(path, sizeof path, "%s.%d", file, rank);
    out = fopen(path, "we");
    if (!out) {
        proa_log(PROA_LOG_WARN, "PROA_STATS: %s cannot be written", path);
        return;
    }
    write_all(out);
    if (fclose(out) != 0)
        proa_log(PROA_LOG_WARN, "PROA_STATS: %s could not be written completely", path);
}

/* ---- the end ---- */

/* Writes all lines at once, so that lines of several processes do not mix. */
static void show_all(void)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return;
    for (const struct report *report = reports; report; report = report->next)
        show(report, out);
    fclose(out);
    fwrite(text, 1, length, stderr);
    fflush(stderr);
    free(text);
}

void proa_report_tell(void)
{
    const char *stats = proa_settings()->stats;
    struct report *report, *next;

    if (!reports)
        return;
    if (strcmp(stats, "1") == 0)
        show_all();
    else
        write_file(stats);
    DL_FOREACH_SAFE(reports, report, next)
        free(report);
    reports = NULL;
}
