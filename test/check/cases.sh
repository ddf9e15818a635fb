#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares what check mode tells of all scenes with their lists:  cases.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM [SCENE...]
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

"${launch[@]}" --env PROA_CHECK="${PROA_CHECK:-1}" --env PROA_CHECK_JSON="$files/json" -- "$@" >"$files/said" 2>&1 || {
  status=$?
  echo "cases: the run fails"
  cat "$files/said"
  [ "$status" -ne 77 ] || exit 77
  exit 1
}
"$1" --list "${@:2}" >"$files/list"
if grep -q '^right_reset ' "$files/list" && ! grep -q '^proa:   not seen: .*[1-9][0-9]* access.* ordered only by values' "$files/said"; then
  echo "cases: accesses that are ordered only by values are not counted"
  exit 1
fi
python3 "$(dirname "$0")/cases.py" "$files/list" "$files/json" || {
  cat "$files/said"
  exit 1
}
