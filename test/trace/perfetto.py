#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `proa trace --perfetto` writes, compared with the model (--list).

perfetto.py LAUNCH HOST LIBRARY PROA PICTURES
"""
import collections
import subprocess
import sys

sys.dont_write_bytecode = True
import pftrace
from traced import check, launch, listed, scratch

launcher, host, library, proa, program = sys.argv[1:]

OPERATIONS = 4000  # of each rank: so many that arrows lead over more events than the writer holds
RANKS = 3


def tracks(decoded):
    processes = [track.process for track in decoded.tracks.values() if track.HasField("process")]
    check(len(processes) == RANKS, f"{len(processes)} processes")
    for rank, process in enumerate(sorted(processes, key=lambda process: process.pid)):
        check(process.process_name.startswith(f"rank {rank} (pid "), f"process {process.process_name}")
    threads = [track.thread for track in decoded.tracks.values() if track.HasField("thread")]
    check(len({thread.tid for thread in threads}) == len(threads), "two threads have the same number")


def calls(decoded, model):
    """Each call and operation is a slice of its thread, with its name and time; waits are within them."""
    wanted = collections.Counter((event["process"], event["call"], event["begin_ns"], event["end_ns"]) for event in model.events.values()
                                 if event["kind"] in ("call", "operation"))
    found = collections.Counter((decoded.kind(each.track)[0], each.name, each.begin, each.end) for each in decoded.slices
                                if each.category in ("call", "operation"))
    check(found == wanted and found, f"calls differ: {list((found - wanted).items())[:3]} {list((wanted - found).items())[:3]}")
    waits = [each for each in decoded.slices if each.category == "wait"]
    check(waits and all(each.depth == 1 and each.end > each.begin for each in waits), "waits are not within calls")
    check(any(each.name.startswith("wait for rank ") for each in waits), "no wait has a rank")
    put = next(each for each in decoded.slices if each.name == "MPI_Put")
    check(put.notes["window"] == '1 "strong"' and put.notes["rank"] == 1 and put.notes["bytes"] == 8 and put.notes["way"] == "store"
          and put.notes["at"].startswith("pictures.c:"), f"put: {put.notes}")


def epochs(decoded, model):
    wanted, found = collections.Counter(), collections.Counter()
    for epoch in model.epochs:
        for kind in {"exposure": ["exposure"], "fence": ["access", "exposure"]}.get(epoch["kind"], ["access"]):
            wanted[epoch["process"], kind + " epochs", epoch["kind"], epoch["begin_ns"], epoch["end_ns"], epoch["operations"]] += 1
    for each in decoded.slices:
        if each.category == "epoch":
            found[(*decoded.kind(each.track), each.name.split()[0], each.begin, each.end, each.notes["operations"])] += 1
    check(found == wanted and found, f"epochs differ: {found} {wanted}")


def arrows(decoded, model):
    """Ends that are in the file no more have an instant of the arrow's name."""
    check(len(decoded.flows) == len(model.arrows) > 0, f"{len(decoded.flows)} flows for {len(model.arrows)} arrows")
    wanted, found, gone = collections.Counter(), collections.Counter(), 0
    for arrow in model.arrows:
        wanted[arrow["from"]["process"], arrow["to"]["process"], arrow["from"]["call"], arrow["to"]["call"]] += 1
    for flow in decoded.flows.values():
        (first, begin), (second, end) = flow["from"], flow["to"]
        check(begin < end, "a flow goes back in time")
        names = [first.name, second.name]
        if first.category == "arrow":
            gone += 1
            names[0] = {"post": "MPI_Win_post"}[first.name]
        found[decoded.kind(first.track)[0], decoded.kind(second.track)[0], *names] += 1
    check(found == wanted, f"flows differ: {found - wanted} instead of {wanted - found}")
    check(gone == 1, f"{gone} arrows from events that are held no more")


def main():
    with scratch() as folder:
        launch(launcher, host, RANKS, library, [program, str(OPERATIONS)], folder + "/trace", ["PROA_CHECK=0"])
        subprocess.run([proa, "trace", "--perfetto", folder + "/run.pftrace", folder + "/trace"], check=True)
        decoded, model = pftrace.Decoded(folder + "/run.pftrace"), listed(proa, folder + "/trace")
        for look in (calls, epochs, arrows):
            look(decoded, model)
        tracks(decoded)


main()
