#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of which one runs without Proa, or comes late, and what is said of it:  absent.sh HOW PROGRAM LAUNCH...
#
# LAUNCH... starts MPI programs with Proa preloaded; PROGRAM is absent, or session. HOW it is:
#   preload   rank 1 has dropped LD_PRELOAD, in a shell that had it
#   kept      rank 1 has, and a shell and its helpers that still have it stay
#   mpmd      rank 1 is another program of the command line (LAUNCH is for one rank, and ends so that its program may follow)
#   past      rank 1 has it, but starts MPI past Proa's MPI_Init
#   session   as preload, in a program without MPI_Init
#   late      all have Proa, but do not know so
#   unchecked all have Proa, and rank 1 alone is not in check mode
#   checked   as preload, in check mode
set -u
# shellcheck source=cmake/hosts.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/hosts.sh"
[ "$(id -u)" -ne 0 ] || host_allow_root
for host in "${hosts[@]}"; do
  for variable in ${host_fact[$host.crowded_environment]}; do
    export "${variable?}"
  done
done

how=$1 program=$2
shift 2
export ASAN_OPTIONS=detect_leaks=0 # the host leaks
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "absent $how: $1"
  cat "$scratch/out" "$scratch/err"
  exit 1
}

# How often standard error has a sentence.
expect_times() {
  local count
  count=$(grep -acF -- "$2" "$scratch/err")
  [ "$count" -eq "$1" ] || fail "$count times, not $1: $2"
}

# Other libraries of the preload stay, such as what mends MPICH between hosts.
cat >"$scratch/without" <<'END'
#!/bin/bash
LD_PRELOAD=$(tr ':' '\n' <<<"$LD_PRELOAD" | grep -v libproa- | paste -sd:)
exec "$@"
END

cat >"$scratch/kept" <<'END'
#!/bin/bash
for helper in 1 2 3 4; do
  sleep 100 &
done
trap 'kill $(jobs -p)' EXIT
"${0%/*}/without" "$@"
END

cat >"$scratch/unchecked" <<'END'
#!/bin/bash
unset PROA_CHECK
exec "$@"
END

cat >"$scratch/rank1" <<'END'
#!/bin/bash
start=$1
shift
[ "${PMIX_RANK:-${PMI_RANK:-}}" = 1 ] || exec "$@"
exec "$start" "$@"
END
chmod +x "$scratch"/*

# The same for a program of its own on the command line, which Open MPI gives no variables that another has.
preload_of() {
  local preload='' word previous=''
  for word in "$@"; do
    [ "$previous" != --preload ] || preload=${preload:+$preload:}$word
    previous=$word
  done
  echo "${preload:+LD_PRELOAD=$preload}"
}

# The mpiexec of Open MPI 5.0.7 crashes on any command line with several programs.
if [ "$how" = mpmd ] && ! "$@" true : -n 1 true >/dev/null 2>&1; then
  echo "skipped: the launcher cannot start two programs"
  exit 77
fi

way=some
preload=$(preload_of "$@")
case $how in
  preload) command=("$scratch/rank1" "$scratch/without" "$program" some) ;;
  kept) command=("$scratch/rank1" "$scratch/kept" "$program" some) ;;
  mpmd) command=("$program" some : -n 1 "$scratch/without" "$program" some : -n 1 env ${preload:+"$preload"} "$program" some) ;;
  past) command=("$program" past) ;;
  session) command=("$scratch/rank1" "$scratch/without" "$program" alone) ;;
  late) command=("$program" late "$scratch/err") way=late ;;
  checked) command=(env PROA_CHECK=1 "$scratch/rank1" "$scratch/without" "$program" some) ;;
  unchecked) export PROA_CHECK=1; command=("$scratch/rank1" "$scratch/unchecked" "$program" all) way=unchecked ;;
esac
: >"$scratch/err"
"$@" "${command[@]}" >"$scratch/out" 2>>"$scratch/err"
status=$?
[ "$status" -ne 77 ] || exit 77
[ "$status" -eq 0 ] || fail "status $status"
if [ "$way" = unchecked ]; then
  expect_times 1 "proa: check mode is off: ranks 0 and 1 differ in PROA_CHECK"
  expect_times 0 "proa: check: "
elif [ "$way" = some ]; then
  expect_times 1 "proa: ranks of this job run without Proa: 1; windows with them are left to the host MPI: start all ranks by \`proa run\`, or with the same LD_PRELOAD"
  expect_times 0 "has waited"
else
  expect_times 1 "proa: creating a window has waited 10 s for the other ranks: does one of them run without Proa?"
fi
