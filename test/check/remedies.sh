#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Applies what check mode proposes:  remedies.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM
#
# PROGRAM is remedies. With PROA_CHECK=memory its loads and stores count, too.
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

export PROA_CHECK=${PROA_CHECK:-1}
for way in wrong applied; do
  "${launch[@]}" --env PROA_CHECK="$PROA_CHECK" --env PROA_CHECK_JSON="$files/$way" -- "$@" $way >"$files/said" 2>&1 || {
    status=$?
    echo "remedies: the run fails ($way)"
    cat "$files/said"
    [ "$status" -ne 77 ] || exit 77
    exit 1
  }
  ! grep "are not seen:\|not seen: .*loads" "$files/said" || exit 77
done
"$1" --list >"$files/list"
level=()
[ "$PROA_CHECK" = 1 ] || level=(memory)
python3 "$(dirname "$0")/remedies.py" "$files/list" "$files/wrong" "$files/applied" "$(dirname "$0")/../../src" ${level[@]+"${level[@]}"}
