/* SPDX-License-Identifier: BSD-3-Clause */
/* See protect.h. */
#include "check/protect.h"
#include "base/fail.h"
#include "check/local.h"
#include "rma/place.h"
#include "traps/view.h"

/* All of a contiguous shared window, as the program gets addresses of each part. */
static void protect_contiguous(const struct proa_win *win)
{
    char *first = NULL, *end = NULL;

    for (int i = 0; i < win->size; i++) {
        const struct proa_target *target = &win->targets[i];

        if (!target->bytes)
            continue;
        first = first ? first : target->only.here;
        end = target->only.here + target->bytes;
    }
    proa_view_open(first, (size_t)(end - first));
    proa_view_enter(first);
}

/* Memory that the program brings: where it is adopted it is protected in place, and the rest is
 * guarded. base: the program's address of the byte at `first`. */
static void protect_brought(struct proa_win *win, const char *base, uint64_t first, uint64_t bytes,
                            const void *owner)
{
    const uintptr_t address = (uintptr_t)base;
    struct proa_span span;
    uint64_t done = 0, end;

    proa_view_enter(proa_view_behind(base));
    while (done < bytes && proa_span_find(win, &win->targets[win->rank], first + done, bytes - done,
                                          &span) == PROA_OK) {
        end = span.end - first < bytes ? span.end - first : bytes;
        if (span.adopted)
            proa_view_place(address + done, address + end, owner);
        done = end;
    }
    if (proa_view_behind(base) == base)
        proa_local_guard(win, base, bytes);
}

void proa_protect_window(struct proa_win *win)
{
    const uint64_t bytes = win->targets[win->rank].bytes;

    if (win->contiguous) {
        protect_contiguous(win);
    } else if (win->memory) {
        proa_view_open(win->base, bytes);
        proa_view_enter(win->base);
    } else if (win->flavor == PROA_FLAVOR_CREATE) {
        protect_brought(win, proa_view_of(win->base), 0, bytes, win);
    }
}

void proa_unprotect_window(const struct proa_win *win)
{
    proa_local_close(win);
    proa_view_unplace(win);
    if (win->contiguous)
        proa_view_close(win->targets[0].only.here);
    else if (win->memory)
        proa_view_close(win->base);
    else if (win->flavor == PROA_FLAVOR_CREATE)
        proa_view_leave(win->base);
}

void proa_protect_region(struct proa_win *win, const void *base, uint64_t bytes)
{
    proa_local_attach(win, base, bytes);
    protect_brought(win, base, (uint64_t)(uintptr_t)base, bytes, base);
}
