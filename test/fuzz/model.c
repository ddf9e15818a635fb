/* SPDX-License-Identifier: BSD-3-Clause */
/* See model.h. */
#include "model.h"
#include "base/fail.h"

#include <stdio.h>
#include <string.h>

/* Offsets up to here are Proa's to handle; beyond, it may say that a type is too large. */
#define FAR ((wide)1 << 60)

static void *must_have(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* ---- input ---- */

uint8_t input_byte(struct input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->bytes++;
}

/* Mostly small numbers of both signs; sometimes those at which arithmetic breaks. */
static int64_t input_number(struct input *input)
{
    static const int64_t edges[] = {INT64_MAX,
                                    INT64_MIN,
                                    INT64_MAX / 2,
                                    INT32_MAX,
                                    INT32_MIN,
                                    (int64_t)1 << 32,
                                    (int64_t)1 << 61,
                                    -((int64_t)1 << 61),
                                    INT64_MAX / 4,
                                    INT64_MAX / 8,
                                    1000000007,
                                    -1000000007,
                                    100000000,
                                    65536,
                                    -1,
                                    0};
    uint8_t byte = input_byte(input);
    int64_t raw = 0;

    if (byte < 224)
        return byte % 56 - 12;
    if (byte < 240)
        return edges[byte - 224];
    for (size_t i = 0; i < sizeof raw; i++)
        raw = (int64_t)((uint64_t)raw << 8 | input_byte(input));
    return raw;
}

static int64_t input_count(struct input *input)
{
    uint8_t byte = input_byte(input);

    return byte < 250 ? byte % 12 : input_number(input);
}

/* ---- elements ---- */

struct span {
    size_t at, bytes;
};

static int data_of(enum proa_basic basic, struct span spans[2])
{
    size_t value, index, at;

    spans[0] = (struct span){0, proa_basic_bytes(basic)};
    if (!proa_basic_pair(basic, &value, &index, &at))
        return 1;
    spans[0].bytes = value;
    spans[1] = (struct span){at, index};
    return 2;
}

static size_t data_bytes(enum proa_basic basic)
{
    struct span spans[2];
    int n = data_of(basic, spans);

    return spans[0].bytes + (n == 2 ? spans[1].bytes : 0);
}

/* ---- a type map in the making ---- */

struct draft {
    struct model_type *type;
    int invalid; /* no such type in MPI */
    int far;     /* farther than Proa has to handle */
};

static void place(struct draft *draft, const struct model_type *part, wide at)
{
    struct model_type *type = draft->type;

    if (!part->listed || type->count + part->count > MODEL_ELEMENTS)
        type->listed = 0;
    for (size_t i = 0; i < part->count && type->listed; i++) {
        wide there = at + part->elements[i].at;
        if (there > FAR || there < -FAR) {
            draft->far = 1;
            type->listed = 0;
            return;
        }
        type->elements[type->count++] =
            (struct model_element){(int64_t)there, part->elements[i].basic};
    }
}

/* Is `count` times `step` bytes more than Proa has to handle? Also where no byte is moved: the host
 * could not even say what bounds such a type has. */
static int is_far(wide count, wide step)
{
    return count > FAR || step > FAR || step < -FAR || count * (step < 0 ? -step : step) > FAR;
}

/* `count` parts, each extent behind the other. Sizes are added for any number; places only while
 * that is feasible. */
static void place_block(struct draft *draft, const struct model_type *part, wide count, wide at)
{
    wide extent = part->type.extent;

    draft->far |= is_far(count, extent);
    if (part->total == 0 || count == 0)
        return;
    if (draft->far || is_far(count, part->size) || draft->type->size > FAR || at > FAR ||
        at < -FAR) {
        draft->far = 1;
        draft->type->listed = 0;
        return;
    }
    draft->type->size += count * part->size;
    draft->type->total += count * part->total;
    if (count > MODEL_ELEMENTS)
        draft->type->listed = 0;
    for (wide i = 0; i < count && draft->type->listed; i++)
        place(draft, part, at + i * extent);
}

/* `count` blocks, stride bytes apart. */
static void place_blocks(struct draft *draft, const struct model_type *part, wide count,
                         wide length, wide stride)
{
    draft->far |= is_far(count, stride) || is_far(length, part->type.extent);
    if (part->total == 0 || count == 0 || length == 0)
        return;
    if (count > MODEL_ELEMENTS || draft->far) {
        struct model_type *type = draft->type;
        type->listed = 0;
        if (count > FAR || length > FAR || part->size > FAR) {
            draft->far = 1;
            return;
        }
        place_block(draft, part, length, 0);
        if (type->size > FAR || count > FAR / (type->size ? type->size : 1)) {
            draft->far = 1;
            return;
        }
        type->size *= count;
        type->total *= count;
        return;
    }
    for (wide i = 0; i < count; i++)
        place_block(draft, part, length, i * stride);
}

/* ---- arrays: every index is looked at ---- */

struct axis {
    int64_t size, first, end; /* indices [first, end) of a subarray */
    int64_t distribution, block, places, place;
};

static int owns(const struct axis *axis, int64_t index)
{
    if (axis->places == 0)
        return index >= axis->first && index < axis->end;
    if (axis->distribution == PROA_DISTRIBUTE_BLOCK)
        return index / axis->block == axis->place;
    if (axis->distribution == PROA_DISTRIBUTE_CYCLIC)
        return index / axis->block % axis->places == axis->place;
    return 1;
}

static void place_array(struct draft *draft, const struct model_type *part, const struct axis *axes,
                        int64_t ndims, int fortran)
{
    int64_t all = 1;

    for (int64_t d = 0; d < ndims; d++) {
        if (axes[d].size > MODEL_ELEMENTS || all * axes[d].size > MODEL_ELEMENTS) {
            draft->type->listed = 0;
            draft->type->size = draft->type->total = -1; /* not known */
            return;
        }
        all *= axes[d].size;
    }
    draft->far |= is_far(all, part->type.extent);
    for (int64_t linear = 0; linear < all; linear++) {
        int64_t rest = linear;
        int mine = 1;
        for (int64_t i = 0; i < ndims; i++) {
            const struct axis *axis = &axes[fortran ? i : ndims - 1 - i];
            mine &= owns(axis, rest % axis->size);
            rest /= axis->size;
        }
        if (mine)
            place_block(draft, part, 1, (wide)linear * part->type.extent);
    }
}

enum { AXES = 4 };

static void draft_subarray(struct draft *draft, const struct model_type *part, const int64_t *n)
{
    struct axis axes[AXES];

    for (int64_t d = 0; d < n[0]; d++) {
        int64_t size = n[1 + d], subsize = n[1 + n[0] + d], start = n[1 + 2 * n[0] + d];
        draft->invalid |= size < 1 || subsize < 0 || start < 0 || (wide)start + subsize > size;
        axes[d] =
            (struct axis){.size = size, .first = start, .end = (int64_t)((wide)start + subsize)};
    }
    if (!draft->invalid)
        place_array(draft, part, axes, n[0], n[1 + 3 * n[0]] != 0);
}

static void draft_darray(struct draft *draft, const struct model_type *part, const int64_t *n)
{
    const int64_t ndims = n[2], *sizes = n + 3, *distributions = sizes + ndims,
                  *arguments = distributions + ndims, *places = arguments + ndims;
    int64_t left = n[1];
    struct axis axes[AXES];

    draft->invalid |= n[1] < 0;
    for (int64_t d = ndims - 1; d >= 0 && !draft->invalid; d--) {
        struct axis *axis = &axes[d];
        int64_t block = arguments[d];
        draft->invalid |= sizes[d] < 1 || places[d] < 1 ||
                          (distributions[d] == PROA_DISTRIBUTE_NONE ? places[d] != 1 : block == 0);
        if (draft->invalid)
            return;
        *axis = (struct axis){.size = sizes[d],
                              .distribution = distributions[d],
                              .places = places[d],
                              .place = left % places[d]};
        left /= places[d];
        axis->block = block > 0 ? block
                      : distributions[d] == PROA_DISTRIBUTE_BLOCK
                          ? (int64_t)(((wide)sizes[d] + places[d] - 1) / places[d])
                          : 1;
        if (axis->distribution == PROA_DISTRIBUTE_NONE)
            axis->block = 1;
        draft->far |= sizes[d] > FAR || axis->block > FAR || places[d] > FAR ||
                      (wide)axis->block * places[d] > FAR;
    }
    if (!draft->invalid && draft->far)
        draft->type->listed = 0;
    else if (!draft->invalid)
        place_array(draft, part, axes, ndims, n[3 + 4 * ndims] != 0);
}

/* ---- recipes ---- */

enum { NUMBERS = 64, PARTS = 16 };

struct cooking {
    struct proa_recipe recipe;
    int64_t numbers[NUMBERS];
    const struct model_type *parts[PARTS];
};

static void add_number(struct cooking *c, int64_t number)
{
    c->numbers[c->recipe.number_count++] = number;
}

static void add_part(struct cooking *c, const struct model *model, struct input *input)
{
    size_t back = input_byte(input) % (model->count < 6 ? model->count : 6);

    c->parts[c->recipe.type_count++] =
        &model->types[input_byte(input) % 4 ? model->count - 1 - back
                                            : input_byte(input) % model->count];
}

static void read_lists(struct cooking *c, struct input *input, int lengths)
{
    int64_t count = input_byte(input) % (PARTS - 1);

    add_number(c, count);
    if (lengths)
        for (int64_t i = 0; i < count; i++)
            add_number(c, input_count(input));
    else
        add_number(c, input_count(input));
    for (int64_t i = 0; i < count; i++)
        add_number(c, input_number(input));
}

static void read_array(struct cooking *c, struct input *input)
{
    int distributed = c->recipe.constructor == PROA_MAKE_DARRAY;
    int64_t ndims = 1 + input_byte(input) % (AXES - 1);

    if (distributed) {
        add_number(c, 1 + input_byte(input));
        add_number(c, input_byte(input) % 16);
    }
    add_number(c, ndims);
    for (int64_t i = 0; i < ndims; i++)
        add_number(c, 1 + input_count(input) % ((int64_t)1 << 40));
    for (int64_t i = 0; i < ndims; i++)
        add_number(c, distributed ? input_byte(input) % 3 : input_count(input));
    for (int64_t i = 0; i < ndims; i++)
        add_number(c, distributed ? input_byte(input) % 6 - 1 : input_count(input));
    for (int64_t i = 0; i < ndims && distributed; i++)
        add_number(c, input_byte(input) % 5);
    add_number(c, input_byte(input) % 2);
}

/* The type that is being made, for the report. */
static const struct cooking *present;

void model_differs(const char *file, int line, const char *condition)
{
    static const char *const names[] = {
        "contiguous",    "vector",         "hvector",       "indexed",  "hindexed",
        "indexed_block", "hindexed_block", "struct",        "subarray", "darray",
        "dup",           "resized",        "no constructor"};

    fprintf(stderr, "%s:%d: %s does not hold\n", file, line, condition);
    if (present) {
        fprintf(stderr, "while making %s, numbers", names[present->recipe.constructor]);
        for (size_t i = 0; i < present->recipe.number_count; i++)
            fprintf(stderr, " %lld", (long long)present->numbers[i]);
        fprintf(stderr, ", extent %lld\n", (long long)present->recipe.extent);
        for (size_t i = 0; i < present->recipe.type_count; i++)
            fprintf(stderr, "  of a type of %llu bytes in [%lld, %lld), extent %lld\n",
                    (unsigned long long)present->parts[i]->type.size,
                    (long long)present->parts[i]->type.lower,
                    (long long)present->parts[i]->type.upper,
                    (long long)present->parts[i]->type.extent);
    }
    abort();
}

static void read_recipe(struct cooking *c, const struct model *model, struct input *input)
{
    memset(c, 0, sizeof *c);
    c->recipe.constructor = (enum proa_constructor)(input_byte(input) % (PROA_MAKE_RESIZED + 1));
    switch (c->recipe.constructor) {
    case PROA_MAKE_CONTIGUOUS:
        add_number(c, input_count(input));
        break;
    case PROA_MAKE_VECTOR:
    case PROA_MAKE_HVECTOR:
        add_number(c, input_count(input));
        add_number(c, input_count(input));
        add_number(c, input_number(input));
        break;
    case PROA_MAKE_INDEXED:
    case PROA_MAKE_HINDEXED:
    case PROA_MAKE_STRUCT:
        read_lists(c, input, 1);
        break;
    case PROA_MAKE_INDEXED_BLOCK:
    case PROA_MAKE_HINDEXED_BLOCK:
        read_lists(c, input, 0);
        break;
    case PROA_MAKE_SUBARRAY:
    case PROA_MAKE_DARRAY:
        read_array(c, input);
        break;
    default:
        break;
    }
    for (int64_t i = 0; i < (c->recipe.constructor == PROA_MAKE_STRUCT ? c->numbers[0] : 1); i++)
        add_part(c, model, input);
    c->recipe.extent = input_number(input);
}

static void draft_list(struct draft *draft, const struct cooking *c)
{
    const int64_t count = c->numbers[0], *lengths = NULL, *displacements = c->numbers + 2;
    int in_elements = c->recipe.constructor == PROA_MAKE_INDEXED ||
                      c->recipe.constructor == PROA_MAKE_INDEXED_BLOCK;

    if (c->recipe.constructor != PROA_MAKE_INDEXED_BLOCK &&
        c->recipe.constructor != PROA_MAKE_HINDEXED_BLOCK) {
        lengths = c->numbers + 1;
        displacements = lengths + count;
    }
    for (int64_t i = 0; i < count; i++) {
        const struct model_type *part = c->parts[c->recipe.constructor == PROA_MAKE_STRUCT ? i : 0];
        int64_t length = lengths ? lengths[i] : c->numbers[1];
        wide at = (wide)displacements[i] * (in_elements ? part->type.extent : 1);
        draft->invalid |= length < 0;
        draft->far |= at > FAR || at < -FAR;
        if (!draft->invalid)
            place_block(draft, part, length, at);
    }
}

static void draft_type(struct draft *draft, const struct cooking *c)
{
    const struct model_type *part = c->parts[0];
    const int64_t *n = c->numbers;

    switch (c->recipe.constructor) {
    case PROA_MAKE_CONTIGUOUS:
        draft->invalid = n[0] < 0;
        if (!draft->invalid)
            place_block(draft, part, n[0], 0);
        break;
    case PROA_MAKE_VECTOR:
    case PROA_MAKE_HVECTOR:
        draft->invalid = n[0] < 0 || n[1] < 0;
        if (!draft->invalid)
            place_blocks(draft, part, n[0], n[1],
                         (wide)n[2] *
                             (c->recipe.constructor == PROA_MAKE_VECTOR ? part->type.extent : 1));
        break;
    case PROA_MAKE_SUBARRAY:
        draft_subarray(draft, part, n);
        break;
    case PROA_MAKE_DARRAY:
        draft_darray(draft, part, n);
        break;
    case PROA_MAKE_DUP:
    case PROA_MAKE_RESIZED:
        draft->type->size = part->size;
        draft->type->total = part->total;
        place(draft, part, 0);
        break;
    default:
        draft_list(draft, c);
    }
}

/* ---- does Proa's type say the same? ---- */

static void compare_listed(const struct model_type *m)
{
    int64_t lower = 0, upper = 0;
    int basic = PROA_MIXED;

    for (size_t i = 0; i < m->count; i++) {
        struct span spans[2];
        int n = data_of(m->elements[i].basic, spans);
        int64_t end = m->elements[i].at + (int64_t)(spans[n - 1].at + spans[n - 1].bytes);
        lower = i == 0 || m->elements[i].at < lower ? m->elements[i].at : lower;
        upper = i == 0 || end > upper ? end : upper;
        basic =
            i == 0 || basic == (int)m->elements[i].basic ? (int)m->elements[i].basic : PROA_MIXED;
    }
    MUST(m->count == 0 || (m->type.lower == lower && m->type.upper == upper));
    MUST(m->count == 0 || m->type.basic == basic);
    MUST((m->count == 0) == (m->type.data == NULL));
}

/* Any number of dense elements is one run from the buffer's address on. */
static void compare_dense(const struct model_type *m)
{
    for (int units = 0; units < 2; units++) {
        size_t bytes;
        int64_t *offsets = model_bytes(m, 2, units, (size_t)MODEL_ELEMENTS * 16, &bytes);
        int is_row = 1;
        for (size_t i = 0; offsets && i < bytes; i++)
            is_row &= offsets[i] == (int64_t)i;
        if (offsets)
            MUST(!(units ? m->type.dense_units : m->type.dense) || is_row);
        free(offsets);
    }
}

static void compare(const struct model_type *m, const struct draft *draft,
                    const struct proa_recipe *recipe, int error)
{
    MUST(!draft->invalid || error < 0);
    MUST(draft->invalid || draft->far || error == PROA_OK || m->size <= 0);
    if (error)
        return;
    MUST(m->type.extent == recipe->extent);
    MUST(m->size < 0 || draft->far || (wide)m->type.size == m->size);
    MUST(m->total < 0 || draft->far || (wide)m->type.elements == m->total);
    MUST(m->type.trouble == NULL && !m->type.predefined);
    if (m->listed)
        compare_listed(m);
    if (m->listed)
        compare_dense(m);
}

/* ---- building ---- */

enum { NONSENSE = 255 }; /* in place of a constructor */

/* Numbers and types in memory of just their size, so that reading too far is seen. Now and then
 * some are missing; then nothing is made to last. */
static int make(struct cooking *c, struct input *input, struct proa_type *result, int *incomplete)
{
    size_t missing = input_byte(input) == 255 ? 1 + input_byte(input) % 4 : 0;
    int64_t *numbers;
    const struct proa_type **types = must_have(malloc(sizeof *types * (c->recipe.type_count + 1)));
    int error;

    c->recipe.number_count -= missing < c->recipe.number_count ? missing : c->recipe.number_count;
    numbers = must_have(malloc(sizeof *numbers * c->recipe.number_count + 1));
    memcpy(numbers, c->numbers, sizeof *numbers * c->recipe.number_count);
    for (size_t i = 0; i < c->recipe.type_count; i++)
        types[i] = &c->parts[i]->type;
    c->recipe.numbers = numbers;
    c->recipe.types = types;
    error = proa_recipe_make(&c->recipe, result);
    MUST(error <= 0);
    free(numbers);
    free(types);
    if (missing && error == PROA_OK)
        proa_type_release(result);
    *incomplete = missing != 0;
    return error;
}

static void add_basic(struct model *model, enum proa_basic basic)
{
    struct model_type *m = &model->types[model->count++];

    memset(m, 0, sizeof *m);
    if (proa_type_basic(basic, &m->type))
        abort();
    m->listed = 1;
    m->count = 1;
    m->elements = must_have(malloc(sizeof *m->elements));
    m->elements[0] = (struct model_element){0, basic};
    m->size = (wide)data_bytes(basic);
    m->total = 1;
}

static void add_derived(struct model *model, struct input *input)
{
    struct model_type *m = &model->types[model->count];
    struct draft draft = {.type = m};
    struct cooking c;
    int error, incomplete;

    read_recipe(&c, model, input);
    present = &c;
    memset(m, 0, sizeof *m);
    m->listed = 1;
    m->elements = must_have(malloc(sizeof *m->elements * (MODEL_ELEMENTS + 1)));
    draft_type(&draft, &c);
    m->elements = must_have(realloc(m->elements, sizeof *m->elements * (m->count + 1)));
    m->listed = m->listed && !draft.far && !draft.invalid;
    error = make(&c, input, &m->type, &incomplete);
    if (incomplete)
        MUST(error < 0 || c.recipe.constructor >= PROA_MAKE_DUP || c.recipe.type_count == 0);
    else
        compare(m, &draft, &c.recipe, error);
    present = NULL;
    if (error == PROA_OK && !incomplete && m->size >= 0 && !draft.far) {
        model->count++;
        return;
    }
    if (!incomplete)
        proa_type_release(&m->type); /* also where there is an error: nothing is left then */
    free(m->elements);
}

/* Any number of any numbers from the input, as no host would pass them. They only have to be
 * refused, or to give a type that can be released. */
static void make_nonsense(const struct model *model, struct input *input)
{
    struct proa_type result;
    struct cooking c;
    size_t numbers, parts;
    int incomplete;

    memset(&c, 0, sizeof c);
    c.recipe.constructor = (enum proa_constructor)(input_byte(input) % (PROA_MAKE_RESIZED + 2));
    numbers = input_byte(input) % (NUMBERS + 1);
    parts = input_byte(input) % (PARTS + 1);
    while (c.recipe.number_count < numbers)
        add_number(&c, input_number(input));
    while (c.recipe.type_count < parts)
        add_part(&c, model, input);
    c.recipe.extent = input_number(input);
    present = &c;
    if (make(&c, input, &result, &incomplete) == PROA_OK && !incomplete)
        proa_type_release(&result);
    present = NULL;
}

void model_build(struct model *model, struct input *input, enum proa_basic only)
{
    static const enum proa_basic several[] = {PROA_I8,         PROA_I16,       PROA_F64,
                                              PROA_DOUBLE_INT, PROA_SHORT_INT, PROA_CLD};

    model->count = 0;
    if (only < PROA_BASIC_COUNT)
        add_basic(model, only);
    for (size_t i = 0; i < sizeof several / sizeof several[0] && only >= PROA_BASIC_COUNT; i++)
        add_basic(model, several[i]);
    while (input->left > 0 && model->count < MODEL_TYPES - 1)
        if (*input->bytes == NONSENSE) {
            input_byte(input);
            make_nonsense(model, input);
        } else {
            add_derived(model, input);
        }
}

void model_free(struct model *model)
{
    for (size_t i = 0; i < model->count; i++) {
        proa_type_release(&model->types[i].type);
        free(model->types[i].elements);
    }
    model->count = 0;
}

int64_t *model_bytes(const struct model_type *type, uint64_t count, int units, size_t most,
                     size_t *bytes)
{
    int64_t *offsets;
    size_t each = 0;

    *bytes = 0;
    for (size_t i = 0; i < type->count; i++)
        each +=
            units ? proa_basic_bytes(type->elements[i].basic) : data_bytes(type->elements[i].basic);
    if (!type->listed || count > most || each * count > most)
        return NULL;
    offsets = must_have(malloc(sizeof *offsets * (each * count + 1)));
    for (uint64_t k = 0; k < count; k++)
        for (size_t i = 0; i < type->count; i++) {
            struct span spans[2] = {{0, proa_basic_bytes(type->elements[i].basic)}};
            int n = units ? 1 : data_of(type->elements[i].basic, spans);
            int64_t at;
            if (__builtin_mul_overflow((int64_t)k, type->type.extent, &at) ||
                __builtin_add_overflow(at, type->elements[i].at, &at) || at > FAR || at < -FAR) {
                free(offsets);
                return NULL;
            }
            for (int s = 0; s < n; s++)
                for (size_t b = 0; b < spans[s].bytes; b++)
                    offsets[(*bytes)++] = at + (int64_t)(spans[s].at + b);
        }
    return offsets;
}
