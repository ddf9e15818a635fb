/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The doorbell: sleepers on one futex word, and threads that ring it.
 *
 * RINGERS threads bring one event each. WAITERS threads wait for one of the first AWAITED events,
 * the others are events that no thread waits for. WORDS: a waiter of an odd number waits for its
 * word alone (proa_wait_count_unless), and every ringer names its word (proa_doorbell_ring_for).
 *
 * Code: src/base/doorbell.c: proa_doorbell_announce proa_doorbell_leave proa_doorbell_wake
 * Code: src/base/doorbell.h: proa_doorbell_ring_for
 * Code: src/base/wait.c: sleep_at_bell sleeps_grow sleep_for_it
 * Code: src/base/membar.h: proa_membar_ring
 * Code: src/base/membar.c: proa_membar_heavy
 *
 * Assumed:
 *   - A ringer's processor holds back its store to the awaited word, in a store buffer of one entry
 *     (total store order). It empties at any time, by an atomic exchange or addition of this
 *     ringer, by its full fence, and by the heavy fence of any waiter.
 *   - The futex compares its word and goes to sleep in one step.
 *   - The time-out of a sleep before the heavy fence may end it at any time. A later sleep has no
 *     time-out here, so a ring that it misses is a deadlock; in the code it lasts 10 ms at most.
 *   - FULL: proa_membar_rings_are_full holds in every process.
 *
 * Property, safety: no state in which a thread sleeps for ever (invalid end state).
 * Property, liveness: every waiter returns, under weak fairness.
 *
 * Sound: quick; 3; -DWAITERS=1 -DRINGERS=2 -DAWAITED=1; safety; one sleeper
 * Sound: deep; 4; -DWAITERS=2 -DRINGERS=2 -DAWAITED=2; safety; two sleepers
 * Sound: deep; 5; -DWAITERS=2 -DRINGERS=3 -DAWAITED=2; safety; two sleepers, and an event of others
 * Sound: deep; 5; -DWAITERS=2 -DRINGERS=3 -DAWAITED=2 -DWORDS; safety; the same, one for its word alone
 * Sound: deep; 5; -DWAITERS=2 -DRINGERS=3 -DAWAITED=2 -DFULL; safety; the same, full fences
 * Sound: deep; 5; -DWAITERS=3 -DRINGERS=2 -DAWAITED=2; safety; three sleepers for two events
 * Sound: deep; 6; -DWAITERS=3 -DRINGERS=3 -DAWAITED=2 -DFULL -DWORDS; safety; three sleepers, words, full fences
 * Sound: deep; 4; -DWAITERS=2 -DRINGERS=2 -DAWAITED=2; liveness; two sleepers return
 * Wrong: quick; 2; -DWAITERS=1 -DRINGERS=1 -DAWAITED=1 -DW_NO_HEAVY; safety; no heavy fence
 * Wrong: deep; 2; -DWAITERS=1 -DRINGERS=1 -DAWAITED=1 -DFULL -DW_LATE; safety; the last look comes before the announcement
 * Wrong: deep; 2; -DWAITERS=1 -DRINGERS=1 -DAWAITED=1 -DW_EARLY_RING; safety; the ring comes before the store
 * Wrong: deep; 2; -DWAITERS=1 -DRINGERS=1 -DAWAITED=1 -DFULL -DW_LIGHT; safety; rings counted as full have no fence
 * Wrong: deep; 2; -DWAITERS=1 -DRINGERS=1 -DAWAITED=1 -DFULL -DW_NO_COUNT; safety; the wake-up leaves the futex word as it is
 * Wrong: deep; 2; -DWAITERS=1 -DRINGERS=1 -DAWAITED=1 -DFULL -DW_LATE_COUNT; safety; the futex word is read after the last look
 * Wrong: deep; 3; -DWAITERS=1 -DRINGERS=2 -DAWAITED=1 -DFULL -DW_COUNT_FIRST; safety; the ringer counts before it withdraws
 * Wrong: deep; 4; -DWAITERS=2 -DRINGERS=2 -DAWAITED=2 -DFULL -DW_ONE; safety; one of several sleepers is woken
 * Wrong: deep; 4; -DWAITERS=2 -DRINGERS=2 -DAWAITED=2 -DFULL -DWORDS -DW_OVER; safety; a second sleeper writes over the first
 * Wrong: deep; 4; -DWAITERS=2 -DRINGERS=2 -DAWAITED=2 -DFULL -DW_LEAVE; safety; a waiter withdraws the announcement of another
 * Wrong: deep; 6; -DWAITERS=3 -DRINGERS=3 -DAWAITED=2 -DW_FENCED; safety; a fence before a ring counts for a later announcement
 */
#define NONE 0
#define SEVERAL 1
#define MINE(i) (2 + i)
/* the event of a waiter; with WORDS: does the announcement name a word, and which? */
#define EVENT(i) (i % AWAITED)
#define NAMES(a) (a > SEVERAL && (a - 2) % 2)
#define BIT(i) (1 << i)

