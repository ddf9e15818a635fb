/* SPDX-License-Identifier: BSD-3-Clause */
/* See peer.h. */
#include "shm/peer.h"
#include "shm/process.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/load.h"
#include "base/membar.h"
#include "base/log.h"
#include "base/settings.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A block of a peer's adopted memory. */
struct proa_block {
    uint64_t number; /* address / proa_pages_block */
    char *base;
    UT_hash_handle hh;
};

struct proa_peer *proa_self;

static pthread_mutex_t peers_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_peer *peers; /* by id */
static unsigned unheld;         /* number of times that a peer's last holder released it */
static uint64_t node_hash;

/* ---- the identity of this process ---- */

/* Returns a new id for each start, even in processes forked from one. Early after boot there is no
 * random number; then the pid and the time are used. */
static uint64_t new_id(void)
{
    uint64_t number = 0;
    pid_t pid = getpid();
    struct timespec now;

    (void)!getrandom(&number, sizeof number, GRND_NONBLOCK);
    clock_gettime(CLOCK_MONOTONIC, &now);
    return proa_hash_bytes(proa_hash_bytes(number, &pid, sizeof pid), &now, sizeof now);
}

struct proa_hello proa_hello_of(const struct proa_peer *peer)
{
    return (struct proa_hello){.node = node_hash,
                               .first = proa_segment_name(peer->ctl, &peer->ctl->segments[0])};
}

/* ---- peers ---- */

static struct proa_slot *slot_take(struct proa_proc_ctl *ctl)
{
    uint32_t number = proa_atomic_fetch_add(&ctl->slots_given, 1, PROA_RELAXED);

    return number < PROA_SLOTS ? &ctl->slots[number] : NULL;
}

/* Waits depend on whether the node is oversubscribed (more processes than processors). */
static void load_update(void)
{
    const struct proa_peer *peer, *next;
    cpu_set_t processors; /* the processors that any of these processes may run on */

    CPU_ZERO(&processors);
    HASH_ITER(hh, peers, peer, next)
        CPU_OR(&processors, &processors, &peer->ctl->processors);
    proa_load_set((int)HASH_COUNT(peers), CPU_COUNT(&processors));
}

static struct proa_peer *peer_add(uint64_t id, int pid, char *first)
{
    struct proa_peer *peer = calloc(1, sizeof *peer);

    if (!peer)
        return NULL;
    peer->id = id;
    peer->pid = pid;
    peer->ctl = (struct proa_proc_ctl *)(void *)first;
    peer->segments[0] = first;
    peer->slot = slot_take(peer->ctl);
    peer->met = proa_ticks_now();
    HASH_ADD(hh, peers, id, sizeof id, peer);
    load_update();
    if (!peer->ctl->light_fences || proa_membar_light_is_full)
        proa_membar_weaken();
    return peer;
}

static void blocks_forget(struct proa_peer *peer)
{
    struct proa_block *block = peer->blocks, *next;

    HASH_CLEAR(hh, peer->blocks);
    for (; block; block = next) {
        next = block->hh.next;
        munmap(block->base, proa_pages_block);
        free(block);
    }
}

/* The first segment, which has the peer's block, is unmapped last. */
static void peer_forget(struct proa_peer *peer)
{
    /* the analyser takes the next peer for the one just freed */
    HASH_DEL(peers, peer); /* NOLINT(clang-analyzer-unix.Malloc) */
    blocks_forget(peer);
    for (int i = PROA_SEGMENTS; i-- > 0 && peer != proa_self;)
        if (proa_atomic_load(&peer->segments[i], PROA_RELAXED))
            munmap(peer->segments[i],
                   proa_atomic_load(&peer->ctl->segments[i].bytes, PROA_RELAXED));
    free(peer->second);
    free(peer);
}

struct proa_peer *proa_peer_second(struct proa_peer *peer)
{
    struct proa_peer *second = proa_atomic_load(&peer->second, PROA_ACQUIRE);

    if (second)
        return second;
    pthread_mutex_lock(&peers_mutex);
    second = peer->second ? peer->second : calloc(1, sizeof *second);
    if (!second)
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the service of other nodes");
    if (second && !peer->second) {
        second->id = peer->id;
        second->pid = peer->pid;
        second->ctl = peer->ctl;
        second->slot = slot_take(peer->ctl);
        proa_atomic_store(&peer->second, second, PROA_RELEASE);
    }
    pthread_mutex_unlock(&peers_mutex);
    return second;
}

int proa_peer_is_nobody(const struct proa_peer *peer)
{
    return proa_process_is_nobody(peer->pid);
}

int proa_peer_has_ended(const struct proa_peer *peer)
{
    return proa_process_has_ended(peer->pid, peer->met);
}

