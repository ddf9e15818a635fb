#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# dev_log.sh DEV: what a failing `./dev test` said is still there after one that passes, which tells how long the tests took. cmake, ctest and dpkg-query are stand-ins.
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
SAYS=' 1/2 Test   #1: unit.wait ........   Passed    0.50 sec
2/2 Test  #12: mpi.fence.mpich.n2 ...***Failed   31.25 sec' STATUS=0 "$folder/dev" test >"$folder/passed"
grep -q '^2 tests took [0-9]* s of processor time' "$folder/passed" && grep -q ': mpi.fence.mpich.n2 31.25, unit.wait 0.50$' "$folder/passed" ||
  { echo "dev does not tell how long the tests took: $(cat "$folder/passed")"; exit 1; }

log=$(sed -n 's/^what failed, and all it said: //p' "$folder/said")
[ -f "$log" ] || { echo "no log where dev said it was: $(cat "$folder/said")"; exit 1; }
grep -q 'the block was refused' "$log" || { echo "the passing run wrote over the log of the failing one"; exit 1; }
