/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of the network for a window over several nodes: all processes of the window make it
 * together while the window is created.
 *
 * The network of the last window is used again if all processes are on it already. Otherwise they
 * exchange their offers. Each process computes by itself the list of the networks that they have in
 * common (net/offer.h). Networks of the list are tried in order: each process joins one and shows
 * its address there, the leaders of the nodes try to reach each other, and all agree on the
 * outcome. So no window exists before its network has carried a message each way. A network on
 * which a process already has a window stands first in the list, and so is kept if it reaches the
 * others.
 *
 * A trial ends after NETWORK_TRIAL_S seconds of silence, unless it is the only one. The list is
 * then tried once more with more patience, as a network or a process may only be slow. Networks
 * that all processes have tried in vain are not tried again for their next window.
 */
#ifndef PROA_REMOTE_NETWORK_H
#define PROA_REMOTE_NETWORK_H

#include "remote/window.h"

enum { PROA_NETWORKS_AGAIN = 2 /* cards are to be exchanged once more */ };

/* The state of one window's creation; all 0 before its first step. */
struct proa_networks {
    uint64_t network; /* the network that is tried; 0: none yet */
    uint64_t failed;  /* the network that was on the cards, and did not connect; 0: none */
    uint8_t listed;   /* the list is there */
    uint8_t pass;     /* through the list: 0 or 1 */
    int at, count;    /* of the list */
    uint64_t trials;  /* hash of the list and of its nodes */
    struct proa_common list[PROA_COMMON_MOST];
    char name[PROA_OFFER_NAME]; /* readable name of the network that is tried, on this process */
    char why[120];              /* the reason for which this process has failed */
    char tried[240];            /* networks that were tried and failed, for the user; "": none */
};

/* Joins the network that is to be tried, and puts it and our address there on the card; 0 if there
 * is none. Returns the end that is held for it (progress/endpoints.h); -1: none. */
int proa_networks_join(struct proa_networks *networks, struct proa_remote_card *card);

/* Are all processes on one network? PROA_OK: yes; PROA_NETWORKS_AGAIN: no, and another one is to be
 * tried; PROA_ELSEWHERE: there is none, with the sentence; or a negative code. Collective, and the
 * same on all. */
int proa_networks_judge(struct proa_networks *networks, const struct proa_group *group,
                        const struct proa_remote_card *cards);

/* Tries to reach other nodes, as all leaders of nodes do: their ranks, in order, how many, and our
 * place among them (-1: we are none). PROA_OK, or PROA_ELSEWHERE with win->unreached set. Needs
 * win->targets of other nodes to have their peers. */
int proa_networks_try(struct proa_networks *networks, struct proa_win *win, const int *leaders,
                      int count, int mine);

/* The trial failed on some process; failed: it did on this one. PROA_OK: another network is to be
 * tried; PROA_ELSEWHERE: there is none; or a negative code. Collective, and the same on all. */
int proa_networks_next(struct proa_networks *networks, const struct proa_group *group, int failed);

/* The window has been created: keeps its network for later ones. */
void proa_networks_keep(const struct proa_networks *networks, const struct proa_win *win);

#endif
