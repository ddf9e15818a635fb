# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program with a trace, and reads it back as `proa trace --list` tells it."""
import json
import os
import subprocess
import sys
import tempfile


def fail(why):
    print(why)
    sys.exit(1)


def check(condition, what):
    if not condition:
        fail(what)


class Trace:
    def __init__(self, lines):
        things = [json.loads(line) for line in lines]
        self.events = {thing["event"]: thing for thing in things if "event" in thing}
        self.epochs = [thing for thing in things if "epoch" in thing and "event" not in thing]
        self.arrows = [thing for thing in things if "arrow" in thing]

    def arrows_of(self, kind, first=None, second=None):
        return [arrow for arrow in self.arrows if arrow["arrow"] == kind and (first is None or arrow["from"]["call"] == first)
                and (second is None or arrow["to"]["call"] == second)]


def options(library, folder):
    """Of the launcher of the tests: what ranks preload (the runtimes of sanitizers first), and that they record."""
    return [*os.environ.get("PROA_TEST_PRELOAD", "").split(), "--env", "ASAN_OPTIONS=detect_leaks=0", "--preload", library, "--env", "PROA_TRACE=" + folder]


def launch(launcher, host, ranks, library, program, folder, environment=(), hosts=0):
    """Runs it under the launcher of the tests, with a trace in the folder; over pretended hosts, if there are to be any. Its output."""
    command = [os.path.join(os.path.dirname(launcher), "hosts"), "-h", str(hosts)] if hosts else [launcher]
    command += [host, str(ranks), "120"]
    command += [*options(library, folder), "--env", "PROA_EXPECT=1"]
    for variable in environment:
        command += ["--env", variable]
    done = subprocess.run([*command, "--", *program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout)
        sys.exit(done.returncode)
    return done.stdout


def listed(proa, folder):
    done = subprocess.run([proa, "trace", "--list", folder], stdout=subprocess.PIPE, text=True, check=True)
    return Trace(done.stdout.splitlines())


def summary(proa, folder):
    done = subprocess.run([proa, "trace", "--json", folder], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def scratch():
    return tempfile.TemporaryDirectory(prefix="proa-trace.", dir=os.environ.get("TMPDIR", "/tmp"))
