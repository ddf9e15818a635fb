/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes from input (type/recipe.h): Proa's layout of each is compared with its definition, and
 * walked over by itself. */
#include "base/fail.h"
#include "type/walk.h"
#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* All of a short type, or the first steps of a long one. */
static void walk_alone(const struct model_type *m, uint64_t count, int units)
{
    enum { STEPS = 200, MOST = 16000 };
    const struct proa_type *type[] = {&m->type};
    struct proa_walk walk;
    struct proa_stretch s;
    size_t bytes, done = 0;
    int64_t first;
    uint64_t span, steps = 0;
    int64_t *offsets = model_bytes(m, count, units, MOST, &bytes);

    if (proa_type_span(&m->type, count, &first, &span) || (!offsets && span > (uint64_t)1 << 60)) {
        free(offsets);
        return; /* types without a place in memory are not walked */
    }
    MUST(proa_walk_begin(&walk, 1, type, &count, units) == PROA_OK);
    while ((offsets || steps++ < STEPS) && proa_walk_goes_on(&walk)) {
        proa_walk_next(&walk, 0, &s);
        MUST(s.bytes > 0 && s.count > 0);
        for (uint64_t i = 0; i < s.count && offsets; i++)
            for (uint64_t b = 0; b < s.bytes; b++, done++)
                MUST(done < bytes &&
                     offsets[done] == s.offset[0] + (int64_t)i * s.stride[0] + (int64_t)b);
        if (!offsets && !units)
            MUST(s.offset[0] >= first && (uint64_t)(s.offset[0] - first) + s.bytes <= span);
    }
    MUST(!offsets || done == bytes);
    proa_walk_end(&walk);
    free(offsets);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint64_t counts[] = {0, 1, 2, 3, (uint64_t)1 << 33};
    struct input input = {bytes, size};
    struct model model;

    model_build(&model, &input, PROA_BASIC_COUNT);
    for (size_t i = 0; i < model.count; i++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (int units = 0; units < 2; units++)
                walk_alone(&model.types[i], counts[c], units);
    model_free(&model);
    return 0;
}
