#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Which rank waits for which, as PROA_STATS tells it at the end:  stats_late.sh LAUNCH HOST 3 SECONDS [OPTION...] -- PROGRAM
#
# PROGRAM is stats_late. Once as a table, and once as a file of JSON.
set -u

said=$(mktemp) file=$(mktemp)
trap 'rm -f "$said" "$file" "$file.1"' EXIT
launch=()
while [ "$1" != -- ]; do
  launch+=("$1")
  shift
done

fail() {
  echo "stats_late: $1"
  cat "$said" "$file"
  exit 1
}

"${launch[@]}" --env PROA_STATS=1 "$@" >"$said" 2>&1 || fail "the run fails"
[ "$(sed -nE 's/^proa: +(rank . waited for rank .): .*/\1/p' "$said" | tr '\n' ,)" = "rank 0 waited for rank 2,rank 1 waited for rank 2," ] ||
  fail "other ranks are said to have waited, or in another order"

"${launch[@]}" --env PROA_STATS="$file" "$@" >"$said" 2>&1 || fail "the run with a file fails"
command -v python3 >/dev/null || exit 0
python3 - "$file" <<'END' || fail "the file does not say what it should"
import json, sys
late, following = json.load(open(sys.argv[1]))["windows"][:2]
assert (late["name"], following["name"]) == ("late", "next\\\t"), (late, following)
waited = [rank["waited_for_ns"] for rank in late["ranks"]]
first, second = waited[0][2], waited[1][2]
assert waited == [[0, 0, first], [0, 0, second], [0, 0, 0]] and first > second > 0, waited
assert [rank["operations"].get("put.plain", {}).get("count", 0) for rank in late["ranks"]] == [5, 0, 0], late
assert [rank["waited_for_ns"] for rank in following["ranks"]] == 3 * [[0, 0, 0]], following
assert [rank["operations"] for rank in following["ranks"]] == [{"put.plain": {"count": 1, "bytes": 8}}, {}, {}], following
part = json.load(open(sys.argv[1] + ".1"))["windows"]
assert [(window["name"], window["size"], len(window["ranks"])) for window in part] == [("part", 2, 2)], part
END
echo "ok stats_late"
