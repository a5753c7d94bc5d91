#!/bin/sh
# SPDX-License-Identifier: MIT
# A short libFuzzer run that is the same each time, and leaves the corpus as it is.
#   smoke.sh FUZZER CORPUS [libFuzzer's argument]...
# What fails is kept in build/fuzz/, as a file that the fuzzer and replay_NAME take.
# Exit: 0 nothing found, else libFuzzer's.
set -eu
fuzzer=$1 corpus=$2
shift 2
found=$(dirname "$fuzzer")/../fuzz/
mkdir -p "$found"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rc=0
"$fuzzer" -seed=1 -timeout=25 -print_final_stats=1 "-artifact_prefix=$found${fuzzer##*/}-" "$@" \
    "$scratch" "$corpus" >"$scratch/log" 2>&1 || rc=$?
if [ "$rc" = 0 ]; then
    sed -n 's/^stat::number_of_executed_units: */executions /p; s/^stat::average_exec_per_sec: */per second /p' \
        "$scratch/log"
else
    grep -v '^#[0-9]' "$scratch/log" | tail -n 60
fi
exit "$rc"
