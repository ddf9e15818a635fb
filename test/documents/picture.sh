#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Is the picture in README.md that of its table, and would tools/picture notice if it were not?   picture.sh ROOT
set -euo pipefail
root=$1
command -v python3 >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$root/tools/picture" --check "$root"
mkdir -p "$scratch/doc/pictures"
cp "$root/doc/pictures/compare.svg" "$scratch/doc/pictures/"
sed '/^| put + flush |/s/ ns |/9 ns |/' "$root/README.md" >"$scratch/README.md"
if "$root/tools/picture" --check "$scratch" 2>"$scratch/said"; then
    echo "another number in the table is not noticed"
    exit 1
fi
grep -q 'is not what the table' "$scratch/said"
sed 's/by hand |$/by machine |/' "$root/README.md" >"$scratch/README.md"
if "$root/tools/picture" --check "$scratch" 2>"$scratch/said"; then
    echo "a table that is gone is not noticed"
    exit 1
fi
grep -q 'has no table' "$scratch/said"
