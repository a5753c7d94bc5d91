#!/bin/sh
# SPDX-License-Identifier: MIT
# Memcheck over the kernels up to AVX2, the harness and its parsers. It looks at memory only: valgrind
# knows neither flush to zero nor directed rounding, so fuzz/valgrind.cases has neither.
#   ci/valgrind.sh [BUILD]     a folder with ckparity and replay_text; without, build/release is built
# Exit: 0 no error, 1 error or failure, 77 no valgrind.
set -eu
build=${1:+$(realpath "$1")}
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || {
    echo "SKIP valgrind: not installed"
    exit 77
}
[ -n "$build" ] || { build release && build=$PWD/build/release; }

# --partial-loads-ok=no: otherwise an aligned vector that reads past the end goes unseen.
check() { # NAME COMMAND...
    name=$1
    shift
    quiet "$name" valgrind -q --error-exitcode=9 --partial-loads-ok=no "$@" || return 1
    tail -n 1 "build/log/$name.log"
}
rc=0
say "memcheck ckparity run --suite fuzz/valgrind.cases"
check valgrind-cases "$build/ckparity" run --suite fuzz/valgrind.cases --jobs 1 || rc=1
say "memcheck replay_text fuzz/corpus/text"
check valgrind-text "$build/replay_text" fuzz/corpus/text || rc=1
exit "$rc"
