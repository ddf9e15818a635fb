#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What check mode tells of usage rules:  misuse.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM
#
# PROGRAM is misuse, which names its windows after its cases.
set -u

said=$(mktemp)
trap 'rm -f "$said" "$said.json"' EXIT
source=$(dirname "$0")/misuse.c
over=$1
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

more='wrong_info wrong_part wrong_attached wrong_unmapped wrong_stack'
near=' wrong_nocheck_start wrong_nocheck_lock wrong_nocheck_beside_all wrong_groups wrong_locked_exposed ' # told on one node

# run LEVEL NAMES: all are told but these, with check mode at that level.
run() {
  "${launch[@]}" --env PROA_CHECK="$1" --env PROA_CHECK_JSON="$said.json" "${program[@]}" >"$said" 2>&1 || {
    [ $? != 77 ] || { cat "$said" && exit 77; } # an ordinary user has no pretended hosts everywhere
    fail "the run fails"
  }
  while read -r name; do
    case $over:$near:$2 in
    */hosts:*" $name "* | *:*:*" $name "*) continue ;;
    esac
    grep -q "^proa: misuse: .*(window \"$name\")" "$said" || fail "$name is not told"
  done < <(grep -oP 'CASE\(\Kwrong\w+' "$source"; printf '%s\n' $more)
  ! grep -q '(window "right_' "$said" || fail "a false alarm"
}
program=("$@")
run usage ' wrong_noput_post wrong_noput wrong_nocheck_sides '
run 1 ''
! grep -q '^proa: race:' "$said" || fail "a race"
# A request may outlive its window, and its findings name that all the same.
grep -q '"window": *"wrong_request_leak"' "$said.json" || fail "the file does not name the window of a request"
grep -q '^proa: misuse: the ranks do not agree on the info key accumulate_ops: rank 1 has "same_op"' "$said" || fail "creation is not told"
grep -q '^proa: misuse: MPI_Free_mem frees memory that a window is over' "$said" || fail "freed memory is not told"
grep -q '^proa: note: a window is not freed before MPI_Finalize (window "wrong_leak")' "$said" || fail "no leak"
grep -q '^proa: note: a request is not completed before MPI_Finalize (window "wrong_request_leak")' "$said" || fail "no leak of a request"
[ "$(grep -c '^proa:   misuse: creation at' "$said")" -eq 2 ] || fail "a false alarm of creation"
echo "ok misuse"
