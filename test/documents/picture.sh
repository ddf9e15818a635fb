#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Are the pictures what their sources give, and would tools/picture notice if one were not?   picture.sh ROOT
set -euo pipefail
root=$1
command -v python3 >/dev/null || exit 77
# shellcheck source=test/documents/must_say.sh
. "$root/test/documents/must_say.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$root/tools/picture" --check "$root"

# The sources and the pictures, with nothing wrong in them.
fresh() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/doc"
    cp "$root/README.md" "$scratch/tree/"
    cp -r "$root/src" "$scratch/tree/"
    cp -r "$root/doc/pictures" "$scratch/tree/doc/"
}

# with WHAT SAYS: the tree has that in it now: it has to be told of, by SAYS.
with() {
    must_say "$1" "$2" "$root/tools/picture" --check "$scratch/tree"
    fresh
}

fresh
"$root/tools/picture" --check "$scratch/tree"
sed -i '/^| put + flush |/s/ ns |/9 ns |/' "$scratch/tree/README.md"
with 'another number in the table' 'compare.svg is not what the table in README.md gives'
sed -i 's/by hand |$/by machine |/' "$scratch/tree/README.md"
with 'a table that is gone' 'has no table'
mkdir "$scratch/tree/src/cellar"
echo '#include "base/log.h"' >"$scratch/tree/src/cellar/cellar.c"
with 'a new folder of src' 'rooms.svg is not what src gives'
echo '#include "bind/bind.h"' >>"$scratch/tree/src/base/log.h"
with 'an include upwards' 'in a circle'
sed -i '/^---$/d; s/^title /title Not /' "$scratch/tree/doc/pictures/life-put.seq"
with 'another title' 'life-put.svg is not what'
echo 'origin => target: nothing' >>"$scratch/tree/doc/pictures/life-put.seq"
with 'a line that is no step' 'life-put.seq: not understood'
