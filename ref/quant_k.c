/* SPDX-License-Identifier: MIT */
/* References of the k formats, blocks of 256: the formulas and layouts of docs/formats.md. */
#include "decode.h"
#include "f16.h"

ref_fn ref_quantize_row_q4_k, ref_quantize_row_q5_k, ref_quantize_row_q6_k, ref_quantize_row_q8_k;
ref_fn ref_dequant_row_q4_k, ref_dequant_row_q5_k, ref_dequant_row_q6_k, ref_dequant_row_q8_k;

enum { BLOCK = 256, MOST_PARTS = 274 };

static double half_at(const unsigned char *p)
{
    return ref_f16_value((uint16_t)(p[0] | p[1] << 8));
}

static int signed_byte(unsigned char b) { return b < 128 ? b : b - 256; }

/* --- Values: RN(product - minimum), both exact in double. */

typedef struct element {
    double product, minimum; /* minimum 0 where the format has none */
    int has_minimum;
    double step; /* |d s| */
} element;

typedef element decode_fn(const unsigned char *block, size_t i);

/* Scale and minimum j of the twelve bytes b. */
static void six_bits(const unsigned char *b, size_t j, int *s, int *m)
{
    if (j < 4) {
        *s = b[j] & 63;
        *m = b[j + 4] & 63;
    } else {
        *s = (b[j + 4] & 15) + 16 * (b[j - 4] >> 6);
        *m = (b[j + 4] >> 4) + 16 * (b[j] >> 6);
    }
}

static element affine(const unsigned char *block, size_t i, int code)
{
    const double d = half_at(block), dmin = half_at(block + 2);
    int s, m;
    six_bits(block + 4, i / 32, &s, &m);
    return (element){ d * s * code, dmin * m, 1, fabs(d * s) };
}

/* The nibble of element i where low ones are the first 32 of each 64. */
static int nibble(const unsigned char *qs, size_t i)
{
    const int byte = qs[i / 64 * 32 + i % 32];
    return i % 64 < 32 ? byte % 16 : byte / 16;
}

static element decode_q4_k(const unsigned char *block, size_t i)
{
    return affine(block, i, nibble(block + 16, i));
}

static element decode_q5_k(const unsigned char *block, size_t i)
{
    const int fifth = block[16 + i % 32] >> (i / 32) & 1;
    return affine(block, i, nibble(block + 48, i) + 16 * fifth);
}

static element decode_q6_k(const unsigned char *block, size_t i)
{
    const size_t half = i / 128, within = i % 128, l = i % 32;
    const unsigned char *ql = block + 64 * half, *qh = block + 128 + 32 * half;
    const double scaled = half_at(block + 208) * signed_byte(block[192 + i / 16]);
    int code = 0;
    switch (within / 32) {
    case 0: code = ql[l] % 16 + 16 * (qh[l] & 3); break;
    case 1: code = ql[l + 32] % 16 + 16 * (qh[l] >> 2 & 3); break;
    case 2: code = ql[l] / 16 + 16 * (qh[l] >> 4 & 3); break;
    default: code = ql[l + 32] / 16 + 16 * (qh[l] >> 6);
    }
    return (element){ scaled * (code - 32), 0, 0, fabs(scaled) };
}

#define DECODE(name)                                                    \
    ref_element ref_decode_##name(const unsigned char *block, size_t i) \
    {                                                                   \
        const element y = decode_##name(block, i);                      \
        return (ref_element){ y.product, -y.minimum };                  \
    }
DECODE(q4_k)
DECODE(q5_k)
DECODE(q6_k)
#undef DECODE

static element decode_q8_k(const unsigned char *block, size_t i)
{
    float d;
    memcpy(&d, block, sizeof d);
    return (element){ (double)d * signed_byte(block[4 + i]), 0, 0, fabs((double)d) };
}

/* To nearest the float itself. To another side, a neighbour of the exact value, which a float is
 * itself; only the sign of a difference that is 0 follows the mode, and the least float of radius
 * leaves it open. Flushing takes at most the whole of a result that is subnormal or of such a d. */
