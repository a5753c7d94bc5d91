#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that a wrong harness does not pass its own selftest.
#   wrong.sh PROGRAM FILTER MUTANT
# PROGRAM is ckparity with a fault in the harness; its selftest of FILTER must fail, and MUTANT must be
# among what it no longer reports as it should.
# Exit: 0 it fails so, 1 not.
set -eu
program=$1 filter=$2 mutant=$3
got=0
out=$("$program" selftest "$filter") || got=$?
if [ "$got" = 1 ] && printf '%s\n' "$out" | grep -q "^FAIL $mutant "; then exit 0; fi
printf '%s selftest %s: exit %s, wanted 1 with a line "FAIL %s"\n%s\n' "$program" "$filter" "$got" \
    "$mutant" "$out"
exit 1
