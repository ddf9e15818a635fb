#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What tools/format does to sources and says of them:  format.sh ROOT
#
# In a small tree of its own, with the project's .clang-format.
set -u

root=$1
command -v "${CLANG_FORMAT:-clang-format}" >/dev/null || { echo "skipped: no clang-format"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tools" "$scratch/src/core" "$scratch/test/corpus"
cp "$root/tools/format" "$scratch/tools/"
cp "$root/.clang-format" "$scratch/"
cd "$scratch" || exit 1

fail() {
  echo "format: $1"
  cat said
  exit 1
}

# says STATUS LINE...: the check ends with this status, and has one of its lines for each of these.
says() {
  local expected=$1 status=0 line
  shift
  tools/format --check >said 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "the check ends with status $status, not $expected"
  for line in "$@"; do
    grep -qE "^$line" said || fail "the check does not say: $line"
  done
}

printf 'int  f( void ){return 1;}\n' >src/core/one.c
printf '#!/bin/sh\necho hello\n' >dev
printf 'add_library(one one.c)\n' >src/CMakeLists.txt
printf '#!\n' >test/corpus/input # no source, though it begins like one
says 1 'src/core/one\.c: not formatted' 'src/core/one\.c: no line' 'dev: no line' 'src/CMakeLists\.txt: no line'
grep -q corpus said && fail "it looks at a corpus"

tools/format --spdx && tools/format || fail "it cannot mend"
says 0
[ "$(head -n 1 src/core/one.c)" = '/* SPDX-License-Identifier: BSD-3-Clause */' ] || fail "C: $(head -n 1 src/core/one.c)"
[ "$(sed -n 2p dev)" = '# SPDX-License-Identifier: BSD-3-Clause' ] || fail "script: $(head -n 2 dev)"
[ "$(head -n 1 dev)" = '#!/bin/sh' ] || fail "the script has lost its first line"
sed -n '2,$p' src/core/one.c | tr '\n' '~' | grep -q '^int f(void)~{~    return 1;~}~$' || fail "not formatted: $(cat src/core/one.c)"

cp -r . "$scratch.once"
trap 'rm -rf "$scratch" "$scratch.once"' EXIT
tools/format --spdx && tools/format
diff -r -x said . "$scratch.once" || fail "the second time changes something"

printf 'int x;\n' >src/core/new.h
says 1 'src/core/new\.h: no line'
status=0
CLANG_FORMAT=false tools/format --check >said 2>&1 || status=$?
[ "$status" -ne 0 ] && grep -q 'false failed' said || fail "a clang-format that fails goes unnoticed"
echo "ok format"
