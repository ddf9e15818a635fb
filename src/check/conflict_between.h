/* SPDX-License-Identifier: BSD-3-Clause */
/* The finding that operations of different processes on the memory of this one conflict. */
#ifndef PROA_CHECK_CONFLICT_BETWEEN_H
#define PROA_CHECK_CONFLICT_BETWEEN_H

#include "order/accesses.h"
#include "window/win.h"

#include <stdint.h>

/* A window, as accesses name it. */
struct proa_conflict_window {
    uint64_t number;            /* of struct proa_access */
    const struct proa_win *win; /* NULL: it is there no longer */
    struct proa_conflict_window *prev, *next;
};

/* The window is there from now on, or no longer; to close it again does nothing. */
void proa_conflict_between_open(struct proa_conflict_window *window);
void proa_conflict_between_close(struct proa_conflict_window *window);

/* Tells of two accesses that were handed over. */
void proa_conflict_between_tell(const struct proa_access *first, const struct proa_access *second);

/* An access with a serial has come: may it, by the assertions of this process (usage/rules.h)? */
void proa_conflict_between_arrive(const struct proa_access *access);

#endif
