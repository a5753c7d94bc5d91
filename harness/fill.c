/* SPDX-License-Identifier: MIT */
/* The fills. What each hunts: docs/cases.md. Exact fills keep every sum within the significand:
 * multiples of g whose magnitudes add up to less than 2^24 g, whatever alpha, beta and bias. */
#include "fill.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "fill_row.h"
#include "memory.h"

/* Sums that go through an activation are multiples of 2^10, at which it is exact; two sums whose product
 * is exact are at most 2^12 units. */
static void fill_int(row *r, float *x, size_t n)
{
    const double budget = r->multiplied ? 0x1p11 : 0x1p20;
    const int64_t limit = r->role == HN_ROLE_ADDEND ? 1024 : factor_limit(r->terms, budget, 1024);
    const float unit = r->gated && r->role != HN_ROLE_RIGHT ? 0x1p10f : 1.0f;
    if (r->factors && r->role == HN_ROLE_LEFT) {
        size_t left = SPARSE_MOST;
        for (size_t i = 0; i < n; i++)
            x[i] = sparse_here(r, &left) ? integer(&r->rng, SPARSE_CODE) : 0.0f;
        return;
    }
    for (size_t i = 0; i < n; i++) x[i] = unit * integer(&r->rng, limit);
}

static hn_dtype target_format(const row *r) { return (hn_dtype)(r->target - hn_dtypes); }

/* Bits of the fraction of a format of 16 bits. */
static int fraction_bits(hn_dtype format) { return format == HN_F16 ? 10 : 7; }

/* For sums that are stored in 16 bits: the product is in [1, 2), the addend half of its last place, or a
 * float's last place beside that. */
static void fill_tie(row *r, float *x, size_t n)
{
    const int bits = fraction_bits(r->role == HN_ROLE_ADDEND ? target_format(r) : r->format);
    for (size_t i = 0; i < n; i++) {
        const float sign = signed_pow2(&r->rng, 0, 0);
        if (r->role == HN_ROLE_ADDEND)
            x[i] = sign * (scaled(1.0f, -bits - 1) + (float)hn_range(&r->rng, -1, 1) * 0x1p-23f);
        else
            x[i] = sign * (0.5f + scaled((float)hn_below(&r->rng, 1u << bits), -bits - 1));
    }
}

/* Arguments whose exponential is hard to round: in double within 60 ulps of the middle between two
 * floats. A double exponential that is off by as much, or two that differ by it, show here. The last
 * five rows, of exp, sigmoid, silu, gelu_tanh and gelu_erf, are the hardest of all floats for which
 * the exponential that is taken is at its worst, half-way between multiples of ln 2: the last terms of its
 * series are felt nowhere else. */
