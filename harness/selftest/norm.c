/* SPDX-License-Identifier: MIT */
/* Mutants of rmsnorm and layernorm: a body in double, so that only the fault can be caught. */
#include "norm.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "mutant.h"

typedef struct fault {
    bool no_eps;          /* sqrt(variance) */
    bool eps_outside;     /* sqrt(variance) + eps */
    bool divides_by_less; /* by d - 1 */
    bool short_sum;       /* the last element is not in the sum of squares */
    bool last_row_only;   /* and that in the last row only */
    bool one_pass;        /* E[x^2] - mean^2, in float */
    bool estimate;        /* a reciprocal root of 12 bits, no Newton step */
    bool rough;           /* rstd as bf16 would round it */
    bool swapped_gamma;   /* the last two of gamma */
    bool no_beta;         /* of the last column */
    bool keeps_mean;      /* in the last column */
    bool short_sums;      /* of squares, as bf16 */
    bool short_normed;    /* x rstd as bf16, before gamma */
    bool short_gamma;     /* gamma as bf16 */
    bool late;            /* rstd is that of y */
} fault;

/* Both families' arguments; beta NULL: rmsnorm. */
typedef struct args {
    ck_layernorm_args a;
    bool centred;
} args;

static args of_rms(const void *from)
{
    const ck_rmsnorm_args *g = from;
    return (args){ { .y = g->y,
                     .rstd = g->rstd,
                     .x = g->x,
                     .gamma = g->gamma,
                     .t = g->t,
                     .d = g->d,
                     .cols = g->cols,
                     .ldy = g->ldy,
                     .ldr = g->ldr,
                     .ldx = g->ldx,
                     .eps = g->eps },
                   false };
}

static args of_layer(const void *from) { return (args){ *(const ck_layernorm_args *)from, true }; }

/* x as bf16 has it. */
static float brief(float x)
{
    const hn_dtype_info *const brain = &hn_dtypes[HN_BF16];
    return hn_short_value(brain, hn_short_bits(brain, x));
}

static float inverse_root(double variance, double eps, const fault *f)
{
    const float v = (float)(variance + (f->no_eps ? 0.0 : eps));
    float r = (float)(1.0 / sqrt((double)v));
    if (f->eps_outside) r = (float)(1.0 / (sqrt(variance) + eps));
    if (f->estimate) r = _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(v)));
    return f->rough ? r * (1.0f + 0x1p-9f) : r;
}

/* x of the row begins at element `x` of it all. */
static double variance_of(const ck_layernorm_args *g, size_t x, float mean, const fault *f,
                          bool last_row)
{
    const bool shorter = f->short_sum && g->d > 1 && (last_row || !f->last_row_only);
    double sum = 0.0;
    float squares = 0.0f;
    for (size_t j = 0; j + shorter < g->d; j++) {
        const float one = hn_element(g->x, x + j);
        const double d = (double)(one - mean);
        sum += d * d;
        if (f->short_sums) sum = (double)brief((float)sum);
        squares += one * one;
    }
    if (f->one_pass) return (double)(squares / (float)g->d - mean * mean);
    /* a float sum may overflow */
    return (double)(float)sum / (double)(f->divides_by_less && g->d > 1 ? g->d - 1 : g->d);
}

static void own_row(const args *from, size_t i, const fault *f)
{
    const ck_layernorm_args *g = &from->a;
    const size_t x = i * g->ldx, y = i * g->ldy;
    double sum = 0.0;
    for (size_t j = 0; j < g->d; j++) sum += (double)hn_element(g->x, x + j);
    const float mean = from->centred ? (float)sum / (float)g->d : 0.0f;
    const float rstd = inverse_root(variance_of(g, x, mean, f, i + 1 == g->t), (double)g->eps, f);
    for (size_t j = 0; j < g->d; j++) {
        const bool last = j > 0 && j + 1 == g->d;
        size_t k = j;
        if (f->swapped_gamma && g->d > 1 && j + 2 >= g->d) k = j + 1 == g->d ? j - 1 : j + 1;
        const float one = hn_element(g->x, x + j);
        const float at = !from->centred || (last && f->keeps_mean) ? one : one - mean;
        const float normed = f->short_normed ? brief(at * rstd) : at * rstd;
        float result = normed * (f->short_gamma ? brief(g->gamma[k]) : g->gamma[k]);
        if (g->beta && !(last && f->no_beta)) result += g->beta[j];
        hn_set_element(g->y, y + j, result);
    }
    for (size_t j = g->d; j < g->cols; j++) hn_set_element(g->y, y + j, 0.0f);
    if (g->mean) g->mean[i * g->ldr] = mean;
    if (g->rstd) g->rstd[i * g->ldr] = rstd;
    ck_layernorm_args again = *g; /* x, unless it is y by now */
    if (f->late && g->rstd)
        g->rstd[i * g->ldr] =
            inverse_root(variance_of(&again, x, mean, f, false), (double)g->eps, f);
}

