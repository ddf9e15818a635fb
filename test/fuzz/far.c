/* SPDX-License-Identifier: BSD-3-Clause */
/* See far.h. */
#include "far.h"
#include "base/fail.h"
#include "base/system.h"
#include "create/create.h"
#include "create/start.h"
#include "progress/progress.h"
#include "rma/regions.h"
#include "remote/window.h"
#include "remote/work.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 4096, PATTERN = 0xa5 };

enum state { UNREACHED, THERE, DROPPED, LOST };

/* A process of another node, for one window. */
struct far {
    enum state state;
    uint32_t peer;
    uint64_t batches;
    uint64_t posted, completed, answered; /* as far as we have heard by now */
};

static struct {
    const struct proa_net_events *events;
    void *context;
    far_next *next; /* NULL: nothing is delivered */
    uint32_t peers; /* that were ever reached */
    struct far far[FAR_RANKS];
    pthread_t program;
    const struct proa_system *system; /* the real one */
    pthread_mutex_t mutex;
    pthread_cond_t woken;
    int wakes;
} net = {.mutex = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER};

static struct proa_win *win; /* the one that is open, as far as the network knows */
static char *memory;         /* with a margin on either side; NULL: it is Proa's */

/* ---- the transport ---- */

static int net_offers(struct proa_offers *offers, struct proa_offer_names *names)
{
    *offers = (struct proa_offers){.machine = 1, .count = 1, .offer = {{.kind = 1}}};
    *names = (struct proa_offer_names){{"fuzz"}};
    return PROA_OK;
}

static int net_open(const struct proa_net_events *events, void *context,
                    const struct proa_offer *offer, struct proa_net **opened,
                    struct proa_net_address *address)
{
    (void)offer;
    net.events = events;
    net.context = context;
    *opened = (struct proa_net *)(void *)&net;
    memset(address, 0, sizeof *address);
    return PROA_OK;
}

static void net_close(struct proa_net *opened, int in_order)
{
    (void)opened, (void)in_order;
}

/* The address is a rank, which has a new peer for each window. */
static int net_reach(struct proa_net *opened, const struct proa_net_address *address,
                     uint32_t *peer)
{
    int rank = address->bytes[0];

    (void)opened;
    if (net.far[rank].state == UNREACHED)
        net.far[rank] = (struct far){.state = THERE, .peer = net.peers++};
    *peer = net.far[rank].peer;
    return PROA_OK;
}

static int net_expose(struct proa_net *opened, void *at, size_t bytes, struct proa_net_key *key)
{
    (void)opened, (void)at, (void)bytes;
    memset(key, 0, sizeof *key);
    return PROA_OK;
}

static void net_hide(struct proa_net *opened, const struct proa_net_key *key)
{
    (void)opened, (void)key;
}

static int rank_of(uint32_t peer)
{
    MUST(peer == net.far[FAR_EVIL].peer || peer == net.far[FAR_QUIET].peer);
    return peer == net.far[FAR_EVIL].peer ? FAR_EVIL : FAR_QUIET;
}

static int net_send(struct proa_net *opened, uint32_t peer, const void *body, size_t bytes)
{
    struct proa_wire_head head;

    (void)opened;
    MUST(bytes >= sizeof head && bytes <= PROA_NET_MESSAGE_MOST);
    memcpy(&head, body, sizeof head);
    MUST(head.rank == FAR_OURS && head.version == PROA_WIRE_VERSION);
    return net.far[rank_of(peer)].state == THERE ? PROA_OK
                                                 : proa_fail(PROA_ERR_OTHER, "the peer is lost");
}

/* The window is too small for what the network moves by itself. */
static int net_move(struct proa_net *opened, int put, const struct proa_net_place *there,
                    void *here, size_t bytes, uint64_t token)
{
    (void)opened, (void)put, (void)there, (void)here, (void)bytes, (void)token;
    abort();
}

