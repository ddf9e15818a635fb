#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is recorded beside calls: messages, applied operations, notifications, moved pages, findings; and clocks that differ.

records.py LAUNCH HOST LIBRARY PROA TOGETHER PICTURES
"""
import collections
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from traced import check, launch, listed, scratch, summary

launcher, host, library, proa, together, pictures = sys.argv[1:]

NOPRECEDE, NOSUCCEED, EXCLUSIVE = 8, 16, 32  # src/trace/format.h
AHEAD_NS, PPM = 3_000_000_000, 300
# The ranks of the second host have another clock.
SKEWED = ["sh", "-c", f'case $(hostname) in node1) export PROA_TRACE_SKEW={AHEAD_NS},{PPM} ;; esac; exec "$@"', "sh"]


def messages(trace, numbers):
    """What one side has sent the other has received; the last messages of a window may come when it is freed."""
    count = collections.Counter()
    for event in trace.events.values():
        if event["kind"] == "message":
            check(event["call"] in ("batch", "answer", "lock_all") and event["bytes"] >= 24, f"a message of what kind? {event}")
            count[event["way"], event["window"]] += 1
    for window, sums in enumerate(numbers["windows"]):
        sent, received = count["sent", window], count["received", window]
        check(sums["sent"]["count"] == sent > 0 and sums["received"]["count"] == received, f"window {window}: {sums} {count}")
        check(received <= sent <= received + 4, f"window {window}: {sent} messages sent, {received} received")


def applied(trace, numbers):
    """Each operation that went by messages has an arrow to its last part, at its target."""
    sent = [event for event in trace.events.values() if event["kind"] == "operation" and "part" in event]
    arrows = {arrow["from"]["event"]: arrow for arrow in trace.arrows_of("data")}
    check(sent and len(arrows) == len(sent), f"{len(sent)} operations by messages, {len(arrows)} arrows")
    for event in sent:
        check(event["way"] == "network", f"a message for {event}")
        part = trace.events[arrows[event["event"]]["to"]["event"]]
        check(part["kind"] == "applied" and part["part"] == event["part"] and part["target"] == event["process"], f"{event} was applied by {part}")
        check(part["process"] == event["target"] and part["bytes"] <= event["bytes"], f"{event} was applied by {part}")
        check(part["call"][4:].lower() in event["call"].lower().replace("fetch_and_op", "get_accumulate"), f"{event['call']} was applied as {part['call']}")
    check(sum(window["delivered"]["count"] for window in numbers["windows"]) == len(arrows), "arrows are missing in the sum")


def waits_within(trace):
    """A call has waited no longer than it took: its own waits, and none of the call before. The processor's ticks and the waits' clock differ a little."""
    waited = [event for event in trace.events.values() if event.get("waited_ns")]
    check(any(event["call"] == "MPI_Win_set_num_notify" for event in waited), "no rank has waited for the others in MPI_Win_set_num_notify")
    last = trace.arrows_of("fence", "MPI_Win_set_num_notify", "MPI_Win_set_num_notify")
    check(last, "no arrow from the last rank in MPI_Win_set_num_notify")
    for arrow in last:
        first, other = (trace.events[arrow[end]["event"]]["begin_ns"] for end in ("from", "to"))
        check(first >= other, f"it was not the last: {arrow}")
    for event in waited:
        took = event["end_ns"] - event["begin_ns"]
        check(sum(ns for _, ns in event["waited_ns"]) <= 1.01 * took + 10_000, f"it took {took} ns: {event}")


def notifications(trace, numbers):
    """Operations and waits know their counter; a wait has its own beginning, and as many notifications as the program awaits there (8 at most)."""
    waits = [event for event in trace.events.values() if event["call"] == "PROA_Win_wait_notify"]
    check(waits and all(event["counter"] >= 0 for event in waits), "a wait without its counter")
    if os.environ.get("PROA_TEST_BUILD") == "RelWithDebInfo":  # else nothing is inlined
        inlined = {event["at"] for event in trace.events.values() if event["call"] in ("MPI_Put_notify", "MPI_Get_notify")}
        check(inlined and all(re.search(r"^notify.*\.c:\d+$", at) for at in inlined), f"puts and gets that are not in the program: {inlined}")
    into = collections.Counter()
    for arrow in trace.arrows_of("notify"):
        operation, wait = (trace.events[arrow[end]["event"]] for end in ("from", "to"))
        check(operation["counter"] == wait["counter"] and operation["window"] == wait["window"], f"another counter: {arrow}")
        check(wait["process"] == arrow["target"] == operation["target"], f"another target: {arrow}")
        into[wait["event"]] += wait["call"] == "PROA_Win_wait_notify"
    check(into and max(into.values()) <= 8, f"waits have too many notifications: {into}")
    last = {}
    for event in sorted(trace.events.values(), key=lambda event: event["end_ns"]):
        if event["call"] == "PROA_Win_wait_notify":
            check(event["begin_ns"] >= last.get((event["process"], event["thread"]), 0), f"it begins before the call before: {event}")
        if event["kind"] in ("call", "operation"):
            last[event["process"], event["thread"]] = event["end_ns"]
    check(sum(window["notifications"]["count"] for window in numbers["windows"]) == len(trace.arrows_of("notify")), "notifications are missing in the sum")


def moved(numbers):
    check(numbers["moved"] == numbers["moved_back"] and numbers["moved"]["bytes"] > 0, f"pages: {numbers['moved']} {numbers['moved_back']}")


def clocks(trace, numbers):
    """Arrows between clocks that are 3 s apart and differ in speed lead forward, but for the stated error."""
    check({process["node"] for process in numbers["processes"]} == {0, 1}, "one node")
    error = sum(process["clock_error_ns"] for process in numbers["processes"])
    check(error < AHEAD_NS / 10, f"the clocks are known to {error} ns")
    between = [arrow for arrow in trace.arrows if arrow["from"]["process"] != arrow["to"]["process"]]
    check(between and numbers["backward_arrows"] == 0, f"{numbers['backward_arrows']} arrows of {len(between)} lead back, by {numbers['backward_most_ns']} ns")
    took = sorted(arrow["to"]["ns"] - arrow["from"]["ns"] for arrow in between)
    check(took[-1] < AHEAD_NS, f"an arrow took {took[-1]} ns")


def pictured(trace, folder):
    """A still picture has what the network did in its epochs, and each part that was applied at the end of its arrow."""
    window = next(event["window"] for event in trace.events.values() if event["kind"] == "applied")
    figure = subprocess.run([proa, "trace", "--svg", f"{window + 1}:1-2", folder], stdout=subprocess.PIPE, text=True, check=True).stdout
    drawn = collections.Counter(re.findall(r'data-call="([^"]+)"', figure))
    epochs = collections.defaultdict(list)
    for epoch in trace.epochs:
        if epoch["window"] == window:
            epochs[epoch["process"], epoch["kind"] == "exposure"].append(epoch)
    epochs = [epoch for of in epochs.values() for epoch in of[:2]]
    wanted = collections.Counter()
    for event in trace.events.values():
        within = [epoch for epoch in epochs if epoch["process"] in (event["process"], event["target"]) and epoch["begin_ns"] <= event["begin_ns"] and event["end_ns"] <= epoch["end_ns"]]
        if event["kind"] in ("message", "applied") and event["window"] == window and within:
            wanted["applied" if event["kind"] == "applied" else event["way"]] += 1
    check(wanted["applied"] and wanted["sent"] and wanted["received"], f"no messages in the first epochs of window {window}: {wanted}")
    check(all(drawn[name] == count for name, count in wanted.items()), f"the picture has {drawn} and the trace {wanted}")


def over_hosts():
    with scratch() as folder:
        launch(launcher, host, 2, library, [*SKEWED, together, "notify"], folder, ["PROA_CHECK=0"], 2)
        trace, numbers = listed(proa, folder), summary(proa, folder)
        text = subprocess.run([proa, "trace", folder], stdout=subprocess.PIPE, text=True, check=True).stdout
        pictured(trace, folder)
    clocks(trace, numbers)
    messages(trace, numbers)
    applied(trace, numbers)
    notifications(trace, numbers)
    waits_within(trace)
    moved(numbers)
    for line in ("messages sent", "messages received", "parts of operations applied", "until their targets had applied", "from operation to wait",
                 "moved to where neighbours map them", "operations by the network"):
        check(line in text, f"no line with '{line}' in\n{text}")


def findings():
    """Check mode finds one conflict, in every form of the trace."""
    with scratch() as folder:
        launch(launcher, host, 3, library, [pictures], folder, ["PROA_CHECK=1"])
        trace, numbers = listed(proa, folder), summary(proa, folder)
        text = subprocess.run([proa, "trace", folder], stdout=subprocess.PIPE, text=True, check=True).stdout
        page = subprocess.run([proa, "trace", "--html", "-", folder], stdout=subprocess.PIPE, text=True, check=True).stdout
        figure = subprocess.run([proa, "trace", "--svg", "5:1-1", folder], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = [event for event in trace.events.values() if event["kind"] == "finding"]
    check(len(found) == 1 and found[0]["call"] == "MPI_Put" and found[0]["window"] == 4, f"findings: {found}")
    check(re.search(r"^pictures.c:\d+$", found[0]["at"]) and found[0]["text"], f"a finding without its place: {found}")
    assertions = collections.defaultdict(list)
    for event in sorted(trace.events.values(), key=lambda event: event["begin_ns"]):
        if event["call"] == "MPI_Win_fence":
            assertions[event["process"]].append(event["mode"])
    check(list(assertions.values()) == [[NOPRECEDE, NOSUCCEED]] * 3, f"assertions of fences: {dict(assertions)}")
    check(all(event["mode"] & EXCLUSIVE for event in trace.events.values() if event["call"] == "MPI_Win_lock"), "a lock that is not exclusive")
    check([finding["text"] for finding in numbers["findings"]] == [found[0]["text"]] and found[0]["text"] in text, "the sentence is missing")
    check(re.search(r'"findings": \[\s*"[^"]', page) and 'data-call="conflict"' in figure, "the page or the picture has no finding")


findings()
over_hosts()
