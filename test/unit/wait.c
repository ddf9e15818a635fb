/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting and polling (base/wait.c, base/poll.c) through all their phases, with a pretended clock
 * and scheduler: no time passes but by their calls. */
#include "base/host_progress.h"
#include "base/load.h"
#include "base/poll.h"
#include "base/system.h"
#include "base/wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "between.h"

/* ---- the pretended system ---- */

static struct {
    long now_ns;
    long look_costs_ns, yield_costs_ns, poke_costs_ns; /* each such call lets so much time pass */
    int moves, moved_after;  /* the first poke after each sleep moves something; the last such */
    long cold_poke_costs_ns; /* more, after a sleep */
    long preempted;
    int rivals; /* how often another process takes the processor for a slice; < 0: always */
    long slice_ns;
    int looks_per_slice;
    int kworkers;       /* another takes it for an instant now and then */
    int rung_for;       /* sleeps end by a ring */
    int shared_sleep;   /* its number: a ring ends it, then several others announce themselves */
    long next_sleep_ns; /* of the one after it */
    int yields, sleeps, rests, wakes, pokes, looks;
    long slept_ns, shortest_ns, longest_ns; /* of the sleeps that ran into their time-out */
    int ready_after_looks, ready_after_yields, ready_after_sleeps, ready_after_pokes; /* 0: never */
    uint32_t rung_in_vain; /* rings while about to sleep: the futex then returns at once */
    struct proa_doorbell bell;
} pretend;

static long pretend_now(void)
{
    return pretend.now_ns += 1;
}

static void pretend_yield(void)
{
    pretend.yields++;
    pretend.now_ns += pretend.yield_costs_ns;
}

static void pretend_rest(long ns)
{
    pretend.rests++;
    pretend.now_ns += ns;
}

enum { RUNG_AFTER_NS = 10000 };

static void pretend_sleep(uint32_t *word, uint32_t expected, long timeout_ns)
{
    pretend.sleeps++;
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected)
        return;                                                                 /* rung meanwhile */
    assert_true(__atomic_load_n(&pretend.bell.sleeper, __ATOMIC_SEQ_CST) != 0); /* announced */
    if (pretend.rung_for) {
        proa_doorbell_wake(&pretend.bell, NULL);
        timeout_ns = timeout_ns < RUNG_AFTER_NS ? timeout_ns : RUNG_AFTER_NS;
    }
    if (pretend.shared_sleep && pretend.sleeps == pretend.shared_sleep) {
        proa_doorbell_ring(&pretend.bell);
        __atomic_store_n(&pretend.bell.sleeper, 1, __ATOMIC_SEQ_CST);
    } else if (pretend.sleeps == pretend.shared_sleep + 1)
        pretend.next_sleep_ns = timeout_ns;
    pretend.now_ns += timeout_ns;
    pretend.slept_ns += timeout_ns;
    pretend.shortest_ns =
        pretend.shortest_ns && pretend.shortest_ns < timeout_ns ? pretend.shortest_ns : timeout_ns;
    pretend.longest_ns = pretend.longest_ns > timeout_ns ? pretend.longest_ns : timeout_ns;
}

static void pretend_wake(uint32_t *word)
{
    (void)word;
    pretend.wakes++;
}

static long pretend_preempted(void)
{
    return pretend.preempted;
}

/* It all but sleeps. */
static long pretend_ran(void)
{
    return pretend.now_ns - pretend.slept_ns;
}

static const struct proa_system pretended = {pretend_now,   pretend_yield, pretend_rest,
                                             pretend_sleep, pretend_wake,  pretend_preempted,
                                             pretend_ran,   NULL,          NULL};

enum { MOVE_NS = 60000 };

static void pretend_poke(void)
{
    pretend.pokes++;
    pretend.now_ns += pretend.poke_costs_ns;
    if (pretend.sleeps)
        pretend.now_ns += pretend.cold_poke_costs_ns;
    if (pretend.moves && pretend.moved_after != pretend.sleeps) {
        pretend.moved_after = pretend.sleeps;
        pretend.now_ns += MOVE_NS;
    }
}

static int come(int after, int so_far)
{
    return after && so_far >= after;
}

enum { LOOKS_PER_LOSS = 10000, SLICE_NS = 3000000, SHORT_NS = 1000000, INSTANT_NS = 50000 };

