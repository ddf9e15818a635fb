/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two rooms of a window over several nodes: permits from rank 0, and their recall.
 *
 * Each of N members, of one thread, enters a room, leaves it, and enters again or stops. Member 0
 * is the keeper. SCENE:
 *   MIX    each member chooses a room each time
 *   KINDS  EXCLUSIVES members always enter one room, and the others the other
 *   APART  as MIX, or as KINDS with a last member that chooses; and a member that chooses and waits
 *          for ALL may have its lock without the room: it goes on, and its request stays behind
 *          (single_locks.pml)
 *   HELD   member 1 takes a lock of another window while it is inside; member 2 holds that lock
 *          while it waits for the same room; member 0 waits for the other room
 *
 * Code: src/remote/group_lock.c: say permit recall_all permit_all keep forget_permit ask
 * Code: src/remote/group_lock.c: keeper_hears keeper_looks give_back give_back_recalled
 * Code: src/remote/group_lock.c: member_hears is_out_of_turn
 * Code: src/remote/group_lock.c: can_ask may_enter ask_keeper await_room let_others
 * Code: src/remote/group_lock.c: proa_group_lock_enter proa_group_lock_leave
 *
 * Assumed:
 *   - Messages between two members arrive in order. The keeper's to itself are calls.
 *   - A section under the engine's mutex is one step.
 *   - A wait is a look and the sleep in one step (doorbell.pml), ended by the doorbell alone.
 *   - A waiter that holds another lock may have waited for 10 ms at any time.
 *   - No member is lost. No thread enters twice without leaving.
 *
 * Property, safety: members are never in both rooms; no member sleeps for ever (invalid end
 * state); a member that has heard the recall enters once more at most, and only with a permit that
 * it waits for; while a member waits at the keeper, at most N - 1 permits for the other room are
 * given, beside those of members that hold another lock.
 * Property, liveness: member WHO, when it asks, gets in, under weak fairness.
 *
 * Sound: quick; 2; -DSCENE=MIX -DN=2; safety; two members choose a room each time
 * Sound: deep; 3; -DSCENE=KINDS -DN=3 -DEXCLUSIVES=1; safety; the keeper in one room, two members in the other
 * Sound: deep; 3; -DSCENE=KINDS -DN=3 -DEXCLUSIVES=2; safety; the keeper and one member against another member
 * Sound: deep; 3; -DSCENE=HELD; safety; a member inside waits for a lock that a waiter holds
 * Sound: deep; 2; -DSCENE=APART -DN=2; safety; two members, whose requests may stay behind
 * Sound: deep; 3; -DSCENE=APART -DN=3 -DEXCLUSIVES=1; safety; one such member, one in each room
 * Sound: deep; 2; -DSCENE=MIX -DN=2 -DWHO=0; liveness; the keeper gets in
 * Sound: deep; 2; -DSCENE=MIX -DN=2 -DWHO=1; liveness; the other member gets in
 * Sound: deep; 3; -DSCENE=KINDS -DN=3 -DEXCLUSIVES=1 -DWHO=1; liveness; a member that shares its room gets in
 * Sound: deep; 3; -DSCENE=KINDS -DN=3 -DEXCLUSIVES=2 -DWHO=2; liveness; a member alone in its room gets in
 * Wrong: deep; 2; -DSCENE=MIX -DN=2 -DW_NO_RECALL; safety; permits are not recalled
 * Wrong: deep; 2; -DSCENE=APART -DN=2 -DW_ANY_GRANT; safety; a permit for a request that was replaced is taken
 * Wrong: deep; 2; -DSCENE=APART -DN=2 -DW_UNFORGOTTEN; safety; a request that was replaced stays in the queue
 * Wrong: deep; 2; -DSCENE=MIX -DN=2 -DW_EARLY; safety; the keeper does not wait until the room is empty
 * Wrong: deep; 2; -DSCENE=MIX -DN=2 -DW_INSIDE; safety; a permit is given back from inside
 * Wrong: deep; 2; -DSCENE=MIX -DN=2 -DW_KEPT; safety; asking for the other room gives no permit back
 * Wrong: deep; 2; -DSCENE=MIX -DN=2 -DW_LEAVE; safety; leaving gives no permit back
 * Wrong: deep; 2; -DSCENE=MIX -DN=2 -DW_BELL; safety; a permit that comes rings no doorbell
 * Wrong: deep; 2; -DSCENE=MIX -DN=2 -DWHO=1 -DW_WAITING; liveness; a permit is given back before its first use
 * Wrong: deep; 3; -DSCENE=HELD -DW_NO_AHEAD; safety; a waiter that holds another lock never goes ahead
 */
