#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Does test/documents/run notice what can be wrong in a document?   notices.sh BUILD
#
# A tree with one document and nothing wrong in it passes; then each fault by itself has to be told.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v python3 >/dev/null || exit 77
# shellcheck source=test/documents/must_say.sh
. "$here/must_say.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir -p "$scratch/doc" "$scratch/examples" "$scratch/test/documents" "$scratch/tools" "$scratch/man"
ln -s "$here/../../dev" "$here/../../cmake" "$here/../../CMakePresets.json" "$here/../../CMakeLists.txt" "$here/../../bench" "$scratch/"
printf 'int a;\nint b;\n' >"$scratch/examples/quoted.c"

# The document, in which everything is right.
fresh() {
    cat >"$scratch/README.md" <<'END'
# A heading

`./dev test -R unit` and `proa run --stats` are there, see [the heading](#a-heading) and [another](doc/OTHER.md#its-heading).

    proa --version

prints

    pro...

and

    proa run -n 0 ./prog

ends with status 2 and says

    proa run: -n 0: ...

<!-- examples/quoted.c -->
```c
int b;
```
END
    printf '## Its heading\n' >"$scratch/doc/OTHER.md"
    printf '.Dl proa --version\n' >"$scratch/man/x.1"
    printf '' >"$scratch/test/documents/not-run"
}

# with WHAT SAYS: the document has that in it now: it has to be told of, by SAYS.
with() {
    must_say "$1" "$2" python3 "$here/run" "$build" "$scratch"
    fresh
}

add() {
    printf '\n%s\n' "$1" >>"$scratch/README.md"
}

fresh
python3 "$here/run" "$build" "$scratch" >"$scratch/said" || {
    cat "$scratch/said"
    exit 1
}
add '    proa run -n 2 ./nothing'
with 'a command that fails' 'status 127: proa run -n 2 ./nothing'
sed -i 's/status 2/status 3/' "$scratch/README.md"
with 'another status' 'status 2: proa run -n 0 ./prog'
sed -i 's/^    pro\.\.\./    boat .../' "$scratch/README.md"
with 'something else printed' 'does not print "boat ..."'
printf '.Dl proa sail\n' >>"$scratch/man/x.1"
with 'a manual page' 'status 2: proa sail'
add '`./dev sail`'
with 'no command of ./dev' 'no such command of ./dev'
add '`./dev bench --sail`'
with 'no option of ./dev' 'no option --sail'
add '`proa run --sail`'
with 'no option of proa' 'no option --sail'
add '`cmake --preset sail`'
with 'no preset' 'no preset sail'
add '[gone](doc/GONE.md)'
with 'a dead link' 'a link to doc/GONE.md'
add '[gone](doc/OTHER.md#gone)'
with 'no such heading' 'a heading that is not there'
sed -i 's/^int b;/int c;/' "$scratch/README.md"
with 'a quotation that has changed' 'code that is not in examples/quoted.c'
add '    some words
    proa --version'
with 'a command behind other words' 'a block that does not begin with one'
add '    proa --version
    some words'
with 'other words behind a command' 'no command, in a block of commands'
printf '`the wind is gone today`\n' >"$scratch/doc/TROUBLESHOOTING.md"
with 'a message that nobody says' 'nobody says "the wind is gone today"'
rm "$scratch/doc/TROUBLESHOOTING.md"
name=SAIL # in two parts, as this file is a source too
add "\`PROA_$name\`"
with 'a setting that is none' "no source knows of PROA_$name"
echo '<svg><text>' >"$scratch/doc/picture.svg"
with 'no picture' 'no picture:'
echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >"$scratch/doc/picture.svg"
with 'a picture for light alone' 'no colours for a dark background'
rm "$scratch/doc/picture.svg"
echo 'proa gone  -- no reason' >"$scratch/test/documents/not-run"
with 'a list that is out of date' 'in no document any more: proa gone'
