# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# The processes of a test, and when they count as hung: for test/launch and test/within, which source this file.
#
# Every process of a run is known by PROA_LAUNCH_MARK in its environment: process groups and parents change (both hosts put ranks
# into groups of their own, and ranks whose launcher died go to init), the environment stays. Only what is tested has the mark.
declare +x PROA_LAUNCH_MARK # of a run that this one is part of

# Processes of this run.
members() {
  local path
  for path in $(grep -lzFx "PROA_LAUNCH_MARK=$PROA_LAUNCH_MARK" /proc/[0-9]*/environ 2>/dev/null); do
    echo "${path//[!0-9]/}"
  done
}

# Twice, because a process that is killed while it starts another one leaves that behind.
kill_members() {
  local round pids
  for round in 1 2; do
    pids=$(members)
    [ -n "$pids" ] || return 0
    # shellcheck disable=SC2086 # pids are words
    kill -KILL $pids 2>/dev/null
    sleep 0.05
  done
}

# Prints the processor time of the members, and of processes that they have waited for, in hundredths of a second, and how many threads want a
# processor or wait for a disk now.
spent() {
  local pid processes=() threads=()
  for pid in $(members); do
    processes+=("/proc/$pid/stat")
    threads+=("/proc/$pid/task/"*"/stat")
  done
  { cat "${processes[@]}"; echo; cat "${threads[@]}"; } 2>/dev/null </dev/null | awk -v hz="$(getconf CLK_TCK)" '
    !NF { threads = 1; next }
    { sub(/.*\) /, "") }
    threads { busy += $1 == "R" || $1 == "D"; next }
    { ticks += $12 + $13 + $14 + $15 }
    END { printf "%d %d\n", 100 * ticks / hz, busy }'
}

# await_hang SECONDS PROCESSORS [STEPS]: returns when the members have used SECONDS of that many processors since STEPS, a file, has changed last, or
# have stood still for so long, and prints which. They stand still while they use less than a tenth of a processor, and no thread waits for one: so
# a machine with much other work takes no time from them.
await_hang() {
  local seconds=$1 processors=$2 steps=${3:-} pause period=5 step last='' now busy before=0 gained used=0 still=0
  exec {pause}<> <(:) # to wait without a process that outlives this one
  [ "$seconds" -ge "$period" ] || period=$seconds
  while [ "$used" -lt $((100 * seconds * processors)) ] && [ "$still" -lt "$seconds" ]; do
    read -rt "$period" -u "$pause"
    read -r now busy < <(spent)
    gained=$((now > before ? now - before : 0)) before=$now
    used=$((used + gained))
    [ "$busy" -gt 0 ] || [ "$gained" -ge $((10 * period)) ] || still=$((still + period))
    step=
    [ -z "$steps" ] || step=$(stat -c %.Y "$steps" 2>/dev/null)
    [ "$step" = "$last" ] || used=0 still=0
    last=$step
  done
  echo "used $((used / 100)) s of processor time and stood still for $still s"
}
