# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# The first lines of scripts that are called with LAUNCH HOST RANKS SECONDS [OPTION...] -- PROGRAM [ARG...], which source this file: `launch` has the
# words before `--`, $@ those behind it, and `files` is a folder that goes at the end.
set -u

files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
launch=()
while [ "$1" != -- ]; do
  launch+=("$1")
  shift
done
shift
