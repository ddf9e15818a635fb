#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The model of traces in which calls return late: their arrows are there all the same.

made.py PROA
"""
import json
import os
import pty
import re
import subprocess
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from maker import APPLIED, CALL, CLOCK, EXCLUSIVE, OPERATION, WAIT, Rank, name, record
from traced import check, listed, scratch, summary

proa = sys.argv[1]
NETWORK = 3
LIMIT_AT = 56  # in the header (src/trace/format.h)
STEPS = range(150_000_000, 1_000_000_000, 100_000_000)


def model_of(ranks, dropped=0, nodes=None):
    """ranks: the records of each; nodes: where each is, with clocks that agree."""
    with scratch() as folder:
        for rank, records in enumerate(ranks):
            file = Rank(folder, rank, len(ranks), 1_000_000, node=nodes[rank] if nodes else 1, dropped=dropped)
            for node in sorted(set(nodes or [])) if rank == 0 else ():
                file.put(b"".join(record(CLOCK, at, at, bytes=1, value=node) for at in (0, 1_000_000) if node != nodes[0]))
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


def distant_locks():
    """Ranks 1 and 2 are of other nodes than rank 0, whose lock they ask for: rank 2 first. They have it when an operation is applied, and know by a flush or the unlock."""
    def distant(begin, given, end, flush=None, waited=0):
        calls = [record(CALL, begin, begin + 10, "MPI_Win_lock", 0, mode=EXCLUSIVE), record(OPERATION, begin + 20, begin + 30, "MPI_Put", 0, 8, value=1 << 32, way=NETWORK)]
        wait = [record(WAIT, 0, (flush or (given, end))[1], rank=0, value=waited)] if waited else []
        calls += [*wait, record(CALL, *flush, "MPI_Win_flush", 0)] if flush else wait
        return [*calls, record(CALL, given, end, "MPI_Win_unlock", 0)]
    near = [record(APPLIED, 400, 410, "MPI_Put", 1, 8, value=1), *locked(100, 560, 600, 610), record(APPLIED, 1100, 1110, "MPI_Put", 2, 8, value=1)]
    trace, numbers = model_of([near, distant(200, 500, 700), distant(150, 1300, 1400, (200, 1200), 900)], nodes=[1, 2, 3])
    check(ends(trace, "unlock") == [(0, 600, 2, 1200), (1, 500, 0, 560)], f"locks of other nodes: {ends(trace, 'unlock')}")
    waits = {arrow["to"]["process"]: arrow["waited_ns"] for arrow in trace.arrows_of("unlock")}
    check(waits == {0: 0, 2: 300}, f"waits for them: {waits}")
    waits = {wait["for"]: wait["ns"] for wait in numbers["waits"]}
    check(waits == {"unlock": 300, None: 600} and [pair["ns"] for pair in numbers["waiting"]] == [900], f"in the sum: {waits}, {numbers['waiting']}")


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


def ways():
    """Operations by each way, as many and as large as none of another: in the sum each has its own numbers."""
    sizes = {0: [1, 2], 1: [4], 2: [100, 200, 300], 3: [5000, 6000, 7000, 8000, 9000]}  # store, store in general, kernel, network
    operations = [record(OPERATION, 100 + at, 101 + at, "MPI_Put", 1, size, value=1 << 32, way=way)
                  for at, (way, size) in enumerate((way, size) for way, all_of_way in sizes.items() for size in all_of_way)]
    applied = [record(APPLIED, 500, 510, "MPI_Put", 0, size, value=number) for number, size in enumerate(sizes[3][:2], 1)]
    _, numbers = model_of([[record(CALL, 0, 10, "MPI_Win_lock_all"), *operations], applied])
    found, expected = numbers["windows"][0], {"store": sizes[0] + sizes[1], "kernel": sizes[2], "network": sizes[3]}
    check(found["ways"] == {way: {"count": len(of), "bytes": sum(of)} for way, of in expected.items()}, f"ways: {found['ways']}")
    check(found["applied"] == {"count": 2, "bytes": 11000}, f"applied: {found['applied']}")
    check(found["sent"] == found["received"] == {"count": 0, "bytes": 0}, "messages")


def dropped():
    _, numbers = model_of([[record(CALL, 0, 10, "MPI_Win_lock_all")]], 5)
    check(numbers["processes"][0]["dropped"] == 5, "dropped records are not counted")


def lone(folder):
    """A trace of one rank, with an epoch."""
    file = Rank(folder, 0, 1, 1_000_000, dropped=5)
    file.put(record(CALL, 0, 10, "MPI_Win_lock_all") + record(CALL, 20, 30, "MPI_Win_unlock_all"))
    file.close()
    return f"{folder}/0.trace"


def said_of(folder):
    return subprocess.run([proa, "trace", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout


def notices():
    """Why records were dropped; two runs in one folder; folders and files with nothing in them."""
    with scratch() as folder:
        check("no files of a trace" in said_of(folder) and "No such file" in said_of(folder + "/none"), "nothing is said of a folder without a trace")
        path = lone(folder)
        check("PROA_TRACE_LIMIT was reached" in said_of(folder) and "more than one run" not in said_of(folder), "a reason for dropped records that is not there")
        with open(path, "r+b") as file:  # its limit is larger than its chunks
            file.seek(LIMIT_AT)
            file.write((1 << 28).to_bytes(8, "little"))
        check("there was no more room for its file" in said_of(folder), "nothing is said of a full disk")
        os.rename(path, folder + "/0-1.trace")
        lone(folder)
        check("more than one run" in said_of(folder), "nothing is said of two runs in one folder")
        with open(path, "wb"):
            pass
        check("0.trace: it is empty" in said_of(folder), "nothing is said of an empty file")


def full():
    """What cannot be written is an error; several forms are written at once."""
    with scratch() as folder:
        lone(folder)
        for form in FORMS:
            words = ["-" if word == "/dev/null" else word for word in form]
            with open("/dev/full", "wb") as out:
                done = subprocess.run([proa, "trace", *words, folder], stdout=out, stderr=subprocess.PIPE, text=True, check=False)
            check(done.returncode == 1 and "could not write all of standard output" in done.stderr, f"{form}: status {done.returncode}, {done.stderr}")
        done = subprocess.run([proa, "trace", "--html", folder + "/page", "--perfetto", folder + "/run", "--json", folder], stdout=subprocess.PIPE, text=True, check=False)
        check(done.returncode == 0 and done.stdout.startswith("{") and os.path.getsize(folder + "/page") and os.path.getsize(folder + "/run"), f"not all of several forms: {done}")


NAME = b'\x1b[31m<"&\x7f\xff\xe2\x82\xac\xc2\x9b'  # controls of one byte and of two, and a byte that is no character
SHOWN = '\u241b[31m<"&\u2421\ufffd\u20ac\ufffd'


def names():
    """A name that a program has given reaches no terminal as it is, and breaks no form."""
    with scratch() as folder:
        file = Rank(folder, 0, 1, 1_000_000)
        file.put(name(NAME) + record(CALL, 0, 10, "MPI_Win_lock_all") + record(CALL, 20, 30, "MPI_Win_unlock_all"))
        file.close()
        said = {form: subprocess.run([proa, "trace", *form.split(), folder], stdout=subprocess.PIPE, check=True).stdout for form in ("", "--json", "--svg 1:1-1", "--html -", "--perfetto -")}
        check(f'"{SHOWN}"' in said[""].decode() and not re.search(rb"[\0-\x09\x0b-\x1f\x7f]", said[""]), f"on the terminal: {said['']}")
        check(json.loads(said["--json"])["windows"][0]["name"] == NAME.decode(errors="replace"), f"in JSON: {said['--json']}")
        title = xml.etree.ElementTree.fromstring(said["--svg 1:1-1"])[0].text
        check(SHOWN in title, f"in a picture: {title}")
        check(r'"\u001b[31m\u003c\"&' in said["--html -"].decode(), "not on the page")
        check(SHOWN.encode() in said["--perfetto -"] and b"\x1b[31m" not in said["--perfetto -"], "not for Perfetto")
        done = subprocess.run([proa, "trace", "--otf2", folder + "/archive", folder], stderr=subprocess.PIPE, text=True, check=False)
        if "without OTF2" not in done.stderr:
            with open(folder + "/archive/traces.def", "rb") as file:
                definitions = file.read()
            check(SHOWN.encode() in definitions and b"\x1b[31m" not in definitions, f"not in OTF2: {done.stderr}")


FORMS = (["--json"], [], ["--list"], ["--svg", "1:1-1"], ["--html", "/dev/null"], ["--perfetto", "/dev/null"])


def all_of(end):
    """What was written to a terminal that has been closed; one read may give a part of it."""
    said = b""
    try:
        while part := os.read(end, 4096):
            said += part
    except OSError:  # EIO: the end
        pass
    os.close(end)
    return said.decode()


def progress():
    """Every form of a long conversion tells how far it is, where standard error is a terminal, and leaves an empty line there."""
    with scratch() as folder:
        file = Rank(folder, 0, 1, 1_000_000)
        file.put(record(CALL, 0, 10, "MPI_Win_lock_all") + record(CALL, 20, 30, "MPI_Win_unlock_all") + record(CALL, 40, 50, "MPI_Win_sync") * 70_000)
        file.close()
        for form in FORMS:
            end, terminal = pty.openpty()
            status = subprocess.run([proa, "trace", *form, folder], stdout=subprocess.DEVNULL, stderr=terminal, check=False).returncode
            os.close(terminal)
            said = all_of(end)
            check(status == 0 and re.search(r"\rproa trace: +\d+ %", said) and said.endswith("\r\033[K"), f"{form}: status {status}, on the terminal {said!r}")


for case in (late_unlock, shared_locks, distant_locks, late_notification, parts, drifting, ways, dropped, notices, names, full, progress):
    case()
