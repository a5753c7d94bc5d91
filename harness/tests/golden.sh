#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that the golden files refuse what they should: one bit of one output, other data, bad lines.
#   golden.sh CKPARITY SOURCE CC
# Exit: 0 all well, 1 not.
set -eu
ckparity=$1 source=$2 cc=$3
test_name=golden command_words='digest'
. "$(dirname "$0")/lib.sh"

# --- every op has cases, and runtimes, which are no kernels, have those of every format
sed -n 's/^CK_OP([a-z_]*, \([a-z0-9_]*\), \([a-z0-9_]*\))$/\1_\2/p' "$source/kernels/kernels.def" >ops
[ "$(wc -l <ops)" -gt 70 ] || wrong 'kernels.def is read wrongly'
while read -r op; do
    grep -q "^$op gen=" "$source/golden/cases.cases" || wrong "no case of $op in golden/cases.cases"
done <ops
for format in bf16 f16 q4_0 q4_1 q5_0 q5_1 q8_0 q4_k q5_k q6_k; do
    grep -q "^runtime gen=.* w=$format " "$source/golden/cases.cases" ||
        wrong "no runtime in $format in golden/cases.cases"
done

# --- a kernel of exp_f32 whose last output may have its lowest bit flipped
cat >bit.c <<'E2'
#include "ck_subject.h"
#include "norm.h"
#include "unary.h"

float expf(float), sqrtf(float);
unsigned flip = FLIP;
static const ck_numspec spec = { .lanes = 1, .accs = 1, .rexp = 2.0 };
static void kernel(const void *args)
{
    const ck_unary_args *g = args;
    for (size_t i = 0; i < g->n; i++) g->y[i] = expf(g->x[i]);
    if (g->n) *(unsigned char *)(g->y + g->n - 1) ^= (unsigned char)flip;
}
/* The same of the last row's rstd, which is another output. */
static const ck_numspec norm_spec = { .lanes = 1, .accs = 1,
                                      .flags = CK_NUM_MULADD | CK_NUM_TRUE_DIV | CK_NUM_TRUE_SQRT };
static void norm(const void *args)
{
    const ck_rmsnorm_args *g = args;
    for (size_t i = 0; i < g->t; i++) {
        const float *x = (const float *)g->x + i * g->ldx;
        float *y = (float *)g->y + i * g->ldy, sum = 0;
        for (size_t j = 0; j < g->d; j++) sum += x[j] * x[j];
        const float r = 1.0f / sqrtf(sum / (float)g->d + g->eps);
        for (size_t j = 0; j < g->cols; j++) y[j] = j < g->d ? x[j] * r * g->gamma[j] : 0.0f;
        if (g->rstd) g->rstd[i * g->ldr] = r;
    }
    if (g->t && g->rstd) *(unsigned char *)(g->rstd + (g->t - 1) * g->ldr) ^= (unsigned char)flip;
}
static const ck_kernel table[] = {
    { sizeof(ck_kernel), "exp_f32", "unary", "libm", 0, kernel, 0, &spec, 0 },
    { sizeof(ck_kernel), "rmsnorm_f32", "rmsnorm", "libm", 0, norm, 0, &norm_spec, 0 },
};
const ck_subject *ck_subject_v1(void)
{
    static const ck_subject subject = { CK_SUBJECT_ABI, sizeof subject, "bit", "1", 2, table };
    return &subject;
}
E2
for flip in 0 1; do
    "$cc" -std=c11 -O2 -shared -fPIC -I "$source/kernels/include/ck" -DFLIP=$flip bit.c \
        -o bit$flip.so -lm
done
cat >exp.cases <<'E2'
exp_f32 gen=1 N=33 seed=7
exp_f32 gen=1 N=1 seed=8
E2
exits 0 --subject ./bit0.so --suite exp.cases
cp out exp.digests
exits 0 --subject ./bit0.so --check exp.digests
says '2 passed, 0 failed, 0 skipped'
exits 1 --subject ./bit1.so --check exp.digests --old ./bit0.so
says 'CHANGED exp_f32_libm fast'
says "case   ckparity run 'exp_f32 isa=libm mode=fast gen=1 N=33 seed=7'"
says 'y[0,32] was 0x'
says '1 of 33 elements differ, by at most 1 ulp'
says '2 of 2 lines changed, 0 stale, by at most 1 ulp'
says '0 passed, 2 failed, 0 skipped'

# --- an op with outputs of its own formats: the last of them
exits 0 --subject ./bit0.so 'rmsnorm_f32 gen=1 T=3 D=9 lds=2 seed=1'
cp out norm.digests
exits 1 --subject ./bit1.so --check norm.digests --old ./bit0.so
says 's[2,0] was 0x'
says '1 of 30 elements differ, by at most 1 ulp'

# --- the same of our own kernels: every golden line of any variant has its digest changed in turn
exits 0 --mode strict 'gemm_nt_f32 gen=1 M=3 N=5 K=33 seed=1' 'quantize_row_q8_0 gen=1 K=64 seed=1'
[ "$(wc -l <out)" = 2 ] || wrong 'not one strict line a case'
tr 0123456789abcdef 123456789abcdef0 <out | paste -d' ' - out |
    sed 's/^\([^ ]*\) .* \([0-9a-f]\{16\} [a-z].*\)$/\1 \2/' >wrong.digests
