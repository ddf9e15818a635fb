# SPDX-License-Identifier: BSD-3-Clause
"""Reads what `proa trace --otf2` writes, by otf2-print."""
import collections
import re
import subprocess

from traced import check

EVENT = re.compile(r"^([A-Z_]+) +(\d+) +(\d+)  (.*)$")
FIELD = re.compile(r'([A-Z][A-Za-z ]+): (?:"([^"]*)" <\d+>|([^,{]+|\{[^}]*\}))')


class Event:
    def __init__(self, kind, location, ns, text):
        self.kind, self.location, self.ns = kind, location, ns
        group = re.search(r"Group: .* <(\d+)>", text)
        self.group = group and group[1]
        self.fields = {name: quoted or plain.strip() for name, quoted, plain in FIELD.findall(text)}


def output(*command):
    done = subprocess.run(["otf2-print", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(done.returncode == 0, f"otf2-print: {done.stdout[-1000:]}")
    return done.stdout.splitlines()


class Archive:
    """locations: name and rank; events: of all locations by time."""

    def __init__(self, folder):
        anchor = folder + "/traces.otf2"
        self.locations, self.groups = {}, {}
        for line in output("-G", anchor):
            check("INVALID" not in line, f"a definition that refers to none: {line}")
            if found := re.match(r'LOCATION +(\d+)  Name: "([^"]*)".* Group: "rank (\d+)"', line):
                self.locations[int(found[1])] = (found[2], int(found[3]))
            elif found := re.match(r'GROUP +(\d+) .* Members?: (.*)', line):
                self.groups[found[1]] = re.findall(r'(\d+) \("', found[2])
        found = [EVENT.match(line) for line in output(anchor)]
        self.events = [Event(line[1], int(line[2]), int(line[3]), line[4]) for line in found if line]
        check(all(event.location in self.locations for event in self.events), "an event of no location")

    def nest(self):
        """Regions nest; the records of a call lie in it. Each event gets its region."""
        stacks = collections.defaultdict(list)
        for event in self.events:
            stack = stacks[event.location]
            if event.kind == "ENTER":
                stack.append(event.fields["Region"])
            elif event.kind == "LEAVE":
                check(stack and stack.pop() == event.fields["Region"], f"a region that is left before an inner one: {event.fields}")
            event.region = stack[-1] if stack else None
        check(not any(stacks.values()), "regions that are never left")

    def of(self, *kinds):
        return [event for event in self.events if event.kind in kinds]
