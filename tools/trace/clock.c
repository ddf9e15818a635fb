/* SPDX-License-Identifier: BSD-3-Clause */
/* See clock.h. */
#include "clock.h"

#include <stdlib.h>
#include <string.h>

/* Two comparisons that are closer give no difference in speed. The largest adjustment that Linux
 * allows (adjtimex(2)) is then assumed. */
enum { APART_NS = 1000000, SLEW_PPM = 500 };

/* A comparison of two nodes. */
struct comparison {
    int from, to;
    int64_t from_ns, to_ns, error_ns;
};

static int clock_of_node(const struct proa_clocks *clocks, uint64_t node)
{
    for (int i = 0; i < clocks->count; i++)
        if (clocks->clocks[i].node == node)
            return i;
    return -1;
}

/* Adds the pair of times of a file: keeps the widest interval of all processes of the node. */
static void add_file(struct proa_clocks *clocks, int file, const struct proa_trace_head *head)
{
    int i = clock_of_node(clocks, head->node);
    struct proa_clock *clock;

    if (i < 0) {
        i = clocks->count++;
        clocks->clocks[i] =
            (struct proa_clock){.node = head->node, .first = head->first, .last = head->last};
    }
    clock = &clocks->clocks[i];
    if (head->first.ticks < clock->first.ticks)
        clock->first = head->first;
    if (head->last.ticks > clock->last.ticks)
        clock->last = head->last;
    clocks->of_file[file] = i;
}

/* ---- lines ---- */

/* Returns the value at `at` of the line through (x0, y0) and (x1, y1). */
static int64_t on_line(int64_t x0, int64_t y0, int64_t x1, int64_t y1, int64_t at)
{
    if (x1 == x0)
        return y0 + (at - x0);
    return y0 + (int64_t)((__int128)(at - x0) * (y1 - y0) / (x1 - x0));
}

static int64_t node_ns(const struct proa_clock *clock, uint64_t ticks)
{
    return on_line((int64_t)clock->first.ticks, clock->first.ns, (int64_t)clock->last.ticks,
                   clock->last.ns, (int64_t)ticks);
}

/* Before the first and after the last sample, the line through these two is extended. */
static int64_t reference_ns(const struct proa_clock *clock, int64_t own_ns)
{
    const struct proa_clock_sample *samples = clock->samples, *a, *b;
    int i = 0;

    if (clock->count == 0)
        return own_ns;
    a = &samples[0];
    b = &samples[clock->count - 1];
    if (b->own_ns - a->own_ns < APART_NS)
        return a->reference_ns + (own_ns - a->own_ns);
    if (own_ns > a->own_ns && own_ns < b->own_ns) {
        while (samples[i + 1].own_ns < own_ns)
            i++;
        a = &samples[i];
        b = &samples[i + 1];
    }
    return on_line(a->own_ns, a->reference_ns, b->own_ns, b->reference_ns, own_ns);
}

int64_t proa_clock_time(const struct proa_clocks *clocks, int file, uint64_t ticks)
{
    const struct proa_clock *clock = &clocks->clocks[clocks->of_file[file]];

    return reference_ns(clock, node_ns(clock, ticks)) - clocks->start_ns;
}

/* ---- comparisons ---- */

static void sample_add(struct proa_clock *clock, struct proa_clock_sample sample)
{
    if (clock->count == clock->room) {
        clock->room = clock->room ? 2 * clock->room : 8;
        clock->samples = proa_need(clock->samples, (size_t)clock->room * sizeof *clock->samples);
    }
    clock->samples[clock->count++] = sample;
    if (sample.error_ns > clock->error_ns)
        clock->error_ns = sample.error_ns;
}

/* If one of two nodes is known, makes the other one known. The errors add up. Returns true if it
 * did. */
