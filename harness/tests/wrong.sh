#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that a wrong harness does not pass its own selftest.
#   wrong.sh PROGRAM MUTANT [OPTION]
# PROGRAM is ckparity with a fault in the harness, which no longer reports MUTANT as it should, or no longer
# shrinks its case to a minimal one (OPTION --shrink).
# Exit: 0 its selftest of MUTANT fails and says so, 1 not.
set -eu
program=$1 mutant=$2 got=0
shift
out=$("$program" selftest "$@") || got=$?
if [ "$got" = 1 ] && printf '%s\n' "$out" | grep -q "^FAIL $mutant "; then exit 0; fi
printf '%s selftest %s: exit %s, wanted 1 with a line "FAIL %s"\n%s\n' "$program" "$mutant" "$got" \
    "$mutant" "$out"
exit 1
