/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks of targets on one node: the queue, lock_all's counter, waiters outside, bypass.
 *
 * Each process asks for one lock, or for a second one while it holds the first, gives both back,
 * and asks again or stops. SCENE says which:
 *   MIX           each process of N asks for target 0: exclusive, shared, or a lock_all
 *   READERS       two readers cross on two targets; a writer for each target
 *   WRITERS       a writer holds target 0 and wants 2, one holds 1 and wants 0; a lock_all
 *   ALLS          lock_alls cross on two windows; a writer for each window
 *   READER_HEAD   a reader holds a lock that a holder of a lock_all waits for; a writer waits
 *   KEEPERS       two processes keep a lock_all and read another window again and again; a writer
 *   NEST          a writer holds target 0 and wants 2, one holds 1 and wants 0 shared, and a reader
 *                 of target 3 wants 1 shared
 *   OWNERS        two processes keep a target exclusive and read a third again and again; a writer
 *
 * Code: src/sync/lock.c: write_try write_announce write_enter outside_begin outside_granted
 * Code: src/sync/lock.c: all_try all_again read_try read_enter read_inside read_outside
 * Code: src/sync/lock.c: proa_lock_request_begin proa_lock_bell
 * Code: src/sync/lock.h: proa_lock_try_writer proa_lock_try proa_lock_give_back
 * Code: src/sync/lock.h: proa_lock_find_writer proa_lock_try_all
 * Code: src/sync/rwlock.h: proa_rwlock_draw proa_rwlock_leave_queue proa_rwlock_read_give_way
 * Code: src/sync/rwlock.h: proa_rwlock_write_step_back proa_rwlock_is_wanted
 * Code: src/sync/rwlock.h: proa_rwlock_read_unlock proa_rwlock_write_unlock
 * Code: src/sync/bypass.c: proa_bypass_of_outside proa_bypass_of_writers wanted_in awaits_writers
 * Code: src/sync/shared_words.h: proa_shared_all_enter proa_shared_all_leave proa_shared_outside
 * Code: src/sync/shared_words.h: proa_shared_granted proa_shared_are_granted
 *
 * Assumed:
 *   - Memory is sequentially consistent (orders: the explorer), and each atomic is one step. So is
 *     a look together with going to sleep: doorbell.pml proves that no ring is missed in between.
 *   - A sleeper is woken by a ring of the doorbell that proa_lock_bell names. A time-out is needed,
 *     and modelled, only for a process that becomes pressed: no doorbell tells it.
 *   - Whether a process is pressed is one step. Processes have one thread, and do not die.
 *   - asked and granted are counted as differences, tickets modulo N + 1.
 *
 * Property, safety: conflicting locks are never held at once; no process sleeps for ever (invalid
 * end state). With BOUND: while a writer is announced at the head of the queue, other processes
 * enter ahead of it at most BOUND times.
 * Property, liveness: process WHO, when it asks, gets its locks, under weak fairness.
 *
 * Sound: quick; 3; -DSCENE=MIX -DWRITING=1 -DREADING=1 -DALLING=1 -DBOUND=0; safety; a writer, a reader, a lock_all
 * Sound: quick; 3; -DSCENE=READER_HEAD -DONCE; safety; a reader that holds another lock meets a waiting writer
 * Sound: deep; 3; -DSCENE=MIX -DWRITING=2 -DREADING=1 -DALLING=0 -DBOUND=0; safety; two writers, a reader
 * Sound: deep; 3; -DSCENE=MIX -DWRITING=2 -DREADING=0 -DALLING=1 -DBOUND=0; safety; two writers, a lock_all
 * Sound: deep; 3; -DSCENE=MIX -DWRITING=1 -DREADING=0 -DALLING=2 -DBOUND=0; safety; a writer, two lock_alls
 * Sound: deep; 3; -DSCENE=MIX -DWRITING=1 -DREADING=2 -DALLING=0 -DBOUND=0; safety; a writer, two readers
 * Sound: deep; 3; -DSCENE=MIX -DTARGETS=2 -DWRITING=2 -DREADING=0 -DALLING=1 -DBOUND=1; safety; two targets, a writer each, a lock_all
 * Sound: deep; 4; -DSCENE=READERS -DONCE; safety; two readers cross, a writer behind each
 * Sound: deep; 3; -DSCENE=WRITERS -DONCE; safety; two writers that nest, a lock_all
 * Sound: deep; 3; -DSCENE=NEST -DONCE; safety; two writers that nest, a reader that waits outside
 * Sound: deep; 4; -DSCENE=ALLS -DONCE; safety; lock_alls cross on two windows, a writer each
 * Sound: deep; 3; -DSCENE=READER_HEAD; safety; a reader that holds another lock, again and again
 * Sound: deep; 3; -DSCENE=KEEPERS -DBOUND=0; safety; holders of a lock that is not waited for overtake no writer
 * Sound: deep; 3; -DSCENE=OWNERS -DBOUND=0; safety; the same, exclusive locks of the same window
 * Sound: deep; 3; -DSCENE=MIX -DWRITING=1 -DREADING=0 -DALLING=2 -DWHO=0; liveness; a writer beside two lock_alls
 * Sound: deep; 3; -DSCENE=MIX -DWRITING=2 -DREADING=0 -DALLING=1 -DWHO=2; liveness; a lock_all beside two writers
 * Sound: deep; 3; -DSCENE=MIX -DWRITING=1 -DREADING=2 -DALLING=0 -DWHO=0; liveness; a writer beside two readers
 * Sound: deep; 3; -DSCENE=MIX -DWRITING=2 -DREADING=1 -DALLING=0 -DWHO=2; liveness; a reader beside two writers
 * Sound: deep; 3; -DSCENE=KEEPERS -DWHO=2; liveness; a writer beside readers that keep a lock_all elsewhere
 * Wrong: deep; 3; -DSCENE=WRITERS -DONCE -DW_POLITE; safety; a pressed writer gives way to a lock_all
 * Wrong: deep; 3; -DSCENE=NEST -DONCE -DW_POLITE; safety; a pressed writer gives way to a reader outside
 * Wrong: deep; 4; -DSCENE=READERS -DONCE -DW_NO_BYPASS; safety; no process is ever pressed
 * Wrong: deep; 4; -DSCENE=READERS -DONCE -DW_NO_OUTSIDE; safety; readers that hold a lock wait in the queue
 * Wrong: deep; 3; -DSCENE=KEEPERS -DBOUND=0 -DW_HOLDERS; safety; each process that holds a lock bypasses
 * Wrong: deep; 3; -DSCENE=OWNERS -DBOUND=0 -DW_ASKED; safety; a process is pressed by shared locks of others, and its own
 * Wrong: deep; 3; -DSCENE=OWNERS -DWHO=2 -DW_ASKED; liveness; the same: the writer starves
 * Wrong: deep; 2; -DSCENE=MIX -DWRITING=1 -DREADING=0 -DALLING=1 -DW_ALL_BLIND; safety; a lock_all does not look at writers inside
 * Wrong: deep; 2; -DSCENE=MIX -DWRITING=1 -DREADING=0 -DALLING=1 -DW_LOOK_FIRST; safety; a lock_all looks before it counts itself
 * Wrong: deep; 2; -DSCENE=MIX -DWRITING=1 -DREADING=0 -DALLING=1 -DW_WRITER_BLIND; safety; a writer that finds the lock free does not look at lock_alls
 * Wrong: deep; 4; -DSCENE=ALLS -DONCE -DW_ENTER_BLIND; safety; a writer that enters does not look at lock_alls again
 * Wrong: deep; 2; -DSCENE=MIX -DWRITING=1 -DREADING=1 -DALLING=0 -DBOUND=0 -DW_NO_WANTED; safety; readers pass the announced writer
 * Wrong: deep; 3; -DSCENE=MIX -DWRITING=1 -DREADING=2 -DALLING=0 -DWHO=0 -DW_NO_WANTED; liveness; the same: the writer starves
 * Wrong: deep; 3; -DSCENE=MIX -DWRITING=2 -DREADING=0 -DALLING=1 -DWHO=2 -DW_NO_WAY; liveness; writers do not give way: the lock_all starves
 * Wrong: deep; 2; -DSCENE=MIX -DWRITING=1 -DREADING=0 -DALLING=1 -DW_BELL_ALL; safety; the end of a lock_all rings no doorbell
 * Wrong: deep; 2; -DSCENE=MIX -DWRITING=1 -DREADING=0 -DALLING=1 -DW_BELL_OUTSIDE; safety; unlock does not ring for waiters outside
 * Wrong: deep; 3; -DSCENE=MIX -DWRITING=3 -DREADING=0 -DALLING=0 -DW_BELL_QUEUE; safety; the head leaves the queue and rings no doorbell
 * Wrong: deep; 2; -DSCENE=MIX -DWRITING=1 -DREADING=1 -DALLING=0 -DW_BELL_BACK; safety; a reader that gives way rings no doorbell
 */
