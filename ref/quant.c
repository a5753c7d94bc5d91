/* SPDX-License-Identifier: MIT */
/* References of the quantisers, by the one formula of quant.h, and of dequantisation: all exact. */
#include "f16.h"
#include "tie.h"

ref_fn ref_quantize_row_q8_0, ref_dequant_row_q8_0;

enum { BLOCK = 32, BYTES = 34 };

/* The one formula. */
typedef struct block {
    double bits, amax, code[BLOCK];
} block;

static block quantize(const float *x)
{
    block y = { 0 };
    float amax = 0;
    int finite = 1;
    for (int i = 0; i < BLOCK; i++) {
        finite &= isfinite(x[i]) != 0;
        amax = fmaxf(amax, fabsf(x[i]));
    }
    const float id = 127.0f / amax;
    if (!finite) y.bits = 0x7e00;
    if (!finite || !isfinite(id)) return y;
    y.amax = (double)amax;
    y.bits = ref_f16_bits(amax / 127.0f);
    for (int i = 0; i < BLOCK; i++) y.code[i] = (double)lrintf(x[i] * id);
    return y;
}

/* The formula means nearest: in other modes nothing is promised. Flushing changes a block only if
 * its amax is below 2^-118: else a subnormal x has |x| 127 / amax < 127 / 256, code 0, and neither
 * amax / 127 nor 127 / amax is subnormal. (amax = 0 is a zero block anyhow.) */
static int other_mode(const ref_spec *spec, double amax)
{
    if (spec->strict) return 0;
    return spec->u > 0x1p-24 || ((spec->daz || spec->ftz) && amax > 0 && amax < 0x1p-118);
}

/* A code, from x; at a tie the ball of both neighbours for those that may take either. */
static void code_cell(const block *y, size_t i, double x, const ref_spec *specs, size_t nspecs,
                      ref_out *out, size_t at)
{
    double tie = 0;
    const double before = x * 127 / y->amax;
    const int tied = y->amax > 0 && ref_near_tie(before, fabs(before), &tie);
    out->term[at] = 1;
    for (size_t s = 0; s < nspecs; s++) {
        const int both = tied && ref_either(&specs[s]);
        out->v[s * out->n + at] = both ? tie : y->code[i];
        out->e[s * out->n + at] = other_mode(&specs[s], y->amax) ? REF_ANY : both ? 0.5 : 0;
    }
}

static void scale_cell(const block *y, const ref_spec *specs, size_t nspecs, ref_out *out,
                       size_t at)
{
    out->term[at] = 1;
    for (size_t s = 0; s < nspecs; s++) {
        out->v[s * out->n + at] = y->bits;
        out->e[s * out->n + at] = other_mode(&specs[s], y->amax) ? REF_ANY : 0;
    }
}

/* q8_0 block by block: the bits of d, then the codes. e = 0, but for CK_NUM_TIE_EITHER, whose d is
 * exact as well: its subjects differ from the formula in the reciprocal only.
 * Source: quant.h; ref_out of ref.h. */
void ref_quantize_row_q8_0(const void *args, const ref_tile *tile, const ref_spec *specs,
                           size_t nspecs, ref_out *out)
{
    const float *x = ((const ref_quantize_args *)args)->x;
    size_t at = 0;
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t b = 0; b < tile->cols; b++) {
            const float *in = x + (tile->c0 + b) * BLOCK;
            const block y = quantize(in);
            scale_cell(&y, specs, nspecs, out, at++);
            for (size_t i = 0; i < BLOCK; i++, at++)
                code_cell(&y, i, (double)in[i], specs, nspecs, out, at);
        }
}

/* y = d q of q8_0 blocks: 11 by 8 bits, exact in f32 in every mode; the sign of zero is IEEE's.
 * term: |d|, one step of the code. */
void ref_dequant_row_q8_0(const void *args, const ref_tile *tile, const ref_spec *specs,
                          size_t nspecs, ref_out *out)
{
    const unsigned char *x = ((const ref_dequant_args *)args)->x;
    (void)specs;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const size_t j = tile->c0 + i % tile->cols;
        const unsigned char *p = x + j / BLOCK * BYTES, *code = p + 2 + j % BLOCK;
        const double d = ref_f16_value((uint16_t)(p[0] | p[1] << 8));
        const int q = *code < 128 ? *code : *code - 256;
        out->term[i] = isfinite(d) ? fabs(d) : 0;
        for (size_t s = 0; s < nspecs; s++) {
            out->v[s * out->n + i] = d * q;
            out->e[s * out->n + i] = 0;
        }
    }
}
