#!/bin/sh
# SPDX-License-Identifier: MIT
# What takes too long for each commit: the tests under gcc without optimisation and under clang, a whole
# public decoder, threads under ThreadSanitizer, strict digests under every compiler and level, AVX-512
# emulated, fuzzing, coverage and its floors, the emitted file of each wrong kernel, the shrunk case of each.
#   ci/night.sh [SECONDS]       of fuzzing, default 600
# Exit: 0 all well, 1 not.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# -le 1 ] || fail "usage: ci/night.sh [SECONDS]"

rc=0
build release
build dev
build asan
ctest --preset asan -L smoke || rc=1
build clang
ctest --preset clang -L unit -j "$(nproc)" -E 'docs|tools|bisect|lane|emulated' || rc=1
build tsan
ctest --preset tsan -R '^kernels.threads$' || rc=1
ctest --preset dev -L 'unit|smoke|selftest' -j "$(nproc)" || rc=1
ctest --preset release -R emulated || rc=1
build/release/ckparity run --suite harness/suites/whole.cases || rc=1
ci/strict.sh || rc=1
ci/fuzz.sh "${1:-600}" || rc=1
coverage/report.sh || rc=1
harness/tests/emitted.sh build/release/ckparity all || rc=1
build/release/ckparity selftest --shrink || rc=1
exit "$rc"
