# SPDX-License-Identifier: BSD-3-Clause
# Completion of the command proa for fish, by that for bash, which is installed two folders up.
set -g __proa_table (dirname (status filename))/../../bash-completion/completions/proa

function __proa_words
    set -l before (commandline -opc)
    set -l now (commandline -ct)
    bash -c '. "$0"; _proa_words "$@"' $__proa_table (count $before) $before "$now" 2>/dev/null
end

complete -c proa -f -a '(__proa_words)'
