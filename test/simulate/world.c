/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks and their time. A real rank is a coroutine, with statics of its own. Events are taken
 * in the order of their times; a rank runs when one comes for it.
 */
#include "events.h"
#include "simulate.h"
#include "statics.h"

#include "base/fail.h"
#include "create/start.h"
#include "progress/endpoints.h"
#include "remote/work.h"
#include "window/gather.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    STACK_BYTES = 1 << 17,
    LOOK_NS = 50000, /* until the progress thread looks at work that is left */
    FAILED = 1
};
static const long begin_ns = 1000000000, end_ns = 1000000000000;

/* What a rank does that does not run. */
enum state { WAITS, COMPUTES, GATHERS, IS_DONE, IS_DEAD };

struct simulate_rank {
    int number;
    enum state state;
    long now;
    ucontext_t context;
    struct simulate_statics *statics;
    struct simulate_message *first, *last; /* that have arrived */
    const uint32_t *bell;
    uint32_t rings;
    int drives;    /* its wait drives the network */
    unsigned turn; /* the number of the event that ends its wait */
    int looks;     /* an event for its progress thread is due */
    int is_woken;
    uint8_t *met; /* a bit for each real rank that it has sent to or heard of */
    long sent, bytes, gathered, memory, memory_most;
    struct { /* its part in a collective */
        const void *mine;
        void *all;
        int value;
    } gives;
};

static struct {
    const struct simulate_plan *plan;
    struct simulate_result *result;
    struct simulate_rank *ranks, *running;
    ucontext_t scheduler;
    int left;  /* ranks that are not done, or dead */
    int alive; /* ranks that are not dead */
} world;

void simulate_failed(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fprintf(stderr, "simulate: rank %d: ", world.running ? world.running->number : -1);
    vfprintf(stderr, fmt, args);
    fprintf(stderr, "\n");
    va_end(args);
    _exit(FAILED);
}

const struct simulate_plan *simulate_plan(void)
{
    return world.plan;
}

struct simulate_result *simulate_result(void)
{
    return world.result;
}

int simulate_number(const struct simulate_rank *rank)
{
    return rank->number;
}

long simulate_now(const struct simulate_rank *rank)
{
    return rank->now;
}

struct simulate_rank *simulate_running(void)
{
    return world.running;
}

int simulate_is_dead(int rank)
{
    return world.ranks[rank].state == IS_DEAD;
}

void simulate_spend(struct simulate_rank *rank, long ns)
{
    rank->now += ns;
}

static void load(struct simulate_rank *rank)
{
    world.running = rank;
    simulate_statics_load(&rank->statics);
}

/* ---- events ---- */

static void turn_at(struct simulate_rank *rank, long at)
{
    simulate_push((struct event){.at = at, .rank = rank->number, .kind = TURN, .turn = rank->turn});
}

void simulate_later(long at, void (*what)(void *), void *arg)
{
    simulate_push((struct event){.at = at, .rank = -1, .kind = CALL, .what = what, .arg = arg});
}

/* ---- messages ---- */

struct simulate_message *simulate_message_new(uint32_t from, const void *body, size_t bytes)
{
    struct simulate_message *message = malloc(sizeof *message + bytes);

    if (!message)
        simulate_failed("out of memory for a message");
    *message = (struct simulate_message){.from = from, .bytes = bytes};
    if (bytes)
        memcpy(message->body, body, bytes);
    return message;
}

void simulate_arrive(int rank, long at, struct simulate_message *message)
{
    simulate_push((struct event){.at = at, .rank = rank, .kind = MESSAGE, .message = message});
}

struct simulate_message *simulate_take(struct simulate_rank *rank)
{
    struct simulate_message *first = rank->first;

    if (first)
        rank->first = first->next;
    return first;
}

void simulate_count_sent(struct simulate_rank *rank, size_t bytes)
{
    rank->sent++;
    rank->bytes += (long)bytes;
}

long simulate_memory_most(const struct simulate_rank *rank)
{
    return rank->memory_most;
}

long simulate_sent(const struct simulate_rank *rank)
{
    return rank->sent;
}

void simulate_count_memory(long bytes)
{
    struct simulate_rank *rank = world.running;

    if (!rank)
        return;
    rank->memory += bytes;
    if (rank->memory > rank->memory_most)
        rank->memory_most = rank->memory;
}

