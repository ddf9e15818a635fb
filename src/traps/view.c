/* SPDX-License-Identifier: BSD-3-Clause */
/* See view.h. */
#include "traps/view.h"
#include "base/atomic.h"
#include "base/settings.h"
#include "traps/protection.h"
#include "shm/arena.h"
#include "shm/peer.h"
#include "shm/segment.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A view; or a place, whose two addresses are the same. */
struct view {
    char *memory, *view;
    size_t bytes;      /* 0: there is none */
    const void *owner; /* of a place */
    int windows;       /* over a view */
    int is_lent;       /* for good */
};

static struct view views[PROA_PROTECTIONS];
int proa_view_count; /* none beyond these */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Addresses that were lent for good where there was no view: the last of them. */
enum { LENT = 64 };
static uintptr_t lent[LENT];
static unsigned lent_count;

/* ---- pages ---- */

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

/* ---- the table: under the mutex ---- */

static struct view *free_view(void)
{
    for (int i = 0; i < proa_view_count; i++)
        if (!views[i].bytes)
            return &views[i];
    if (proa_view_count == PROA_PROTECTIONS)
        return NULL;
    proa_atomic_store(&proa_view_count, proa_view_count + 1,
                      PROA_RELAXED); /* partner: proa_view_are_any */
    return &views[proa_view_count - 1];
}

/* That whose program's address, or engine's, holds this one. */
static struct view *view_at(const void *address, int is_engines)
{
    for (int i = 0; i < proa_view_count; i++) {
        const char *start = is_engines ? views[i].memory : views[i].view;

        if ((uintptr_t)address - (uintptr_t)start < views[i].bytes)
            return &views[i];
    }
    return NULL;
}

static int protect(const struct view *view)
{
    return proa_protection_add(page_of(view->view), pages_bytes(view->view, view->bytes));
}

static void unprotect(const struct view *view)
{
    proa_protection_drop(page_of(view->view));
}

/* ---- views ---- */

/* The file with that memory, of this process's arena or a neighbour's. 0: there is none. */
static int file_of(const char *memory, size_t bytes, struct proa_segment_name *name,
                   uint64_t *offset)
{
    struct proa_peer *owner = proa_self;
    struct proa_hello hello;
    int segment;

    if (!proa_arena_find(memory, bytes, &segment, offset)) {
        if (!proa_peer_find(memory, bytes, &hello, &segment, offset))
            return 0;
        owner = proa_peer_attach(&hello);
        if (!owner)
            return 0;
    }
    *name = proa_segment_name(owner->ctl, &owner->ctl->segments[segment]);
    if (owner != proa_self)
        proa_peer_release(owner);
    return 1;
}

/* Moves the pages to where they lie as `memory` does within a large page: the program may have
 * asked for an alignment. Without room they stay. By a system call: UCX's mremap takes no new
 * address. */
static char *align(char *pages, size_t bytes, const char *memory)
{
    char *room = proa_room_make((uintptr_t)memory, bytes);

    if (!room)
        return pages;
    if (syscall(SYS_mremap, pages, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, room) != -1)
        return room;
    munmap(room, bytes);
    return pages;
}

/* Maps the pages of that memory once more. NULL: no process's arena has it, or no page can be
 * mapped. */
static char *map_again(char *memory, size_t bytes)
{
    const size_t inside = (size_t)(memory - page_of(memory));
    struct proa_segment_name name;
    uint64_t offset;
    char *pages;

    if (!file_of(memory, bytes, &name, &offset))
        return NULL;
    pages = proa_segment_map(&name, offset - inside, pages_bytes(memory, bytes));
    return pages ? align(pages, pages_bytes(memory, bytes), page_of(memory)) + inside : NULL;
}

void *proa_view_open(void *memory, size_t bytes)
{
    struct view *view;

    if (!memory || bytes == 0 || !proa_protection_is_on())
        return memory;
    pthread_mutex_lock(&mutex);
    view = free_view();
    if (view) {
        *view = (struct view){.memory = memory, .view = map_again(memory, bytes), .bytes = bytes};
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
    if (!proa_view_are_any())
        return;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < proa_view_count; i++) {
        struct view *view = &views[i];

        if (!view->bytes || view->memory != memory || view->owner)
            continue;
        unprotect(view);
        munmap(page_of(view->view), pages_bytes(view->view, view->bytes));
        view->bytes = 0;
    }
    pthread_mutex_unlock(&mutex);
}

/* A view that cannot be protected is left open. */
void proa_view_enter(const void *memory)
{
    struct view *view;

    if (!proa_view_are_any())
        return;
    pthread_mutex_lock(&mutex);
    view = view_at(memory, 1);
    if (view && !view->owner && view->windows++ == 0 && !view->is_lent)
        protect(view);
    pthread_mutex_unlock(&mutex);
}

void proa_view_leave(const void *memory)
{
    struct view *view;

    if (!proa_view_are_any())
        return;
    pthread_mutex_lock(&mutex);
    view = view_at(memory, 1);
    if (view && !view->owner && --view->windows == 0)
        unprotect(view);
    pthread_mutex_unlock(&mutex);
}

/* ---- places ---- */

static void place_add(char *first, char *end, const void *owner)
{
    struct view *view = first < end ? free_view() : NULL;

    if (!view)
        return;
    *view = (struct view){
        .memory = first, .view = first, .bytes = (size_t)(end - first), .owner = owner};
    if (protect(view) != 0)
        view->bytes = 0;
}

