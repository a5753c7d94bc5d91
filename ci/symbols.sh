#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks what the kernel library exports: every public entry of kernels.def, no kernel of one
# instruction set, nothing without the prefix ck_, nothing twice.
#   ci/symbols.sh [LIBRARY]      (build/release/libck.so)
# Exit: 0 all well, 1 not, 2 no such library.
set -eu
. "$(dirname "$0")/lib.sh"
lib=${1:-build/release/libck.so}
[ -f "$lib" ] || fail "$lib is not there, build it first"

nm -D --defined-only "$lib" | awk -v lib="$lib" '
function error(text) {
    printf "%s: error: %s\n", lib, text
    bad = 1
}
FNR == NR {
    if (!match($0, /^CK_(OP|KERNEL)\(.*\)/)) next
    n = split(substr($0, 1, RLENGTH - 1), part, /[(, ]+/)
    name = "ck_" part[3] "_" part[4]
    if (part[1] == "CK_OP") entry[name]
    else kernel[name "_" part[5]]
    next
}
{
    name = $NF
    sub(/@.*/, "", name)
    if (seen[name]++) error("exports " name " twice")
    if (name !~ /^ck_/) error("exports " name ", which has no prefix ck_")
    base = name
    sub(/_(strict|spec)$/, "", base)
    if (base in kernel) error("exports " name ", a kernel of one instruction set")
}
END {
    for (name in entry) if (!(name in seen)) error("does not export " name)
    exit bad
}' kernels/kernels.def -
