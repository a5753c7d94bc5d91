#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that the checks of this folder can fail: in a small tree of its own it plants one fault after
# the other, and wants each reported.
# Exit: 0 all reported, 1 not.
# shellcheck disable=SC2086 # $avx512 is two words
set -eu
. "$(dirname "$0")/lib.sh"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/tree"
cp -R ci .clang-format "$tree/tree"
cd "$tree/tree"
mkdir -p kernels/include/ck kernels/add ref harness/subject build
objects=build/release/CMakeFiles/ck_objects.dir/kernels
mkdir -p "$objects/add"

rc=0
# passes COMMAND...: without a fault there is no error.
passes() {
    "$@" >"$tree/out" 2>&1 && return 0
    printf 'selftest: %s fails without a fault:\n' "$*"
    cat "$tree/out"
    rc=1
}
# reports STATUS TEXT COMMAND...: COMMAND exits with STATUS and prints TEXT.
reports() {
    want=$1 text=$2 got=0
    shift 2
    "$@" >"$tree/out" 2>&1 || got=$?
    if [ "$got" = "$want" ] && grep -qF -- "$text" "$tree/out"; then return 0; fi
    printf 'selftest: %s exits %s (wanted %s) and should say "%s":\n' "$*" "$got" "$want" "$text"
    cat "$tree/out"
    rc=1
}

# --- includes: one line after the other in a file that may not have it
touch kernels/kernels.def kernels/inner.h kernels/include/ck/ck.h kernels/include/ck/ck_numspec.h \
    ref/ref.h ref/ball.h harness/case.h
include() { # FILE INCLUDE: is reported
    printf '#include %s\n' "$2" >"$1"
    reports 1 "$1:1: error: " ci/includes.sh
    rm "$1"
}
cat >kernels/add/add_f32_avx2.c <<'E2'
#include <immintrin.h>
#include "ck.h"
#include "inner.h"
E2
printf '#include "ck_numspec.h"\n' >ref/add.c
printf '#include "ref.h"\n#include "ck.h"\n' >harness/run.c
passes ci/includes.sh
include kernels/add/add_f32_avx512.c '"add_f32_avx2.c"'
include kernels/add/add_f32_scalar.c '"ref.h"'
include kernels/dispatch.c '"case.h"'
include kernels/include/ck/gemm.h '"inner.h"'
include ref/exp.c '"ck.h"'
include ref/exp.c '<ck.h>'
include ref/exp.c '<unistd.h>'
include harness/call.c '"inner.h"'
include harness/call.c '"ball.h"'
include harness/subject/other.c '"case.h"'
include harness/call.c '"nowhere.h"'
include harness/call.c 'HEADER'
include golden.c '<stdio.h>'

# --- format
printf 'int  x;\n' >ref/exp.c
reports 1 ref/exp.c:1:4 ci/format.sh
ci/format.sh --fix
passes ci/format.sh

# --- symbols
cat >kernels/kernels.def <<'E2'
CK_OP(vector, add, f32)
CK_KERNEL(vector, add, f32, scalar)
CK_KERNEL(vector, add, f32, sse41)
CK_KERNEL(vector, add, f32, avx2)
CK_KERNEL(vector, add, f32, avx512)
CK_KERNEL(vector, add, f32, avx512vnni)
E2
library() { # NAME...: exports functions of these names
    for name; do printf 'void %s(void) {}\n' "$name"; done |
        gcc -shared -fPIC -o build/release/libck.so -x c -
}
library ck_add_f32 ck_isa_name
passes ci/symbols.sh
library ck_add_f32 leak
reports 1 'exports leak' ci/symbols.sh
library ck_add_f32 ck_add_f32_avx2_strict
reports 1 'exports ck_add_f32_avx2_strict' ci/symbols.sh
library ck_isa_name
reports 1 'does not export ck_add_f32' ci/symbols.sh

# --- instructions
cat >kernels/add/text.c <<'E2'
#include <stddef.h>
#ifdef VNNI
#include <immintrin.h>
#endif
struct args { float *y; const float *x; size_t n; };
typedef void ck_fn(const void *);
void ck_strict_run(ck_fn *, const void *);
void OTHER(const void *);
#define PLUS(name) \
    static __attribute__((noinline)) void name(const void *p) \
    { \
        const struct args a = *(const struct args *)p; \
        for (size_t i = 0; i < a.n; i++) a.y[i] += a.x[i]; \
    }
