/* SPDX-License-Identifier: MIT */
/* What quantisers of formats with few codes, and of those without a scale, find hard. */
#include <float.h>

#include "fill_row.h"
#include "half.h"

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x or a float beside it. */
static float beside(row *r, float x)
{
    const uint64_t way = hn_below(&r->rng, 4);
    return way < 2 ? x : nextafterf(x, way == 2 ? INFINITY : -INFINITY);
}

/* x 2^e; x is drawn before e, whatever order a compiler gives to arguments. */
static float spread(row *r, float x, int64_t low, int64_t high)
{
    return scaled(x, (int)hn_range(&r->rng, low, high));
}

/* --- blocks: `levels` steps on either side of 0, or from the least element to the greatest. */

typedef struct grid {
    float levels;
    bool affine;
} grid;

/* The step between two codes. */
static float draw_step(row *r, const grid *g)
{
    const float levels = g->levels;
    switch (r->fill) {
    case HN_FILL_WIDE: return spread(r, 1.0f + fabsf(uniform(&r->rng)), -120, 90);
    case HN_FILL_DENORMAL: return spread(r, fabsf(uniform(&r->rng)), -125, -100);
    case HN_FILL_SAT: return beside(r, hn_below(&r->rng, 2) ? 65504.0f : 65520.0f);
    case HN_FILL_EDGE:
        switch (hn_below(&r->rng, 4)) {
        case 0: return beside(r, (float)(2 * hn_below(&r->rng, 1024) + 1) * 0x1p-25f);
        case 1: return beside(r, 0x1p-128f * levels) / levels; /* the least that has codes */
        case 2: return g->affine ? 0x1p110f : FLT_MAX / levels;
        default: return 0.0f;
        }
    case HN_FILL_UNIT:
    case HN_FILL_PROBE: return 1.0f + fabsf(uniform(&r->rng));
    default: return scaled(1.0f, (int)hn_range(&r->rng, -8, 4));
    }
}

/* Half steps and their neighbours; in signed grids the greatest magnitude at one end or at both. */
static void fill_signed(row *r, const grid *g, float step, float *x)
{
    const int most = (int)(2.0f * g->levels);
    for (size_t i = 0; i < 32; i++)
        x[i] = 0.5f * step * (float)hn_range(&r->rng, 1 - most, most - 1);
    if (r->fill != HN_FILL_INT)
        for (size_t i = 0; i < 32; i++) x[i] = beside(r, x[i]);
    const uint64_t ends = hn_below(&r->rng, 3);
    const size_t first = pick_index(&r->rng, 32), other = (size_t)hn_below(&r->rng, 32);
    if (ends == 2) x[other] = g->levels * step;
    x[first] = ends == 1 ? g->levels * step : -g->levels * step;
}

static float draw_least(row *r, float step)
{
    static const float edges[] = { 0.0f,      -0.0f,    65504.0f,  -65504.0f, 65519.996f,
                                   -65520.0f, 0x1p-25f, -0x1p-25f, 0x1.8p-24f };
    const float u = uniform(&r->rng);
    const uint64_t kind = hn_below(&r->rng, 4);
    if (r->fill == HN_FILL_EDGE) return edges[hn_below(&r->rng, sizeof edges / sizeof *edges)];
    if (kind == 0) return 0.0f;
    return kind == 1 || r->fill == HN_FILL_INT ? step * (float)hn_range(&r->rng, -40, 40)
                                               : 20.0f * step * u;
}

static void fill_affine(row *r, const grid *g, float step, float *x)
{
    const float least = draw_least(r, step);
    for (size_t i = 0; i < 32; i++)
        x[i] = least + 0.5f * step * (float)hn_range(&r->rng, 0, (int)(2.0f * g->levels));
    if (r->fill != HN_FILL_INT)
        for (size_t i = 0; i < 32; i++) x[i] = beside(r, x[i]);
    const size_t most = pick_index(&r->rng, 32), other = (size_t)hn_below(&r->rng, 31);
    const bool far = step > 0x1p100f; /* from one another: by less or more than the largest float */
    const float half = hn_below(&r->rng, 2) ? 0x1.8p126f : 0x1.8p127f;
    x[most] = far ? half : least + g->levels * step;
    x[other + (other >= most)] = far ? -half : least;
}

static void one_special(row *r, float *x)
{
    static const float specials[] = { NAN, INFINITY, -INFINITY, -0.0f };
    const float special = specials[hn_below(&r->rng, 4)];
    x[pick_index(&r->rng, 32)] = special;
}

