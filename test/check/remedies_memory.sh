#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# As remedies.sh, with loads and stores by the program.
export PROA_CHECK=memory
exec "$(dirname "$0")/remedies.sh" "$@"
