/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls cost in windows over up to 1,024 nodes (doc/PERFORMANCE.md), counted: this process is
 * rank 0, all others are pretended by a network that plays their part, which is to answer, to be in
 * the same barriers, and to post and complete. */
#include "move.h"

#include "create/create.h"
#include "progress/progress.h"
#include "remote/origin.h"
#include "remote/window.h"
#include "sync/notify.h"
#include "window/gather.h"
#include "remote/wire.h"
#include "remote/work.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum {
    RANKS_MOST = 1024, /* with every call */
    RANKS_MANY = 100000,
    OF_A_NODE = 64, /* ranks that share what a node keeps */
    REPLIES = 4 * RANKS_MOST,
    USED = 5 /* targets or origins of an epoch */
};

/* ---- the others ---- */

struct reply {
    uint32_t from;
    size_t bytes;
    struct {
        struct proa_wire_head head;
        union {
            struct proa_wire_op op;
            struct proa_wire_outcome outcome;
        } rest;
    } body;
};

static struct {
    const struct proa_net_events *events;
    void *context;
    int size;
    uint64_t window;
    long sent, dropped;
    uint64_t batches[RANKS_MANY], completed[RANKS_MANY]; /* of each to us */
    struct reply replies[REPLIES];
    unsigned first, last; /* of these */
} others;

static struct reply *reply_from(uint32_t rank, enum proa_wire_kind kind, uint64_t number)
{
    struct reply *reply = &others.replies[others.last++ % REPLIES];

    reply->from = rank;
    reply->body.head = (struct proa_wire_head){.kind = (uint8_t)kind,
                                               .version = PROA_WIRE_VERSION,
                                               .rank = rank,
                                               .window = others.window,
                                               .number = number};
    return reply;
}

static void tell_us(int rank, size_t word, uint64_t value)
{
    struct reply *reply = reply_from((uint32_t)rank, PROA_WIRE_BATCH, ++others.batches[rank]);

    reply->body.rest.op =
        (struct proa_wire_op){.code = PROA_WIRE_NOTIFY, .position = word, .count = value};
    reply->bytes = sizeof reply->body.head + sizeof reply->body.rest.op;
}

static void answer_us(uint32_t rank, uint64_t number)
{
    struct reply *reply = reply_from(rank, PROA_WIRE_ANSWER, number);

    reply->body.rest.outcome = (struct proa_wire_outcome){0};
    reply->bytes = sizeof reply->body.head + sizeof reply->body.rest.outcome;
}

/* In a barrier every process does as we do, some ranks away. An origin that is posted to
 * completes. */
static void be_told(int rank, uint64_t word, uint64_t value)
{
    if (word >= PROA_WORD_ROUND)
        tell_us((others.size - rank) % others.size, word, value);
    if (word == PROA_WORD_POSTED)
        tell_us(rank, PROA_WORD_COMPLETED, ++others.completed[rank]);
}

static int they_get(struct proa_net *net, uint32_t peer, const void *body, size_t bytes)
{
    const char *at = body, *end = at + bytes;
    struct proa_wire_head head;

    (void)net;
    memcpy(&head, at, sizeof head);
    others.sent++;
    for (at += sizeof head; at < end;) {
        struct proa_wire_op op;

        memcpy(&op, at, sizeof op);
        at += sizeof op;
        if (op.code == PROA_WIRE_PUT)
            at += proa_wire_padded(op.bytes * op.count);
        else
            be_told((int)peer, op.position, op.count);
    }
    if (head.flags & PROA_WIRE_ANSWERED)
        answer_us(peer, head.number);
    return PROA_OK;
}

static int they_come(struct proa_net *net)
{
    int events = 0;

    (void)net;
    for (; others.first != others.last; events++) {
        const struct reply reply = others.replies[others.first++ % REPLIES];

        others.events->message(others.context, reply.from, &reply.body, reply.bytes);
    }
    return events;
}

