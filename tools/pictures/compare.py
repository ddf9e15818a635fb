# SPDX-License-Identifier: BSD-3-Clause
"""The table of README.md, "How it compares", as bars. All numbers of the picture are the table's.

A row is drawn if all its cells have a time. The scale is logarithmic, as the times go from nanoseconds to tenths of a second.
"""
import math
import os
import re

from svg import escaped, fail

UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
HEADING = ["", "MPICH", "+ Proa", "Open MPI", "+ Proa", "by hand"]
CLASSES = ["host", "proa", "host", "proa", "hand"]
WIDTH, LEFT, RIGHT, TOP = 860, 236, 66, 70
BAR, GAP, PAIR, ROW = 9, 1, 3, 66

STYLE = """
text { font: 12px sans-serif; fill: #24292f }
.small { font-size: 10px; fill: #57606a }
.grid { stroke: #d0d7de; stroke-width: 1 }
.host { fill: #9aa4b0 }
.proa { fill: #0f7b6c }
.hand { fill: #d9a441 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #9da7b3 }
  .grid { stroke: #3d444d }
  .host { fill: #6e7884 }
  .proa { fill: #35c2ab }
  .hand { fill: #e3b65b }
}
"""


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def time_of(text):
    """Nanoseconds, or None for a cell without a time."""
    match = re.fullmatch(r"([0-9.,]+) (ns|us|ms|s)", text)
    return float(match[1].replace(",", "")) * UNITS[match[2]] if match else None


def table_of(readme):
    """Rows (title, texts, nanoseconds) of the table that has our heading."""
    rows = []
    lines = iter(readme.splitlines())
    for line in lines:
        if line.startswith("|") and cells(line) == HEADING:
            next(lines)  # |---|
            break
    else:
        fail("README.md has no table with the columns " + ", ".join(HEADING[1:]))
    for line in lines:
        if not line.startswith("|"):
            break
        title, *texts = cells(line)
        times = [time_of(text) for text in texts]
        if len(times) == len(CLASSES) and None not in times:
            rows.append((title, texts, times))
    return rows or fail("no row of the table in README.md has all its times")


def in_two(title):
    """The title as one line or two, which have room before the bars."""
    if len(title) <= 24:
        return [title]
    cut = min((match.start() for match in re.finditer(" ", title)), key=lambda at: abs(2 * at - len(title)))
    return [title[:cut], title[cut + 1 :]]


def decades(rows):
    every = [time for _, _, times in rows for time in times]
    return math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))


def name_of_decade(power):
    for unit, size in reversed(UNITS.items()):
        if 10.0**power >= size:
            return f"{10.0**power / size:.0f} {unit}"
    return f"{10.0**power:g} ns"


def draw(rows):
    low, high = decades(rows)
    height = TOP + ROW * len(rows) + 6

    def x_of(time):
        return LEFT + (math.log10(time) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
        "<!-- written by tools/picture from the table in README.md -->",
        "<title>Time of one-sided operations: MPICH and Open MPI alone, with Proa, and by hand; shorter is better</title>",
        f"<style>{STYLE}</style>",
    ]
    at = LEFT
    for cls, name, room in (("host", "the MPI alone", 110), ("proa", "the same MPI + Proa", 150), ("hand", "by hand in shared memory", 0)):
        out.append(f'<rect class="{cls}" x="{at}" y="8" width="12" height="10"/><text x="{at + 17}" y="17">{name}</text>')
        at += room
    out.append(f'<text class="small" x="{LEFT}" y="34">time of one: shorter is better, and each step to the right is ten times longer</text>')
    for power in range(low, high + 1):
        x = x_of(10.0**power)
        out.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - 6}"/>')
        out.append(f'<text class="small" text-anchor="middle" x="{x:.1f}" y="{TOP - 14}">{name_of_decade(power)}</text>')
    for index, (title, texts, times) in enumerate(rows):
        y = TOP + ROW * index
        for number, line in enumerate(in_two(title)):
            out.append(f'<text x="8" y="{y + 22 + 15 * number}">{escaped(line)}</text>')
        for number, name in enumerate(("MPICH", "Open MPI")):
            out.append(f'<text class="small" text-anchor="end" x="{LEFT - 6}" y="{y + 13 + number * (2 * BAR + 2 * GAP + PAIR)}">{name}</text>')
        for bar, (cls, text, time) in enumerate(zip(CLASSES, texts, times)):
            top = y + bar * (BAR + GAP) + PAIR * (bar // 2)
            end = x_of(time)
            out.append(f'<rect class="{cls}" x="{LEFT}" y="{top}" width="{end - LEFT:.1f}" height="{BAR}"/>')
            out.append(f'<text class="small" x="{end + 4:.1f}" y="{top + BAR}">{escaped(text)}</text>')
    return "\n".join(out) + "\n</svg>\n"


def picture(root):
    """(path of the picture, its source, its text) of the table in README.md below root."""
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        return "doc/pictures/compare.svg", "the table in README.md", draw(table_of(file.read()))
