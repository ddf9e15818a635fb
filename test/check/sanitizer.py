#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares reports of ThreadSanitizer with what is expected:  sanitizer.py LIST SAID

LIST: of `cases --list`. SAID: the output of all ranks. Each wrong scene has to have a report that names lines of both sides, and the operation's
rank; no other one may have any.
"""
import re
import sys


def expected(path):
    """The actor of each wrong scene, as the library names it."""
    actors = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[1] != "none":
                same = words[3] == words[5]
                actors[words[0]] = "pending operations of this rank" if same else f"operations of rank {words[3]}"
    return actors


def reports(text):
    """Of each report: the scenes, the actors, and how many of its accesses have lines of the program."""
    for report in re.split(r"WARNING: ThreadSanitizer: ", text)[1:]:
        report = report.split("SUMMARY:")[0]
        accesses = re.findall(r"^  (?:Previous )?(?:\w+ )?(?:[Rr]ead|[Ww]rite) of size \d+ at .*\n((?:    #.*\n)+)", report, re.M)
        scenes = {name for stack in accesses for name in re.findall(r"#\d+ ((?:wrong|right)_\w+)", stack)}
        placed = sum(bool(re.search(r"/cases(_\w+\.c|\.h):\d+", stack)) for stack in accesses)
        yield scenes, set(re.findall(r"^  Thread T\d+ '([^']*)'", report, re.M)), placed, report


def main():
    actors = expected(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
        text = file.read()
    found, wrong = set(), 0
    for scenes, named, placed, report in reports(text):
        right = {scene for scene in scenes if actors.get(scene) in named}
        if len(scenes) != 1 or right != scenes or placed != 2:
            print(f"sanitizer: not expected: {scenes} by {named}, {placed} lines\n{report}")
            wrong += 1
        found |= right
    for scene in sorted(set(actors) - found):
        print(f"sanitizer: {scene}: nothing is reported")
    if wrong or not actors or found != set(actors):
        sys.exit(1)
    print(f"ok sanitizer: {len(found)} wrong")


main()