static int offer_them(struct proa_offers *offers, struct proa_offer_names *names)
{
    *offers = (struct proa_offers){.machine = 1, .count = 1, .offer = {{.kind = 1}}};
    *names = (struct proa_offer_names){{"others"}};
    return PROA_OK;
}

static int open_them(const struct proa_net_events *events, void *context,
                     const struct proa_offer *offer, struct proa_net **net,
                     struct proa_net_address *address)
{
    (void)offer;
    others.events = events;
    others.context = context;
    memset(address, 0, sizeof *address);
    *net = (struct proa_net *)(void *)&others;
    return PROA_OK;
}

static void nothing(struct proa_net *net)
{
    (void)net;
}

static void close_them(struct proa_net *net, int in_order)
{
    (void)net;
    (void)in_order;
}

static int reach_one(struct proa_net *net, const struct proa_net_address *address, uint32_t *peer)
{
    (void)net;
    memcpy(peer, address->bytes, sizeof *peer);
    return PROA_OK;
}

static int try_one(struct proa_net *net, uint32_t peer)
{
    (void)net, (void)peer;
    return PROA_OK;
}

static int expose_none(struct proa_net *net, void *memory, size_t bytes, struct proa_net_key *key)
{
    (void)net;
    (void)key;
    return proa_fail(PROA_ERR_OTHER, "%zu bytes at %p stay where they are", bytes, memory);
}

static void hide_none(struct proa_net *net, const struct proa_net_key *key)
{
    (void)net;
    (void)key;
}

static int move_none(struct proa_net *net, int put, const struct proa_net_place *there, void *here,
                     size_t bytes, uint64_t token)
{
    (void)net, (void)put, (void)there, (void)here;
    return proa_fail(PROA_ERR_INTERN, "a put or get of %zu bytes for %llu", bytes,
                     (unsigned long long)token);
}

static void drop_one(struct proa_net *net, uint32_t peer, const char *why)
{
    (void)net;
    others.dropped++;
    fprintf(stderr, "what rank %u says %s\n", peer, why);
}

static int doze(struct proa_net *const nets[], int count, long timeout_ns)
{
    (void)nets, (void)count;
    (void)timeout_ns;
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    return 0;
}

static const struct proa_net_transport network = {.name = "others",
                                                  .offers = offer_them,
                                                  .open = open_them,
                                                  .close = close_them,
                                                  .part = close_them,
                                                  .attend = nothing,
                                                  .reach = reach_one,
                                                  .try = try_one,
                                                  .expose = expose_none,
                                                  .hide = hide_none,
                                                  .send = they_get,
                                                  .move = move_none,
                                                  .drop = drop_one,
                                                  .progress = they_come,
                                                  .doze = doze,
                                                  .wake = nothing};

/* No word is the same on all cards, as where sizes, units and addresses of IPv6 differ. */
static void make_unlike(struct proa_remote_card *card, uint32_t number)
{
    uint64_t words[6]; /* of an address: number, id, secret, port, and IP in two */

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = number;
    memcpy(card->address.bytes, words, sizeof words);
    memcpy(card->key.bytes, words, 3 * sizeof *words);
    card->bytes += 8 * (uint64_t)number;
    card->memory += (uint64_t)number << 12;
    card->disp_unit += number > USED ? number : 0;
}

/* Everybody shows what we do, from a node of its own. */
static void show_card(int rank, const void *mine, void *card, size_t bytes)
{
    memcpy(card, mine, bytes);
    if (bytes == sizeof(struct proa_remote_card)) {
        struct proa_remote_card *remote = card;

        make_unlike(remote, (uint32_t)rank);
        remote->leader = rank;
        others.window = remote->window;
    } else if (bytes == sizeof(struct proa_card)) {
        ((struct proa_card *)card)->hello.node += (uint32_t)rank;
    }
}

