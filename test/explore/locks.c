/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of windows: MPI_Win_lock and lock_all with the queue of sync/rwlock.h, the lock_alls'
 * count, claims, and the sleeps of base/wait.c. Each process works on plain data under its lock. */
#include "window.h"
#include "sync/lock.h"
#include "sync/passive.c"
#include "sync/peer_failure.h"

static struct shared {
    int data;
    int served; /* locks for processes of other nodes; or: the network is open */
} * s;

static void setup(void)
{
    window_make(3);
    s = explore_new(sizeof *s, 64);
}

static void write_once(int rank)
{
    explore_check(proa_win_lock(window[rank], 0, 1, 0) == PROA_OK);
    s->data++;
    explore_check(proa_win_unlock(window[rank], 0) == PROA_OK);
}

static void read_once(int rank)
{
    int before;

    explore_check(proa_win_lock(window[rank], 0, 0, 0) == PROA_OK);
    before = s->data;
    explore_check(proa_win_unlock(window[rank], 0) == PROA_OK);
    explore_check(before <= 2);
}

static void read_all(int rank)
{
    int before;

    explore_check(proa_win_lock_all(window[rank], 0) == PROA_OK);
    before = s->data;
    explore_check(proa_win_unlock_all(window[rank]) == PROA_OK);
    explore_check(before <= 2);
}

static void writers(int rank)
{
    window_enter(rank);
    write_once(rank);
}

static void writer_and_reader(int rank)
{
    window_enter(rank);
    rank ? read_once(rank) : write_once(rank);
}

static void writer_and_all(int rank)
{
    window_enter(rank);
    rank ? read_all(rank) : write_once(rank);
}

static void one_of_each(int rank)
{
    window_enter(rank);
    rank == 0 ? write_once(rank) : rank == 1 ? read_once(rank) : read_all(rank);
}

static void writers_and_reader(int rank)
{
    window_enter(rank);
    rank == 2 ? read_once(rank) : write_once(rank);
}

static void writers_and_all(int rank)
{
    window_enter(rank);
    rank == 2 ? read_all(rank) : write_once(rank);
}

/* ---- a lock_all that bypasses a waiting writer ---- */

static int holds_none(const struct proa_lock_request *request)
{
    (void)request;
    return 0;
}

static int pressed(struct proa_lock_request *request)
{
    (void)request;
    return 1;
}

static void claim(struct proa_lock_request *request, enum proa_claim claim, int is_set)
{
    proa_lock_requester_self.claim(request, claim, is_set);
}

static int look(void *request)
{
    return proa_lock_look(request);
}

static struct proa_lock_request request_of(int rank, int target, enum proa_lock_kind kind)
{
    static const struct proa_lock_requester requester = {holds_none, pressed, claim};

    return (struct proa_lock_request){.requester = &requester,
                                      .win = window[rank],
                                      .target = target,
                                      .kind = (uint8_t)kind,
                                      .all = &window[rank]->leader->all,
                                      .lock = &window[0]->ctl->lock};
}

/* As proa_lock_wait, for a process that others wait for, too. */
static void go_on(struct proa_lock_request *a)
{
    while (a->stage != PROA_LOCK_GRANTED) {
        if (!proa_lock_look(a))
            proa_wait(look, a, proa_lock_bell(a));
        proa_lock_go_on(a);
    }
}

static void read_all_granted(int rank, struct proa_lock_request *a)
{
    int before;

    go_on(a);
    before = s->data;
    explore_check(before <= 1);
    proa_claim_all(window[rank], 0);
    proa_shared_all_leave(a->all);
}

static void read_all_pressed(int rank)
{
    struct proa_lock_request a = request_of(rank, -1, PROA_LOCK_ALL);

    proa_lock_request_begin(&a, PROA_LOCK_ALL);
    read_all_granted(rank, &a);
}

static void bypass(int rank)
{
    window_enter(rank);
    if (rank == 0) {
        write_once(0);
    } else {
        read_all(rank);
        read_all_pressed(rank);
    }
}

/* Begins where a writer is announced, at the head of the queue, and a lock_all has been found to be
 * pressed: from a free lock on, that takes more preemptions than are tried. */
static void setup_announced(void)
{
    struct proa_all_ctl *all;

    setup();
    all = &window[0]->leader->all;
    window[0]->ctl->lock.state = PROA_RW_WANTED;
    window[0]->ctl->lock.tickets = 1;
    all->asked = all->waiting_alls = 1;
}

