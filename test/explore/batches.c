/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on a process of another node (remote/batch.c): the threads of the program, and the one
 * that moves the network, which sends what was aggregated and brings answers and words. */
#include "network.h"
#include "window.h"
#include "remote/batch.h"
#include "remote/execute.c"
#include "remote/move.h"
#include "remote/operation_queue.c"
#include "remote/origin.h"
#include "remote/request.h"
#include "rma/road.h"

enum { HERE = 1, THERE = 0, MOVE_BYTES = 8192, UNANSWERED = 32, SECOND_NS = 1000000000 };

static struct shared {
    struct proa_remote_window remote_window;
    struct proa_remote_process process;
    struct proa_request request;
    char large[MOVE_BYTES];
    uint64_t from[2], to; /* of the user */
    int memory;           /* of the window here */
    /* inside: the batch that was sent last, and how it was; how many bytes it fetches; the put or
     * get in flight */
    uint64_t sent, token;
    unsigned flags, posts;
    size_t fetches;
} * s;

static int *heard; /* by the progress thread: a static, as it reads no clock */

static struct proa_win *win;

/* ---- the network ---- */

static int send(const void *body, size_t bytes)
{
    const struct proa_wire_head *head = body;
    const struct proa_wire_op *op = (const void *)(head + 1);

    if (head->kind != PROA_WIRE_BATCH)
        return PROA_OK;
    s->sent = head->number;
    s->flags |= head->flags;
    s->posts +=
        bytes > sizeof *head && op->code == PROA_WIRE_NOTIFY && op->position == PROA_WORD_POSTED;
    s->fetches += bytes > sizeof *head && op->code == PROA_WIRE_GET ? sizeof s->to : 0;
    return PROA_OK;
}

static int move(void *here, size_t bytes, uint64_t token)
{
    (void)here, (void)bytes;
    s->token = token;
    return PROA_OK;
}

static const struct network batches = {.send = send, .move = move};

/* The target has answered all batches up to that number. */
static void answer(uint64_t number)
{
    struct {
        struct proa_wire_outcome outcome;
        uint64_t data;
    } body = {{0, 0}, 7};
    struct proa_wire_head head = proa_remote_window_head(win, PROA_WIRE_ANSWER, number);

    proa_batch_answered(proa_remote_make(win, THERE), &head, (const char *)&body,
                        sizeof body.outcome + s->fetches);
    s->fetches = 0;
}

/* The target says a word. */
static void say(enum proa_word word, uint64_t value)
{
    static struct proa_job job;

    proa_remote_make(win, THERE);
    job.origin = &s->process;
    job.op = (struct proa_wire_op){.position = word, .count = value};
    explore_check(serve_notify(&job) == PROA_OK);
}

/* The two looks that a batch waits for. */
static void look_twice(void)
{
    for (int i = 0; i < 2; i++) {
        looked_ns = -SECOND_NS;
        proa_aggregation_send_due();
    }
}

/* The progress thread: calls `once`, inside, until it returns 1. */
static void be_progress_thread(int (*once)(void))
{
    int done = 0;

    while (!done) {
        proa_progress_enter();
        done = once();
        proa_progress_leave();
        if (!done)
            explore_yield();
    }
}

static int answer_asked(void)
{
    int is_asked = (s->flags & PROA_WIRE_ANSWERED) != 0;

    s->flags &= ~(unsigned)PROA_WIRE_ANSWERED;
    if (is_asked)
        answer(s->sent);
    return is_asked;
}

/* ---- scenarios ---- */

static void prepare(void)
{
    window_prepare();
    explore_share(proa_remotes, sizeof proa_remotes);
    explore_share(&proa_remote_windows, sizeof proa_remote_windows);
    explore_share(&proa_remote_bodies, sizeof proa_remote_bodies);
    explore_share(&gathered, sizeof gathered);
    explore_share(&looked_ns, sizeof looked_ns);
    requests_share();
}