#define MIX 1
#define KINDS 2
#define HELD 3
#define APART 4

#define NONE 0
#define EXCLUSIVE 1
#define ALL 2

#if SCENE == HELD
#define N 3
#endif

/* of APART: may choose its room, and have its lock without the room */
#ifdef EXCLUSIVES
#define IS_ONE(m) (m == N - 1)
#else
#define EXCLUSIVES 0
#define IS_ONE(m) true
#endif

mtype = { ASK, GRANT, RECALL, BACK };

chan to_keeper[N] = [5] of { mtype, byte, bool };
chan to_member[N] = [5] of { mtype, byte };

/* struct proa_group_locks of each member */
byte permit[N], asked[N];
bool recalled[N], inside[N], waiting[N], asleep[N];
/* the keeper's */
byte room, permits, queued;
byte queue[N + 1], wish[N];
bool holder[N], has_permit[N], is_recalled[N];

bool other_lock; /* of another window: taken */

/* for the properties alone */
byte where[N];     /* the room that the member is in */
byte late[N];      /* how often it has entered since it heard of the recall */
byte overtaken[N]; /* by permits for the other room, since it waits at the keeper */
#ifdef LIVENESS
bool asking[N];
#endif

#if defined(W_INSIDE)
#define MAY_GIVE_BACK(m) !waiting[m]
#elif defined(W_WAITING)
#define MAY_GIVE_BACK(m) !inside[m]
#else
#define MAY_GIVE_BACK(m) (!inside[m] && !waiting[m])
#endif
/* by a thread that waits for the room `wanted` */
#define CAN_ASK(m) (asked[m] != wanted && !(permit[m] && inside[m]))

/* ---- the keeper; each inline in one step of its caller ---- */

inline grant(rank)
{
    room = wish[rank];
    permits++;
    has_permit[rank] = true;
    wish[rank] = NONE;
    holder[rank] = false;
    overtaken[rank] = 0;
    for (k : 0 .. N - 1) {
        if
        :: wish[k] != NONE && wish[k] != room && !ahead ->
            overtaken[k]++;
            assert(overtaken[k] <= N - 1)
        :: else
        fi
    }
    if
    :: rank == 0 ->
        if
        :: asked[0] == room ->
            permit[0] = room;
            asked[0] = NONE;
            asleep[0] = false
        :: else
        fi
    :: else -> to_member[rank]!GRANT, room
    fi
}

/* Removes the waiter in that place of the queue. */
inline dequeue(place)
{
    k = place;
    do
    :: k + 1 < queued ->
        queue[k] = queue[k + 1];
        k++
    :: else -> break
    od;
    queued--;
    queue[queued] = 0
}

inline permit_all(which)
{
    i = 0;
    do
    :: i >= queued -> break
    :: i < queued && wish[queue[i]] == which ->
        j = queue[i];
        dequeue(i);
        grant(j)
    :: else -> i++
    od
}

/* Member 0 is the first that is told. If it gives back at once, the keeper may have permits to
 * give, which the rest of the loop recalls. */
