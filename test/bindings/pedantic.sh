#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The headers that programs include compile without a warning by -pedantic, in C and C++, with each compiler that is here.
#
#   pedantic.sh INCLUDE HOST_INCLUDE...
set -u
include=$1
shift
system=()
for folder in "$@"; do
  system+=(-isystem "$folder")
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

# compile COMPILER STANDARD SUFFIX
compile() {
  local source=$folder/program.$3
  command -v "$1" >/dev/null || return 0
  printf '#define PROA_MPI_NAMES\n#include <proa.h>\n#include <proa_notify.h>\nint main(void)\n{\n    return 0;\n}\n' >"$source"
  "$1" "-std=$2" -pedantic -Wall -Wextra -Werror "${system[@]}" -I"$include" -c "$source" -o "$folder/program.o" || {
    echo "$1 -std=$2 -pedantic: warnings"
    status=1
  }
}

for compiler in gcc clang; do
  compile $compiler c99 c
  compile $compiler c11 c
done
for compiler in g++ clang++; do
  compile $compiler c++11 cpp
  compile $compiler c++17 cpp
done
exit $status
