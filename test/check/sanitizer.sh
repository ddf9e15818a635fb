#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs scenes that are built with -fsanitize=thread, and compares what ThreadSanitizer reports with their lists:
#   sanitizer.sh LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM [SCENE...]
# shellcheck source=test/check/split.sh
. "$(dirname "$0")/split.sh"

# PMIx, below Open MPI 5, asks for shared memory at an address that ThreadSanitizer may hold.
export PMIX_MCA_gds=hash
# Open MPI 6 alone ends by a signal where its memory hooks meet those of ThreadSanitizer.
export OMPI_MCA_memory=^patcher
# UCX, below MPICH, watches memory by functions that ThreadSanitizer of gcc does not stand. Scenes use the same addresses, each of which would be told
# of once.
"${launch[@]}" --env PROA_CHECK=1 --env TSAN_OPTIONS=exitcode=0:suppress_equal_addresses=0 --env UCX_MEM_MMAP_HOOK_MODE=none -- "$@" >"$files/said" 2>&1 || {
  if grep -q "FATAL: ThreadSanitizer" "$files/said"; then
    echo "sanitizer: ThreadSanitizer does not start on this machine"
    exit 77
  fi
  echo "sanitizer: the run fails"
  cat "$files/said"
  exit 1
}
"$1" --list "${@:2}" >"$files/list"
python3 "$(dirname "$0")/sanitizer.py" "$files/list" "$files/said"
