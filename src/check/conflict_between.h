/* SPDX-License-Identifier: BSD-3-Clause */
/* The finding that operations of different processes conflict in memory of this process. */
#ifndef PROA_CHECK_CONFLICT_BETWEEN_H
#define PROA_CHECK_CONFLICT_BETWEEN_H

#include "order/accesses.h"
#include "window/win.h"

#include <stdint.h>

/* A window, as accesses identify it. */
struct proa_conflict_window {
    uint64_t number;            /* as in struct proa_access */
    const struct proa_win *win; /* NULL if the window was freed */
    struct proa_conflict_window *prev, *next;
};

/* Registers a window, or removes it. Removing it again is a no-op. */
void proa_conflict_between_open(struct proa_conflict_window *window);
void proa_conflict_between_close(struct proa_conflict_window *window);

/* Reports two accesses that were handed over and conflict. */
void proa_conflict_between_tell(const struct proa_access *first, const struct proa_access *second);

/* An access with a serial arrived: checks it against the assertions of this process
 * (usage/rules.h). */
void proa_conflict_between_arrive(const struct proa_access *access);

#endif
