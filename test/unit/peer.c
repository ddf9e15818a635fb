/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers (shm/peer.h): which processes count as one, and until when. */
#include "move.h"

#include "base/fail.h"
#include "create/start.h"
#include "shm/arena.h"
#include "shm/ctl.h"
#include "shm/peer.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The last that was said of the load (linked with --wrap). */
static int load_processes;

void __real_proa_load_set(int processes, int processors);
void __wrap_proa_load_set(int processes, int processors);
void __wrap_proa_load_set(int processes, int processors)
{
    load_processes = processes;
    __real_proa_load_set(processes, processors);
}

/* /proc/PID of other processes is hidden (linked with --wrap). */
static int proc_is_hidden;

ssize_t __real_proa_file_read(const char *path, char *text, size_t room);
ssize_t __wrap_proa_file_read(const char *path, char *text, size_t room);
ssize_t __wrap_proa_file_read(const char *path, char *text, size_t room)
{
    return __real_proa_file_read(proc_is_hidden ? "/proc/hidden" : path, text, room);
}

/* ---- identity ---- */

/* A later process with the same number, whose first segment has the same size and the same number
 * in its table of files. */
static void other_identity_body(struct world *world)
{
    struct proa_hello mine, all[WORLD_MOST], other;
    long mappings = world_mappings("memfd:proa");

    mine = proa_hello_of(proa_self);
    CHECK_EQUAL(world->group.allgather(world->group.context, &mine, all, sizeof mine), 0);
    for (int rank = 0; rank < world->size; rank++) {
        if (rank == world->rank)
            continue;
        other = all[rank];
        other.first.id ^= 1;
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

/* ---- two containers of one host name ---- */

enum { CONTAINED = 1 };

/* From now on children are in a namespace of processes of their own. */
static int leave_namespace(void)
{
    return unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
}

/* Rank 1 goes on as the first process of a namespace, and its former process passes its outcome
 * on. */
static void contain(struct world *world)
{
    pid_t child;
    int status;

    if (world->rank != CONTAINED)
        return;
    CHECK(leave_namespace());
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return;
    }
    CHECK(waitpid(child, &status, 0) == child);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

/* Numbers of processes mean others there, so it counts as another node. */
static void container_body(struct world *world)
{
    struct proa_hello mine = proa_hello_of(proa_self), all[WORLD_MOST];

    CHECK_EQUAL(world->group.allgather(world->group.context, &mine, all, sizeof mine), 0);
    CHECK(all[CONTAINED].node != all[0].node);
    CHECK(all[2].node == all[0].node);
}

static void container(void **state)
{
    pid_t child = fork();
    int status = -1;

    (void)state;
    if (child == 0)
        _exit(leave_namespace() ? 0 : 1);
    if (waitpid(child, &status, 0) != child || status != 0)
        skip();
    world_run(&(struct world_plan){.size = 3, .body = container_body, .before = contain});
}

/* ---- files that the peer's program has closed ---- */

/* The user's own file under the number of Proa's, as large as that. */
static int replace_file(int segment)
{
    const struct proa_segment_ctl *ctl = &proa_self->ctl->segments[segment];
    int users = memfd_create("of the user", MFD_CLOEXEC);

    CHECK_EQUAL(ftruncate(users, (off_t)__atomic_load_n(&ctl->bytes, __ATOMIC_SEQ_CST)), 0);
    CHECK_EQUAL(dup2(users, ctl->fd), ctl->fd);
    return users;
}

/* Process 1 closes the file of its second segment, process 2 that of its first, before process 0
 * has got to them. */
static void closed_files_body(struct world *world)
{
    struct proa_hello mine, all[WORLD_MOST];
    struct proa_peer *peer;
    long mappings;

    CHECK(proa_arena_alloc(100 << 20, 0)); /* a second segment */
    if (world->rank > 0)
        replace_file(world->rank == 1 ? 1 : 0);
    mine = proa_hello_of(proa_self);
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

WORLD_TEST(closed_files, 3)

/* ---- processes that end ---- */

struct guest {
    struct proa_hello hello;
    pid_t pid;
};

/* A process of its own, with Proa started, that lives until it is killed. */
static struct guest guest_come(struct world *world)
{
    struct guest *shared = (struct guest *)(void *)world->shared, guest;
    uint32_t *ready = (uint32_t *)(void *)(world->shared + 4096);
    pid_t pid;

    __atomic_store_n(ready, 0, __ATOMIC_SEQ_CST);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        proa_core_stop(); /* inherited from its parent */
        CHECK_OK(proa_core_start());
        shared->hello = proa_hello_of(proa_self);
        __atomic_store_n(ready, 1, __ATOMIC_SEQ_CST);
        for (;;)
            pause();
    }
    world_await(ready, 1);
    guest = *shared;
    guest.pid = pid;
    return guest;
}

/* Only ended: the number is still taken until the parent asks for the status. */
static void guest_end(const struct guest *guest)
{
    siginfo_t info;

    CHECK_EQUAL(kill(guest->pid, SIGKILL), 0);
    CHECK_EQUAL(waitid(P_PID, (id_t)guest->pid, &info, WEXITED | WNOWAIT), 0);
}

static void guest_forget(const struct guest *guest)
{
    CHECK_EQUAL(waitpid(guest->pid, NULL, 0), guest->pid);
}

/* Guests come, are worked with, and go: no more is kept than of the last one, in memory and in the
 * load. */
static void guests_in_turn_body(struct world *world)
{
    long mappings = world_mappings("memfd:proa");
    struct proa_peer *peer;
    struct guest guest;

    for (int i = 0; i < 20; i++) {
        guest = guest_come(world);
        peer = proa_peer_attach(&guest.hello);
        CHECK(peer);
        CHECK_EQUAL(world_mappings("memfd:proa"), mappings + 1);
        CHECK_EQUAL(load_processes, 2);
        proa_peer_release(peer);
        guest_end(&guest);
        if (i % 2)
            guest_forget(&guest);
    }
}

WORLD_TEST(guests_in_turn, 1)

/* A peer that is still held, or alive, stays where it is. */
static void still_needed_body(struct world *world)
{
    struct guest held = guest_come(world), alive = guest_come(world), next;
    struct proa_peer *held_peer = proa_peer_attach(&held.hello),
                     *alive_peer = proa_peer_attach(&alive.hello);
    long mappings = world_mappings("memfd:proa");

    CHECK(held_peer && alive_peer);
    CHECK_EQUAL(proa_peer_attach(&held.hello), held_peer); /* by a second window */
    proa_peer_release(held_peer);
    proa_peer_release(alive_peer);
    guest_end(&held);
    for (int i = 0; i < 3; i++) {
        next = guest_come(world);
        CHECK(proa_peer_attach(&next.hello));
    }
    CHECK_EQUAL(world_mappings("memfd:proa"), mappings + 3);
    CHECK_EQUAL(load_processes, 6);
    CHECK_EQUAL(held_peer->ctl->id, held.hello.first.id);
    CHECK_EQUAL(proa_peer_attach(&alive.hello), alive_peer);
    proa_peer_release(alive_peer);

    /* No process comes, but windows come and go: it is noticed all the same. */
    proa_peer_release(held_peer);
    for (int i = 0; i < 1000; i++)
        proa_peer_release(proa_peer_attach(&alive.hello));
    CHECK_EQUAL(world_mappings("memfd:proa"), mappings + 2);
    CHECK_EQUAL(load_processes, 5);

    /* As if the process had ended, and a later one had its number. */
    alive_peer->met = 0;
    next = guest_come(world);
    CHECK(proa_peer_attach(&next.hello));
    CHECK_EQUAL(world_mappings("memfd:proa"), mappings + 2);
    CHECK_EQUAL(load_processes, 5);
}

WORLD_TEST(still_needed, 1)

/* Where /proc hides other processes, a descriptor of the process tells of its end: before its
 * parent has asked for the status its number is still taken. */
static void hidden_body(struct world *world)
{
    struct guest guest = guest_come(world);
    struct proa_peer *peer = proa_peer_attach(&guest.hello);
    int own = (int)syscall(SYS_pidfd_open, getpid(), 0);

    CHECK(peer);
    proc_is_hidden = 1;
    CHECK(!proa_peer_has_ended(peer));
    guest_end(&guest);
    if (own >= 0) /* else the kernel has no such descriptors */
        CHECK(proa_peer_has_ended(peer));
    guest_forget(&guest);
    CHECK(proa_peer_has_ended(peer));
    proc_is_hidden = 0;
    close(own);
}

WORLD_TEST(hidden, 1)

/* A window holds its peers, and lets them go. */
static void windows_hold_body(struct world *world)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 100, .disp_unit = 1};
    struct proa_win *one = window_create(world, &args), *two = window_create(world, &args);
    struct proa_peer *peer = one->targets[1 - world->rank].peer;

    CHECK_EQUAL(__atomic_load_n(&peer->holders, __ATOMIC_RELAXED), 2);
    window_free(one);
    CHECK_EQUAL(__atomic_load_n(&peer->holders, __ATOMIC_RELAXED), 1);
    window_free(two);
    CHECK_EQUAL(__atomic_load_n(&peer->holders, __ATOMIC_RELAXED), 0);
    /* fails, after or before the others were attached */
    args.bytes = world->rank ? UINT64_C(1) << 46 : 0;
    CHECK_FAILS(proa_win_create(&args, &world->group, &one), PROA_ERR_NO_MEM);
    args.flavor = PROA_FLAVOR_SHARED;
    CHECK_FAILS(proa_win_create(&args, &world->group, &one), PROA_ERR_NO_MEM);
    CHECK_EQUAL(__atomic_load_n(&peer->holders, __ATOMIC_RELAXED), 0);
}

WORLD_TEST(windows_hold, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_identity), cmocka_unit_test(container),
        cmocka_unit_test(closed_files),   cmocka_unit_test(guests_in_turn),
        cmocka_unit_test(still_needed),   cmocka_unit_test(hidden),
        cmocka_unit_test(windows_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