static void net_drop(struct proa_net *opened, uint32_t peer, const char *why)
{
    int rank = rank_of(peer);

    (void)opened;
    MUST(why && *why && net.far[rank].state == THERE);
    net.far[rank].state = DROPPED;
}

static int lose(int rank)
{
    if (net.far[rank].state == LOST)
        return 0;
    net.far[rank].state = LOST;
    net.events->lost(net.context, net.far[rank].peer, 0);
    return 1;
}

/* No counter that another process sets goes backwards, and an answer that is taken is a new one. */
static void check_counters(struct far *far, int sender, const char *whole, size_t bytes)
{
    const struct proa_remote *r = proa_remote_of(win, sender);
    struct proa_wire_head head = {0};
    int is_answer;

    memcpy(&head, whole, bytes < sizeof head ? bytes : sizeof head);
    is_answer = head.kind == PROA_WIRE_ANSWER && head.window == win->remote_window->number;
    if (!r)
        return;
    MUST(r->told.posted >= far->posted && r->told.completed >= far->completed);
    MUST(r->flight.answered >= far->answered + (is_answer && far->state == THERE));
    far->posted = r->told.posted;
    far->completed = r->told.completed;
    far->answered = r->flight.answered;
}

/* Of just its size: nothing that may be read is behind it. */
static void deliver(const char *whole, size_t bytes, int sender)
{
    struct far *far = &net.far[sender];
    char *exact;

    if (far->state != THERE)
        return;
    exact = malloc(bytes ? bytes : 1);
    MUST(exact);
    memcpy(exact, whole, bytes);
    far->batches += bytes && whole[0] == PROA_WIRE_BATCH;
    net.events->message(net.context, far->peer, exact, bytes);
    check_counters(far, sender, exact, bytes);
    free(exact);
}

/* All that is there; a wait for more is in vain. By the program's thread alone, so that the same
 * input does the same. */
static int net_progress(struct proa_net *opened)
{
    char whole[PROA_NET_MESSAGE_MOST];
    int sender, events = 0;
    size_t bytes;

    (void)opened;
    if (!win || !pthread_equal(pthread_self(), net.program))
        return 0;
    for (; net.next(win, whole, &bytes, &sender); events++)
        deliver(whole, bytes, sender);
    for (int rank = FAR_EVIL; rank < FAR_RANKS; rank++)
        events += (events == 0 || net.far[rank].state == DROPPED) && lose(rank);
    return events;
}

static int net_doze(struct proa_net *const nets[], int count, long timeout_ns)
{
    (void)nets, (void)count, (void)timeout_ns;
    pthread_mutex_lock(&net.mutex);
    while (!net.wakes)
        pthread_cond_wait(&net.woken, &net.mutex);
    net.wakes = 0;
    pthread_mutex_unlock(&net.mutex);
    return 0;
}

static int net_try(struct proa_net *opened, uint32_t peer)
{
    (void)opened, (void)peer;
    return PROA_OK;
}

/* Peers speak when the input says so. */
static void net_attend(struct proa_net *opened)
{
    (void)opened;
}

static void net_wake(struct proa_net *opened)
{
    (void)opened;
    pthread_mutex_lock(&net.mutex);
    net.wakes = 1;
    pthread_cond_signal(&net.woken);
    pthread_mutex_unlock(&net.mutex);
}

static const struct proa_net_transport transport = {
    .name = "fuzz",
    .offers = net_offers,
    .open = net_open,
    .close = net_close,
    .part = net_close,
    .reach = net_reach,
    .try = net_try,
    .expose = net_expose,
    .hide = net_hide,
    .send = net_send,
    .move = net_move,
    .drop = net_drop,
    .attend = net_attend,
    .progress = net_progress,
    .doze = net_doze,
    .wake = net_wake,
};

/* ---- the window ---- */

