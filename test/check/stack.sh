#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Reports have the stacks of both calls:  stack.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM SOURCE
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

# has FRAMES: a report has so many, and the summary tells the findings of one wrapper apart.
has() {
  "${launch[@]}" --env PROA_CHECK=1 --env PROA_CHECK_STACK="$1" --env PROA_CHECK_JSON="$files/json" -- "$program" >"$files/said" 2>&1 &&
    python3 "$(dirname "$0")/stack.py" "$files/json" "$source" "$1" || {
    cat "$files/said"
    echo "stack: $1 frames"
    exit 1
  }
}

program=$1 source=$2
"${launch[@]}" --env PROA_CHECK=1 -- "$program" 2>&1 | grep -q 'first:  MPI_Put .*stack.cpp:[0-9]' || exit 77 # no libdw
has 5
grep -q 'called at .*stack.cpp:[0-9]* (halo::left())$' "$files/said" || {
  cat "$files/said"
  echo "stack: a report has no callers"
  exit 1
}
has 64
