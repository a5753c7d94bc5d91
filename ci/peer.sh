#!/bin/sh
# SPDX-License-Identifier: MIT
# One peer under the suites, held to what is known of it: harness/subject/PEER.expect.
#   ci/peer.sh PEER [CKPARITY]      default build/release/ckparity
# What is written there of AVX-512 variants was inferred on a machine without: where the CPU has it, the
# table is printed and the verdict is left open.
# Exit: that of ckparity run; 77 also for a verdict left open; 2 bad input.
set -eu
. "$(dirname "$0")/lib.sh"
case $#,${1-} in
[12],openblas | [12],blis | [12],onednn | [12],ggml | [12],sleef) ;;
*) fail "usage: ci/peer.sh openblas|blis|onednn|ggml|sleef [CKPARITY]" ;;
esac
peer=$1 program=${2:-build/release/ckparity} status=0
if [ "$peer" = ggml ] && ! have_ggml; then
    echo "SKIP ggml: not installed, ci/setup.sh --peers does it"
    exit 77
fi
"$program" run --subject "$peer" --expect "harness/subject/$peer.expect" || status=$?
if [ "$status" = 1 ] && grep -qw avx512f /proc/cpuinfo; then
    echo "SKIP $peer: its AVX-512 variants are not confirmed, so this verdict is left open"
    status=77
fi
exit "$status"
