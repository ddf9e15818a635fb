#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`proa run --top` in a terminal, and `proa top` of a process, a folder and others: four ranks stand still until they have been seen.

top.py LAUNCH HOST LIBRARY PROA HELD FOLDER    FOLDER: of the libraries
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

sys.dont_write_bytecode = True
from traced import check, fail, scratch

_, host, _, proa, program, libraries = sys.argv[1:]

PATIENCE_S = 100
# What the ranks are in, in any order of lines.
WANTED = (r"\n +0 +\d+ +[\d.]+ +-", r"\n +1 .* MPI_Win_lock +[\d.]+ +lock of rank 2 +1 \"queue\" +held\.c:\d+",
          r"\n +2 .* MPI_Win_wait +[\d.]+ +rank 0 +2 \"step\" +held\.c:\d+", r'\n  window 1 "queue", lock of rank 2: held by 0 \(exclusive\), 1 queued: 1',
          r'\n2 windows, 0 freed', r'window 2 "step", 4 ranks',
          r"\n +3 .* PROA_Win_wait_notify +[\d.]+ +counter 2 +2 \"step\" +(held\.c|proa_notify_plain\.h):\d+")  # of an inlined call, or not


def environment():
    more = {"PROA_LIBDIR": libraries, "PROA_MPI": host, "TERM": "xterm", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "OMPI_MCA_btl_tcp_if_include": "lo", "ASAN_OPTIONS": "detect_leaks=0"}
    return {**os.environ, **more}


class Terminal:
    """The command's terminal: what it has written, and the screen that is there now."""

    def __init__(self, command, columns=0):
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            if columns:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
            os.execve(command[0], command, environment())
        self.bytes = b""

    def read(self, until):
        if not select.select([self.end], [], [], max(0, until - time.monotonic()))[0]:
            fail(f"no more from the terminal: {self.screen()}")
        try:
            more = os.read(self.end, 1 << 16)
        except OSError:
            more = b""
        self.bytes += more
        return len(more) > 0

    def screen(self):
        text = self.bytes.decode(errors="replace").split("\033[H")[-1]
        return re.sub(r"\033\[[?\d]*[A-Za-z]", "", text).replace("\r", "")

    def wait_for(self, patterns):
        until = time.monotonic() + PATIENCE_S
        while not all(re.search(pattern, "\n" + self.screen()) for pattern in patterns):
            if not self.read(until):
                fail(f"ended early: {self.screen()}")

    def finish(self):
        until = time.monotonic() + PATIENCE_S
        while self.read(until):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def output(*words):
    done = subprocess.run([proa, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment())
    return done.returncode, done.stdout


def seen(said):
    status, text = said
    check(status == 0, f"proa top: {text}")
    for pattern in WANTED:
        check(re.search(pattern, "\n" + text), f"not there: {pattern} in\n{text}")
    rate = re.search(r"4 ranks, (\d+) operations/s", text)
    check(rate and int(rate[1]) > 0, f"no operations a second: {text}")


def refusals(folder):
    for words, sentence in ((("top", str(os.getpid())), "has no trace"), (("top", folder), "no rank of a run"), (("top", "nothing"), "neither a process nor a folder"),
                            (("run", "--top", "-n", "4", program, "x"), "--top needs --trace"),
                            (("run", "--top", "--trace", folder, "-n", "4", program, "x"), "needs a terminal"),
                            (("exec", "--top", program), "--top is an option of `proa run`")):
        status, text = output(*words)
        check(status != 0 and sentence in text, f"{words}: {status}, {text}")


def main():
    with scratch() as folder:
        refusals(folder)
        go, trace = folder + "/go", folder + "/trace"
        terminal = Terminal([proa, "run", "--trace", trace, "--top", "-n", "4", program, go])
        # a width of 80 ends within a line
        terminal.wait_for([r"\n +1 .* MPI_Win_lock +[\d.]+ +lock of rank 2", r"\n +2 .* MPI_Win_wait +[\d.]+ +rank 0",
                           r"\n +3 .* PROA_Win_wait_notify +[\d.]+ +counter 2", r"\n1 lock held"])
        check(all(len(line) <= 80 for line in terminal.screen().split("\n")), f"wider than the terminal: {terminal.screen()}")
        seen(output("top", "--once", str(terminal.pid)))
        seen(output("top", trace))
        narrow = Terminal([proa, "top", trace], 40)
        narrow.wait_for([r"\n +1 lock +[\d.]+ +lock of rank 2", r"\n +2 wait +[\d.]+ +rank 0", r"\n +3 wait_notify +[\d.]+ +counter 2", r"\n1 lock held"])
        check(all(len(line) <= 40 for line in narrow.screen().split("\n")), f"wider than 40 columns: {narrow.screen()}")
        with open(go, "w", encoding="ascii"):
            pass
        status = terminal.finish(), narrow.finish()
        check(status == (0, 0), f"status {status}")
        last = terminal.bytes.split(b"\033[?1049l")
        check(len(last) == 2 and b"held: done" in last[1], f"the output of the program is not behind the view: {last[-1]}")
        status, text = output("top", trace)
        check(status == 1 and "no rank of a run" in text, f"a run that has ended: {text}")


main()
