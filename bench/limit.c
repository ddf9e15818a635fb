/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit: the time of the same work when it is written by hand for processes that share memory,
 * without MPI. The cases have the names of rma's; those that need an MPI to make sense are missing.
 * Nothing here checks an argument, keeps an epoch or is fair: it is a bound, not a rival.
 */
#include "limit.h"
#include "options.h"
#include "together.h"

#include <stdio.h>
#include <string.h>

static const struct limit {
    const char *name;
    team_body *body;
    int size;
    bool everybody; /* runs the body; otherwise rank 0 alone */
    size_t bytes;   /* 0: SMALL */
} limits[] = {
    {"allocate.put", limit_put, 2, false, 0},
    {"allocate.get", limit_get, 2, false, 0},
    {"allocate.fetch_and_op", limit_fetch_add, 2, false, 0},
    {"allocate.compare_and_swap", limit_compare_exchange, 2, false, 0},
    {"allocate.accumulate", limit_fetch_add, 2, false, 0},
    {"allocate.lock", limit_lock_put, 2, false, 0},
    {"allocate.lock_shared", limit_lock_put, 2, false, 0},
    {"allocate.lock_all", limit_lock_only, 2, false, 0},
    {"allocate.pscw", limit_put_there_and_back, 2, true, 0},
    {"allocate.notify", limit_flagged_there_and_back, 2, true, 0},
    {"allocate.notify_polled", limit_flagged_there_and_back, 2, true, 0},
    {"allocate.notify_nothing", limit_there_and_back, 2, true, 0},
    {"allocate.fence", limit_put_barrier, 2, true, 0},
    {"allocate.put_64k", limit_put_64k, 2, false, 0},
    {"allocate.get_4m", limit_get_4m, 2, false, LARGE},
    {"allocate.random", together_random, 2, true, (size_t)2 * MIDDLE},
    {"allocate.random_4", together_random, 4, true, (size_t)4 * MIDDLE},
    {"allocate.random_8", together_random, 8, true, (size_t)8 * MIDDLE},
    {"allocate.counter_2", together_counter, 2, true, 0},
    {"allocate.counter_4", together_counter, 4, true, 0},
    {"allocate.counter_8", together_counter, 8, true, 0},
    {"allocate.mutex_2", together_mutex, 2, true, 0},
    {"allocate.mutex_4", together_mutex, 4, true, 0},
    {"allocate.mutex_8", together_mutex, 8, true, 0},
    {"allocate.notify_counter_2", together_counter, 2, true, 0},
    {"allocate.notify_counter_8", together_counter, 8, true, 0},
    {"allocate.halo_notify", together_halo_notify, RING, true, 0},
    {"allocate.halo_fence", together_halo_fence, RING, true, 0},
    {"allocate.halo_pscw", together_halo_pscw, RING, true, 0},
    {"allocate.pipeline_notify_4", together_pipeline, 4, true, 0},
    {"allocate.pipeline_notify_8", together_pipeline, RING, true, 0},
    {"allocate.flags", limit_flagged_there_and_back, 2, true, 0},
    {"allocate.put_rate", limit_put_many, 2, false, 0},
    {"allocate.get_rate", limit_get_many, 2, false, 0},
    {"allocate.accumulate_rate", limit_add_many, 2, false, 0},
    {"allocate.accumulate_64k", limit_accumulate_64k, 2, false, 0},
    {"allocate.accumulate_64k_shared", limit_accumulate_64k, 2, false, 0},
    {"allocate.put_vector", limit_put_vector, 2, false, 0},
    {"allocate.put_vector_both", limit_put_vector_both, 2, false, 0},
    {"allocate.put_indexed", limit_put_indexed, 2, false, 0},
    {"allocate.accumulate_vector", limit_accumulate_vector, 2, false, 0},
    {"allocate.accumulate_indexed", limit_accumulate_indexed, 2, false, 0},
    {"allocate.ring_fence", limit_ring_barrier, RING, true, 0},
    {"allocate.ring_pscw", limit_ring_neighbours, RING, true, 0},
    {"allocate.busy_lock", limit_lock_put, 2, false, 0},
    {"allocate.lock_nocheck", limit_put, 2, false, 0},
    {"allocate.fence_pair", limit_barrier_put_barrier, 2, true, 0},
    {"allocate.fence_pair_asserted", limit_barrier_put_barrier, 2, true, 0},
    {"allocate.fence_pair_nostore", limit_barrier_put_barrier, 2, true, 0},
    {"allocate.fence_no_locks", limit_put_barrier, 2, true, 0},
    {"allocate.pscw_ahead", limit_put_barrier, 2, true, 0},
    {"allocate.pscw_ahead_nocheck", limit_put_barrier, 2, true, 0},
    {"allocate.accumulate_16", limit_accumulate_16, 2, false, 0},
    {"allocate.accumulate_16_granular", limit_accumulate_16, 2, false, 0},
    {"allocate.accumulate_1024", limit_accumulate_1024, 2, false, 0},
    {"allocate.accumulate_1024_granular", limit_accumulate_1024, 2, false, 0},
    {"allocate.accumulate_same_op", limit_fetch_add, 2, false, 0},
    {"allocate.put_same_size", limit_put, 2, false, 0},
    {"allocate.put_same_disp_unit", limit_put, 2, false, 0},

    {"create.put", limit_kernel_put, 2, false, 0},
    {"create.get", limit_kernel_get, 2, false, 0},
    {"create.fetch_and_op", limit_kernel_fetch_add, 2, false, 0},
    {"create.compare_and_swap", limit_kernel_fetch_add, 2, false, 0},
    {"create.accumulate", limit_kernel_fetch_add, 2, false, 0},
    {"create.lock", limit_lock_kernel_put, 2, false, 0},
    {"create.lock_shared", limit_lock_kernel_put, 2, false, 0},
    {"create.lock_all", limit_lock_only, 2, false, 0},
    {"create.pscw", limit_kernel_put_there_and_back, 2, true, 0},
    {"create.notify", limit_kernel_put_there_and_back, 2, true, 0},
    {"create.fence", limit_kernel_put_barrier, 2, true, 0},
    {"create.put_64k", limit_kernel_put_64k, 2, false, 0},
    {"create.get_4m", limit_kernel_get_4m, 2, false, LARGE},
    {"create.put_rate", limit_kernel_put, 2, false, 0},
    {"create.accumulate_64k", limit_kernel_accumulate_64k, 2, false, 0},
    {"create.accumulate_64k_shared", limit_kernel_accumulate_64k, 2, false, 0},
    {"create.accumulate_vector", limit_kernel_accumulate_vector, 2, false, 0},
    {"create.accumulate_indexed", limit_kernel_accumulate_indexed, 2, false, 0},
    {"create.busy_lock", limit_lock_kernel_put, 2, false, 0},
    {"create.busy_fetch_and_op", limit_kernel_fetch_add, 2, false, 0},
    {"static.put", limit_kernel_put, 2, false, 0},
    {"static.fetch_and_op", limit_kernel_fetch_add, 2, false, 0},
    {"static.lock", limit_lock_kernel_put, 2, false, 0},
    {"heap.put", limit_kernel_put, 2, false, 0},
    {"heap.get", limit_kernel_get, 2, false, 0},
    {"heap.fetch_and_op", limit_kernel_fetch_add, 2, false, 0},
    {"heap.accumulate", limit_kernel_fetch_add, 2, false, 0},
    {"heap.lock", limit_lock_kernel_put, 2, false, 0},
    {"stack.put", limit_kernel_put, 2, false, 0},
    {"stack.fetch_and_op", limit_kernel_fetch_add, 2, false, 0},
    {"stack.put_indexed", limit_kernel_put_indexed, 2, false, 0},
    {"stack.accumulate_vector", limit_kernel_accumulate_vector, 2, false, 0},
    {"stack.accumulate_indexed", limit_kernel_accumulate_indexed, 2, false, 0},
    {"dynamic.put", limit_kernel_put, 2, false, 0},
    {"dynamic.get", limit_kernel_get, 2, false, 0},
    {"dynamic.fetch_and_op", limit_kernel_fetch_add, 2, false, 0},

    {"dynamic.accumulate", limit_kernel_fetch_add, 2, false, 0},
    {"dynamic.lock", limit_lock_kernel_put, 2, false, 0},
    {"dynamic.put_64k", limit_kernel_put_64k, 2, false, 0},

    {"shared.put", limit_put, 2, false, 0},
    {"shared.get", limit_get, 2, false, 0},
    {"shared.fetch_and_op", limit_fetch_add, 2, false, 0},
    {"shared.accumulate", limit_fetch_add, 2, false, 0},
    {"shared.lock", limit_lock_put, 2, false, 0},
    {"shared.pscw", limit_put_there_and_back, 2, true, 0},
    {"shared.fence", limit_put_barrier, 2, true, 0},
    {"shared.put_64k", limit_put_64k, 2, false, 0},

    {"idle.pingpong", limit_there_and_back, 2, true, 0},
};