static void lose_processor(long ns)
{
    pretend.preempted++;
    pretend.now_ns += ns;
}

/* The event is consumed: a second look is wrong. */
static int ready(void *arg)
{
    int *taken = arg;

    assert_false(*taken);
    pretend.looks++;
    pretend.now_ns += pretend.look_costs_ns;
    if (pretend.kworkers && pretend.looks % LOOKS_PER_LOSS == 0)
        lose_processor(INSTANT_NS);
    if (pretend.rivals && pretend.looks % pretend.looks_per_slice == 0) {
        lose_processor(pretend.slice_ns);
        pretend.rivals -= pretend.rivals > 0;
    }
    if (pretend.rung_in_vain && __atomic_load_n(&pretend.bell.sleeper, __ATOMIC_SEQ_CST)) {
        pretend.rung_in_vain--;
        proa_doorbell_ring(&pretend.bell);
    }
    *taken = come(pretend.ready_after_looks, pretend.looks) ||
             come(pretend.ready_after_yields, pretend.yields) ||
             come(pretend.ready_after_sleeps, pretend.sleeps) ||
             come(pretend.ready_after_pokes, pretend.pokes);
    return *taken;
}

static void await(struct proa_doorbell *bell)
{
    int taken = 0;

    proa_wait(ready, &taken, bell);
}

static int begin(void **state)
{
    static long begin_ns;

    (void)state;
    memset(&pretend, 0, sizeof pretend);
    /* a thread's knowledge of rivals is forgotten meanwhile */
    pretend.now_ns = begin_ns += 100000000000;
    pretend.look_costs_ns = 10;
    pretend.yield_costs_ns = 300;
    pretend.poke_costs_ns = 100;
    pretend.slice_ns = SLICE_NS;
    pretend.looks_per_slice = LOOKS_PER_LOSS;
    proa_system = &pretended;
    proa_load_set(1, 2);
    proa_host_progress_set(pretend_poke);
    return 0;
}

static int end(void **state)
{
    (void)state;
    proa_host_progress_set(NULL);
    return 0;
}

/* ---- waits ---- */

static void spins(void **state)
{
    (void)state;
    pretend.ready_after_looks = 500; /* 5 us */
    await(&pretend.bell);
    assert_int_equal(pretend.looks, 500);
    assert_int_equal(pretend.yields + pretend.sleeps + pretend.pokes, 0);
}

static void spins_on_while_nobody_wants_the_processor(void **state)
{
    (void)state;
    pretend.preempted++; /* before */
    pretend.kworkers = 1;
    pretend.ready_after_looks = 1000000; /* 10 ms */
    await(&pretend.bell);
    assert_int_equal(pretend.yields + pretend.sleeps, 0);
    assert_true(pretend.pokes >= 100); /* the host gets on meanwhile */
}

/* Once another has taken the processor the waiter sleeps for a while, then looks whether it is so
 * still. */
static void makes_room_for_rivals(void **state)
{
    (void)state;
    pretend.rivals = 1;
    pretend.ready_after_looks = 1000000;
    await(&pretend.bell);
    assert_between(pretend.slept_ns, 40000000, 60000000);
    assert_int_equal(__atomic_load_n(&pretend.bell.sleeper, __ATOMIC_SEQ_CST), 0);
}

/* As the kernel's own threads are. */
static void who_comes_now_and_then_for_a_short_slice_is_no_rival(void **state)
{
    (void)state;
    pretend.rivals = -1;
    pretend.slice_ns = SHORT_NS;
    pretend.looks_per_slice = 2000000;    /* 20 ms and more */
    pretend.ready_after_looks = 10000000; /* 5 of them */
    await(&pretend.bell);
    assert_int_equal(pretend.sleeps, 0);
}

static void who_comes_again_soon_is_a_rival(void **state)
{
    (void)state;
    pretend.rivals = 2;
    pretend.slice_ns = SHORT_NS;
    pretend.ready_after_looks = 1000000;
    await(&pretend.bell);
    assert_between(pretend.slept_ns, 40000000, 60000000);
}

/* Of one that stays, less and less is taken. */
static void makes_more_room_for_rivals_that_stay(void **state)
{
    long begin_ns = pretend.now_ns;

    (void)state;
    pretend.rivals = -1;
    pretend.ready_after_sleeps = 10000;
    await(&pretend.bell);
    assert_true(pretend.slept_ns > (pretend.now_ns - begin_ns) / 100 * 99);
}