void simulate_met(int rank, int other)
{
    if (rank < world.plan->real && other < world.plan->real)
        world.ranks[rank].met[other / 8] |= (uint8_t)(1 << other % 8);
}

int simulate_has_met(int rank, int other)
{
    return world.ranks[rank].met[other / 8] >> other % 8 & 1;
}

void simulate_woken(void)
{
    if (world.running)
        world.running->is_woken = 1;
}

/* Wakes the neighbours whose doorbell has rung. */
void simulate_rung(void)
{
    const int per_node = world.plan->per_node;
    int first, end;

    if (!world.running)
        return;
    first = world.running->number / per_node * per_node;
    end = first + per_node < world.plan->real ? first + per_node : world.plan->real;
    for (int i = first; i < end; i++) {
        struct simulate_rank *rank = &world.ranks[i];

        if (rank != world.running && rank->state == WAITS && rank->bell &&
            __atomic_load_n(rank->bell, __ATOMIC_ACQUIRE) != rank->rings) {
            rank->bell = NULL; /* once */
            turn_at(rank, world.running->now + simulate_model.near);
        }
    }
}

/* ---- giving way ---- */

static void give_way(struct simulate_rank *rank, enum state state)
{
    int left = state == WAITS ? 0 : simulate_rest();

    rank->state = state;
    if ((left || rank->is_woken) && !rank->looks && state != IS_DONE && state != WAITS) {
        simulate_push(
            (struct event){.at = rank->now + LOOK_NS, .rank = rank->number, .kind = LOOK});
        rank->looks = 1;
    }
    rank->is_woken = 0;
    swapcontext(&rank->context, &world.scheduler);
}

void simulate_block(const uint32_t *bell, uint32_t rings, long timeout_ns, int drives)
{
    struct simulate_rank *rank = world.running;
    int left = simulate_rest();

    rank->bell = bell;
    rank->rings = rings;
    rank->drives = drives;
    rank->turn++;
    turn_at(rank, rank->now + (left && timeout_ns > LOOK_NS ? LOOK_NS : timeout_ns));
    give_way(rank, WAITS);
    rank->bell = NULL;
    rank->turn++;
}

void simulate_compute(struct simulate_rank *rank, long ns)
{
    rank->turn++;
    turn_at(rank, rank->now + ns);
    give_way(rank, COMPUTES);
}

void simulate_die(struct simulate_rank *rank)
{
    rank->state = IS_DEAD;
    world.left--;
    world.alive--;
    simulate_network_died(rank->number);
    swapcontext(&rank->context, &world.scheduler);
    abort();
}

/* ---- collectives ---- */

enum what { ALIGN, ALLGATHER, INTERSECT, MAX, TELL };

static struct {
    int count;
    long latest;
    enum what what;
    size_t bytes;
    int teller;
    char *gathered; /* NULL: none */
    int takers;
} meeting;

static int log2_up(int n)
{
    int k = 0;

    while (1 << k < n)
        k++;
    return k;
}

/* What the host takes: rounds of a message each, and an allgather's bytes once. */
static long host_ns(enum what what, size_t bytes)
{
    const struct simulate_model *m = &simulate_model;
    int rounds = log2_up(world.plan->ranks);
    double moved =
        what == ALLGATHER ? (double)bytes * (world.plan->ranks - 1) : (double)bytes * rounds;

    if (what == ALIGN)
        return 0;
    return rounds * (m->latency + 2 * m->overhead) + (long)(moved * m->byte);
}

static void note_mark(long latest)
{
    static long before_ns, sent[1 << 16];
    struct simulate_result *result = world.result;
    struct simulate_counts *counts = &result->counts[result->marks];

    if (result->marks == SIMULATE_MARKS)
        simulate_failed("too many marks");
    *counts = (struct simulate_counts){.ns = latest - before_ns,
                                       .memory_most = world.ranks[0].memory_most};
    for (int i = 0; i < world.plan->real; i++) {
        struct simulate_rank *rank = &world.ranks[i];
        long more = rank->sent - sent[i];

        counts->messages += more;
        counts->bytes += rank->bytes;
        counts->most = more > counts->most ? more : counts->most;
        counts->memory = rank->memory > counts->memory ? rank->memory : counts->memory;
        sent[i] = rank->sent;
        rank->bytes = 0;
    }
    counts->gathered = world.ranks[0].gathered;
    world.ranks[0].gathered = 0;
    world.ranks[0].memory_most = world.ranks[0].memory;
    before_ns = latest;
    result->marks++;
}

