# SPDX-License-Identifier: BSD-3-Clause
# For the tests of the command, which source this:  . expect.sh TITLE PROA
#
# A scratch folder, what the command said, which is kept there, and how it ended. TITLE is what a test that fails calls itself.
# shellcheck shell=bash

title=$1 proa=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/out"
: >"$scratch/err"
unset LD_PRELOAD PROA_MPI PROA_MPIEXEC

fail() {
  echo "$title: $1"
  echo "--- standard output"; cat "$scratch/out"
  echo "--- standard error"; cat "$scratch/err"
  exit 1
}

# Runs proa and keeps what it says and its status.
proa() {
  "$proa" "$@" </dev/null >"$scratch/out" 2>"$scratch/err"
  status=$?
}

expect_status() {
  [ "$status" -eq "$1" ] || fail "status $status, not $1"
}

# A line of the output, as an extended regular expression.
expect() {
  grep -qE -- "$1" "$scratch/out" || fail "it does not say: $1"
}
