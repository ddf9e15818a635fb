#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares findings with what is expected:  cases.py LIST JSON...

LIST: of `cases --list`. Each scene has to have the expected finding, with both calls and their ranks, and no other. Of several runs each scene
has to have it in one, and none may have another. Where the program has lines, the line of a call has to name it in the source.
"""
import functools
import json
import os
import re
import sys


def expected(path):
    scenes = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            scenes[words[0]] = None if words[1] == "none" else (words[1], sorted([(words[2], int(words[3])), (words[4], int(words[5]))]))
    return scenes


@functools.lru_cache
def source(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        return file.read().splitlines()


def is_in_its_line(call):
    """A load or a store has a line without any call of MPI."""
    if "line" not in call:
        return not os.path.basename(call["file"]).startswith("libc.so")
    line = source(os.path.basename(call["file"]))[call["line"] - 1]
    return call["call"] in line if call["call"].startswith("MPI_") else "MPI_" not in line


WITHOUT_OP = ("MPI_Put", "MPI_Get", "MPI_Rput", "MPI_Rget", "MPI_Compare_and_swap")


def has_payload(call):
    """Operations, of this process and of others, have a datatype and a count, and accumulates have an operation."""
    name = call["call"].removesuffix("_c").removesuffix("_notify")
    if not re.fullmatch(r"MPI_(R?(put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap)", name, re.IGNORECASE):
        return "datatype" not in call
    return call["datatype"] and call["count"] > 0 and (call["op"] == "") == (name in WITHOUT_OP)


def found(path):
    scenes = {}
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for finding in document["findings"]:
        both = [call for call in finding["calls"] if call["role"] in ("first", "second")]
        calls = sorted((call["call"].replace(" ", "-") + ("" if is_in_its_line(call) else f" at {call['file']}:{call['line']}") + ("" if has_payload(call) else " without its payload"), call["rank"]) for call in both)
        scenes.setdefault(finding["window"], []).append((finding["verdict"], calls))
    return scenes


def found_in_any(paths):
    scenes = found(paths[0])
    for path in paths[1:]:
        for name, reports in found(path).items():
            have = scenes.setdefault(name, [])
            have += [report for report in reports if report not in have]
    return scenes


def main():
    want, got = expected(sys.argv[1]), found_in_any(sys.argv[2:])
    wrong = 0
    for name in sorted(set(want) | set(got)):
        wanted = [want[name]] if want.get(name) else []
        if got.get(name, []) != wanted:
            print(f"cases: {name}: expected {wanted}, found {got.get(name, [])}")
            wrong += 1
    if wrong or not want:
        sys.exit(1)
    print(f"ok cases: {sum(report is not None for report in want.values())} wrong, {sum(report is None for report in want.values())} right")


main()