static void bypass_announced(int rank)
{
    struct proa_lock_request a =
        request_of(rank, rank ? -1 : 0, rank ? PROA_LOCK_ALL : PROA_LOCK_EXCLUSIVE);

    window_enter(rank);
    if (rank == 0) {
        a.stage = PROA_LOCK_WRITE_HEAD;
        go_on(&a);
        s->data++;
        proa_lock_return(window[0], 0, PROA_EPOCH_EXCLUSIVE);
    } else {
        a.stage = PROA_LOCK_ALL_TRIES;
        a.outside = a.bypasses = 1;
        read_all_granted(rank, &a);
    }
}

/* ---- several threads of a process ---- */

static void lose(int rank, int lost)
{
    proa_losses_enter();
    proa_failed_lose(window[rank], lost);
    proa_losses_leave();
}

/* One hears of a death, the other asks whether there was one. */
static void heard_by_thread(int thread)
{
    struct proa_win *win = window[0];

    window_enter(0);
    if (thread == 0)
        lose(0, 2);
    else if (proa_is_failed(win, 2))
        explore_check(proa_failed_report(win, 2) == PROA_ERR_OTHER);
}

/* ---- after a death ---- */

/* Rank 2 has died with the lock of rank 0. Its neighbours find out while they wait. */
static void setup_dead_holder(void)
{
    setup();
    window_dead = 1 << 2;
    window[0]->ctl->lock.state = PROA_RW_HELD;
    window[2]->claims[0] = PROA_CLAIM_EXCLUSIVE;
}

/* Rank 2 has died without a lock; rank 0 knows. Rank 1 finds out if it has to wait. */
static void setup_dead(void)
{
    setup();
    window_dead = 1 << 2;
}

static void writers_and_loss(int rank)
{
    window_enter(rank);
    if (rank == 0)
        lose(0, 2);
    write_once(rank);
}

static void reader_and_loss(int rank)
{
    window_enter(rank);
    if (rank == 0)
        lose(0, 2);
    rank ? read_once(rank) : write_once(rank);
}

static void all_and_loss(int rank)
{
    window_enter(rank);
    if (rank == 0)
        lose(0, 2);
    rank ? read_all(rank) : write_once(rank);
}

/* Rank 1 has lost its first try, so that its lock is confirmed. */
static void confirmed(int rank)
{
    window_enter(rank);
    if (rank == 0) {
        lose(0, 2);
        write_once(0);
        return;
    }
    explore_check(proa_lock_wait(window[1], 0, PROA_LOCK_EXCLUSIVE) == PROA_OK);
    s->data++;
    proa_lock_return(window[1], 0, PROA_EPOCH_EXCLUSIVE);
}

static void confirmed_all(int rank)
{
    window_enter(rank);
    if (rank == 0) {
        lose(0, 2);
        write_once(0);
        return;
    }
    explore_check(proa_lock_wait(window[1], -1, PROA_LOCK_ALL) == PROA_OK);
    explore_check(s->data <= 1);
    proa_claim_all(window[1], 0);
    proa_shared_all_leave(&window[1]->leader->all);
}

/* Rank 1 locks its own part for a process of another node, as its progress engine does. */
static void write_for_another(void)
{
    struct proa_win *win = window[1];

    proa_claim_served(win, PROA_CLAIM_EXCLUSIVE, 1);
    if (proa_lock_try(&win->leader->all, win->ctl, 1)) {
        s->data++;
        s->served++;
        proa_claim_served(win, PROA_CLAIM_EXCLUSIVE, -1);
        proa_lock_give_back(&win->ctl->lock, 1);
    } else {
        proa_claim_served(win, PROA_CLAIM_EXCLUSIVE, -1);
    }
}

/* The same, where its first try has failed, so that the lock is confirmed. */
static void write_for_another_later(void)
{
    struct proa_lock_request a = request_of(1, 1, PROA_LOCK_EXCLUSIVE);

    a.requester = &proa_lock_requester_origin;
    a.lock = &window[1]->ctl->lock;
    proa_lock_request_begin(&a, PROA_LOCK_EXCLUSIVE);
    if (a.stage != PROA_LOCK_GRANTED)
        lose(1, 2);
    while (a.stage != PROA_LOCK_GRANTED) {
        (void)proa_lock_leave_broken(&a);
        while (a.stage != PROA_LOCK_GRANTED && proa_lock_look(&a))
            proa_lock_go_on(&a);
        explore_yield();
    }
    s->data++;
    s->served++;
    proa_claim_served(window[1], PROA_CLAIM_EXCLUSIVE, -1);
    proa_lock_give_back(&window[1]->ctl->lock, 1);
}