inline recall_all()
{
    if
    :: has_permit[0] && !is_recalled[0] ->
        is_recalled[0] = true;
        recalled[0] = true;
        late[0] = 0;
        if
        :: MAY_GIVE_BACK(0) ->
            permit[0] = NONE;
            recalled[0] = false;
            forget_permit(0);
            if
            :: permits == 0 && queued ->
                which = wish[queue[0]];
                permit_all(which)
            :: else
            fi
        :: else
        fi
    :: else
    fi;
#ifndef W_NO_RECALL
    for (i : 1 .. N - 1) {
        if
        :: has_permit[i] && !is_recalled[i] ->
            is_recalled[i] = true;
            to_member[i]!RECALL, room
        :: else
        fi
    }
#endif
}

inline forget_permit(rank)
{
    permits = permits - (has_permit[rank] -> 1 : 0);
    has_permit[rank] = false;
    is_recalled[rank] = false
}

inline keep()
{
    do
    :: queued == 0 -> break
    :: else ->
        which = wish[queue[0]];
        if
        :: permits && room != which ->
            recall_all();
#ifndef W_EARLY
            if
            :: permits -> break
            :: else
            fi
#endif
        :: else
        fi;
        if
        :: queued ->
            which = wish[queue[0]];
            permit_all(which)
        :: else
        fi
    od;
    i = 0;
    j = 0;
    k = 0;
    which = 0
}

/* A member has one request in the queue: another one replaces it. */
inline queue_forget(rank)
{
    i = 0;
    do
    :: i >= queued -> break
    :: i < queued && queue[i] == rank ->
        assert(wish[rank] == ALL);
        dequeue(i);
        break
    :: else -> i++
    od
}

inline keeper_hears_ask(rank, which_room, holds)
{
#ifndef W_KEPT
    forget_permit(rank);
#endif
#ifndef W_UNFORGOTTEN
    queue_forget(rank);
#endif
    wish[rank] = which_room;
    holder[rank] = holds;
    overtaken[rank] = 0;
    queue[queued] = rank;
    queued++;
    keep()
}

inline keeper_hears_back(rank)
{
    forget_permit(rank);
    keep()
}

/* The messages of a member. A process for each, so that none waits for ever behind others'. */
proctype hears(byte from)
{
    byte i, j, k, which, wanted;
    bool holds, ahead;

end:
    do
    :: d_step {
            to_keeper[from]?ASK, wanted, holds ->
            keeper_hears_ask(from, wanted, holds);
            wanted = 0;
            holds = false
        }
    :: d_step {
            to_keeper[from]?BACK, wanted, holds ->
            keeper_hears_back(from);
            wanted = 0
        }
    od
}

/* keeper_looks */
proctype looks()
{
    byte i, j, k, which;
    bool ahead;

end:
    do
    :: d_step {
            holder[2] && wish[2] == room ->
            ahead = true;
            i = 0;
            do
            :: queue[i] == 2 -> break
            :: else -> i++
            od;
            dequeue(i);
            grant(2);
            ahead = false;
            recall_all();
            i = 0;
            j = 0;
            k = 0;
            which = 0
        }
    od
}

/* ---- every member ---- */

inline give_back()
{
    permit[me] = NONE;
    recalled[me] = false;
    if
    :: me == 0 -> keeper_hears_back(0)
    :: else -> to_keeper[me]!BACK, 0, false
    fi
}

/* The progress engine of a member. */
proctype engine(byte me)
{
    byte i, j, k, which, told;
    bool ahead;

end:
    do
    :: d_step {
            to_member[me]?GRANT, told ->
            if
#ifdef W_ANY_GRANT
            :: asked[me] ->
#else
            :: asked[me] == told ->
#endif
                permit[me] = told;
                asked[me] = NONE;
#ifndef W_BELL
                asleep[me] = false
#endif
            :: else
            fi;
            told = 0
        }
    :: d_step {
            to_member[me]?RECALL, told ->
            if
            :: permit[me] == told ->
                recalled[me] = true;
                late[me] = 0;
                if
                :: MAY_GIVE_BACK(me) -> give_back()
                :: else
                fi
            :: else
            fi;
            told = 0
        }
    od
}

