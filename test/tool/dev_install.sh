#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What ./dev does where packages are missing:  dev_install.sh DEV
#
# DEV is run with a PATH of stand-ins: an ordinary user on a machine where nothing is installed, with and without sudo. Nothing of the real
# machine can be changed, as its apt-get is out of sight.
set -u

dev=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "dev_install: $1"
  cat "$scratch/out"
  exit 1
}

# stand_in NAME LINE: a command that notes how it was called, and then does LINE.
stand_in() {
  printf '#!/bin/sh\necho "$0 $*" >>"%s/calls"\n%s\n' "$scratch" "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}

# Runs `dev build`; sets status, and says in out what was said and in calls which of the stand-ins were called.
run_dev() {
  : >"$scratch/calls"
  PATH=$scratch/bin "$BASH" "$dev" build >"$scratch/out" 2>&1
  status=$?
}

says() {
  grep -qE -- "$1" "$scratch/out" || fail "$2: it does not say: $1"
}

called() {
  grep -qE -- "^$scratch/bin/$1" "$scratch/calls"
}

mkdir "$scratch/bin"
for command in dirname nproc grep env; do
  ln -s "$(type -P "$command")" "$scratch/bin/$command"
done
stand_in dpkg-query 'exit 1'
stand_in id 'echo 1000'
stand_in apt-get 'exit 1'
stand_in cmake 'exit 1'
line='^ +apt-get update && apt-get install --no-install-recommends .*libmpich-dev.* libopenmpi-dev'

run_dev
[ "$status" -eq 1 ] || fail "without sudo: status $status"
says 'as root' "without sudo"
says "$line" "without sudo"
! called apt-get || fail "without sudo: apt-get is called all the same"
! called cmake || fail "without sudo: it goes on"

stand_in sudo 'exit 1'
run_dev
[ "$status" -eq 1 ] || fail "with a sudo that refuses: status $status"
called 'sudo apt-get update' || fail "sudo is not asked"
says "$line" "with a sudo that refuses"
! called cmake || fail "with a sudo that refuses: it goes on"

stand_in sudo 'exit 0'
run_dev
called 'sudo .*apt-get install .*libmpich-dev' || fail "sudo is not asked to install"
called cmake || fail "with a sudo that installs: it does not go on"

stand_in dpkg-query 'echo "install ok installed"'
run_dev
! called sudo || fail "where nothing is missing it asks sudo"
called cmake || fail "where nothing is missing it does not go on"
echo "ok dev_install"
