#!/bin/sh
# SPDX-License-Identifier: MIT
# Strict-parity mode's promise, kept: the digests of golden/ with every compiler at every optimisation
# level, and on emulated CPUs. Fast digests are checked as well: without contraction they depend on the
# instruction set only. Warnings are off: the headers of gcc 12 have some at -O0.
#   ci/strict.sh [COMPILER]...    (gcc clang-14 clang-19, as far as they are there)
# Exit: 0 all the same, 1 not, 2 something needed is missing.
set -eu
. "$(dirname "$0")/lib.sh"

cpus='Haswell Nehalem'
rc=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[ -x build/release/ckparity ] || build release || fail "build/release is not there and does not build"

# kernels COMPILER LEVEL: builds libck.so in $tmp/build.
kernels() {
    cmake -S . -B "$tmp/build" -G Ninja -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE="$2 -DNDEBUG" -DCK_OPTIONS_LAST="$2;-w" &&
        cmake --build "$tmp/build" --target ck
}

# check NAME COMMAND...: COMMAND checks every golden file; one line says how many it passed.
check() {
    name=$1 bad=
    shift
    : >"$tmp/out"
    for file in golden/*.digests; do
        got=0
        # shellcheck disable=SC2086 # two words
        "$@" digest --check "$file" $subject >>"$tmp/out" 2>&1 || got=$?
        case $got in 0 | 77) ;; *) bad=1 ;; esac
    done
    awk -v name="$name" '/ passed, .* failed, / { p += $1; f += $3; s += $5 }
        END { printf "%-16s %d passed, %d failed, %d skipped\n", name, p, f, s }' "$tmp/out"
    [ -z "$bad" ] && return 0
    grep -E '^(CHANGED|STALE|FAIL|CRASH|HANG|[a-z0-9_]+ .*changed|ckparity)' "$tmp/out" | tail -n 20
    rc=1
}

[ $# != 0 ] || set -- gcc clang-14 clang-19
for compiler; do
    if ! command -v "$compiler" >/dev/null; then
        echo "SKIP $compiler is not installed"
        continue
    fi
    for level in -O0 -O1 -O2 -O3; do
        quiet "strict-$compiler$level" kernels "$compiler" "$level" ||
            fail "$compiler $level does not build the kernels"
        subject="--subject $tmp/build/libck.so"
        check "$compiler $level" build/release/ckparity
    done
    rm -rf "$tmp/build"
done
# qemu reads the lanes that a masked load leaves out: no unmapped page may be there
subject=--unguarded
if command -v qemu-x86_64 >/dev/null; then
    for cpu in $cpus; do check "qemu $cpu" qemu-x86_64 -cpu "$cpu" build/release/ckparity; done
else
    echo "SKIP qemu-x86_64 is not installed (package qemu-user)"
fi
exit $rc
