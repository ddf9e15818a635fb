/* SPDX-License-Identifier: BSD-3-Clause */
/* See network.h. */
#include "remote/network.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/patience.h"
#include "base/settings.h"
#include "base/wait.h"
#include "progress/progress.h"
#include "progress/endpoints.h"
#include "window/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NETWORK_TRIAL_S = 5,
    TIMEOUT_S = 60, /* for PROA_TIMEOUT=0, which is for processes that have been reached before */
    NODES_ALL = 16  /* up to this many nodes, each node tries each */
};

/* The networks that were tried last in vain: their hash, 0 if none; and the text that lists them.
 */
static struct {
    uint64_t trials;
    char tried[sizeof((struct proa_networks *)0)->tried];
} given_up;

/* ---- warnings and errors ---- */

/* Warns once for a process, on the rank that knows the reason. On other ranks the reason is part of
 * the message that a window is left to the host. PROA_NET=none is no exception: the host may have
 * no windows over nodes. */
static void warn(const struct proa_group *group, int rank)
{
    static int warned;

    if (group->rank != rank)
        return;
    proa_log(warned ? PROA_LOG_INFO : PROA_LOG_WARN,
             "windows over several nodes are left to the host MPI: %s", proa_failure());
    warned = 1;
}

/* Fails on all ranks with the sentence of that rank, which logs it. */
static int fail_as(const struct proa_group *group, int rank)
{
    char reason[240];
    int error;

    snprintf(reason, sizeof reason, "%s", proa_failure());
    error = group->tell(group->context, rank, reason, sizeof reason);
    if (error)
        return error;
    proa_fail(PROA_ERR_OTHER, "rank %d: %s", rank, reason);
    warn(group, rank);
    return PROA_ELSEWHERE;
}

/* Fails: networks were tried, and none connects all nodes. */
static int fail_all(const struct proa_networks *n, const struct proa_group *group)
{
    if (!*n->tried)
        return PROA_ELSEWHERE; /* for another reason, which has been reported */
    proa_fail(PROA_ERR_OTHER,
              "no network connects all nodes; tried: %s; PROA_INTERFACE names the one to use",
              n->tried);
    warn(group, 0);
    return PROA_ELSEWHERE;
}

/* ---- the list ---- */

/* Writes the networks that this process could use, as a readable text: "tcp on eth0, tcp on lo". */
static void say_names(char *text, size_t bytes)
{
    struct proa_offers mine;
    struct proa_offer_names names;
    size_t used = 0;

    text[0] = '\0';
    if (proa_endpoints_offers(&mine, &names) != PROA_OK)
        return;
    for (int i = 0; i < mine.count && used < bytes; i++)
        if (!strstr(text, names.text[i]))
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", names.text[i]);
}

static int other_node(const struct proa_offers *all, int count)
{
    for (int i = 1; i < count; i++)
        if (all[i].machine != all[0].machine)
            return i;
    return count - 1;
}

/* Fails, as no network is common to all. Rank 0 reports that, with its networks and those of one
 * rank that lacks them. */
static int fail_apart(const struct proa_group *group, const struct proa_offers *all)
{
    int stranger = proa_offers_stranger(all, group->size), error;
    int other = stranger < 0 ? other_node(all, group->size) : stranger;
    char first[100], second[100];

    say_names(first, sizeof first);
    memcpy(second, first, sizeof second);
    error = group->tell(group->context, 0, first, sizeof first);
    if (!error)
        error = group->tell(group->context, other, second, sizeof second);
    if (error)
        return error;
    proa_fail(PROA_ERR_OTHER,
              "ranks 0 and %d have no network in common: rank 0 has %s; rank %d has %s; "
              "%s can name one that all have",
              other, first, other, second, stranger < 0 ? "PROA_INTERFACE" : "PROA_PROVIDER");
    warn(group, 0);
    return PROA_ELSEWHERE;
}

/* Removes the network that was on the cards from the list, as it has been tried. */
static void skip_failed(struct proa_networks *n)
{
    int kept = 0;

    for (int i = 0; i < n->count; i++)
        if (n->list[i].network != n->failed)
            n->list[kept++] = n->list[i];
    n->count = kept;
}

