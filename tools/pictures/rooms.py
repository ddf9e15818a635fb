# SPDX-License-Identifier: BSD-3-Clause
"""The rooms: the folders of src, and an arrow for each direction in which a folder includes another.

An arrow that a way over other arrows implies is left out. A folder stands below all that include it. So the picture changes with a new
folder or a new direction, and not with each #include.
"""
import glob
import os
import re

from svg import document, fail, lines_of, text_at

ROLES = {
    "bind": "the exported MPI functions",
    "notify": "notified communication",
    "watch": "observers: statistics",
    "trace": "the recorder of traces",
    "job": "the other ranks of the job",
    "host": "calls to the host MPI",
    "create": "start and end of windows",
    "remote": "windows over several nodes",
    "sync": "epochs and locks on a node",
    "rma": "operations, ways to memory",
    "window": "a window, targets, epochs",
    "adopt": "memory that moves in place",
    "shm": "shared memory of a node",
    "net": "networks, by one contract",
    "type": "datatypes as loops",
    "base": "waiting, settings, failures",
}
OUTSIDE = {"mpi.h": "the host MPI", "rdma": "libfabric", "proa.h": "include/proa.h"}
BOX, HEIGHT, ACROSS, DOWN, MARGIN, LANE = 190, 44, 214, 78, 24, 10


def room_of(name):
    """The folder or library that #include NAME leads to; None: the system's."""
    if name.startswith(("mpi.h", "abi/mpi.h")):
        return "mpi.h"
    if name == "proa.h":
        return name
    return name.split("/")[0] if "/" in name else None


def arrows_of(root):
    """For each folder of src those that it includes."""
    arrows = {}
    for path in sorted(glob.glob("src/**/*.[ch]", root_dir=root, recursive=True)):
        room = path.split("/")[1]
        reached = arrows.setdefault(room, set())
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', file.read(), flags=re.M):
                reached.add(room_of(name))
    rooms = set(arrows) | set(OUTSIDE)
    return {room: (reached & rooms) - {room} for room, reached in arrows.items()} or fail("no sources under src/")


def reached_from(arrows, room, way=()):
    """All that the room reaches by one arrow or more."""
    if room in way:
        fail("the folders " + ", ".join(way) + " include each other in a circle")
    found = set()
    for other in arrows.get(room, ()):
        found |= {other} | reached_from(arrows, other, (*way, room))
    return found


def reduced(arrows):
    """The arrows that no way over others implies."""
    return {room: {other for other in others if not any(other in reached_from(arrows, third) for third in others)} for room, others in arrows.items()}


def levels_of(arrows):
    """Rows of rooms, each below all rooms that include it."""
    depth = {}

    def sink(room, least):
        depth[room] = max(depth.get(room, 0), least)
        for other in arrows.get(room, ()):
            sink(other, depth[room] + 1)

    for room in arrows:
        sink(room, 0)
    return [sorted(room for room in depth if depth[room] == level) for level in range(max(depth.values()) + 1)]


def box(room, x, y):
    cls = "wait" if room in OUTSIDE else "box"
    name = OUTSIDE.get(room, room)
    parts = [f'<rect class="{cls}" x="{x}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="5"/>']
    if room in OUTSIDE:
        return [*parts, text_at(x + BOX / 2, y + 26, name, "at")]
    return [*parts, text_at(x + BOX / 2, y + 18, name, "name"), *(text_at(x + BOX / 2, y + 34, line) for line in lines_of(ROLES.get(room, ""), BOX))]


def arrow(start, end):
    (x, y), (to_x, to_y) = start, end
    x, to_x, y = x + BOX / 2, to_x + BOX / 2, y + HEIGHT
    lean = max(-60, min(60, (to_x - x) / 3))
    return f'<path class="uses" d="M{x + lean:g} {y:g}L{to_x - lean:g} {to_y - 1:g}" marker-end="url(#s)"/>'


def long_arrow(start, end):
    """Past rows between: along the left margin."""
    (x, y), (to_x, to_y) = start, end
    gap = (DOWN - HEIGHT) / 2
    return (f'<path class="uses" d="M{x + 30:g} {y + HEIGHT:g}v{gap / 2:g}H{LANE:g}V{to_y - gap:g}H{to_x + 30:g}V{to_y - 1:g}" marker-end="url(#s)"/>')


def places_of(few, rows, width):
    """Where each room is. Rooms of a row have the order of the rooms that include them."""
    at = {}
    for level, row in enumerate(rows):
        def middle(room):
            above = [at[other][0] for other in few if other in at and room in few[other]]
            return (sum(above) / len(above) if above else 0, room)

        for column, room in enumerate(sorted(row, key=middle)):
            at[room] = (MARGIN + (width - 2 * MARGIN - len(row) * ACROSS + ACROSS - BOX) / 2 + ACROSS * column, LANE + DOWN * level)
    return at


def picture(root):
    arrows = arrows_of(root)
    few, rows = reduced(arrows), levels_of(arrows)
    width = max(len(row) for row in rows) * ACROSS - (ACROSS - BOX) + 2 * MARGIN
    at, parts = places_of(few, rows, width), []
    for room in sorted(few):
        for other in sorted(few[room]):
            parts.append((arrow if at[other][1] - at[room][1] == DOWN else long_arrow)(at[room], at[other]))
    for room in sorted(at):
        parts += box(room, *at[room])
    height = 2 * LANE + DOWN * len(rows) - (DOWN - HEIGHT)
    return "doc/pictures/rooms.svg", "src", document(width, height, "The folders of src and the direction of their includes", "the #include lines of src", parts)
