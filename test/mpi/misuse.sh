#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What check mode tells of usage rules:  misuse.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM
#
# PROGRAM is misuse, which names its windows after its cases.
set -u

said=$(mktemp)
trap 'rm -f "$said"' EXIT
source=$(dirname "$0")/misuse.c
launch=()
while [ "$1" != -- ]; do
  launch+=("$1")
  shift
done

fail() {
  echo "misuse: $1"
  cat "$said"
  exit 1
}

"${launch[@]}" --env PROA_CHECK=1 "$@" >"$said" 2>&1 || fail "the run fails"
while read -r name; do
  grep -q "^proa: misuse: .*(window \"$name\")" "$said" || fail "$name is not told"
done < <(grep -oP 'CASE\(\Kwrong\w+' "$source")
! grep -q '(window "right_' "$said" || fail "a false alarm"
! grep -q '^proa: race:' "$said" || fail "a race"
grep -q '^proa: misuse: the ranks do not agree on the info key accumulate_ops: rank 1 has "same_op"' "$said" || fail "creation is not told"
grep -q '^proa: misuse: MPI_Free_mem frees memory that a window is over' "$said" || fail "freed memory is not told"
grep -q '^proa: note: a window is not freed before MPI_Finalize (window "wrong_leak")' "$said" || fail "no leak"
[ "$(grep -c '^proa:   misuse: creation at' "$said")" -eq 1 ] || fail "a false alarm of creation"
echo "ok misuse"
