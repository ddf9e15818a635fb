/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See memory.h.
 *
 * Memory that no call of MPI frees is certainly gone in two cases when its window is freed. Its
 * pages are unmapped, or it lies on the stack below the function that frees the window.
 */
#include "usage/memory.h"
#include "usage/misuse.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <uthash.h>
#include <utlist.h>

static struct proa_finding_call creation_of(const struct proa_rules *rules)
{
    return (struct proa_finding_call){.call = proa_call_name(rules->created),
                                      .caller = rules->creator};
}

/* ---- memory of MPI_Alloc_mem ---- */

struct allocated {
    const char *base;
    uint64_t bytes;
    UT_hash_handle hh;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allocated *all;

/* Forgets the memory that starts at base. Returns its size, or 0 if it is unknown. */
static uint64_t take_out(const void *base)
{
    struct allocated *allocated;
    uint64_t bytes = 0;

    pthread_mutex_lock(&mutex);
    HASH_FIND(hh, all, &base, sizeof base, allocated);
    if (allocated) {
        bytes = allocated->bytes;
        HASH_DEL(all, allocated);
    }
    pthread_mutex_unlock(&mutex);
    free(allocated);
    return bytes;
}

void proa_rules_memory_comes(const void *base, uint64_t bytes)
{
    struct allocated *allocated = base ? calloc(1, sizeof *allocated) : NULL;

    if (!allocated)
        return;
    take_out(base);
    allocated->base = base;
    allocated->bytes = bytes;
    pthread_mutex_lock(&mutex);
    HASH_ADD(hh, all, base, sizeof allocated->base, allocated);
    pthread_mutex_unlock(&mutex);
}

struct goes {
    const char *base;
    uint64_t bytes;
    const void *caller;
};

static int is_in(const void *address, const struct goes *goes)
{
    return address && (const char *)address >= goes->base &&
           (uint64_t)((const char *)address - goes->base) < goes->bytes;
}

static void look_for_memory(const struct proa_rules *rules, void *arg)
{
    const struct proa_finding_call created = creation_of(rules);
    const struct goes *goes = arg;
    const struct proa_rules_region *region;
    int is_of_window = is_in(rules->win->base, goes);

    LL_FOREACH(rules->regions, region) {
        is_of_window |= is_in(region->base, goes);
    }
    if (is_of_window)
        proa_misuse(PROA_MISUSE_FREED, rules->win, "MPI_Free_mem", goes->caller, &created,
                    "MPI_Free_mem frees memory that a window is over");
}

void proa_rules_memory_goes(const void *base, const void *caller)
{
    const uint64_t bytes = take_out(base);

    if (base)
        proa_rules_each(look_for_memory, &(struct goes){base, bytes ? bytes : 1, caller});
}

/* ---- attached memory ---- */

void proa_rules_attach(struct proa_rules *rules, const void *base, uint64_t bytes)
{
    struct proa_rules_region *region = rules && bytes ? calloc(1, sizeof *region) : NULL;

    if (!region)
        return;
    region->base = base;
    region->bytes = bytes;
    proa_rules_lock();
    LL_PREPEND(rules->regions, region);
    proa_rules_unlock();
}

static void drop_region(struct proa_rules *rules, struct proa_rules_region *region)
{
    LL_DELETE(rules->regions, region);
    free(region);
}

void proa_rules_detach(struct proa_rules *rules, const void *base)
{
    struct proa_rules_region *region;

    if (!rules)
        return;
    proa_rules_lock();
    LL_SEARCH_SCALAR(rules->regions, region, base, base);
    if (region)
        drop_region(rules, region);
    proa_rules_unlock();
}

void proa_memory_forget(struct proa_rules *rules)
{
    while (rules->regions)
        drop_region(rules, rules->regions);
}

/* ---- freed memory ---- */

static int is_unmapped(const void *base)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;

    return mincore((void *)((uintptr_t)base / page * page), 1, &resident) != 0 && errno == ENOMEM;
}

/* Returns true if the memory is on the stack of this thread, below that frame. */
static int is_below(const char *frame, const char *base, uint64_t bytes)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    int is = 0;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return 0;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0)
        is = base >= (char *)lowest && base + bytes <= frame && frame - base < (int64_t)size;
    pthread_attr_destroy(&attributes);
    return is;
}

void proa_memory_look(const struct proa_rules *rules, const void *caller, const void *frame)
{
    const struct proa_win *win = rules->win;
    const uint64_t bytes = win->targets[win->rank].bytes;
    const struct proa_finding_call created = creation_of(rules);

    if (win->flavor != PROA_FLAVOR_CREATE || !win->base || bytes == 0)
        return;
    if (is_unmapped(win->base) || is_below(frame, win->base, bytes))
        proa_misuse(PROA_MISUSE_FREED, win, "MPI_Win_free", caller, &created,
                    "the memory of a window of rank %d is gone before MPI_Win_free", win->rank);
}
