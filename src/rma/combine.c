/* SPDX-License-Identifier: BSD-3-Clause */
/* See combine.h. */
#include "rma/combine.h"

size_t proa_padding_of(enum proa_basic basic)
{
    size_t value, index, at;

    return proa_basic_pair(basic, &value, &index, &at) ? proa_basic_bytes(basic) - at - index : 0;
}

int proa_is_padded(enum proa_basic basic)
{
    size_t value, index, at;

    return proa_basic_pair(basic, &value, &index, &at) && value + index < proa_basic_bytes(basic);
}

proa_kernel *proa_kernel_of_bytes(enum proa_operation operation, enum proa_basic basic)
{
    int is_byte = basic == PROA_BYTE || basic == PROA_CHAR8;

    return is_byte && operation != PROA_OP_MAX && operation != PROA_OP_MIN
               ? proa_kernel_find(operation, PROA_U8)
               : NULL;
}

/* Fetches the old value, without the padding of pairs. */
static void fetch(const struct proa_elements *c, const char *target)
{
    size_t value, index, at;

    if (proa_basic_pair(c->basic, &value, &index, &at))
        proa_kernel_find(PROA_OP_REPLACE, c->basic)(c->result, target, c->count);
    else
        proa_copy(c->result, target, c->count * c->bytes);
}

void proa_apply(const struct proa_elements *c, char *target)
{
    if (c->result)
        fetch(c, target);
    if (!c->compare)
        c->kernel(target, c->origin, c->count);
    else if (memcmp(target, c->compare, c->bytes) == 0)
        /* an operation that compares has an origin */
        memcpy(target, c->origin, c->bytes); /* NOLINT(clang-analyzer-core.NonNullParamChecker) */
}

void proa_apply_atomic(const struct proa_elements *run, char *target)
{
    struct proa_elements c = *run;

    for (uint64_t i = 0; i < run->count; i++, target += c.bytes, proa_elements_advance(&c, 1))
        proa_apply_atomic_one(&c, target);
}

/* MPI_REPLACE too goes by the kernel, field by field, and so does the old value into the result. */
void proa_apply_atomic_fields(const struct proa_elements *run, char *target)
{
    struct proa_elements c = *run;

    for (uint64_t i = 0; i < run->count; i++, target += c.bytes, proa_elements_advance(&c, 1)) {
        /* little-endian: in front */
        uint64_t old = c.bytes == 8
                           ? proa_atomic_kernel_uint64_t(&c, (uint64_t *)(void *)target, c.origin)
                           : proa_atomic_kernel_uint32_t(&c, (uint32_t *)(void *)target, c.origin);
        if (c.result)
            proa_kernel_find(PROA_OP_REPLACE, c.basic)(c.result, &old, 1);
    }
}
