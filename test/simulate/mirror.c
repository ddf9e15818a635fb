/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mirror plays the ranks that do not run. They do what the real ranks do: each message to one
 * of them is answered as the core would, and a word of a barrier comes back from the rank that is
 * as far away on the other side, at the time at which ours arrives.
 */
#include "simulate.h"
#include "create/create.h"
#include "remote/window.h"
#include "remote/wire.h"
#include "net/offer.h"
#include "sync/notify.h"
#include "window/gather.h"

#include <stdlib.h>
#include <string.h>

/* Batches of each mirrored rank to each real one. */
static uint32_t *batches;

uint64_t simulate_mirror_number(int from, int to)
{
    const struct simulate_plan *plan = simulate_plan();

    if (!batches)
        batches = calloc((size_t)plan->ranks * (size_t)plan->real, sizeof *batches);
    if (!batches)
        simulate_failed("out of memory for the mirror");
    return ++batches[(size_t)from * (size_t)plan->real + (size_t)to];
}

/* A batch of one operation, or word. */
static void tell(int from, int to, uint64_t window, const void *op, size_t bytes, long at)
{
    struct {
        struct proa_wire_head head;
        struct proa_wire_op op;
    } body = {.head = {.kind = PROA_WIRE_BATCH,
                       .version = PROA_WIRE_VERSION,
                       .rank = (uint32_t)from,
                       .window = window,
                       .number = simulate_mirror_number(from, to)}};

    memcpy(&body.op, op, bytes);
    simulate_arrive(to, at, simulate_message_new((uint32_t)from, &body, sizeof body.head + bytes));
}

/* A count is the only thing that the scenarios fetch. */
static void answer(int from, int to, const struct proa_wire_head *head, int fetches, long at)
{
    struct {
        struct proa_wire_head head;
        struct proa_wire_outcome outcome;
        uint64_t fetched;
    } body = {.head = {.kind = PROA_WIRE_ANSWER,
                       .version = PROA_WIRE_VERSION,
                       .rank = (uint32_t)from,
                       .window = head->window,
                       .number = head->number},
              .fetched = 1};
    size_t bytes = sizeof body - (fetches ? 0 : sizeof body.fetched);

    simulate_arrive(to, at + 2 * simulate_model.overhead + simulate_model.latency,
                    simulate_message_new((uint32_t)from, &body, bytes));
}

/* The rank that is as far from `from` as `to`, on the other side. */
static int opposite(int from, int to)
{
    int ranks = simulate_plan()->ranks;

    return ((2 * from - to) % ranks + ranks) % ranks;
}

/* What a real rank tells one on this side, the one on the other side tells it. */
static void tell_back(int from, int to, uint64_t window, const void *op, size_t bytes, long at)
{
    int other = opposite(from, to);

    if (other >= simulate_plan()->real)
        tell(other, from, window, op, bytes, at);
}

static void hear_batch(int from, int to, const char *at, const char *end, long time)
{
    struct proa_wire_head head;
    int fetches = 0;

    memcpy(&head, at, sizeof head);
    for (at += sizeof head; at < end;) {
        size_t bytes =
            *at == PROA_WIRE_COUNT ? sizeof(struct proa_wire_count) : sizeof(struct proa_wire_op);
        struct proa_wire_op op = {0};

        memcpy(&op, at, bytes);
        if (op.code == PROA_WIRE_NOTIFY || op.code == PROA_WIRE_COUNT)
            tell_back(from, to, head.window, at, bytes, time);
        fetches |= op.code == PROA_WIRE_NUMBER;
        at += bytes + (op.code == PROA_WIRE_PUT ? proa_wire_padded(op.bytes * op.count) : 0);
    }
    if (head.flags & PROA_WIRE_ANSWERED)
        answer(to, from, &head, fetches, time);
}

void simulate_mirror(int from, int to, const void *body, size_t bytes, long at)
{
    struct proa_wire_head head;

    memcpy(&head, body, sizeof head);
    if (simulate_plan()->hears)
        simulate_plan()->hears(to, &head, at);
    else if (head.kind == PROA_WIRE_BATCH)
        hear_batch(from, to, body, (const char *)body + bytes, at);
}

/* Makes the card of a mirrored rank out of rank 0's, with the differences that there are among
 * processes. */
static void show_card(int rank, void *card, size_t bytes)
{
    int leader = rank - rank % simulate_plan()->per_node;

    if (bytes == sizeof(struct proa_remote_card)) {
        struct proa_remote_card *remote = card;

        if (!remote->network)
            return; /* as proa_remote_card_fill */
        simulate_address(rank, &remote->address);
        simulate_key(rank, &remote->key);
        remote->memory += (uint64_t)rank << 12;
        remote->window += (uint64_t)rank << 32;
        if (rank != leader)
            remote->roster_offset = (uint64_t)(remote->roster_segment = 0);
        remote->leader = leader;
    } else if (bytes == sizeof(struct proa_card)) {
        struct proa_card *own = card;

        own->hello.node += (uint64_t)leader;
        own->hello.first.id += (uint64_t)rank << 32;
        own->hello.first.pid += rank;
        own->hello.first.inode += (uint64_t)rank;
        own->address += (uint64_t)rank << 12;
    } else if (bytes == sizeof(struct proa_offers)) {
        struct proa_offers *offers = card;

        offers->machine += (uint64_t)leader;
        memcpy(offers->offer[0].address, &leader, sizeof leader);
    }
}

/* The cards of which the next allgather brings the words that differ (window/gather.h). */
static struct {
    size_t bytes;                           /* of a card; 0: that allgather brings other things */
    uint64_t first[PROA_GATHER_WORDS_MOST]; /* rank 0's */
    struct proa_gather_form form;
} cards;

void simulate_mirror_intersect(uint64_t *bits, size_t bytes)
{
    const struct simulate_plan *plan = simulate_plan();
    uint64_t card[PROA_GATHER_WORDS_MOST], theirs[PROA_GATHER_BITS_MOST / sizeof *bits];

    cards.bytes = (bytes - sizeof *bits) / 2;
    memcpy(cards.first, bits + 1, cards.bytes);
    for (int i = plan->real; i < plan->ranks; i++) {
        memcpy(card, cards.first, cards.bytes);
        show_card(i, card, cards.bytes);
        proa_gather_show(card, cards.bytes, 1, theirs);
        for (size_t k = 0; k < bytes / sizeof *bits; k++)
            bits[k] &= theirs[k];
    }
}

void simulate_mirror_form(const uint64_t *bits)
{
    if (bits)
        cards.form = proa_gather_form(bits, cards.bytes);
    else
        cards.bytes = 0;
}

void simulate_mirror_part(int rank, void *part, size_t bytes)
{
    uint64_t card[PROA_GATHER_WORDS_MOST];

    if (!cards.bytes) {
        show_card(rank, part, bytes);
        return;
    }
    memcpy(card, cards.first, cards.bytes);
    show_card(rank, card, cards.bytes);
    proa_gather_pack(&cards.form, card, part);
}