int proa_hello_has_ended(const struct proa_hello *hello)
{
    int before = errno, has_ended = proa_process_has_ended(hello->first.pid, UINT64_MAX);

    errno = before;
    return has_ended;
}

void proa_peer_opens_window(void)
{
    proa_atomic_fetch_add(&proa_self->ctl->windows, 1, PROA_RELAXED);
}

void proa_peer_closes_window(void)
{
    proa_atomic_fetch_sub(&proa_self->ctl->windows, 1, PROA_RELEASE);
}

int proa_peer_has_windows(const struct proa_peer *peer)
{
    return proa_atomic_load(&peer->ctl->windows, PROA_ACQUIRE) != 0;
}

/* Forgets ended processes that no window holds. Not thread-safe. */
static void peers_sweep(void)
{
    unsigned before = HASH_COUNT(peers);
    struct proa_peer *peer, *next;

    HASH_ITER(hh, peers, peer, next)
        if (peer != proa_self && proa_atomic_load(&peer->holders, PROA_ACQUIRE) == 0 &&
            proa_peer_has_ended(peer))
            peer_forget(peer);
    if (HASH_COUNT(peers) != before)
        load_update();
}

/* All mappings of other processes' segments lie between these bounds. The bounds only move apart,
 * under the mutex. Readers take no mutex, as a reader with an address in such a mapping runs after
 * the mapping was made. */
static uintptr_t others_first = UINTPTR_MAX, others_end;

static void others_widen(const char *base, uint64_t bytes)
{
    if ((uintptr_t)base < others_first)
        proa_atomic_store(&others_first, (uintptr_t)base, PROA_RELAXED);
    if ((uintptr_t)base + bytes > others_end)
        proa_atomic_store(&others_end, (uintptr_t)base + bytes, PROA_RELAXED);
}

static struct proa_peer *peer_attach_locked(const struct proa_segment_name *name)
{
    struct proa_peer *peer;
    const struct proa_proc_ctl *ctl;
    char *first;
    int is_it;

    HASH_FIND(hh, peers, &name->id, sizeof name->id, peer);
    if (peer)
        return peer;
    first = proa_segment_map(name, 0, name->bytes);
    if (!first)
        return NULL;
    ctl = (const struct proa_proc_ctl *)(const void *)first;
    is_it = ctl->magic == PROA_CTL_MAGIC && ctl->id == name->id;
    if (is_it) {
        peers_sweep(); /* new processes often replace ended ones */
        peer = peer_add(name->id, name->pid, first);
    }
    if (peer) {
        others_widen(first, name->bytes);
        return peer;
    }
    munmap(first, name->bytes);
    errno = is_it ? ENOMEM : ESTALE;
    proa_fail(PROA_ERR_OTHER,
              is_it ? "out of memory for the state of process %d"
                    : "process %d here is not the process that said hello",
              name->pid);
    return NULL;
}

struct proa_peer *proa_peer_attach(const struct proa_hello *hello)
{
    struct proa_peer *peer;

    pthread_mutex_lock(&peers_mutex);
    peer = peer_attach_locked(&hello->first);
    if (peer)
        proa_atomic_fetch_add(&peer->holders, 1, PROA_RELAXED);
    pthread_mutex_unlock(&peers_mutex);
    return peer;
}

/* Checking a process takes some microseconds, freeing a window of two processes less than one. So
 * the check is made only now and then. */
void proa_peer_release(struct proa_peer *peer)
{
    enum { RELEASES_PER_LOOK = 64 };

    if (proa_atomic_fetch_sub(&peer->holders, 1, PROA_RELEASE) > 1 || /* partner: peers_sweep */
        peer == proa_self ||
        (proa_atomic_fetch_add(&unheld, 1, PROA_RELAXED) + 1) % RELEASES_PER_LOOK)
        return;
    pthread_mutex_lock(&peers_mutex);
    if (proa_atomic_load(&unheld, PROA_RELAXED) >= RELEASES_PER_LOOK * HASH_COUNT(peers)) {
        proa_atomic_store(&unheld, 0, PROA_RELAXED);
        peers_sweep();
    }
    pthread_mutex_unlock(&peers_mutex);
}

/* Returns whether all of [address, address + bytes) lies in the peer's segment, as mapped here. */
static int is_in_segment(const struct proa_peer *peer, int segment, const void *address,
                         uint64_t bytes, uint64_t *offset)
{
    const char *base = proa_atomic_load(&peer->segments[segment], PROA_RELAXED);
    uint64_t room = proa_atomic_load(&peer->ctl->segments[segment].bytes, PROA_RELAXED);

    return proa_segment_holds(base, room, address, bytes, offset);
}