static void hold_intersection(void)
{
    uint64_t bits[PROA_GATHER_BITS_MOST / sizeof(uint64_t)];
    const size_t words = meeting.bytes / sizeof *bits;

    memcpy(bits, world.ranks[0].gives.mine, meeting.bytes);
    simulate_mirror_intersect(bits, meeting.bytes);
    for (int i = 1; i < world.plan->real; i++)
        for (size_t k = 0; k < words; k++)
            bits[k] &= ((const uint64_t *)world.ranks[i].gives.mine)[k];
    simulate_mirror_form(bits);
    for (int i = 0; i < world.plan->real; i++)
        memcpy(world.ranks[i].gives.all, bits, meeting.bytes);
}

static void fill_gathered(void)
{
    const int count = world.plan->ranks;
    size_t bytes = meeting.bytes;

    meeting.gathered = malloc((size_t)count * bytes);
    if (!meeting.gathered)
        simulate_failed("out of memory for an allgather");
    for (int i = 0; i < count; i++) {
        int shown = i < world.plan->real ? i : 0;

        memcpy(meeting.gathered + (size_t)i * bytes, world.ranks[shown].gives.mine, bytes);
        if (i != shown)
            simulate_mirror_part(i, meeting.gathered + (size_t)i * bytes, bytes);
    }
    simulate_mirror_form(NULL);
    meeting.takers = world.plan->real;
}

/* The last has come. */
static void hold_meeting(void)
{
    long at = meeting.latest + host_ns(meeting.what, meeting.bytes);
    int most = world.ranks[0].gives.value;

    if (meeting.what == ALLGATHER)
        fill_gathered();
    if (meeting.what == INTERSECT)
        hold_intersection();
    if (meeting.what == ALIGN)
        note_mark(meeting.latest);
    for (int i = 0; i < world.plan->real; i++)
        most = world.ranks[i].gives.value > most ? world.ranks[i].gives.value : most;
    for (int i = 0; i < world.plan->real; i++) {
        struct simulate_rank *rank = &world.ranks[i];

        rank->gives.value = most;
        if (meeting.what == TELL && i != meeting.teller && meeting.teller < world.plan->real)
            memcpy(rank->gives.all, world.ranks[meeting.teller].gives.mine, meeting.bytes);
        rank->gathered += meeting.what == ALLGATHER ? world.plan->ranks * (long)meeting.bytes : 0;
        turn_at(rank, at);
    }
    meeting.count = 0;
    meeting.latest = 0;
}

static void meet(struct simulate_rank *rank, enum what what, size_t bytes, int teller)
{
    meeting.what = what;
    meeting.bytes = bytes;
    meeting.teller = teller;
    meeting.latest = rank->now > meeting.latest ? rank->now : meeting.latest;
    rank->turn++;
    if (++meeting.count == world.alive)
        hold_meeting();
    give_way(rank, GATHERS);
}

static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
    struct simulate_rank *rank = context;

    rank->gives.mine = mine;
    meet(rank, ALLGATHER, bytes, 0);
    memcpy(all, meeting.gathered, (size_t)world.plan->ranks * bytes);
    if (--meeting.takers == 0) {
        free(meeting.gathered);
        meeting.gathered = NULL;
    }
    return 0;
}

static int intersect(void *context, void *bits, size_t bytes)
{
    struct simulate_rank *rank = context;
    uint64_t mine[PROA_GATHER_BITS_MOST / sizeof(uint64_t)];

    memcpy(mine, bits, bytes);
    rank->gives.mine = mine;
    rank->gives.all = bits;
    meet(rank, INTERSECT, bytes, 0);
    return 0;
}

static int max(void *context, int *value)
{
    struct simulate_rank *rank = context;

    rank->gives.value = *value;
    meet(rank, MAX, sizeof *value, 0);
    *value = rank->gives.value;
    return 0;
}

static int tell(void *context, int teller, char *text, size_t bytes)
{
    struct simulate_rank *rank = context;

    rank->gives.mine = rank->gives.all = text;
    meet(rank, TELL, bytes, teller);
    return 0;
}

void simulate_mark(struct simulate_rank *rank)
{
    meet(rank, ALIGN, 0, 0);
}