static void value_cell(element y, const ref_spec *spec, double *v, double *e)
{
    const double exact = y.product - y.minimum, size = fabs(exact);
    const int directed = !spec->strict && spec->u > 0x1p-24;
    const int flushed = !spec->strict && (spec->ftz || spec->daz) && size > 0 &&
                        (size < REF_MIN_NORMAL || y.step < REF_MIN_NORMAL);
    *v = directed || flushed ? exact : (double)(float)exact;
    *e = 0;
    if (!isfinite(exact)) return;
    if (flushed) *e = size;
    if (!directed) return;
    if (size > REF_FITS)
        *e = REF_ANY;
    else if (!ref_is_float(exact) || (exact == 0 && y.has_minimum))
        *e += 2 * ref_half_ulp(size);
}

static void dequant(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                    ref_out *out, size_t bytes, decode_fn *decode)
{
    const unsigned char *x = ((const ref_dequant_args *)args)->x;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const size_t j = tile->c0 + i % tile->cols;
        const element y = decode(x + j / BLOCK * bytes, j % BLOCK);
        out->term[i] = ref_code_term(y.step, y.minimum);
        for (size_t s = 0; s < nspecs; s++)
            value_cell(y, &specs[s], &out->v[s * out->n + i], &out->e[s * out->n + i]);
    }
}

/* --- Blocks. */

/* RN32. A sum, product or quotient of floats, rounded to double first, rounds to the same float. */
static double rn(double x) { return (double)(float)x; }

static int finite_block(const float *x)
{
    int finite = 1;
    for (int i = 0; i < BLOCK; i++) finite &= isfinite(x[i]) != 0;
    return finite;
}

static double most(const double *v, int n)
{
    double y = 0;
    for (int j = 0; j < n; j++) y = fmax(y, v[j]);
    return y;
}

/* up16: bits of the least half >= v >= 0, +inf beyond 65504. */
static unsigned up16(double v)
{
    if (v > 65504) return 0x7c00;
    if (v < 0x1p-14) return (unsigned)ceil(v * 0x1p24);
    const int k = ref_exponent(v);
    return ((unsigned)(k + 14) << 10) + (unsigned)ceil(v * ref_pow2(10 - k));
}

static double scale_of(double size, double unit) { return unit == 0 ? 0 : ceil(rn(size / unit)); }

static double inverse(double step) { return step == 0 ? 0 : rn(1 / step); }

/* Parts of q4_k and q5_k: bits of d and dmin, s[8], m[8], codes. All are 0 before. */
static void affine_block(const float *x, double levels, double *part)
{
    double *s = part + 2, *m = part + 10, *q = part + 18;
    double lo[8], hi[8], w[8];
    if (!finite_block(x)) {
        part[0] = 0x7e00;
        return;
    }
    for (int j = 0; j < 8; j++) {
        lo[j] = hi[j] = (double)x[32 * j];
        for (int i = 32 * j; i < 32 * j + 32; i++) {
            lo[j] = fmin(lo[j], (double)x[i]);
            hi[j] = fmax(hi[j], (double)x[i]);
        }
        lo[j] = fmax(0, -lo[j]);
    }
    const unsigned dmin_bits = up16(rn(most(lo, 8) / 63));
    const double dmin = ref_f16_value((uint16_t)dmin_bits);
    for (int j = 0; j < 8; j++) {
        m[j] = scale_of(lo[j], dmin);
        w[j] = rn(hi[j] + dmin * m[j]);
    }
    const unsigned d_bits = up16(rn(most(w, 8) / (63 * levels)));
    const double d = ref_f16_value((uint16_t)d_bits);
    if (dmin_bits == 0x7c00 || d_bits == 0x7c00) {
        memset(m, 0, 8 * sizeof *m);
        part[0] = 0x7c00;
        return;
    }
    part[0] = d_bits;
    part[1] = dmin_bits;
    for (int j = 0; j < 8; j++) s[j] = scale_of(w[j], levels * d);
    for (int i = 0; i < BLOCK; i++) {
        const double t = rn((double)x[i] + dmin * m[i / 32]);
        q[i] = nearbyint(rn(t * inverse(d * s[i / 32])));
    }
}

