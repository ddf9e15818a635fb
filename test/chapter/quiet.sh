#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A program that never uses one-sided communication gets nothing of Proa but the library itself: no thread, no file, no memory.
#
#   quiet.sh LAUNCH HOST LIBRARY PROGRAM [OPTION OF LAUNCH]...
#
# The program is run without Proa and with it, and must hold the same; a third run, which does make a window, shows that the looking works.
# Files count by the word "proa" in their path. Others may have it too, for one the folder that all of this is in: so without Proa there may be
# some already.
set -u

launch=$1 host=$2 library=$3 program=$4
shift 4

fail() {
  printf '%s\n' "$1" "--- without Proa:" "$without" "--- with Proa:" "${with:-}" "--- with a window:" "${window:-}"
  exit 1
}

run() {
  "$launch" "$host" 2 120 "$@"
}

value_of() {
  sed -n "s/^$1 //p" <<<"$2"
}

without=$(run "$@" -- "$program") || fail "the program fails without Proa"
with=$(run "$@" --preload "$library" -- "$program") || fail "the program fails with Proa"
window=$(run "$@" --preload "$library" -- "$program" window) || fail "the program fails with a window"

[ "$(value_of library "$without")" = "not there" ] || fail "the library is loaded where it must not be"
[ "$(value_of library "$with")" = there ] || fail "the library is not loaded"
[ "$(value_of threads "$with")" = "$(value_of threads "$without")" ] || fail "there are other threads under Proa"
[ "$(value_of files "$with")" = "$(value_of files "$without")" ] || fail "Proa has files open"
[ "$(value_of memory "$with")" = 0 ] || fail "Proa has memory mapped"
[ "$(value_of files "$window")" -gt "$(value_of files "$without")" ] || fail "with a window no file of Proa's is seen: this test looks for the wrong thing"
[ "$(value_of memory "$window")" -gt 0 ] || fail "with a window no memory of Proa's is seen: this test looks for the wrong thing"
