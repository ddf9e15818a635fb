#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Who is stopped by a compiler's warning: developers, never a user:  warnings.sh CMAKE ROOT BUILD [OPTION OF CMAKE]...
#
# Looks at the commands by which each preset would compile all but the tests: in one folder, as the compiler is looked at once then. The commands
# for the tests are those of BUILD, which has one of the two ways.
set -u

cmake=$1 root=$2 build=$3
shift 3
options=("$@")
command -v ninja >/dev/null || { echo "no ninja here, which the presets use: not looked at"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# errors BUILD: how its commands treat warnings: all, none or some of them by -Werror.
errors() {
  local commands with
  commands=$(grep -c '"command":' "$1/compile_commands.json")
  with=$(grep '"command":' "$1/compile_commands.json" | grep -c -- ' -Werror ')
  [ "$commands" -ge 20 ] || { echo "warnings: $1 has only $commands commands" >&2; exit 1; }
  case $with in
    0) echo none ;;
    "$commands") echo all ;;
    *) echo some ;;
  esac
}

configure() {
  (cd "$root" && "$cmake" --preset "$1" -B "$scratch/build" -DBUILD_TESTING=OFF "${options[@]}") >"$scratch/out" 2>&1 || {
    cat "$scratch/out" >&2
    exit 1
  }
}

all=$(errors "$build") || exit 1
[ "$all" != some ] || { echo "warnings: $build has -Werror in some of its commands"; exit 1; }
configure release
users=$(errors "$scratch/build") || exit 1
[ "$users" = none ] || { echo "warnings: a user's build (preset release) stops at a warning: -Werror in $users of its commands"; exit 1; }
configure gcc
developers=$(errors "$scratch/build") || exit 1
[ "$developers" = all ] || { echo "warnings: preset gcc has -Werror in $developers of its commands"; exit 1; }
! grep '"command":' "$scratch/build/compile_commands.json" | grep -qv -- ' -Wno-error=deprecated-declarations ' ||
  { echo "warnings: preset gcc stops where a newer MPI deprecates a call"; exit 1; }
echo "ok warnings"
