#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ten million events: every form of `proa trace` reads them in bounded memory, and so does the recorder write its own. Prints the time of an event.
With sanitizers a million, and memory is not looked at.

long.py LAUNCH HOST LIBRARY PROA PICTURES [EVENTS]
"""
import os
import resource
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from maker import CALL, EXCLUSIVE, OPERATION, Rank, record
from traced import check, launch, scratch

launcher, host, library, proa, program = sys.argv[1:6]
IS_SANITIZED = bool(os.environ.get("PROA_TEST_PRELOAD", "").strip())  # its own memory is more than what is bounded here
EVENTS = int(sys.argv[6]) if len(sys.argv) > 6 else 1_000_000 if IS_SANITIZED else 10_000_000
RANKS, MOST_MIB = 4, 96
FORMS = {"text": [], "--json": ["--json"], "--list": ["--list"], "--html": ["--html", "/dev/null"], "--perfetto": ["--perfetto", "/dev/null"], "--svg": ["--svg", "1:1-2"],
         "--otf2": ["--otf2", "FOLDER/archive"]}


def largest_mib():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def check_memory(what):
    check(IS_SANITIZED or largest_mib() <= MOST_MIB, f"{what} takes {largest_mib():.0f} MiB")


def make(folder):
    """Each rank locks the next one's window, puts and unlocks, again and again; two ranks never have one lock at a time."""
    rounds = EVENTS // RANKS // 3
    for rank in range(RANKS):
        file, target = Rank(folder, rank, RANKS, rounds * 1000 + 1000), (rank + 1) % RANKS
        for first in range(0, rounds, 10000):
            times = range(1000 * first, 1000 * min(rounds, first + 10000), 1000)
            file.put(b"".join(record(CALL, at, at + 100, "MPI_Win_lock", target, mode=EXCLUSIVE) + record(OPERATION, at + 200, at + 200, "MPI_Put", target, 8)
                              + record(CALL, at + 300, at + 400, "MPI_Win_unlock", target) for at in times))
        file.close()


def read(name, options, folder, events):
    """One form of the trace, to nowhere."""
    began = time.monotonic()
    done = subprocess.run([proa, "trace", *[word.replace("FOLDER", folder) for word in options], folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if name == "--otf2" and "without OTF2" in done.stderr:
        return
    check(done.returncode == 0, f"{name}: {done.stderr}")
    print(f"{name}: {(time.monotonic() - began) * 1e9 / events:.0f} ns an event, {largest_mib():.0f} MiB at most so far")
    check_memory(name)


def convert():
    with scratch() as folder:
        make(folder)
        for name, options in FORMS.items():
            read(name, options, folder, EVENTS)


def recorder():
    """Ranks that record more than they may keep in memory: the largest process of the run. A put and its flush, two events, take 16 bytes."""
    ranks, rounds = 3, EVENTS
    with scratch() as folder:
        launch(launcher, host, ranks, library, [program, str(rounds)], folder, ["PROA_CHECK=0", "PROA_TRACE_LIMIT=1024"])
        recorded = min(os.path.getsize(folder + "/" + name) for name in os.listdir(folder)) >> 20
        print(f"recorder: {ranks} files of {recorded} MiB, {largest_mib():.0f} MiB at most so far")
        check(IS_SANITIZED or recorded > MOST_MIB, f"files of {recorded} MiB could be in memory whole")
        check_memory("the recorder")
        read("text, as recorded", [], folder, 2 * ranks * rounds)


recorder()
convert()
