/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a window over several nodes is opened and closed, on each of its processes. Not inside the
 * progress engine.
 */
#ifndef PROA_REMOTE_OPEN_H
#define PROA_REMOTE_OPEN_H

#include "remote/network.h"

/* Makes win->remote_window, joins the network that is to be tried, exposes the window's memory
 * there, and fills in our card. */
void proa_remote_card_fill(struct proa_win *win, struct proa_networks *networks,
                           struct proa_remote_card *card);

/* Tries the network. From then on the window reaches, and serves, targets of other nodes, which are
 * those without a block here. PROA_OK, PROA_ELSEWHERE or a code; proa_remote_close undoes it in any
 * case. */
int proa_remote_open(struct proa_win *win, struct proa_networks *networks,
                     const struct proa_remote_card *cards);
void proa_remote_close(struct proa_win *win);

#endif
