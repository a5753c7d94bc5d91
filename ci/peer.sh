#!/bin/sh
# SPDX-License-Identifier: MIT
# One peer under the suites, held to what is known of it: harness/subject/PEER.expect.
#   ci/peer.sh PEER [CKPARITY]      default build/release/ckparity
# What is written there of variants with AMX was inferred on machines without: where the CPU has it, the
# table is printed and the verdict is left open.
# Exit: that of ckparity run; 77 also for a verdict left open; 2 bad input.
set -eu
. "$(dirname "$0")/lib.sh"
case $# in 1 | 2) ;; *) fail "usage: ci/peer.sh PEER [CKPARITY]" ;; esac
peer=$1 program=${2:-build/release/ckparity} status=0
[ -f "harness/subject/$peer.expect" ] || fail "no peer $peer: harness/subject/$peer.expect is not there"
if [ "$peer" = ggml ] && ! have_ggml; then
    echo "SKIP ggml: not installed, ci/setup.sh --peers does it"
    exit 77
fi
"$program" run --subject "$peer" --expect "harness/subject/$peer.expect" || status=$?
if [ "$status" = 1 ] && grep -qw amx_int8 /proc/cpuinfo; then
    echo "SKIP $peer: its variants with AMX are not confirmed, so this verdict is left open"
    status=77
fi
exit "$status"
