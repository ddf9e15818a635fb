/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of the accumulate family on one element (rma/combine.h), as programs use them: one
 * tells another process of data, one learns of data, and two of a process come one after the other,
 * with a flush between them that has nothing left to do. */
#include "explore.h"
#include "rma/combine.h"

static struct shared {
    uint64_t element[2];
    uint64_t old[2]; /* what each process has read last */
    int data[2];
} * s;

/* ---- operations ---- */

static void kernel_or(void *target, const void *origin, uint64_t count)
{
    (void)count;
    *(uint64_t *)target |= *(const uint64_t *)origin;
}

static const uint64_t zero, one = 1, never = 5;
static const struct proa_elements sum = {.operation = PROA_OP_SUM, .basic = PROA_U64};
static const struct proa_elements replace = {.operation = PROA_OP_REPLACE, .basic = PROA_U64};
static const struct proa_elements combine = {
    .operation = PROA_OP_BOR, .basic = PROA_U64, .kernel = kernel_or};
static const struct proa_elements swap = {.basic = PROA_U64, .compare = &zero};
static const struct proa_elements swap_one = {.basic = PROA_U64, .compare = &one};
static const struct proa_elements swap_never = {.basic = PROA_U64, .compare = &never};
static const struct proa_elements *kind; /* that the scenario is about */

static uint64_t operate(const struct proa_elements *of, uint64_t *element, uint64_t value)
{
    struct proa_elements c = *of;
    uint64_t old;

    c.origin = (const char *)&value;
    c.result = (char *)&old;
    proa_atomic_uint64_t(&c, element);
    return old;
}

static uint64_t read_element(uint64_t *element)
{
    struct proa_elements c = {.operation = PROA_OP_NO_OP, .basic = PROA_U64};
    uint64_t value;

    c.result = (char *)&value;
    proa_atomic_uint64_t(&c, element);
    return value;
}

static void setup(const struct proa_elements *of)
{
    s = explore_new(sizeof *s, 64);
    kind = of;
}

static void setup_sum(void)
{
    setup(&sum);
}

static void setup_replace(void)
{
    setup(&replace);
}

static void setup_combine(void)
{
    setup(&combine);
}

static void setup_swap(void)
{
    setup(&swap);
}

/* ---- scenarios ---- */

/* The other process polls, by MPI_NO_OP. */
static void tell(int rank)
{
    if (rank == 0) {
        s->data[0] = 1;
        operate(kind, &s->element[0], 1);
        return;
    }
    while (!read_element(&s->element[0]))
        explore_yield();
    explore_check(s->data[0] == 1);
}

/* The second one finds what the first one has left; of swaps it fails. */
static void learn(int rank)
{
    s->data[rank] = 1;
    if (operate(kind, &s->element[0], 1))
        explore_check(s->data[1 - rank] == 1);
}

/* By a swap that succeeds. */
static void learn_by_swap(int rank)
{
    if (rank == 0) {
        s->data[0] = 1;
        operate(&swap, &s->element[0], 1);
        return;
    }
    while (operate(&swap_one, &s->element[0], 2) != 1)
        explore_yield();
    explore_check(s->data[0] == 1);
}

/* An element of one's own, then the other's. */
static void see(int rank)
{
    operate(kind, &s->element[rank], 1);
    s->old[rank] = read_element(&s->element[1 - rank]);
}

static void see_by_swap(int rank)
{
    operate(&sum, &s->element[rank], 1);
    s->old[rank] = operate(&swap_never, &s->element[1 - rank], 2);
}

static void seen(void)
{
    explore_check(s->old[0] || s->old[1]);
}

#define COMBINES(title, ...)                                 \
    {                                                        \
        .name = "combines." title, .threads = 2, __VA_ARGS__ \
    }
const struct explore_scenario explore_combines[] = {
    COMBINES("sum_tells", .setup = setup_sum, .body = tell),
    COMBINES("sum_learns", .setup = setup_sum, .body = learn),
    COMBINES("sum_sees", .setup = setup_sum, .body = see, .finish = seen),
    COMBINES("replace_tells", .setup = setup_replace, .body = tell),
    COMBINES("replace_learns", .setup = setup_replace, .body = learn),
    COMBINES("replace_sees", .setup = setup_replace, .body = see, .finish = seen),
    COMBINES("combine_tells", .setup = setup_combine, .body = tell),
    COMBINES("combine_learns", .setup = setup_combine, .body = learn),
    COMBINES("combine_sees", .setup = setup_combine, .body = see, .finish = seen),
    COMBINES("swap_tells", .setup = setup_swap, .body = tell),
    COMBINES("failed_swap_learns", .setup = setup_swap, .body = learn),
    COMBINES("swap_learns", .setup = setup_swap, .body = learn_by_swap),
    COMBINES("swap_sees", .setup = setup_swap, .body = see, .finish = seen),
    COMBINES("failed_swap_sees", .setup = setup_sum, .body = see_by_swap, .finish = seen),
    {0},
};
