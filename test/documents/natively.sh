#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program of the tutorial by its MPI alone:  natively.sh LAUNCH HOST RANKS LIBRARY PROGRAM
#
# It has to give the right result there too: what is taught is MPI, not Proa. Where it does not, Proa (LIBRARY) says whether the program is
# to blame, which fails, or the MPI, which is told, and skipped.
set -euo pipefail
launch=$1 host=$2 ranks=$3 library=$4 program=$5
if "$launch" "$host" "$ranks" 120 -- "$program"; then
    exit 0
fi
"$launch" "$host" "$ranks" 120 --preload "$library" -- "$program" || exit 1
echo "right with Proa, so it is the MPI that is wrong: $host, $(basename "$program") on $ranks ranks"
exit 77
