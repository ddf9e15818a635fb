#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Loads Proa's library for one MPI into a program of the other. Each rank must say so in one sentence and end, not crash, abort or hang.
#
#   load.sh SENTENCE COMMAND...
#
# COMMAND starts two such ranks.
set -u

sentence=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "load: $1"
  cat "$scratch/out" "$scratch/err"
  exit 1
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
"$@" </dev/null >"$scratch/out" 2>"$scratch/err"
status=$?
[ "$status" -ne 0 ] || fail "the run ends as a success"
[ "$status" -ne 124 ] || fail "the run does not end"
! grep -qi "signal\|Abort(\|backtrace\|still here" "$scratch/out" "$scratch/err" || fail "the ranks do not end by themselves"
count=$(grep -acF -- "$sentence" "$scratch/err")
[ "$count" -ge 1 ] && [ "$count" -le 2 ] || fail "$count times: $sentence" # a launcher may kill the second rank before it can speak
