#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What PROA_STATS tells at the end:  stats.sh LAUNCH HOST 2 SECONDS [OPTION...] -- PROGRAM
#
# PROGRAM is stats. Once as a table, and once as a file of JSON.
set -u

said=$(mktemp) file=$(mktemp)
trap 'rm -f "$said" "$file"' EXIT
launch=()
while [ "$1" != -- ]; do
  launch+=("$1")
  shift
done

fail() {
  echo "stats: $1"
  cat "$said" "$file"
  exit 1
}

rm "$file"
"${launch[@]}" --env PROA_STATS=1 "$@" >"$said" 2>&1 || fail "the run fails"
[ "$(grep -c 'proa: window "' "$said")" -eq 8 ] || fail "not a table of each window"
grep -qF 'proa: window "a "name"\x1b[1m\x9b" (allocate), 2 ranks, 1024 bytes in all; memory by load and store' "$said" || fail "no window with its name"
grep -qE 'proa: +put +16 +160 bytes +plain 12 general 4' "$said" || fail "the puts of both ranks are not added up"
grep -qE 'proa: +Win_lock +2 +[1-9][0-9]* waits?, ' "$said" || fail "no rank waited for the lock"
grep -qE 'proa: +rank 1 waited for rank 0: ' "$said" || fail "it does not say which rank waited for which"
grep -qE 'proa: +notified operations 6' "$said" || fail "notified operations are not counted"
[ ! -e "$file" ] || fail "a file was written"

"${launch[@]}" --env PROA_STATS="$file" "$@" >"$said" 2>&1 || fail "the run with a file fails"
! grep -q 'proa: window' "$said" || fail "a table as well as a file"
command -v python3 >/dev/null || exit 0
python3 - "$file" <<'END' || fail "the file does not say what it should"
import json, sys
windows = json.load(open(sys.argv[1]))["windows"]
assert [w["name"] for w in windows if w["name"]] == ['a "name"\x1b[1m\x9b'], windows
first = windows[0]
assert first["targets"] == {"load_store": 4, "kernel": 0, "network": 0, "by_region": 0}
for rank in first["ranks"]:
    assert rank["operations"]["put.plain"] == {"count": 6, "bytes": 48}
    assert rank["operations"]["put.general"] == {"count": 2, "bytes": 32}
    assert len(rank["waited_for_ns"]) == 2
assert [rank["notified"] for rank in windows[-1]["ranks"]] == [3, 3]
END
echo "ok stats"
