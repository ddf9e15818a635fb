#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Looks at how a run ends that makes one mistake under MPI_ERRORS_ARE_FATAL:  fatal.sh MISTAKE SENTENCE LAUNCH...
#
# LAUNCH... is the command that starts `fatal`; MISTAKE goes to it. The run must end, not by a signal, not as a success; nothing may run on
# past the mistake; and SENTENCE, if it is not -, must be said on standard error. (Where the error is the host's to tell, Open MPI now and then
# loses its own words. And the launcher of MPICH 4.2, one time in ten and without Proa too, ends as if all was well after it has told that a
# rank was aborted; then its word counts.) A MISTAKE that ends in .checked is made in check mode, whose file has to tell of it.
set -u

mistake=${1%.checked} sentence=$2 is_checked=$([ "$1" = "${1%.checked}" ] || echo yes)
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ ! "$is_checked" ] || export PROA_CHECK=1 PROA_CHECK_JSON=$scratch/found

fail() {
  echo "fatal $mistake: $1"
  cat "$scratch/out" "$scratch/err"
  exit 1
}

"$@" "$mistake" >"$scratch/out" 2>"$scratch/err"
status=$?
[ "$status" -ne 0 ] || grep -q "^Abort(" "$scratch/err" || fail "the run ends as a success"
[ "$status" -ne 124 ] || fail "the run does not end"
[ "$status" -lt 128 ] || grep -q "Abort(" "$scratch/err" || fail "the run ends by signal $((status - 128))"
! grep -q "signal 11\|signal 6\|Segmentation\|still here" "$scratch/out" "$scratch/err" || fail "the run does not end by the error"
[ "$sentence" = - ] || grep -qF -- "$sentence" "$scratch/err" || fail "standard error does not say: $sentence"
[ ! "$is_checked" ] || grep -qF -- "$sentence" "$scratch"/found* || fail "the file of check mode does not say: $sentence"