enum { LIMITS = sizeof limits / sizeof *limits };

/* NAME.BYTES, for the sizes that rma has; bytes: how many times that each memory has, 0: once. */
static const struct limit sized[] = {
    {"allocate.put", limit_put_size, 2, false, 0},
    {"allocate.get", limit_get_size, 2, false, 0},
    {"allocate.accumulate", limit_accumulate_size, 2, false, 0},
    {"create.put", limit_kernel_put_size, 2, false, 0},
    {"create.get", limit_kernel_get_size, 2, false, 0},
    {"dynamic.put", limit_kernel_put_size, 2, false, 0},
    {"dynamic.get", limit_kernel_get_size, 2, false, 0},
    {"shared.put", limit_put_size, 2, false, 0},
    {"shared.get", limit_get_size, 2, false, 0},
    {"shared.accumulate", limit_accumulate_size, 2, false, 0},
    {"allocate.put_lock", limit_lock_put_size, 2, false, 0},
    {"allocate.put_fence", limit_put_barrier_size, 2, true, 2},
    {"allocate.put_pscw", limit_put_barrier_size, 2, true, 2},
    {"create.put_lock", limit_lock_kernel_put_size, 2, false, 0},
    {"create.put_fence", limit_kernel_put_barrier_size, 2, true, 0},
    {"create.put_pscw", limit_kernel_put_barrier_size, 2, true, 0},
    {"dynamic.put_lock", limit_lock_kernel_put_size, 2, false, 0},
    {"dynamic.put_fence", limit_kernel_put_barrier_size, 2, true, 0},
    {"dynamic.put_pscw", limit_kernel_put_barrier_size, 2, true, 0},
    {"shared.put_lock", limit_lock_put_size, 2, false, 0},
    {"shared.put_fence", limit_put_barrier_size, 2, true, 2},
    {"shared.put_pscw", limit_put_barrier_size, 2, true, 2},
    {"allocate.put_both", limit_put_both, 2, true, 2},
    {"allocate.get_both", limit_get_both, 2, true, 2},
};