void hn_fill_grid(row *r, const hn_field *codes, float *x)
{
    const unsigned all = 1u << hn_field_width(codes);
    const grid g = { (float)(codes->zero ? all / 2 : all - 1), codes->zero == 0 };
    const float step = draw_step(r, &g);
    if (g.affine)
        fill_affine(r, &g, step, x);
    else
        fill_signed(r, &g, step, x);
    if (r->fill == HN_FILL_EDGE && hn_below(&r->rng, 4) == 0) one_special(r, x);
}

/* --- elements. */

/* A NaN's sign and the first bits of its fraction: of those that fills have, no fraction becomes 0. */
static uint16_t half_nan(const hn_dtype_info *info, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (info != &hn_dtypes[HN_F16]) return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff));
}

void hn_fill_halves(const hn_dtype_info *info, const float *x, unsigned char *unit, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t bits = info == &hn_dtypes[HN_F16] ? hn_half_nearest(x[i]) : hn_brain_nearest(x[i]);
        if (isnan(x[i])) bits = half_nan(info, x[i]);
        memcpy(unit + 2 * i, &bits, sizeof bits);
    }
}

/* What a float leaves of itself when it is cut: nothing, a tie, or what is beside these. */
static uint32_t draw_rest(row *r, uint32_t tie)
{
    const uint32_t rest[] = { 0, 1, tie - 1, tie, tie + 1, 2 * tie - 1, tie, tie };
    return rest[hn_below(&r->rng, 8)];
}

/* A float of `exponent` whose last bits are hard to round away. */
static float draw_tie(row *r, int exponent, uint32_t tie)
{
    const uint64_t bits = hn_next(&r->rng);
    const uint32_t kept = (uint32_t)bits & 0x7fffffu & ~(2 * tie - 1);
    return of_bits((uint32_t)(bits >> 63) << 31 | (uint32_t)(exponent + 127) << 23 | kept |
                   draw_rest(r, tie));
}

static float special_element(row *r)
{
    static const uint32_t special[] = { 0x7fc00000, 0xffc00000, 0x7f800001, 0xff80ffff, 0x7fffffff,
                                        0x7fbfe000, 0x7f800000, 0xff800000, 0x00000000, 0x80000000,
                                        0x7f7fffff, 0xff7fffff, 0x00000001, 0x80000001 };
    return of_bits(special[hn_below(&r->rng, sizeof special / sizeof *special)]);
}

static float half_element(row *r)
{
    const uint32_t tie = 0x1000;
    const float odd = (float)(2 * hn_below(&r->rng, 1100) + 1) * 0x1p-25f;
    switch (r->fill) {
    case HN_FILL_DENORMAL: return beside(r, hn_below(&r->rng, 2) ? odd : -odd);
    case HN_FILL_SAT: return beside(r, hn_below(&r->rng, 2) ? 65520.0f : -65520.0f);
    default: return draw_tie(r, (int)hn_range(&r->rng, -26, 16), tie);
    }
}

static float brain_element(row *r)
{
    const uint32_t tie = 0x8000;
    switch (r->fill) {
    case HN_FILL_DENORMAL: return draw_tie(r, -127, tie);
    case HN_FILL_SAT: return draw_tie(r, 127, tie);
    default: return draw_tie(r, (int)hn_range(&r->rng, -127, 127), tie);
    }
}

/* Halves of integers, as far as the codes and beyond. */
static float integer_element(row *r, int most)
{
    const float end = (float)most + 0.5f;
    switch (r->fill) {
    case HN_FILL_SAT: return beside(r, hn_below(&r->rng, 2) ? end : -end - 1.0f);
    case HN_FILL_WIDE: return spread(r, uniform(&r->rng), -126, 127);
    case HN_FILL_DENORMAL: return ldexpf(uniform(&r->rng), -126);
    default: return beside(r, 0.5f * (float)hn_range(&r->rng, -2 * most - 8, 2 * most + 8));
    }
}

void hn_fill_elements(row *r, const hn_dtype_info *target, float *x, size_t n)
{
    const hn_field *f = target->fields;
    for (size_t i = 0; i < n; i++) {
        if (r->fill == HN_FILL_UNIT)
            x[i] = 40.0f * uniform(&r->rng);
        else if (r->fill == HN_FILL_POW2)
            x[i] = signed_pow2(&r->rng, -26, 16);
        else if (r->fill == HN_FILL_EDGE && hn_below(&r->rng, 2))
            x[i] = special_element(r);
        else if (f->encoding == HN_HALF)
            x[i] = half_element(r);
        else if (f->encoding == HN_BRAIN)
            x[i] = brain_element(r);
        else
            x[i] = integer_element(r, (1 << (hn_field_width(f) - 1)) - 1);
    }
}
