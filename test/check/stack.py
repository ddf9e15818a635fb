#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the stacks in a file of findings:  stack.py JSON SOURCE FRAMES

FRAMES: how many frames a call has at most. Each call has to be at lines of the source whose comment names them, down to main.
"""
import json
import os
import sys

LEFT = ["wrapper", "left"]
CALLERS = {("callers", "first"): [*LEFT, "first", "scenes"], ("callers", "second"): ["wrapper", "right", "second", "scenes"],
           ("inlined", "first"): ["inlined", "one", "scenes"], ("inlined", "second"): ["inlined", "other", "scenes"],
           ("deep", "first"): ["wrapper", "bottom", *["deep"] * 9, "surface", "scenes"],
           ("deep", "second"): ["wrapper", "bottom", *["deep"] * 9, "surface again", "scenes"],
           ("between", "first"): [*LEFT, "between", "last"], ("between", "second"): [*LEFT, "between", "last"]}
NAMES = {"wrapper": "halo::put(int)", "left": "halo::left()", "inlined": "halo::Exchange::put(int) const", "scenes": "main"}


def mark(lines, place):
    assert os.path.basename(place["file"]) == "stack.cpp", place
    return lines[place["line"] - 1].rpartition("// ")[2]


def main():
    path, source, frames = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(source, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(path, encoding="utf-8") as file:
        findings = json.load(file)["findings"]
    seen = []
    for finding in findings:
        window = finding["window"]
        for call in finding["calls"]:
            if (window, call["role"]) not in CALLERS:
                continue
            places = [call, *call.get("stack", [])]
            marks = [mark(lines, place) for place in places]
            assert marks == CALLERS[window, call["role"]][:frames], (window, call["role"], marks)
            for name, place in zip(marks, places):
                assert NAMES.get(name, place["function"]) == place["function"], place
            seen.append((window, call["role"]))
    assert sorted(set(seen)) == sorted(CALLERS), seen
    assert len(seen) == len(set(seen)), seen
    print(f"ok stack: {len(findings)} findings")


main()