static const float hard_args[] = {
    -0x1.d2259ap+3f, 0x1.036492p+1f,  0x1.62b666p+1f,  0x1.112856p+6f,  0x1.cce332p+0f,
    -0x1.f02a66p+1f, 0x1.97f0f6p+4f,  -0x1.7acc62p+3f, 0x1.69a056p+1f,  -0x1.7f4296p+0f,
    0x1.bae196p+2f,  0x1.b78498p-1f,  -0x1.03d5bep+0f, -0x1.edfb24p-1f, 0x1.f12cdcp+3f,
    0x1.060e1ep+6f,  -0x1.705ce4p+1f, -0x1.b3f43cp+3f, -0x1.c1cd9ap-2f, -0x1.6dc968p+5f,
    -0x1.cf6ab2p-3f, 0x1.172096p+2f,  0x1.48e1c4p+2f,  0x1.eeffd8p-3f,  -0x1.56f9c8p+0f,
    -0x1.5ce26ap+6f, -0x1.da035ep-2f, -0x1.f9085ap+0f, 0x1.15298ap+6f,  -0x1.66b396p+1f,
    -0x1.beccfap-3f, -0x1.2af904p-1f, 0x1.43ad06p+0f,  0x1.eef802p+4f,  0x1.112856p+6f,
    -0x1.03d5bep+0f, 0x1.060e1ep+6f,  0x1.36d932p+1f,  -0x1.34003ap+1f, -0x1.4c6604p+2f,
    0x1.32f55p+1f,   0x1.5d4bd4p+4f,  0x1.54f076p-2f,  0x1.56f768p+3f,  0x1.c5c9fap+3f,
    0x1.4b0b4p-2f,   0x1.e6c1e6p+1f,  0x1.a44aa2p+2f,  -0x1.68184ap-2f, -0x1.372cfap+1f,
    -0x1.86a80ap-2f, -0x1.7b8c3ep-2f, 0x1.65937p-2f,   0x1.814162p-2f,  0x1.c271c2p+0f,
    -0x1.99b1d4p+3f, 0x1.0fa288p+0f,  -0x1.6cf806p+3f, 0x1.a503acp+2f,  0x1.0717aep+0f,
    -0x1.52cf8ap+4f, 0x1.049c5cp+0f,  -0x1.c97dccp+5f, -0x1.822aacp-2f, -0x1.2f9328p+6f,
    -0x1.5a6106p+5f, 0x1.d2bcf4p+2f,  0x1.822aacp-2f,  -0x1.df865cp+5f, 0x1.8401ep-2f,
    -0x1.c229e2p-3f, -0x1.bcea6ep-3f, 0x1.a94314p-3f,  0x1.3cbf34p-1f,  -0x1.d5b53ep-3f,
    -0x1.bb1fcp+0f,  0x1.abd714p+1f,  -0x1.b6cb1cp-3f, -0x1.a94314p-3f, -0x1.246cf2p+1f,
    -0x1.786538p+2f, 0x1.c5a8bap-3f,  -0x1.5fc664p+1f, -0x1.e52ep+2f,   -0x1.0bbebcp+3f,
    -0x1.4c7d26p+2f, -0x1.711a2ep+0f, 0x1.a13c12p-1f,  -0x1.dfeb1ap+0f, 0x1.ad40ccp-1f,
    -0x1.b6fc38p-1f, -0x1.b7e1ccp+1f, 0x1.73232p+0f,   -0x1.b5e13ap-1f
};

float hn_hard_arg(hn_rng *rng)
{
    return hard_args[hn_below(rng, sizeof hard_args / sizeof *hard_args)];
}

/* For sums that go through an activation: they are its hard arguments; what it is multiplied by is a power
 * of two, which rounds nothing. */
static void fill_hard_sums(row *r, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (r->role == HN_ROLE_ADDEND)
            x[i] = 0.0f;
        else
            x[i] = r->second ? signed_pow2(&r->rng, -1, 1) : hn_hard_arg(&r->rng);
    }
}

static void fill_probe(row *r, float *x, size_t n)
{
    const bool hard = r->gated && r->seed & 1;
    if (r->role == HN_ROLE_LEFT) {
        memset(x, 0, n * sizeof *x);
        const size_t kept = pick_index(&r->rng, n);
        x[kept] = hard ? 1.0f : signed_pow2(&r->rng, 0, 1);
        return;
    }
    if (hard) {
        fill_hard_sums(r, x, n);
        return;
    }
    if (target_format(r) == HN_F16 || target_format(r) == HN_BF16) {
        fill_tie(r, x, n);
        return;
    }
    const bool addend = r->role == HN_ROLE_ADDEND;
    for (size_t i = 0; i < n; i++)
        x[i] = addend ? integer(&r->rng, 1024) * 0x1p-6f : integer(&r->rng, 1 << 15) * 0x1p-15f;
}

/* Neighbours whose products are p and -p(1 + small). Of two sums that are multiplied one cancels: the
 * product of two errors would hide everything. */
static void fill_cancel(row *r, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = uniform(&r->rng);
        if (i % 2 == 0 || r->role == HN_ROLE_ADDEND || r->second) continue;
        x[i] = r->pair_sign ? -x[i - 1] * (1.0f + x[i] * 0x1p-12f) : x[i - 1];
    }
    /* what is summed between two huge terms that cancel depends on the order, even in double */
    if (r->role == HN_ROLE_ADDEND || r->second || n < 3 || !(r->seed & 1)) return;
    x[0] = (r->format == HN_F16 ? 0x1p15f : 0x1p20f) * uniform(&r->rng);
    x[n - 1] = r->pair_sign ? -x[0] : x[0];
}

/* Magnitudes of factors. Subnormal ones of bf16 meet normal ones: half a place of eight bits hides what
 * they add to anything else. */
static const int *denormal_scales(const row *r)
{
    static const int single[] = { -72, -70, -20, -128 }, half[] = { -14, -16, -20, -23 };
    static const int low[] = { -127, -128, -130, -132 }, high[] = { -18, 0, 2, 10 };
    if (r->format == HN_F16) return half;
    if (r->format == HN_BF16 && r->short_left) return r->role == HN_ROLE_LEFT ? low : high;
    return single;
}