static void hear_and_write(void)
{
    lose(0, 2);
    explore_check(proa_win_lock(window[0], 1, 1, 0) == PROA_OK);
    s->data++;
    explore_check(proa_win_unlock(window[0], 1) == PROA_OK);
}

static void served_and_loss(int rank)
{
    window_enter(rank);
    rank ? write_for_another() : hear_and_write();
}

static void served_later(int rank)
{
    window_enter(rank);
    rank ? write_for_another_later() : hear_and_write();
}

static void written_and_served(void)
{
    explore_check(s->data == 1 + s->served);
}

/* ---- a function before each lock ---- */

static void rely(void)
{
    explore_check(s->served == 1);
}

static void prepare_before(void)
{
    window_prepare();
    explore_share(&before_locks, sizeof before_locks);
}

/* Set by the thread that opens the network, once it is open. */
static void before(int thread)
{
    window_enter(0);
    if (thread == 0) {
        s->served = 1;
        proa_lock_set_before(rely);
        return;
    }
    explore_check(proa_lock_threads(window[0], 0, 1, PROA_MODE_NOCHECK) == PROA_OK);
}

/* Rank 3 has died; rank 2 knows. The others wait in the queue at times. */
static void setup_queue(void)
{
    window_make(4);
    s = explore_new(sizeof *s, 64);
    window_dead = 1 << 3;
}

static void queue_and_loss(int rank)
{
    window_enter(rank);
    if (rank == 2)
        lose(2, 3);
    write_once(rank);
}

static void written_once(void)
{
    explore_check(s->data == 1);
}

static void written_twice(void)
{
    explore_check(s->data == 2);
}

static void written_three_times(void)
{
    explore_check(s->data == 3);
}

#define LOCKS(title, count, ...)                                                         \
    {                                                                                    \
        .name = "locks." title, .threads = count, .prepare = window_prepare, __VA_ARGS__ \
    }
const struct explore_scenario explore_locks[] = {
    LOCKS("writers", 2, .setup = setup, .body = writers, .finish = written_twice),
    LOCKS("writer_and_reader", 2, .setup = setup, .body = writer_and_reader,
          .finish = written_once),
    LOCKS("writer_and_all", 2, .setup = setup, .body = writer_and_all, .finish = written_once),
    LOCKS("three_writers", 3, .setup = setup, .body = writers, .finish = written_three_times,
          .preemptions = 1),
    LOCKS("writers_and_reader", 3, .setup = setup, .body = writers_and_reader,
          .finish = written_twice, .preemptions = 1),
    LOCKS("writers_and_all", 3, .setup = setup, .body = writers_and_all, .finish = written_twice,
          .preemptions = 1),
    LOCKS("one_of_each", 3, .setup = setup, .body = one_of_each, .finish = written_once,
          .preemptions = 1),
    LOCKS("dead_holder", 2, .setup = setup_dead_holder, .body = writers, .finish = written_twice,
          .times_out = 1, .preemptions = 1),
    LOCKS("dead", 2, .setup = setup_dead, .body = writers_and_loss, .finish = written_twice,
          .times_out = 1, .preemptions = 1),
    LOCKS("dead_reader", 2, .setup = setup_dead, .body = reader_and_loss, .finish = written_once,
          .times_out = 1, .preemptions = 1),
    LOCKS("dead_all", 2, .setup = setup_dead, .body = all_and_loss, .finish = written_once,
          .times_out = 1, .preemptions = 1),
    LOCKS("dead_queue", 3, .setup = setup_queue, .body = queue_and_loss,
          .finish = written_three_times, .times_out = 1, .preemptions = 1, .stale = 1),
    LOCKS("bypass", 2, .setup = setup, .body = bypass, .finish = written_once),
    LOCKS("bypass_announced", 2, .setup = setup_announced, .body = bypass_announced,
          .finish = written_once),
    LOCKS("dead_served", 2, .setup = setup_dead, .body = served_and_loss,
          .finish = written_and_served, .times_out = 1, .preemptions = 1),
    LOCKS("served_later", 2, .setup = setup_dead, .body = served_later,
          .finish = written_and_served, .times_out = 1, .preemptions = 1),
    {.name = "locks.before",
     .threads = 2,
     .prepare = prepare_before,
     .setup = setup,
     .body = before},
    LOCKS("heard_by_thread", 2, .setup = setup_dead, .body = heard_by_thread),
    LOCKS("confirmed", 2, .setup = setup_dead, .body = confirmed, .finish = written_twice,
          .times_out = 1, .preemptions = 1),
    LOCKS("confirmed_all", 2, .setup = setup_dead, .body = confirmed_all, .finish = written_once,
          .times_out = 1, .preemptions = 1),
    {0},
};