static void does_not_yield_where_processors_suffice(void **state)
{
    (void)state;
    pretend.rivals = -1;
    pretend.ready_after_sleeps = 1;
    await(&pretend.bell);
    assert_int_equal(pretend.yields, 0);
    assert_int_equal(pretend.sleeps, 1);
    assert_true(pretend.pokes > 0); /* before it sleeps */
}

static void yields_where_they_do_not(void **state)
{
    (void)state;
    proa_load_set(3, 2);
    pretend.yield_costs_ns = 5000; /* another runs */
    pretend.ready_after_yields = 100;
    await(&pretend.bell);
    assert_int_equal(pretend.yields, 100);
    assert_true(pretend.pokes >= 5); /* the host gets on meanwhile */
    pretend.yield_costs_ns = SLICE_NS;
    pretend.ready_after_yields = 1000;
    pretend.ready_after_sleeps = 1;
    await(&pretend.bell);
    assert_between(pretend.yields, 101, 103);
}

static void sleeps_at_once_where_yields_let_nobody_run(void **state)
{
    (void)state;
    proa_load_set(20, 2);
    pretend.ready_after_sleeps = 1;
    await(&pretend.bell);
    assert_between(pretend.yields, 1, 5);
    for (int i = 0; i < 100; i++) {
        pretend.ready_after_sleeps = pretend.sleeps + 1;
        await(&pretend.bell);
    }
    assert_between(pretend.yields, 5, 100); /* and then hardly tries any more */
}

/* Nor is it woken by anybody: it rests for ever longer. */
static void rests_where_nobody_rings(void **state)
{
    (void)state;
    proa_load_set(20, 2);
    pretend.ready_after_pokes = 8;
    await(NULL);
    assert_int_equal(pretend.sleeps, 0);
    assert_between(pretend.rests, 3, 8);
    assert_int_equal(proa_is_oversubscribed(), 1);
}

/* ---- waits that are given up ---- */

static int asked_over; /* how often */

static int over_at_third(void *arg)
{
    (void)arg;
    return ++asked_over == 3;
}

static int await_unless(struct proa_doorbell *bell)
{
    int taken = 0;

    asked_over = 0;
    return proa_wait_unless(ready, &taken, bell, over_at_third, NULL);
}

static void first_looks_do_not_ask_whether_it_is_over(void **state)
{
    (void)state;
    pretend.ready_after_looks = 500;
    assert_int_equal(await_unless(&pretend.bell), 0);
    assert_int_equal(asked_over, 0);
}

static void gives_up_while_it_spins_on(void **state)
{
    (void)state;
    assert_int_equal(await_unless(&pretend.bell), 1);
    assert_int_equal(asked_over, 3);
    assert_int_equal(pretend.sleeps, 0);
}

static void gives_up_between_sleeps(void **state)
{
    (void)state;
    proa_load_set(20, 2);
    assert_int_equal(await_unless(&pretend.bell), 1);
    assert_int_equal(pretend.sleeps, 3);
    assert_int_equal(pretend.bell.sleeper, 0);
}

static void gives_up_between_rests(void **state)
{
    (void)state;
    proa_load_set(20, 2);
    assert_int_equal(await_unless(NULL), 1);
    assert_int_equal(pretend.rests, 3);
}

static void spins_on_after_rests(void **state)
{
    (void)state;
    pretend.rivals = 1;
    pretend.ready_after_looks = 1000000;
    await(NULL);
    assert_int_equal(pretend.sleeps, 0);
    assert_between(pretend.rests, 40, 60); /* of 1 ms, while it believes in the rival */
}

/* The fewer the processes of a processor, the longer it is tried. */
static void yields_longer_where_few_share_a_processor(void **state)
{
    int few;

    (void)state;
    proa_load_set(4, 2);
    pretend.ready_after_sleeps = 1;
    await(&pretend.bell);
    few = pretend.yields;
    proa_load_set(200, 2);
    pretend.ready_after_sleeps = pretend.sleeps + 1;
    await(&pretend.bell);
    assert_between(few, 10, 30);
    assert_between(pretend.yields - few, 1, 2);
}

/* A thread whose sleeps have ended by rings sets no timer that would go off before the scheduler's
 * own. */