/* From the last row up, so that y may be x. */
static void own_rows(args from, fault f)
{
    for (size_t i = from.a.t; i-- > 0;) own_row(&from, i, &f);
}

#define BODY(name, ...)                                                                    \
    static void rms_##name(const void *a) { own_rows(of_rms(a), (fault){ __VA_ARGS__ }); } \
    static void layer_##name(const void *a) { own_rows(of_layer(a), (fault){ __VA_ARGS__ }); }
BODY(own, 0)
BODY(no_eps, .no_eps = true)
BODY(eps_outside, .eps_outside = true)
BODY(divides_by_less, .divides_by_less = true)
BODY(short_sum, .short_sum = true)
BODY(short_last_row, .short_sum = true, .last_row_only = true)
BODY(estimate, .estimate = true)
BODY(rough, .rough = true)
BODY(swapped_gamma, .swapped_gamma = true)
BODY(short_sums, .short_sums = true)
BODY(short_normed, .short_normed = true)
BODY(short_gamma, .short_gamma = true)
BODY(late, .late = true)
#undef BODY
static void layer_one_pass(const void *a) { own_rows(of_layer(a), (fault){ .one_pass = true }); }
static void layer_no_beta(const void *a) { own_rows(of_layer(a), (fault){ .no_beta = true }); }
static void layer_keeps_mean(const void *a)
{
    own_rows(of_layer(a), (fault){ .keeps_mean = true });
}

/* --- statistics around the right kernel. */

static args of_any(const void *a)
{
    return strncmp(hn_wrapped_stem, "rms", 3) == 0 ? of_rms(a) : of_layer(a);
}

static void last_rstd(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (g.a.rstd && g.a.t > 1) g.a.rstd[(g.a.t - 1) * g.a.ldr] *= 1.0f + 0x1p-12f;
}

static void last_mean(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (g.a.mean && g.a.t > 1) g.a.mean[(g.a.t - 1) * g.a.ldr] += 1.0f;
}

static void rstd_unwritten(const void *a)
{
    const args g = of_any(a);
    float *const last = g.a.rstd ? g.a.rstd + (g.a.t - 1) * g.a.ldr : NULL;
    float before = 0.0f;
    if (last) memcpy(&before, last, sizeof before);
    hn_wrapped(a);
    if (last) memcpy(last, &before, sizeof before);
}

/* Nothing of them. */
static void statistics_stale(const void *a)
{
    const args g = of_any(a);
    ck_rmsnorm_args rms = { .t = 0 };
    ck_layernorm_args layer = g.a;
    if (g.centred) {
        layer.mean = layer.rstd = NULL;
        hn_wrapped(&layer);
    } else {
        rms = *(const ck_rmsnorm_args *)a;
        rms.rstd = NULL;
        hn_wrapped(&rms);
    }
}

/* One row more than there is. */
static void rstd_one_past(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (g.a.rstd) g.a.rstd[g.a.t * g.a.ldr] = g.a.rstd[(g.a.t - 1) * g.a.ldr];
}

static void rstd_before(const void *a)
{
    const args g = of_any(a);
    float *const first = g.a.mean ? g.a.mean : g.a.rstd;
    hn_wrapped(a);
    if (first) first[-1] = 0.0f;
}

/* As distant from each other as the rows of y. */
static void rstd_by_ldy(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (g.a.rstd && g.a.t > 1) g.a.rstd[g.a.ldy] = g.a.rstd[g.a.ldr];
}

/* Into what lies between the rows of the statistics. */
static void rstd_slack(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (g.a.rstd && g.a.t > 1 && g.a.ldr > 2) g.a.rstd[(g.a.t - 2) * g.a.ldr + 1] = 1.0f;
}

/* In the format of bf16's y: two bytes each. */
static void rstd_of_16_bits(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    for (size_t i = 0; g.a.rstd && i < g.a.t; i++) {
        const uint16_t one = hn_short_bits(&hn_dtypes[HN_BF16], g.a.rstd[i * g.a.ldr]);
        memcpy((unsigned char *)g.a.rstd + 2 * i * g.a.ldr, &one, sizeof one);
    }
}

/* Floats, but what bf16 leaves of them; in the last row. */
static void rstd_as_bf16(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    float *const last = g.a.rstd ? g.a.rstd + (g.a.t - 1) * g.a.ldr : NULL;
    if (last) *last = brief(*last);
}

/* The first of y and of rstd in each other's place. */
static void rstd_in_y(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (!g.a.rstd) return;
    const float y = hn_element(g.a.y, 0);
    hn_set_element(g.a.y, 0, g.a.rstd[0]);
    g.a.rstd[0] = y;
}

