/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock_all between nodes that consists of the locks of all targets, instead of its room.
 *
 * Processes take locks of two windows, of two targets each, one after the other, and give all back
 * at their end. SCENE:
 *   CROSS  two readers hold a shared lock of a window each, and ask for a lock_all of the other's;
 *          a writer for each window
 *   NEST   a reader holds a shared lock, and asks for a lock_all of the other window; a writer
 *          takes both targets there, and another one either
 *   LATER  as CROSS, but after its lock_all one reader asks for an exclusive lock of that window,
 *          while the other asks for an exclusive lock instead of a lock_all; one writer
 *
 * Code: src/remote/single_locks.c: neighbours_try ask is_granted others_try proa_single_locks_try
 * Code: src/remote/sync.c: take lock_all unlock_all
 * Code: src/remote/group_lock.c: await_room proa_group_lock_enter can_ask is_out_of_turn
 * Code: src/remote/target.c: lock_try
 * Code: src/sync/lock.c: proa_lock_try_ahead
 *
 * Assumed:
 *   - The room of a window is in one step open to a process, or not (group_lock.pml): if no process
 *     is in the other one; and if no process waits for the other one, or the process holds a lock.
 *   - A lock of a target is free, or not, in one step (lock.pml). A writer in front of it keeps out
 *     readers that hold nothing.
 *   - A lock_all may have waited for its room long enough at any time. It begins to try where no
 *     writer is inside: other tries change nothing, and come again.
 *
 * Property, safety: no writer is inside together with another process; no process waits for ever
 * (invalid end state).
 *
 * Sound: quick; 4; -DSCENE=CROSS; safety; two readers cross, a writer for each window
 * Sound: deep; 3; -DSCENE=NEST; safety; a reader with a lock_all, a writer that nests, another one
 * Sound: deep; 3; -DSCENE=LATER; safety; an exclusive lock after the lock_all
 * Wrong: deep; 4; -DSCENE=CROSS -DW_ROOM; safety; a lock_all waits for its room alone
 * Wrong: deep; 3; -DSCENE=NEST -DW_KEPT; safety; a lock_all keeps some locks, and waits for others
 * Wrong: deep; 3; -DSCENE=NEST -DW_INSIDE; safety; a try passes a writer inside
 * Wrong: deep; 3; -DSCENE=LATER -DW_LEFT; safety; the request for the room that is left keeps out of the other one
 */
#define CROSS 1
#define NEST 2
#define LATER 3

#define EXCLUSIVE 0
#define ALL 1

#if SCENE == CROSS
#define N 4
#else
#define N 3
#endif

/* of a window: processes in each room, and waiting for it */
typedef window {
    byte inside[2];
    byte waits[2];
}
window rooms[2];

/* of target t of window w: at 2 * w + t */
byte readers[4];
bool writer[4];
byte in_front[4]; /* writers in the room that wait */

bool is_left[N]; /* the request for the room of window 1's lock_alls is left behind */

#define IS_OPEN(w, room, holds) \
    (rooms[w].inside[1 - room] == 0 && \
     (holds || rooms[w].inside[room] == 0 || rooms[w].waits[1 - room] == 0))

/* ---- locks of a target ---- */

/* The first of a process, which holds nothing. */
inline shared(at)
{
    atomic {
        !writer[at] && in_front[at] == 0 ->
        readers[at]++
    }
}

inline give_back(at)
{
    atomic {
        assert(readers[at] > 0);
        readers[at]--
    }
}

#ifdef W_LEFT
#define MAY_ASK(w) (!is_left[me] || rooms[w].inside[EXCLUSIVE] == 0)
#else
#define MAY_ASK(w) true
#endif

inline exclusive(at, holds)
{
    rooms[(at) / 2].waits[EXCLUSIVE]++;
    atomic {
        IS_OPEN((at) / 2, EXCLUSIVE, holds) && MAY_ASK((at) / 2) ->
        rooms[(at) / 2].waits[EXCLUSIVE]--;
        rooms[(at) / 2].inside[EXCLUSIVE]++;
        in_front[at]++
    }
    another_exclusive(at)
}

/* By a process in the room. */
inline another_exclusive(at)
{
    atomic {
        !writer[at] && readers[at] == 0 ->
        writer[at] = true;
        in_front[at]--;
        assert(rooms[(at) / 2].inside[ALL] == 0)
    }
}

inline give_back_exclusive(at)
{
    atomic {
        assert(readers[at] == 0);
        writer[at] = false;
        rooms[(at) / 2].inside[EXCLUSIVE]--
    }
}

/* ---- lock_all ---- */

#ifdef W_INSIDE
#define MAY_READ(at) true
#else
#define MAY_READ(at) !writer[at]
#endif

/* One target after the other; a refusal gives back the one before. */
inline try(w)
{
    atomic {
        MAY_READ(2 * w) ->
        readers[2 * w]++
    }
#ifdef W_KEPT
    atomic {
        MAY_READ(2 * w + 1) ->
        readers[2 * w + 1]++;
        has = true
    }
#else
    atomic {
        if
        :: MAY_READ(2 * w + 1) ->
            readers[2 * w + 1]++;
            has = true
        :: else
        fi
    }
    if
    :: !has -> give_back(2 * w)
    :: else
    fi
#endif
}

#ifdef W_KEPT
#define MAY_TRY(w) MAY_READ(2 * w)
#else
#define MAY_TRY(w) (MAY_READ(2 * w) && MAY_READ(2 * w + 1))
#endif

inline lock_all(w)
{
    rooms[w].waits[ALL]++;
    do
    :: atomic {
            IS_OPEN(w, ALL, true) ->
            rooms[w].inside[ALL]++;
            break
        }
#ifndef W_ROOM
    :: atomic { !IS_OPEN(w, ALL, true) && MAY_TRY(w) -> skip }
        try(w);
        if
        :: has -> break
        :: else
        fi
#endif
    od;
    rooms[w].waits[ALL]--;
    is_left[me] = has
}

inline unlock_all(w)
{
    if
    :: has ->
        give_back(2 * w);
        give_back(2 * w + 1);
        has = false
    :: else -> rooms[w].inside[ALL]--
    fi
}

/* ---- processes ---- */

proctype reader(byte me)
{
    bool has;

    shared(2 * me);
#if SCENE == LATER
    if
    :: me == 0 ->
        lock_all(1);
        unlock_all(1);
        exclusive(3, true);
        give_back_exclusive(3)
    :: else ->
        exclusive(0, true);
        give_back_exclusive(0)
    fi;
#else
    lock_all(1 - me);
    unlock_all(1 - me);
#endif
    give_back(2 * me)
}

proctype one_writer(byte me; byte at)
{
    exclusive(at, false);
    give_back_exclusive(at)
}

/* Both targets of window 1. */
proctype nesting(byte me)
{
    exclusive(3, false);
    atomic {
        rooms[1].inside[EXCLUSIVE]++;
        in_front[2]++
    }
    another_exclusive(2);
    give_back_exclusive(2);
    give_back_exclusive(3)
}

init {
    atomic {
        run reader(0);
#if SCENE == CROSS
        run reader(1);
        run one_writer(2, 0);
        run one_writer(3, 2)
#elif SCENE == NEST
        run nesting(1);
        if
        :: run one_writer(2, 2)
        :: run one_writer(2, 3)
        fi
#else
        run reader(1);
        run one_writer(2, 2)
#endif
    }
}
