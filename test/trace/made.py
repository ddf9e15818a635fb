#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The model of traces in which calls return late: their arrows are there all the same.

made.py PROA
"""
import sys

sys.dont_write_bytecode = True
from maker import APPLIED, CALL, CLOCK, EXCLUSIVE, OPERATION, Rank, record
from traced import check, listed, scratch, summary

proa = sys.argv[1]
NETWORK = 3
STEPS = range(150_000_000, 1_000_000_000, 100_000_000)


def model_of(ranks, dropped=0):
    """ranks: the records of each."""
    with scratch() as folder:
        for rank, records in enumerate(ranks):
            file = Rank(folder, rank, len(ranks), 1_000_000, dropped=dropped)
            file.put(b"".join(records))
            file.close()
        return listed(proa, folder), summary(proa, folder)


def locked(begin, taken, given, end, target=0, mode=EXCLUSIVE):
    return [record(CALL, begin, taken, "MPI_Win_lock", target, mode=mode), record(CALL, given, end, "MPI_Win_unlock", target)]


def ends(trace, kind):
    return sorted((arrow["from"]["process"], arrow["from"]["ns"], arrow["to"]["process"], arrow["to"]["ns"]) for arrow in trace.arrows_of(kind))


def late_unlock():
    """Rank 0 gives the lock back at 200; its call returns when rank 1 has had the lock and rank 2 has it."""
    trace, _ = model_of([locked(0, 100, 200, 900), locked(150, 300, 400, 500), locked(350, 600, 950, 960)])
    check(ends(trace, "unlock") == [(0, 200, 1, 300), (1, 400, 2, 600)], f"late unlock: {ends(trace, 'unlock')}")


def shared_locks():
    """Shared locks exclude no shared ones; the exclusive one behind them waits for the last."""
    trace, _ = model_of([locked(0, 100, 200, 800, mode=0), locked(50, 120, 250, 300, mode=0), locked(60, 400, 500, 600)])
    check(ends(trace, "unlock") == [(1, 250, 2, 400)], f"shared locks: {ends(trace, 'unlock')}")


def late_notification():
    """The first operation is counted by the first wait, and returns after it; the second one is issued before that wait is over."""
    origin = [record(CALL, 0, 10, "MPI_Win_lock_all"), record(OPERATION, 100, 400, "MPI_Put_notify", 1, 8, value=3), record(OPERATION, 410, 420, "MPI_Put_notify", 1, 8, value=3)]
    target = [record(CALL, 50, 450, "PROA_Win_wait_notify", value=3, place=1), record(CALL, 460, 500, "PROA_Win_wait_notify", value=3, place=2)]
    for calls in (target, [record(CALL, 50, 300, "PROA_Win_wait_notify", value=3, place=1), target[1]]):
        trace, numbers = model_of([origin, calls])
        found = [(arrow["from"]["ns"], arrow["to"]["ns"]) for arrow in trace.arrows_of("notify")]
        first = 300 if calls is not target else 450
        check(sorted(found) == [(100, first), (410, 500)], f"notifications: {found}")
        check(numbers["windows"][0]["notifications"]["count"] == 2, "notifications in the sum")


def parts():
    """An operation has an arrow to its last part, in whichever order the two ends come; another one was never recorded."""
    origin = [record(CALL, 0, 10, "MPI_Win_lock_all"), record(OPERATION, 100, 900, "MPI_Put", 1, 99, value=2 << 32, way=NETWORK),
              record(OPERATION, 910, 920, "MPI_Put", 1, 8, value=4 << 32, way=NETWORK)]
    target = [record(APPLIED, at, at + 10, "MPI_Put", 0, 8, value=number) for number, at in enumerate((200, 300, 400, 950), 1)]
    trace, _ = model_of([origin, target])
    check(ends(trace, "data") == [(0, 100, 1, 310), (0, 910, 1, 960)], f"parts: {ends(trace, 'data')}")


def drifting():
    """The second node's clock is 3 s ahead and 400 ppm faster. It was compared at 0.1 and 0.9 s, and arrows are true in between and behind."""
    def other(ns):
        return 3_000_000_000 + ns + ns * 400 // 1_000_000
    last = 1_000_000_000
    with scratch() as folder:
        for rank in range(2):
            file = Rank(folder, rank, 2, other(last) if rank else last, other(0) if rank else 0, 1 + rank)
            if rank:
                file.put(b"".join(record(APPLIED, other(at + 50), other(at + 100), "MPI_Put", 0, 8, value=n) for n, at in enumerate(STEPS, 1)))
            else:
                file.put(b"".join(record(CLOCK, at, other(at), bytes=20, value=2) for at in (100_000_000, 900_000_000)))
                file.put(b"".join(record(OPERATION, at, at + 10, "MPI_Put", 1, 8, value=n << 32, way=NETWORK) for n, at in enumerate(STEPS, 1)))
            file.close()
        trace, numbers = listed(proa, folder), summary(proa, folder)
    took = [arrow["to"]["ns"] - arrow["from"]["ns"] for arrow in trace.arrows_of("data")]
    check(len(took) == len(STEPS) and all(abs(ns - 100) <= 30 for ns in took), f"arrows between clocks that drift: {took}")
    error = numbers["processes"][1]["clock_error_ns"] - numbers["processes"][0]["clock_error_ns"]
    check(20 < error < 40, f"the error is {error} ns, with what lies outside of the comparisons")


def dropped():
    _, numbers = model_of([[record(CALL, 0, 10, "MPI_Win_lock_all")]], 5)
    check(numbers["processes"][0]["dropped"] == 5, "dropped records are not counted")


for case in (late_unlock, shared_locks, late_notification, parts, drifting, dropped):
    case()
