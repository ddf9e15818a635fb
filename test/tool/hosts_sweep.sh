#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Which folders of other runs test/hosts removes: of a run that was killed, and not of one in another namespace of processes, whose number is none here.
set -u
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=cmake/hosts.sh
. "$here/../../cmake/hosts.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch

fail() {
  echo "FAILED: $1"
  exit 1
}

# No host of MPI is needed for a command within; any will do.
in_room() {
  "$here/../hosts" -h 1 --within "${hosts[0]}" 1 -- "$@"
}

# The number of a process that has ended.
sh -c 'echo $$' >"$scratch/ended"
ended=$(<"$scratch/ended")
mkdir "$scratch/proa-hosts.$ended.killed" "$scratch/proa-hosts.$ended.living" "$scratch/proa-hosts.$ended.fresh"
touch "$scratch/proa-hosts.$ended.killed/lock"
exec {lock}>"$scratch/proa-hosts.$ended.living/lock"
flock "$lock"

in_room true >"$scratch/said" 2>&1
status=$?
[ "$status" != 77 ] || { cat "$scratch/said" && exit 77; }
[ "$status" = 0 ] || fail "status $status: $(cat "$scratch/said")"
[ ! -e "$scratch/proa-hosts.$ended.killed" ] || fail "the folder of a run that was killed stays"
[ -e "$scratch/proa-hosts.$ended.living" ] || fail "the folder of a living run is gone"
[ -e "$scratch/proa-hosts.$ended.fresh" ] || fail "a folder that has just been made is gone"
# shellcheck disable=SC2016 # for the inner shell
in_room bash -c '! flock -n "$PROA_HOSTS_FOLDER_NOW/lock" true' >"$scratch/said" 2>&1 || fail "a run does not hold its lock: $(cat "$scratch/said")"
echo ok
