#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of proa's subcommands but `run`, one per call:  command.sh CASE PROA ROOT HOST...
#
# CASE is the name of a function below, PROA the command in its build folder, ROOT the sources' folder, and HOST... those that were built.
set -u

case_name=$1 proa=$2 root=$3
shift 3
built=("$@")
# shellcheck source=test/tool/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh" "$case_name" "$proa"
unset PROA_LIBDIR
export ASAN_OPTIONS=detect_leaks=0 # the hosts leak, and so does a command that ends soon

# Of a JSON file: what a Python expression of the document `d` gives.
ask() {
  python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
settings = {s["variable"]: s for s in d["settings"]}
hosts = {h["name"]: h for h in d["hosts"]}
print(eval(sys.argv[2]))' "$scratch/out" "$1" 2>"$scratch/err" || fail "no answer to $1"
}

help() {
  local command
  for command in run info doctor; do
    proa "$command" --help
    expect_status 0
    expect '[Uu]sage: proa '"$command"
  done
  proa --help
  expect_status 0
  expect '^  doctor +look for'
  proa
  expect_status 2
  proa info extra
  expect_status 2
  grep -q 'too many words: extra' "$scratch/err" || fail "it does not say what is wrong"
  proa doctor -n 0
  expect_status 2
}

info() {
  local host
  PROA_LOG=9 PROA_TIMEOUT=7 PROA_LOGG=2 proa info
  expect_status 0
  expect '^proa [0-9]+\.[0-9]+\.[0-9]+'
  for host in "${built[@]}"; do
    expect "^  $host +[^ ]"
    grep -qE "^  $host +not here" "$scratch/out" && fail "it does not find $host"
  done
  expect "^  PROA_LOG +1 \(refused '9', default 1\); 0 to 3"
  expect '^  PROA_TIMEOUT +7 \(environment, default 60\)'
  expect '^  PROA_STRICT +0 \(default\)'
  expect '^  PROA_LOGG +is no setting'
}

# What is not taken is not told of as taken.
no_network() {
  PROA_NET=none proa info
  expect_status 0
  grep -q '^  Proa takes' "$scratch/out" && fail "it takes a network that it may not use"
  expect '^  none: '
  PROA_NET=none proa doctor
  expect '^  note +network'
}

json() {
  local host
  command -v python3 >/dev/null || exit 77
  PROA_PROVIDER='a "b\c' PROA_STRICT=yes proa info --json
  expect_status 0
  [ "$(ask 'settings["PROA_PROVIDER"]["value"]')" = 'a "b\c' ] || fail "a text has not come through"
  [ "$(ask 'settings["PROA_STRICT"]["origin"], settings["PROA_STRICT"]["value"]')" = "('refused', '0')" ] || fail "PROA_STRICT"
  [ "$(ask 'settings["PROA_MPI"]["read_by"]')" = 'proa run' ] || fail "PROA_MPI"
  for host in "${built[@]}"; do
    [ -f "$(ask "hosts['$host']['proa_library']")" ] || fail "no library for $host"
    [ "$(ask "len(hosts['$host']['version']) > 3")" = True ] || fail "no version of $host"
  done
}

# Every host is tried out. What else this machine has to say is its own affair, but nothing may be broken.
doctor() {
  local host
  proa doctor
  [ "$status" -le 1 ] || fail "status $status"
  for host in "${built[@]}"; do
    expect "^  ok +$host +2 ranks: fence"
  done
  expect '^  ok +memfd'
  expect '^  ok +futex'
}

doctor_costs() {
  (
    ulimit -f 4000000 # less would keep the hosts from working
    PROA_ADOPT=nver "$proa" doctor -n 1000 </dev/null 2>"$scratch/err" | cat >"$scratch/out"
    exit "${PIPESTATUS[0]}"
  )
  status=$?
  expect_status 1
  expect '^  COSTS +size of files'
  expect '^  COSTS +setting +PROA_ADOPT=nver is not auto, always or never'
  expect '^  note +processors +[0-9]+ for 1000 ranks'
}

# A host of which Proa's library is missing, or another's launcher is taken.
doctor_broken() {
  PROA_LIBDIR=$scratch proa doctor
  expect_status 3
  expect "^  BROKEN +${built[0]} "
  expect '-> install it'
  PROA_MPIEXEC=false proa doctor
  expect_status 3
  expect "^  BROKEN +${built[0]} +two ranks fail, status 1"
}

report() {
  proa doctor --report
  expect '^kernel: Linux '
  expect '^processor: '
  expect '^Settings'
  expect '^Hosts'
  [ "$(grep -c '^```$' "$scratch/out")" -eq 2 ] || fail "it is no Markdown"
  ! grep -qwF "$(uname -n)" "$scratch/out" || fail "it tells the machine's name"
}

# The manual and test/README.md have the table as it is.
settings() {
  "$root/tools/settings" --check "$proa" >"$scratch/out" 2>"$scratch/err" || fail "the manual does not have the table: tools/settings $proa"
}

"$case_name"