PLUS(fast)
#ifdef STRICT
__attribute__((optimize("no-tree-vectorize")))
#endif
PLUS(strict)
#define NAME2(name, suffix) name##suffix
#define NAME(name, suffix) NAME2(name, suffix)
void KERNEL(const void *p)
{
#ifdef VNNI
    __m512i *const v = *(__m512i *const *)p;
    *v = _mm512_dpbusd_epi32(*v, *v, *v);
#endif
    fast(p);
#ifdef CALL
    OTHER(p);
#endif
}
void NAME(KERNEL, _strict)(const void *p) { ck_strict_run(strict, p); }
E2
kernel() { # ISA FLAG...
    isa=$1
    shift
    gcc -O3 -fPIC "-DKERNEL=ck_add_f32_$isa" -DOTHER=ck_add_f32_avx2 "$@" -c kernels/add/text.c \
        -o "$objects/add/add_f32_$isa.c.o"
}
avx512='-mavx512f -mprefer-vector-width=512'
right() { # ISA: the kernel as it should be
    case $1 in
    scalar) kernel scalar -fno-tree-vectorize ;;
    sse41) kernel sse41 -msse4.1 ;;
    avx2) kernel avx2 -mavx2 ;;
    avx512) kernel avx512 $avx512 ;;
    avx512vnni) kernel avx512vnni $avx512 -mavx512vnni -DVNNI ;;
    esac
}
wrong() { # TEXT ISA FLAG...: is reported with TEXT
    text=$1
    shift
    kernel "$@"
    reports 1 "add_f32_$1: $text" ci/isa.sh
    right "$1"
}
for isa in scalar sse41 avx2 avx512 avx512vnni; do right "$isa"; done
passes ci/isa.sh
wrong 'has packed arithmetic' scalar
wrong 'has an AVX encoding' scalar -fno-tree-vectorize -mavx
wrong 'has an AVX encoding' sse41 -mavx
wrong 'has an AVX-512 encoding' avx2 $avx512
wrong 'no xmm arithmetic in the fast function' sse41 -fno-tree-vectorize
wrong 'no ymm arithmetic in the fast function' avx2 -mavx -mprefer-vector-width=128
wrong 'no ymm arithmetic in the strict function' avx2 -mavx2 -DSTRICT
wrong 'no zmm arithmetic in the fast function' avx512 -mavx512f -fno-tree-vectorize
wrong 'uses ck_add_f32_avx2' avx512 $avx512 -DCALL
wrong 'no vpdpbusd in the fast function' avx512vnni $avx512
wrong 'has vpdpbusd' avx512 $avx512 -mavx512vnni -DVNNI
# what copies, and does nothing else, has moves
cat >kernels/add/copy.c <<'E2'
struct bytes { char of[64]; };
void ck_kv_write_f32_avx2(const void *p)
{
    struct bytes *const *const to = p;
    *to[0] = *to[1];
}
void ck_kv_write_f32_avx2_strict(const void *p) { ck_kv_write_f32_avx2(p); }
E2
echo 'CK_KERNEL(kv, kv_write, f32, avx2)' >>kernels/kernels.def
mkdir "$objects/kv_write"
copy() { gcc -O3 -mavx2 -fno-inline "-mmove-max=$1" -fPIC -c kernels/add/copy.c -o "$objects/kv_write/kv_write_f32_avx2.c.o"; }
copy 256
passes ci/isa.sh
copy 128
reports 1 'kv_write_f32_avx2: no ymm moves in the fast function' ci/isa.sh
copy 256
gcc -O3 -mavx2 -DKERNEL=ck_table -DOTHER=other -c kernels/add/text.c -o "$objects/table.c.o"
reports 1 'table.c.o: has an AVX encoding' ci/isa.sh
rm "$objects/table.c.o" "$objects/add/add_f32_avx2.c.o"
reports 2 'add_f32_avx2.c.o is not there' ci/isa.sh

# --- the sum of the tests, from files that ctest wrote
mkdir sum
cat >sum/CMakeLists.txt <<'E2'
cmake_minimum_required(VERSION 3.25)
project(sum NONE)
enable_testing()
add_test(NAME good COMMAND true)
add_test(NAME skip COMMAND sh -c "echo 'SKIP(no avx512)'; exit 77")
set_tests_properties(skip PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME bad COMMAND false)
add_test(NAME crash COMMAND sh -c "kill -SEGV $$")
add_test(NAME missing COMMAND ${CMAKE_BINARY_DIR}/nowhere)
E2
passes cmake -S sum -B sum/build
passes ctest --test-dir sum/build --output-junit "$PWD/good.xml" -R 'good|skip'
passes ci/junit.sh good.xml
reports 0 'skipped: good: skip: SKIP(no avx512)' ci/junit.sh good.xml
reports 0 '1 passed, 0 failed, 1 skipped' ci/junit.sh good.xml
reports 8 'tests failed' ctest --test-dir sum/build --output-junit "$PWD/all.xml"
reports 1 'failed: all: missing' ci/junit.sh all.xml
reports 1 '2 passed, 3 failed, 2 skipped' ci/junit.sh good.xml all.xml
reports 0 'tests passed' ctest --test-dir sum/build --output-junit "$PWD/none.xml" -R skip
reports 1 '0 passed, 0 failed, 1 skipped' ci/junit.sh none.xml
echo '<testsuite><testcase' >torn.xml
reports 2 torn.xml ci/junit.sh torn.xml

exit "$rc"
