/* SPDX-License-Identifier: BSD-3-Clause */
/* See protect.h. */
#include "check/protect.h"
#include "base/fail.h"
#include "check/local.h"
#include "rma/regions.h"
#include "traps/view.h"

/* All of a contiguous shared window, as the program gets addresses of each part. */
static void protect_shared(const struct proa_win *win)
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

/* Loads and stores of the program to the window's memory are to trap. */
void proa_protect_window(const struct proa_win *win)
{
    const struct proa_target *self = &win->targets[win->rank];

    if (win->contiguous) {
        protect_shared(win);
    } else if (win->memory) {
        proa_view_open(win->base, self->bytes);
        proa_view_enter(win->base);
    } else if (win->flavor == PROA_FLAVOR_CREATE) {
        proa_view_enter(win->base);
        for (uint32_t i = 0; i < self->span_count; i++)
            if (self->spans[i].adopted)
                proa_view_place(self->spans[i].key,
                                self->spans[i].key + (self->spans[i].end - self->spans[i].first),
                                win);
        if (proa_view_of(win->base) == win->base)
            proa_local_guard(win->base, self->bytes);
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

/* Loads and stores of the program to adopted memory of the region are to trap. */
void proa_protect_region(struct proa_win *win, const void *base, uint64_t bytes)
{
    const uint64_t first = (uint64_t)(uintptr_t)base, end = first + bytes;
    struct proa_span span = {.end = first};

    proa_local_attach(win, base, bytes);
    proa_view_enter(proa_view_behind(base));
    while (span.end < end && proa_regions_find(win, &win->targets[win->rank], span.end,
                                               end - span.end, 0, &span) == PROA_OK)
        if (span.adopted)
            proa_view_place(span.first > first ? span.first : first,
                            span.end < end ? span.end : end, base);
    if (proa_view_behind(base) == base)
        proa_local_guard(base, bytes);
}