/* The first place in [first, end); NULL: there is none. */
static const struct view *place_in(const char *first, const char *end)
{
    const struct view *found = NULL;

    for (int i = 0; i < proa_view_count; i++)
        if (views[i].bytes && views[i].owner && views[i].memory < end &&
            views[i].memory + views[i].bytes > first && (!found || views[i].memory < found->memory))
            found = &views[i];
    return found;
}

static int was_lent(uintptr_t first, uintptr_t end)
{
    for (unsigned i = 0; i < LENT && i < lent_count; i++)
        if (lent[i] >= first && lent[i] < end)
            return 1;
    return 0;
}

void proa_view_place(uintptr_t first, uintptr_t end, const void *owner)
{
    enum { OF_MALLOC = 2 * sizeof(size_t) };
    const uintptr_t page = proa_page_bytes();
    char *from = page_of((const char *)first + (first % page > OF_MALLOC ? page - 1 : 0)),
         *to = page_of((const char *)end);
    const struct view *other;

    if (!proa_protection_is_on())
        return;
    pthread_mutex_lock(&mutex);
    if (was_lent(first, end))
        to = from;
    while (from < to && (other = place_in(from, to))) {
        place_add(from, other->memory, owner);
        from = other->memory + other->bytes;
    }
    place_add(from, to, owner);
    pthread_mutex_unlock(&mutex);
}

void proa_view_unplace(const void *owner)
{
    if (!proa_view_are_any())
        return;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < proa_view_count; i++)
        if (views[i].bytes && views[i].owner == owner) {
            unprotect(&views[i]);
            views[i].bytes = 0;
        }
    pthread_mutex_unlock(&mutex);
}

/* ---- loans ---- */

static void lend_for_good(struct view *view)
{
    if (!view->is_lent)
        unprotect(view);
    view->is_lent = 1;
}

void proa_view_lend(const void *address)
{
    struct view *view;

    if (!proa_settings()->check_memory)
        return;
    pthread_mutex_lock(&mutex);
    view = view_at(address, 0);
    if (view)
        lend_for_good(view);
    else if (!was_lent((uintptr_t)address, (uintptr_t)address + 1))
        lent[lent_count++ % LENT] = (uintptr_t)address;
    pthread_mutex_unlock(&mutex);
}

struct proa_view_loan proa_view_lend_to_call(const void *address)
{
    struct proa_view_loan loan = {0};
    const struct view *view;

    if (!proa_view_are_any())
        return loan;
    pthread_mutex_lock(&mutex);
    view = view_at(address, 0);
    if (view && proa_protection_lend(page_of(view->view), pages_bytes(view->view, view->bytes)))
        loan = (struct proa_view_loan){page_of(view->view), pages_bytes(view->view, view->bytes)};
    pthread_mutex_unlock(&mutex);
    return loan;
}

void proa_view_take_back(const struct proa_view_loan *loan)
{
    if (loan->bytes)
        proa_protection_take_back(loan->memory, loan->bytes);
}

/* ---- addresses ---- */

void *proa_view_of(void *memory)
{
    const struct view *view;
    char *found = memory;

    if (!proa_view_are_any())
        return found;
    pthread_mutex_lock(&mutex);
    view = view_at(memory, 1);
    if (view)
        found = view->view + ((char *)memory - view->memory);
    pthread_mutex_unlock(&mutex);
    return found;
}

void *proa_view_find_behind(const void *address)
{
    const struct view *view;
    char *found = (char *)(uintptr_t)address;

    pthread_mutex_lock(&mutex);
    view = view_at(address, 0);
    if (view)
        found = view->memory + ((const char *)address - view->view);
    pthread_mutex_unlock(&mutex);
    return found;
}

/* ---- buffers ---- */

/* The engine's address of a buffer that begins in the place. NULL: not all of it has one. */
static char *behind_place(const struct view *place, const char *buffer, size_t bytes)
{
    const uint64_t block = (uintptr_t)buffer / proa_pages_block;

    if (bytes == 0 || (size_t)(place->memory + place->bytes - buffer) < bytes ||
        ((uintptr_t)buffer + bytes - 1) / proa_pages_block != block)
        return NULL;
    return proa_pages_map(proa_self, (uintptr_t)buffer);
}

static void open_places(const char *buffer, size_t bytes, int is_late)
{
    for (int i = 0; i < proa_view_count; i++) {
        struct view *view = &views[i];

        if (!view->bytes || !view->owner || view->memory >= buffer + bytes ||
            view->memory + view->bytes <= buffer)
            continue;
        if (is_late)
            lend_for_good(view);
        else
            proa_protection_open(view->memory, view->bytes);
    }
}

void *proa_view_buffer(const void *buffer, size_t bytes, int is_late)
{
    char *found = proa_view_behind(buffer), *behind = NULL;
    const struct view *view;

    if (found != buffer || !proa_view_are_any())
        return found;
    pthread_mutex_lock(&mutex);
    view = view_at(buffer, 0);
    if (view && view->owner)
        behind = behind_place(view, buffer, bytes);
    if (!behind)
        open_places(buffer, bytes ? bytes : 1, is_late);
    pthread_mutex_unlock(&mutex);
    return behind ? behind : found;
}
