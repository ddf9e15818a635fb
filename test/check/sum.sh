#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The last line of check mode counts one of a thing as one:  sum.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM
#
# PROGRAM is check_cases, of which one scene has a single operation.
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

"${launch[@]}" --env PROA_CHECK=1 -- "$@" right_window_sent >"$files/said" 2>&1 && grep -q '^proa: check: 3 ranks, 1 operation: nothing found$' "$files/said" || {
  echo "sum: one operation is not one"
  cat "$files/said"
  exit 1
}
echo "ok sum"