static void sleeps_long_where_it_is_rung_for(void **state)
{
    (void)state;
    proa_load_set(3, 2);
    pretend.rung_for = 1;
    pretend.ready_after_sleeps = 1;
    await(&pretend.bell);
    pretend.rung_for = 0;
    pretend.ready_after_sleeps = 2;
    await(&pretend.bell);
    assert_int_equal(pretend.longest_ns, 4000000);
    pretend.longest_ns = 0;
    pretend.ready_after_sleeps = 3;
    await(&pretend.bell); /* and none rang */
    assert_int_equal(pretend.longest_ns, 50000);
}

static void sleeps_get_longer(void **state)
{
    (void)state;
    pretend.rivals = -1;
    pretend.ready_after_sleeps = 12;
    await(&pretend.bell);
    assert_int_equal(pretend.sleeps, 12);
    assert_int_equal(pretend.shortest_ns, 50000);
    assert_int_equal(pretend.longest_ns, 1000000);
    assert_int_equal(pretend.slept_ns, 50000 + 100000 + 200000 + 400000 + 800000 + 7 * 1000000);
    assert_int_equal(__atomic_load_n(&pretend.bell.sleeper, __ATOMIC_SEQ_CST), 0);
}

/* A 16th of the wait, at most 10 ms. */
static void sleeps_get_longer_still_where_it_takes_long(void **state)
{
    (void)state;
    proa_load_set(3, 2);
    pretend.ready_after_sleeps = 50;
    await(&pretend.bell);
    assert_between(pretend.slept_ns, 80000000, 150000000);
    assert_between(pretend.longest_ns, pretend.slept_ns / 18, pretend.slept_ns / 16);
    pretend.ready_after_sleeps = 300;
    await(&pretend.bell);
    assert_int_equal(pretend.longest_ns, 10000000);
}

/* The heavy fence of a sleeper is worth nothing once a ring has withdrawn its announcement, even if
 * others are announced when it comes back: a ringer may have passed in between. */
static void sleeps_short_after_a_ring_for_others(void **state)
{
    (void)state;
    proa_load_set(3, 2);
    proa_membar_rings_are_full = 0;
    pretend.shared_sleep = 250;
    pretend.ready_after_sleeps = 300;
    await(&pretend.bell);
    assert_int_equal(pretend.longest_ns, 10000000);
    assert_int_equal(pretend.next_sleep_ns, 1000000);
}

/* Each that moved may bring the next. */
static void sleeps_stay_short_while_messages_move(void **state)
{
    (void)state;
    proa_load_set(3, 2);
    pretend.moves = 1;
    pretend.ready_after_sleeps = 100;
    await(&pretend.bell);
    assert_int_equal(pretend.longest_ns, 50000);
    pretend.moves = 0;
    pretend.ready_after_sleeps = 300;
    await(&pretend.bell);
    assert_int_equal(pretend.longest_ns, 10000000);
}

static void slow_poke_after_a_sleep_has_moved_nothing(void **state)
{
    (void)state;
    proa_load_set(3, 2);
    pretend.cold_poke_costs_ns = 8000;
    pretend.ready_after_sleeps = 300;
    await(&pretend.bell);
    assert_int_equal(pretend.longest_ns, 10000000);
}

/* A ring between the last look and the sleep: the sleep ends at once. */
static void ring_is_not_missed(void **state)
{
    (void)state;
    pretend.rivals = -1;
    pretend.rung_in_vain = 1;
    pretend.ready_after_sleeps = 1;
    await(&pretend.bell);
    assert_int_equal(pretend.sleeps, 1);
    assert_int_equal(pretend.slept_ns, 0);
    assert_int_equal(pretend.wakes, 1);
    assert_int_equal(__atomic_load_n(&pretend.bell.rings, __ATOMIC_SEQ_CST), 1);
}

static void rings_for_nobody(void **state)
{
    (void)state;
    proa_doorbell_ring(&pretend.bell);
    assert_int_equal(pretend.wakes, 0);
    assert_int_equal(__atomic_load_n(&pretend.bell.rings, __ATOMIC_SEQ_CST), 0);
}

/* Of those that ring while a sleeper wakes up only the first enters the kernel. */
static void rings_once(void **state)
{
    uint32_t rings;

    (void)state;
    assert_true(proa_doorbell_announce(&pretend.bell, NULL, &rings));
    assert_false(proa_doorbell_announce(&pretend.bell, NULL, &rings));
    for (int i = 0; i < 3; i++)
        proa_doorbell_ring(&pretend.bell);
    assert_int_equal(pretend.wakes, 1);
    assert_true(__atomic_load_n(&pretend.bell.rings, __ATOMIC_SEQ_CST) == rings + 1);
    assert_true(proa_doorbell_announce(&pretend.bell, NULL, &rings));
}