static void setup(void)
{
    window_make(2);
    network_make(&batches);
    s = explore_new(sizeof *s, 64);
    win = window[HERE];
    win->leader = win->ctl;
    win->sync = &proa_sync_remote;
    win->remote_window = &s->remote_window;
    win->targets[THERE].peer = NULL;
    win->targets[THERE].ctl = NULL;
    win->targets[THERE].remote = &s->process;
    s->process = (struct proa_remote_process){.win = win, .rank = THERE, .peer = 1, .has_key = 1};
    s->remote_window.win = win;
    DL_APPEND(proa_remote_windows, &s->remote_window);
}

static void put_or_get(int put, void *here, uint64_t bytes)
{
    struct proa_carry carry = {.win = win, .rank = THERE, .put = put};
    struct proa_runs runs = {.count = 1,
                             .bytes = bytes,
                             .stride = (int64_t)bytes,
                             .origin = here,
                             .origin_stride = (int64_t)bytes};

    explore_check(proa_road_net->move(&carry, NULL, &runs) == PROA_OK);
}

static int flush(void)
{
    return win->sync->complete_ops(win, THERE, PROA_COMPLETED_VISIBLE);
}

/* A get, and its data. */
static void fetched(int thread)
{
    window_enter(HERE);
    if (thread) {
        be_progress_thread(answer_asked);
        return;
    }
    put_or_get(0, &s->to, sizeof s->to);
    explore_check(flush() == PROA_OK && s->to == 7);
    s->to = 0;
}

/* The network's own put: its source is the user's again behind the flush. */
static int end_move(void)
{
    if (!s->token)
        return 0;
    explore_check(s->large[0] == 1);
    proa_move_done(s->token, PROA_OK);
    return 1;
}

static void moved(int thread)
{
    window_enter(HERE);
    if (thread) {
        be_progress_thread(end_move);
        return;
    }
    s->large[0] = 1;
    put_or_get(1, s->large, sizeof s->large);
    explore_check(flush() == PROA_OK);
    s->large[0] = 2;
}

/* Two threads work on the same target. */
static int answer_two(void)
{
    s->memory += answer_asked();
    return s->from[0] && s->from[1];
}

static void two_threads(int thread)
{
    window_enter(HERE);
    if (thread == 2) {
        be_progress_thread(answer_two);
        return;
    }
    put_or_get(1, &s->to, sizeof s->to);
    explore_check(flush() == PROA_OK);
    proa_progress_enter();
    s->from[thread] = 1;
    proa_progress_leave();
}

/* A thread waits until the target is told of its post, which the progress thread may send. */
static void said(int thread)
{
    static const int there = THERE;

    window_enter(HERE);
    if (thread) {
        proa_progress_enter();
        look_twice();
        proa_progress_leave();
        return;
    }
    explore_check(win->sync->post(win, &there, 1) == PROA_OK);
    proa_remote_say(win, THERE);
    proa_progress_enter();
    explore_check(s->posts == 1);
    proa_progress_leave();
}

/* An exposure epoch: the target works on our memory. */
static int work_here(void)
{
    if (!s->posts)
        return 0;
    s->memory++;
    say(PROA_WORD_COMPLETED, 1);
    return 1;
}

static void exposed(int thread)
{
    static const int there = THERE;

    window_enter(HERE);
    if (thread) {
        be_progress_thread(work_here);
        return;
    }
    s->memory = 1;
    explore_check(win->sync->post(win, &there, 1) == PROA_OK);
    explore_check(win->sync->wait(win) == PROA_OK && s->memory == 2);
    s->memory = 3;
}

static void tested(int thread)
{
    static const int there = THERE;
    int is_over = 0;

    window_enter(HERE);
    if (thread) {
        be_progress_thread(work_here);
        return;
    }
    s->memory = 1;
    explore_check(win->sync->post(win, &there, 1) == PROA_OK);
    while (!is_over) {
        explore_check(win->sync->test(win, &is_over) == PROA_OK);
        if (!is_over)
            explore_yield();
    }
    explore_check(s->memory == 2);
    s->memory = 3;
}

/* The state of the target is made by its first message, or by our first call. */
static int post_there(void)
{
    say(PROA_WORD_POSTED, 2);
    return 1;
}

static void made(int thread)
{
    static const int there = THERE;

    window_enter(HERE);
    if (thread) {
        be_progress_thread(post_there);
        return;
    }
    explore_check(win->sync->start(win, &there, 1, 0) == PROA_OK);
    explore_check(win->sync->await(win, THERE) == PROA_OK);
    explore_check(win->sync->complete(win) == PROA_OK);
}

