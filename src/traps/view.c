/* SPDX-License-Identifier: BSD-3-Clause */
/* See view.h. */
#include "traps/view.h"
#include "traps/protection.h"
#include "shm/arena.h"
#include "shm/peer.h"
#include "shm/segment.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

struct view {
    char *memory, *view;
    size_t bytes; /* 0: there is none */
};

static struct view views[PROA_PROTECTIONS];
static int view_count; /* none beyond these */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static char *page_of(const char *address)
{
    return (char *)((uintptr_t)address & ~(uintptr_t)(proa_page_bytes() - 1));
}

/* The bytes of all pages from that of `address` on that hold [address, address + bytes). */
static size_t pages_bytes(const char *address, size_t bytes)
{
    const size_t page = proa_page_bytes(), inside = (size_t)(address - page_of(address));

    return (inside + bytes + page - 1) / page * page;
}

static struct view *free_view(void)
{
    for (int i = 0; i < view_count; i++)
        if (!views[i].bytes)
            return &views[i];
    return view_count < PROA_PROTECTIONS ? &views[view_count++] : NULL;
}

/* Maps the pages of that memory once more. NULL: it is not in this process's arena, or no page can
 * be mapped. */
static char *map_again(void *memory, size_t bytes)
{
    const size_t inside = (size_t)((char *)memory - page_of(memory));
    struct proa_segment_name name;
    uint64_t offset;
    int segment;
    char *pages;

    if (!proa_arena_find(memory, bytes, &segment, &offset))
        return NULL;
    name = proa_segment_name(proa_self->ctl, &proa_self->ctl->segments[segment]);
    pages = proa_segment_map(&name, offset - inside, pages_bytes(memory, bytes));
    return pages ? pages + inside : NULL;
}

static char *map_protected(void *memory, size_t bytes)
{
    char *view = map_again(memory, bytes);

    if (!view || proa_protection_add(page_of(view), pages_bytes(view, bytes)) == 0)
        return view;
    munmap(page_of(view), pages_bytes(view, bytes));
    return NULL;
}

void *proa_view_open(void *memory, size_t bytes)
{
    struct view *view;

    if (!memory || bytes == 0 || !proa_protection_is_on())
        return memory;
    pthread_mutex_lock(&mutex);
    view = free_view();
    if (view) {
        *view = (struct view){memory, map_protected(memory, bytes), bytes};
        if (view->view)
            memory = view->view;
        else
            view->bytes = 0;
    }
    pthread_mutex_unlock(&mutex);
    return memory;
}

void proa_view_close(const void *memory)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < view_count; i++) {
        struct view *view = &views[i];

        if (!view->bytes || view->memory != memory)
            continue;
        proa_protection_drop(page_of(view->view));
        munmap(page_of(view->view), pages_bytes(view->view, view->bytes));
        view->bytes = 0;
    }
    pthread_mutex_unlock(&mutex);
}

void proa_view_lend(const void *address)
{
    if (view_count == 0)
        return;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < view_count; i++)
        if ((uintptr_t)address - (uintptr_t)views[i].view < views[i].bytes)
            proa_protection_drop(page_of(views[i].view));
    pthread_mutex_unlock(&mutex);
}

void *proa_view_of(void *memory)
{
    char *found = memory;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < view_count; i++)
        if ((uintptr_t)memory - (uintptr_t)views[i].memory < views[i].bytes)
            found = views[i].view + ((char *)memory - views[i].memory);
    pthread_mutex_unlock(&mutex);
    return found;
}

void *proa_view_behind(const void *address)
{
    char *found = (char *)(uintptr_t)address;

    if (view_count == 0)
        return found;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < view_count; i++)
        if ((uintptr_t)address - (uintptr_t)views[i].view < views[i].bytes)
            found = views[i].memory + ((const char *)address - views[i].view);
    pthread_mutex_unlock(&mutex);
    return found;
}
