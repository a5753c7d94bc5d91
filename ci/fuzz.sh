#!/bin/sh
# SPDX-License-Identifier: MIT
# The fuzzers, short and seeded: libFuzzer by ctest's label fuzz-smoke, which is the same each time, then
# AFL++ for SECONDS on the same target. What fails is in build/fuzz/ and build/afl/out/.
#   ci/fuzz.sh [SECONDS]       default 10
# Exit: 0 nothing found, 1 a failure, 2 bad input or a tool missing.
set -eu
. "$(dirname "$0")/lib.sh"
seconds=${1:-10}
case $seconds in
*[!0-9]* | '') fail "usage: ci/fuzz.sh [SECONDS]" ;;
esac

rc=0
build fuzz
say "ctest fuzz -L fuzz-smoke"
quiet ctest-fuzz ctest --preset fuzz -L fuzz-smoke || rc=1
grep 'tests passed' build/log/ctest-fuzz.log || :

afl=build/afl
if ! command -v afl-clang-fast >/dev/null || ! command -v afl-fuzz >/dev/null; then
    echo "SKIP afl: afl++ is not installed"
    exit "$rc"
fi
build afl
build release
say "afl-fuzz for $seconds seconds, seed 1"
rm -rf "$afl/out"
afl_environment
AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/build/release/libfz_mutator.so AFL_CUSTOM_MUTATOR_ONLY=1 quiet afl afl-fuzz \
    -s 1 -V "$seconds" -G 1152 -i fuzz/corpus/cases -o "$afl/out" -- "$afl/fuzz_cases" || rc=1
stats=$afl/out/default/fuzzer_stats
[ -f "$stats" ] || exit 1
sed -n 's/^\(execs_done\|execs_per_sec\|saved_crashes\|stability\) *: /\1 /p' "$stats"
for crash in "$afl"/out/default/crashes/id:*; do
    [ -f "$crash" ] || continue
    rc=1
    echo "found: $crash"
    "$afl/fuzz_cases" "$crash" 2>&1 | grep -E '^(FAIL|CRASH|HANG|fuzz:)|^ *case ' || :
done
exit "$rc"
