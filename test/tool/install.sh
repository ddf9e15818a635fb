#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` puts into a folder, and whether it works there:  install.sh CMAKE BUILD HOST MPICC
set -u
# shellcheck source=cmake/hosts.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../cmake/hosts.sh"

cmake=$1 build=$2 host=$3 mpicc=$4
library=${host_fact[$host.library]}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset LD_PRELOAD PROA_LIBDIR PROA_MPI PROA_MPIEXEC
host_allow_root
for variable in ${host_fact[$host.crowded_environment]} ${host_fact[$host.here_environment]}; do
  export "${variable?}"
done

fail() {
  echo "install: $1"
  [ ! -s "$scratch/said" ] || cat "$scratch/said"
  exit 1
}

# Moved afterwards: a tree that is installed can be, but for what names its folders.
"$cmake" --install "$build" --prefix "$scratch/first" >"$scratch/said" 2>&1 || fail "cmake --install fails"
grep -qE "^prepend-path +PATH +$scratch/first/bin$" "$scratch"/first/share/proa/modulefiles/proa/* || fail "the module is for another folder"

# By Environment Modules and Lmod themselves, where they are here: loaded, command, manual and libraries are found; unloaded, none.
by_module() {
  # shellcheck disable=SC2016 # for the inner shell
  env -i HOME="$scratch" PATH="$PATH" bash -c '. "$1" && export MANPATH=/before
    module use "$2/share/proa/modulefiles" && module load proa && [ "$(command -v proa)" = "$2/bin/proa" ] && proa --version || exit 1
    [[ $MANPATH = "$2/share/man:/before"* ]] && [ "${CPATH%%:*}" = "$2/include" ] && ls "${LD_LIBRARY_PATH%%:*}"/libproa-*.so || exit 2
    ! export -p | grep -E "LD_PRELOAD|PROA_" || exit 3
    module unload proa && ! export -p | grep -E " (LIBRARY_PATH|LD_LIBRARY_PATH|CPATH|MANPATH|PATH|PKG_CONFIG_PATH|CMAKE_PREFIX_PATH)=.*$2" || exit 4' \
    module "$1" "$scratch/first" >"$scratch/said" 2>&1 || fail "$1: module load and unload end with status $?"
}
for init in /usr/share/modules/init/bash /usr/share/lmod/lmod/init/bash; do
  [ ! -r "$init" ] || by_module "$init"
done

mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
so=$(find "$prefix" -name "libproa-$library.so") && [ -n "$so" ] || fail "no libproa-$library.so"
libdir=$(dirname "$so")
proa=$prefix/bin/proa

# Every library has a name for the loader, that name is there, and nothing in it is looked for in vain. What is MPI's comes with the program.
for so in "$libdir"/libproa-*.so; do
  name=$(readelf -d "$so" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
  [ -e "$libdir/$name" ] && [[ $name = *.so.[0-9]* ]] || fail "$so has the name '$name', which is not there"
  ! ldd "$so" | grep 'not found' || fail "$so needs what is not there"
  ! readelf -d "$so" | grep -E 'R(UN)?PATH.*(\$ORIGIN|'"$build"')' || fail "$so looks for libraries in the build folder"
done
for file in "$proa" "$libdir"/libproa-*.so; do
  # the folder of the sources, or of the build, in what is installed would be another on another machine
  ! grep -qaF "$build" "$file" || fail "$file has the name of the build folder in it"
done

cat >"$scratch/ask.c" <<'END'
#include <mpi.h>
#include <proa.h>
#include <proa_notify.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    long *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    int native = PROA_Notify_is_native(win) && PROA_Win_set_num_notify(win, MPI_INFO_NULL, 1) == MPI_SUCCESS;
    MPI_Win_free(&win);
    printf("%lu by %s\n", proa_windows_served(), proa_version());
    MPI_Finalize();
    return proa_windows_served() != 1 || !native;
}
END
version=$("$proa" --version | cut -d' ' -f2)
if command -v python3 >/dev/null; then
  built=$(find "$libdir" -name 'libproa-*.so' | sed 's/.*libproa-\(.*\)\.so/\1/')
  # shellcheck disable=SC2086 # names
  python3 "$(dirname "${BASH_SOURCE[0]}")/packaging.py" "$(dirname "${BASH_SOURCE[0]}")/../.." "$scratch/first" "$prefix" $built >"$scratch/said" 2>&1 ||
    fail "a recipe or a module does not fit what is installed"
fi

# Linked to by what pkg-config says, and what CMake finds.
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$libdir/pkgconfig
  said=$(pkg-config --cflags --libs "proa-$library")
  [[ $said = "-I$scratch/first/include -L$scratch/first/"*" -lproa-$library"* ]] || fail "pkg-config says '$said', and it was installed to $scratch/first"
  read -ra flags < <(pkg-config --define-variable=libdir="$libdir" --define-variable=includedir="$prefix/include" --cflags --libs "proa-$library")
  "$mpicc" "$scratch/ask.c" -o "$scratch/ask" -Wl,--no-as-needed "${flags[@]}" -Wl,-rpath,"$libdir" 2>"$scratch/said" || fail "cannot compile by pkg-config: ${flags[*]}"
  "$proa" run -n 2 "$scratch/ask" >"$scratch/said" 2>&1 || fail "a program that is linked to Proa fails"
  [ "$(grep -cx "1 by $version" "$scratch/said")" -eq 2 ] || fail "a program that is linked to Proa does not say what it should"
  [ "$(pkg-config --modversion "proa-$library")" = "$version" ] || fail "pkg-config has another version than the command"
fi
cat >"$scratch/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(ask LANGUAGES C)
find_package(Proa $version REQUIRED)
add_executable(ask-cmake ask.c)
target_link_options(ask-cmake PRIVATE -Wl,--no-as-needed)
target_link_libraries(ask-cmake PRIVATE Proa::$library)
END
CC=$mpicc "$cmake" -S "$scratch" -B "$scratch/built" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER_LAUNCHER= >"$scratch/said" 2>&1 || fail "CMake does not find it"
"$cmake" --build "$scratch/built" >"$scratch/said" 2>&1 || fail "a project that CMake finds Proa for cannot be built"
"$proa" run -n 2 "$scratch/built/ask-cmake" >"$scratch/said" 2>&1 || fail "what CMake has built fails"

"$proa" doctor >"$scratch/said" 2>&1
grep -qE "^  ok +$host +2 ranks" "$scratch/said" || fail "proa doctor does not try $host out"

"$proa" bench --mpi "$host" --loops 3 --loop-us 20 --repeat 1 allocate.put >"$scratch/said" 2>&1 || fail "proa bench fails"
grep -qE '^allocate\.put +[0-9]' "$scratch/said" || fail "proa bench shows no figure"

# The rest that belongs to it.
for file in share/man/man1/proa.1 share/man/man1/proa-exec.1 share/man/man1/proa-run.1 share/man/man1/proa-bench.1 share/man/man7/proa.7 share/man/man3/proa.h.3 "share/proa/modulefiles/proa/$version" \
  share/bash-completion/completions/proa include/proa.h include/proa_notify.h include/proa_notify_plain.h; do
  [ -s "$prefix/$file" ] || fail "no $file"
done
for file in "$prefix"/share/doc/*/examples/*.c; do
  "$mpicc" -fsyntax-only -I"$prefix/include" "$file" 2>"$scratch/said" || fail "the example $file does not compile where it lies"
done
if command -v mandoc >/dev/null; then
  mandoc -T lint -W error "$prefix"/share/man/man*/* >"$scratch/said" 2>&1 || fail "the manual has mistakes"
