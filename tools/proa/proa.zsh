#compdef proa
# SPDX-License-Identifier: BSD-3-Clause
# Completion of the command proa for zsh, by that for bash, which is installed two folders up.
local table=${${(%):-%x}:A:h}/../../bash-completion/completions/proa
local -a found

found=("${(@f)$(bash -c '. "$0"; _proa_words "$@"' "$table" $((CURRENT - 1)) "${words[@]}" 2>/dev/null)}")
compadd -- "${found[@]}"
