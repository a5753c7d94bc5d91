/* SPDX-License-Identifier: MIT */
/* References of the formats of 32 elements but q8_0, and of those without a scale: the formulas and
 * layouts of docs/formats.md. */
#include "decode.h"
#include "f16.h"
#include "tie.h"

ref_fn ref_quantize_row_f16, ref_quantize_row_bf16, ref_quantize_row_int8, ref_quantize_row_int4;
ref_fn ref_quantize_row_q4_0, ref_quantize_row_q4_1, ref_quantize_row_q5_0, ref_quantize_row_q5_1;
ref_fn ref_quantize_row_q8_1;
ref_fn ref_dequant_row_f16, ref_dequant_row_bf16, ref_dequant_row_int8, ref_dequant_row_int4;
ref_fn ref_dequant_row_q4_0, ref_dequant_row_q4_1, ref_dequant_row_q5_0, ref_dequant_row_q5_1;
ref_fn ref_dequant_row_q8_1;

enum { BLOCK = 32, MOST_PARTS = 34 };

/* --- Values. */

/* product + minimum, both exact in double; `step` is what one more code adds. */
typedef struct element {
    double product, minimum;
    int has_minimum;
    double step;
} element;

typedef element decode_fn(const unsigned char *unit, size_t i);

static int word_at(const unsigned char *p) { return p[0] + 256 * p[1]; }

static double half_at(const unsigned char *p) { return ref_f16_value((uint16_t)word_at(p)); }

static int signed_byte(unsigned char b) { return b < 128 ? b : b - 256; }

/* Element i < 16 is in the low nibble of byte i, element 16 + i in the high one. */
static int nibble(const unsigned char *qs, size_t i)
{
    return i < 16 ? qs[i] % 16 : qs[i - 16] / 16;
}

static int bit(const unsigned char *bits, size_t i) { return bits[i / 8] >> i % 8 & 1; }

static element scaled(double d, int code) { return (element){ d * code, 0, 0, fabs(d) }; }

static element affine(double d, int code, double m) { return (element){ d * code, m, 1, fabs(d) }; }

static element decode_q4_0(const unsigned char *unit, size_t i)
{
    return scaled(half_at(unit), nibble(unit + 2, i) - 8);
}

static element decode_q4_1(const unsigned char *unit, size_t i)
{
    return affine(half_at(unit), nibble(unit + 4, i), half_at(unit + 2));
}

static element decode_q5_0(const unsigned char *unit, size_t i)
{
    return scaled(half_at(unit), nibble(unit + 6, i) + 16 * bit(unit + 2, i) - 16);
}

static element decode_q5_1(const unsigned char *unit, size_t i)
{
    return affine(half_at(unit), nibble(unit + 8, i) + 16 * bit(unit + 4, i), half_at(unit + 2));
}

static element decode_q8_1(const unsigned char *unit, size_t i)
{
    return scaled(half_at(unit), signed_byte(unit[4 + i]));
}

#define DECODE(name)                                                    \
    ref_element ref_decode_##name(const unsigned char *block, size_t i) \
    {                                                                   \
        const element y = decode_##name(block, i);                      \
        return (ref_element){ y.product, y.minimum };                   \
    }
DECODE(q4_0)
DECODE(q4_1)
DECODE(q5_0)
DECODE(q5_1)
#undef DECODE

ref_element ref_decode_q8_0(const unsigned char *block, size_t i)
{
    return (ref_element){ half_at(block) * signed_byte(block[2 + i]), 0 };
}

static element decode_f16(const unsigned char *unit, size_t i)
{
    (void)i;
    return (element){ half_at(unit), 0, 0, 1 };
}

/* The upper half of a float. */
static element decode_bf16(const unsigned char *unit, size_t i)
{
    const uint32_t bits = (uint32_t)word_at(unit) << 16;
    float x;
    (void)i;
    memcpy(&x, &bits, sizeof x);
    return (element){ (double)x, 0, 0, 1 };
}

ref_element ref_decode_f16(const unsigned char *block, size_t i)
{
    (void)i;
    return (ref_element){ half_at(block), 0 };
}

ref_element ref_decode_bf16(const unsigned char *block, size_t i)
{
    return (ref_element){ decode_bf16(block, i).product, 0 };
}

static element decode_int8(const unsigned char *unit, size_t i)
{
    return scaled(1, signed_byte(unit[i]));
}

/* Two's complement; the even element is the low nibble. */
static element decode_int4(const unsigned char *unit, size_t i)
{
    const int code = i == 0 ? *unit % 16 : *unit / 16;
    return scaled(1, code < 8 ? code : code - 16);
}

/* One rounding, if there is a minimum. To nearest that is a float; to another side it is one of the
 * exact value's neighbours, and the sign of a sum that is 0 follows the mode: the least float of
 * radius leaves it open. Nothing is subnormal but bf16, which is copied. */