static int learn(struct proa_clocks *clocks, const struct comparison *all, size_t count, int to)
{
    struct proa_clock *clock = &clocks->clocks[to];

    for (size_t i = 0; i < count; i++) {
        const struct comparison *c = &all[i];
        int is_to = c->to == to, other = is_to ? c->from : c->to;
        const struct proa_clock *known = &clocks->clocks[other];

        if ((!is_to && c->from != to) || !known->is_known)
            continue;
        sample_add(clock,
                   (struct proa_clock_sample){is_to ? c->to_ns : c->from_ns,
                                              reference_ns(known, is_to ? c->from_ns : c->to_ns),
                                              c->error_ns + known->error_ns});
    }
    return clock->count > 0;
}

static int by_time(const void *a, const void *b)
{
    const struct proa_clock_sample *one = a, *other = b;

    return (one->own_ns > other->own_ns) - (one->own_ns < other->own_ns);
}

/* Returns the error before the first and after the last comparison: only these two determine the
 * speed. */
static int64_t error_outside(const struct proa_clock *clock)
{
    const struct proa_clock_sample *a = clock->samples, *b = &clock->samples[clock->count - 1];
    const int64_t before = a->own_ns - clock->first.ns, behind = clock->last.ns - b->own_ns,
                  outside = before > behind ? before : behind, span = b->own_ns - a->own_ns;

    if (outside <= 0)
        return 0;
    if (span < APART_NS)
        return outside / 1000000 * SLEW_PPM;
    return (int64_t)((__int128)outside * (a->error_ns + b->error_ns) / span);
}

static void learn_all(struct proa_clocks *clocks, const struct comparison *all, size_t count)
{
    int again = 1;

    clocks->clocks[0].is_known = 1;
    while (again) {
        again = 0;
        for (int i = 1; i < clocks->count; i++) {
            struct proa_clock *clock = &clocks->clocks[i];

            if (clock->is_known || !learn(clocks, all, count, i))
                continue;
            qsort(clock->samples, (size_t)clock->count, sizeof *clock->samples, by_time);
            clock->error_ns += error_outside(clock);
            clock->is_known = again = 1;
        }
    }
}

/* Reads the comparisons of one thread. */
static void collect(const struct proa_clocks *clocks, struct proa_reader *reader,
                    struct proa_stream *stream, struct comparison **all, size_t *count)
{
    const struct proa_trace_record *record;

    while ((record = proa_stream_next(reader, stream))) {
        int to = record->kind == PROA_TRACE_CLOCK ? clock_of_node(clocks, record->value) : -1;

        if (to < 0)
            continue;
        *all = proa_need(*all, (*count + 1) * sizeof **all);
        (*all)[(*count)++] =
            (struct comparison){clocks->of_file[stream->file], to, (int64_t)record->begin,
                                (int64_t)record->end, (int64_t)record->bytes};
    }
    proa_stream_rewind(stream);
}

static void set_start(struct proa_clocks *clocks, const struct proa_reader *reader)
{
    int64_t least = INT64_MAX;

    clocks->start_ns = 0;
    for (int i = 0; i < reader->count; i++) {
        int64_t ns = proa_clock_time(clocks, i, reader->files[i].head->first.ticks);

        least = ns < least ? ns : least;
    }
    clocks->start_ns = least;
}

void proa_clocks_read(struct proa_clocks *clocks, struct proa_reader *reader)
{
    struct comparison *all = NULL;
    size_t count = 0;

    *clocks = (struct proa_clocks){0};
    clocks->clocks = proa_need(NULL, (size_t)reader->count * sizeof *clocks->clocks);
    clocks->of_file = proa_need(NULL, (size_t)reader->count * sizeof *clocks->of_file);
    for (int i = 0; i < reader->count; i++)
        add_file(clocks, i, reader->files[i].head);
    for (int i = 0; i < reader->count && clocks->count > 1; i++)
        for (int thread = 0; thread < reader->files[i].threads; thread++)
            collect(clocks, reader, &reader->files[i].streams[thread], &all, &count);
    learn_all(clocks, all, count);
    free(all);
    set_start(clocks, reader);
}

void proa_clocks_free(struct proa_clocks *clocks)
{
    for (int i = 0; i < clocks->count; i++)
        free(clocks->clocks[i].samples);
    free(clocks->clocks);
    free(clocks->of_file);
}