#define MIX 1
#define READERS 2
#define WRITERS 3
#define ALLS 4
#define READER_HEAD 5
#define KEEPERS 6
#define OWNERS 7
#define NEST 8

/* ---- scenes: the first and the second request of each process ---- */

#define NONE 0
#define EXCLUSIVE 1
#define SHARED 2
#define ALL 3

#if SCENE == MIX
#ifndef TARGETS
#define TARGETS 1
#endif
#define LOCKS TARGETS
#define WINDOWS 1
#define FIRST(p) (p < WRITING -> EXCLUSIVE : (p < WRITING + READING -> SHARED : ALL))
#define FIRST_AT(p) (FIRST(p) == ALL -> 0 : p % TARGETS)
#define SECOND(p) NONE
#define SECOND_AT(p) 0
#define N (WRITING + READING + ALLING)
#elif SCENE == READERS
#define N 4
#define LOCKS 2
#define WINDOWS 1
#define FIRST(p) (p < 2 -> SHARED : EXCLUSIVE)
#define FIRST_AT(p) (p % 2)
#define SECOND(p) (p < 2 -> SHARED : NONE)
#define SECOND_AT(p) (1 - p % 2)
#elif SCENE == WRITERS
#define N 3
#define LOCKS 3
#define WINDOWS 1
#define FIRST(p) (p < 2 -> EXCLUSIVE : ALL)
#define FIRST_AT(p) (p == 1 -> 1 : 0)
#define SECOND(p) (p < 2 -> EXCLUSIVE : NONE)
#define SECOND_AT(p) (p == 0 -> 2 : 0)
#elif SCENE == ALLS
#define N 4
#define LOCKS 2
#define WINDOWS 2
#define FIRST(p) (p < 2 -> ALL : EXCLUSIVE)
#define FIRST_AT(p) (p % 2)
#define SECOND(p) (p < 2 -> ALL : NONE)
#define SECOND_AT(p) (1 - p % 2)
#elif SCENE == READER_HEAD
#define N 3
#define LOCKS 2
#define WINDOWS 2
#define FIRST(p) (p == 0 -> SHARED : (p == 1 -> ALL : EXCLUSIVE))
#define FIRST_AT(p) (p == 0 -> 1 : 0)
#define SECOND(p) (p == 0 -> SHARED : (p == 1 -> EXCLUSIVE : NONE))
#define SECOND_AT(p) (p == 1 -> 1 : 0)
#elif SCENE == KEEPERS
#define N 3
#define LOCKS 2
#define WINDOWS 2
#define AGAIN
#define FIRST(p) (p < 2 -> ALL : EXCLUSIVE)
#define FIRST_AT(p) (p < 2 -> 0 : 1)
#define SECOND(p) (p < 2 -> SHARED : NONE)
#define SECOND_AT(p) 1
#elif SCENE == OWNERS
#define N 3
#define LOCKS 3
#define WINDOWS 1
#define AGAIN
#define FIRST(p) EXCLUSIVE
#define FIRST_AT(p) p
#define SECOND(p) (p < 2 -> SHARED : NONE)
#define SECOND_AT(p) 2
#elif SCENE == NEST
#define N 3
#define LOCKS 4
#define WINDOWS 1
#define FIRST(p) (p < 2 -> EXCLUSIVE : SHARED)
#define FIRST_AT(p) (p < 2 -> p : 3)
#define SECOND(p) (p == 0 -> EXCLUSIVE : SHARED)
#define SECOND_AT(p) (p == 0 -> 2 : p - 1)
#endif

