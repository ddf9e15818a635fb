/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims: a target's lock after the death of a process.
 *
 * N processes take one lock, exclusive or shared, and give it back, again and again. Process 0 may
 * die at any step. EARLIER: another process has died before, so the lock is broken from the
 * beginning.
 *
 * Code: src/sync/passive.c: take give_back
 * Code: src/sync/lock.c: confirm claim_try claims_allow count_in count_out proa_lock_leave_broken
 * Code: src/sync/claims.c: proa_claims_break proa_claims_take_turn proa_claims_give_turn allow_one
 * Code: src/sync/peer_failure.c: proa_failed_lose
 *
 * Assumed:
 *   - Memory is sequentially consistent, and each atomic is one step.
 *   - The queue is left out: a waiter may enter whenever the words of the lock allow it (lock.pml).
 *   - A waiter looks again by time-out.
 *
 * Property, safety: living processes never hold conflicting locks; no living process waits for ever
 * (invalid end state).
 *
 * Sound: quick; 2; -DN=2; safety; one process survives
 * Sound: deep; 3; -DN=3; safety; two processes survive
 * Sound: deep; 2; -DN=2 -DEARLIER; safety; one survives, the lock is broken from the beginning
 * Wrong: deep; 3; -DN=3 -DW_CONFIRM; safety; a lock granted by the queue is not confirmed
 * Wrong: deep; 3; -DN=3 -DW_LATE; safety; the claim is set after the lock is taken
 * Wrong: deep; 3; -DN=3 -DEARLIER -DW_TURN; safety; claims are changed without the turn
 * Wrong: deep; 2; -DN=2 -DW_DEAD; safety; the claims of the dead count for ever
 * Wrong: deep; 2; -DN=2 -DEARLIER -DW_TURN_DEAD; safety; the turn of the dead is not taken over
 */
#define NONE 0
#define SHARED 1
#define EXCLUSIVE 2

bool held, broken, dead;
byte readers, turn;
byte claim[N];
bool knows[N];
byte inside[N]; /* for the property alone */

#define CONFLICT(a, b) ((a == EXCLUSIVE && b != NONE) || (b == EXCLUSIVE && a != NONE))
#ifdef W_DEAD
#define COUNTS(p) true
#else
#define COUNTS(p) (p != 0 || !knows[me])
#endif
#ifdef EARLIER
#define KNOWS true
#else
#define KNOWS knows[me]
#endif
#ifdef W_TURN_DEAD
#define IS_FREE (turn == 0)
#else
#define IS_FREE (turn == 0 || (turn == 1 && me != 0 && knows[me]))
#endif

inline count_in()
{
    if
    :: kind == EXCLUSIVE -> held = true
    :: else -> readers++
    fi
}

inline count_out()
{
    if
    :: kind == EXCLUSIVE -> held = false
    :: else -> readers--
    fi
}

/* proa_rwlock_write_try, proa_rwlock_read_try */
inline try()
{
    if
    :: kind == EXCLUSIVE ->
        d_step {
            got = !held && !readers && !broken;
            held = held || got
        }
    :: else ->
        d_step {
            readers++;
            got = !held && !broken
        }
        if
        :: !got -> readers--
        :: else
        fi
    fi
}

/* Enters by the queue, and leaves it where the lock is broken. */
inline wait_in_queue()
{
    if
    :: kind == EXCLUSIVE ->
        if
        :: atomic { !held && !readers && !broken -> held = true; got = true }
        :: broken
        fi
    :: else ->
        if
        :: atomic { !broken -> readers++ }
            if
            :: !held -> got = true
            :: broken
            fi
        :: atomic { broken -> skip }
        fi
    fi
}

inline confirm()
{
    claim[me] = kind;
#ifndef W_CONFIRM
    if
    :: broken ->
        claim[me] = NONE;
        count_out();
        got = false
    :: else
    fi
#endif
}

/* claims_allow: reads one claim after the other */
inline claims_allow()
{
    d_step {
        allow = KNOWS;
        p = 0
    }
    do
    :: atomic { p < N && (p == me || !COUNTS(p) || !CONFLICT(claim[p], kind)) -> p++ }
    :: atomic { p < N && p != me && COUNTS(p) && CONFLICT(claim[p], kind) -> allow = false; p = 0; break }
    :: atomic { p == N -> p = 0; break }
    od
}

inline by_claims()
{
    do
    :: KNOWS && (!COUNTS(0) || me == 0 || !CONFLICT(claim[0], kind)) ->
#ifndef W_TURN
        atomic { IS_FREE -> turn = 1 + me }
#endif
        claims_allow();
        if
        :: allow ->
            count_in();
            claim[me] = kind;
            got = true;
            allow = false
        :: else
        fi;
#ifndef W_TURN
        turn = 0;
#endif
        if
        :: got -> break
        :: else
        fi
    od
}

inline hold()
{
    d_step {
        inside[me] = kind;
        for (p : 0 .. N - 1) {
            assert(p == me || (p == 0 && dead) || !CONFLICT(inside[p], kind))
        }
        p = 0;
        got = false
    }
    inside[me] = NONE;
    claim[me] = NONE;
    count_out()
}

inline rounds()
{
    do
    :: true -> break
    ::
        if
        :: kind = SHARED
        :: kind = EXCLUSIVE
        fi;
#ifndef W_LATE
        claim[me] = kind;
#endif
        try();
#ifdef W_LATE
        if
        :: got -> claim[me] = kind
        :: else
        fi;
#endif
        if
        :: !got ->
            claim[me] = NONE;
            wait_in_queue();
            if
            :: got -> confirm()
            :: else
            fi;
            if
            :: !got -> by_claims()
            :: else
            fi
        :: else
        fi;
        hold();
        kind = NONE
    od
}

proctype survivor(byte me)
{
    byte kind, p;
    bool got, allow;

    rounds();
end:
    false
}

/* proa_failed_lose, in each survivor */
proctype notice(byte me)
{
end:
    dead;
    knows[me] = true;
    broken = true
}

proctype victim(byte me)
{
    byte kind, p;
    bool got, allow;

    {
        rounds();
end:
        false
    } unless { dead };
end_dead:
    false
}

proctype fate()
{
    if
    :: dead = true
    :: true
    fi
}

init {
    atomic {
        byte i;
#ifdef EARLIER
        broken = true;
#endif
        run victim(0);
        run fate();
        for (i : 1 .. N - 1) {
            run survivor(i);
            run notice(i)
        }
        i = 0
    }
}
