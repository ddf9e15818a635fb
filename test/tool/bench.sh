#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of `proa bench`, one per call:  bench.sh CASE PROA HOST...
#
# CASE is the name of a function below, PROA the command in its build folder, HOST... those that were built. None looks at how long something took:
# what is said of figures is tried with figures that are made up.
set -u

case_name=$1 proa=$2
shift 2
built=("$@")
parts=$(dirname "$proa")/../../bench
# shellcheck source=test/tool/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh" "bench $case_name" "$proa"
unset PROA_LIBDIR
export TMPDIR=$scratch # where it keeps what went wrong

bench() {
  proa bench "$@"
}

# As little as can be measured; if possible by an MPI whose target need not help, which takes long on a machine that is busy.
host=${built[0]}
[[ " ${built[*]} " != *" openmpi "* ]] || host=openmpi
tiny=(--mpi "$host" --timeout 60 --loops 3 --loop-us 20 --repeat 1)

expect_error() {
  expect_status 2
  [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "not one line of error"
  grep -qF -- "proa bench: $1" "$scratch/err" || fail "error does not say: $1"
  [ ! -s "$scratch/out" ] || fail "it says something besides"
}

row() {
  bench "${tiny[@]}" allocate.put
  expect_status 0
  expect '^allocate\.put +[0-9.]+ [nu]s +[0-9.]+ [nu]s +[0-9.]+ [nu]s +[0-9.]+ +[0-9.]+$'
  expect '^One round only'
  ! ls -d "$scratch"/proa-bench.* 2>"$scratch/err" || fail "it leaves something behind"
}

# Every row checks what the windows hold at the end; here one of each way to do so.
checked() {
  bench "${tiny[@]}" halo_fence counter_4 allocate.accumulate.4 shared.put
  expect_status 0
  [ "$(grep -cE '^[a-z]+\.[a-z_0-9.]+ +[0-9.a-z]+( [nums]*)? +[0-9.]+ ' "$scratch/out")" -eq 4 ] || fail "not four rows with figures with Proa"
}

# What an MPI cannot do is told of, and what that said is kept.
failure() {
  PROA_LIBDIR=$scratch bench "${tiny[@]}" --repeat 2 allocate.put
  expect_status 1
  expect '^allocate\.put +[0-9.]+ [nu]s +crash +[0-9.]+ [nu]s'
  expect "^  allocate\.put, Proa $host: crash, proa run: no libproa"
  grep -q 'no libproa' "$scratch"/proa-bench.*/allocate.put-Proa-*.log || fail "what it said is not kept"
}

# By Slurm's launcher and its options, for the MPI alone and with Proa; the host's own launcher stands for it.
by_srun() {
  # shellcheck source=cmake/hosts.sh
  . "$(dirname "${BASH_SOURCE[0]}")/../../cmake/hosts.sh"
  cat >"$scratch/srun" <<END
#!/bin/bash
echo "\$*" >>"$scratch/lines"
while [[ \$1 = -* ]]; do
  case \$1 in
    -n) ranks=\$2 && shift ;;
    -N) shift ;;
  esac
  shift
done
exec "$(host_launcher "$host" "$(dirname "$proa")/../..")" ${host_fact[$host.crowded_options]} -n "\$ranks" "\$@"
END
  chmod +x "$scratch/srun"
  PROA_MPIEXEC=$scratch/srun bench "${tiny[@]}" allocate.put
  expect_status 0
  expect '^allocate\.put +[0-9.]+ [nu]s +[0-9.]+ [nu]s +[0-9.]+ [nu]s +[0-9.]+ +[0-9.]+$'
  cp "$scratch/lines" "$scratch/out"
  expect '^-n 2 -N 1 --(cpu-bind=cores|overcommit) [^ ]+/rma '
  expect "^-n 2 -N 1 --(cpu-bind=cores|overcommit) [^ ]+/proa exec --mpi $host -- [^ ]+/rma "
}

refused() {
  bench --sail
  expect_error "unknown option --sail"
  bench --repeat
  expect_error "--repeat wants a value"
  bench --repeat 0
  expect_error "--repeat wants a number from 1 on, not '0'"
  bench --timeout=x
  expect_error "--timeout wants a number from 1 on, not 'x'"
  bench --figure best
  expect_error "--figure is min or median"
  bench --mpi lam
  expect_error "no MPI 'lam'"
  bench no.such.row
  expect_error "no row is called no.such.row"
}

