#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Holds our header of the standard ABI against a host's own:  header.sh OURS CC FOLDER
#
# FOLDER has the host's mpi.h. A program is made of that, which has each of our types and prototypes once more, so that the compiler
# complains of those that differ, and compares each of our constants.
set -u
ours=$1 cc=$2 folder=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Statements of more than one line are made one.
joined() {
  awk '/^(typedef|int|MPI_Win) / && !/[;{]$/ { line = $0; while (line !~ /;$/ && (getline next_line) > 0) line = line " " next_line; print line; next } { print }' "$ours"
}

# Ours under names of their own: MPI_Status has no tag, so that it cannot be declared twice.
status_of_ours() {
  awk '/^typedef struct \{/ { inside = 1 } inside { sub(/^} MPI_Status;/, "} our_Status;"); print } /^} / { inside = 0 }' "$ours"
}

constants() {
  joined | awk '/^#define MPI_[A-Z0-9_]+ / { name = $2; sub(/^#define [A-Z0-9_]+ /, ""); print name "\t" $0 }
    /^ +MPI_[A-Z0-9_]+ = / { value = $3; sub(/,$/, "", value); print $1 "\t" value }'
}

{
  cat <<'END'
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
static int wrong;
static void same(const char *name, intptr_t ours, intptr_t theirs)
{
    if (ours != theirs) {
        printf("%s is %#lx, not %#lx\n", name, (long)theirs, (long)ours);
        wrong = 1;
    }
}
END
  status_of_ours
  joined | grep -E '^(typedef [^{]*;|int PMPI_|MPI_Win PMPI_)'
  echo 'int main(void) {'
  constants | while IFS=$'\t' read -r name value; do
    echo "same(\"$name\", (intptr_t)($value), (intptr_t)($name));"
  done
  for field in MPI_SOURCE MPI_TAG MPI_ERROR; do
    echo "same(\"$field\", offsetof(our_Status, $field), offsetof(MPI_Status, $field));"
  done
  echo 'same("MPI_Status", sizeof(our_Status), sizeof(MPI_Status));'
  echo 'return wrong; }'
} >"$scratch/header.c"

count=$(grep -c '^same(' "$scratch/header.c")
prototypes=$(grep -cE '^(int|MPI_Win) PMPI_' "$scratch/header.c")
if [ "$count" -lt 150 ] || [ "$prototypes" -lt 100 ]; then
  echo "header: only $count constants and $prototypes prototypes are found in $ours"
  exit 1
fi
"$cc" -std=gnu11 -Wall -Werror -I"$folder" -o "$scratch/header" "$scratch/header.c" || exit 1
"$scratch/header" || exit 1
echo "ok header: $count constants, $prototypes prototypes"
