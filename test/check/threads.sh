#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# As memory.sh, with scenes of several threads: a scene is told if its threads meet in time, so there are several tries. No try may tell any other.
#   threads.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM [SCENE...]
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

"$1" --list "${@:2}" >"$files/list"
for try in 1 2 3 4 5 6 7 8; do
  "${launch[@]}" --env PROA_CHECK=memory --env PROA_CHECK_JSON="$files/json.$try" -- "$@" >"$files/said" 2>&1 || {
    cat "$files/said"
    echo "threads: the run fails"
    exit 1
  }
  ! grep "are not seen:" "$files/said" || exit 77
  python3 "$(dirname "$0")/cases.py" "$files/list" "$files"/json.* >"$files/judged" && break
done
cat "$files/judged"
grep -q "^ok cases" "$files/judged"
