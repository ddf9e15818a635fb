#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of which one runs without Proa, or comes late, and what is said of it:  absent.sh HOW PROGRAM LAUNCH...
#
# LAUNCH... starts MPI programs with Proa preloaded; PROGRAM is absent. HOW it is:
#   preload   rank 1 has dropped LD_PRELOAD, in a shell that had it
#   late      all have Proa, but do not know so
set -u

how=$1 program=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "absent $how: $1"
  cat "$scratch/out" "$scratch/err"
  exit 1
}

# How often standard error has a sentence.
expect_times() {
  local count
  count=$(grep -acF -- "$2" "$scratch/err")
  [ "$count" -eq "$1" ] || fail "$count times, not $1: $2"
}

case $how in
  preload) without='unset LD_PRELOAD' way=some ;;
  late) without=true way=late ;; # Hydra takes a colon for its own
esac
: >"$scratch/err"
"$@" -- /bin/bash -c 'if [ "${PMIX_RANK:-${PMI_RANK:-}}" = 1 ]; then eval "$1"; fi; shift; exec "$@"' absent "$without" "$program" $way "$scratch/err" \
  >"$scratch/out" 2>>"$scratch/err" || fail "status $?"
if [ "$way" = some ]; then
  expect_times 1 "proa: rank 1 of this job runs without Proa: windows with it are left to the host MPI"
  expect_times 0 "has waited"
else
  expect_times 1 "proa: creating a window has waited 10 s for the other ranks: does one of them run without Proa?"
fi
