/* Peers (core/peer.h): who is taken for one, and until when. */
#include "world.h"

#include "base/fail.h"
#include "core/arena.h"
#include "core/ctl.h"
#include "core/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* ---- files that the peer's program has closed ---- */

/* The user's own file under the number of Proa's, as large as that. */
static int replace_file(int segment)
{
    const struct proa_segment_ctl *ctl = &proa_self->ctl->segments[segment];
    int users = memfd_create("of the user", MFD_CLOEXEC);

    CHECK_EQUAL(ftruncate(users, (off_t)atomic_load(&ctl->bytes)), 0);
    CHECK_EQUAL(dup2(users, ctl->fd), ctl->fd);
    return users;
}

/* Process 1 closes the file of its second segment, process 2 that of its first, before process 0 has got to them. */
static void closed_files_body(struct world *world)
{
    struct proa_hello mine, all[WORLD_MOST];
    struct proa_peer *peer;
    long mappings;

    CHECK(proa_arena_alloc(100 << 20, 0)); /* a second segment */
    if (world->rank > 0)
        replace_file(world->rank == 1 ? 1 : 0);
    proa_hello_fill(&mine);
    CHECK_EQUAL(world->group.allgather(world->group.context, &mine, all, sizeof mine), 0);
    if (world->rank == 0) {
        mappings = world_mappings("memfd:");
        peer = proa_peer_attach(&all[1]);
        CHECK(peer);
        CHECK(!proa_peer_segment(peer, 1));
        CHECK(strstr(proa_failure(), "has closed Proa's file"));
        CHECK(!proa_peer_attach(&all[2]));
        CHECK(strstr(proa_failure(), "has closed Proa's file"));
        CHECK_EQUAL(world_mappings("memfd:"), mappings + 1);
    }
    world_barrier(world);
}

static void closed_files(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = closed_files_body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_identity), cmocka_unit_test(closed_files)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
