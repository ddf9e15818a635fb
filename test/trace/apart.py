#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The forms for other tools (--perfetto, --otf2) of a run over several hosts, where operations are outstanding until a call completes them.

apart.py LAUNCH HOST LIBRARY PROA PICTURES
"""
import collections
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import otf2
from traced import check, launch, listed, scratch

try:
    import pftrace
except ImportError:
    pftrace = None

launcher, host, library, proa, program = sys.argv[1:]

RANKS = 3


def write(form, folder, trace):
    done = subprocess.run([proa, "trace", form, folder, trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def counters(decoded, model):
    """Bytes are outstanding from an operation over the network to the call that completes it."""
    issued = collections.Counter()
    for event in model.events.values():
        if event["kind"] == "operation" and event["way"] == "network":
            issued[event["process"]] += event["bytes"]
    check(issued, "no operation over the network")
    for track, values in decoded.counters.items():
        process, name = decoded.kind(track)
        check(name == "bytes outstanding" and decoded.tracks[track].counter.unit == 3, f"counter {name}")
        last, risen = 0, 0
        for _, value in sorted(values, key=lambda value: value[0]):
            risen += max(0, value - last)
            last = value
        check(last == 0, f"{last} bytes are outstanding at the end")
        check(risen == issued.pop(process), f"{risen} bytes were issued")
    check(not issued, "a process without its counter")


def calls(archive, model):
    entered = collections.Counter((event.location, event.fields["Region"], event.ns) for event in archive.of("ENTER"))
    for event in model.events.values():
        if event["kind"] in ("call", "operation"):
            check(entered[event["process"], event["call"], event["begin_ns"]] > 0, f"no region for {event}")


def operations(archive, model):
    """Each has a matching number that some later event of the same location completes: of another node a later call."""
    wanted = collections.Counter((event["process"], event["target"], event["bytes"]) for event in model.events.values() if event["kind"] == "operation")
    found, pending = collections.Counter(), {}
    for event in archive.events:
        if event.kind in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC"):
            check(event.kind[4:].lower() in event.region.lower(), f"{event.kind} in {event.region}")
            found[event.location, int(event.fields["Remote"].split()[0]), int(event.fields["Bytes"])] += 1
            pending[event.location, event.fields["Matching"]] = event
        elif event.kind.startswith("RMA_OP_COMPLETE"):
            issued = pending.pop((event.location, event.fields["Matching"]), None)
            check(issued and issued.fields["Window"] == event.fields["Window"], f"completed, but not issued: {event.fields}")
            is_remote = int(issued.fields["Remote"].split()[0]) != event.location
            check(is_remote == event.kind.endswith("NON_BLOCKING"), f"{issued.region} completed by {event.kind}")
            check(not is_remote or event.region in ("MPI_Win_complete", "MPI_Win_fence", "MPI_Win_unlock", "MPI_Win_unlock_all", "MPI_Win_flush"), f"completed in {event.region}")
    check(found == wanted and found, f"operations differ: {found - wanted} {wanted - found}")
    check(not pending, "operations that are never completed")


def synchronization(archive, model):
    count = collections.Counter(event.kind for event in archive.events)
    called = collections.Counter(event["call"] for event in model.events.values())
    check(count["RMA_WIN_CREATE"] == count["RMA_WIN_DESTROY"] == called["MPI_Win_free"] > 0, f"windows: {count}")
    check(count["RMA_COLLECTIVE_BEGIN"] == count["RMA_COLLECTIVE_END"] == called["MPI_Win_fence"] > 0, f"fences: {count}")
    locks = called["MPI_Win_lock"] + called["MPI_Win_lock_all"]
    check(count["RMA_REQUEST_LOCK"] == count["RMA_ACQUIRE_LOCK"] == count["RMA_RELEASE_LOCK"] == locks > 0, f"locks: {count}")
    for event in archive.of("RMA_GROUP_SYNC"):
        partner = {0: "1", 1: "0"}[event.location]
        check(archive.groups[event.group] == [partner], f"group {event.fields} of rank {event.location}")
    check(count["RMA_GROUP_SYNC"] == sum(called[call] for call in ("MPI_Win_start", "MPI_Win_complete", "MPI_Win_post", "MPI_Win_wait")) > 0, f"groups: {count}")


def exposures(archive, model):
    wanted = collections.Counter((epoch["process"], epoch["begin_ns"]) for epoch in model.epochs if epoch["kind"] in ("exposure", "fence"))
    found = collections.Counter((archive.locations[event.location][1], event.ns) for event in archive.of("ENTER")
                                if archive.locations[event.location][0] == "exposure epochs")
    check(found == wanted and found, f"exposure epochs differ: {found} {wanted}")


def look_at_archive(folder, trace, model):
    status, said = write("--otf2", folder, trace)
    if "built without OTF2" in said:
        check(status == 1, "no library, and no error")
        return False
    check(status == 0 and not said, said)
    check(write("--otf2", folder, trace)[0] == 1, "an archive was written over another")
    if not shutil.which("otf2-print"):
        return False
    archive = otf2.Archive(folder)
    archive.nest()
    for look in (calls, operations, synchronization, exposures):
        look(archive, model)
    return True


def main():
    with scratch() as folder:
        trace = folder + "/trace"
        launch(launcher, host, RANKS, library, [program, "20"], trace, ["PROA_CHECK=0"], RANKS)
        model = listed(proa, trace)
        if pftrace:
            check(write("--perfetto", folder + "/run.pftrace", trace) == (0, ""), "--perfetto")
            counters(pftrace.Decoded(folder + "/run.pftrace"), model)
        if not look_at_archive(folder + "/archive", trace, model) or not pftrace:
            print("not all was looked at: no OTF2 or otf2-print (Debian: libopen-trace-format2-dev, otf2-tools), or no python3-protobuf")
            sys.exit(77)


main()