#if WINDOWS == 2
#define WINDOW(l) l /* each of one target */
#define FIRST_LOCK(w) w
#define LAST_LOCK(w) w
#else
#define WINDOW(l) 0
#define FIRST_LOCK(w) 0
#define LAST_LOCK(w) (LOCKS - 1)
#endif
#define TICKETS (N + 1)

/* ---- the words ---- */

/* of struct proa_rwlock: the parts of its state, the queue, the waiters outside */
bool held[LOCKS], wanted[LOCKS];
byte readers[LOCKS], tickets[LOCKS], serving[LOCKS], outside[LOCKS];
/* of struct proa_all_ctl: lock_alls counted; asked - granted; of these, lock_alls */
byte counted[WINDOWS], owed[WINDOWS], alls[WINDOWS];
/* by process and window: waiters outside that go ahead of an exclusive lock asked for */
byte debt[N * WINDOWS];
/* by doorbell, those of the targets first: the processes that sleep there */
byte sleeps[LOCKS + WINDOWS];
/* by process: the epochs, by target and by window */
byte one[N], exclusive[N], all[N];

/* for the properties alone */
#ifdef LIVENESS
byte asking; /* processes that ask, and have not all their locks */
#endif
#ifdef BOUND
bool announced[LOCKS]; /* a writer is at the head of the queue */
byte overtaken[LOCKS]; /* since: how often */
#endif

