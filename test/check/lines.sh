#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Check mode names the lines of a program in another language, and not the MPI's wrappers:
#   lines.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM SOURCE
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

program=$1 source=$2
said=$("${launch[@]}" --env PROA_CHECK=memory -- "$program" 2>&1) || { echo "$said"; echo "lines: the run fails"; exit 1; }

# told TEXT MARK: a line of a report has the text, and the line of the source that ends with a comment of that mark.
told() {
  grep -q "$1.*$(basename "$source"):$(grep -nE "(!|//) $2\$" "$source" | cut -d: -f1)\\b" <<<"$said" || { echo "$said"; echo "lines: $2 is not told"; exit 1; }
}

told 'first:  MPI_Put' first
grep -qE 'first:  MPI_Put.* \[(Fortran|C\+\+)\]$' <<<"$said" || { echo "$said"; echo "lines: no mark of the binding"; exit 1; }
told 'second: MPI_Put' second
case $said in
  *"are not seen:"*) ;; # the system refuses what loads and stores take
  *) told 'second: a store' store ;;
esac
echo "ok lines"