/* The others show what we do, but another node, and an address of their own. */
static int gather(void *context, const void *mine, void *all, size_t bytes)
{
    struct proa_hello hello;

    (void)context;
    hello = proa_hello_of(proa_self);
    for (int rank = 0; rank < FAR_RANKS; rank++) {
        char *card = (char *)all + (size_t)rank * bytes;

        memcpy(card, mine, bytes);
        if (bytes == sizeof(struct proa_remote_card)) {
            ((struct proa_remote_card *)(void *)card)->address.bytes[0] = (unsigned char)rank;
            continue;
        }
        for (size_t i = 0; rank != FAR_OURS && i + sizeof hello <= bytes; i += 8)
            if (memcmp(card + i, &hello, sizeof hello) == 0)
                *(uint64_t *)(void *)(card + i) += (uint64_t)rank;
    }
    return 0;
}

static int same(void *context, int *value)
{
    (void)context, (void)value;
    return 0;
}

static int tell(void *context, int rank, char *text, size_t bytes)
{
    (void)context, (void)rank, (void)text, (void)bytes;
    return 0;
}

/* A wait of the program's sleeps for what the agent brings. Here the program brings it itself, on a
 * busy machine as well, where a wait does nothing but sleep. */
static void sleep_at(uint32_t *word, uint32_t expected, long timeout_ns)
{
    if (pthread_equal(pthread_self(), net.program))
        far_drive();
    net.system->sleep(word, expected, timeout_ns);
}

static void start(void)
{
    static struct proa_system system;
    static int started;

    if (started)
        return;
    started = 1;
    net.program = pthread_self();
    net.system = proa_system;
    system = *proa_system;
    system.sleep = sleep_at;
    proa_system = &system;
    proa_remote_start(&transport);
    MUST(proa_core_start() == PROA_OK);
}

static void set_open(struct proa_win *one, far_next *next)
{
    proa_progress_enter();
    win = one;
    net.next = next;
    proa_progress_leave();
}

struct proa_win *far_open(enum proa_flavor flavor, far_next *next)
{
    static const struct proa_group group = {
        .size = FAR_RANKS, .rank = FAR_OURS, .allgather = gather, .max = same, .tell = tell};
    struct proa_create_args args = {.flavor = flavor, .disp_unit = 1};
    struct proa_win *made = NULL;

    start();
    for (int rank = 0; rank < FAR_RANKS; rank++)
        net.far[rank].state = UNREACHED;
    memory = NULL;
    if (flavor != PROA_FLAVOR_ALLOCATE) {
        memory = malloc(FAR_BYTES + 2 * MARGIN);
        MUST(memory);
        memset(memory, PATTERN, FAR_BYTES + 2 * MARGIN);
    }
    if (flavor != PROA_FLAVOR_DYNAMIC)
        args.bytes = FAR_BYTES;
    if (flavor == PROA_FLAVOR_CREATE)
        args.base = memory + MARGIN;
    MUST(proa_win_create(&args, &group, &made) == PROA_OK && made->remote_window);
    if (flavor == PROA_FLAVOR_DYNAMIC)
        MUST(proa_regions_attach(made, memory + MARGIN, FAR_BYTES) == PROA_OK);
    set_open(made, next);
    return made;
}

void far_close(struct proa_win *one)
{
    set_open(NULL, NULL);
    proa_win_release(one);
    for (size_t i = 0; memory && i < MARGIN; i++)
        MUST((unsigned char)memory[i] == PATTERN &&
             (unsigned char)memory[FAR_BYTES + MARGIN + i] == PATTERN);
    free(memory);
}

char *far_memory(void)
{
    return memory ? memory + MARGIN : NULL;
}

void far_drive(void)
{
    proa_progress_enter();
    proa_progress_step();
    proa_progress_leave();
}

uint64_t far_batches(int rank)
{
    return net.far[rank].batches;
}

int far_is_lost(int rank)
{
    return net.far[rank].state == LOST;
}
