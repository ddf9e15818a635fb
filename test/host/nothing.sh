#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What statistics, traces and checks say of a program whose windows Proa has not served, and check mode without the library of instruments.
#
#   nothing.sh PROGRAM LAUNCH...     LAUNCH: test/launch and its arguments, but for --env and what follows
set -u
program=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# expect LINE WINDOWS LAUNCH... VARIABLE...: of both ranks together the line comes once; "": none of its kind.
expect() {
    local line=$1 windows=$2 found
    shift 2
    "$@" -- "$program" "$windows" >"$scratch/out" 2>&1 || {
        echo "FAILED: status $? of $* $windows"
        failed=1
    }
    found=$(grep -o 'proa: nothing to .*' "$scratch/out")
    [ "$found" = "${line:+proa: $line}" ] && return
    echo "FAILED: of $windows windows, ${*: -2}: \"$found\" instead of \"$line\""
    cat "$scratch/out"
    failed=1
}

expect "nothing to count (PROA_STATS): rank 0 has made no window" 0 "$@" --env PROA_STATS=1
expect "nothing to record (PROA_TRACE): rank 0 has made no window" 0 "$@" --env "PROA_TRACE=$scratch/trace"
expect "nothing to count (PROA_STATS): all windows of rank 0 (2) were left to the host MPI: PROA_DISABLE is set" 2 "$@" \
    --env PROA_STATS=1 --env PROA_DISABLE=1
expect "nothing to check (PROA_CHECK): all windows of rank 0 (2) were left to the host MPI: PROA_DISABLE is set" 2 "$@" \
    --env PROA_CHECK=1 --env PROA_DISABLE=1
expect "" 2 "$@" --env PROA_STATS=1

# lacks COMMAND...: check mode is off for want of the library of instruments, and one rank says so.
lacks() {
    "$@" >"$scratch/out" 2>&1 && [ "$(grep -c 'proa: PROA_CHECK needs libproa-instruments-' "$scratch/out")" = 1 ] &&
        ! grep -q 'proa: check:' "$scratch/out" && return
    echo "FAILED: $*"
    cat "$scratch/out"
    failed=1
}

# test/launch, which would add it, does not see this variable.
lacks "$@" -- env PROA_CHECK=1 "$program" 1
instruments=$(printf '%s\n' "$@" | sed -nE '/\/libproa-[a-z]+\.so/{s|/libproa-|&instruments-|p;q}')
[ -r "$instruments" ] || failed=1
# shellcheck disable=SC2016 # the ranks' variable
lacks "$@" -- sh -c 'LD_PRELOAD=$LD_PRELOAD:$0 PROA_CHECK=1 exec "$@"' "$instruments" "$program" 1
expect "" 0 "$@"
exit "$failed"
