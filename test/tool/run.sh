#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of `proa run`, one per call:  run.sh CASE HOST
#
# CASE is the name of a function below. From the environment: PROA, the command; PROA_TOOL_PROGRAMS, the folder with this host's show and
# through; PROA_LIBDIR, one with stand-ins for Proa's libraries; PROA_TOOL_MPIEXEC, the host's launcher. The ranks say what they were given
# (show.c), and the cases look at that. A case that the host cannot do even without Proa is skipped: status 77.
set -u
# shellcheck source=cmake/hosts.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/hosts.sh"

case_name=$1 host=$2
show=$PROA_TOOL_PROGRAMS/show
stand_in=${host_fact[$host.library]}
library=$PROA_LIBDIR/libproa-$stand_in.so
# shellcheck source=test/tool/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh" "$case_name.$host" "$PROA"

host_allow_root
for variable in ${host_fact[$host.crowded_environment]}; do
  export "${variable?}"
done
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 # a test's own LD_PRELOAD is in proa too

skip() {
  echo "$title: skipped: $1"
  cat "$scratch/err"
  exit 77
}

# How often a text is in the output.
expect_times() {
  local count
  count=$(grep -oF -- "$2" "$scratch/out" | wc -l)
  [ "$count" -eq "$1" ] || fail "$count times, not $1: $2"
}