/* The card whose words are being gathered, if there are many ranks. */
static struct {
    size_t bytes;
    uint64_t card[PROA_GATHER_WORDS_MOST];
    struct proa_gather_form form;
} shown;

static int find_alike(void *context, void *bits, size_t bytes)
{
    uint64_t card[PROA_GATHER_WORDS_MOST], theirs[1 + 2 * PROA_GATHER_WORDS_MOST], *all = bits;

    (void)context;
    shown.bytes = (bytes - sizeof *all) / 2;
    memcpy(shown.card, all + 1, shown.bytes);
    for (int i = 0; i < others.size; i++) {
        show_card(i, shown.card, card, shown.bytes);
        proa_gather_show(card, shown.bytes, 1, theirs);
        for (size_t k = 0; k < bytes / sizeof *all; k++)
            all[k] &= theirs[k];
    }
    shown.form = proa_gather_form(bits, shown.bytes);
    return 0;
}

static int gather_cards(void *context, const void *mine, void *all, size_t bytes)
{
    uint64_t card[PROA_GATHER_WORDS_MOST];

    (void)context;
    CHECK(others.size <= PROA_GATHER_FEW || bytes < shown.bytes);
    for (int i = 0; i < others.size; i++) {
        char *at = (char *)all + (size_t)i * bytes;

        if (others.size <= PROA_GATHER_FEW) {
            show_card(i, mine, at, bytes);
            continue;
        }
        show_card(i, shown.card, card, shown.bytes);
        proa_gather_pack(&shown.form, card, (uint64_t *)(void *)at);
    }
    return 0;
}

static int agree(void *context, int *value)
{
    (void)context;
    (void)value;
    return 0;
}

static int tell(void *context, int rank, char *text, size_t bytes)
{
    (void)context;
    (void)rank;
    (void)text;
    (void)bytes;
    return 0;
}

/* ---- messages ---- */

static long counted(long *before)
{
    long now, since;

    proa_progress_enter();
    now = others.sent;
    proa_progress_leave();
    since = now - *before;
    *before = now;
    return since;
}

static int log2_up(int n)
{
    int k = 0;

    while (1 << k < n)
        k++;
    return k;
}

static void use(struct proa_win *win, int used)
{
    for (int i = 1; i <= used; i++) {
        CHECK_OK(put_word(win, i, 0, i));
        CHECK_OK(put_word(win, i, 1, i));
    }
}

static void passive(struct proa_win *win, int used, long *before)
{
    CHECK_OK(proa_win_lock(win, 1, 1, 0));
    use(win, 1);
    CHECK_EQUAL(counted(before), 0);
    CHECK_OK(proa_win_unlock(win, 1));
    CHECK_EQUAL(counted(before), 1);

    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK_EQUAL(counted(before), 0);
    use(win, used);
    CHECK_OK(flushed(proa_win_flush(win, 1)));
    CHECK_EQUAL(counted(before), 1);
    CHECK_OK(proa_win_flush_all(win));
    CHECK_EQUAL(counted(before), used - 1);
    CHECK_OK(proa_win_flush_all(win));
    CHECK_EQUAL(counted(before), 0);
    CHECK_OK(proa_win_unlock_all(win)); /* no target's lock is given back */
    CHECK_EQUAL(counted(before), 0);
    for (int i = 1; i <= used; i++) /* a batch that has been sent keeps no memory */
        CHECK(!proa_remote_of(win, i)->batch.body);
}

static void active(struct proa_win *win, int used, long *before)
{
    int ranks[USED];

    for (int i = 0; i < used; i++)
        ranks[i] = i + 1;
    CHECK_OK(proa_win_post(win, ranks, used, 0));
    CHECK_EQUAL(counted(before), 0); /* it goes with the complete, or from the wait */
    proa_progress_enter();
    for (int i = 0; i < used; i++)
        tell_us(ranks[i], PROA_WORD_POSTED, 2);
    proa_progress_leave();
    CHECK_OK(proa_win_start(win, ranks, used, 0));
    use(win, used);
    CHECK_EQUAL(counted(before), 0);
    CHECK_OK(proa_win_complete(win));
    CHECK_EQUAL(counted(before), used);
    CHECK_OK(proa_win_wait(win));
    CHECK_EQUAL(counted(before), 0);
    CHECK_OK(proa_win_post(win, ranks, used, 0));
    CHECK_OK(proa_win_wait(win));
    CHECK_EQUAL(counted(before), used);
}

