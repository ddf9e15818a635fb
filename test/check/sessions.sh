#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What check mode tells of programs without MPI_Init:  sessions.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM WAY
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"
way=${!#}

fail() {
  echo "sessions $way: $1"
  cat "$files/said"
  exit 1
}

"${launch[@]}" --env PROA_CHECK=1 --env PROA_CHECK_HANG=1 --env PROA_TEST_TOLD="$files/told" --env PROA_CHECK_FAIL_ON=race --env PROA_CHECK_JSON="$files/json" \
  -- "$@" >"$files/said" 2>&1 &
while [ "$way" = hang ] && kill -0 $! 2>/dev/null; do
  sleep 0.2
  ! grep -q '^proa: hang:' "$files/said" || touch "$files/told"
done
wait $!
status=$?

# has TEXT: a line has it, once.
has() {
  [ "$(grep -c "$1" "$files/said")" -eq 1 ] || fail "not one line has: $1"
}
case $way in
race)
  [ "$status" -eq 66 ] || fail "the status is $status"
  has '^proa: race: ranks [01] and [01] access the same memory of rank 0, and nothing orders them (window "of_session")'
  has '^proa: check: 2 ranks, 2 operations: 1 race'
  python3 -c 'import json, sys; found = json.load(open(sys.argv[1])); sys.exit(found["ranks"] != 2 or len(found["findings"]) != 1)' "$files/json" ||
    fail "the file has other findings"
  ;;
right)
  [ "$status" -eq 0 ] || fail "the status is $status"
  has '^proa: check: 2 ranks, 2 operations: nothing found'
  ;;
hang)
  has '^proa: hang: all ranks wait, and none can go on'
  has '^proa:   rank 0: MPI_Win_fence, at .*, waits for MPI_Win_fence of rank 1 (window "of_session")'
  has '^proa:   rank 1: MPI_Barrier, at .*, waits for MPI_Barrier of rank 0'
  ;;
left)
  [ "$status" -ne 0 ] || fail "the status is 0"
  has '^proa: race: rank 0 does two conflicting operations on rank 0'
  has '^proa: check: 1 rank, .*: 1 race, 0 misuses, 0 notes'
  ;;
esac
echo "ok sessions $way" # without the races, which fail a test
