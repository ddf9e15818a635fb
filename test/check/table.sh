#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares what check mode tells of the table of accesses with its list:  table.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM [PREFIX]
# It skips where the system refuses a part of --check=memory.
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

for level in 1 memory; do
  export PROA_CHECK=$level
  "${launch[@]}" --env PROA_CHECK=$level --env PROA_CHECK_JSON="$files/json" -- "$@" >"$files/said" 2>&1 || {
    echo "table: the run fails"
    cat "$files/said"
    exit 1
  }
  ! grep "are not seen:" "$files/said" || exit 77
  "$1" --list "${@:2}" >"$files/list"
  python3 "$(dirname "$0")/table.py" "$files/list" "$files/json" || exit
done
