#!/bin/bash
# litter.sh COMMAND...: runs the command, in which a rank is killed, and fails if a file of Proa's is left that was not there before.
# The hosts' own files do not count.
set -u

listing() {
  local folder
  for folder in /dev/shm "${TMPDIR:-/tmp}" /tmp /run /var/tmp; do
    find "$folder" -maxdepth 2 -iname '*proa*' 2>/dev/null
  done | sort -u
}

before=$(listing)
output=$("$@" 2>&1)
status=$?
after=$(listing)
echo "$output"
if [ "$status" -eq 124 ]; then
  echo "litter: the killed rank leaves the others hanging"
  exit 1
fi
if ! grep -q '^killed in a lock epoch' <<<"$output"; then
  echo "litter: the program ended otherwise, with status $status"
  exit 1
fi
new=$(comm -13 <(echo "$before") <(echo "$after"))
if [ -n "$new" ]; then
  echo "litter: left behind:"
  echo "$new"
  exit 1
fi
echo "ok litter"
