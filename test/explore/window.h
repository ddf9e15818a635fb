/* SPDX-License-Identifier: BSD-3-Clause */
/* A window of one node among pretended processes, each a thread of a scenario, for code of src/sync
 * and src/rma. */
#ifndef PROA_EXPLORE_WINDOW_H
#define PROA_EXPLORE_WINDOW_H

#include "explore.h"
#include "sync/sync.h"
#include "window/win.h"

enum { WINDOW_PROCESSES = 4 };

/* By rank, as each process sees the window. */
extern struct proa_win *window[WINDOW_PROCESSES];

/* For `prepare`: the statics that each process has for itself. */
void window_prepare(void);

/* For `setup`: a window of so many processes, of which some may have no thread. */
void window_make(int processes);

/* The processes that have died, a bit each; for `setup`, after window_make. */
extern unsigned window_dead;

/* The window's peer of that rank: the process that it stands for. */
struct proa_peer *window_peer(int rank);

/* A thread begins as the process of that rank. */
void window_enter(int rank);

#endif
