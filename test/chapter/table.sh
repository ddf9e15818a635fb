#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares doc/CHAPTER.md with the sources, the libraries and the tests:  table.sh ROOT NM TESTS HOST... -- HOST=LIBRARY=PROGRAM...
#
# PROGRAM is any that is linked to the host. TESTS is a file with the names of all tests, one a line. No cell may be empty. Every file that a row names must be there, and every test, for each host unless the row says that one host
# has it only. An error that is one only if strict must have a test of that. And whatever is to have a row must have one: each function that a library of Proa exports, or its host has in the chapter, each
# info key, each predefined attribute, and each test of an error.
set -u
# shellcheck source=cmake/hosts.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/hosts.sh"

root=$1 nm=$2 tests=$3
shift 3
built=()
while [ "$1" != -- ]; do
  built+=("$1")
  shift
done
shift
libraries=("$@")
page=$root/doc/CHAPTER.md

failures=0
fail() {
  echo "CHAPTER.md: $1"
  failures=$((failures + 1))
}

# ---- what there is ----

declare -A registered # test names with host, without the number of ranks
while read -r name; do
  registered[${name%.n[0-9]*}]=1
done <"$tests"
[ "${#registered[@]}" -ge 100 ] || { echo "table: $tests lists only ${#registered[@]} tests" >&2; exit 2; }

exported() {
  "$nm" -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }'
}

# Fortran's many names of ompi_win_get_attr_f have one row. MPI-5's conversions of handles are no part of MPI-4.1.
functions() {
  local each host library program
  for each in "${libraries[@]}"; do
    IFS='=' read -r host library program <<<"$each"
    exported "$library" | grep -E '^(MPI_[A-Z][a-z]|MPII_|ompi_)' | grep -vE '_f(08)?$|^MPI_Win_(toint|fromint)$'
    exported "$library" | grep '^ompi_'
    exported "$(host_library "$host" "$program")" |
      grep -E '^MPI_(Win_[a-z]|(R?(put|get|accumulate|get_accumulate)|Put|Get|Accumulate|Get_accumulate)(_c)?$|Aint_)' |
      grep -vE '^MPI_Win_(toint|fromint)$'
  done | sort -u
}

# ---- the rows ----

# No process is started for a row: there are hundreds. So these leave what they find in a variable.

# The cells of a row, without the blanks around them, in `cells` from 1 on; how many there are, in `cells_count`.
split_row() {
  local text=$1 bars=${1//[!|]/} i
  IFS='|' read -ra cells <<<"$text"
  cells_count=$((${#bars} - 1))
  for ((i = 1; i <= cells_count; i++)); do
    text=${cells[i]:-}
    text=${text#"${text%%[! ]*}"}
    cells[i]=${text%"${text##*[! ]}"}
  done
}

# What stands between backquotes, in `quoted`.
find_quoted() {
  local rest=$1
  quoted=()
  while [[ $rest =~ \`([^\`]*)\`(.*) ]]; do
    quoted+=("${BASH_REMATCH[1]}")
    rest=${BASH_REMATCH[2]}
  done
}

check_files() {
  local file
  find_quoted "$1"
  [ ${#quoted[@]} -gt 0 ] || fail "line $number: no file is named"
  for file in "${quoted[@]}"; do
    [ -f "$root/src/$file" ] || [[ $file = include/* && -f $root/$file ]] ||
      fail "line $number: there is no file src/$file"
  done
}

check_tests() {
  local test host only=
  find_quoted "$1"
  [ ${#quoted[@]} -gt 0 ] || fail "line $number: no test is named"
  for host in "${hosts[@]}"; do
    [[ $1 != *"${host_fact[$host.title]} only"* ]] || only=$host
  done
  for test in "${quoted[@]}"; do
    tested[$test]=1
    for host in "${built[@]}"; do
      [ -z "$only" ] || [ "$only" = "$host" ] || continue
      [[ $test != bindings.* || ${host_fact[$host.library]} != abi ]] || continue # no host has Fortran or C++ for the ABI
      [ -n "${registered[$test.$host]:-}" ] || fail "line $number: there is no test $test.$host"
    done
  done
}

# A row says whether its error is one always, or only if strict: that has a test with PROA_STRICT=1, and the others have none.
check_error() {
  case "$1: $2" in
    always*.strict\`*) fail "line $number: is an error always, but has a test of being strict" ;;
    always*) ;;
    "if strict"*.strict\`*) ;;
    *) fail "line $number: is neither an error always, nor one if strict with a test of that" ;;
  esac
}

declare -A rows tested columns
number=0 count=0 heading=
while IFS= read -r line; do
  number=$((number + 1))
  case $line in
    '|---'*) continue ;;
    '|'*) ;;
    *) heading= && continue ;;
  esac
  split_row "$line"
  if [ -z "$heading" ]; then
    heading=$line columns=() width=$cells_count
    for ((i = 1; i <= width; i++)); do columns[${cells[i]}]=$i; done
    [ -n "${columns[file]:-}" ] || fail "line $number: a table without files"
    continue
  fi
  count=$((count + 1))
  [ "$cells_count" -eq "$width" ] || fail "line $number: the row has not $width cells"
  for ((i = 1; i <= width; i++)); do
    [ -n "${cells[i]:-}" ] || fail "line $number: cell $i is empty"
  done
  find_quoted "${cells[1]%%: *}" # behind the colon: what Proa does
  for name in "${quoted[@]}"; do rows[$name]=$number; done
  check_files "${cells[columns[file]]:-}"
  [ -z "${columns[error]:-}" ] || check_error "${cells[columns[error]]:-}" "${cells[columns[test]]:-}"
  [ -z "${columns[test]:-}" ] || check_tests "${cells[columns[test]]:-}"
done <"$page"

# ---- what has no row ----

names=$(functions)
[ "$(wc -w <<<"$names")" -ge 60 ] || fail "the libraries have only $(wc -w <<<"$names") functions: the comparison is wrong"
keys=$(sed -n 's/^ *X([a-z_]*, "\([a-z_]*\)",.*/\1/p' "$root/src/host/hints.h")
[ "$(wc -w <<<"$keys")" -ge 10 ] || fail "src/host/hints.h has only $(wc -w <<<"$keys") keys: the comparison is wrong"
attributes=$(sed -n 's/^ *case \(MPI_WIN_[A-Z_]*\):.*/\1/p' "$root/src/bind/object.c")
[ "$(wc -w <<<"$attributes")" -ge 5 ] || fail "src/bind/object.c has only $(wc -w <<<"$attributes") attributes: the comparison is wrong"
for name in $names $keys $attributes; do
  [ -n "${rows[$name]:-}" ] || fail "$name has no row"
done
for test in "${!registered[@]}"; do
  case $test in
    chapter.error.*.light.*) continue ;; # the same rows again
    chapter.error.*) [ -n "${tested[${test%.*}]:-}" ] || fail "the test ${test%.*} is in no row" ;;
  esac
done

[ "$failures" -eq 0 ] && echo "ok CHAPTER.md: $count rows"
[ "$failures" -eq 0 ]
