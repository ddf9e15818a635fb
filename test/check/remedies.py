#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the remedies that check mode proposes:  remedies.py LIST WRONG APPLIED SOURCES [memory]

LIST: of `remedies --list`. WRONG, APPLIED: the JSON of both ways. Each wrong program has to be told with its remedy and nothing else, and the
programs with the remedies have to be silent. Each sentence that the sources (of src) propose has to have a program.
"""
import glob
import json
import os
import re
import sys

STRINGS = r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*'


def joined(strings):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', strings))


def sentences_of_rules(path):
    """The last of three texts of each row."""
    with open(path, encoding="utf-8") as file:
        rows = re.split(r"\n    X\(", file.read().replace("\\\n", "\n"))[1:]
    for row in rows:
        *_, remedy = [joined(text) for text in re.findall(STRINGS, row)]
        if remedy:
            yield remedy


def sentences(sources):
    found = set(sentences_of_rules(os.path.join(sources, "usage/misuse.h")))
    for path in sorted(glob.glob(os.path.join(sources, "*/*.c"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        elsewhere = set(re.findall(r"\.remedy = (.*?)[,;}]", text)) - {"remedy", "row->remedy"}
        assert not elsewhere, f"{path}: a remedy that this test does not find: {elsewhere}"
        made = re.findall(r"\nstatic void say_remedy\(.*?\n}\n", text, re.DOTALL)
        assert made or "remedy, sizeof remedy" not in text, f"{path}: remedies that say_remedy does not make"
        found.update(joined(strings) for body in made for strings in re.findall(STRINGS, body))
    assert len(found) > 20, found
    return found


def pattern(sentence):
    return re.escape(sentence).replace("%d", r"\d+")


def told(path):
    with open(path, encoding="utf-8") as file:
        findings = json.load(file)["findings"]
    remedies = {}
    for finding in findings:
        window = finding["window"] or re.search(r'window "([^"]*)"|$', finding["what"])[1] # of a request it is in the sentence alone
        window = window or finding["what"] # no name that is expected
        remedies.setdefault(window, set()).add(finding["remedy"])
    return remedies


def main():
    listed, wrong, applied, sources = sys.argv[1:5]
    with open(listed, encoding="utf-8") as file:
        programs = [line.rstrip("\n").split(" ", 2) for line in file]
    bad = [f"no program has the remedy: {sentence}" for sentence in sorted(sentences(sources))
           if not any(re.fullmatch(pattern(sentence), remedy) for _, _, remedy in programs)]
    bad += [f"{name}: a flush outside epochs of locks" for name, _, remedy in programs if not name.startswith("lock_") and "flush" in remedy]
    expected = {name: {remedy} for name, level, remedy in programs if level == "calls" or "memory" in sys.argv[5:]}
    got, left = told(wrong), told(applied)
    bad += [f"{name}: expected {expected.get(name)}, proposed {got.get(name)}" for name in sorted(set(expected) | set(got))
            if got.get(name) != expected.get(name)]
    bad += [f"{name}: a finding where the remedy is applied: {remedies}" for name, remedies in left.items()]
    print("\n".join(f"remedies: {line}" for line in bad) or f"ok remedies: {len(expected)} programs")
    sys.exit(bool(bad))


main()