static void fences(struct proa_win *win, int used, long *before)
{
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_EQUAL(counted(before), log2_up(win->size));
    use(win, used);
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    /* two processes: the puts ride along */
    CHECK_EQUAL(counted(before), win->size == 2 ? 1 : used + log2_up(win->size));
}

/* ---- memory ---- */

/* Memory of this process, and of its node, in bytes. */
struct memory {
    uint64_t own, shared;
};

static uint64_t status_bytes(const char *line, const char *name)
{
    unsigned long long kib = 0;

    return strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%llu", &kib) == 1
               ? (uint64_t)kib << 10
               : 0;
}

/* Pages that exist, without those that malloc keeps. */
static struct memory memory_now(void)
{
    struct memory m = {0};
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];

    malloc_trim(0);
    CHECK(status);
    while (status && fgets(line, sizeof line, status)) {
        m.own += status_bytes(line, "RssAnon:");
        m.shared += status_bytes(line, "RssShmem:");
    }
    if (status)
        fclose(status);
    return m;
}

/* What a window may take for each rank of another node (doc/PERFORMANCE.md). We are rank 0, which
 * keeps the rooms, and the leader of our node. */
static void memory(int size, struct memory before)
{
    const long apart = 64 << 10; /* it does not depend on the ranks */
    const struct memory now = memory_now();
    const long own = (long)(now.own - before.own), shared = (long)(now.shared - before.shared);

    if (WORLD_SANITIZED) /* a sanitizer keeps accounts of its own */
        return;
    CHECK(own <= 16L * size + apart);
    CHECK(shared <= 96L * size + apart);
    CHECK(own + shared / OF_A_NODE < 2 << 20);
}

/* ---- windows ---- */

static void count_body(struct world *world)
{
    const int size = *(const int *)world->arg, used = size - 1 < USED ? size - 1 : USED;
    const struct proa_group group = {.size = size,
                                     .allgather = gather_cards,
                                     .intersect = find_alike,
                                     .max = agree,
                                     .tell = tell};
    const struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 64, .disp_unit = 8};
    struct proa_win *win;
    struct memory earlier;
    long before = 0;

    setenv("PROA_FLUSH_TIMER_NS", "1000000000",
           1); /* messages are counted, however long we are held up */
    others.size = size;
    proa_remote_start(&network);
    earlier = memory_now();
    CHECK_OK(proa_win_create(&args, &group, &win)); /* the first brings the agent too */
    proa_win_release(win);
    earlier.own = memory_now().own;
    CHECK_OK(proa_win_create(&args, &group, &win));
    memory(size, earlier);
    CHECK_EQUAL(counted(&before), 0);
    if (size <= RANKS_MOST) {
        passive(win, used, &before);
        active(win, used, &before);
        fences(win, used, &before);
    }
    CHECK_OK(proa_barrier_last(win));
    CHECK_EQUAL(counted(&before), log2_up(size));
    CHECK_EQUAL(others.dropped, 0);
    proa_win_release(win);
    proa_progress_stop();
}

static void counts(void **state)
{
    static const int sizes[] = {2, 3, 16, 100, RANKS_MOST, RANKS_MANY};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        world_run(&(struct world_plan){
            .size = 1, .body = count_body, .kernel = 1, .arg = &sizes[i], .limit_s = 30});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts)};

    setenv("PROA_FLUSH_TIMER_NS", "1000000000", 1); /* no batch goes by itself while it is slow */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
