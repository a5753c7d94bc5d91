#!/bin/sh
# SPDX-License-Identifier: MIT
# The suite fuzz/qemu.cases on CPUs of another age, under qemu-user: Haswell has AVX2, Nehalem has SSE4.2
# and dies of an AVX instruction that leaked into a file which is not of an AVX kernel. Each row that
# runs there must report what it reports on this CPU: cases, checks, and the worst utilisation to six
# digits with its case.
#   ci/qemu.sh [BUILD]     a folder with ckparity; without, build/release is built
# Exit: 0 all well, 1 not, 77 no qemu-user.
set -eu
build=${1:+$(realpath "$1")}
. "$(dirname "$0")/lib.sh"
command -v qemu-x86_64 >/dev/null || {
    echo "SKIP qemu: qemu-user is not installed"
    exit 77
}
[ -n "$build" ] || { build release && build=$PWD/build/release; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# suite NAME COMMAND...: the suite, started by COMMAND; the rows that ran go to $work/NAME.
suite() {
    name=$1
    shift
    quiet "qemu-$name" "$@" "$build/ckparity" run --suite fuzz/qemu.cases --json "$work/json" || return 1
    sed -n '/"op": .*"cases":/s/,$//p' "$work/json" >"$work/$name"
    printf '%-8s %s\n' "$name" "$(tail -n 1 "build/log/qemu-$name.log")"
}
# skips NAME ISA: whether the rows of ISA were skipped.
skips() { grep -q "^  $2  *SKIP" "build/log/qemu-$1.log"; }

rc=0
say "ckparity run --suite fuzz/qemu.cases"
suite native env || exit 1
for cpu in Haswell Nehalem; do
    suite "$cpu" qemu-x86_64 -cpu "$cpu" || {
        rc=1
        continue
    }
    if grep -vxF -f "$work/native" "$work/$cpu" >"$work/other"; then
        echo "$cpu: rows that differ from this CPU's:"
        cat "$work/other"
        rc=1
    fi
    grep -q '"isa": "sse41"' "$work/$cpu" || { echo "$cpu: no row of sse41" && rc=1; }
done
skips Nehalem avx2 || { echo "Nehalem: avx2 is not skipped" && rc=1; }
if skips Haswell avx2; then echo "Haswell: avx2 is skipped" && rc=1; fi
exit "$rc"
