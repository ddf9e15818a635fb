#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Spawns from processes that have Proa by themselves alone, so that nothing but Proa can hand it on:  spawn.sh LIBRARY PROGRAM WAY LAUNCH...
#
# WAY goes to the program, spawn. LAUNCH... is the beginning of a command that starts MPI programs; it sets no LD_PRELOAD but that of sanitizers.
# Skipped where the same fails without Proa: Open MPI 5.0.7's launcher crashes in every MPI_Comm_spawn_multiple.
set -u

library=$1 program=$2 way=$3
shift 3

"$@" -- /bin/bash -c 'LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$1 PROA_EXPECT=1 exec "$2" "$3"' spawn "$library" "$program" "$way"
status=$?
if [ "$status" -ne 0 ] && ! "$@" -- "$program" "$way"; then
  echo "skipped: fails without Proa too"
  exit 77
fi
exit "$status"
