#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Three threads of each rank record at once, several chunks each: all that they did is read back, of each thread in its order.

threads.py LAUNCH HOST LIBRARY PROA THREADS
"""
import collections
import sys

sys.dont_write_bytecode = True
from traced import check, launch, listed, scratch, summary

launcher, host, library, proa, program = sys.argv[1:]
RANKS, THREADS, LONGEST, FLUSHED, LARGE, BYTES = 2, 3, 1000, 100, 10000, 8  # as in threads.c
PUTS = 4700  # of more sizes than a chunk has sites, so most take four cells, and a chunk has no room for all (src/trace/format.h)


def flushed_at(events):
    """Flushes of done puts have their own lines and targets, and times after the put's; the first of each pair shares a record with the put."""
    for before, event in zip(events, events[1:]):
        if event["call"] == "MPI_Win_flush":
            further = before["call"] == "MPI_Win_flush"
            check(line_of(event) - line_of(before) == (1 if further else 3), f"{event} behind {before}")
            check(before["begin_ns"] < event["begin_ns"] == event["end_ns"] and event["target"] == before["target"], f"{event} behind {before}")


def line_of(event):
    return int(event["at"].split(":")[1])


def thread_did(events, rank):
    """The calls of one thread. Its number in the program."""
    puts = [event for event in events if event["call"] == "MPI_Put"]
    flushes = [event for event in events if event["call"] == "MPI_Win_flush"]
    check(len(puts) == PUTS + 3 and len(flushes) == 2 * (PUTS // FLUSHED) + 1, f"{len(puts)} puts and {len(flushes)} flushes of a thread of rank {rank}")
    check([put["bytes"] for put in puts] == [BYTES, BYTES, *(BYTES * (1 + i % LONGEST) for i in range(PUTS)), BYTES * LARGE], f"the puts of a thread of rank {rank} are in another order")
    check(flushes.pop(0)["target"] == rank, f"the first flush of a thread of rank {rank} is of another target")
    flushed_at([event for event in events if event["call"] == "MPI_Put" or event in flushes])
    places = {put["displacement"] for put in puts}
    check(len(places) == 1 and {put["target"] for put in puts} == {1 - rank}, f"the puts of a thread of rank {rank} went to {places}")
    ends = [event["end_ns"] for event in events]
    check(ends == sorted(ends), f"a thread of rank {rank} goes back in time")
    check([event["call"] for event in events].index("MPI_Win_flush", 3) == FLUSHED + 3, "a flush at another place")
    return places.pop() // BYTES // LARGE


def main():
    with scratch() as folder:
        launch(launcher, host, RANKS, library, [program, str(PUTS)], folder, ["PROA_CHECK=0"])
        trace, numbers = listed(proa, folder), summary(proa, folder)
    did = collections.defaultdict(list)
    for event in trace.events.values():
        if event["call"] in ("MPI_Put", "MPI_Win_flush"):
            did[event["process"], event["thread"]].append(event)
    check(len(did) == RANKS * THREADS, f"{len(did)} threads have put")
    for rank in range(RANKS):
        numbered = sorted(thread_did(events, rank) for (process, _), events in did.items() if process == rank)
        check(numbered == list(range(THREADS)), f"threads {numbered} of rank {rank} have put")
    check(all(process["dropped"] == 0 for process in numbers["processes"]), "records were dropped")


main()
