#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Check mode names the lines of a program in Fortran, and not the MPI's wrappers:  fortran.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

said=$("${launch[@]}" --env PROA_CHECK=1 --env PROA_CHECK_MEMORY=1 -- "$@" 2>&1) || { echo "$said"; echo "fortran: the run fails"; exit 1; }

# told TEXT MARK: a line of a report has the text, and the line of the source with that mark.
told() {
  grep -q "$1.*fortran.f90:$(grep -n "! $2\$" "$(dirname "$0")/fortran.f90" | cut -d: -f1)\\b" <<<"$said" || { echo "$said"; echo "fortran: $2 is not told"; exit 1; }
}

told 'first:  MPI_Put' first
told 'second: MPI_Put' second
case $said in
  *"are not seen:"*) ;; # the system refuses what loads and stores take
  *) told 'second: a store' store ;;
esac
echo "ok fortran"
