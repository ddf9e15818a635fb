#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What PROA_CHECK tells:  checked.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM
#
# PROGRAM is checked, which names its windows after its cases.
set -u

said=$(mktemp) apart=$(mktemp -d)
trap 'rm -rf "$said" "$apart"' EXIT
ranks=$3
launch=()
while [ "$1" != -- ]; do
  launch+=("$1")
  shift
done
source=$(dirname "$0")/checked.c

fail() {
  echo "checked: $1"
  cat "$said"
  exit 1
}

# Launchers mix the lines of ranks: each rank has a file of its own.
start() {
  rm -f "$apart"/*
  "${launch[@]}" "$@" >"$said" 2>&1
  local status=$?
  cat "$apart"/* >>"$said"
  return $status
}
shift # the dashes
# shellcheck disable=SC2016 # the rank's own
ranked=(-- bash -c 'exec "$1" 2>"$0/$$"' "$apart" "$@")

start "${ranked[@]}" || fail "the run fails"
! grep -q '^proa: ' "$said" || fail "told without the setting"

start --env PROA_CHECK=usage "${ranked[@]}" || fail "the run with usage rules alone fails"
grep -q "^proa: check: $ranks ranks, .*: nothing found" "$said" || fail "usage rules alone find something"

files=$(mktemp -d)
trap 'rm -rf "$said" "$apart" "$files"' EXIT
start --env PROA_CHECK=1 --env PROA_CHECK_STACK=1 --env PROA_CHECK_JSON="$files/json" --env PROA_CHECK_SARIF="$files/sarif" --env PROA_CHECK_ROOT="$(realpath "$(dirname "$0")/../..")" --env PROA_CHECK_FAIL_ON=race "${ranked[@]}"
[ $? -ne 0 ] || fail "races do not make the run fail"
grep -q '^ok checked' "$said" || fail "the run with PROA_CHECK=1 fails"
while read -r name; do
  count=$(grep -c "^proa: race: .*window \"$name " "$said")
  [ "$count" -eq "$ranks" ] || fail "$name is told $count times, not once by each of $ranks ranks"
done < <(grep -oP '^ +CASE\(\Kwrong\w+|, +CASE\(\Kwrong\w+' "$source")
! grep -q '"right_' "$said" || fail "a false alarm"
grep -q "in one epoch (window \"wrong_put_put dynamic\")" "$said" || fail "no window's name"
grep -A6 '"wrong_types ' "$said" | grep -q 'rule: accumulates are atomic' || fail "no rule"
grep -A6 '"wrong_fence ' "$said" | grep -q 'remedy: MPI_Win_fence on all ranks between' || fail "no remedy"
grep -A6 '"wrong_fence ' "$said" | grep -q 'since:  MPI_Win_fence, at ' || fail "no call since"
grep -A6 '"wrong_swap_put ' "$said" | grep -q 'second: MPI_Compare_and_swap (MPI_LONG x 1), ' || fail "no second call"
grep -A6 '"wrong_comb ' "$said" | grep -q 'first:  MPI_Put (a derived datatype x 1), ' || fail "no derived datatype"
grep -A6 '"wrong_types ' "$said" | grep -q 'first:  MPI_Accumulate (MPI_SUM, MPI_LONG x 1), ' || fail "no operation of the first call"
grep -A6 '"wrong_types ' "$said" | grep -q 'second: MPI_Accumulate (MPI_SUM, MPI_DOUBLE x 1), ' || fail "no datatype of the second call"
grep -A6 '"wrong_put_put ' "$said" | grep -q 'first:  MPI_Put (MPI_LONG x 2), ' || fail "no count"
grep -A6 '"wrong_comb ' "$said" | grep -q 'second: MPI_Put (MPI_LONG x 1), bytes 32 to 39, at ' || fail "no bytes"
[ "$(grep -c '^proa:   not seen: [0-9]* accesses, as epochs were too long' "$said")" -eq 1 ] || fail "not one sum at the end"
grep -q "^proa: check: $ranks ranks, .* operations: [1-9][0-9]* races, 0 misuses, 0 notes" "$said" || fail "a wrong sum at the end"
python3 "$(dirname "$0")/checked.py" "$files/json" "$files/sarif" "$ranks" "$(grep -c 'CASE(wrong' <(grep -oP 'CASE\(wrong' "$source"))" || fail "wrong files"
echo "ok checked"
