/* SPDX-License-Identifier: BSD-3-Clause */
/* One access, as order/accesses.h keeps them. */
#include "order/accesses.h"

#include <string.h>

enum { HOST_CALLS_MOST = 128 };

static const char *host_calls[HOST_CALLS_MOST];

uint16_t proa_access_host_call(const char *name)
{
    for (int i = 0; i < HOST_CALLS_MOST; i++) {
        if (!host_calls[i])
            host_calls[i] = name;
        if (strcmp(host_calls[i], name) == 0)
            return (uint16_t)(PROA_ACCESS_HOST + i);
    }
    return PROA_ACCESS_TOUCH;
}

const char *proa_access_name(const struct proa_access *access)
{
    if (access->call >= PROA_ACCESS_HOST)
        return host_calls[access->call - PROA_ACCESS_HOST];
    switch (access->call) {
    case PROA_ACCESS_LOAD:
        return "a load";
    case PROA_ACCESS_STORE:
        return "a store";
    case PROA_ACCESS_TOUCH:
        return "a load or a store";
    default:
        return proa_call_name((enum proa_call)access->call);
    }
}

/* Accesses of one origin are ordered. */
static int differ_in_op(const struct proa_access *one, const struct proa_access *other)
{
    return one->op && other->op && one->op != other->op && one->origin != other->origin;
}

/* MPI-4.1, 13.7: "Updating a location in the window with a store operation that is also the target
 * of a remote read (but not update) is valid (not erroneous)". MPI_NO_OP updates nothing, and marks
 * the read as intended. If the read covers more bytes than a store may write at once, its result
 * may be a mixture. */
static int is_poll(const struct proa_access *store, const struct proa_access *other)
{
    return store->call == PROA_ACCESS_STORE && other->kind == PROA_ACCESS_ATOMIC_READ &&
           other->high - other->low <= sizeof(uint64_t);
}

int proa_access_conflicts(const struct proa_access *one, const struct proa_access *other)
{
    const unsigned kinds = 1U << one->kind | 1U << other->kind;

    if (kinds & 1U << PROA_ACCESS_POLL || is_poll(one, other) || is_poll(other, one))
        return 0;
    if (kinds & 1U << PROA_ACCESS_WRITE)
        return 1;
    if ((kinds & 1U << PROA_ACCESS_ATOMIC) == 0)
        return 0;
    if (kinds == 1U << PROA_ACCESS_ATOMIC) /* 13.7.1: element by element, of one predefined type */
        return one->basic != other->basic || one->phase != other->phase || differ_in_op(one, other);
    return differ_in_op(one, other) || (kinds & 1U << PROA_ACCESS_READ) != 0;
}