#define me _pid
#define ME (1 << me)
#define BIT(i) (1 << (i))
#define BELL_ALL(w) (LOCKS + w)

/* ---- bypass ---- */

#define IS_WANTED(l) (wanted[l] || tickets[l] != serving[l] || outside[l])
#ifdef W_ASKED
#define AWAITS_WRITERS(w) owed[w]
#else
#define AWAITS_WRITERS(w) alls[w]
#endif
#define HAS_ONE(l) (one[me] & BIT(l))
#define HAS_ALL(l) (all[me] & BIT(WINDOW(l)))
#define PRESSED_BY(l)                                                                             \
    (((HAS_ONE(l) || HAS_ALL(l)) && IS_WANTED(l)) ||                                              \
     ((exclusive[me] & BIT(l)) && AWAITS_WRITERS(WINDOW(l))))
#if defined(W_NO_BYPASS)
#define PRESSED false
#elif defined(W_HOLDERS)
#define PRESSED (one[me] || all[me])
#elif LOCKS == 1
#define PRESSED PRESSED_BY(0)
#elif LOCKS == 2
#define PRESSED (PRESSED_BY(0) || PRESSED_BY(1))
#elif LOCKS == 3
#define PRESSED (PRESSED_BY(0) || PRESSED_BY(1) || PRESSED_BY(2))
#else
#define PRESSED (PRESSED_BY(0) || PRESSED_BY(1) || PRESSED_BY(2) || PRESSED_BY(3))
#endif

/* ---- waiting ---- */

/* proa_rwlock_has_writer */
#ifdef W_ALL_BLIND
#define IN_THE_WAY(l) (wanted[l] && !bypasses)
#else
#define IN_THE_WAY(l) (held[l] || (wanted[l] && !bypasses))
#endif

inline ring(bell)
{
    sleeps[bell] = 0
}

/* late: what no ring tells, but a time-out */
inline await(look, bell, late)
{
    do
    :: atomic { (look) -> break }
    :: atomic { !(look) -> sleeps[bell] = sleeps[bell] | ME }
        atomic { !(sleeps[bell] & ME) || (late) -> sleeps[bell] = sleeps[bell] & ~ME }
    od;
    skip
}

/* proa_bypass_of_outside */
inline give_way(w)
{
    do
    :: atomic { !debt[me * WINDOWS + w] || PRESSED -> break }
    :: atomic {
            debt[me * WINDOWS + w] && !PRESSED ->
            sleeps[BELL_ALL(w)] = sleeps[BELL_ALL(w)] | ME
        }
        atomic {
            !(sleeps[BELL_ALL(w)] & ME) || PRESSED ->
            sleeps[BELL_ALL(w)] = sleeps[BELL_ALL(w)] & ~ME
        }
    od;
    skip
}

/* proa_bypass_of_writers */
inline await_writers(l)
{
    do
    :: atomic { !held[l] && !wanted[l] -> break }
    :: atomic { !held[l] && wanted[l] && (bypasses || PRESSED) -> bypasses = true; break }
    :: atomic {
            held[l] || (wanted[l] && !bypasses && !PRESSED) ->
            bypasses = bypasses || PRESSED;
            sleeps[l] = sleeps[l] | ME
        }
        atomic { !(sleeps[l] & ME) || (!bypasses && PRESSED) -> sleeps[l] = sleeps[l] & ~ME }
    od
}

/* ---- taking ---- */

/* counts what goes ahead of an announced writer */
inline overtakes(l)
{
#ifdef BOUND
    if
    :: announced[l] && overtaken[l] <= BOUND ->
        overtaken[l]++;
        assert(overtaken[l] <= BOUND)
    :: else
    fi
#else
    skip
#endif
}

