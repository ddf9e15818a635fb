#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Each command of `./dev help` in its smallest form, on a build that is there:  dev_commands.sh COMMAND ROOT BUILD HOST...
#
# So a command that stops working is noticed. Of a benchmark the figures are looked at: they are there, and between hosts a put takes microseconds.
# Those that build for minutes are run by .ci/run in turn: deb, lint, mutate.
case=$1 root=$2 build=$3
shift 3
hosts=("$@")
host=$1
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=test/tool/expect.sh
. "$here/expect.sh" "dev_commands $case" ./dev

# dev WORD...: its output, and its status, for which a skip is one.
dev() {
  (cd "$root" && PROA_DEV_BUILD=$build ./dev "$@") </dev/null >"$scratch/out" 2>"$scratch/err"
  status=$?
  [ "$status" -ne 77 ] || { tail -n 1 "$scratch/out" "$scratch/err"; exit 77; }
}

# figures_of REGEX: the numbers behind what it matches in the output, each a figure above 0.
expect_figures() {
  local figures
  figures=$(sed -nE "s/$1//p" "$scratch/out")
  [ -n "$figures" ] || fail "there is no row: $1"
  ! grep -qE '(^|[ =])(-|nan|inf|crash|timeout|host|wrong|misplaced|fails|0|0\.0+)( |$)' <<<"$figures" || fail "a figure is missing: $figures"
}

help() {
  dev help
  expect_status 0
  local command
  # Each command of the help has a case here or stands in the list above.
  for command in $(sed -nE 's/^\.\/dev ([a-z]+).*/\1/p' "$scratch/out" | sort -u); do
    case $command in
    demo | hosts | faults | fabrics | crowd | alarms | prove | simulate | bench | instructions) grep -q "^$command" "$here/dev_commands.sh" || fail "$command has no case" ;;
    test | build | check | sites | clients | fuzz | deb | lint | mutate) ;; # by the tests themselves, and .ci/run
    *) fail "no test runs ./dev $command" ;;
    esac
  done
  dev helq
  expect_status 2
}

demo() {
  dev demo --quick --examples "queue"
  expect_status 0
  expect "^$host +queue +2 .* equal "
}

hosts() {
  dev hosts -h 2 --mpi "$host" mpi.op_move
  expect_status 0
  expect "^== $host, 2 hosts"
}

faults() {
  dev faults --count 1 --seed 3
  expect_status 0
}

fabrics() {
  dev fabrics --quick --only unit tcp
  expect_status 0
  expect '^ok +tcp +unit'
}

crowd() {
  dev crowd --nodes 2 --ranks 8 "$host"
  expect_status 0
  expect '^crowd: the others live'
}

alarms() {
  local test
  test=mpi.fence_ring.$host.n2
  dev alarms -R "^$test\$"
  expect_status 0
  expect '^sweep: 1 tests, 0 reports'
}

prove() {
  dev prove --quick doorbell
  expect_status 0
  expect 'all as they should be$'
}

simulate() {
  dev simulate --ranks 64 fence
  expect_status 0
  expect 'fence'
}

bench() {
  dev bench --mpi "$host" --repeat 1 --loops 3 allocate.put
  expect_status 0
  expect_figures '^allocate\.put +'
}

bench_hosts() {
  dev bench hosts --hosts "$host" --repeat 1 --cases allocate.put --cases tcp.polled
  expect_status 0
  # columns: alone, which may fail over TCP, then Proa, in microseconds
  awk '$1 == "allocate.put" { put = $3 } $1 == "tcp.polled" { tcp = $2 } END { exit !(put > 1 && tcp > 1) }' "$scratch/out" ||
    fail "a put or a byte by TCP between two hosts takes no microsecond"
}

bench_growth() {
  dev bench growth --hosts "$host" --ranks 2 --repeat 1
  expect_status 0
  expect_figures '^ +2 +'
}

bench_beside() {
  dev bench beside --hosts "$host" --ranks 2 --busy 0 --rounds 20 --repeat 1
  expect_status 0
  expect_figures "^$host +2 +0 +"
}

bench_stats() {
  dev bench stats --hosts "$host" --examples heat --repeat 1 --times 1
  expect_status 0
  expect_figures "^heat +$host +"
}

bench_check() {
  dev bench check --hosts "$host" --examples "stencil" --repeat 1
  expect_status 0
  expect_figures "^stencil +$host +"
}

bench_trace() {
  dev bench trace --hosts "$host" --examples heat --repeat 1
  expect_status 0
  expect_figures "^$host put +"
  expect_figures "^heat +$host +"
}

bench_clients() {
  dev bench clients --repeat 1
  [ "$status" -ne 2 ] || { echo "neither mpi4py nor PETSc is installed"; exit 77; }
  expect_status 0
}

# Figures that a run by the host alone would give are no figures.
bench_by_host() {
  PROA_DISABLE=1 dev bench stats --hosts "$host" --examples heat --repeat 1 --times 1
  expect_status 1
  expect 'does not run'
  grep -q 'no figure: Proa serves no window' "$scratch/err" || fail "it does not tell why"
}

instructions() {
  dev instructions --cases "put*" --iterations 10
  expect_status 0
  expect_figures '^put +'
}

"$case"
