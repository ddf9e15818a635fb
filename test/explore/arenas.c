/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that neighbours map (shm/arena.c, shm/segment.c, shm/peer.c): new segments, and peers that
 * several threads use. Files and mappings are pretended. */
#include "explore.h"
#include "shm/ctl.h"

/* The names that other files of this program have, too, end in _ here. */
#define proa_self proa_self_
#define proa_peer_has_windows proa_peer_has_windows_
#define proa_peer_has_ended proa_peer_has_ended_
#define proa_peer_is_nobody proa_peer_is_nobody_
#define proa_peer_find proa_peer_find_
#define proa_peer_segment proa_peer_segment_
#define proa_peer_second proa_peer_second_
#define proa_pages_map proa_pages_map_
#define proa_segment_map proa_segment_map_
#include "shm/fd_server.h"
#include "shm/peer.c"

static struct shared {
    struct proa_proc_ctl owner;
    struct proa_segment memory;
    int unknown;
} * s;

static struct proa_peer *peer;
enum { NO_PROCESS = 0x7ffffff0 };

char *proa_segment_map(const struct proa_segment_name *name, uint64_t offset, uint64_t bytes)
{
    int *base = explore_new(64, 64);

    explore_check(name->fd == 5 && name->inode == 7 && bytes == 4096 && offset == 0);
    *base = 1;
    return (char *)base;
}

/* Files are pretended: none is asked for. */
int proa_fd_server_ask(const struct proa_segment_name *name)
{
    (void)name;
    return -1;
}

static void prepare(void)
{
    explore_share(&peers, sizeof peers);
    explore_share(&others_first, sizeof others_first);
    explore_share(&others_end, sizeof others_end);
    explore_share(&peer, sizeof peer);
}

static void segment_publish(void)
{
    s->memory = (struct proa_segment){.base = (char *)s, .bytes = 4096, .fd = 5, .inode = 7};
    proa_segment_publish(&s->memory, &s->owner.segments[1]);
}

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
    CPU_SET(0, &s->owner.processors);
    s->owner.light_fences = 1;
    peer = peer_add(1, NO_PROCESS, (char *)&s->owner);
}

/* The owner makes a segment while a neighbour looks for it. */
static void publish(int thread)
{
    struct proa_segment_name name;

    if (thread == 0) {
        segment_publish();
        return;
    }
    name = proa_segment_name(&s->owner, &s->owner.segments[1]);
    explore_check(name.bytes == 0 || (name.fd == 5 && name.inode == 7));
}

/* Two threads map it. */
static void setup_published(void)
{
    setup();
    segment_publish();
}

static void map(int thread)
{
    const int *base = (const int *)(void *)proa_peer_segment(peer, 1);

    (void)thread;
    explore_check(base && *base == 1);
    explore_check((const char *)base == proa_peer_segment(peer, 1));
}

/* Two threads need a second accessor. */
static void second(int thread)
{
    struct proa_peer *other = proa_peer_second(peer);

    (void)thread;
    explore_check(other && other->ctl == &s->owner && other->slot);
}

/* One thread lets the peer go, another forgets it. */
static void setup_held(void)
{
    setup();
    peer->holders = 1;
}

static void forget(int thread)
{
    if (thread == 0) {
        explore_check(peer->ctl == &s->owner);
        proa_peer_release(peer);
        return;
    }
    pthread_mutex_lock(&peers_mutex);
    peers_sweep();
    pthread_mutex_unlock(&peers_mutex);
}

/* A thread looks for the owner of an address that another one has just mapped. */
static void find(int thread)
{
    struct proa_hello owner;
    uint64_t offset;
    int segment;

    if (thread == 0)
        explore_check(proa_peer_segment(peer, 1) != NULL);
    else
        explore_check(!proa_peer_find(&s->unknown, 1, &owner, &segment, &offset));
}

const struct explore_scenario explore_arenas[] = {
    {.name = "arenas.publish", .threads = 2, .prepare = prepare, .setup = setup, .body = publish},
    {.name = "arenas.map", .threads = 2, .prepare = prepare, .setup = setup_published, .body = map},
    {.name = "arenas.second", .threads = 2, .prepare = prepare, .setup = setup, .body = second},
    {.name = "arenas.forget",
     .threads = 2,
     .prepare = prepare,
     .setup = setup_held,
     .body = forget},
    {.name = "arenas.find",
     .threads = 2,
     .prepare = prepare,
     .setup = setup_published,
     .body = find},
    {0},
};