/* A sleeper for a word is woken for that word, and by unspecific rings. */
static void rings_for_a_word(void **state)
{
    static const uint64_t words[2];
    uint32_t rings;

    (void)state;
    proa_doorbell_announce(&pretend.bell, &words[0], &rings);
    proa_doorbell_ring_for(&pretend.bell, &words[1]);
    assert_int_equal(pretend.wakes, 0);
    proa_doorbell_ring_for(&pretend.bell, &words[0]);
    assert_int_equal(pretend.wakes, 1);
    proa_doorbell_announce(&pretend.bell, &words[0], &rings);
    proa_doorbell_ring(&pretend.bell);
    assert_int_equal(pretend.wakes, 2);
    proa_doorbell_announce(&pretend.bell, NULL, &rings);
    proa_doorbell_ring_for(&pretend.bell, &words[1]);
    assert_int_equal(pretend.wakes, 3);
}

/* Several are woken by any ring, and none of them takes back the announcement of others. */
static void rings_for_several(void **state)
{
    static const uint64_t words[3];
    uint32_t rings;

    (void)state;
    for (int i = 0; i < 2; i++)
        proa_doorbell_announce(&pretend.bell, &words[i], &rings);
    proa_doorbell_leave(&pretend.bell, &words[1]);
    proa_doorbell_ring_for(&pretend.bell, &words[2]);
    assert_int_equal(pretend.wakes, 1);
    proa_doorbell_announce(&pretend.bell, &words[0], &rings);
    proa_doorbell_leave(&pretend.bell, &words[0]);
    proa_doorbell_ring(&pretend.bell); /* no process is there any more */
    assert_int_equal(pretend.wakes, 1);
}

static void pokes_while_it_helps(void **state)
{
    (void)state;
    proa_host_progress_moves(0); /* an idle one, for the measure */
    pretend.poke_costs_ns = 5000;
    pretend.ready_after_pokes = 1000;
    await(&pretend.bell);
    assert_int_equal(pretend.pokes, 1000);
    assert_int_equal(pretend.sleeps, 0);
}

/* A poke during which the processor was lost has moved nothing. */
static void lost_time_is_no_help(void **state)
{
    (void)state;
    proa_host_progress_moves(0);
    pretend.poke_costs_ns = 3000000;
    assert_int_equal(proa_host_progress_moves(0), 0);
    pretend.poke_costs_ns = 5000;
    assert_int_equal(proa_host_progress_moves(0), 1);
}

/* ---- polls ---- */

static void poll_times(struct proa_polls *polls, int times, long costs_ns)
{
    for (int i = 0; i < times; i++) {
        pretend.now_ns += costs_ns;
        proa_polled(polls);
    }
}

static void polls_poke_now_and_then(void **state)
{
    struct proa_polls polls = {0};

    (void)state;
    poll_times(&polls, 100000, 10);
    assert_between(pretend.pokes, 20, 30);
    assert_int_equal(pretend.yields + pretend.rests + pretend.sleeps, 0);
}

static void polls_poke_more_while_a_message_moves(void **state)
{
    struct proa_polls polls = {0};

    (void)state;
    poll_times(&polls, 2000, 10);
    pretend.poke_costs_ns = 5000;
    pretend.pokes = 0;
    poll_times(&polls, 100000, 10);
    assert_between(pretend.pokes, 2500, 3500);
}

static void polls_yield(void **state)
{
    struct proa_polls polls = {0};

    (void)state;
    proa_load_set(3, 2);
    pretend.yield_costs_ns = 5000;
    poll_times(&polls, 100000, 10); /* 1 ms */
    assert_between(pretend.yields, 35, 50);
    assert_int_equal(pretend.rests, 0);
    assert_between(pretend.pokes, 20, 30);
}