static uint64_t trials_of(const struct proa_networks *n, const struct proa_offers *all, int count)
{
    uint64_t hash = PROA_HASH_OF_NOTHING;

    for (int i = 0; i < count; i++)
        hash = proa_hash_bytes(hash, &all[i].machine, sizeof all[i].machine);
    for (int i = 0; i < n->count; i++)
        hash = proa_hash_bytes(hash, &n->list[i].network, sizeof n->list[i].network);
    return hash ? hash : 1;
}

static int is_in_vain(struct proa_networks *n, const struct proa_offers *all, int count)
{
    n->trials = trials_of(n, all, count);
    for (int i = 0; i < count; i++)
        if (all[i].given_up != n->trials)
            return 0;
    memcpy(n->tried, given_up.tried, sizeof n->tried);
    return 1;
}

static int list_from(struct proa_networks *n, const struct proa_group *group,
                     const struct proa_offers *all, void *room)
{
    for (int i = 0; i < group->size; i++)
        if (all[i].error)
            return fail_as(group, i);
    n->count = proa_offers_common(all, group->size, room, n->list);
    n->listed = 1;
    if (n->count == 0)
        return fail_apart(group, all);
    if (is_in_vain(n, all, group->size))
        return fail_all(n, group);
    skip_failed(n);
    return n->count ? PROA_NETWORKS_AGAIN : fail_all(n, group);
}

static int list(struct proa_networks *n, const struct proa_group *group)
{
    struct proa_offers mine, *all = calloc((size_t)group->size, sizeof *all);
    void *room = malloc(proa_offers_room(group->size));
    int lacks = !all || !room, error = group->max(group->context, &lacks);

    if (!error && lacks)
        error = proa_fail(PROA_ERR_NO_MEM, "out of memory for the networks of %d processes",
                          group->size);
    if (!error) {
        (void)proa_endpoints_offers(&mine, NULL); /* mine.error holds the code */
        mine.given_up = given_up.trials;
        error = proa_gather(group, &mine, sizeof mine, all);
    }
    if (!error && mine.error)
        (void)proa_endpoints_offers(&mine, NULL); /* to set its sentence */
    if (!error)
        error = list_from(n, group, all, room);
    free(all);
    free(room);
    return error;
}

/* ---- one network ---- */

int proa_networks_join(struct proa_networks *n, struct proa_remote_card *card)
{
    const struct proa_common *common = &n->list[n->at];
    struct proa_offers mine;
    struct proa_offer_names names;
    int end, pick;

    if (!n->listed) {
        end = proa_endpoint_kept(&n->network, &card->address);
        card->network = end < 0 ? 0 : n->network;
        return end;
    }
    n->network = common->network;
    if (proa_endpoints_offers(&mine, &names) == PROA_OK &&
        (pick = proa_offers_pick(&mine, common)) >= 0) {
        memcpy(n->name, names.text[pick], sizeof n->name);
        if (proa_endpoint_join(&mine.offer[pick], &end, &card->address) == PROA_OK) {
            card->network = n->network;
            return end;
        }
    }
    snprintf(n->why, sizeof n->why, "%s", proa_failure());
    return -1;
}

/* Notes the network's name and the reason of its failure, as the lowest rank that knows them
 * reports. */
static int note(struct proa_networks *n, const struct proa_group *group, int failed)
{
    int value = failed ? group->size - group->rank : 0;
    int error = group->max(group->context, &value), teller = group->size - value;
    char place[64], why[sizeof n->name + sizeof n->why + 2];
    size_t used = strlen(n->tried);

    snprintf(why, sizeof why, "%s%s%s", n->name, *n->name ? ": " : "", n->why);
    if (!error && value)
        error = group->tell(group->context, teller, why, sizeof why);
    if (error || !value)
        return error;
    if (n->listed)
        proa_common_name(&n->list[n->at], place, sizeof place);
    else
        snprintf(place, sizeof place, "the one in use");
    if (n->pass == 0)
        snprintf(n->tried + used, sizeof n->tried - used, "%s%s (%s)", used ? ", " : "", place,
                 why);
    if (group->rank == teller)
        proa_log(PROA_LOG_INFO, "network: %s does not connect all nodes: %s", place, why);
    return PROA_OK;
}

/* Advances to the next network, as the one being tried has failed. */
static int advance(struct proa_networks *n, const struct proa_group *group, int failed)
{
    int error = note(n, group, failed);

    if (error)
        return error;
    n->why[0] = '\0';
    if (!n->listed) {
        n->failed = n->network;
        return list(n, group);
    }
    if (++n->at < n->count)
        return PROA_NETWORKS_AGAIN;
    if (n->pass++ || n->count == 1) {
        given_up.trials = n->trials;
        memcpy(given_up.tried, n->tried, sizeof given_up.tried);
        return fail_all(n, group);
    }
    n->at = 0;
    return PROA_NETWORKS_AGAIN;
}