inline leave_queue(l)
{
    d_step {
        serving[l] = (serving[l] + 1) % TICKETS;
        if
        :: serving[l] == tickets[l] ->
            serving[l] = 0;
            tickets[l] = 0
        :: else
        fi
    }
#ifndef W_BELL_QUEUE
    ring(l)
#endif
}

inline outside_begin(l, w)
{
    if
    :: !is_outside ->
        d_step {
            owed[w]++;
            alls[w] = alls[w] + (kind == ALL -> 1 : 0);
            is_outside = true
        }
    :: else
    fi;
    outside[l]++
}

inline outside_granted(w)
{
    if
    :: is_outside ->
        d_step {
            owed[w]--;
            alls[w] = alls[w] - (kind == ALL -> 1 : 0);
            is_outside = false;
            for (i : 0 .. N - 1) {
                debt[i * WINDOWS + w] = debt[i * WINDOWS + w] - (debt[i * WINDOWS + w] -> 1 : 0)
            }
            i = 0
        }
        ring(BELL_ALL(w))
    :: else
    fi
}

/* proa_rwlock_read_try: taken, or the count is taken back */
inline read_try(l)
{
    d_step {
        readers[l]++;
#ifdef W_NO_WANTED
        got = !held[l];
#else
        got = !held[l] && !wanted[l];
#endif
        if
        :: got -> overtakes(l)
        :: else
        fi
    }
    if
    :: !got ->
        readers[l]--;
#ifndef W_BELL_BACK
        ring(l)
#endif
    :: else
    fi
}

inline write_unlock(l)
{
    d_step {
        held[l] = false;
        got = wanted[l] || readers[l]
    }
    if
#ifdef W_BELL_OUTSIDE
    :: got -> ring(l)
#else
    :: got || outside[l] -> ring(l)
#endif
    :: else
    fi;
    got = false
}

/* proa_lock_try_writer */
inline try_writer(l)
{
    d_step {
        got = !held[l] && !wanted[l] && !readers[l];
        held[l] = held[l] || got
    }
#ifndef W_WRITER_BLIND
    if
    :: got && counted[WINDOW(l)] -> write_unlock(l)
    :: else
    fi
#endif
}

inline take_exclusive(l)
{
#ifndef W_NO_WAY
    debt[me * WINDOWS + WINDOW(l)] = owed[WINDOW(l)];
#ifdef W_POLITE
    await(!debt[me * WINDOWS + WINDOW(l)], BELL_ALL(WINDOW(l)), false);
#else
    give_way(WINDOW(l));
#endif
    debt[me * WINDOWS + WINDOW(l)] = 0;
#endif
    try_writer(l);
    if
    :: !got ->
        d_step {
            ticket = tickets[l];
            tickets[l] = (tickets[l] + 1) % TICKETS
        }
        await(serving[l] == ticket, l, false);
        d_step {
            ticket = 0;
            wanted[l] = true;
#ifdef BOUND
            announced[l] = true;
            overtaken[l] = 0
#endif
        }
        do
        :: await(!counted[WINDOW(l)], BELL_ALL(WINDOW(l)), false);
            do /* the look and the exchange of write_enter */
            :: await(!held[l] && !readers[l], l, false);
                if
                :: atomic { !held[l] && !readers[l] -> held[l] = true; wanted[l] = false; break }
                :: else
                fi
            od;
#ifdef W_ENTER_BLIND
            break
#else
            if
            :: !counted[WINDOW(l)] -> break
            :: else
            fi;
            atomic {
                held[l] = false;
                wanted[l] = true
            }
#ifndef W_BELL_BACK
            ring(l)
#endif
#endif
        od;
#ifdef BOUND
        atomic {
            announced[l] = false;
            overtaken[l] = 0
        }
#endif
        leave_queue(l)
    :: else
    fi
}

inline take_shared(l)
{
    read_try(l);
    if
    :: got
#ifndef W_NO_OUTSIDE
    :: !got && is_second ->
        do
        :: outside_begin(l, WINDOW(l));
            await_writers(l);
            outside[l]--;
            if
            :: bypasses ->
                readers[l]++;
                await(!held[l], l, false);
                d_step { overtakes(l) }
                break
            :: else
            fi;
            read_try(l);
            if
            :: got -> break
            :: else
            fi
        od;
        outside_granted(WINDOW(l))
    :: !got && !is_second ->
#else
    :: else ->
#endif
        d_step {
            ticket = tickets[l];
            tickets[l] = (tickets[l] + 1) % TICKETS
        }
        await(serving[l] == ticket, l, false);
        d_step {
            ticket = 0;
            readers[l]++
        }
        await(!held[l], l, false);
        leave_queue(l)
    fi
}

