#!/bin/sh
# SPDX-License-Identifier: MIT
# What to run before a commit: format, includes, the self test of these checks, the quick tests with
# assertions on, and the symbols and instructions of the kernels.
# Exit: 0 all well, 1 not, 2 something needed is missing.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# = 0 ] || fail "usage: ci/check.sh"

rc=0
ci/setup.sh
say "format"
ci/format.sh || rc=1
say "includes"
ci/includes.sh || rc=1
say "self test of the checks"
ci/selftest.sh || rc=1
if build dev; then
    say "ctest dev -L unit|quick"
    quiet ctest-check ctest --preset dev -L 'unit|quick' -j "$(nproc)" || rc=1
    grep 'tests passed' build/log/ctest-check.log || :
    say "symbols and instructions"
    ci/symbols.sh build/dev/libck.so || rc=1
    quiet isa ci/isa.sh build/dev || rc=1
else
    rc=1
fi
[ "$rc" != 0 ] || say "ok"
exit "$rc"
