#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the watchdog of check mode tells:  hang.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM WAY
set -u

said=$(mktemp)
trap 'rm -f "$said" "$said.told"' EXIT
launch=()
while [ "$1" != -- ]; do
  launch+=("$1")
  shift
done
way=${!#}
ranks=2
level=1
[ "$way" != start ] || level=usage # the operation waits, which is left to the slow form then (bind/form.h)

fail() {
  echo "hang $way: $1"
  cat "$said"
  exit 1
}

# The program ends once the report is there.
"${launch[@]}" --env PROA_CHECK=$level --env PROA_CHECK_HANG=1 --env PROA_TEST_TOLD="$said.told" "$@" >"$said" 2>&1 &
while kill -0 $! 2>/dev/null; do
  sleep 0.2
  grep -q '^proa: hang:' "$said" && touch "$said.told"
done
wait $!

# says RANK TEXT: the line of that rank has the text.
says() {
  grep -q "^proa:   rank $1: .*$2" "$said" || fail "rank $1 is not told of: $2"
}
case $way in slow | late | reduce | halves | tell | early | copy)
  ! grep -q '^proa: hang:' "$said" || fail "a false alarm"
  grep -q '^ok hang' "$said" || fail "it did not end"
  echo "ok hang $way"
  exit
  ;;
esac
[ "$(grep -c '^proa: hang: all ranks wait, and none can go on' "$said")" -eq 1 ] || fail "it is not told once"
case $way in
fence)
  says 0 'MPI_Win_fence, at .*, for [1-9] s, waits for MPI_Win_fence of rank 1 (window "stuck")'
  says 1 'MPI_Win_allocate, at .*, for [1-9] s, waits for MPI_Win_allocate of rank 0'
  ;;
lock)
  says 0 'MPI_Win_lock, at .*, waits for a lock of rank 1'
  says 1 'MPI_Win_lock, at .*, waits for a lock of rank 0'
  ;;
start)
  says 0 'MPI_Win_free, at .*, waits for MPI_Win_free of rank 1'
  says 1 'MPI_Put, at .*, waits for MPI_Win_post of rank 0'
  ;;
receive)
  says 0 'MPI_Recv, at .*, waits for a message of rank 1$'
  says 1 'MPI_Win_lock, at .*, waits for a lock of rank 0 (window "stuck")'
  ;;
barrier)
  says 0 'MPI_Barrier, at .*, waits for MPI_Barrier of rank 1$'
  says 1 'MPI_Win_wait, at .*, waits for MPI_Win_complete of rank 0'
  ;;
swap)
  says 0 'MPI_Sendrecv, at .*, waits for messages of rank 1$'
  says 1 'MPI_Sendrecv, at .*, waits for messages of rank 0$'
  ;;
request)
  says 0 'MPI_Wait, at .*, waits for a message of rank 1$'
  says 1 'MPI_Win_fence, at .*, waits for MPI_Win_fence of rank 0'
  ;;
dup)
  says 0 'MPI_Barrier, at .*, waits for MPI_Barrier of rank 1$'
  says 1 'MPI_Barrier, at .*, waits for MPI_Barrier of rank 0$'
  ;;
ring)
  says 0 'MPI_Barrier, at .*, waits for MPI_Barrier of rank 1$'
  says 1 'MPI_Barrier, at .*, waits for MPI_Barrier of rank 2$'
  says 2 'MPI_Barrier, at .*, waits for MPI_Barrier of rank 0$'
  grep -q '^proa:   cycle: rank 0 waits for rank 1, which waits for rank 2, which waits for rank 0' "$said" || fail "no cycle of three"
  ranks=3
  ;;
esac
grep -q '^proa:   cycle: rank [012] waits for rank [012], which waits for rank [012]' "$said" || fail "no cycle"
[ "$(grep -c '^proa:   rank [012]: .*, at .*\(:\|+0x\)[0-9a-f]* (' "$said")" -eq "$ranks" ] || fail "no places"
echo "ok hang $way"
