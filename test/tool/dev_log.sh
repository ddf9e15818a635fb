#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# dev_log.sh DEV: what a failing `./dev test` said is still there after one that passes. cmake, ctest and dpkg-query are stand-ins.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/build/release"
mkdir "$folder/cmake"
cp "$1" "$folder/dev"
cp "$(dirname "$1")"/cmake/hosts* "$folder/cmake"

for name in cmake dpkg-query; do
  printf '#!/bin/bash\necho "install ok installed"\n' >"$folder/bin/$name"
done
# What ctest does with the two options that matter here: text into the log, and the status.
cat >"$folder/bin/ctest" <<'EOF'
#!/bin/bash
while [ $# -gt 0 ] && [ "$1" != --output-log ]; do shift; done
echo "$SAYS" >"$2"
exit "$STATUS"
EOF
chmod +x "$folder"/bin/*
export PATH=$folder/bin:$PATH PROA_PRESET=release

status=0
SAYS='the block was refused' STATUS=8 "$folder/dev" test >"$folder/said" 2>&1 || status=$?
[ "$status" -eq 8 ] || { echo "dev test returned $status, not what ctest did"; exit 1; }
SAYS='all passed' STATUS=0 "$folder/dev" test

log=$(sed -n 's/^what failed, and all it said: //p' "$folder/said")
[ -f "$log" ] || { echo "no log where dev said it was: $(cat "$folder/said")"; exit 1; }
grep -q 'the block was refused' "$log" || { echo "the passing run wrote over the log of the failing one"; exit 1; }