static void polls_rest_where_yields_let_nobody_run(void **state)
{
    struct proa_polls polls = {0};

    (void)state;
    proa_load_set(3, 2);
    pretend.now_ns += 1000000000; /* past what the tests before have seen */
    poll_times(&polls, 100000, 10);
    assert_int_equal(pretend.rests, 0); /* as no other wants the processor */
    pretend.preempted++;
    poll_times(&polls, 100000, 10);
    assert_between(pretend.rests, 10, 25);
    pretend.now_ns += 1000000000;
    pretend.rests = 0;
    poll_times(&polls, 100000, 10);
    assert_int_equal(pretend.rests, 0); /* that was long ago */
}

static void work_is_no_polling(void **state)
{
    struct proa_polls polls = {0};

    (void)state;
    proa_load_set(3, 2);
    pretend.preempted++;
    for (int i = 0; i < 100000; i++) {
        proa_polls_stored(&polls);
        poll_times(&polls, 1, 10);
    }
    assert_int_equal(pretend.yields + pretend.rests, 0);
    assert_between(pretend.pokes, 20, 30); /* but it too may wait for a message */
}

static void few_calls_are_no_polling(void **state)
{
    struct proa_polls polls = {0};

    (void)state;
    proa_load_set(3, 2);
    pretend.preempted++;
    poll_times(&polls, 10000, 20000);
    assert_int_equal(pretend.yields + pretend.rests, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(spins, begin, end),
        cmocka_unit_test_setup_teardown(spins_on_while_nobody_wants_the_processor, begin, end),
        cmocka_unit_test_setup_teardown(makes_room_for_rivals, begin, end),
        cmocka_unit_test_setup_teardown(who_comes_now_and_then_for_a_short_slice_is_no_rival, begin,
                                        end),
        cmocka_unit_test_setup_teardown(who_comes_again_soon_is_a_rival, begin, end),
        cmocka_unit_test_setup_teardown(makes_more_room_for_rivals_that_stay, begin, end),
        cmocka_unit_test_setup_teardown(sleeps_long_where_it_is_rung_for, begin, end),
        cmocka_unit_test_setup_teardown(does_not_yield_where_processors_suffice, begin, end),
        cmocka_unit_test_setup_teardown(yields_where_they_do_not, begin, end),
        cmocka_unit_test_setup_teardown(yields_longer_where_few_share_a_processor, begin, end),
        cmocka_unit_test_setup_teardown(sleeps_at_once_where_yields_let_nobody_run, begin, end),
        cmocka_unit_test_setup_teardown(rests_where_nobody_rings, begin, end),
        cmocka_unit_test_setup_teardown(first_looks_do_not_ask_whether_it_is_over, begin, end),
        cmocka_unit_test_setup_teardown(gives_up_while_it_spins_on, begin, end),
        cmocka_unit_test_setup_teardown(gives_up_between_sleeps, begin, end),
        cmocka_unit_test_setup_teardown(gives_up_between_rests, begin, end),
        cmocka_unit_test_setup_teardown(spins_on_after_rests, begin, end),
        cmocka_unit_test_setup_teardown(sleeps_get_longer, begin, end),
        cmocka_unit_test_setup_teardown(sleeps_get_longer_still_where_it_takes_long, begin, end),
        cmocka_unit_test_setup_teardown(sleeps_short_after_a_ring_for_others, begin, end),
        cmocka_unit_test_setup_teardown(sleeps_stay_short_while_messages_move, begin, end),
        cmocka_unit_test_setup_teardown(slow_poke_after_a_sleep_has_moved_nothing, begin, end),
        cmocka_unit_test_setup_teardown(ring_is_not_missed, begin, end),
        cmocka_unit_test_setup_teardown(rings_for_nobody, begin, end),
        cmocka_unit_test_setup_teardown(rings_once, begin, end),
        cmocka_unit_test_setup_teardown(rings_for_a_word, begin, end),
        cmocka_unit_test_setup_teardown(rings_for_several, begin, end),
        cmocka_unit_test_setup_teardown(pokes_while_it_helps, begin, end),
        cmocka_unit_test_setup_teardown(lost_time_is_no_help, begin, end),
        cmocka_unit_test_setup_teardown(polls_poke_now_and_then, begin, end),
        cmocka_unit_test_setup_teardown(polls_poke_more_while_a_message_moves, begin, end),
        cmocka_unit_test_setup_teardown(polls_yield, begin, end),
        cmocka_unit_test_setup_teardown(polls_rest_where_yields_let_nobody_run, begin, end),
        cmocka_unit_test_setup_teardown(work_is_no_polling, begin, end),
        cmocka_unit_test_setup_teardown(few_calls_are_no_polling, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
