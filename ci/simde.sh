#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the avx512, avx512vnni and avxvnni kernels on a CPU with AVX2, their intrinsics made of AVX2's by
# SIMDe: docs/emulation.md. This proves their logic, not their machine code.
#   ci/simde.sh [ARGUMENT of ckparity run]...
# Without arguments: these kernels and the scalar ones, suite smoke; and the golden digests, which are those of a CPU.
# Exit: that of ckparity run, 1 also if a digest differs; 77 SIMDe is not installed, or no AVX2.
set -eu
. "$(dirname "$0")/lib.sh"

skip() {
    echo "SKIP simde: $1"
    exit 77
}
[ -e /usr/include/simde/x86/avx512.h ] || skip "no libsimde-dev; ci/setup.sh --emulator installs it"
grep -qw avx2 /proc/cpuinfo || skip "this CPU has no AVX2"
build simde
rc=0
if [ $# = 0 ]; then
    set -- '*_scalar' '*_avxvnni' '*_avx512*'
    for file in golden/fast-avx512*.digests golden/fast-avxvnni.digests; do
        say "ckparity digest --check $file"
        build/simde/ckparity digest --check "$file" || rc=1
    done
fi
say "ckparity run $*: intrinsics emulated (SIMDe), logic only"
build/simde/ckparity run --no-trace "$@" || rc=$?
echo "intrinsics emulated (SIMDe): logic only"
exit "$rc"