static void encode_q4_k(const float *x, double *part) { affine_block(x, 15, part); }
static void encode_q5_k(const float *x, double *part) { affine_block(x, 31, part); }

/* Bits of d, s[16], codes as stored: 32 above what they stand for. */
static void encode_q6_k(const float *x, double *part)
{
    double *s = part + 1, *q = part + 17, a[16] = { 0 };
    for (int i = 0; i < BLOCK; i++) a[i / 16] = fmax(a[i / 16], fabs((double)x[i]));
    const unsigned bits = up16(rn(most(a, 16) / 3937));
    const double d = ref_f16_value((uint16_t)bits);
    part[0] = finite_block(x) ? bits : 0x7e00;
    if (part[0] >= 0x7c00) return;
    for (int j = 0; j < 16; j++) s[j] = scale_of(a[j], 31 * d);
    for (int i = 0; i < BLOCK; i++)
        q[i] = 32 + nearbyint(rn((double)x[i] * inverse(d * s[i / 16])));
}

/* Bits of d, codes, bsums. */
static void encode_q8_k(const float *x, double *part)
{
    double *q = part + 1, *sum = part + 1 + BLOCK, m = 0;
    for (int i = 0; i < BLOCK; i++)
        if (fabs((double)x[i]) > fabs(m)) m = (double)x[i];
    const double k = rn(-127 / m);
    if (!finite_block(x)) part[0] = 0x7fc00000;
    if (!finite_block(x) || !isfinite(k)) return;
    const float d = (float)(1 / k);
    uint32_t bits;
    memcpy(&bits, &d, sizeof bits);
    part[0] = bits;
    for (int i = 0; i < BLOCK; i++) {
        q[i] = nearbyint(rn((double)x[i] * k));
        sum[i / 16] += q[i];
    }
}

/* The formulas mean nearest and gradual underflow: in other modes nothing is promised. */
static void quantize(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out, size_t parts, void (*encode)(const float *x, double *part))
{
    const float *x = ((const ref_quantize_args *)args)->x;
    for (size_t b = 0; b < tile->rows * tile->cols; b++) {
        double part[MOST_PARTS] = { 0 };
        encode(x + (tile->c0 + b % tile->cols) * BLOCK, part);
        for (size_t i = 0; i < parts; i++) {
            const size_t at = b * parts + i;
            out->term[at] = 1;
            for (size_t s = 0; s < nspecs; s++) {
                const ref_spec *spec = &specs[s];
                const int other = !spec->strict && (spec->u > 0x1p-24 || spec->ftz || spec->daz);
                out->v[s * out->n + at] = part[i];
                out->e[s * out->n + at] = other ? REF_ANY : 0;
            }
        }
    }
}

/* y = RN(d s q - dmin m), q4_k and q5_k; d s q, q6_k; RN(d q), q8_k. Layouts: docs/formats.md; those
 * but q5_k's as in GGUF files. term: |d s|, one step of the code, or |dmin m| if that is 0; the
 * rest in ref.h. */
#define REF(dtype, bytes, parts)                                                                 \
    ref_fn ref_dequant_row_##dtype, ref_quantize_row_##dtype;                                    \
    void ref_dequant_row_##dtype(const void *args, const ref_tile *tile, const ref_spec *specs,  \
                                 size_t nspecs, ref_out *out)                                    \
    {                                                                                            \
        dequant(args, tile, specs, nspecs, out, bytes, decode_##dtype);                          \
    }                                                                                            \
    void ref_quantize_row_##dtype(const void *args, const ref_tile *tile, const ref_spec *specs, \
                                  size_t nspecs, ref_out *out)                                   \
    {                                                                                            \
        quantize(args, tile, specs, nspecs, out, parts, encode_##dtype);                         \
    }
REF(q4_k, 144, 274)
REF(q5_k, 176, 274)
REF(q6_k, 210, 273)
REF(q8_k, 292, 273)
#undef REF