fi
"$(dirname "${BASH_SOURCE[0]}")/../documents/links" "$prefix/share/doc/proa" >"$scratch/said" 2>&1 || fail "the documents lead to what is not installed"
completed=$(bash -c '. "$1"; COMP_WORDS=(proa do) COMP_CWORD=1; _proa; echo "${COMPREPLY[*]}"' bash "$prefix/share/bash-completion/completions/proa")
[ "$completed" = doctor ] || fail "completion makes '$completed' of 'do'"
if command -v fish >/dev/null; then
  completed=$(fish --no-config -c "source $prefix/share/fish/vendor_completions.d/proa.fish; complete -C 'proa do'")
  [ "$completed" = doctor ] || fail "fish makes '$completed' of 'do'"
fi
if command -v zsh >/dev/null; then
  # shellcheck disable=SC2016 # for zsh
  completed=$(zsh -fc 'words=(proa trace --sv) CURRENT=3; compadd() { shift; print -r -- "$@"; }; . "$1"' zsh "$prefix/share/zsh/site-functions/_proa")
  [ "$completed" = --svg ] || fail "zsh makes '$completed' of '--sv'"
fi
for command in run exec info doctor trace top bench; do
  [ -s "$prefix/share/man/man1/proa-$command.1" ] || fail "no manual page of proa $command"
done

"$cmake" --install "$build" --prefix "$scratch/second" >"$scratch/said" 2>&1 || fail "cmake --install fails"
"$cmake" --build "$build" --target uninstall >"$scratch/said" 2>&1 || fail "the target uninstall fails"
left=$(find "$scratch/second" ! -type d)
[ -z "$left" ] || fail "after it there is still $left"
echo "ok install"
