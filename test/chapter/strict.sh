#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Looks at what the log says of a wrong use that is served:  strict.sh LINES PATTERN LAUNCH... -- PROGRAM [ARG...]
#
# LAUNCH... -- PROGRAM does something wrong, in one call or several, over and over. At PROA_LOG=2 there must be LINES lines of it, one for each window
# of each rank, and none at PROA_LOG=1. PATTERN: what such a line says, with the name of the call that is told of.
set -u

lines=$1 pattern=$2
shift 2
launch=()
while [ "$1" != -- ]; do
  launch+=("$1")
  shift
done
said=$(mktemp)
trap 'rm -f "$said"' EXIT
# Each rank writes to the file itself, whole lines at its end: a launcher that has much to hand on cuts a rank's lines where its buffer ends.
# shellcheck disable=SC2016 # that is the rank's shell's
to_file='exec "$@" 2>>"$0"'

# count LEVEL: runs it, and counts.
count() {
  : >"$said"
  "${launch[@]}" --env PROA_LOG="$1" -- bash -c "$to_file" "$said" "${@:3}" >/dev/null 2>>"$said" ||
    { cat "$said" >&2; echo "strict: the run fails" >&2; exit 1; }
  grep -c "^proa: $pattern"' (rank [0-9]*)\. Served .*PROA_STRICT=1' "$said"
}

loud=$(count 2 "$@") || [ "$loud" = 0 ] || exit 1
quiet=$(count 1 "$@") || [ "$quiet" = 0 ] || exit 1
[ "$loud" = "$lines" ] && [ "$quiet" = 0 ] && exit 0
echo "strict: $loud lines at PROA_LOG=2, not $lines; $quiet at PROA_LOG=1"
exit 1