exits 1 --check wrong.digests
says 'CHANGED gemm_nt_f32_scalar strict'
says 'quantize_row_q8_0        1 of 1 lines changed'

# --- runtimes have strict lines alone, of all that their steps write
cat >runtime.cases <<'E2'
runtime gen=1 L=1 D=20 I=40 H=2 G=1 hd=16 V=9 T=5 theta=10000 w=q4_k calls=p2,xt,d2,r,p3 seed=6
E2
exits 0 --suite runtime.cases
if [ -s out ]; then
    [ "$(wc -l <out)" = 1 ] || wrong 'not one line of a runtime'
    grep -Eq '^[0-9a-f]{16} [0-9a-f]{16} runtime mode=strict gen=1 L=1 ' out || wrong "$(cat out)"
    cp out runtime.digests
    exits 0 --check runtime.digests
    says '1 passed, 0 failed, 0 skipped'
    awk '{ # the lowest bit of the digest
        d = index("1032547698badcfe", substr($0, 16, 1))
        print substr($0, 1, 15) substr("0123456789abcdef", d, 1) substr($0, 17)
    }' runtime.digests >bit.digests
    exits 1 --check bit.digests
    says 'CHANGED runtime_scalar strict'
    says 'runtime                  1 of 1 lines changed, 0 stale'
    sed 's/seed=6$/seed=7/' runtime.digests >stale.digests
    exits 1 --check stale.digests
    says 'STALE this case has other data'
    sed 's/ T=5 / T=6 /' runtime.digests >bad.digests
    exits 1 --check bad.digests
    sed 's/mode=strict/isa=scalar mode=fast/' runtime.digests >bad.digests
    exits 2 --check bad.digests
    grep -q 'bad.digests:1: runtimes have strict digests only' err || wrong "$(cat err)"
fi

# --- other data than when it was stored is no fault of a kernel
sed 's/^\([0-9a-f]*\) [0-9a-f]/\1 x/; s/ x/ 0/' exp.digests >stale.digests
cmp -s stale.digests exp.digests && sed -i 's/^\([0-9a-f]*\) 0/\1 1/' stale.digests
exits 1 --subject ./bit1.so --check stale.digests
says 'STALE this case has other data'

# --- an isa that is not here is skipped, by its code; bad lines are named
sed 's/isa=libm/isa=nosuch/' exp.digests >skip.digests
exits 77 --subject ./bit0.so --check skip.digests
says '0 passed, 0 failed, 2 skipped'
sed '2s/^./x/' exp.digests >bad.digests
exits 2 --subject ./bit0.so --check bad.digests
grep -q 'bad.digests:2: ' err || wrong 'no place of the bad line'
sed 's/ mode=fast//' exp.digests >bad.digests
exits 2 --subject ./bit0.so --check bad.digests
exits 2 --check /nowhere/x.digests

# --- bounds: a looser one, a new row, a line that is none; instruction sets need not be here
command_words='bounds'
exits 0 'gemm_nt_f32 gen=1 M=3 N=5 K=33 seed=1' 'exp_f32 gen=1 N=33 seed=7'
grep -q '^[0-9a-f]\{16\} gemm_nt_f32 avx512 fast 15 0 [0-9.]*$' out || wrong 'no bounds of avx512'
cp out same.bounds
exits 0 --check same.bounds 'gemm_nt_f32 gen=1 M=3 N=5 K=33 seed=1' 'exp_f32 gen=1 N=33 seed=7'
lines=$(wc -l <same.bounds)
says "$lines passed, 0 failed, 0 skipped"
exits 1 --check same.bounds 'gemm_nt_f32 gen=1 M=3 N=5 K=34 seed=1' 'exp_f32 gen=1 N=33 seed=7'
says 'CHANGED gemm_nt_f32 avx512 fast: 0 of 15 components exact, were 0 of 15; the radii of the others leave'
sed '$d' same.bounds >less.bounds
exits 1 --check less.bounds 'gemm_nt_f32 gen=1 M=3 N=5 K=33 seed=1' 'exp_f32 gen=1 N=33 seed=7'
says 'NEW gemm_nt_f32 avx512 strict'
exits 0 --check same.bounds --isa avx2 'gemm_nt_f32 gen=1 M=3 N=5 K=33 seed=1' \
    'exp_f32 gen=1 N=33 seed=7'
says "4 passed, 0 failed, $((lines - 4)) skipped"
sed '2s/ strict / strict x/' same.bounds >bad.bounds
exits 2 --check bad.bounds 'exp_f32 gen=1 N=33 seed=7'
grep -q 'bad.bounds:2: ' err || wrong 'no place of the bad line'
exits 2 --check /nowhere/bounds 'exp_f32 gen=1 N=33 seed=7'

# --- no regeneration without a reason
for arguments in '' --reason '--reason=' '--other x'; do
    got=0
    # shellcheck disable=SC2086
    "$source/ci/regen.sh" $arguments >out 2>err || got=$?
    [ "$got" = 2 ] || wrong "regen.sh $arguments: exit $got, wanted 2"
done
exit "$rc"
