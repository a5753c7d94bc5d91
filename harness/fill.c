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
#include "ck_dtype.h"

/* What a row is filled by. */
typedef struct row {
    hn_rng rng;
    hn_fill fill;
    hn_role role;
    size_t index;   /* of the row */
    size_t terms;   /* summed into one output */
    uint32_t seed;  /* of the case */
    bool pair_sign; /* this operand carries the sign of cancelling pairs */
} row;

/* Uniform in (-1, 1), never 0, 24 significant bits. */
static float uniform(hn_rng *rng)
{
    const int32_t bits = (int32_t)(hn_next(rng) >> 32) | 1;
    return (float)((double)(bits >> 7 | 1) * 0x1p-24);
}

/* x * 2^e for normal results. */
static float scaled(float x, int e)
{
    const uint32_t bits = (uint32_t)(e + 127) << 23;
    float factor;
    memcpy(&factor, &bits, sizeof factor);
    return x * factor;
}

static float signed_pow2(hn_rng *rng, int low, int high)
{
    const uint64_t bits = hn_next(rng);
    const int e = low + (int)(((bits >> 32) * (uint64_t)(high - low + 1)) >> 32);
    return scaled(bits & 1 ? 1.0f : -1.0f, e);
}

/* Non-zero integer, |x| <= limit. */
static float integer(hn_rng *rng, int64_t limit)
{
    const uint64_t bits = hn_next(rng);
    const int magnitude = 1 + (int)(((bits >> 32) * (uint64_t)limit) >> 32);
    return (float)(bits & 1 ? magnitude : -magnitude);
}

/* Largest X with terms * X * X <= budget, within 1..most. */
static int64_t factor_limit(size_t terms, double budget, int64_t most)
{
    const int64_t limit = (int64_t)sqrt(budget / (double)terms);
    return limit < 1 ? 1 : limit > most ? most : limit;
}

/* The last element half the time: tails are where kernels break. */
static size_t pick_index(hn_rng *rng, size_t n)
{
    return hn_below(rng, 2) ? n - 1 : (size_t)hn_below(rng, n);
}

static void fill_int(row *r, float *x, size_t n)
{
    const int64_t limit = r->role == HN_ROLE_ADDEND ? 1024 : factor_limit(r->terms, 0x1p20, 1024);
    for (size_t i = 0; i < n; i++) x[i] = integer(&r->rng, limit);
}

static void fill_probe(row *r, float *x, size_t n)
{
    if (r->role == HN_ROLE_LEFT) {
        memset(x, 0, n * sizeof *x);
        const size_t kept = pick_index(&r->rng, n);
        x[kept] = signed_pow2(&r->rng, 0, 1);
        return;
    }
    const bool addend = r->role == HN_ROLE_ADDEND;
    for (size_t i = 0; i < n; i++)
        x[i] = addend ? integer(&r->rng, 1024) * 0x1p-6f : integer(&r->rng, 1 << 15) * 0x1p-15f;
}

/* Neighbours whose products are p and -p(1 + small). */
static void fill_cancel(row *r, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = uniform(&r->rng);
        if (i % 2 == 0 || r->role == HN_ROLE_ADDEND) continue;
        x[i] = r->pair_sign ? -x[i - 1] * (1.0f + x[i] * 0x1p-12f) : x[i - 1];
    }
    /* what is summed between two huge terms that cancel depends on the order, even in double */
    if (r->role == HN_ROLE_ADDEND || n < 3 || !(r->seed & 1)) return;
    x[0] = 0x1p20f * uniform(&r->rng);
    x[n - 1] = r->pair_sign ? -x[0] : x[0];
}

