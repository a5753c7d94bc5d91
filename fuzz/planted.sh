#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that a fuzz target reports a wrong kernel, with a case line that fails in ckparity as well.
#   planted.sh BUILD COMMAND...
# COMMAND runs the target; here it gets the library libckparity_planted.so of the folder BUILD.
# Exit: 0 reported, 1 not.
set -eu
build=$1
shift
rc=0
out=$(FZ_SUBJECT=$build/libckparity_planted.so "$@" 2>&1) || rc=$?
line=$(printf '%s\n' "$out" | sed -n "s/^ *case   ckparity run '\(.*\)'$/\1/p" | head -n 1)
if [ "$rc" = 0 ] || [ -z "$line" ]; then
    printf '%s: exit %s, and the planted fault is not reported:\n%s\n' "$*" "$rc" "$out"
    exit 1
fi
rc=0
"$build/ckparity" run --subject "$build/libckparity_planted.so" "$line" >/dev/null || rc=$?
[ "$rc" = 1 ] && exit 0
printf "ckparity run --subject planted '%s': exit %s, wanted 1\n" "$line" "$rc"
exit 1
