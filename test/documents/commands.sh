#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The commands of the documents, where there is a Python to run them:  commands.sh [--installed] BUILD
set -euo pipefail
command -v python3 >/dev/null || exit 77
exec python3 "$(dirname "${BASH_SOURCE[0]}")/run" "$@"