bool come[AWAITED], held_back[AWAITED];
byte sleeper = NONE; /* the announcement */
byte rung = 255;     /* the futex word, by waiter: has it changed since this one has read it? */
byte asleep;         /* by waiter: in the kernel */
byte returned;

inline drain(e)
{
    come[e] = come[e] || held_back[e];
    held_back[e] = false
}

inline drain_all()
{
    d_step {
        drain(0);
#if AWAITED > 1
        drain(1);
#endif
#if AWAITED > 2
        drain(2);
#endif
    }
}

/* An atomic exchange or addition, or a full fence, of that ringer. */
inline drain_own()
{
    if
    :: me < AWAITED -> drain(me)
    :: else
    fi
}

/* ---- waiters ---- */

/* proa_doorbell_announce: the count, then the announcement; sleep_at_bell: what the fence is worth
 */
inline read_count()
{
    d_step {
#ifndef W_FENCED
        if
        :: rung & BIT(me) -> fenced = false
        :: else
        fi;
#endif
        rung = rung & ~BIT(me)
    }
}

inline announce()
{
    d_step {
        if
        :: sleeper == NONE ->
            sleeper = MINE(me);
            fenced = false
        :: sleeper == MINE(me)
        :: sleeper == SEVERAL
        :: else ->
#ifdef W_OVER
            sleeper = MINE(me);
#else
            sleeper = SEVERAL;
#endif
            fenced = false
        fi
    }
}

inline look()
{
    if
    :: come[EVENT(me)] -> break
    :: else
    fi
}

proctype waiter(byte me)
{
    bool fenced;

    do
    ::
#ifdef W_LATE
        look();
#endif
#ifndef W_LATE_COUNT
        read_count();
#endif
        announce();
#ifndef W_LATE
        look();
#endif
#ifdef W_LATE_COUNT
        read_count();
#endif
        if /* the futex */
        :: atomic { !(rung & BIT(me)) -> asleep = asleep | BIT(me) }
            if
            :: !(asleep & BIT(me))
#ifndef FULL
            :: atomic { !fenced -> asleep = asleep & ~BIT(me) } /* the time-out */
#endif
            fi
        :: rung & BIT(me)
        fi;
        look();
        if /* sleeps_grow */
        :: atomic {
                !(rung & BIT(me)) ->
#ifndef W_NO_HEAVY
                drain_all();
#endif
                fenced = true
            }
        :: rung & BIT(me)
        fi
    od;
    atomic { /* proa_doorbell_leave */
#ifdef W_LEAVE
        sleeper = NONE;
#else
        if
        :: sleeper == MINE(me) -> sleeper = NONE
        :: else
        fi;
#endif
        rung = rung | BIT(me); /* it matters no more */
        asleep = asleep & ~BIT(me);
        fenced = false;
        returned++
    }
end:
    false
}

/* ---- ringers ---- */

inline bring()
{
    if
    :: me < AWAITED -> held_back[me] = true
    :: else
    fi
}

/* The exchange of proa_doorbell_wake. */
inline withdraw()
{
    atomic {
        drain_own();
        if
        :: sleeper == NONE -> goto end
        :: else -> sleeper = NONE
        fi
    }
}

inline count()
{
    d_step {
        drain_own();
        rung = 255
    }
}

proctype ringer(byte me)
{
#ifndef W_EARLY_RING
    bring();
#endif
#if defined(FULL) && !defined(W_LIGHT)
    d_step { drain_own() }
#endif
    if
    :: sleeper == NONE -> goto end
    :: else
    fi;
#ifdef WORDS
    if
    :: sleeper == NONE || (NAMES(sleeper) && EVENT((sleeper - 2)) != me) -> goto end
    :: else
    fi;
#endif
#ifdef W_COUNT_FIRST
    count();
    withdraw();
#else
    withdraw();
#ifndef W_NO_COUNT
    count();
#endif
#endif
#ifdef W_ONE
    asleep = asleep & (asleep - 1);
#else
    asleep = 0;
#endif
end:
#ifdef W_EARLY_RING
    bring();
end_stop:
#endif
    false
}

/* The store buffers. */
proctype memory()
{
end:
    do
    :: d_step { held_back[0] -> drain(0) }
#if AWAITED > 1
    :: d_step { held_back[1] -> drain(1) }
#endif
#if AWAITED > 2
    :: d_step { held_back[2] -> drain(2) }
#endif
    od
}

init {
    atomic {
        byte i;
        for (i : 0 .. WAITERS - 1) {
            run waiter(i)
        }
        for (i : 0 .. RINGERS - 1) {
            run ringer(i)
        }
        run memory();
        i = 0
    }
}

#ifdef LIVENESS
ltl each { <> (returned == WAITERS) }
#endif