static void fill_denormal(row *r, float *x, size_t n)
{
    const int *scale = denormal_scales(r);
    for (size_t i = 0; i < n; i++) {
        const int exponent = r->role == HN_ROLE_ADDEND ? -140 : scale[hn_below(&r->rng, 4)];
        x[i] = ldexpf(uniform(&r->rng), r->second ? 90 : exponent);
    }
}

/* 1 at the head of each of `lanes` chains, then terms of half an ulp of it. */
static void fill_stagnation(row *r, float *x, size_t n)
{
    hn_rng shape = hn_stream(r->seed, 0x73746167, 0);
    const size_t lanes = (size_t)1 << hn_below(&shape, 6);
    for (size_t i = 0; i < n; i++) {
        if (r->role == HN_ROLE_LEFT)
            x[i] = i < lanes ? 1.0f : 0x1p-24f;
        else
            x[i] = r->role == HN_ROLE_ADDEND ? 0x1p-24f : 1.0f;
    }
}

static const float specials[] = { NAN,      INFINITY, -INFINITY,    0.0f, -0.0f,    FLT_MAX,
                                  -FLT_MAX, FLT_MIN,  -0x1.8p-140f, 1.0f, 0x1p-149f };

static void put_specials(row *r, float *x, size_t n)
{
    const size_t count = sizeof specials / sizeof specials[0];
    for (uint64_t k = hn_below(&r->rng, 3); k > 0; k--) {
        const float special = specials[hn_below(&r->rng, count)];
        x[pick_index(&r->rng, n)] = special;
    }
}

static void fill_factor(row *r, float *x, size_t n)
{
    /* 2^17 terms of magnitude up to 4 are too many for one binade of slack */
    const int reach = r->terms > (size_t)1 << 16 ? 0 : 1;
    switch (r->fill) {
    case HN_FILL_INT: fill_int(r, x, n); return;
    case HN_FILL_POW2:
        for (size_t i = 0; i < n; i++) x[i] = signed_pow2(&r->rng, -2 * reach, reach);
        return;
    case HN_FILL_PROBE: fill_probe(r, x, n); return;
    case HN_FILL_CANCEL: fill_cancel(r, x, n); return;
    case HN_FILL_WIDE:
        for (size_t i = 0; i < n; i++) {
            const int exponent = (int)hn_range(&r->rng, -20, r->format == HN_F16 ? 15 : 20);
            x[i] = scaled(uniform(&r->rng), exponent);
        }
        return;
    case HN_FILL_DENORMAL: fill_denormal(r, x, n); return;
    case HN_FILL_STAGNATION: fill_stagnation(r, x, n); return;
    default:
        for (size_t i = 0; i < n; i++) x[i] = uniform(&r->rng);
        if (r->fill == HN_FILL_EDGE && !r->one_sided) put_specials(r, x, n);
        for (size_t i = 0; r->one_sided && i < n; i++) x[i] = fabsf(x[i]);
    }
}

/* 2^k equal scores, every other one so far below that its exponential is 0: p = 2^-k exactly. */
static void fill_score_exact(row *r, float *x, size_t n)
{
    const float top = 0.5f * (float)hn_range(&r->rng, -80, 80);
    int k = 0;
    while ((size_t)2 << k <= n) k++;
    size_t wanted = (size_t)1 << hn_range(&r->rng, 0, k);
    for (size_t i = 0; i < n; i++) {
        const bool chosen = hn_below(&r->rng, n - i) < wanted;
        const bool masked = hn_below(&r->rng, 2);
        const float below = top - 110.0f - (float)hn_below(&r->rng, 50);
        x[i] = chosen ? top : masked ? -INFINITY : below;
        wanted -= chosen;
    }
}

/* Scores against a maximum of 0 at which one result of a row of two is hard to round: in double within
 * 48 ulps of the middle between two floats. In a row of three that is true of x[0] and x[1], and
 * the exponentials are where a series is at its worst, half-way between multiples of ln 2: double
 * exponentials that differ in their last bits give other floats. All other scores are -inf. */
