/* SPDX-License-Identifier: BSD-3-Clause */
/* See runs.h. */
#include "rma/runs.h"
#include "rma/combine.h"

/* ---- extents ---- */

static int64_t end_of(const struct proa_runs *runs, uint64_t i)
{
    if (!runs->run)
        return (int64_t)i * runs->stride + (int64_t)runs->bytes;
    return runs->run[i].offset + (int64_t)runs->run[i].bytes;
}

int64_t proa_runs_low(const struct proa_runs *runs)
{
    return proa_runs_ascend(runs) ? proa_runs_offset(runs) : runs->list->low;
}

int64_t proa_runs_high(const struct proa_runs *runs)
{
    return proa_runs_ascend(runs) ? end_of(runs, runs->count - 1) : runs->list->high;
}

/* Returns the number of runs that end at `end` or before. */
static uint64_t before(const struct proa_runs *runs, int64_t end)
{
    uint64_t low = 0, high = runs->count;

    if (end_of(runs, high - 1) <= end)
        return high;
    if (end_of(runs, 0) > end)
        return 0;
    if (!runs->run)
        return (uint64_t)(end - (int64_t)runs->bytes) / (uint64_t)runs->stride + 1;
    while (high - low > 1) { /* the first `low` do, the first `high` do not */
        uint64_t middle = low + (high - low) / 2;

        if (end_of(runs, middle - 1) <= end)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t proa_runs_within(const struct proa_runs *runs, uint64_t bytes)
{
    int64_t low = proa_runs_low(runs);

    if (proa_runs_ascend(runs))
        return before(runs, low + (int64_t)bytes);
    return (uint64_t)(proa_runs_high(runs) - low) <= bytes ? runs->count : 0;
}

uint64_t proa_runs_in(const struct proa_runs *runs, const struct proa_span *span)
{
    uint64_t first = runs->position + (uint64_t)proa_runs_offset(runs);

    if (!proa_runs_ascend(runs))
        return (uint64_t)proa_span_holds(span, first, proa_runs_bytes(runs));
    return proa_runs_within(runs, span->end - first);
}

/* ---- skipping ---- */

static uint64_t total(const struct proa_run *run, uint64_t count)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < count; i++)
        bytes += run[i].bytes;
    return bytes;
}

uint64_t proa_runs_total(const struct proa_runs *runs)
{
    return runs->bytes ? runs->bytes * runs->count : total(runs->run, runs->count);
}

static void skip_uneven(struct proa_runs *runs, uint64_t n)
{
    uint64_t bytes = total(runs->run, n);

    if (runs->at_origin) {
        runs->position += bytes;
        return;
    }
    if (runs->origin)
        runs->origin += bytes;
    if (runs->result)
        runs->result += bytes;
}

void proa_runs_skip(struct proa_runs *runs, uint64_t n)
{
    runs->count -= n;
    runs->position += (uint64_t)((int64_t)n * runs->stride);
    runs->origin = proa_at(runs->origin, (int64_t)n * runs->origin_stride);
    runs->result = proa_at(runs->result, (int64_t)n * runs->result_stride);
    if (!runs->run)
        return;
    if (!runs->bytes)
        skip_uneven(runs, n);
    runs->run += n;
}

struct proa_runs proa_runs_row(const struct proa_runs *runs, uint64_t unit)
{
    char *origin = runs->at_origin ? proa_at(runs->origin, runs->run->offset) : runs->origin;

    return (struct proa_runs){.count = proa_runs_bytes(runs) / unit,
                              .bytes = unit,
                              .position = runs->position + (uint64_t)proa_runs_offset(runs),
                              .stride = (int64_t)unit,
                              .origin = origin,
                              .origin_stride = origin ? (int64_t)unit : 0,
                              .result = runs->result,
                              .result_stride = runs->result ? (int64_t)unit : 0};
}

/* ---- copying ---- */

/* Sizes of basic types have a loop that the compiler can unroll. each: a statement for runs of
 * `size` bytes. */
#define FOR_SIZES(bytes, each) \
    switch (bytes) {           \
    case 1:                    \
        each(1);               \
        break;                 \
    case 4:                    \
        each(4);               \
        break;                 \
    case 8:                    \
        each(8);               \
        break;                 \
    case 16:                   \
        each(16);              \
        break;                 \
    default:                   \
        each(bytes);           \
    }

static void copy_loop(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                      uint64_t bytes, uint64_t count)
{
#define COPY(size)                                                            \
    for (uint64_t i = 0; i < count;                                           \
         i++, to = proa_at(to, to_stride), from = proa_at(from, from_stride)) \
    memcpy(to, from, size)
    FOR_SIZES(bytes, COPY)
#undef COPY
}

/* Copies runs of one size to contiguous memory, or back. back: 1 to copy back; a constant in every
 * call. */