# The one line that an error is.
expect_error() {
  [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "not one line of error"
  grep -qF -- "${speaker:-proa run: }" "$scratch/err" || fail "error does not say who speaks"
  grep -qF -- "$1" "$scratch/err" || fail "error does not say: $1"
}

# An empty shared library by any name; prints its path.
make_library() {
  cp "$library" "$scratch/$1"
  echo "$scratch/$1"
}

# A launcher, "$scratch/launcher", that only says what it was given.
make_launcher() {
  printf '#!/bin/sh\nprintf "<%%s>" "$@"\necho\n' >"$scratch/launcher"
  chmod +x "$scratch/launcher"
}

preload_is() {
  expect_times "$1" "preload=[$2]"
}

status() {
  proa run -n 2 "$show"
  expect_status 0
  expect_times 2 "loaded=[$stand_in]"
  preload_is 2 "$library"
  proa run -n 2 "$show" --exit 7
  expect_status 7
}

arguments() {
  proa run -n 1 "$show" "two words" 'a "quote" and a '\''' '' '$HOME' '*' -n 5 --mpi x '--'
  expect_status 0
  expect_times 1 'arguments=<two words><a "quote" and a '\''><><$HOME><*><-n><5><--mpi><x><-->'
}

dashes() {
  proa run -n 1 -- "$show" plain
  expect_status 0
  expect_times 1 "arguments=<plain>"
}

variables() {
  PROA_TOOL_TEST='a b;c=d,e' proa run -n 2 "$show"
  expect_status 0
  expect_times 2 "variable=[a b;c=d,e]"
}

# What Open MPI's ranks would get on another node: only what the command line says.
variables_on_the_command_line() {
  make_launcher
  PROA_MPIEXEC=$scratch/launcher PROA_TOOL_TEST='a b' proa run -n 2 "$show" x
  expect_status 0
  case $host in
    *openmpi) expect_times 1 "<-x><PROA_TOOL_TEST=a b>" ;;
    *mpich) expect_times 1 "<-genv><LD_PRELOAD><$library><-n><2><$show><x>" ;;
  esac
}

user_preload() {
  local mine
  mine=$(make_library libmine.so)
  LD_PRELOAD=$mine proa run -n 2 "$show"
  expect_status 0
  preload_is 2 "$library:$mine"
}

sanitizer_first() {
  local mine sanitizer
  mine=$(make_library libmine.so)
  sanitizer=$(make_library libtsan.so.9)
  LD_PRELOAD="$mine $sanitizer" proa run -n 1 "$show"
  expect_status 0
  preload_is 1 "$sanitizer:$library:$mine"
}

# A program that is linked to a runtime itself gets it in front without being asked to.
sanitized() {
  local runtime
  runtime=$(readlink -f "$PROA_TOOL_PROGRAMS")/libtsan.so
  proa run -n 2 "$PROA_TOOL_PROGRAMS/sanitized"
  expect_status 0
  preload_is 2 "$runtime:$library"
}

sanitized_mpmd() {
  needs_mpmd
  proa run -n 1 "$show" : -n 1 "$PROA_TOOL_PROGRAMS/sanitized"
  expect_status 0
  preload_is 2 "$(readlink -f "$PROA_TOOL_PROGRAMS")/libtsan.so:$library"
}

preload_twice() {
  LD_PRELOAD=$library proa run -n 1 "$show"
  expect_status 0
  preload_is 1 "$library"
}

# The launcher's own option for it must not undo ours.
preload_by_option() {
  local mine option
  mine=$(make_library libmine.so)
  option=("${host_fact[$host.env_option]}" "LD_PRELOAD=$mine")
  [ "${host_fact[$host.env_words]}" -eq 1 ] || option=("${option[0]}" LD_PRELOAD "$mine")
  proa run "${option[@]}" -n 2 "$show"
  expect_status 0
  preload_is 2 "$library:$mine"
}

# Of ranks that are more than processors, on a machine that is pretended to do nothing else, and on one that does. The library for the launcher
# is not in the ranks, without it all goes on, and one rank is started as ever.
sessions() {
  local many=$(($(nproc) + 1)) one mine
  mine=$(dirname "$PROA_TOOL_PROGRAMS")/libtool-runnable.so
  echo "0.00 0.00 0.00 1/100 1000" >"$scratch/idle"
  echo "0.00 0.00 0.00 2/100 1000" >"$scratch/busy"
  LD_PRELOAD=$mine PROA_TOOL_LOADAVG=$scratch/idle proa run -n "$many" "$show"
  expect_status 0
  expect_times "$many" "session=[shared]"
  preload_is "$many" "$library:$mine"
  natively -n "$many" "$show"
  one=$(grep -oE 'session=\[[a-z]+\]' "$scratch/out" | head -n 1)
  LD_PRELOAD=$mine PROA_TOOL_LOADAVG=$scratch/busy proa run -n "$many" "$show"
  expect_times "$many" "$one"
  LD_PRELOAD=$mine PROA_TOOL_LOADAVG=$scratch/idle proa run -n 1 "$show"
  expect_times 1 "$one"
  mkdir -p "$scratch/bin" "$scratch/lib"
  cp "$PROA" "$scratch/bin/proa"
  cp "$library" "$scratch/lib"
  proa=$scratch/bin/proa
  LD_PRELOAD=$mine PROA_TOOL_LOADAVG=$scratch/idle PROA_LIBDIR=$scratch/lib proa run -n 2 "$show"
  expect_status 0
  preload_is 2 "$scratch/lib/libproa-$stand_in.so:$mine"
}

natively() {
  "$PROA_TOOL_MPIEXEC" "$@" </dev/null >"$scratch/out" 2>"$scratch/err"
}

# Open MPI 5 in Debian 13 crashes at any colon (github.com/open-mpi/ompi/issues/13303), but without a part of PMIx's that it does not need.
# Skipped where the launcher cannot start two programs; one can with a part of it left out.
needs_mpmd() {
  natively -n 1 "$show" : -n 2 "$show" && return
  export PMIX_MCA_pmdl=^ompi
  natively -n 1 "$show" : -n 2 "$show" || skip "$PROA_TOOL_MPIEXEC cannot start two programs in one job"
}

mpmd() {
  needs_mpmd
  PROA_TOOL_TEST=all proa run -n 1 "$show" first : -n 2 "$show" second
  expect_status 0
  preload_is 3 "$library"
  expect_times 3 "variable=[all]"
  expect_times 1 "arguments=<first>"
  expect_times 2 "arguments=<second>"
  expect_times 1 "rank 2 of 3"
}

script() {
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$show" >"$scratch/script"
  chmod +x "$scratch/script"
  proa run -n 1 "$scratch/script"
  expect_status 127
  expect_error "is a script for /bin/sh"
  proa run --mpi "$host" -n 2 "$scratch/script" x
  expect_status 0
  expect_times 2 "loaded=[$stand_in]"
  PROA_MPI=$host proa run -n 1 "$scratch/script" x
  expect_status 0
  expect_times 1 "arguments=<x>"
}

through_a_library() {
  proa run -n 1 "$PROA_TOOL_PROGRAMS/through"
  expect_status 0
  preload_is 1 "$library"
}

in_path() {
  PATH=$PROA_TOOL_PROGRAMS:$PATH proa run -n 1 show found
  expect_status 0
  expect_times 1 "arguments=<found>"
}

# In the folder that the ranks are told to start in.
in_working_directory() {
  cp "$show" "$scratch/only_here"
  proa run -n 1 -wdir "$scratch" ./only_here
  expect_status 0
  preload_is 1 "$library"
}

# Runs proa with a launcher that says what it was given. Whatever stood in the line must have come to it in its order (proa's own words,
# in front or at a "--" of the options, left out).
given_on() {
  PROA_MPIEXEC=$scratch/launcher proa run "$@"
  expect_status 0
  [ "${1:-}" != --mpi ] || shift 2
  expect_times 1 "$(printf '<%s>' "$@" | sed 's/<-->//')"
}

# Options that no table of proa's has, with and without values; the program is looked for where the launcher would.
# complains SENTENCE ARGUMENT...: of a command line that makes no sense, before anything starts.
complains() {
  local sentence=$1 speaker=proa
  shift
  proa "$@"
  expect_status 2
  expect_error "$sentence"
  [ ! -s "$scratch/out" ] || fail "it starts something"
}

# What is behind the program is the program's, and options of the launcher's that are close to Proa's are the launcher's.
misspelt() {
  complains "no option --stat; did you mean --stats?" run --stat -n 1 "$show"
  complains "no option --tracee=$scratch; did you mean --trace?" run -n 1 "--tracee=$scratch" "$show"
  complains "no option --cehck; did you mean --check?" run -n 1 --cehck "$show"
  complains "no option --cehck; did you mean --check?" run --cehck -n 1 no-such-program
  complains "no option --top=1; did you mean --top?" run --top=1 -n 1 "$show"
  complains "no option --stat; did you mean --stats?" exec --stat "$show"
  complains "no command 'rnu'; did you mean run?" rnu -n 1 "$show"
  complains "no command 'trac'; did you mean trace?" trac
  make_launcher
  given_on -n 1 "$show" --stat --tracee
}

missing_value() {
  complains "--trace needs a value: --trace DIR" run --trace -n 1 "$show"
  complains "--trace needs a value: --trace DIR" run -n 1 "$show" : --trace
  complains "--mpi needs a value: --mpi HOST" run --mpi -n 1 "$show"
  complains "--check-json needs a value: --check-json FILE" run --check-json --stats "$show"
  complains "--fail-on needs a value: --fail-on race|misuse|note" exec --fail-on
}

unwritable() {
  touch "$scratch/file"
  complains "--trace cannot write $scratch/file: it is no folder" run --trace "$scratch/file" -n 1 "$show"
  complains "--trace cannot write $scratch/no/trace: $scratch/no: No such file or directory" run --trace "$scratch/no/trace" -n 1 "$show"
  complains "--stats cannot write $scratch: it is a folder" run "--stats=$scratch" -n 1 "$show"
  complains "--check-json cannot write $scratch/file/x: $scratch/file: Not a directory" run --check-json "$scratch/file/x" -n 1 "$show"
  complains "--check-sarif cannot write $scratch/no/x: $scratch/no: No such file or directory" exec --check-sarif "$scratch/no/x" "$show"
  proa run --trace "$scratch/new/" "--stats=$scratch/file" -n 1 "$show"
  expect_status 0
}

# Standard streams that are closed, as a daemon's may be.
closed() {
  "$proa" run -n 2 "$show" --exit 5 >&- 2>&-
  status=$?
  expect_status 5
  "$proa" run -n 2 "$show" --exit 5 <&- >&- 2>&-
  status=$?
  expect_status 5
}

unknown_option() {
  make_launcher
  given_on -n 2 --no-such-option 30 "$show" x
  given_on --no-such-flag -n 2 "$show" x
  given_on -n 2 --no-such-flag "$show" --no-such-option 5
  given_on -n 2 --no-such-pair a n "$show" x
  given_on -n 2 --no-such-option=a "$show" x
  given_on --no-such-option "$scratch" --no-such-option /dev/null -no-such-option "$0.no" "$show"
  given_on --no-such-option 30 -- "$show"
  PATH=$PROA_TOOL_PROGRAMS:$PATH given_on --no-such-option 30 show
  cp "$show" "$scratch/only_here"
  given_on --no-such-option 30 -wdir "$scratch" --no-such-option 30 ./only_here
  if [[ $host = *openmpi ]]; then
    given_on --no-such-option 30 -path "$scratch" --no-such-option 30 only_here
  fi
  PROA_MPIEXEC=$scratch/launcher proa run --no-such-option first -n 1 "$show" x : --no-such-option second -n 2 "$show" y
  expect_status 0
  expect_times 1 "<--no-such-option><first><-n><1><$show><x><:>"
  expect_times 1 "<--no-such-option><second><-n><2><$show><y>"
}

# What the table is good for: the value of an option may have the name of a program.
value_that_is_a_program() {
  make_launcher
  given_on -n 2 -bind-to "$BASH" "$show" x
  given_on -n 2 --memory-alloc-kinds "$BASH" "$show" x
  PATH=$PROA_TOOL_PROGRAMS:$PATH given_on -host show "$show" x
  given_on --mpi "$host" -n 2 --no-such-option "$BASH" "$show" x # and where it has nothing: once it is told which MPI
}

missing_program() {
  proa run -n 2 ./no-such-program
  expect_status 127
  expect_error "./no-such-program does not exist"
  proa run -n 2 no-such-program
  expect_status 127
  expect_error "no program no-such-program in PATH"
  proa run -n 2 --no-such-option 30 ./no-such-program --no-such-flag 7
  expect_status 127
  expect_error "./no-such-program does not exist"
  proa run --no-such-flag no-such-program 7
  expect_status 127
  expect_error "no program no-such-program in PATH"
  proa run -n 2 --no-such-option
  expect_status 2
  expect_error "no program given"
  echo text >"$scratch/text"
  proa run -n 2 "$scratch/text"
  expect_status 127
  expect_error "cannot be executed"
  proa run -n 2
  expect_status 2
  expect_error "no program given"
}

missing_library() {
  PROA_LIBDIR=$scratch proa run -n 2 "$show"
  expect_status 127
  expect_error "no libproa-$stand_in.so in '$scratch'"
}

missing_launcher() {
  PROA_MPIEXEC=no-such-launcher proa run -n 2 "$show"
  expect_status 127
  expect_error "no-such-launcher"
}

no_mpi() {
  proa run -n 2 cat
  expect_status 127
  expect_error "is not linked to MPI"
}

wrong_mpi() {
  local other
  for other in "${hosts[@]}"; do # not the same MPI by another library, which would do
    [[ $other != *"${host#abi_}" ]] && break
  done
  if [ "$stand_in" = abi ]; then
    other_of_one_abi "$other"
  else
    stranger_is_told "$other"
  fi
  proa run --mpi lam -n 2 "$show"
  expect_status 2
  expect_error "no MPI 'lam'"
}

# The same program by the other MPI, whose library it gets.
other_of_one_abi() {
  local theirs=$PROA_TOOL_PROGRAMS/../../../generated/abi_$1/libmpi_abi.so.1
  proa run --mpi "$1" -n 2 "$show"
  if [ -e "$theirs" ]; then
    expect_status 0
    expect_times 2 "rank "
    expect_times 1 "rank 1 of 2"
  fi
}

stranger_is_told() {
  proa run --mpi "$1" -n 2 "$show"
  expect_status 127
  expect_error "is linked to"
}

# Launchers take a number that is none, or 0, for another one, and start until nothing is left where it is huge.
ranks() {
  local wrong
  for wrong in 0 -1 x 1x '' 99999999999999999999 1000000000; do
    proa run -n "$wrong" "$show"
    expect_status 2
    expect_error "-n $wrong: "
  done
  proa run -n 1 "$show" : -np 0 "$show"
  expect_status 2
  expect_error "-np 0: a job has at least 1 rank"
  make_launcher
  PROA_MPIEXEC=$scratch/launcher SLURM_JOB_ID=1 proa run -n 9000000 "$show" # of a machine that is not this one
  expect_status 0
  expect_times 1 "<-n><9000000>"
}

path_with_blanks() {
  mkdir "$scratch/a folder"
  cp "$show" "$scratch/a folder/my program"
  cd "$scratch" || fail "no scratch"
  proa run -n 2 "a folder/my program" "an argument"
  expect_status 0
  expect_times 2 "arguments=<an argument>"
  proa run -n 1 "./a folder/my program"
  expect_status 0
  expect_times 1 "loaded=[$stand_in]"
}

# A rank that dies of a signal: what the launcher makes of it, and nothing else, is the status. MPICH 4.2.1's makes 0 of one in ten, alone too.
signal() {
  local native tries
  natively -n 2 "$PROA_TOOL_PROGRAMS/act" abort
  native=$?
  [ "$native" -ne 0 ] || skip "$PROA_TOOL_MPIEXEC has status 0 where a rank dies of a signal"
  for tries in 1 2 3 4 5; do
    proa run -n 2 "$PROA_TOOL_PROGRAMS/act" abort
    [ "$status" -eq "$native" ] && return
  done
  fail "status $status each of $tries times, not $native"
}

# What a rank reads is what the command got, and what it writes is what the command gives, byte for byte. (Of much MPICH's launcher says that the
# rank reads too slowly, also without Proa.)
standard_input() {
  seq 1 2000 >"$scratch/in"
  "$PROA" run -n 1 "$PROA_TOOL_PROGRAMS/act" copy <"$scratch/in" 2>"$scratch/err" | cat >"$scratch/out"
  [ "${PIPESTATUS[0]}" -eq 0 ] || fail "status ${PIPESTATUS[0]}"
  cmp "$scratch/in" "$scratch/out" || fail "it is not what went in"
}

# Ctrl-C: the terminal's signal to all in the foreground. Nothing of the job may be left.
interrupt() {
  local tenth mark=PROA_TOOL_MARK=$$.$RANDOM job
  env "$mark" setsid bash -c 'trap - INT; exec "$@"' bash "$PROA" run -n 2 "$PROA_TOOL_PROGRAMS/act" sleep </dev/null >"$scratch/out" 2>"$scratch/err" &
  job=$!
  for ((tenth = 0; tenth < 200; tenth++)); do
    [ "$(grep -c asleep "$scratch/out")" -eq 2 ] && break
    sleep 0.1
  done
  [ "$tenth" -lt 200 ] || fail "the ranks have not come up"
  kill -INT -- "-$job"
  for ((tenth = 0; tenth < 200; tenth++)); do
    grep -lzFx "$mark" /proc/[0-9]*/environ >/dev/null 2>&1 || break
    sleep 0.1
  done
  [ "$tenth" -lt 200 ] || fail "something of the job is left: $(grep -lzFx "$mark" /proc/[0-9]*/environ 2>/dev/null)"
  wait "$job" || true # some launchers say 0, some what they were ended by
}

# Which MPI a Python has by mpi4py: a stand-in for that loads the host's library, as the real one does, and does not start MPI.
python() {
  local python library_of_host
  python=$(type -P python3) || skip "no python3"
  library_of_host=$(host_library "$host" "$show")
  mkdir "$scratch/mpi4py"
  printf 'class rc: pass\n' >"$scratch/mpi4py/__init__.py"
  printf 'import ctypes, mpi4py\nassert mpi4py.rc.initialize is False\nctypes.CDLL("%s", ctypes.RTLD_GLOBAL)\n' "$library_of_host" >"$scratch/mpi4py/MPI.py"
  printf 'import os\nos.write(1, ("preload=[%%s]\\n" %% os.environ["LD_PRELOAD"]).encode())\n' >"$scratch/prog.py"
  export PYTHONPATH=$scratch
  proa run -n 2 "$python" "$scratch/prog.py"
  expect_status 0
  preload_is 2 "$library"
  printf '#!/usr/bin/env python3\n' | cat - "$scratch/prog.py" >"$scratch/script.py"
  chmod +x "$scratch/script.py"
  proa run -n 1 "$scratch/script.py"
  expect_status 0
  preload_is 1 "$library"
  rm -r "$scratch/mpi4py"
  printf 'raise ImportError\n' >"$scratch/mpi4py.py"
  proa run -n 1 "$python" "$scratch/prog.py"
  expect_status 127
  expect_error "has no mpi4py that can be loaded"
  proa run -n 1 "$scratch/script.py"
  expect_status 127
  expect_error "has no mpi4py that can be loaded"
  proa run --mpi "$host" -n 1 "$python" "$scratch/prog.py"
  expect_status 0
  preload_is 1 "$library"
}

static_program() {
  proa run -n 2 "$PROA_TOOL_PROGRAMS/../static"
  expect_status 127
  expect_error "is linked statically, so nothing can be preloaded into it"
  proa run --mpi "$host" -n 2 "$PROA_TOOL_PROGRAMS/../static"
  expect_status 127
  expect_error "is linked statically, so nothing can be preloaded into it"
  proa run --mpi "$host" -n 1 "$PROA_TOOL_PROGRAMS/../static_starter" "$show" # which starts a program that is not
  expect_status 0
  expect_times 1 "loaded=[$stand_in]"
}

# Check mode has the library of instruments in front, however it is asked for.
instruments() {
  local both=$PROA_LIBDIR/libproa-instruments-$stand_in.so:$library
  proa run --check -n 2 "$show"
  expect_status 0
  preload_is 2 "$both"
  PROA_CHECK=1 proa run -n 1 "$show"
  preload_is 1 "$both"
  PROA_CHECK=0 proa run --stats --trace "$scratch/trace" -n 1 "$show"
  preload_is 1 "$library"
  proa exec --check "$show"
  preload_is 1 "$both"
  mkdir "$scratch/lib"
  cp "$library" "$scratch/lib"
  PROA_LIBDIR=$scratch/lib proa run --check -n 1 "$show"
  expect_status 127
  expect_error "no libproa-instruments-$stand_in.so in '$scratch/lib', the folder that PROA_LIBDIR names"
}

# Below a launcher that starts it as it would start the program: the host's own here.
exec_below() {
  natively -n 2 "$PROA" exec "$show" "two words" --mpi x --
  expect_times 2 "loaded=[$stand_in]"
  preload_is 2 "$library"
  expect_times 2 "arguments=<two words><--mpi><x><-->"
  natively -n 1 "$PROA" exec "$show" --exit 7
  status=$?
  expect_status 7
  LD_PRELOAD=$(make_library libmine.so) natively -n 1 "$PROA" exec --stats=counts -- "$PROA_TOOL_PROGRAMS/sanitized"
  preload_is 1 "$(readlink -f "$PROA_TOOL_PROGRAMS")/libtsan.so:$library:$scratch/libmine.so"
}

# By a command that starts the program: the first of its words that is linked to an MPI tells; else --mpi or PROA_MPI has to.
exec_behind() {
  printf '#!/bin/sh\nshift\nexec "$@"\n' >"$scratch/script"
  printf 'all:\n\t%s\n' "$show" >"$scratch/Makefile"
  chmod +x "$scratch/script"
  natively -n 2 "$PROA" exec nice -n 1 env PROA_TOOL_TEST=set "$show" x
  preload_is 2 "$library"
  expect_times 2 "variable=[set]"
  natively -n 1 "$PROA" exec "$scratch/script" word "$show" x
  preload_is 1 "$library"
  expect_times 1 "arguments=<x>"
  natively -n 1 "$PROA" exec --mpi "$host" sh -c "exec '$show'"
  preload_is 1 "$library"
  PROA_MPI=$host natively -n 1 "$PROA" exec make -s -f "$scratch/Makefile"
  preload_is 1 "$library"
  proa run -n 2 env "$show" x # looks behind commands too
  expect_status 0
  preload_is 2 "$library"
}

exec_refused() {
  speaker="proa exec: "
  proa exec cat /dev/null
  expect_status 127
  expect_error "is not linked to MPI"
  proa exec no-such-program
  expect_status 127
  expect_error "no program no-such-program in PATH"
  proa exec --stats
  expect_status 2
  expect_error "no program given"
  proa exec --mpi lam cat
  expect_status 2
  expect_error "no MPI 'lam'"
  proa exec --mpi "$host" --fail-on conflict cat
  expect_status 2
  expect_error "--fail-on needs race, misuse or note, not \"conflict\""
  proa exec --mpi "$host" --check=stack cat
  expect_status 2
  expect_error "--check has no value but usage and memory, not \"stack\""
  proa exec --mpi "$host" --check-json= cat
  expect_status 2
  expect_error "--check-json needs the name of a file"
  proa exec --help
  expect_status 0
  expect_times 1 "usage: LAUNCHER... proa exec"
}

# Was Proa built with the tool for loads and stores?
has_translator() {
  [ -x "$(dirname "$PROA")/../../src/proa/translator/translate" ]
}

# cannot_see_memory SENTENCE ARGUMENT...: the line for a program whose loads and stores cannot be seen, which does not start.
cannot_see_memory() {
  local sentence=$1 speaker="proa $2: "
  shift
  proa "$@"
  expect_status 127
  expect_error "$sentence"
  [ ! -s "$scratch/out" ] || fail "it starts the program"
}

# A command beside which there is no tool.
memory_without_tool() {
  cp "$PROA" "$scratch/proa"
  proa=$scratch/proa
  cannot_see_memory "--check=memory needs files of Valgrind, and Proa was built without them (Debian: valgrind)" run --check=memory -n 1 "$show"
  cannot_see_memory "--check=memory needs files of Valgrind" exec --mpi "$host" --check=memory env
}

# Runtimes that take the addresses of the tool.
memory_sanitized() {
  has_translator || skip "built without the tool"
  local runtime
  for runtime in asan:AddressSanitizer msan:MemorySanitizer tsan:ThreadSanitizer; do
    cp "$show" "$scratch/with"
    printf '__%s_init\0' "${runtime%:*}" >>"$scratch/with"
    cannot_see_memory "$scratch/with has ${runtime#*:}, with which --check=memory does not run" run --check=memory -n 1 "$scratch/with"
  done
}

# Programs that would trace others within the tool.
memory_debugged() {
  has_translator || skip "built without the tool"
  printf '#!/bin/sh\necho started\n' >"$scratch/gdb"
  chmod +x "$scratch/gdb"
  cannot_see_memory "$scratch/gdb does not run with --check=memory" run --check=memory -n 1 "$scratch/gdb" --args "$show"
  PATH=$scratch:$PATH cannot_see_memory "gdb does not run with --check=memory" exec --mpi "$host" --check=memory gdb "$show"
  cp "$show" "$scratch/gdb-like"
  proa run --check=memory -n 1 "$scratch/gdb-like"
  expect_status 0
}

# Each of the options of check mode asks for it; files are named from where the job starts.
exec_checks() {
  cd "$scratch" || exit 1
  local memory=--check=memory
  has_translator || memory=--check
  for options in --check $memory "--check-json found" "--check-sarif=found" "--fail-on misuse" --check-stack "--check-root ."; do
    # shellcheck disable=SC2086 # words
    proa exec --mpi "$host" $options env
    expect_status 0
    case $options in
    *=memory) expect_times 1 "PROA_CHECK=memory" ;;
    *) expect_times 1 "PROA_CHECK=1" ;;
    esac
  done
  proa exec --mpi "$host" --check-json found --check-sarif=/found --fail-on=note env
  expect_times 1 "PROA_CHECK_JSON=$PWD/found"
  expect_times 1 "PROA_CHECK_SARIF=/found"
  expect_times 1 "PROA_CHECK_FAIL_ON=note"
  expect_times 0 "PROA_CHECK_STACK"
  proa exec --mpi "$host" --check-stack --check-root=tree env
  expect_times 1 "PROA_CHECK_STACK=64"
  expect_times 1 "PROA_CHECK_ROOT=$PWD/tree"
  PROA_CHECK=usage proa exec --mpi "$host" --check-stack env
  expect_times 1 "PROA_CHECK=usage"
  PROA_CHECK='' proa exec --mpi "$host" --check-stack env
  expect_times 1 "PROA_CHECK=1"
  PROA_CHECK=usage proa exec --mpi "$host" --check env
  expect_times 1 "PROA_CHECK=1"
  proa exec --mpi "$host" --check=usage env
  expect_times 1 "PROA_CHECK=usage"
  proa exec --mpi "$host" env
  expect_times 0 "PROA_CHECK"
}

# Slurm's launcher by its name, with its own options; each part is started by `proa exec`.
by_srun() {
  local exec
  exec="<$(readlink -f "$PROA")><exec>"
  make_launcher
  mv "$scratch/launcher" "$scratch/srun"
  export PROA_MPIEXEC=$scratch/srun
  proa run -n 2 --stats --cpu-bind "$BASH" --no-such-option 3 -N 1 --unbuffered "$show" -n 5
  expect_status 0
  expect_times 1 "<-n><2><--cpu-bind><$BASH><--no-such-option><3><-N><1><--unbuffered>$exec<--><$show><-n><5>"
  proa run --mpi "$host" -n 1 sh -c "$show" : -c 2 -- "$show" y
  expect_times 1 "<-n><1>$exec<--mpi><$host><--><sh><-c><$show><:><-c><2>$exec<--mpi><$host><--><$show><y>"
  proa run -n 0 "$show"
  expect_status 2
  expect_error "-n 0: a job has at least 1 rank"
  proa run --multi-prog "$scratch/file"
  expect_status 2
  expect_error "start each of them by \`proa exec\`"
}

help() {
  "$PROA" run --help | grep -q "usage: proa run" || exit 1
  "$PROA" --help | grep -q "run " || exit 1
  "$PROA" --version | grep -qx "proa $PROA_TOOL_VERSION" || exit 1
  ! "$PROA" sail 2>"$scratch/err" || exit 1
  grep -q "^proa: no command 'sail'" "$scratch/err" || exit 1
}

"$case_name"
