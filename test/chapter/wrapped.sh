#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that are started by scripts and other programs, which have Proa preloaded too:  wrapped.sh HOST PROGRAM LAUNCH...
#
# LAUNCH... is the beginning of a command that starts MPI programs with Proa preloaded, in three ranks. PROGRAM is absent, all of whose windows must be Proa's.
# PROA_TEST_REPEAT: how often each of the ways below is gone; without it some of them are, once. PROA_TEST_WAYS: these ways. PROA_TEST_USER: if this is
# root, that user goes them.
set -u
# shellcheck source=cmake/hosts.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/hosts.sh"

host=$1 program=$2
shift 2
[ "$(id -u)" -ne 0 ] || host_allow_root
for variable in ${host_fact[$host.crowded_environment]}; do
  export "${variable?}"
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
as_user=()
if [ -n "${PROA_TEST_USER:-}" ] && [ "$(id -u)" -eq 0 ]; then
  as_user=(setpriv --reuid "$PROA_TEST_USER" --regid "$PROA_TEST_USER" --clear-groups env HOME="$scratch" TMPDIR="$scratch")
  chmod 777 "$scratch"
fi

fail() {
  echo "wrapped $way: $1"
  cat "$scratch/out" "$scratch/err"
  exit 1
}

# ---- what starts a rank's program ----

# Helpers in the background, more than one, and the program between pipes.
cat >"$scratch/monitor" <<'END'
#!/bin/bash
for helper in 1 2 3 4; do
  sleep 100 &
done
trap 'kill $(jobs -p)' EXIT
: | "$@" | tee /dev/null
exit "${PIPESTATUS[1]}"
END

# The same, on every other rank.
cat >"$scratch/odd" <<'END'
#!/bin/bash
rank=${PMIX_RANK:-${PMI_RANK:-}}
[ $((rank % 2)) -eq 0 ] || exec "${0%/*}/monitor" "$@"
exec "$@"
END

# What comes and goes while the program starts.
cat >"$scratch/busy" <<'END'
#!/bin/bash
while :; do
  /bin/true
done &
trap 'kill %1' EXIT
"$@"
END

# As `conda run` does: a script is written, which makes the environment and starts the program.
cat >"$scratch/activated" <<'END'
#!/bin/bash
script=$(mktemp "${TMPDIR:-/tmp}/activated.XXXXXX")
trap 'rm -f "$script"' EXIT
printf '. <(echo export PROA_TEST_WORD=active)\n' >"$script"
printf '%q ' "$@" >>"$script"
bash "$script"
END

cat >"$scratch/runner.py" <<'END'
import subprocess
import sys
sys.exit(subprocess.call(sys.argv[1:], close_fds=False))
END

cat >"$scratch/replaced.py" <<'END'
import os
import sys
os.execv(sys.argv[1], sys.argv[1:])
END
chmod 755 "$scratch"/*

declare -A words=([monitor]=$scratch/monitor [odd]=$scratch/odd [busy]=$scratch/busy [activated]=$scratch/activated
  [shell]=/bin/bash [env]="env PROA_TEST_WORD=1" [timeout]="timeout 100" [nice]="nice -n 1"
  [python]="env PYTHONPATH=$scratch PYTHONDONTWRITEBYTECODE=1 python3 -m runner"
  [replaced]="env PYTHONPATH=$scratch PYTHONDONTWRITEBYTECODE=1 python3 -m replaced"
  [numactl]="numactl --localalloc" [taskset]="taskset ffffffff" [setarch]="setarch -R")

# ---- each way ----

# Has this machine the way's own program?
is_possible() {
  local word
  for word in ${words[$1]}; do
    case $word in
      numactl | python3) type -P "$word" >/dev/null || return 1 ;;
    esac
  done
}

# The words before the program, in `start`.
start_of() {
  # shellcheck disable=SC2206 # words are words
  start=(${words[$1]})
  # shellcheck disable=SC2016 # the inner shell's
  [ "$1" != shell ] || start+=(-c '"$@"; exit $?' shell)
}

# What a rank that was taken to be absent would leave to the host is said at this level.
go() {
  start_of "$way"
  : >"$scratch/out"
  PROA_LOG=2 "${as_user[@]}" "$@" "${start[@]}" "$program" all >"$scratch/out" 2>"$scratch/err" || fail "status $?, at time $time"
  grep -qF "ok absent all" "$scratch/out" || fail "no result, at time $time"
  ! grep -qF "left to the host" "$scratch/err" || fail "a window is not Proa's, at time $time"
}

ways="monitor odd activated env python"
[ -z "${PROA_TEST_REPEAT:-}" ] || ways="monitor odd busy activated shell env timeout nice python replaced numactl taskset setarch"
gone=0
for way in ${PROA_TEST_WAYS:-$ways}; do
  is_possible "$way" || continue
  for ((time = 1; time <= ${PROA_TEST_REPEAT:-1}; time++)); do
    go "$@"
    gone=$((gone + 1))
  done
done
echo "$gone times"
