#!/bin/sh
# SPDX-License-Identifier: MIT
# The parity table of this tree: builds it and runs every kernel against its reference, then, where
# ci/setup.sh --peers has been run, the kernels of ggml against the same references.
#   ci/parity.sh [ARGUMENT of ckparity run]...
# Exit: that of the first step that failed; see README.md.
set -eu
. "$(dirname "$0")/lib.sh"

ci/setup.sh
build release

rc=0
say "ckparity run${*:+ $*}"
build/release/ckparity run "$@" || rc=$?

if have_ggml; then
    say "ckparity run --subject ggml"
    peer=0
    build/release/ckparity run --subject ggml --expect harness/subject/ggml.expect || peer=$?
    if [ "$rc" = 0 ] && [ "$peer" != 77 ]; then rc=$peer; fi
else
    echo "SKIP ggml: not installed, ci/setup.sh --peers does it"
fi
exit "$rc"