PROA_FORMS void copy_even(char *base, char *packed, const struct proa_runs *runs, int back)
{
    const struct proa_run *run = runs->run;
    const uint64_t count = runs->count, bytes = runs->bytes;

#define COPY(size)                                                                                 \
    for (uint64_t i = 0; i < count; i++, run++, packed += size)                                    \
    memcpy(back ? proa_at(base, run->offset) : packed, back ? packed : proa_at(base, run->offset), \
           size)
    FOR_SIZES(bytes, COPY)
#undef COPY
}

static void copy_uneven(char *base, char *packed, const struct proa_runs *runs, int back)
{
    const struct proa_run *run = runs->run;

    for (uint64_t i = 0; i < runs->count; i++, packed += run->bytes, run++)
        if (back)
            proa_copy(proa_at(base, run->offset), packed, run->bytes);
        else
            proa_copy(packed, proa_at(base, run->offset), run->bytes);
}

static void copy_list(const struct proa_runs *runs, char *base, char *packed, int back)
{
    if (!runs->bytes)
        copy_uneven(base, packed, runs, back);
    else if (back)
        copy_even(base, packed, runs, 1);
    else
        copy_even(base, packed, runs, 0);
}

void proa_runs_copy(const struct proa_runs *runs, char *target, int put)
{
    if (runs->run && runs->at_origin)
        copy_list(runs, runs->origin, target, !put);
    else if (runs->run)
        copy_list(runs, target, runs->origin, put);
    else if (put)
        copy_loop(target, runs->stride, runs->origin, runs->origin_stride, runs->bytes,
                  runs->count);
    else
        copy_loop(runs->origin, runs->origin_stride, target, runs->stride, runs->bytes,
                  runs->count);
}

/* ---- accumulating ---- */

/* Runs of at most SHORT bytes are packed into a copy on the stack, COPY_BYTES at a time, so that
 * the loop has several elements. */
enum { SHORT = 32, COPY_BYTES = 1024 };

void proa_runs_first(const struct proa_runs *runs, struct proa_elements *elements)
{
    elements->count = proa_runs_bytes(runs) / elements->bytes;
    elements->origin = runs->origin;
    elements->result = runs->result;
}

/* Returns the number of first runs that are packed together: only runs that certainly have no
 * common byte. Others are applied one by one. They are an error of the program (MPI-4.1, 13.3.1),
 * but both hosts accumulate into such bytes once for each run. */
static uint64_t short_ones(const struct proa_runs *runs)
{
    uint64_t bytes = 0, n = 0;

    if (runs->run && !runs->list->apart)
        return 0;
    if (runs->bytes > SHORT)
        return 0;
    if (runs->bytes)
        return runs->count < COPY_BYTES / runs->bytes ? runs->count : COPY_BYTES / runs->bytes;
    /* sizes differ only in a list: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    while (n < runs->count && runs->run[n].bytes <= SHORT &&
           (bytes += runs->run[n].bytes) <= COPY_BYTES)
        n++;
    return n;
}

/* Copies between strided and contiguous places. */
static void pack(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                 const struct proa_runs *runs, uint64_t bytes)
{
    if (to_stride == from_stride)
        memcpy(to, from, bytes);
    else
        copy_loop(to, to_stride, from, from_stride, runs->bytes, runs->count);
}

static void apply_together(const struct proa_elements *elements, const struct proa_runs *runs,
                           char *target)
{
    char copy[COPY_BYTES] __attribute__((aligned(32))),
        origin[COPY_BYTES] __attribute__((aligned(32)));
    const uint64_t bytes = proa_runs_total(runs);
    const int64_t packed = (int64_t)runs->bytes;
    struct proa_runs aside = *runs;
    struct proa_elements all = *elements;

    aside.origin = copy;
    aside.origin_stride = packed;
    proa_runs_copy(&aside, target, 0);
    all.count = bytes / all.bytes;
    all.origin = runs->origin;
    all.result = NULL;
    if (runs->result)
        pack(runs->result, runs->result_stride, copy, packed, runs, bytes);
    if (runs->origin && runs->origin_stride != packed) {
        pack(origin, packed, runs->origin, runs->origin_stride, runs, bytes);
        all.origin = origin;
    }
    proa_apply(&all, copy);
    if (all.operation != PROA_OP_NO_OP)
        proa_runs_copy(&aside, target, 1);
}

static void apply_first(struct proa_elements *elements, const struct proa_runs *runs, char *target)
{
    proa_runs_first(runs, elements);
    proa_apply(elements, proa_at(target, proa_runs_offset(runs)));
}

void proa_runs_apply(struct proa_elements *elements, const struct proa_runs *all, char *target)
{
    struct proa_runs runs;

    if (all->count == 1) {
        apply_first(elements, all, target);
        return;
    }
    runs = *all;
    while (runs.count) {
        const uint64_t left = runs.count, n = short_ones(&runs);
        char *here = target + (runs.position - all->position);

        if (n) {
            runs.count = n;
            apply_together(elements, &runs, here);
            runs.count = left;
        } else {
            apply_first(elements, &runs, here);
        }
        proa_runs_skip(&runs, n ? n : 1);
    }
}