static void fill_hard_scores(row *r, float *x, size_t n)
{
    static const float two[] = { -0x1.1bff5ep-2f, -0x1.65937p-2f,  -0x1.b1db3cp+0f, -0x1.e6c1e6p+1f,
                                 -0x1.81bdbap+1f, -0x1.673c46p+3f, -0x1.27d8bep-3f, -0x1.a14ac8p-1f,
                                 -0x1.c068d6p+2f, -0x1.569074p+1f, -0x1.f73852p+1f, -0x1.2082ep-3f,
                                 -0x1.32c9ap-1f,  -0x1.c9bb96p+3f, -0x1.6d7a9ap+0f, -0x1.6dc968p+5f,
                                 -0x1.1989b6p+1f, -0x1.fa68a8p+1f };
    static const float three[][2] = {
        { -0x1.66986ep-2f, -0x1.715078p-2f }, { -0x1.0c096p+0f, -0x1.bdce16p+0f },
        { -0x1.b91712p+0f, -0x1.bcf696p+0f }, { -0x1.bae042p+0f, -0x1.097eecp+0f },
        { -0x1.082bd6p+0f, -0x1.600c8ap-2f }, { -0x1.60865ap-2f, -0x1.b8e8fcp+0f },
        { -0x1.5e64a2p-2f, -0x1.0ae5e8p+0f }, { -0x1.06a8fp+0f, -0x1.094c4cp+0f },
        { -0x1.708d0ep-2f, -0x1.07c23p+0f },  { -0x1.5d402cp-2f, -0x1.5c21eap-2f }
    };
    for (size_t i = 0; i < n; i++) x[i] = -INFINITY;
    if (n > 2 && hn_below(&r->rng, 2)) {
        const float *pair = three[hn_below(&r->rng, sizeof three / sizeof *three)];
        x[0] = pair[0];
        x[1] = pair[1];
        x[2] = 0.0f;
        return;
    }
    x[0] = two[hn_below(&r->rng, sizeof two / sizeof *two)];
    if (n > 1) x[1] = 0.0f;
}

/* No score is above -inf, or none is above the least finite one. */
static void fill_low_scores(row *r, float *x, size_t n)
{
    const bool finite = hn_below(&r->rng, 2);
    for (size_t i = 0; i < n; i++) x[i] = finite && i % 3 == 0 ? -FLT_MAX : -INFINITY;
}

static void fill_score(row *r, float *x, size_t n)
{
    const float shift = r->fill == HN_FILL_WIDE ? 1e4f * uniform(&r->rng) : 0.0f;
    if (r->fill == HN_FILL_INT) {
        fill_score_exact(r, x, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const float u = uniform(&r->rng);
        switch (r->fill) {
        case HN_FILL_PROBE: x[i] = -INFINITY; break;
        case HN_FILL_WIDE: x[i] = shift + scaled(u, (int)hn_range(&r->rng, -4, 8)); break;
        case HN_FILL_STAGNATION: x[i] = i < 8 ? 0.0f : -16.6355f; break;
        default: x[i] = 4.0f * u;
        }
    }
    if (r->fill == HN_FILL_PROBE) x[pick_index(&r->rng, n)] = shift + 3.0f;
    if (r->fill != HN_FILL_EDGE) return;
    put_specials(r, x, n);
    const uint64_t kind = hn_below(&r->rng, 8);
    if (kind < 2) fill_low_scores(r, x, n);
    if (kind == 2 || kind == 3) fill_hard_scores(r, x, n);
}

/* 2^16 bit patterns: every sign, exponent and leading significand, the rest from the seed. */
static void fill_census(row *r, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)i << 16 | (r->seed & 0xffffu);
        memcpy(&x[i], &bits, sizeof bits);
    }
}

static float edge_arg(hn_rng *rng, float u)
{
    static const float edges[] = { NAN,       INFINITY,    -INFINITY,  88.722839f,
                                   88.72284f, -87.336544f, -87.33655f, -103.97f,
                                   -104.0f,   0x1p-149f,   -0x1p-126f };
    switch (hn_below(rng, 4)) {
    case 0: return 100.0f * u;
    case 1: return hn_hard_arg(rng);
    default: return edges[hn_below(rng, sizeof edges / sizeof *edges)];
    }
}

