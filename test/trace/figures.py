#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the standard (MPI-2.2, 11.1 to 11.3), from running programs: arrows and their order.

figures.py LAUNCH HOST LIBRARY PROA TOGETHER
"""
import sys

from traced import check, launch, listed, scratch, summary

READING_NS = 100  # two readings of the clock (tools/trace/model.c)

launcher, host, library, proa, together = sys.argv[1:]


def run(figure, ranks):
    with scratch() as folder:
        launch(launcher, host, ranks, library, [together, figure], folder)
        return listed(proa, folder), summary(proa, folder)


def forward(trace, numbers):
    """An effect is not before its cause, and no epoch ends before it begins."""
    back = [arrow for arrow in trace.arrows if arrow["from"]["ns"] > arrow["to"]["ns"]]
    check(numbers["backward_arrows"] == 0, f"{numbers['backward_arrows']} arrows go back in time: {back}")
    for arrow in trace.arrows:
        check(arrow["from"]["process"] != arrow["to"]["process"] or arrow["target"] >= 0, f"an arrow to its own process: {arrow}")
    for epoch in trace.epochs:
        check(epoch["begin_ns"] <= epoch["opened_ns"] <= epoch["closing_ns"] <= epoch["end_ns"], f"an epoch that is bent: {epoch}")
        check(not epoch["open"], f"an epoch that never ended: {epoch}")


def pscw(trace):
    """Each access epoch has a post before its first access, and a complete before the wait."""
    access = [epoch for epoch in trace.epochs if epoch["kind"] == "access"]
    exposure = [epoch for epoch in trace.epochs if epoch["kind"] == "exposure"]
    pairs = sum(len(epoch["group"]) for epoch in access)
    check(pairs > 0 and pairs == sum(len(epoch["group"]) for epoch in exposure), f"{pairs} accesses, not as many exposures")
    for kind, first in (("post", "MPI_Win_post"), ("complete", "MPI_Win_complete")):
        arrows = trace.arrows_of(kind, first)
        check(len(arrows) == pairs, f"{len(arrows)} arrows {kind} instead of {pairs}")
    for arrow in trace.arrows_of("complete"):
        check(arrow["to"]["call"] == "MPI_Win_wait", f"complete leads to {arrow['to']['call']}")
    for event in trace.events.values():
        check(event["kind"] != "operation" or event["epoch"], f"an operation in no epoch: {event}")


def strong():
    """Figure 11.1: the post is over before the start begins, so nothing waits for it."""
    trace, numbers = run("figure_11_1", 2)
    forward(trace, numbers)
    pscw(trace)
    for arrow in trace.arrows_of("post"):
        post, access = (trace.events[arrow[end]["event"]] for end in ("from", "to"))
        epoch = next(epoch for epoch in trace.epochs if epoch["epoch"] == access["epoch"])
        check(access["call"] == "MPI_Put", f"the first access is {access['call']}")
        check(post["end_ns"] <= epoch["begin_ns"], "a start before its post, with strong synchronization")
        check(arrow["waited_ns"] == 0, "a wait for a post that had come")
    places = {event.get("at", "").split(":")[0] for event in trace.events.values() if event["call"] == "MPI_Put"}
    check(places == {"figure_11_1.c"}, f"MPI_Put is called at {places}")


def weak():
    """Figure 11.2: the start returns before the post, and the access comes after it."""
    trace, numbers = run("figure_11_2", 2)
    forward(trace, numbers)
    pscw(trace)
    ahead = 0
    for arrow in trace.arrows_of("post", "MPI_Win_post", "MPI_Put"):
        post, access = (trace.events[arrow[end]["event"]] for end in ("from", "to"))
        epoch = next(epoch for epoch in trace.epochs if epoch["epoch"] == access["epoch"])
        ahead += epoch["opened_ns"] < post["begin_ns"]
        check(post["begin_ns"] <= access["end_ns"] + READING_NS or access["end_ns"] == access["begin_ns"], "an access before its post")
    check(ahead > 0, "no start is ahead of its post, with weak synchronization")


def passive():
    """Figure 11.3: two origins lock the window of a third, one after the other; it takes no part."""
    trace, numbers = run("figure_11_3", 3)
    forward(trace, numbers)
    locks = [epoch for epoch in trace.epochs if epoch["kind"] == "lock" and epoch["target"] != epoch["process"]]
    windows = len({lock["window"] for lock in locks})
    check(windows > 0 and len(locks) == 2 * 3 * windows, f"{len(locks)} locks on {windows} windows")
    check(all(lock["operations"] == 1 for lock in locks), "a lock without its operation")
    arrows = [arrow for arrow in trace.arrows_of("unlock", "MPI_Win_unlock", "MPI_Win_lock")
              if arrow["target"] not in (arrow["from"]["process"], arrow["to"]["process"])]
    check(len(arrows) >= len(locks) // 2, f"{len(arrows)} arrows from unlock to lock, of {len(locks)} locks")
    for arrow in arrows:
        former, latter = (trace.events[arrow[end]["event"]] for end in ("from", "to"))
        check(former["target"] == latter["target"] == arrow["target"], "an arrow between locks of two targets")
    check(not trace.arrows_of("post") and not trace.arrows_of("complete"), "posts in a passive epoch")


strong()
weak()
passive()