list() {
  bench --list
  expect_status 0
  expect '^allocate\.put 2$'
  expect '^create\.put 2$'
  local all quick
  all=$(wc -l <"$scratch/out")
  bench --list --quick
  quick=$(wc -l <"$scratch/out")
  [ "$quick" -ge 10 ] && [ "$quick" -lt "$all" ] || fail "$quick of $all rows are quick"
  # none of the names that the script has for --quick is unknown
  [ "$quick" -eq "$(sed -n "/^quick_rows='/,/'\$/p" "$parts/run" | tr -d "'" | sed 's/quick_rows=//' | wc -w)" ] || fail "a quick row is unknown"
  bench --list '*.lock' get
  expect '^static\.lock 2$'
  expect '^dynamic\.get 2$'
  ! grep -q put "$scratch/out" || fail "it lists what was not asked for"
  bench --help
  expect '^usage: proa bench '
}

# Ctrl-C: the terminal's signal to all in the foreground. Nothing of the job may be left.
interrupt() {
  local tenth mark=PROA_TOOL_MARK=$$.$RANDOM job
  env --default-signal=INT "$mark" setsid "$proa" bench --mpi "$host" idle.pingpong allocate.put </dev/null >"$scratch/out" 2>"$scratch/err" &
  job=$!
  for ((tenth = 0; tenth < 200; tenth++)); do
    ls "$scratch"/proa-bench.*/*.log >/dev/null 2>&1 && break
    sleep 0.1
  done
  [ "$tenth" -lt 200 ] || fail "it has not begun"
  kill -INT -- "-$job"
  wait "$job"
  status=$?
  expect_status 130
  ! grep -lzFx "$mark" /proc/[0-9]*/environ 2>/dev/null || fail "something of the job is left"
  ! ls -d "$scratch"/proa-bench.* 2>/dev/null || fail "its folder is left"
}

# ---- of made up figures ----

# part NAME OPTION...: a part of the script on the figures that stand in "$scratch/figures".
part() {
  awk -v names='mpich openmpi' -f "$parts/figures.awk" -f "$parts/$1.awk" "${@:2}" "$scratch/figures" >"$scratch/out" 2>"$scratch/err" || fail "$1 fails"
}

make_figures() {
  cat >"$scratch/figures" <<'END'
allocate.put 1 native-mpich 400
allocate.put 1 Proa-mpich 10
allocate.put 1 native-openmpi 30
allocate.put 1 Proa-openmpi crash
allocate.put 1 limit 2
allocate.put 2 native-mpich 500
allocate.put 2 Proa-mpich 20
allocate.put 2 native-openmpi 50
allocate.put 2 limit 5
allocate.fence 1 native-mpich 900
allocate.fence 1 Proa-mpich 210
allocate.fence 1 native-openmpi 100
allocate.fence 1 Proa-openmpi 120
allocate.fence 2 native-mpich 950
allocate.fence 2 Proa-mpich 200
allocate.fence 2 native-openmpi 130
allocate.fence 2 Proa-openmpi 140
idle.pingpong 1 native-mpich 300
idle.pingpong 1 Proa-mpich 300
idle.pingpong 1 native-openmpi 100
idle.pingpong 1 Proa-openmpi 102
idle.pingpong 2 native-mpich 310
idle.pingpong 2 Proa-mpich 290
idle.pingpong 2 native-openmpi 101
idle.pingpong 2 Proa-openmpi 103
END
}

# The median of the rounds, and of their ratios.
medians() {
  make_figures
  part row -v name=allocate.put
  expect '^allocate\.put +450 ns +15\.0 ns +40\.0 ns +crash +3\.50 ns +0\.37 +- +4\.50 +-$'
}

# Rounds that overlap say nothing, nor does less than 3 percent; and without windows the MPI is the one that it is on.
behind() {
  make_figures
  part behind
  expect '^  allocate\.fence +mpich \+ Proa 205 ns, openmpi alone 115 ns \(1\.78 times\)$'
  [ "$(wc -l <"$scratch/out")" -eq 2 ] || fail "more is behind"
}

# As -v of awk: what the script tells of the run.
about=(-v proa=1.2 -v began=then -v processors=2 -v 'mpi=mpich|/bin/my mpiexec|4.0;' -v 'processor=a "fast" one' -v wanted='allocate.put 2 allocate.fence 2 idle.pingpong 2')

# Of the JSON in "$scratch/json": what a Python expression of the document `d` gives.
ask() {
  python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
figures = {(f["row"], f["by"], f["proa"]): f for f in d["figures"]}
print(eval(sys.argv[2]))' "$scratch/json" "$1"
}

expect_json() {
  local is
  is=$(ask "$1")
  [ "$is" = "$2" ] || fail "in JSON, $1 is '$is', not '$2'"
}

json() {
  type -P python3 >/dev/null || exit 77
  make_figures
  part json "${about[@]}"
  cp "$scratch/out" "$scratch/json"
  expect_json 'd["proa"], d["system"]["processor"], d["mpi"][0]["launcher"]' "('1.2', 'a \"fast\" one', '/bin/my mpiexec')"
  expect_json 'len(d["figures"])' 13
  expect_json 'figures["allocate.put", "mpich", True]["rounds"]' '[10, 20]'
  expect_json 'figures["allocate.put", "mpich", True]["of_limit"]' 4.5
  expect_json 'figures["allocate.put", "openmpi", True]["failed"]' crash
  expect_json 'figures["allocate.put", "limit", False]["median"]' 3.5
  bench "${tiny[@]}" --json - allocate.put
  expect_status 0
  cp "$scratch/out" "$scratch/json"
  expect_json 'sorted(f["by"] for f in d["figures"])' "['limit', '$host', '$host']"
  grep -q '^allocate\.put ' "$scratch/err" || fail "the table is not on standard error"
}

# Whatever blanks the JSON has. What overlaps has not changed.
against() {
  make_figures
  part json "${about[@]}"
  tr -d ' \n' <"$scratch/out" >"$scratch/json"
  sed -i 's/^\(allocate.put . Proa-mpich\) .*/\1 40/; s/^\(allocate.fence . native-openmpi\) .*/\1 77/' "$scratch/figures"
  part against -v files_before=1 "$scratch/json"
  expect '^  allocate\.put +mpich \+ Proa +15\.0 ns -> +40\.0 ns +2\.67 times slower$'
  expect '^  allocate\.fence +openmpi alone +115 ns -> +77\.0 ns +1\.49 times quicker$'
  expect '^2 of 12 figures have changed$'
  bench --against "$scratch/figures" allocate.put
  expect_error "'$scratch/figures' is no JSON of proa bench"
  bench --against "$scratch/none"
  expect_error "cannot read '$scratch/none'"
  bench "${tiny[@]}" --against "$scratch/json" allocate.put
  expect_status 0
  expect '^Against the run of then by Proa 1\.2:$'
}

plots() {
  make_figures
  printf 'allocate.put.%s Proa-mpich %s\n' '4 1' 20 '16 1' 30 >>"$scratch/figures"
  part plots -v plot=put
  expect '^4 20$'
  [ "$(wc -l <"$scratch/out")" -eq 3 ] || fail "it is not a line of titles and one for each size"
  echo 'allocate.fence 1 limit 20' >>"$scratch/figures" # of one row gnuplot complains
  part plots -v plot=get
  [ ! -s "$scratch/out" ] || fail "a plot of nothing"
  part plots -v plot=limit
  expect '^allocate\.put 4\.5 \?$'
  type -P gnuplot >/dev/null || exit 77
  "$parts/plot" "$scratch/figures" "$scratch" mpich openmpi >"$scratch/out" 2>"$scratch/err" || fail "gnuplot fails"
  [ ! -s "$scratch/err" ] || fail "gnuplot complains"
  expect '^no plot get: '
  grep -q '</svg>' "$scratch/put.svg" && grep -q '</svg>' "$scratch/limit.svg" || fail "no SVG"
}

case_name_is_function() {
  declare -F "$case_name" >/dev/null || fail "there is no such case"
}

case_name_is_function
"$case_name"