static void value_cell(const element *y, const ref_spec *spec, double *v, double *e)
{
    const double exact = y->has_minimum ? y->product + y->minimum : y->product;
    const int directed = y->has_minimum && !spec->strict && spec->u > 0x1p-24;
    *v = directed ? exact : (double)(float)exact;
    *e = directed && isfinite(exact) ? spec->u * fabs(exact) + 2 * REF_HALF_MIN : 0;
}

static void dequant(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                    ref_out *out, size_t elements, size_t bytes, decode_fn *decode)
{
    const unsigned char *x = ((const ref_dequant_args *)args)->x;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const size_t j = tile->c0 + i % tile->cols;
        const element y = decode(x + j / elements * bytes, j % elements);
        out->term[i] = ref_code_term(y.step, y.minimum);
        for (size_t s = 0; s < nspecs; s++)
            value_cell(&y, &specs[s], &out->v[s * out->n + i], &out->e[s * out->n + i]);
    }
}

/* --- Units. */

/* The parts of a unit in the order of ref.h. `size` is what the codes are spread over, 0 if there is
 * nothing to spread; below `flushed` an arithmetic that flushes may give other parts. For
 * CK_NUM_TIE_EITHER: each code before it is rounded, less `zero` and +-`offset`, which is added to it
 * before it is rounded by those who truncate afterwards. */
typedef struct unit {
    double parts[MOST_PARTS];
    double size, flushed;
    double before[BLOCK], zero, offset;
    int has_sum; /* part 1 is made of the codes */
} unit;

typedef void encode_fn(unit *y, const float *x);

/* RN32: sums, products and quotients of floats that are rounded to double first round alike. */
static float rn(double x) { return (float)x; }

static int all_finite(const float *x)
{
    int finite = 1;
    for (int i = 0; i < BLOCK; i++) finite &= isfinite(x[i]) != 0;
    return finite;
}

/* The first of the greatest magnitude. */
static float signed_most(const float *x)
{
    float most = x[0];
    for (int i = 1; i < BLOCK; i++)
        if (fabsf(x[i]) > fabsf(most)) most = x[i];
    return most;
}

/* q4_0 for zero = 8, q5_0 for 16. */
static void encode_signed(unit *y, const float *x, int zero)
{
    const int finite = all_finite(x);
    const float most = signed_most(x), id = rn(-zero / (double)most);
    for (int i = 0; i < BLOCK; i++) y->parts[1 + i] = zero;
    y->parts[0] = finite ? 0 : 0x7e00;
    if (!finite || !isfinite(id)) return;
    y->parts[0] = ref_f16_bits(rn((double)most / -zero));
    for (int i = 0; i < BLOCK; i++) {
        y->parts[1 + i] =
            fmin(2 * zero - 1, zero + nearbyint((double)rn((double)x[i] * (double)id)));
        y->before[i] = (double)x[i] * -zero / (double)most;
    }
    y->zero = zero;
    y->offset = zero + 0.5;
    y->size = fabs((double)most);
}

/* q4_1 for top = 15, q5_1 for 31. */
static void encode_affine(unit *y, const float *x, int top)
{
    float most = x[0], least = x[0];
    for (int i = 1; i < BLOCK; i++) {
        most = fmaxf(most, x[i]);
        least = fminf(least, x[i]);
    }
    const float range = rn((double)most - (double)least), id = rn(top / (double)range);
    const int fits = all_finite(x) && isfinite(range);
    y->parts[0] = fits ? 0 : 0x7e00;
    y->parts[1] = !fits ? 0x7e00 : least == 0 ? 0 : ref_f16_bits(least);
    /* x - least may be tiny where x and least are not: subnormal ones matter next to 2^24 of them */
    y->flushed = 0x1p-94;
    if (!fits || !isfinite(id)) return;
    y->parts[0] = ref_f16_bits(rn((double)range / top));
    for (int i = 0; i < BLOCK; i++) {
        const float above = rn((double)x[i] - (double)least);
        y->parts[2 + i] = nearbyint((double)rn((double)above * (double)id));
        y->before[i] = ((double)x[i] - (double)least) * top / ((double)most - (double)least);
    }
    y->offset = 0.5;
    y->size = (double)range;
}

static void encode_q4_0(unit *y, const float *x) { encode_signed(y, x, 8); }
static void encode_q5_0(unit *y, const float *x) { encode_signed(y, x, 16); }
static void encode_q4_1(unit *y, const float *x) { encode_affine(y, x, 15); }
static void encode_q5_1(unit *y, const float *x) { encode_affine(y, x, 31); }

static void encode_q8_1(unit *y, const float *x)
{
    const int finite = all_finite(x);
    const float amax = fabsf(signed_most(x)), id = rn(127 / (double)amax);
    double sum = 0;
    y->parts[0] = y->parts[1] = finite ? 0 : 0x7e00;
    if (!finite || !isfinite(id)) return;
    for (int i = 0; i < BLOCK; i++) {
        y->parts[2 + i] = nearbyint((double)rn((double)x[i] * (double)id));
        y->before[i] = (double)x[i] * 127 / (double)amax;
        sum += y->parts[2 + i];
    }
    const float d = rn((double)amax / 127);
    y->parts[0] = ref_f16_bits(d);
    y->parts[1] = ref_f16_bits(rn((double)d * sum));
    y->has_sum = 1;
    y->size = (double)amax;
}