enum { SIZED = sizeof sized / sizeof *sized, SIZE_STEP = 4 };

/* Of bodies that measure themselves. */
static const struct limit sampled[] = {
    {"allocate.waited_reaction", limit_waited_reaction, 2, true, 0},
};

enum { SAMPLED = sizeof sampled / sizeof *sampled, SAMPLES = 3 };

static int list(void)
{
    for (int i = 0; i < LIMITS; i++)
        printf("%s %d\n", limits[i].name, limits[i].size);
    for (int i = 0; i < SAMPLED; i++)
        printf("%s %d\n", sampled[i].name, sampled[i].size);
    for (int i = 0; i < SIZED; i++)
        for (size_t bytes = 1; bytes <= LARGE; bytes *= SIZE_STEP)
            printf("%s.%zu %d\n", sized[i].name, bytes, sized[i].size);
    return 0;
}

static bool find(const char *name, struct limit *found)
{
    for (int i = 0; i < LIMITS; i++)
        if (strcmp(limits[i].name, name) == 0) {
            *found = limits[i];
            return true;
        }
    for (int i = 0; i < SIZED; i++)
        for (size_t bytes = 1; bytes <= LARGE; bytes *= SIZE_STEP) {
            char text[64];

            snprintf(text, sizeof text, "%s.%zu", sized[i].name, bytes);
            if (strcmp(text, name) != 0)
                continue;
            *found = sized[i];
            found->bytes = bytes * (found->bytes ? found->bytes : 1);
            return true;
        }
    return false;
}

static const struct limit *find_sampled(const char *name)
{
    for (int i = 0; i < SAMPLED; i++)
        if (strcmp(sampled[i].name, name) == 0)
            return &sampled[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct options options = options_parse(
        argc, argv, "Times what a case of rma takes when it is written by hand, without MPI.");
    const struct limit *one = options.list ? NULL : find_sampled(options.name);
    struct limit limit;

    if (options.list)
        return list();
    if (one) {
        loop_print(one->name, team_sample(SAMPLES, one->size, one->body));
        return 0;
    }
    if (!find(options.name, &limit)) {
        fprintf(stderr, "limit: no case %s; --list shows them\n", options.name);
        return 2;
    }
    loop_print(options.name,
               team_measure(&options.plan, limit.size, limit.bytes ? limit.bytes : SMALL,
                            limit.body, limit.everybody));
    return 0;
}
