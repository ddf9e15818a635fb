/* Peers (core/peer.h): who is taken for one, and until when. */
#include "world.h"

#include "base/fail.h"
#include "core/arena.h"
#include "core/ctl.h"
#include "core/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The last that was said of the load (linked with --wrap). */
static int load_processes;

void __real_proa_wait_set_load(int processes, int processors);
void __wrap_proa_wait_set_load(int processes, int processors);
void __wrap_proa_wait_set_load(int processes, int processors)
{
    load_processes = processes;
    __real_proa_wait_set_load(processes, processors);
}

/* ---- identity ---- */

/* A later process with the same number, whose first segment has the same size and the same number in its table of files. */
static void other_identity_body(struct world *world)
{
    struct proa_hello mine, all[WORLD_MOST], other;
    long mappings = world_mappings("memfd:proa");

    proa_hello_fill(&mine);
    CHECK_EQUAL(world->group.allgather(world->group.context, &mine, all, sizeof mine), 0);
    for (int rank = 0; rank < world->size; rank++) {
        if (rank == world->rank)
            continue;
        other = all[rank];
        other.id ^= 1;
        CHECK(!proa_peer_attach(&other));
        CHECK(strstr(proa_failure(), "not the process"));
        CHECK_EQUAL(world_mappings("memfd:proa"), mappings);
        CHECK_EQUAL(load_processes, 1);
    }
    for (int rank = 0; rank < world->size; rank++)
        CHECK(proa_peer_attach(&all[rank]));
    CHECK_EQUAL(world_mappings("memfd:proa"), mappings + world->size - 1);
    CHECK_EQUAL(load_processes, world->size);
}

static void other_identity(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 2, .body = other_identity_body});
    world_run(&(struct world_plan){.size = 4, .body = other_identity_body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_identity)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
