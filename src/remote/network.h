/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of the network for a window over several nodes: all processes of the window make it
 * together while the window is created.
 *
 * The network of the last window is used again if all processes are on it already. Otherwise they
 * exchange their offers. Each process computes by itself the list of the networks that they have in
 * common (net/offer.h). Networks of the list are tried in order: each process joins one and shows
 * its address there, the leaders of the nodes try to reach each other, and all agree on the
 * outcome. So a window exists only after its network has carried a message each way. A network on
 * which a process already has a window is first in the list, and so is kept if it reaches the
 * others.
 *
 * A trial ends after NETWORK_TRIAL_S seconds of silence, unless it is the only one. The list is
 * then tried once more with longer time limits, as a network or a process may only be slow.
 * Networks that all processes have tried in vain are not tried again for their next window.
 */
#ifndef PROA_REMOTE_NETWORK_H
#define PROA_REMOTE_NETWORK_H

#include "remote/window.h"

enum { PROA_NETWORKS_AGAIN = 2 /* the cards have to be exchanged once more */ };

/* The state of one window's creation; zero before the first step. */
struct proa_networks {
    uint64_t network; /* the network being tried; 0 if none yet */
    uint64_t failed;  /* the network that was on the cards and did not connect; 0 if none */
    uint8_t listed;   /* the list exists */
    uint8_t pass;     /* pass through the list: 0 or 1 */
    int at, count;    /* position in the list, and its length */
    uint64_t trials;  /* hash of the list and of its nodes */
    struct proa_common list[PROA_COMMON_MOST];
    char name[PROA_OFFER_NAME]; /* readable name, on this process, of the network being tried */
    char why[120];              /* the reason why this process failed */
    char tried[240];            /* networks that were tried and failed, for the user; "" if none */
};

/* Joins the network to be tried. card: receives the network and our address on it, or 0 if there is
 * none. Returns the endpoint that is held for the network (progress/endpoints.h), or -1 if there is
 * none. */
int proa_networks_join(struct proa_networks *networks, struct proa_remote_card *card);

/* Checks whether all processes are on one network. Collective, with the same result on all. Returns
 * PROA_OK if they are; PROA_NETWORKS_AGAIN if another network is to be tried; PROA_ELSEWHERE, with
 * the sentence, if there is none; or a negative code. */
int proa_networks_judge(struct proa_networks *networks, const struct proa_group *group,
                        const struct proa_remote_card *cards);

/* Tries to reach other nodes, as the leaders of all nodes do. leaders: ranks of the leaders, in
 * order. count: number of leaders. mine: our place among them, -1 if we are none. Requires that the
 * win->targets of other nodes have their peers. Returns PROA_OK, or PROA_ELSEWHERE with
 * win->unreached set. */
int proa_networks_try(struct proa_networks *networks, struct proa_win *win, const int *leaders,
                      int count, int mine);

/* Called after the trial failed on some process. Collective, with the same result on all. failed: 1
 * if it failed on this process. Returns PROA_OK if another network is to be tried, PROA_ELSEWHERE
 * if there is none, or a negative code. */
int proa_networks_next(struct proa_networks *networks, const struct proa_group *group, int failed);

/* Keeps the network of the window, which has been created, for later windows. */
void proa_networks_keep(const struct proa_networks *networks, const struct proa_win *win);

#endif