struct proa_group simulate_begin(struct simulate_rank *rank)
{
    char node[16];

    snprintf(node, sizeof node, "%d", rank->number / world.plan->per_node);
    setenv("PROA_NODE_ID", node, 1);
    SIMULATE_OK(proa_core_start());
    proa_remote_start(&simulate_transport);
    return (struct proa_group){.size = world.plan->ranks,
                               .rank = rank->number,
                               .context = rank,
                               .allgather = allgather,
                               .intersect = intersect,
                               .max = max,
                               .tell = tell};
}

/* ---- the scheduler ---- */

static void life(void)
{
    struct simulate_rank *rank = world.running;

    world.plan->body(rank);
    world.left--;
    give_way(rank, IS_DONE);
    abort();
}

static void resume(struct simulate_rank *rank)
{
    load(rank);
    swapcontext(&world.scheduler, &rank->context);
}

/* The progress thread. */
static void look(struct simulate_rank *rank)
{
    load(rank);
    rank->is_woken = 0;
    if ((simulate_progress() || rank->is_woken) && !rank->looks) {
        simulate_push(
            (struct event){.at = rank->now + LOOK_NS, .rank = rank->number, .kind = LOOK});
        rank->looks = 1;
    }
}

static void take_message(struct simulate_rank *rank, struct simulate_message *message)
{
    message->next = NULL;
    if (rank->first)
        rank->last->next = message;
    else
        rank->first = message;
    rank->last = message;
}

static void happen(struct event *event)
{
    struct simulate_rank *rank = event->rank < 0 ? NULL : &world.ranks[event->rank];

    if (!rank) {
        world.running = NULL;
        event->what(event->arg);
        return;
    }
    if (rank->state == IS_DEAD) {
        free(event->message);
        return;
    }
    if (event->kind == TURN && event->turn != rank->turn)
        return;
    rank->now = event->at > rank->now ? event->at : rank->now;
    if (event->kind == MESSAGE)
        take_message(rank, event->message);
    if (event->kind == LOOK)
        rank->looks = 0;
    if (event->kind == TURN || (rank->state == WAITS && rank->drives))
        resume(rank);
    else
        look(rank);
}

static void say_stuck(void)
{
    static const char *const names[] = {"waits", "computes", "gathers", "is done", "is dead"};

    for (int i = 0; i < world.plan->real && i < 16; i++)
        fprintf(stderr, "simulate: rank %d %s\n", i, names[world.ranks[i].state]);
    simulate_failed("%d ranks never end", world.left);
}

static void start(struct simulate_rank *rank, char *stack)
{
    getcontext(&rank->context);
    rank->context.uc_stack.ss_sp = stack;
    rank->context.uc_stack.ss_size = STACK_BYTES;
    rank->context.uc_link = NULL;
    makecontext(&rank->context, life, 0);
    rank->now = begin_ns;
    rank->turn = 1;
    rank->state = COMPUTES;
    rank->met = calloc((size_t)world.plan->real / 8 + 1, 1);
    if (!rank->met)
        simulate_failed("out of memory");
    turn_at(rank, begin_ns);
}

static void simulate(const struct simulate_plan *plan, struct simulate_result *result)
{
    char *stacks = mmap(NULL, (size_t)plan->real * STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    world.plan = plan;
    world.result = result;
    world.left = world.alive = plan->real;
    world.ranks = calloc((size_t)plan->real, sizeof *world.ranks);
    if (stacks == MAP_FAILED || !world.ranks)
        simulate_failed("out of memory for %d ranks", plan->real);
    simulate_statics_open();
    simulate_network_open(plan->ranks);
    for (int i = 0; i < plan->real; i++) {
        world.ranks[i].number = i;
        start(&world.ranks[i], stacks + (size_t)i * STACK_BYTES);
    }
    while (world.left) {
        struct event event;

        if (!simulate_pop(&event) || event.at > end_ns)
            say_stuck();
        happen(&event);
    }
}

int simulate_run(const struct simulate_plan *plan, struct simulate_result *result)
{
    struct simulate_result *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    pid_t pid;

    if (shared == MAP_FAILED)
        return 1;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        simulate(plan, shared);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        status = 1;
    if (WIFSIGNALED(status))
        fprintf(stderr, "simulate: %s\n", strsignal(WTERMSIG(status)));
    *result = *shared;
    munmap(shared, sizeof *shared);
    return status != 0;
}
