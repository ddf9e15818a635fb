#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Check mode tells nothing of random programs that are correct, with a quarter of the epochs of their loads and stores either, and of one synchronization that is left out:
#   random.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM EPOCHS SEED
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

program=$1 epochs=$2 seed=$3

# told EPOCHS [FAULT]: how many reports there are.
told() {
  said=$("${launch[@]}" --env PROA_CHECK="$level" -- "$program" "$1" "$seed" "${@:2}" 2>&1)
  case $said in
    *"ok random"*) ;;
    *) echo "$said"; echo "random: the run fails"; exit 1 ;;
  esac
  grep -cE '^(\[[0-9]+\] )?proa: (race|misuse|hang):' <<<"$said"
}

for level in memory 1; do
  many=$epochs
  [ "$level" = 1 ] || many=$(((epochs + 3) / 4))
  count=$(told "$many") || { [ "$count" = 0 ] || { echo "$count"; exit 1; }; }
  [ "$count" = 0 ] || {
    "${launch[@]}" --env PROA_CHECK="$level" -- "$program" "$many" "$seed" 2>&1
    echo "random: a false alarm, with PROA_CHECK=$level and seed $seed"
    exit 1
  }
done
# A run in which ranks come late may order them by other ways, so there are three tries.
for fault in fence lock barrier flush counter; do
  for _ in 1 2 3; do
    count=$(told 1 "$fault")
    [ "$count" = 0 ] || break
  done
  [ "$count" -gt 0 ] 2>/dev/null || { echo "random: nothing is told without the $fault: $count"; exit 1; }
done
echo "ok random: $epochs epochs, seed $seed"
