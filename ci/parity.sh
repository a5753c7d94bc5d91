#!/bin/sh
# SPDX-License-Identifier: MIT
# The parity table of this tree: builds it and runs every kernel against its reference, then, where
# ci/setup.sh --peers has been run, those of other libraries against the same references.
#   ci/parity.sh [ARGUMENT of ckparity run]...
# Exit: that of the first step that failed; see README.md.
set -eu
. "$(dirname "$0")/lib.sh"

ci/setup.sh
build release

rc=0
say "ckparity run${*:+ $*}"
build/release/ckparity run "$@" || rc=$?

# What each is known for is in its .expect; an adapter without its library says so and is skipped.
for file in harness/subject/*.expect; do
    peer=$(basename "$file" .expect)
    say "ckparity run --subject $peer"
    status=0
    ci/peer.sh "$peer" || status=$?
    if [ "$rc" = 0 ] && [ "$status" != 77 ]; then rc=$status; fi
done
exit "$rc"