/* A NaN keeps its sign and leading bits and becomes quiet. */
static void encode_f16(unit *y, const float *x)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    y->parts[0] =
        isnan(*x) ? (double)(bits >> 31 << 15 | 0x7e00 | (bits >> 13 & 0x1ff)) : ref_f16_bits(*x);
}

/* The two neighbours are the float's upper half and that plus one; the even one at a tie. */
static void encode_bf16(unit *y, const float *x)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    const uint32_t below = bits >> 16, rest = bits & 0xffff;
    const int up = rest > 0x8000 || (rest == 0x8000 && below % 2 == 1);
    y->parts[0] = isnan(*x) ? (double)(below | 0x40) : (double)(below + (uint32_t)up);
}

static double clamped(float x, double least, double most)
{
    return isnan(x) ? 0 : fmax(least, fmin(most, nearbyint((double)x)));
}

static void encode_int8(unit *y, const float *x) { y->parts[0] = clamped(x[0], -128, 127); }

static void encode_int4(unit *y, const float *x)
{
    for (int i = 0; i < 2; i++) y->parts[i] = clamped(x[i], -8, 7);
}

/* In other modes than nearest the formulas of blocks promise nothing; flushing may change one whose
 * size is below 2^-118, or y->flushed: above it what is subnormal has code 0. */
static int other_mode(const unit *y, const ref_spec *spec, size_t elements)
{
    const double least = y->flushed > 0 ? y->flushed : 0x1p-118;
    if (spec->strict || elements < BLOCK) return 0;
    return spec->u > 0x1p-24 || ((spec->daz || spec->ftz) && y->size < least);
}

/* The codes of a block, its last parts, that CK_NUM_TIE_EITHER leaves open: balls of both neighbours.
 * What stands before them and is made of them, q8_1's sum, is open then as well. */
static int open_ties(const unit *y, size_t parts, double *v, double *e)
{
    int any = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        const double t = y->before[i];
        double tie, *code = v + parts - BLOCK + i;
        if (!ref_near_tie(t, fabs(t) + y->offset, &tie)) continue;
        any = 1;
        /* beyond the last code there is none */
        if (y->zero > 0 && tie > y->zero - 1) continue;
        *code = y->zero + tie;
        e[parts - BLOCK + i] = 0.5;
    }
    return any;
}

static void unit_cells(const unit *y, const ref_spec *spec, size_t elements, size_t parts,
                       double *v, double *e)
{
    const int other = other_mode(y, spec, elements);
    for (size_t p = 0; p < parts; p++) {
        v[p] = y->parts[p];
        e[p] = other ? REF_ANY : 0;
    }
    if (other || elements < BLOCK || y->size == 0 || !ref_either(spec)) return;
    if (open_ties(y, parts, v, e) && y->has_sum) e[1] = REF_ANY;
}

static void quantize(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out, size_t elements, size_t parts, encode_fn *encode)
{
    const float *x = ((const ref_quantize_args *)args)->x;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        unit y = { 0 };
        encode(&y, x + (tile->c0 + i % tile->cols) * elements);
        for (size_t p = 0; p < parts; p++) out->term[i * parts + p] = 1;
        for (size_t s = 0; s < nspecs; s++) {
            const size_t at = s * out->n + i * parts;
            unit_cells(&y, &specs[s], elements, parts, &out->v[at], &out->e[at]);
        }
    }
}

#define FORMAT(name, elements, bytes, parts)                                                    \
    ref_fn ref_dequant_row_##name, ref_quantize_row_##name;                                     \
    void ref_dequant_row_##name(const void *args, const ref_tile *tile, const ref_spec *specs,  \
                                size_t nspecs, ref_out *out)                                    \
    {                                                                                           \
        dequant(args, tile, specs, nspecs, out, elements, bytes, decode_##name);                \
    }                                                                                           \
    void ref_quantize_row_##name(const void *args, const ref_tile *tile, const ref_spec *specs, \
                                 size_t nspecs, ref_out *out)                                   \
    {                                                                                           \
        quantize(args, tile, specs, nspecs, out, elements, parts, encode_##name);               \
    }
FORMAT(f16, 1, 2, 1)
FORMAT(bf16, 1, 2, 1)
FORMAT(int8, 1, 1, 1)
FORMAT(int4, 2, 1, 2)
FORMAT(q4_0, BLOCK, 18, 33)
FORMAT(q4_1, BLOCK, 20, 34)
FORMAT(q5_0, BLOCK, 22, 33)
FORMAT(q5_1, BLOCK, 24, 34)
FORMAT(q8_1, BLOCK, 36, 34)
#undef FORMAT
