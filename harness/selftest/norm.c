/* SPDX-License-Identifier: MIT */
/* Mutants of rmsnorm_f32 and layernorm_f32: a body in double, so that only the fault can be caught. */
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

static float inverse_root(double variance, double eps, const fault *f)
{
    const float v = (float)(variance + (f->no_eps ? 0.0 : eps));
    float r = (float)(1.0 / sqrt((double)v));
    if (f->eps_outside) r = (float)(1.0 / (sqrt(variance) + eps));
    if (f->estimate) r = _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(v)));
    return f->rough ? r * (1.0f + 0x1p-9f) : r;
}

static double variance_of(const ck_layernorm_args *g, const float *x, float mean, const fault *f,
                          bool last_row)
{
    const bool shorter = f->short_sum && g->d > 1 && (last_row || !f->last_row_only);
    double sum = 0.0;
    float squares = 0.0f;
    for (size_t j = 0; j + shorter < g->d; j++) {
        const double d = (double)(x[j] - mean);
        sum += d * d;
        squares += x[j] * x[j];
    }
    if (f->one_pass) return (double)(squares / (float)g->d - mean * mean);
    /* a float sum may overflow */
    return (double)(float)sum / (double)(f->divides_by_less && g->d > 1 ? g->d - 1 : g->d);
}

static void own_row(const args *from, size_t i, const fault *f)
{
    const ck_layernorm_args *g = &from->a;
    const float *x = g->x + i * g->ldx;
    float *y = g->y + i * g->ldy;
    double sum = 0.0;
    for (size_t j = 0; j < g->d; j++) sum += (double)x[j];
    const float mean = from->centred ? (float)sum / (float)g->d : 0.0f;
    const float rstd = inverse_root(variance_of(g, x, mean, f, i + 1 == g->t), (double)g->eps, f);
    for (size_t j = 0; j < g->d; j++) {
        const bool last = j > 0 && j + 1 == g->d;
        size_t k = j;
        if (f->swapped_gamma && g->d > 1 && j + 2 >= g->d) k = j + 1 == g->d ? j - 1 : j + 1;
        const float at = !from->centred || (last && f->keeps_mean) ? x[j] : x[j] - mean;
        y[j] = at * rstd * g->gamma[k];
        if (g->beta && !(last && f->no_beta)) y[j] += g->beta[j];
    }
    for (size_t j = g->d; j < g->cols; j++) y[j] = 0.0f;
    if (g->mean) g->mean[i * g->ldr] = mean;
    if (g->rstd) g->rstd[i * g->ldr] = rstd;
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
#undef BODY
static void layer_one_pass(const void *a) { own_rows(of_layer(a), (fault){ .one_pass = true }); }
static void layer_no_beta(const void *a) { own_rows(of_layer(a), (fault){ .no_beta = true }); }
static void layer_keeps_mean(const void *a)
{
    own_rows(of_layer(a), (fault){ .keeps_mean = true });
}

/* --- pads and statistics around the right kernel. */

static float *last_pad(const args *g)
{
    return g->a.cols > g->a.d ? g->a.y + (g->a.t - 1) * g->a.ldy + g->a.cols - 1 : NULL;
}

static args of_any(const void *a)
{
    return strncmp(hn_wrapped_stem, "rms", 3) == 0 ? of_rms(a) : of_layer(a);
}

static void pad_unwritten(const void *a)
{
    const args g = of_any(a);
    float *const pad = last_pad(&g), before = pad ? *pad : 0.0f;
    hn_wrapped(a);
    if (pad) memcpy(pad, &before, sizeof before);
}

static void pad_minus_zero(const void *a)
{
    const args g = of_any(a);
    hn_wrapped(a);
    if (last_pad(&g)) *last_pad(&g) = -0.0f;
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
#define RMS(name, by)         ROW(#name, rms_##name, "rmsnorm_f32", HN_IN_FAST, by)
#define LAYER(name, by)       ROW(#name, layer_##name, "layernorm_f32", HN_IN_FAST, by)
#define BOTH(name, by)        RMS(name, by), LAYER(name, by)
#define AROUND(name, ons, by) ROW(#name, name, ons, HN_IN_BOTH, by)
#define NORMS                 "rmsnorm_f32 layernorm_f32"
static const hn_mutant list[] = {
    BOTH(own, 0),
    BOTH(no_eps, HN_BY(VALUE) | HN_BY(NAN)),
    BOTH(eps_outside, HN_BY(VALUE) | HN_BY(NAN)),
    BOTH(divides_by_less, HN_BY(VALUE)),
    BOTH(short_sum, HN_BY(VALUE)),
    BOTH(short_last_row, HN_BY(VALUE) | HN_BY(BATCH)),
    BOTH(estimate, HN_BY(VALUE)),
    BOTH(rough, HN_BY(VALUE)),
    BOTH(swapped_gamma, HN_BY(VALUE)),
    LAYER(one_pass, HN_BY(VALUE) | HN_BY(NAN)),
    LAYER(no_beta, HN_BY(VALUE)),
    LAYER(keeps_mean, HN_BY(VALUE)),
    AROUND(pad_unwritten, NORMS, HN_BY(UNWRITTEN)),
    AROUND(pad_minus_zero, NORMS, HN_BY(VALUE)),
    AROUND(last_rstd, NORMS, HN_BY(VALUE)),
    AROUND(last_mean, "layernorm_f32", HN_BY(VALUE)),
    AROUND(rstd_unwritten, NORMS, HN_BY(UNWRITTEN)),
    AROUND(rstd_tight, NORMS, HN_BY(SLACK) | HN_BY(VALUE) | HN_BY(GUARD)),
};
#undef ROW
#undef RMS
#undef LAYER
#undef BOTH
#undef AROUND

const hn_mutants hn_mutants_norm = { list, sizeof list / sizeof list[0] };
