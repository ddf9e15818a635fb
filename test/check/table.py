#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what check mode tells of the table of accesses with what is expected:  table.py LIST JSON

LIST: of `table --list`, JSON: the findings. Each finding has to be one of those expected, with calls, lines and ranks, and each of those has to be
there once. Without lines in the program it cannot be told.
"""
import json
import re
import sys


def key_of(name, lines):
    how, where = name.split(".")[:2] if "." in name else re.match(r"one_(\w+)_(\w+)$", name).groups()
    return how, where, *sorted(lines)


def expected(path):
    """Of each scene: its name, and its calls if it is wrong."""
    scenes = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, verdict, *words = line.split()
            calls = sorted((*call.split(":"), int(rank)) for call, rank in zip(words[::2], words[1::2]))
            scenes[key_of(name, [int(call[1]) for call in calls])] = name, calls if verdict == "race" else None
    return scenes


def found(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for finding in document["findings"]:
        calls = [call for call in finding["calls"] if call["role"] != "since"]
        if not any("line" in call for call in calls):
            print("table: the program has no lines")
            sys.exit(77)
        frames = [frame for call in calls for frame in [call, *call.get("stack", [])]]
        first = [frame["function"] for frame in frames if frame.get("function", "").startswith("one_")]
        said = sorted((call["call"].replace(" ", "-"), str(call.get("line", 0)), call["rank"]) for call in calls)
        yield (key_of(first[0], [call.get("line", 0) for call in calls]) if first else None), finding["verdict"], said


def is_as_wanted(calls, wanted):
    """A watchpoint on a result buffer does not tell loads from stores."""
    said = [("a-load", "a-store") if call == "a-load-or-a-store" else (call,) for call, _, _ in calls]
    return [call[1:] for call in calls] == [call[1:] for call in wanted or []] and all(call[0] in names for call, names in zip(wanted or [], said))


def main():
    scenes, bad = expected(sys.argv[1]), 0
    missing = {key: name for key, (name, calls) in scenes.items() if calls}
    wrong = len(missing)
    for key, verdict, calls in found(sys.argv[2]):
        name, wanted = scenes.get(key, (key, None))
        if verdict != "race" or not wanted or not is_as_wanted(calls, wanted) or key not in missing:
            print(f"table: {name}: expected {wanted}, found {verdict} {calls}")
            bad += 1
        missing.pop(key, None)
    for name in missing.values():
        print(f"table: {name}: nothing is told")
    if bad or missing or not wrong:
        sys.exit(1)
    print(f"ok table: {wrong} of {len(scenes)} are wrong")


main()