int proa_peer_find(const void *address, uint64_t bytes, struct proa_hello *owner, int *segment,
                   uint64_t *offset)
{
    struct proa_peer *peer, *next;
    int found = 0;

    if ((uintptr_t)address < proa_atomic_load(&others_first, PROA_RELAXED) ||
        (uintptr_t)address >= proa_atomic_load(&others_end, PROA_RELAXED))
        return 0; /* the case for nearly all memory, with any number of neighbours */
    pthread_mutex_lock(&peers_mutex);
    HASH_ITER(hh, peers, peer, next)
        for (int i = 0; i < PROA_SEGMENTS && !found && peer != proa_self; i++)
            if (is_in_segment(peer, i, address, bytes, offset)) {
                *owner = proa_hello_of(peer);
                *segment = i;
                found = 1;
            }
    pthread_mutex_unlock(&peers_mutex);
    return found;
}

static uint64_t touched_by(const struct proa_peer *peer)
{
    uint64_t touched = 0;

    for (int i = 0; i < PROA_SEGMENTS; i++) {
        struct proa_segment_name name = proa_segment_name(peer->ctl, &peer->ctl->segments[i]);

        if (name.bytes == 0)
            break;
        touched += proa_segment_name_touched(&name);
    }
    return touched;
}

uint64_t proa_peers_granted(int untouched)
{
    struct proa_peer *peer, *next;
    uint64_t bytes = 0;

    pthread_mutex_lock(&peers_mutex);
    HASH_ITER(hh, peers, peer, next)
        if (peer != proa_self && !(untouched && proa_peer_has_ended(peer))) {
            uint64_t granted = proa_atomic_load(&peer->ctl->granted, PROA_RELAXED),
                     touched = untouched ? touched_by(peer) : 0;

            bytes += granted > touched ? granted - touched : 0;
        }
    pthread_mutex_unlock(&peers_mutex);
    return bytes;
}

static char *segment_map(struct proa_peer *peer, int segment)
{
    struct proa_segment_name name = proa_segment_name(peer->ctl, &peer->ctl->segments[segment]);
    char *base;

    if (name.bytes == 0) {
        proa_fail(PROA_ERR_INTERN, "process %d has no segment %d", peer->pid, segment);
        return NULL;
    }
    if (peer == proa_self)
        return (char *)(uintptr_t)proa_peer_address(peer, segment, 0);
    base = proa_segment_map(&name, 0, name.bytes);
    if (base)
        others_widen(base, name.bytes);
    return base;
}

char *proa_peer_segment(struct proa_peer *peer, int segment)
{
    char *base = proa_atomic_load(&peer->segments[segment], PROA_ACQUIRE);

    if (base)
        return base;
    pthread_mutex_lock(&peers_mutex);
    base = peer->segments[segment];
    if (!base) { /* no other thread was faster */
        base = segment_map(peer, segment);
        proa_atomic_store(&peer->segments[segment], base, PROA_RELEASE);
    }
    pthread_mutex_unlock(&peers_mutex);
    return base;
}

/* ---- their adopted memory ---- */

static struct proa_block *block_map(struct proa_peer *peer, uint64_t number)
{
    struct proa_segment_name name = proa_segment_name(peer->ctl, &peer->ctl->adopted);
    struct proa_block *block = calloc(1, sizeof *block);

    if (!block) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the mappings of process %d", peer->pid);
        return NULL;
    }
    block->number = number;
    block->base = proa_segment_map(&name, number * proa_pages_block, proa_pages_block);
    if (!block->base) {
        free(block);
        return NULL;
    }
    HASH_ADD(hh, peer->blocks, number, sizeof number, block);
    return block;
}

char *proa_pages_map(struct proa_peer *peer, uint64_t address)
{
    uint64_t number = address / proa_pages_block;
    struct proa_block *block;

    pthread_mutex_lock(&peers_mutex);
    HASH_FIND(hh, peer->blocks, &number, sizeof number, block);
    if (!block)
        block = block_map(peer, number);
    pthread_mutex_unlock(&peers_mutex);
    return block ? block->base + address % proa_pages_block : NULL;
}

/* ---- start and stop ---- */

int proa_peers_start(struct proa_proc_ctl *ctl)
{
    node_hash = proa_hash_text(proa_machine(), proa_settings()->node_id);
    ctl->id = new_id();
    ctl->pid = getpid();
    ctl->light_fences = proa_membar_start();
    CPU_ZERO(&ctl->processors);
    sched_getaffinity(0, sizeof ctl->processors, &ctl->processors);
    ctl->magic = PROA_CTL_MAGIC;
    proa_self = peer_add(ctl->id, ctl->pid, (char *)ctl);
    return proa_self ? PROA_OK : PROA_ERR_NO_MEM;
}

void proa_peers_stop(void)
{
    struct proa_peer *peer, *next;

    HASH_ITER(hh, peers, peer, next)
        peer_forget(peer);
    proa_self = NULL;
}