/* proa_lock_find_writer, a step for each target: leaves l at the one found, or behind the last */
inline find_writer(w)
{
    l = FIRST_LOCK(w);
    do
    :: l <= LAST_LOCK(w) && IN_THE_WAY(l) -> break
    :: atomic {
            l <= LAST_LOCK(w) && !IN_THE_WAY(l) ->
            l++;
            if
            :: l > LAST_LOCK(w) ->
                for (i : FIRST_LOCK(w) .. LAST_LOCK(w)) {
                    overtakes(i)
                }
                i = 0;
                break
            :: else
            fi
        }
    od
}

inline all_leave(w)
{
    counted[w]--;
#ifndef W_BELL_ALL
    ring(BELL_ALL(w))
#endif
}

inline take_all(w)
{
    do
    ::
#ifdef W_LOOK_FIRST
        find_writer(w);
        counted[w]++;
#else
        counted[w]++;
        find_writer(w);
#endif
        if
        :: l > LAST_LOCK(w) -> break
        :: else
        fi;
        all_leave(w);
        outside_begin(l, w);
        await_writers(l);
        outside[l]--
    od;
    l = 0;
    outside_granted(w)
}

/* ---- holding ---- */

inline hold()
{
    d_step {
        if
        :: kind == ALL -> all[me] = all[me] | BIT(at)
        :: else ->
            one[me] = one[me] | BIT(at);
            exclusive[me] = exclusive[me] | (kind == EXCLUSIVE -> BIT(at) : 0)
        fi;
        for (i : 0 .. N - 1) {
            if
            :: i != me && kind == EXCLUSIVE ->
                assert(!(one[i] & BIT(at)) && !(all[i] & BIT(WINDOW(at))))
            :: i != me && kind == SHARED -> assert(!(exclusive[i] & BIT(at)))
            :: i != me && kind == ALL ->
                for (l : FIRST_LOCK(at) .. LAST_LOCK(at)) {
                    assert(!(exclusive[i] & BIT(l)))
                }
                l = 0
            :: else
            fi
        }
        i = 0;
        bypasses = false;
        got = false
    }
}

inline give_back()
{
    d_step {
        if
        :: kind == ALL -> all[me] = all[me] & ~BIT(at)
        :: else ->
            one[me] = one[me] & ~BIT(at);
            exclusive[me] = exclusive[me] & ~BIT(at)
        fi
    }
    if
    :: kind == ALL -> all_leave(at)
    :: kind == EXCLUSIVE -> write_unlock(at)
    :: kind == SHARED ->
        d_step {
            readers[at]--;
            got = wanted[at]
        }
        if
        :: got -> ring(at)
        :: else
        fi;
        got = false
    fi
}

inline ask()
{
    if
    :: kind == EXCLUSIVE -> take_exclusive(at)
    :: kind == SHARED -> take_shared(at)
    :: kind == ALL -> take_all(at)
    fi;
    hold()
}

#ifdef LIVENESS
#define ASKING(yes) asking = (yes -> asking | ME : asking & ~ME)
#else
#define ASKING(yes) skip
#endif

inline first()
{
    kind = FIRST(me);
    at = FIRST_AT(me)
}

active [N] proctype process()
{
    byte kind, at, ticket, l, i;
    bool is_second, is_outside, bypasses, got;


    do
    :: true -> break /* asks no more */
    ::
        ASKING(true);
        atomic { first() }
        ask();
        if
        :: SECOND(me) != NONE ->
            do
            ::
                d_step {
                    ASKING(true);
                    is_second = true;
                    kind = SECOND(me);
                    at = SECOND_AT(me)
                }
                ask();
                ASKING(false);
                give_back();
#ifdef AGAIN
                if
                :: true -> break
                :: true
                fi
#else
                break
#endif
            od;
            is_second = false;
            atomic { first() }
        :: else -> ASKING(false)
        fi;
        give_back();
        d_step {
            kind = NONE;
            at = 0
        }
#ifdef ONCE
        break
#endif
    od;
end:
    false
}

#ifdef LIVENESS
ltl each { [] ((asking & (1 << WHO)) -> <> !(asking & (1 << WHO))) }
#endif
