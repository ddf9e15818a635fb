#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a test with another part of Open MPI's for one-sided communication, if that part is there and is, without Proa, what the test is about:
#
#   osc.sh OSC two|none PROBE LAUNCH...
#
# two: it makes windows on two processes. none: it makes no window on one. PROBE is osc_can; LAUNCH... the whole test. Status 77: skipped.
set -u
osc=$1 wanted=$2 probe=$3 launch=$4
shift 3

can() {
  "$launch" openmpi "$1" 120 --env "OMPI_MCA_osc=$osc" -- "$probe" >/dev/null 2>&1
}

case $wanted in
  two) can 2 || { echo "skipped: this Open MPI makes no windows with osc $osc"; exit 77; } ;;
  none) ! can 1 || { echo "skipped: this Open MPI makes windows on one process with osc $osc"; exit 77; } ;;
esac
exec "$@"
