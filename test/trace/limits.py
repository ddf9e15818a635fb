#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of a trace: beyond PROA_TRACE_LIMIT records are dropped and counted, and what a killed process has recorded is there.

limits.py LAUNCH HOST LIBRARY PROA PICTURES
"""
import os
import signal
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from maker import CHUNK_BYTES, HEAD_BYTES
from traced import check, launch, options, scratch, summary

launcher, host, library, proa, program = sys.argv[1:]
RANKS, OPERATIONS = 3, 60000


def limited():
    with scratch() as folder:
        launch(launcher, host, RANKS, library, [program, str(OPERATIONS)], folder, ["PROA_CHECK=0", "PROA_TRACE_LIMIT=1"])
        numbers = summary(proa, folder)
        text = subprocess.run([proa, "trace", folder], stdout=subprocess.PIPE, text=True, check=True).stdout
        sizes = [os.path.getsize(f"{folder}/{rank}.trace") for rank in range(RANKS)]
    check(max(sizes) <= 1 << 20, f"files of {sizes} bytes")
    for process in numbers["processes"]:
        check(process["dropped"] > 0 and f"rank {process['rank']} dropped {process['dropped']} records" in text, f"nothing is said of {process}")
    there = numbers["records"] + sum(process["dropped"] for process in numbers["processes"])
    check(2 * RANKS * OPERATIONS <= there < 2 * RANKS * (OPERATIONS + 100), f"{there} records, with those that were dropped")


def head_of(path):
    """Pid and chunks, of a file that may not be there yet."""
    try:
        with open(path, "rb") as file:
            head = file.read(96)
    except FileNotFoundError:
        return None
    return (struct.unpack_from("<i", head, 32)[0], struct.unpack_from("<Q", head, 64)[0]) if len(head) == 96 else None


def stop(pid):
    """Returns once each thread stands still: one may be inside a call that makes the file longer."""
    os.kill(pid, signal.SIGSTOP)
    while any(state_of(pid, thread) != "T" for thread in os.listdir(f"/proc/{pid}/task")):
        time.sleep(0.01)


def state_of(pid, thread):
    with open(f"/proc/{pid}/task/{thread}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def killed():
    """A process is stopped, and its trace read; then it is killed, and its trace has the same."""
    with scratch() as folder:
        command = [launcher, host, str(RANKS), "120", *options(library, folder), "--env", "PROA_CHECK=0", "--", program, "100000000"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            path, head = folder + "/1.trace", None
            while run.poll() is None and not (head and head[1] >= 4):
                time.sleep(0.01)
                head = head_of(path)
            check(head and head[1] >= 4, "the program has ended too soon")
            stop(head[0])
            before = os.path.getsize(path), summary_of_one(path)
            os.kill(head[0], signal.SIGKILL)
            run.wait()
        after = os.path.getsize(path), summary_of_one(path)
        numbers = summary(proa, folder)
    check(before == after and before[1][0] > 2 * (CHUNK_BYTES - HEAD_BYTES) // 64, f"before the kill {before}, after it {after}")
    check(not numbers["processes"][1]["ended"], "a killed process has ended in order")


def summary_of_one(path):
    """Records, and the end of the last one, of a trace of one file."""
    with scratch() as folder:
        os.symlink(path, folder + "/1.trace")
        numbers = summary(proa, folder)
    return numbers["records"], numbers["ns"]


limited()
killed()
