# SPDX-License-Identifier: BSD-3-Clause
# Sourced by tests of checkers: a fault is put into a tree, and the checker must tell of it.
# shellcheck shell=bash

# must_say WHAT SAYS COMMAND...: COMMAND has to fail and say SAYS, as the tree has the fault WHAT; else ends the test.
must_say() {
    local what=$1 says=$2 output
    shift 2
    if output=$("$@" 2>&1); then
        echo "not noticed: $what"
        exit 1
    fi
    grep -qF -- "$says" <<<"$output" || {
        echo "of $what it does not say '$says':"
        echo "$output"
        exit 1
    }
}