inline go_in()
{
    waiting[me] = false;
    inside[me] = true;
    where[me] = wanted;
    if
    :: recalled[me] ->
        late[me]++;
        assert(late[me] <= 1)
    :: else
    fi;
    for (k : 0 .. N - 1) {
        assert(where[k] == NONE || where[k] == wanted)
    }
    k = 0
}

inline enter(holds)
{
#ifdef LIVENESS
    asking[me] = true;
#endif
    d_step {
        waiting[me] = true;
        got = permit[me] == wanted;
        if
        :: got -> go_in()
        :: else
        fi
    }
    do
    :: got -> break
    :: else ->
        d_step {
            got = permit[me] == wanted;
            if
            :: got -> go_in()
            :: !got && CAN_ASK(me) ->
                asked[me] = wanted;
                permit[me] = NONE;
                recalled[me] = false;
                if
                :: me == 0 -> keeper_hears_ask(0, wanted, holds)
                :: else -> to_keeper[me]!ASK, wanted, holds
                fi
            :: else
            fi
        }
        if
        :: !got ->
            do
            :: atomic { permit[me] == wanted || CAN_ASK(me) -> break }
            :: atomic { !(permit[me] == wanted || CAN_ASK(me)) -> asleep[me] = true }
#if SCENE == APART
                if
                :: !asleep[me]
                :: d_step {
                        wanted == ALL && IS_ONE(me) ->
                        asleep[me] = false;
                        waiting[me] = false;
                        let_others()
                    }
                    got = true;
                    break
                fi
#else
                !asleep[me]
#endif
            od
        :: else
        fi
    od;
    got = false;
#ifdef LIVENESS
    asking[me] = false
#endif
}

inline let_others()
{
    if
    :: !waiting[me] && recalled[me] -> give_back()
    :: else
    fi
}

inline leave()
{
    d_step {
        inside[me] = false;
        where[me] = NONE;
#ifndef W_LEAVE
        let_others()
#endif
    }
}

proctype member(byte me)
{
    byte i, j, k, which, wanted;
    bool got, ahead;

    do
    :: true -> break
    ::
#if SCENE == MIX
        if
        :: wanted = EXCLUSIVE
        :: wanted = ALL
        fi;
#elif SCENE == APART
        if
        :: IS_ONE(me) || me < EXCLUSIVES -> wanted = EXCLUSIVE
        :: IS_ONE(me) || me >= EXCLUSIVES -> wanted = ALL
        fi;
#elif SCENE == KINDS
        wanted = (me < EXCLUSIVES -> EXCLUSIVE : ALL);
#else
        wanted = (me == 0 -> EXCLUSIVE : ALL);
        if
        :: atomic { me == 2 && !other_lock -> other_lock = true }
        :: me != 2
        fi;
#endif
#if SCENE == HELD
        enter((me == 2));
        if
        :: me == 1 ->
            atomic { !other_lock -> other_lock = true }
            other_lock = false
        :: else
        fi;
        leave();
        if
        :: me == 2 -> other_lock = false
        :: else
        fi;
#else
        enter(false);
        if
        :: inside[me] -> leave()
        :: else
        fi;
#endif
        wanted = NONE
    od;
end:
    false
}

init {
    atomic {
        byte m;
        for (m : 0 .. N - 1) {
            run member(m);
            if
            :: m ->
                run engine(m);
                run hears(m)
            :: else
            fi
        }
#if SCENE == HELD && !defined(W_NO_AHEAD)
        run looks();
#endif
        m = 0
    }
}

#ifdef LIVENESS
ltl each { [] (asking[WHO] -> <> !asking[WHO]) }
#endif
