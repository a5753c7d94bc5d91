#!/bin/sh
# SPDX-License-Identifier: MIT
# The parity table (ci/parity.sh), the checks of the sources, and the tests under gcc, clang and the
# sanitizers; what takes longer, and gcc without optimisation, is in ci/night.sh. JUnit files in
# build/junit/. The last line is the sum of the tests that ctest ran. The cases of the parity table have
# a sum of their own above and are not in it: the same runs are tests of ctest as well. A build or a
# check that fails counts as one failed test.
# Exit: 0, 1 if anything failed or nothing passed, 2 if something needed is missing.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# = 0 ] || fail "usage: ci/test.sh"

junit=$PWD/build/junit
rm -rf "$junit"
mkdir -p "$junit"

# step NAME COMMAND...: a step that is no test of ctest's. If it fails, it is noted as one that is.
step() {
    step=$1
    shift
    "$@" && return 0
    say "$step failed: exit $?"
    cat >"$junit/$step.xml" <<EOF
<testsuite name="$step" tests="1" failures="1">
	<testcase name="$step" classname="$step" time="0" status="fail"><failure message=""/></testcase>
</testsuite>
EOF
    return 1
}

# tests PRESET TARGET [ctest's argument]...: builds it, or one target of it, and runs its tests.
tests() {
    preset=$1 target=$2
    shift 2
    step "build-$preset" build "$preset" "$target" || return 0
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

step parity ci/parity.sh || :
say "checks of the sources"
step format ci/format.sh || :
step includes ci/includes.sh || :
step selftest ci/selftest.sh || :
tests release '' -E emulated
if [ -e build/release/libck.so ]; then
    step symbols ci/symbols.sh build/release/libck.so || :
    step isa quiet isa ci/isa.sh build/release || :
fi
# what takes builds and pages, not kernels, has been under release
scripts='docs|tools|bisect|lane|emulated'
# the other compiler's bits; all of its code is compiled, and all units tested, with sanitizers
tests clang ckparity -R '^golden'
tests asan '' -L unit -E "$scripts"
# the whole suite under sanitizers is in ci/night.sh
some=build/log/some.cases
printf '* repeat=90\n' >"$some"
say "ckparity run --suite $some, sanitized"
[ ! -e build/asan/ckparity ] || step asan-run quiet asan-run build/asan/ckparity run --suite "$some" || :

say "all tests"
ci/junit.sh "$junit"/*.xml
