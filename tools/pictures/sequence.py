# SPDX-License-Identifier: BSD-3-Clause
"""Sequences: calls, messages and waits of several threads in time, of panels side by side, from doc/pictures/NAME.seq. A line of it is one of

  title TEXT                    of the whole picture
  panel TEXT                    begins a panel, right of the one before
  lives NAME, NAME ...          its lifelines: threads, or memory
  NAME: TEXT                    a call, or a step of one
  NAME~ TEXT                    a wait
  NAME= TEXT                    work that is not Proa's
  NAME -> NAME: TEXT            bytes of a window
  NAME --> NAME: TEXT           a word, a lock or a message of synchronization
  ---                           nothing: room
  # TEXT                        a comment

NAME may be cut short, as long as it says which life is meant.
"""
import glob
import os
import re

from svg import document, escaped, fail, lines_of, text_at

LIFE, TOP, LINE, GAP, SIDE = 140, 62, 14, 10, 8
KINDS = {":": ("call", "on"), "~": ("wait", "at"), "=": ("work", "at")}


class Panel:
    def __init__(self, title, left):
        self.title, self.left, self.lives, self.parts, self.y = title, left, [], [], TOP

    def width(self):
        return LIFE * len(self.lives)

    def x_of(self, name):
        found = [i for i, life in enumerate(self.lives) if life.startswith(name)]
        if len(found) != 1:
            fail(f"{self.title}: no one life is meant by {name}")
        return self.left + LIFE * (found[0] + 0.5)

    def step(self, name, mark, text):
        x, (cls, on) = self.x_of(name), KINDS[mark]
        lines = lines_of(text, LIFE - 2 * SIDE)
        height = LINE * len(lines) + 6
        self.parts.append(f'<rect class="{cls}" x="{x - LIFE / 2 + 4:g}" y="{self.y:g}" width="{LIFE - 8}" height="{height}" rx="3"/>')
        self.parts += [text_at(x, self.y + LINE * (i + 1) - 1, line, on) for i, line in enumerate(lines)]
        self.y += height + GAP

    def arrow(self, start, kind, end, text):
        x, to, (cls, tip) = self.x_of(start), self.x_of(end), ("data", "d") if kind == "->" else ("sync", "s")
        lines = lines_of(text, abs(to - x) - 2 * SIDE)
        for i, line in enumerate(lines):
            self.parts.append(text_at((x + to) / 2, self.y + LINE * (i + 1) - 4, line, "over"))
        self.y += LINE * len(lines) + 3
        self.parts.append(f'<path class="{cls}" d="M{x:g} {self.y:g}H{to:g}" marker-end="url(#{tip})"/>')
        self.y += GAP + 2

    def drawn(self, bottom):
        out = [f'<text x="{self.left + SIDE:g}" y="20">{escaped(self.title)}</text>']
        for i, life in enumerate(self.lives):
            x = self.left + LIFE * (i + 0.5)
            out.append(f'<line class="life" x1="{x:g}" y1="{TOP - 8}" x2="{x:g}" y2="{bottom:g}"/>')
            out.append(text_at(x, TOP - 16, life, "small"))
        return out + self.parts


def read(text, name):
    """(title, panels) of the text of a .seq file."""
    title, panels = name, []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        step = re.fullmatch(r"([^:~=>]+?)([:~=]) (.*)", line)
        arrow = re.fullmatch(r"(.+?) (--?>) (.+?): (.*)", line)
        if word == "title":
            title = rest
        elif word == "panel":
            panels.append(Panel(rest, panels[-1].left + panels[-1].width() + 24 if panels else 0))
        elif word == "lives" and panels:
            panels[-1].lives = rest.split(", ")
        elif line == "---" and panels:
            panels[-1].y += LINE
        elif arrow and panels:
            panels[-1].arrow(*arrow.groups())
        elif step and panels:
            panels[-1].step(*step.groups())
        else:
            fail(f"{name}: not understood: {line}")
    return title, panels or fail(f"{name}: no panel")


def draw(text, name):
    title, panels = read(text, name)
    bottom = max(panel.y for panel in panels)
    parts = [part for panel in panels for part in panel.drawn(bottom)]
    return document(panels[-1].left + panels[-1].width(), bottom + 8, title, name, parts)


def pictures(root):
    for path in sorted(glob.glob("doc/pictures/*.seq", root_dir=root)):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            yield path.replace(".seq", ".svg"), path, draw(file.read(), path)