static void fill_denormal(row *r, float *x, size_t n)
{
    static const int scale[] = { -72, -70, -20, -128 };
    for (size_t i = 0; i < n; i++) {
        const int exponent = r->role == HN_ROLE_ADDEND ? -140 : scale[hn_below(&r->rng, 4)];
        x[i] = ldexpf(uniform(&r->rng), exponent);
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
            const int exponent = (int)hn_range(&r->rng, -20, 20);
            x[i] = scaled(uniform(&r->rng), exponent);
        }
        return;
    case HN_FILL_DENORMAL: fill_denormal(r, x, n); return;
    case HN_FILL_STAGNATION: fill_stagnation(r, x, n); return;
    default:
        for (size_t i = 0; i < n; i++) x[i] = uniform(&r->rng);
        if (r->fill == HN_FILL_EDGE) put_specials(r, x, n);
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

/* Arguments whose exponential is hard to round: in double within 60 ulps of the middle between two
 * floats. A double exponential that is off by as much, or two that differ by it, show here. */
static const float hard_args[] = {
    -0x1.d2259ap+3f, 0x1.036492p+1f,  0x1.62b666p+1f,  0x1.112856p+6f,  0x1.cce332p+0f,
    -0x1.f02a66p+1f, 0x1.97f0f6p+4f,  -0x1.7acc62p+3f, 0x1.69a056p+1f,  -0x1.7f4296p+0f,
    0x1.bae196p+2f,  0x1.b78498p-1f,  -0x1.03d5bep+0f, -0x1.edfb24p-1f, 0x1.f12cdcp+3f,
    0x1.060e1ep+6f,  -0x1.705ce4p+1f, -0x1.b3f43cp+3f, -0x1.c1cd9ap-2f, -0x1.6dc968p+5f,
    -0x1.cf6ab2p-3f, 0x1.172096p+2f,  0x1.48e1c4p+2f,  0x1.eeffd8p-3f,  -0x1.56f9c8p+0f,
    -0x1.5ce26ap+6f, -0x1.da035ep-2f, -0x1.f9085ap+0f, 0x1.15298ap+6f,  -0x1.66b396p+1f,
    -0x1.beccfap-3f, -0x1.2af904p-1f, 0x1.43ad06p+0f,  0x1.eef802p+4f
};

static float edge_arg(hn_rng *rng, float u)
{
    static const float edges[] = { NAN,       INFINITY,    -INFINITY,  88.722839f,
                                   88.72284f, -87.336544f, -87.33655f, -103.97f,
                                   -104.0f,   0x1p-149f,   -0x1p-126f };
    switch (hn_below(rng, 4)) {
    case 0: return 100.0f * u;
    case 1: return hard_args[hn_below(rng, sizeof hard_args / sizeof *hard_args)];
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

/* A block whose largest magnitude makes its scale hard: 127 times a tie between two halves, normal or
 * not, or about the least amax that has codes, whose bits are 0x02fe0001. */
static void fill_hard_scale(row *r, float *x, size_t n)
{
    const uint32_t border = 0x02fe0000u + (uint32_t)hn_below(&r->rng, 4);
    const float odd = (float)(2 * hn_below(&r->rng, 2048) + 1); /* from 2048 on a normal half's */
    const int exponent = odd < 2048.0f ? -25 : (int)hn_range(&r->rng, -25, 3);
    float amax = ldexpf(127.0f * odd, exponent);
    if (hn_below(&r->rng, 2)) memcpy(&amax, &border, sizeof amax);
    for (size_t i = 0; i < n; i++) x[i] = amax * uniform(&r->rng);
    const size_t pick = pick_index(&r->rng, n);
    x[pick] = x[pick] < 0.0f ? -amax : amax;
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

static void fill_f32(row *r, float *x, size_t n)
{
    switch (r->role) {
    case HN_ROLE_SCORE: fill_score(r, x, n); return;
    case HN_ROLE_ARG: fill_arg(r, x, n); return;
    case HN_ROLE_VALUE:
        for (size_t i = 0; i < n; i += 32) fill_value_block(r, x + i, n - i < 32 ? n - i : 32);
        return;
    default: fill_factor(r, x, n);
    }
}

/* Bits of a half: sign, exponent of 2, leading bits of the significand. */
static uint16_t half(unsigned negative, int exponent, unsigned significand)
{
    return (uint16_t)(negative << 15 | (unsigned)(exponent + 15) << 10 | (significand & 1023u));
}

static uint16_t block_scale(row *r, size_t block)
{
    static const uint16_t special[] = { 0x7e00, 0x7c01, 0x7c00, 0xfc00,
                                        0x0000, 0x8000, 0x7bff, 0x0001 };
    const uint64_t bits = hn_next(&r->rng);
    const unsigned sign = bits & 1, significand = (unsigned)(bits >> 1) & 1023u;
    switch (r->fill) {
    case HN_FILL_INT:
    case HN_FILL_PROBE:
        /* neighbours differ; beyond 2^17 terms the sum leaves no room for differing scales */
        return half(sign, r->terms > (size_t)1 << 16 ? 0 : -(int)((block + r->index) % 4), 0);
    case HN_FILL_CANCEL:
        /* odd seeds: pairs over thirty binades, so that double sums are rounded as well */
        return half(0, r->seed & 1 ? (int)(bits >> 20 & 15) - 10 : -4, significand & ~1u);
    case HN_FILL_WIDE: return half(sign, (int)(bits >> 20 & 15) - 10, significand);
    case HN_FILL_DENORMAL: return (uint16_t)(sign << 15 | significand);
    case HN_FILL_STAGNATION: return r->role == HN_ROLE_LEFT && block >= 8 ? 0x0001 : half(0, 0, 0);
    case HN_FILL_SAT: return half(sign, -7, 0);
    case HN_FILL_CENSUS: return (uint16_t)((r->seed & 255u) | (block / 8 & 255u) << 8);
    case HN_FILL_EDGE:
        if (bits >> 20 & 1) return special[bits >> 21 & 7];
        return half(sign, -5, significand);
    default: return half(sign, -8 + (int)(bits >> 20 & 3), significand);
    }
}

/* Codes of one block. Activations keep to -127..127, what quantisers emit, but for edge and for the
 * odd seeds of sat. */
static void block_codes(row *r, size_t block, signed char *q)
{
    const bool symmetric = r->role == HN_ROLE_LEFT && r->fill != HN_FILL_EDGE &&
                           !(r->fill == HN_FILL_SAT && r->seed & 1);
    const int64_t limit = factor_limit(r->terms, 0x1p17, 127), low = symmetric ? -127 : -128;
    const int64_t run = hn_range(&r->rng, 1, 8);
    int64_t held = 0;
    for (size_t i = 0; i < CK_Q8_0_BLOCK; i++) {
        switch (r->fill) {
        case HN_FILL_INT: q[i] = (signed char)integer(&r->rng, limit); break;
        case HN_FILL_SAT:
            if (i % (size_t)run == 0)
                held = hn_below(&r->rng, 2) ? 127 : hn_range(&r->rng, low, -127);
            q[i] = (signed char)held;
            break;
        case HN_FILL_STAGNATION: q[i] = i == 0; break;
        case HN_FILL_CENSUS: q[i] = (signed char)(unsigned char)(block % 8 * 32 + i); break;
        default:
            q[i] =
                (signed char)(low +
                              (int64_t)(((hn_next(&r->rng) >> 32) * (uint64_t)(128 - low)) >> 32));
        }
    }
}

/* Scale of the second block of a cancelling pair: the opposite, exactly or but for one bit. */
static uint16_t negated_scale(const row *r, uint16_t d)
{
    if (!r->pair_sign) return d;
    return (uint16_t)((d | (r->seed & 1 ? 0u : 1u)) ^ 0x8000u);
}

static void fill_q8_0(row *r, unsigned char *blocks, size_t n)
{
    const size_t kept = n ? pick_index(&r->rng, n) : 0;
    signed char q[CK_Q8_0_BLOCK] = { 0 };
    uint16_t d = 0;
    for (size_t b = 0; b < n; b++, blocks += CK_Q8_0_BYTES) {
        if (r->fill == HN_FILL_CANCEL && b % 2 == 1) {
            d = negated_scale(r, d);
        } else {
            d = block_scale(r, b);
            block_codes(r, b, q);
        }
        if (r->fill == HN_FILL_PROBE && r->role == HN_ROLE_LEFT) {
            memset(q, 0, sizeof q);
            const float code = b == kept ? integer(&r->rng, 127) : 0.0f;
            if (b == kept) q[pick_index(&r->rng, sizeof q)] = (signed char)code;
        }
        blocks[0] = (unsigned char)(d & 255u);
        blocks[1] = (unsigned char)(d >> 8);
        memcpy(blocks + 2, q, sizeof q);
    }
}

/* Fills the columns of a placed f32 operand, each as a row. */
static void fill_down(row *r, const hn_case *c, size_t index, const hn_placed *p)
{
    float *column = malloc((p->rows + 1) * sizeof *column);
    if (!column) {
        fprintf(stderr, "ckparity: out of memory\n");
        exit(1);
    }
    for (r->index = 0; p->rows && r->index < p->cols; r->index++) {
        r->rng = hn_stream(c->seed, index, r->index);
        fill_f32(r, column, p->rows);
        for (size_t i = 0; i < p->rows; i++)
            memcpy(p->at + (i * p->ld + r->index) * p->unit, &column[i], sizeof *column);
    }
    free(column);
}

void hn_fill_operand(const hn_case *c, size_t index, const hn_placed *p, const size_t *live)
{
    const hn_operand *operand = &c->op->family->operands[index];
    row r = { .fill = c->fill,
              .role = operand->role,
              .seed = c->seed,
              .terms = c->op->family->terms(c),
              .pair_sign = operand->role == HN_ROLE_LEFT };
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
        if (hn_operand_dtype(c->op, index) == HN_F32)
            fill_f32(&r, (float *)(void *)at, n);
        else
            fill_q8_0(&r, at, n);
    }
}
