/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds that simulations of a few ranks are held to: see bounds.h. */
#include "bounds.h"
#include "remote/window.h"
#include "window/gather.h"

#include <stdio.h>
#include <string.h>

/* At most so many messages: these numbers, times the ranks P, P log2 P, and N log2 N for the N
 * nodes. */
struct bound {
    const char *call;
    int ranks, ranks_log, nodes_log;
};

static const struct bound messages[] = {
    {"create.first", 0, 0, 0},     {"create.further", 0, 0, 0},  {"create.free", 0, 0, 1},
    {"fence.empty", 0, 0, 1},      {"fence.puts", 8, 0, 1},      {"pscw.first", 8, 0, 0},
    {"pscw.back", 8, 0, 0},        {"lock.first", 4, 0, 0},      {"lock.next", 2, 0, 0},
    {"lock.hot", 2, 0, 0},         {"lock_all.again", 0, 0, 0},  {"lock.all", 16, 0, 0},
    {"lock_all.lock", 2, 0, 0},    {"lock_all.flush", 64, 0, 0}, {"lock_all.unlock", 0, 0, 0},
    {"notify.first", 4, 0, 0},     {"notify.further", 2, 0, 0},  {"death.told", 2, 2, 1},
    {"hot_lock.waiters", 2, 0, 0}, {"crowd.waiters", 2, 0, 0},   {"recall.all", 2, 0, 0},
    {"storm.puts", 1, 0, 0},
};

/* At most so many of the scenario's value: times the ranks, and besides. */
static const struct {
    const char *row;
    int value;
    long each, besides;
} values[] = {
    {"hot_lock", 0, 0, 0},         /* no waiter is overtaken */
    {"crowd", 0, 16 << 10, 65536}, /* the target keeps a batch of each waiter */
    {"recall", 0, 2, 0},
    {"storm", 0, 1024, 65536}, /* the target keeps none */
};

/* Of each rank, with one window without traffic. */
enum { MEMORY_EACH = 8, MEMORY_BESIDES = 96 << 10 };

/* Of each rank that has put to 32 others: the batches that are kept, and the state of each. */
enum { BATCHES = PROA_BODIES_KEPT * (PROA_NET_MESSAGE_MOST + 64), PARTNERS_STATE = 32 * 2048 };

/* Bytes of each rank that the host's allgathers bring to each, at a creation. */
enum { GATHERED_EACH = 144 };

/* From so many ranks on, a creation takes at most so many times the simulated time of the host's
 * barrier and allgather of 64 bytes a rank, the mark behind it. */
enum { MANY = 100000, TIMES_HOST = 3 };

static int log2_up(int n)
{
    int k = 0;

    while (1 << k < n)
        k++;
    return k;
}

static int hold(const char *call, const char *what, long is, long most)
{
    if (is <= most)
        return 0;
    printf("%s: %ld %s, %ld at most\n", call, is, what, most);
    return 1;
}

int simulate_hold_mark(const char *call, const struct simulate_plan *plan,
                       const struct simulate_counts *counts)
{
    static long further_ns;
    const int p = plan->ranks, n = (p + plan->per_node - 1) / plan->per_node;
    int failed = 0;

    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (!strcmp(messages[i].call, call))
            failed |=
                hold(call, "messages", counts->messages,
                     (long)messages[i].ranks * p + (long)messages[i].ranks_log * p * log2_up(p) +
                         (long)messages[i].nodes_log * n * log2_up(n));
    if (!strcmp(call, "create.first"))
        failed |= hold(call, "bytes of memory of a rank", counts->memory,
                       (long)MEMORY_EACH * p + MEMORY_BESIDES);
    if (!strcmp(call, "lock_all.flush"))
        failed |= hold(call, "bytes of memory of a rank", counts->memory,
                       (long)MEMORY_EACH * p + MEMORY_BESIDES + BATCHES + PARTNERS_STATE);
    if (!strcmp(call, "create.host") && p >= MANY)
        failed |= hold("create.further", "ns", further_ns, TIMES_HOST * counts->ns);
    if (!strcmp(call, "create.further"))
        further_ns = counts->ns;
    if (!strncmp(call, "create.f", 8) && p > PROA_GATHER_FEW)
        failed |= hold(call, "bytes gathered", counts->gathered, (long)GATHERED_EACH * p);
    return failed;
}

int simulate_hold_values(const char *row, const struct simulate_plan *plan, const long value[])
{
    int failed = 0;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strcmp(values[i].row, row))
            failed |= hold(row, "is a value of it", value[values[i].value],
                           values[i].each * plan->ranks + values[i].besides);
    return failed;
}
