#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the files of check mode:  checked.py JSON SARIF RANKS FINDINGS

FINDINGS: how many pairs of places checked.c has. The structure of SARIF is that of the standard, version 2.1.0.
"""
import json
import sys


def check_call(call, ranks, has_lines):
    assert call["call"].startswith("MPI_"), call
    assert 0 <= call["rank"] < ranks, call
    assert call["role"] in ("first", "second", "since"), call
    if has_lines:
        assert call["file"].endswith("checked.c") and call["line"] > 0, call
        assert call["function"], call


def check_json(path, ranks, count):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    assert document["ranks"] == ranks and document["operations"] > 0, document
    assert document["not_kept"] > 0, "wrong_many keeps all"
    findings = document["findings"]
    assert len(findings) == count, f"{len(findings)} findings"
    has_lines = any("line" in call for finding in findings for call in finding["calls"])
    for finding in findings:
        assert finding["verdict"] == "race" and finding["ranks"] == ranks and finding["count"] >= ranks, finding
        assert finding["what"] and finding["rule"] and finding["remedy"] and finding["window"].startswith("wrong_"), finding
        assert [call["role"] for call in finding["calls"]] == ["first", "second", "since"], finding
        for call in finding["calls"]:
            check_call(call, ranks, has_lines)
    loop = [finding for finding in findings if finding["window"].startswith("wrong_loop")]
    assert len(loop) == 1 and loop[0]["count"] == 9 * ranks, loop
    return has_lines


# The properties that SARIF 2.1.0 knows of each object that is written, which has no others; the required ones come first.
PROPERTIES = {
    "log": (["version", "runs"], ["$schema"]),
    "run": (["tool"], ["results", "originalUriBaseIds"]),
    "tool": (["driver"], []),
    "driver": (["name"], ["version", "rules"]),
    "rule": (["id"], ["shortDescription"]),
    "result": (["message"], ["ruleId", "level", "occurrenceCount", "locations", "relatedLocations", "stacks", "partialFingerprints", "properties"]),
    "stack": (["frames"], ["message"]),
    "frame": ([], ["location"]),
    "location": ([], ["physicalLocation", "logicalLocations", "message"]),
    "physicalLocation": (["artifactLocation"], ["region", "address"]),
    "artifactLocation": ([], ["uri", "uriBaseId"]),
    "logicalLocation": ([], ["name", "kind"]),
}
PARTS = {"runs": "run", "tool": "tool", "driver": "driver", "rules": "rule", "results": "result", "locations": "location",
         "relatedLocations": "location", "stacks": "stack", "frames": "frame", "location": "location", "physicalLocation": "physicalLocation",
         "artifactLocation": "artifactLocation", "logicalLocations": "logicalLocation"}


def check_object(value, kind):
    needed, more = PROPERTIES[kind]
    assert set(needed) <= set(value) <= set(needed + more), (kind, sorted(value))
    for name, part in value.items():
        for one in part if isinstance(part, list) else [part]:
            if name in PARTS:
                check_object(one, PARTS[name])


def check_paths(run, has_lines):
    """Relative to the root, as GitHub and GitLab take them."""
    (base,) = run["originalUriBaseIds"].values()
    assert base["uri"].startswith("file:///") and base["uri"].endswith("/"), base
    for result in run["results"]:
        for location in result["locations"] + [frame["location"] for stack in result["stacks"] for frame in stack["frames"]]:
            artifact = location["physicalLocation"]["artifactLocation"]
            assert not has_lines or not artifact["uri"].startswith("file:"), artifact
            assert ".." not in artifact["uri"].split("/"), artifact
            assert artifact["uriBaseId"] in run["originalUriBaseIds"], artifact
        assert len(result["stacks"]) == 2 and result["stacks"][0] != result["stacks"][1], result # of an array without twins
    fingerprints = [result["partialFingerprints"]["proa/v1"] for result in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints), fingerprints


def check_location(location, has_lines):
    physical = location["physicalLocation"]
    uri = physical["artifactLocation"]["uri"]
    assert uri and " " not in uri, uri
    assert physical["region"]["startLine"] > 0 if has_lines else physical["address"]["relativeAddress"] > 0, physical
    assert location["message"]["text"], location
    for logical in location.get("logicalLocations", []):
        assert logical["kind"] == "function" and logical["name"], logical


def check_sarif(path, count, has_lines):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    assert document["version"] == "2.1.0" and document["$schema"].endswith("sarif-2.1.0.json"), document
    (run,) = document["runs"]
    check_object(document, "log")
    check_paths(run, has_lines)
    driver = run["tool"]["driver"]
    assert driver["name"] == "Proa" and driver["version"], driver
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules)), rules
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"]), driver
    assert len(run["results"]) == count, len(run["results"])
    for result in run["results"]:
        assert result["ruleId"] in rules and result["level"] == "error", result
        assert result["message"]["text"].endswith("."), result
        assert result["occurrenceCount"] >= 1, result
        assert len(result["locations"]) == 1 and len(result["relatedLocations"]) == 2, result
        for location in result["locations"] + result["relatedLocations"]:
            check_location(location, has_lines)


def main():
    json_path, sarif_path, ranks, count = sys.argv[1:]
    has_lines = check_json(json_path, int(ranks), int(count))
    check_sarif(sarif_path, int(count), has_lines)


main()
