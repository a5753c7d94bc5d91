#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the format of the C files, or mends it.
#   ci/format.sh [--fix]
# Exit: 0 all well, 1 not.
set -eu
. "$(dirname "$0")/lib.sh"
case "$*" in
'') mode='--dry-run -Werror' ;;
--fix) mode=-i ;;
*) fail "usage: ci/format.sh [--fix]" ;;
esac
# shellcheck disable=SC2086
sources '*.c' '*.h' | grep -E '^(ci|kernels|ref|codegen|harness|fuzz|docs)/' |
    grep -v '^harness/mutate/test/' | xargs -r clang-format-14 $mode || exit 1
