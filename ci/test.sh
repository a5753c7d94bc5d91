#!/bin/sh
# SPDX-License-Identifier: MIT
# The parity table (ci/parity.sh), the checks of the sources, and the tests under gcc and under clang's
# sanitizers; what takes longer, and other builds, is in ci/night.sh. JUnit files in build/junit/. The
# last line is the sum of the tests: those of ctest, and one for each build and each check. The cases of
# the parity table have a sum of their own above; all of them are one test.
# Exit: 0, 1 if anything failed or nothing passed, 2 if something needed is missing.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# = 0 ] || fail "usage: ci/test.sh"

junit=$PWD/build/junit
rm -rf "$junit"
mkdir -p "$junit"

# step NAME COMMAND...: a step that ctest does not know, as a test.
step() {
    step=$1 rc=0 status=run failure= began=$(date +%s)
    shift
    "$@" || rc=$?
    if [ "$rc" != 0 ]; then
        say "$step failed: exit $rc"
        status=fail failure='<failure message=""/>'
    fi
    cat >"$junit/$step.xml" <<EOF
<testsuite name="$step" tests="1">
	<testcase name="$step" classname="$step" time="$(($(date +%s) - began))" status="$status">$failure</testcase>
</testsuite>
EOF
    return "$rc"
}

# tests PRESET [ctest's argument]...: builds it and runs its tests.
tests() {
    preset=$1
    shift
    step "build-$preset" build "$preset" || return 0
    say "ctest $preset${*:+ $*}"
    if quiet "ctest-$preset" ctest --preset "$preset" -j "$(nproc)" "$@" \
        --output-junit "$junit/ctest-$preset.xml"; then
        grep 'tests passed' "build/log/ctest-$preset.log"
    elif ! [ -s "$junit/ctest-$preset.xml" ]; then
        step "ctest-$preset" false || :
    fi
}

ci/setup.sh
ci/setup.sh --peers || say "going on without the peers that are missing"

step parity ci/parity.sh --cells || :
say "checks of the sources"
step format ci/format.sh || :
step includes ci/includes.sh || :
step selftest ci/selftest.sh || :
# smoke is the parity table again
tests release -E 'emulated|^smoke$'
if [ -e build/release/libck.so ]; then
    step symbols ci/symbols.sh build/release/libck.so || :
    step isa quiet isa ci/isa.sh build/release || :
fi
# what takes builds and pages, not kernels, has been under release; the others are slow with sanitizers
scripts='docs|tools|bisect|lane|emulated|^cli$|^bench$'
tests asan -L unit -E "$scripts"
# the whole suite under sanitizers is in ci/night.sh
some=build/log/some.cases
printf '* repeat=90\n' >"$some"
say "ckparity run --suite $some, sanitized"
# traces of instructions are those of other code here, and take most of the time
[ ! -e build/asan/ckparity ] ||
    step asan-run quiet asan-run build/asan/ckparity run --no-trace --suite "$some" || :

say "all tests"
ci/junit.sh "$junit"/*.xml
