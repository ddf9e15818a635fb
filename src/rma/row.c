/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements in a row over one span or several, each by the span of its first byte. See combine.h. */
#include "rma/combine.h"
#include "base/fail.h"
#include "rma/place.h"
#include "rma/road.h"

enum { ELEMENT_BYTES_MOST = 32 }; /* of all basic types */

/* An element between its places in the target's memory, wherever they are, and a copy of it here:
 * not what may lie inside a pair, or behind it. */
static int carry_element(const struct proa_combine *c, uint64_t position, char *copy, int put)
{
    size_t bytes = c->run.bytes, index = 0, index_at = 0;
    struct proa_carry carry;
    int error;

    proa_basic_pair(c->run.basic, &bytes, &index, &index_at);
    proa_carry_begin(&carry, c->win, c->rank, put);
    error = proa_carry_bytes(&carry, position, copy, bytes);
    if (!error)
        error = proa_carry_bytes(&carry, position + index_at, copy + index_at, index);
    return error ? error : proa_carry_end(&carry);
}

/* An element whose bytes go over the end of its span. No accessor uses processor atomics for such
 * an element (rma/guard.h). */
static int combine_border(struct proa_combine *c, const struct proa_span *span, uint64_t position)
{
    char copy[ELEMENT_BYTES_MOST] __attribute__((aligned(16))) = {0};
    int error;

    if (!proa_guard_is_alone(c->win, c->rank))
        proa_guard_stripes(&c->guarded, span->owner, proa_span_key(span, position), 1);
    error = carry_element(c, position, copy, 0);
    if (error)
        return error;
    proa_apply(&c->run, copy);
    return c->run.operation == PROA_OP_NO_OP ? PROA_OK : carry_element(c, position, copy, 1);
}

/* How many of the elements from position on lie in the span with all of their data. */
static uint64_t elements_in(const struct proa_span *span, uint64_t position,
                            const struct proa_elements *run)
{
    uint64_t count = (span->end - position + proa_padding_of(run->basic)) / run->bytes;

    return count < run->count ? count : run->count;
}

int proa_combine_row(struct proa_combine *c, uint64_t position)
{
    struct proa_elements *run = &c->run;
    uint64_t left = run->count;
    int error = PROA_OK;

    for (; left > 0 && !error; left -= run->count, position += run->count * run->bytes,
                               proa_elements_advance(run, run->count)) {
        struct proa_span span;
        uint64_t inside;

        error =
            proa_span_find(c->win, &c->win->targets[c->rank], position, left * run->bytes, &span);
        if (error)
            break;
        run->count = left;
        inside = elements_in(&span, position, run);
        run->count = inside ? inside : 1;
        error =
            inside ? span.road->combine(c, &span, position) : combine_border(c, &span, position);
        proa_guard_leave(&c->guarded);
    }
    return error;
}
