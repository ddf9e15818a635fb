#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One binary of the standard ABI under each MPI that has it, with Proa:  one_binary.sh PROA HEAT HOST...
#
# PROA is the command; HEAT is examples/heat, which checks its own result, made for one of the hosts. The pictures have to be the same.
set -u
# shellcheck source=cmake/hosts.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/hosts.sh"
proa=$1 heat=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
host_allow_root

for host in "$@"; do
  for variable in ${host_fact[$host.crowded_environment]} ${host_fact[$host.here_environment]}; do
    export "${variable?}"
  done
  PROA_LOG=2 timeout 300 "$proa" run --mpi "$host" -n 2 "$heat" --size 120x90 --steps 100 --picture "$scratch/$host" >"$scratch/out" 2>&1 </dev/null || {
    echo "one_binary: under $host: status $?"
    cat "$scratch/out"
    exit 1
  }
  if grep -q 'left to the host' "$scratch/out" || ! cmp "$scratch/$1" "$scratch/$host"; then
    echo "one_binary: under $host windows are the host's, or the picture is another"
    cat "$scratch/out"
    exit 1
  fi
done
echo "ok one_binary: $*"
