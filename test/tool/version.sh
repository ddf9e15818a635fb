#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Is the version the same wherever it stands?  version.sh PROA ROOT VERSION CC
#
# VERSION is what CMakeLists.txt says. The command and the header have the same; CHANGELOG.md has it at the top, or below what is not released.
set -u
proa=$1 root=$2 version=$3 cc=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "version: $1"
  exit 1
}

said=$("$proa" --version)
[ "$said" = "proa $version" ] || fail "CMakeLists.txt has $version, and the command says '$said'"
said=$("$proa" info | head -n 1)
[ "$said" = "proa $version" ] || fail "CMakeLists.txt has $version, and proa info says '$said'"
cat >"$scratch/ask.c" <<'END'
#include <proa.h>
#include <stdio.h>

int main(void)
{
    printf("%s %d.%d.%d\n", PROA_VERSION, PROA_VERSION_MAJOR, PROA_VERSION_MINOR, PROA_VERSION_PATCH);
    return 0;
}
END
"$cc" -I "$root/include" "$scratch/ask.c" -o "$scratch/ask" || fail "proa.h has no version"
said=$("$scratch/ask")
[ "$said" = "$version $version" ] || fail "CMakeLists.txt has $version, and proa.h $said"

mapfile -t headings < <(sed -n 's/^## *//p' "$root/CHANGELOG.md")
if [ "${headings[0]:-}" = Unreleased ]; then
  echo "version: $version and what is not released yet"
else
  [[ ${headings[0]:-} =~ ^"$version"(,| |$) ]] || fail "CHANGELOG.md begins with '${headings[0]:-nothing}', not with $version"
fi