/* In the last row. */
static void mean_for_rstd(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (!g.a.rstd) return;
    const size_t last = (g.a.t - 1) * g.a.ldr;
    const float mean = g.a.mean[last];
    g.a.mean[last] = g.a.rstd[last];
    g.a.rstd[last] = mean;
}

/* Of many rows; a single row has its own bits. */
static void rstd_of_batch(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    float *const last = g.a.rstd ? g.a.rstd + (g.a.t - 1) * g.a.ldr : NULL;
    if (last && g.a.t > 1) *last = nextafterf(*last, 0.0f);
}

static int statistics_calls;

static void rstd_not_repeated(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    float *const last = g.a.rstd ? g.a.rstd + (g.a.t - 1) * g.a.ldr : NULL;
    if (last && ++statistics_calls % 2) *last = nextafterf(*last, 0.0f);
}

/* One after the other, whatever ldr says. */
static void rstd_tight(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (g.a.rstd && g.a.t > 1) g.a.rstd[1] = g.a.rstd[g.a.ldr];
}

#define ROW(what, f, ons, mode, by)                                   \
    {                                                                 \
        .name = what, .on = ons, .modes = mode, .fn = f, .checks = by \
    }
#define RMS(name, by)         ROW(#name, rms_##name, "rmsnorm_*", HN_IN_FAST, by)
#define LAYER(name, by)       ROW(#name, layer_##name, "layernorm_*", HN_IN_FAST, by)
#define BOTH(name, by)        RMS(name, by), LAYER(name, by)
#define AROUND(name, ons, by) ROW(#name, name, ons, HN_IN_BOTH, by)
#define NORMS                 "rmsnorm_* layernorm_*"
static const hn_mutant list[] = {
    BOTH(own, 0),
    BOTH(no_eps, HN_BY(VALUE) | HN_BY(NAN)),
    BOTH(eps_outside, HN_BY(VALUE) | HN_BY(NAN)),
    BOTH(divides_by_less, HN_BY(VALUE)),
    BOTH(short_sum, HN_BY(VALUE)),
    BOTH(short_last_row, HN_BY(VALUE) | HN_BY_PARTS),
    BOTH(estimate, HN_BY(VALUE)),
    BOTH(rough, HN_BY(VALUE)),
    BOTH(swapped_gamma, HN_BY(VALUE)),
    LAYER(one_pass, HN_BY(VALUE) | HN_BY(NAN)),
    LAYER(no_beta, HN_BY(VALUE)),
    LAYER(keeps_mean, HN_BY(VALUE)),
    AROUND(last_rstd, NORMS, HN_BY(VALUE)),
    AROUND(last_mean, "layernorm_*", HN_BY(VALUE)),
    AROUND(rstd_unwritten, NORMS, HN_BY(UNWRITTEN)),
    AROUND(rstd_tight, NORMS, HN_BY(SLACK) | HN_BY(VALUE) | HN_BY(GUARD)),
    BOTH(short_sums, HN_BY(VALUE)),
    BOTH(short_normed, HN_BY(VALUE)),
    BOTH(short_gamma, HN_BY(VALUE)),
    BOTH(late, HN_BY(ALIAS)),
    AROUND(statistics_stale, NORMS, HN_BY(UNWRITTEN)),
    AROUND(rstd_one_past, NORMS, HN_BY(SLACK) | HN_BY(GUARD)),
    AROUND(rstd_before, NORMS, HN_BY(SLACK) | HN_BY(GUARD)),
    AROUND(rstd_by_ldy, NORMS, HN_BY(SLACK) | HN_BY(GUARD) | HN_BY(VALUE)),
    AROUND(rstd_slack, NORMS, HN_BY(SLACK)),
    AROUND(rstd_of_16_bits, NORMS, HN_BY(VALUE) | HN_BY(SLACK) | HN_BY(NAN)),
    AROUND(rstd_as_bf16, NORMS, HN_BY(VALUE)),
    AROUND(rstd_in_y, NORMS, HN_BY(VALUE) | HN_BY(NAN)),
    AROUND(mean_for_rstd, "layernorm_*", HN_BY(VALUE) | HN_BY(NAN)),
    AROUND(rstd_of_batch, NORMS, HN_BY(VALUE) | HN_BY_PARTS),
    AROUND(rstd_not_repeated, NORMS, HN_BY(REPEAT) | HN_BY(VALUE) | HN_BY(PREFILL) | HN_BY(JUNK)),
};
#undef ROW
#undef RMS
#undef LAYER
#undef BOTH
#undef AROUND

const hn_mutants hn_mutants_norm = { list, sizeof list / sizeof list[0] };
