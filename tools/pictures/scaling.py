# SPDX-License-Identifier: BSD-3-Clause
"""Curves of doc/PERFORMANCE.md: what the simulator gives (doc/pictures/scaling.txt, by test/simulate/curves), and foMPI's performance functions.

foMPI's are those of section 3 of Gerstenberger, Besta, Hoefler: "Enabling Highly-Scalable Remote Memory Access Programming with MPI-3 One Sided"
(SC13, doi:10.1145/2503210.2503286; Communications of the ACM 61/10, 2018, page 111), fitted to measurements on Blue Waters (Cray XE6, Gemini, 32 ranks a node).
"""
import math
import os

from svg import document, fail, text_at

PUT_US = 1.0  # and 0.16 ns for each byte
POST, START, COMPLETE, WAIT = 0.35, 0.7, 0.35, 1.8  # post and complete: for each partner
LOCK_EXCLUSIVE, UNLOCK_EXCLUSIVE, LOCK_ALL, UNLOCK_ALL, FLUSH = 5.4, 4.0, 2.7, 0.4, 0.076


def fompi_pscw(k):
    return POST * k + START + COMPLETE * k + WAIT


# Panels: title, axis, lowest and highest of x and of y; series: name, class, source. Source: calls of the simulator, or foMPI's function of x.
PANELS = [
    ("MPI_Win_fence", "ranks", (64, 131072), (1, 100), [("Proa", "proa", ["fence.empty"]), ("foMPI", "fompi", lambda p: 2.9 * math.log2(p))]),
    ("post, start, put, complete, wait, 2 partners", "ranks", (64, 131072), (1, 100), [("Proa", "proa", ["pscw.back"]), ("foMPI without the puts", "fompi", lambda p: fompi_pscw(2))]),
    ("the same on 131,072 ranks", "partners", (1, 32), (1, 100), [("Proa", "proa", ["k:pscw.back"]), ("foMPI without the puts", "fompi", fompi_pscw)]),
    ("exclusive lock, put, unlock", "ranks", (64, 131072), (1, 100), [("Proa", "proa", ["lock.next"]), ("foMPI", "fompi", lambda p: LOCK_EXCLUSIVE + PUT_US + UNLOCK_EXCLUSIVE)]),
    ("lock_all, 2 puts, flush, unlock_all", "ranks", (64, 131072), (1, 100), [("Proa", "proa", ["lock_all.flush", "lock_all.unlock", "lock_all.again"]), ("foMPI", "fompi", lambda p: LOCK_ALL + PUT_US + FLUSH + UNLOCK_ALL)]),
    ("notified put there, and the wait", "ranks", (64, 131072), (1, 100), [("Proa", "proa", ["notify.further"])]),
    ("a further window", "ranks", (64, 131072), (10, 10000), [("Proa", "proa", ["create.further"]), ("3 barriers and allgathers of 64 bytes", "fompi", "3 create.host")]),
    ("a death, until all know of it", "ranks", (64, 131072), (1000, 10000), [("Proa, 8 ranks a node", "proa", ["death.told"])]),
]
WIDTH, HEIGHT, LEFT, TOP, GAP_X, GAP_Y, COLUMNS = 330, 170, 52, 60, 70, 84, 2
COLOURS = """<style>
.grid { stroke: #d0d7de; stroke-width: 1 }
.proa { stroke: #0f7b6c; stroke-width: 2; fill: none }
.fompi { stroke: #b35900; stroke-width: 2; fill: none; stroke-dasharray: 6 3 }
@media (prefers-color-scheme: dark) { .grid { stroke: #3d444d } .proa { stroke: #35c2ab } .fompi { stroke: #ffa657 } }
</style>"""


def read(text):
    """Microseconds by (call, partners, ranks)."""
    times = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        partners, call, ranks, _, us = line.split()[:5]
        times[call, int(partners), int(ranks)] = float(us)
    return times or fail("doc/pictures/scaling.txt has no lines")


def points(source, times, low, high):
    """(x, us) of a series."""
    if callable(source):
        steps = [low * (high / low) ** (i / 16) for i in range(17)]
        return [(x, source(x)) for x in steps]
    if isinstance(source, str):
        factor, call = source.split()
        return sorted((p, int(factor) * us) for (name, _, p), us in times.items() if name == call)
    if source[0].startswith("k:"):
        return sorted((k, us) for (name, k, p), us in times.items() if name == source[0][2:] and p == high_ranks(times))
    sums = {}
    for (name, k, p), us in times.items():
        if name in source and k == (1 if name.startswith("death") else 2):
            sums[p] = sums.get(p, 0) + us
    return sorted(sums.items())


def high_ranks(times):
    return max(p for _, _, p in times)


def scale(low, high, begin, length):
    return lambda value: begin + (math.log10(value) - math.log10(low)) / (math.log10(high) - math.log10(low)) * length


def grid(left, top, x_of, y_of, low_x, high_x, low_y, high_y):
    out = []
    for power in range(math.ceil(math.log10(low_x)), math.floor(math.log10(high_x)) + 1):
        x = x_of(10.0**power)
        out.append(f'<line class="grid" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{top + HEIGHT}"/>' + text_at(round(x), top + HEIGHT + 14, f"{10**power:,}"))
    for power in range(math.ceil(math.log10(low_y)), math.floor(math.log10(high_y)) + 1):
        y = y_of(10.0**power)
        out.append(f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}"/>' + text_at(left - 6, round(y) + 4, f"{10**power:,}", anchor="end"))
    return out


def panel(number, times):
    title, axis, (low_x, high_x), (low_y, high_y), series = PANELS[number]
    left = LEFT + number % COLUMNS * (WIDTH + GAP_X)
    top = TOP + number // COLUMNS * (HEIGHT + GAP_Y)
    x_of, y_of = scale(low_x, high_x, left, WIDTH), scale(high_y, low_y, top, HEIGHT)
    out = [text_at(left, top - 26, title, "name", "start"), *grid(left, top, x_of, y_of, low_x, high_x, low_y, high_y)]
    out.append(text_at(left + WIDTH, top + HEIGHT + 28, axis, anchor="end") + text_at(left - 6, top - 8, "us", anchor="end"))
    at = left
    for name, cls, source in series:
        path = " ".join(f"{x_of(x):.1f},{y_of(min(max(us, low_y), high_y)):.1f}" for x, us in points(source, times, low_x, high_x))
        out.append(f'<polyline class="{cls}" points="{path}"/>')
        out.append(f'<line class="{cls}" x1="{at}" y1="{top - 12}" x2="{at + 18}" y2="{top - 12}"/>' + text_at(at + 23, top - 8, name, anchor="start"))
        at += 46 + 6 * len(name)
    return out


def picture(root):
    """(path of the picture, its source, its text)."""
    with open(os.path.join(root, "doc/pictures/scaling.txt"), encoding="utf-8") as file:
        times = read(file.read())
    parts = [COLOURS]
    for number in range(len(PANELS)):
        parts += panel(number, times)
    rows = -(-len(PANELS) // COLUMNS)
    title = "Time of synchronization over numbers of ranks: Proa, simulated, and foMPI, by its published functions"
    drawn = document(LEFT + COLUMNS * (WIDTH + GAP_X), TOP + rows * (HEIGHT + GAP_Y), title, "doc/pictures/scaling.txt", parts)
    return "doc/pictures/scaling.svg", "doc/pictures/scaling.txt", drawn
