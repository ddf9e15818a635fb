#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Places have lines, too, in a program without a table of addresses for its debugging information (.debug_aranges), as clang makes none:
#   no_aranges.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM SCENE
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"
command -v objcopy >/dev/null || exit 77

# has_lines PROGRAM
has_lines() {
  "${launch[@]}" --env PROA_CHECK=1 -- "$1" "$scene" >"$files/said" 2>&1
  grep -q 'first:  MPI_Put .*cases\.h:[0-9]' "$files/said"
}

scene=$2
has_lines "$1" || exit 77 # no libdw
objcopy --remove-section .debug_aranges "$1" "$files/bare"
has_lines "$files/bare" || {
  cat "$files/said"
  echo "no_aranges: there are no lines"
  exit 1
}
echo "ok no_aranges"