/* The target has to answer before more is sent: another thread sends what was aggregated, while one
 * waits for the same. */
static void setup_full(void)
{
    struct proa_remote *r;

    setup();
    r = proa_remote_make(win, THERE);
    r->flight.sent = r->flight.asked = UNANSWERED;
}

static void open_epoch(void)
{
    static const int there = THERE;

    explore_check(win->sync->post(win, &there, 1) == PROA_OK);
    explore_check(win->sync->start(win, &there, 1, 0) == PROA_OK);
    put_or_get(1, &s->to, sizeof s->to);
}

static int answer_and_post(void)
{
    answer(UNANSWERED);
    look_twice();
    say(PROA_WORD_POSTED, 2);
    return 1;
}

static void full(int thread)
{
    window_enter(HERE);
    if (thread) {
        be_progress_thread(answer_and_post);
        return;
    }
    open_epoch();
    explore_check(win->sync->complete(win) == PROA_OK);
    proa_progress_enter();
    explore_check(s->posts == 1);
    proa_progress_leave();
}

/* The same with a lock that is asked for, and a request that waits for the batch. */
static int answer_all(void)
{
    if (!*heard)
        answer(UNANSWERED);
    *heard = 1;
    proa_queues_push(0);
    answer_asked();
    return s->posts != 0;
}

static void full_locked(int thread)
{
    struct proa_remote *r = s->process.remote;

    window_enter(HERE);
    if (thread) {
        be_progress_thread(answer_all);
        return;
    }
    proa_remote_lock(win, THERE, 0);
    proa_request_begin(&s->request, win);
    put_or_get(0, &s->to, sizeof s->to);
    if (!proa_request_is_issued(&s->request))
        proa_request_let_go(&s->request);
    explore_check(proa_remote_unlock(win, THERE) == PROA_OK && s->to == 7);
    proa_progress_enter();
    explore_check(r->grant.lock == PROA_REMOTE_UNLOCKED);
    s->posts = 1;
    proa_progress_leave();
}

static void setup_full_locked(void)
{
    setup_full();
    heard = explore_new(sizeof *heard, sizeof *heard);
}

/* Deferred posts are waited for before another lock is taken. */
static int look_and_post(void)
{
    look_twice();
    say(PROA_WORD_POSTED, 2);
    return 1;
}

static void deferred(int thread)
{
    window_enter(HERE);
    if (thread) {
        be_progress_thread(look_and_post);
        return;
    }
    open_epoch();
    proa_remote_take_deferred();
}

/* The target is lost while a thread waits for it. */
static int lose(void)
{
    if (!s->sent)
        return 0;
    proa_failed_lose(win, THERE);
    return 1;
}

static void lost(int thread)
{
    window_enter(HERE);
    if (thread) {
        be_progress_thread(lose);
        return;
    }
    put_or_get(0, &s->to, sizeof s->to);
    explore_check(flush() == PROA_ERR_OTHER);
    s->to = 0;
}

#define BATCHES(title, count, ...)                                                  \
    {                                                                               \
        .name = "batches." title, .threads = count, .prepare = prepare, __VA_ARGS__ \
    }
const struct explore_scenario explore_batches[] = {
    BATCHES("fetched", 2, .setup = setup, .body = fetched),
    BATCHES("moved", 2, .setup = setup, .body = moved),
    BATCHES("two_threads", 3, .setup = setup, .body = two_threads, .preemptions = 1, .stale = 1),
    BATCHES("said", 2, .setup = setup, .body = said),
    BATCHES("exposed", 2, .setup = setup, .body = exposed),
    BATCHES("tested", 2, .setup = setup, .body = tested),
    BATCHES("made", 2, .setup = setup, .body = made),
    BATCHES("full", 2, .setup = setup_full, .body = full),
    BATCHES("full_locked", 2, .setup = setup_full_locked, .body = full_locked),
    BATCHES("deferred", 2, .setup = setup, .body = deferred),
    BATCHES("lost", 2, .setup = setup, .body = lost),
    {0},
};
