/* SPDX-License-Identifier: BSD-3-Clause */
/* Two or three layouts of equally many bytes, walked at once (type/walk.h), against the lists of
 * their bytes. */
#include "base/fail.h"
#include "type/walk.h"
#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MOST = 12000, PAIRS = 12 };

struct sides {
    int n, units;
    const struct proa_type *type[PROA_WALK_SIDES];
    uint64_t count[PROA_WALK_SIDES];
    int64_t *offsets[PROA_WALK_SIDES];
};

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Bytes of one element as the walk counts them; 0: not to be used. */
static uint64_t bytes_of(const struct model_type *m, int units)
{
    size_t bytes;
    int64_t *offsets = model_bytes(m, 1, units, MOST, &bytes);

    free(offsets);
    return offsets ? bytes : 0;
}

/* As many elements of each as make equally many bytes. */
static int choose(struct sides *sides, const struct model *model, struct input *input,
                  size_t *total)
{
    const struct model_type *m[PROA_WALK_SIDES];
    uint64_t all = 1, bytes[PROA_WALK_SIDES];

    sides->units = input_byte(input) % 2;
    sides->n = 2 + input_byte(input) % 2;
    for (int i = 0; i < sides->n; i++) {
        m[i] = &model->types[input_byte(input) % model->count];
        bytes[i] = bytes_of(m[i], sides->units);
        if (bytes[i] == 0)
            return 0;
        all = all / greatest_divisor(all, bytes[i]) * bytes[i];
        if (all > MOST)
            return 0;
    }
    all *= 1 + input_byte(input) % 4;
    for (int i = 0; i < sides->n; i++) {
        sides->type[i] = &m[i]->type;
        sides->count[i] = all / bytes[i];
        sides->offsets[i] =
            model_bytes(m[i], sides->count[i], sides->units, (size_t)4 * MOST, total);
    }
    return 1;
}

/* All bytes of a list, from the byte `done` on. Gives back how many. */
static size_t check_list(const struct sides *sides, const struct proa_stretch *s, size_t done,
                         size_t total)
{
    size_t start = done;

    for (uint64_t i = 0; i < s->count; i++)
        for (uint64_t b = 0; b < s->list->runs[i].bytes; b++, done++) {
            MUST(done < total);
            for (int side = 0; side < sides->n; side++)
                MUST(sides->offsets[side][done] ==
                     s->offset[side] + (side == s->side ? s->list->runs[i].offset + (int64_t)b
                                                        : (int64_t)(done - start)));
        }
    return done - start;
}

/* Is it what it says of itself? */
static void check_shape(const struct proa_stretch *s)
{
    const struct proa_list *list = s->list;
    int64_t end = INT64_MIN, low = INT64_MAX, high = INT64_MIN;
    uint64_t bytes = 0;
    int ascends = 1;

    for (uint64_t i = 0; i < list->count; i++) {
        int64_t at = list->runs[i].offset;

        MUST(list->runs[i].bytes > 0 && (!list->even || list->runs[i].bytes == list->even));
        ascends &= at >= end;
        end = at + (int64_t)list->runs[i].bytes;
        low = at < low ? at : low;
        high = end > high ? end : high;
        bytes += list->runs[i].bytes;
    }
    MUST(s->count == list->count && s->bytes == list->even && s->stride[s->side] == 0);
    MUST(list->ascends == ascends && list->low == low && list->high == high);
    MUST(list->bytes == bytes && (!list->ascends || list->apart));
    for (uint64_t i = 0; list->apart && list->even && i < list->count; i++)
        for (uint64_t k = 0; k < i; k++)
            MUST(llabs(list->runs[i].offset - list->runs[k].offset) >= (int64_t)list->even);
}

static size_t check_regular(const struct sides *sides, const struct proa_stretch *s, size_t done,
                            size_t total)
{
    size_t start = done;

    MUST(s->bytes > 0 && s->count > 0 && s->bytes * s->count <= total - done);
    for (uint64_t i = 0; i < s->count; i++)
        for (uint64_t b = 0; b < s->bytes; b++, done++)
            for (int side = 0; side < sides->n; side++)
                MUST(sides->offsets[side][done] ==
                     s->offset[side] + (int64_t)i * s->stride[side] + (int64_t)b);
    return done - start;
}

/* lists: so many sides may have lists. */
static void walk_together(const struct sides *sides, size_t total, int lists)
{
    struct proa_walk walk;
    struct proa_stretch s;
    size_t done = 0;

    MUST(proa_walk_begin(&walk, sides->n, sides->type, sides->count, sides->units) == PROA_OK);
    while (proa_walk_goes_on(&walk)) {
        proa_walk_next(&walk, lists, &s);
        MUST(!s.list || s.side < lists);
        if (s.list)
            check_shape(&s);
        done += s.list ? check_list(sides, &s, done, total) : check_regular(sides, &s, done, total);
    }
    MUST(done == total);
    proa_walk_end(&walk);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const enum proa_basic basics[] = {PROA_I8,       PROA_I32,    PROA_C64,
                                             PROA_LONG_INT, PROA_LD_INT, PROA_BASIC_COUNT};
    struct input choices = {bytes, size < 64 ? size : 64},
                 input = {bytes + choices.left, size - choices.left};
    struct model model;

    model_build(&model, &input, basics[input_byte(&choices) % 6]);
    for (int i = 0; i < PAIRS && choices.left; i++) {
        struct sides sides = {0};
        size_t total = 0;
        if (choose(&sides, &model, &choices, &total) && sides.offsets[0] && sides.offsets[1] &&
            (sides.n == 2 || sides.offsets[2]))
            for (int i = 0; i <= 2; i++)
                walk_together(&sides, total, i);
        for (int side = 0; side < PROA_WALK_SIDES; side++)
            free(sides.offsets[side]);
    }
    model_free(&model);
    return 0;
}
