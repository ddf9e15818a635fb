#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the tool cannot run is named in one line:  refused.sh TRANSLATE PROGRAM
set -u

said=$(mktemp)
trap 'rm -f "$said"' EXIT

fail() {
  echo "refused: $1"
  cat "$said"
  exit 1
}

# run WAY STATUS SENTENCE: ends so, and tells it once; "": it tells nothing.
run() {
  "$translate" "$program" "$1" >"$said" 2>&1
  [ $? -eq "$2" ] || fail "$1: another status than $2"
  [ "$(grep -c '^proa: ' "$said")" -eq $((${#3} > 0)) ] || fail "$1: not one line"
  grep -q "^proa: .*$3" "$said" || [ -z "$3" ] || fail "$1: another line"
}
translate=$1 program=$2
run avx512 132 "$2+0x[0-9a-f]* has an instruction of AVX-512, which --check=memory does not run: compile it without"
run unknown 132 "$2+0x[0-9a-f]* has an unknown instruction, which --check=memory does not run"
run meant 0 ""
run small 0 ""
run wrong 0 ""
"$translate" "$program" large >"$said" 2>&1
grep -q '^maps' "$said" || run large 0 "a mapping of 64 GiB fails, for which --check=memory has no addresses"
echo "ok refused"