int proa_networks_judge(struct proa_networks *n, const struct proa_group *group,
                        const struct proa_remote_card *cards)
{
    int same = cards[0].network != 0;

    for (int i = 1; i < group->size; i++)
        same &= cards[i].network == cards[0].network;
    if (same)
        return PROA_OK;
    return n->listed ? advance(n, group, cards[group->rank].network == 0) : list(n, group);
}

int proa_networks_next(struct proa_networks *n, const struct proa_group *group, int failed)
{
    int outcome = advance(n, group, failed);

    return outcome == PROA_NETWORKS_AGAIN ? PROA_OK : outcome;
}

void proa_networks_keep(const struct proa_networks *n, const struct proa_win *win)
{
    char place[64];

    if (!n->listed || !win->remote_window)
        return;
    proa_endpoint_keep(win->remote_window->end, n->network);
    proa_common_name(&n->list[n->at], place, sizeof place);
    if (win->rank == 0)
        proa_log(PROA_LOG_INFO, "network: windows over several nodes go over %s, %s", n->name,
                 place);
}

/* ---- a trial ---- */

struct trial {
    long patience_s;
    struct proa_patience patience;
    int count, error;
    struct {
        uint32_t peer;
        int rank, reached;
    } other[2 * NODES_ALL];
};

/* Chooses the leaders that the leader at place `mine` tries: all, or those at distances of powers
 * of two, which are also the partners of a fence. Inside. Returns PROA_OK or PROA_ERR_OTHER. */
static int choose(struct trial *trial, struct proa_win *win, const int *leaders, int count,
                  int mine)
{
    int all = count <= NODES_ALL;

    trial->count = 0;
    for (int distance = 1; distance <= (all ? count / 2 : count - 1);
         distance = all ? distance + 1 : 2 * distance) {
        int rank = leaders[(mine + distance) % count];
        const struct proa_remote_process *process = proa_remote_know(win, rank);

        if (!process)
            return PROA_ERR_OTHER;
        trial->other[trial->count].peer = process->peer;
        trial->other[trial->count].rank = rank;
        trial->other[trial->count++].reached = 0;
    }
    return PROA_OK;
}

static int is_over(void *arg)
{
    struct trial *trial = arg;
    int silent = -1; /* the last other leader that has not answered */

    proa_progress_enter();
    for (int i = 0; i < trial->count && !trial->error; i++) {
        int outcome = trial->other[i].reached ? PROA_OK : proa_endpoint_try(trial->other[i].peer);

        trial->other[i].reached = outcome == PROA_OK;
        trial->error = outcome < 0 ? outcome : PROA_OK;
        silent = outcome == PROA_OK ? silent : i;
    }
    proa_progress_leave();
    if (!trial->error && silent >= 0 && proa_patience_is_over(&trial->patience))
        trial->error = proa_fail(PROA_ERR_OTHER, "rank %d has not answered for %ld s",
                                 trial->other[silent].rank, trial->patience_s);
    return silent < 0 || trial->error;
}

static long patience_s(const struct proa_networks *n)
{
    long most = proa_settings()->timeout_s ? proa_settings()->timeout_s : TIMEOUT_S, each;

    if (n->listed && n->count == 1)
        return most;
    each = n->pass ? most / n->count : NETWORK_TRIAL_S;
    return each < NETWORK_TRIAL_S ? NETWORK_TRIAL_S : each;
}

int proa_networks_try(struct proa_networks *n, struct proa_win *win, const int *leaders, int count,
                      int mine)
{
    struct trial trial = {.patience_s = patience_s(n)};

    if (mine >= 0) {
        proa_progress_enter();
        trial.error = choose(&trial, win, leaders, count, mine);
        proa_progress_leave();
    }
    if (trial.error)
        return trial.error;
    trial.patience = proa_patience_begin(trial.patience_s * 1000000000L);
    if (trial.count && !is_over(&trial))
        proa_wait(is_over, &trial, NULL);
    if (!trial.error)
        return PROA_OK;
    snprintf(n->why, sizeof n->why, "%s", proa_failure());
    win->unreached = PROA_UNREACHED_NETWORK;
    return PROA_ELSEWHERE;
}
