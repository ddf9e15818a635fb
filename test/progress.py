# SPDX-License-Identifier: BSD-3-Clause
"""A bar on a terminal, as cmake/progress.sh draws it for scripts of the shell."""
import sys
import time


class Progress:
    """step() begins a step: those before it are done. clear() comes before a line of the script's own, and at the end."""

    WIDTH = 30

    def __init__(self, steps):
        self.steps, self.done, self.began = steps, -1, time.monotonic()

    def step(self, what):
        self.done += 1
        if not sys.stderr.isatty():
            return
        passed = time.monotonic() - self.began
        bar = "#" * (self.WIDTH * self.done // max(self.steps, 1))
        left = f", about {text_of(passed * (self.steps - self.done) / self.done)} left" if self.done else ""
        print(f"\r\033[K[{bar:{self.WIDTH}}] {self.done} of {self.steps}, {text_of(passed)}{left}: {what}", end="", file=sys.stderr, flush=True)

    @staticmethod
    def clear():
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def text_of(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