static void fill_arg(row *r, float *x, size_t n)
{
    static const float exact[] = { 0.0f, -0.0f, -200.0f, -1e30f, -INFINITY };
    if (r->fill == HN_FILL_CENSUS) {
        fill_census(r, x, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const float u = uniform(&r->rng);
        switch (r->fill) {
        case HN_FILL_INT: x[i] = exact[hn_below(&r->rng, 5)]; break;
        case HN_FILL_WIDE: x[i] = scaled(u, (int)hn_range(&r->rng, -30, 7)); break;
        case HN_FILL_DENORMAL: x[i] = ldexpf(u, -126); break;
        case HN_FILL_EDGE: x[i] = edge_arg(&r->rng, u); break;
        default: x[i] = 20.0f * u;
        }
    }
}

/* A block whose largest magnitude makes its scale hard: so many times as the codes of some format go a tie
 * between two halves, normal or not, or about the least amax that has codes, whose bits are
 * 0x02fe0001. Scales from the least to the largest element have a least one of 0. */
static void fill_hard_scale(row *r, float *x, size_t n)
{
    const uint32_t border = 0x02fe0000u + (uint32_t)hn_below(&r->rng, 4);
    const float odd = (float)(2 * hn_below(&r->rng, 2048) + 1); /* from 2048 on a normal half's */
    const int exponent = odd < 2048.0f ? -25 : (int)hn_range(&r->rng, -25, 3);
    static const float most[] = { 127.0f, 127.0f, 8.0f, 16.0f, 15.0f, 31.0f };
    const uint64_t codes = hn_below(&r->rng, sizeof most / sizeof *most);
    const bool from_least = codes >= 4;
    float amax = ldexpf(most[codes] * odd, exponent);
    if (hn_below(&r->rng, 2)) memcpy(&amax, &border, sizeof amax);
    for (size_t i = 0; i < n; i++) x[i] = amax * uniform(&r->rng);
    const size_t pick = pick_index(&r->rng, n);
    x[pick] = x[pick] < 0.0f ? -amax : amax;
    for (size_t i = 0; from_least && i < n; i++) x[i] = fabsf(x[i]);
    if (from_least) x[pick == 0] = 0.0f;
}

/* What a quantiser of blocks of 32 finds hard: ties, one outlier, amax at the subnormal border. */
static void fill_value_block(row *r, float *x, size_t n)
{
    const float top = hn_below(&r->rng, 2) ? 127.0f : 64.0f + 63.0f * fabsf(uniform(&r->rng));
    const int scale = (int)hn_range(&r->rng, -3, 3), border = (int)hn_range(&r->rng, -136, -122);
    /* odd seeds: scales of all magnitudes, also those far below the least half */
    const int widest = r->seed & 1 ? (int)hn_range(&r->rng, -126, 100) : 23;
    for (size_t i = 0; i < n; i++) {
        const float u = uniform(&r->rng);
        switch (r->fill) {
        case HN_FILL_INT: x[i] = 0.5f * (float)hn_range(&r->rng, -254, 254) * top / 127.0f; break;
        case HN_FILL_POW2: x[i] = signed_pow2(&r->rng, -9, 0); break;
        case HN_FILL_PROBE: x[i] = 0.0f; break;
        case HN_FILL_WIDE: x[i] = ldexpf(u, widest - (int)hn_below(&r->rng, 84)); break;
        case HN_FILL_DENORMAL: x[i] = ldexpf(u, border); break;
        case HN_FILL_SAT: x[i] = u < 0.0f ? -FLT_MAX : FLT_MAX; break;
        default: x[i] = scaled(u, scale);
        }
    }
    const size_t pick = pick_index(&r->rng, n);
    if (r->fill == HN_FILL_INT) x[pick] = x[pick] < 0.0f ? -top : top;
    if (r->fill == HN_FILL_PROBE) x[pick] = uniform(&r->rng);
    if (r->fill == HN_FILL_SAT && hn_below(&r->rng, 2))
        for (size_t i = 0; i < n; i++) x[i] = copysignf(127.0f * 65504.0f, x[i]);
    if (r->fill != HN_FILL_EDGE) return;
    if (hn_below(&r->rng, 4) == 0)
        fill_hard_scale(r, x, n);
    else
        put_specials(r, x, n);
}

/* Half steps of codes: sub-blocks of 32 with a scale and a minimum each and codes 0..15 or 0..31, or
 * of 16 with a scale each and codes -31..31. The scales of a block differ, the minimums too, the
 * largest a format has is among them, and each sub-block has its extremes: quantisers of that format
 * find the same scales again, and ties. */
static void fill_grid(row *r, float *x)
{
    const uint64_t kind = hn_below(&r->rng, 3);
    const bool affine = kind < 2;
    const int top = kind == 0 ? 15 : 31, low = affine ? 0 : -2 * top;
    const size_t sub = affine ? 32 : 16, subs = 256 / sub, turn = (size_t)hn_below(&r->rng, subs);
    const float d = scaled(1.0f, (int)hn_range(&r->rng, -6, 2));
    const float dmin = affine ? scaled(1.0f, (int)hn_range(&r->rng, -6, 2)) : 0.0f;
    for (size_t j = 0; j < subs; j++, x += sub) {
        const size_t place = (j + turn) % subs, other = (3 * j + turn) % subs;
        const float s = affine ? 63.0f - 8.0f * (float)place : 127.0f - 7.0f * (float)place;
        const float min = dmin * (63.0f - 7.0f * (float)other);
        for (size_t i = 0; i < sub; i++)
            x[i] = 0.5f * d * s * (float)hn_range(&r->rng, low, 2 * top) - min;
        const size_t most = pick_index(&r->rng, sub);
        x[most] = d * s * (float)top - min;
        x[most == 0] = 0.5f * d * s * (float)low - min;
    }
}

/* Elements a float beside half steps, the extremes too: scales that are just not covered. */
static void fill_beside_grid(row *r, float *x)
{
    fill_grid(r, x);
    for (size_t i = 0; i < 256; i++) {
        const uint64_t way = hn_below(&r->rng, 4);
        if (way < 2) x[i] = nextafterf(x[i], way ? INFINITY : -INFINITY);
    }
}

/* Magnitudes about the largest that each format has a scale for. */
static void fill_top_k(row *r, float *x)
{
    static const float tops[] = { FLT_MAX, 63.0f * 65504.0f, 945.0f * 65504.0f, 1953.0f * 65504.0f,
                                  3937.0f * 65504.0f };
    float top = tops[hn_below(&r->rng, 5)];
    const uint64_t way = hn_below(&r->rng, 3), sign = hn_below(&r->rng, 3);
    if (way > 0 && top < FLT_MAX) top = nextafterf(top, way == 1 ? 0.0f : INFINITY);
    for (size_t i = 0; i < 256; i++) {
        const float u = uniform(&r->rng);
        x[i] = sign == 0 || (sign == 1 && u < 0.0f) ? -top : top;
    }
}

/* Runs of one sign, and a small spread far from 0. */
static void shape_run(row *r, float *x, size_t n)
{
    const uint64_t kind = hn_below(&r->rng, 5);
    for (size_t i = 0; i < n && kind < 3; i++)
        x[i] = kind == 0 ? fabsf(x[i]) : kind == 1 ? -fabsf(x[i]) : x[i] * 0x1p-7f - 1.0f;
}

/* What a quantiser of the k formats finds hard. */
static void fill_value_k(row *r, float *x)
{
    const uint64_t kind = hn_below(&r->rng, 4);
    const size_t pick = pick_index(&r->rng, 256);
    for (size_t i = 0; i < 256; i += 32) fill_value_block(r, x + i, 32);
    switch (r->fill) {
    case HN_FILL_INT:
        if (kind > 0) fill_grid(r, x);
        return;
    case HN_FILL_PROBE:
        for (size_t i = 0; i < 256 && kind < 2; i++) x[i] = 0.0f;
        if (kind == 1) x[pick] = uniform(&r->rng);
        return;
    case HN_FILL_SAT: fill_top_k(r, x); return;
    case HN_FILL_EDGE:
        for (size_t i = 0; i < 256; i++) x[i] = uniform(&r->rng);
        if (kind == 0) fill_beside_grid(r, x);
        if (kind == 1) fill_hard_scale(r, x, 256);
        if (kind == 2) put_specials(r, x, 256);
        if (kind == 3) x[pick] = specials[hn_below(&r->rng, 3)];
        return;
    case HN_FILL_UNIT:
    case HN_FILL_WIDE:
        for (size_t i = 0; i < 256; i += 32) shape_run(r, x + i, 32);
        return;
    default: return;
    }
}

/* Half of the blocks of less than 8 bits a code are grids of theirs; of probes one in four is zero. */
static void fill_value_32(row *r, float *x, size_t index)
{
    const hn_field *codes = r->target->fields;
    hn_rng zeros = hn_stream(r->seed, 0x7a65726f, index);
    if (r->fill == HN_FILL_PROBE && hn_below(&zeros, 4) == 0) {
        memset(x, 0, 32 * sizeof *x);
        return;
    }
    while (codes->meaning != HN_CODE) codes++;
    if (hn_field_width(codes) < 8 && hn_below(&r->rng, 2))
        hn_fill_grid(r, codes, x);
    else
        fill_value_block(r, x, 32);
}

static void fill_value(row *r, float *x, size_t n)
{
    const size_t block = r->target->elements;
    if (r->fill == HN_FILL_CENSUS)
        fill_census(r, x, n);
    else if (block < 32)
        hn_fill_elements(r, r->target, x, n);
    else
        for (size_t i = 0; i < n; i += block) {
            if (block == 256)
                fill_value_k(r, x + i);
            else
                fill_value_32(r, x + i, i / 32);
        }
}

/* The element in which queries and keys meet, one for the case; the others only stand by. */
static size_t meeting(const row *r, size_t n)
{
    hn_rng shape = hn_stream(r->seed, 0, 0x6d656574);
    return pick_index(&shape, n);
}

/* A key in two is worth 0; the others, far apart, weigh nothing beside it or beside each other. */
static void fill_key_int(row *r, float *x, size_t n)
{
    const size_t at = meeting(r, n);
    for (size_t i = 0; i < n; i++) x[i] = integer(&r->rng, 1024);
    const int64_t most = r->format == HN_F16 ? 15 : 16; /* its greatest number is below 2^16 */
    x[at] = hn_below(&r->rng, 2) ? 0.0f : scaled(-1.0f, (int)hn_range(&r->rng, 12, most));
}

/* Scores that rise or fall from key to key, each rise a new maximum, and leap now and then. */
static void fill_key_wide(row *r, float *x, size_t n)
{
    hn_rng shape = hn_stream(r->seed, 0, 0x72697365);
    const float step = signed_pow2(&shape, -2, 4);
    for (size_t i = 0; i < n; i++) x[i] = uniform(&r->rng);
    x[meeting(r, n)] += step * (float)(r->index % 64);
    if (hn_below(&r->rng, 8) == 0) x[meeting(r, n)] *= 4.0f;
}

static void fill_query(row *r, float *x, size_t n)
{
    const bool wide = r->fill == HN_FILL_WIDE;
    const size_t at = meeting(r, n);
    for (size_t i = 0; i < n; i++) x[i] = wide ? uniform(&r->rng) : 0.0f;
    x[at] = wide ? 2.0f : 8.0f;
}

/* Scores are products, and of a softmax. */
static void fill_attention(row *r, float *x, size_t n)
{
    const bool query = r->role == HN_ROLE_QUERY;
    if (r->fill != HN_FILL_INT && r->fill != HN_FILL_WIDE) {
        r->role = query ? HN_ROLE_LEFT : HN_ROLE_RIGHT;
        fill_factor(r, x, n);
    } else if (query) {
        fill_query(r, x, n);
    } else if (r->fill == HN_FILL_INT) {
        fill_key_int(r, x, n);
    } else {
        fill_key_wide(r, x, n);
    }
}

static void fill_f32(row *r, float *x, size_t n)
{
    switch (r->role) {
    case HN_ROLE_SCORE: fill_score(r, x, n); return;
    case HN_ROLE_ARG: fill_arg(r, x, n); return;
    case HN_ROLE_VALUE: fill_value(r, x, n); return;
    case HN_ROLE_QUERY:
    case HN_ROLE_KEY: fill_attention(r, x, n); return;
    default: fill_factor(r, x, n);
    }
}

/* NaNs of either sign, with a payload, signalling ones: of no result that strict mode makes of them may
 * any of it be left. */
static void vary_nans(const row *r, float *x, size_t n)
{
    static const uint32_t nans[] = { 0x7fc00000, 0xffc00000, 0x7fe5a000, 0xff812000 };
    for (size_t i = 0; r->fill == HN_FILL_EDGE && i < n; i++)
        if (isnan(x[i])) memcpy(&x[i], &nans[(r->seed + 5 * r->index + i) % 4], sizeof x[i]);
}

/* What the family, or else the role of the operand, makes of a row of floats. */
static void fill_floats(row *r, const hn_case *c, size_t index, float *x, size_t n)
{
    const hn_family *family = c->op->family;
    if (!family->fill || !family->fill(c, index, r->index, &r->rng, x, n)) fill_f32(r, x, n);
    vary_nans(r, x, n);
}

static bool is_factor(const row *r, hn_dtype dtype)
{
    return (dtype == HN_F16 || dtype == HN_BF16) && r->role != HN_ROLE_VALUE;
}

static bool is_integer_factor(const row *r, hn_dtype dtype)
{
    return (dtype == HN_INT8 || dtype == HN_UINT8) && r->role != HN_ROLE_VALUE;
}

/* Factors of 16 bits are those of f32, rounded. */
static void fill_factor_halves(row *r, const hn_case *c, size_t index, unsigned char *at, size_t n)
{
    float *x = hn_checked(malloc(n * sizeof *x));
    fill_floats(r, c, index, x, n);
    hn_fill_halves(&hn_dtypes[hn_operand_dtype(c->op, index)], x, at, n);
    free(x);
}

/* Fills the columns of a placed f32 operand, each as a row. */
static void fill_down(row *r, const hn_case *c, size_t index, const hn_placed *p)
{
    float *column = hn_checked(malloc((p->rows + 1) * sizeof *column));
    for (r->index = 0; p->rows && r->index < p->cols; r->index++) {
        r->rng = hn_stream(c->seed, index, r->index);
        fill_floats(r, c, index, column, p->rows);
        for (size_t i = 0; i < p->rows; i++)
            memcpy(p->at + (i * p->ld + r->index) * p->unit, &column[i], sizeof *column);
    }
    free(column);
}

/* An infinite scale leaves an infinity where no term is NaN or another infinity: f32 activations and
 * codes of one sign, in a quarter of the edges. */
static bool is_one_sided(const hn_case *c)
{
    bool floats = false;
    for (size_t i = 1; i < c->op->family->noperands; i++)
        floats |=
            c->op->family->operands[i].role == HN_ROLE_LEFT && hn_operand_dtype(c->op, i) == HN_F32;
    return floats && c->fill == HN_FILL_EDGE && c->seed % 4 == 3;
}

void hn_fill_operand(const hn_case *c, size_t index, const hn_placed *p, const size_t *live)
{
    const hn_operand *operand = &c->op->family->operands[index];
    const hn_dtype dtype = hn_operand_dtype(c->op, index);
    row r = { .fill = c->fill,
              .role = operand->role,
              .format = dtype,
              .seed = c->seed,
              .target = &hn_dtypes[hn_operand_dtype(c->op, 0)],
              .terms = c->op->family->terms(c),
              .pair_sign = operand->role == HN_ROLE_LEFT,
              .gated = c->op->family->flags & HN_GATED };
    size_t rights = 0;
    for (size_t i = 1; i < c->op->family->noperands; i++) {
        if (c->op->family->operands[i].role == HN_ROLE_LEFT)
            r.short_left = hn_operand_dtype(c->op, i) == HN_BF16;
        if (c->op->family->operands[i].role != HN_ROLE_RIGHT) continue;
        rights++;
        r.second |= r.gated && rights > 1 && i == index;
        for (const hn_field *f = hn_dtypes[hn_operand_dtype(c->op, i)].fields; f->count; f++) {
            r.factors |= f->meaning == HN_SUB_SCALE;
            r.one_sided |= f->meaning == HN_CODE && is_one_sided(c);
        }
    }
    r.multiplied = r.gated && rights > 1;
    if (c->fill == HN_FILL_FILE) {
        hn_capture_read(c, index, p, live, NULL, 0);
        return;
    }
    if (hn_down(c, index)) {
        fill_down(&r, c, index, p);
        return;
    }
    for (r.index = 0; r.index < p->rows; r.index++) {
        unsigned char *at = p->at + r.index * p->ld * p->unit;
        const size_t n = live ? live[r.index] : p->cols;
        r.rng = hn_stream(c->seed, index, r.index);
        if (n == 0) continue;
        if (dtype == HN_I32)
            c->op->family->ids(c, index, r.index, &r.rng, (int32_t *)(void *)at, n);
        else if (dtype == HN_F32)
            fill_floats(&r, c, index, (float *)(void *)at, n);
        else if (is_factor(&r, dtype))
            fill_factor_halves(&r, c, index, at, n);
        else if (is_integer_factor(&r, dtype))
            hn_fill_integers(&r, &hn_dtypes[dtype], at, n);
        else
            hn_fill_units(&r, &hn_dtypes[dtype], at, n);
    }
}
