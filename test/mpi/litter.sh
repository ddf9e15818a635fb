#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# litter.sh COMMAND...: runs the command, in which a rank is killed, and fails if a file of Proa's is left that was not there before.
# The hosts' own files do not count. Another user of the machine may make a file of such a name at the same time, so one that comes
# with the first run only is not ours: what we leave behind, we leave every time.
set -u

listing() {
  local folder
  for folder in /dev/shm "${TMPDIR:-/tmp}" /tmp /run /var/tmp; do
    find "$folder" -maxdepth 2 -iname '*proa*' 2>/dev/null
  done | sort -u
}

# Runs the command once; true if it left nothing. What it left is in $new.
leaves_nothing() {
  local before output status
  before=$(listing)
  output=$("$@" 2>&1)
  status=$?
  echo "$output"
  if [ "$status" -eq 124 ]; then
    echo "litter: the killed rank leaves the others hanging"
    exit 1
  fi
  if ! grep -q '^killed in a lock epoch' <<<"$output"; then
    echo "litter: the program ended otherwise, with status $status"
    exit 1
  fi
  new=$(comm -13 <(echo "$before") <(listing))
  [ -z "$new" ]
}

for attempt in 1 2 3; do
  if leaves_nothing "$@"; then
    echo "ok litter"
    exit 0
  fi
  echo "litter: left behind by run $attempt:"
  echo "$new"
done
exit 1
