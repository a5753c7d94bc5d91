#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks who includes whom. The table below is the whole rule; docs/index.md has it as a picture.
# Exit: 0 all well, 1 not.
set -eu
. "$(dirname "$0")/lib.sh"

# Files (first match; * stays within a folder, ** does not) : what they may include. Paths are
# "..." includes as found in the tree, <...> are headers of the system, <c> those of C11.
table='
kernels/include/ck/*  : kernels/include/ck/*.h kernels/kernels.def <c>
kernels/tests/*       : kernels/**.h kernels/kernels.def <c> <posix> <cmocka.h> <*mmintrin.h> <cpuid.h>
kernels/alloc.c       : kernels/**.h <c> <posix>
kernels/threads.c     : kernels/**.h <c> <posix> <*mmintrin.h>
kernels/**            : kernels/**.h kernels/kernels.def <c> <*mmintrin.h> <cpuid.h> <pthread.h>
ref/tests/*           : ref/**.h kernels/include/ck/ck_numspec.h <c> <cmocka.h> <mpfr.h> <gmp.h>
ref/**                : ref/**.h kernels/include/ck/ck_numspec.h <c>
harness/subject/*     : kernels/include/ck/*.h harness/subject/*.h <c> <posix> <*mmintrin.h>
harness/tests/*       : kernels/include/ck/*.h kernels/kernels.def ref/ref.h harness/**.h <c> <posix> <cmocka.h> <*mmintrin.h>
harness/selftest/*    : kernels/include/ck/*.h kernels/kernels.def ref/ref.h harness/**.h <c> <posix> <*mmintrin.h>
harness/runtime/*     : kernels/include/ck/*.h kernels/kernels.def ref/*.h harness/**.h codegen/*.h codegen/runtime/*.h <c> <posix> <libtcc.h>
harness/**            : kernels/include/ck/*.h kernels/kernels.def ref/ref.h harness/**.h <c> <posix> <valgrind/*.h> <*mmintrin.h> <cpuid.h>
codegen/runtime/*     : kernels/include/ck/*.h kernels/kernels.def codegen/runtime/*.h <c> <posix>
codegen/tests/*       : kernels/include/ck/*.h kernels/kernels.def codegen/**.h codegen/*.def ref/*.h <c> <posix> <cmocka.h>
codegen/**            : kernels/include/ck/ck_dtype.h kernels/kernels.def codegen/**.h codegen/*.def <c> <posix> <jansson.h>
fuzz/**               : kernels/include/ck/*.h ref/ref.h harness/**.h codegen/**.h fuzz/**.h <c> <posix>
docs/**               : kernels/include/ck/*.h <c>
ci/bochs/*            : <c> <posix> <asm/bootparam.h>
ci/*                  : <c> <*mmintrin.h> <simde/x86/*.h>
'

c='assert complex ctype errno fenv float inttypes limits locale math setjmp signal stdalign stdarg
    stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath time uchar'
posix='dirent dlfcn fcntl fnmatch getopt link poll pthread sched spawn strings sys/* ucontext unistd'

list=$(mktemp)
trap 'rm -f "$list"' EXIT
sources '*.c' '*.h' '*.def' '*.inc' '*.S' >"$list"
tr '\n' '\0' <"$list" | xargs -0 -r grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null |
    awk -v table="$table" -v c="$c" -v posix="$posix" -v list="$list" '
function pattern(glob) {
    gsub(/[.]/, "[.]", glob)
    gsub(/[*][*]/, "\001", glob)
    gsub(/[*]/, "[^/]*", glob)
    gsub(/\001/, ".*", glob)
    return "^" glob "$"
}
function class(names, i, n, name, all) {
    n = split(names, name)
    for (i = 1; i <= n; i++) all = all (i > 1 ? "|" : "") pattern("<" name[i] ".h>")
    return all
}
# The file of the tree that "name" in `file` means: beside it, in its own top folder, elsewhere.
function find(file, name, dir, top, beside, i) {
    dir = top = file
    sub("/[^/]*$", "", dir)
    sub("/.*", "", top)
    beside = dir "/" name
    while (sub("[^/]+/[.][.]/", "", beside)) {}
    if (beside in tree) return beside
    for (i = 1; i <= roots; i++)
        if (index(root[i] "/", top "/") == 1 && (root[i] "/" name) in tree)
            return root[i] "/" name
    for (i = 1; i <= roots; i++)
        if ((root[i] "/" name) in tree) return root[i] "/" name
    return ""
}
function error(text) {
    printf "%s:%s: error: %s\n", file, line, text
    bad = 1
}
BEGIN {
    while ((getline path < list) > 0) tree[path]
    roots = split("kernels kernels/include/ck ref harness codegen codegen/runtime fuzz .", root)
    lines = split(table, entry, "\n")
    for (i = 1; i <= lines; i++) {
        if (entry[i] !~ /:/) continue
        rules++
        from[rules] = entry[i]
        sub(/ *:.*/, "", from[rules])
        from[rules] = pattern(from[rules])
        sub(/.*: */, "", entry[i])
        n = split(entry[i], may)
        for (j = 1; j <= n; j++)
            to[rules] = to[rules] (j > 1 ? "|" : "") \
                (may[j] == "<c>" ? class(c) : may[j] == "<posix>" ? class(posix) : pattern(may[j]))
    }
}
{
    match($0, /:[0-9]+:/)
    file = substr($0, 1, RSTART - 1)
    line = substr($0, RSTART + 1, RLENGTH - 2)
    text = substr($0, RSTART + RLENGTH)
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
    for (rule = 1; rule <= rules && file !~ from[rule]; rule++) {}
    if (rule > rules) {
        error("no rule in ci/includes.sh for this file")
        next
    }
    if (match(text, /^"[^"]*"/)) {
        name = substr(text, 2, RLENGTH - 2)
        target = find(file, name)
        if (target == "") {
            error("\"" name "\" is not in the tree")
            next
        }
    } else if (match(text, /^<[^>]*>/)) {
        target = substr(text, 1, RLENGTH)
    } else {
        error("include of a macro: " text)
        next
    }
    if (target !~ to[rule]) {
        folder = file
        sub("[^/]*$", "", folder)
        error(folder " may not include " substr(text, 1, RLENGTH) \
            (target ~ /^</ ? "" : ", which is " target))
    }
}
END { exit bad }'
