/* SPDX-License-Identifier: MIT */
/* References of sigmoid, SiLU, the GELUs and ReLU. */
#include "gate.h"

ref_fn ref_sigmoid_f32, ref_silu_f32, ref_gelu_tanh_f32, ref_gelu_erf_f32, ref_relu_f32;

typedef ref_range function(const ref_arith *k, float x);

/* A fault is compared with the result, and with what the result is a share of. */
static void each(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                 ref_out *out, function *f)
{
    const float *in = ((const ref_unary_args *)args)->x;
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const float x = in[tile->c0 + i % tile->cols];
        for (size_t s = 0; s < nspecs; s++) {
            ref_arith k = ref_arith_of(&specs[s]);
            k.ones = 1;
            ref_range y = f(&k, x);
            k.ones = 0;
            if (!ref_sure(y)) y = f(&k, x);
            ref_put(out, s, i, ref_stored(&k, y));
        }
        ref_put_result_term(out, nspecs, i);
    }
}

static ref_range sigmoid(const ref_arith *k, float x)
{
    if (isinf(x)) return ref_point(x > 0);
    return ref_step_gated(k, ref_point(1), ref_range_of(x));
}

static ref_range silu(const ref_arith *k, float x) { return ref_step_silu(k, x); }

static ref_range relu(const ref_arith *k, float x)
{
    (void)k;
    return x < 0 ? ref_point(0) : ref_range_of(x);
}

/* A constant that is rounded to a float. */
static ref_range constant(const ref_arith *k, double c)
{
    return (ref_range){ REF_FINITE,
                        ref_round(k->spec->strict ? REF_UD : 0x1p-24, 0, ref_exact(c)) };
}

/* w = 2 sqrt(2 / pi) (x + 0.044715 x^3) = x (a + b x^2). */
static ref_range gelu_tanh(const ref_arith *k, float x)
{
    const double linear = 2 * sqrt(0.63661977236758134308), cubic = linear * 0.044715;
    const ref_range r = ref_range_of(x), a = constant(k, linear), b = constant(k, cubic);
    if (isnan(x)) return r;
    if (isinf(x)) return x > 0 ? r : ref_point(-0.0);
    const ref_range w = ref_step_mul(k, r, ref_step_muladd(k, b, ref_step_mul(k, r, r), a));
    return ref_step_gated(k, r, w);
}

/* libm's erfc is good to 5 ulp of double; the strict tail, whose series loses a factor of 80 at most, is
 * taken to be to 2^-45. */
static const double erfc_own = 10 * REF_UD, tail_strict = 0x1p-45;

/* P(X > |x|), relative error: the exponential's at its rounded argument -x^2 / 2, and rerf u. */
static ref_range tail_of(const ref_arith *k, float x)
{
    const ref_range a = ref_range_of(fabsf(x));
    const ref_range half = ref_step_mul(k, ref_point(-0.5), a), exponent = ref_step_mul(k, half, a);
    const ref_range e = ref_step_exp(k, exponent);
    const double v = erfc(fabs((double)x) * 0.70710678118654752440) / 2;
    const double r = k->spec->strict ? tail_strict : k->spec->num->rerf * k->fp.u;
    if (!ref_only(e, REF_FINITE)) return ref_any();
    if (ref_sure(e) && e.b.v == 0) return ref_point(0);
    ref_ball y = { v, e.b.v > 0 ? v * (e.b.e / e.b.v) * (1 + r) + v * r : v };
    y.e += v * (erfc_own + 8 * REF_UD);
    if (v - y.e < REF_MIN_NORMAL) y.e += 2 * k->fp.eta;
    y.e *= REF_SLACK;
    return (ref_range){ REF_FINITE, y };
}

/* x tail for x < 0, x (1 - tail) else. */
static ref_range gelu_erf(const ref_arith *k, float x)
{
    const ref_range r = ref_range_of(x);
    if (isnan(x)) return r;
    if (isinf(x)) return x > 0 ? r : ref_point(-0.0);
    const ref_range tail = tail_of(k, x);
    if (x < 0) return ref_step_mul(k, r, tail);
    const int whole =
        k->ones && !k->spec->strict && !k->directed && tail.b.v + tail.b.e < k->fp.u / 2;
    return ref_step_mul(k, r, whole ? ref_point(1) : ref_step_sub(k, ref_point(1), tail));
}

#define REF(name)                                                                        \
    void ref_##name##_f32(const void *args, const ref_tile *tile, const ref_spec *specs, \
                          size_t nspecs, ref_out *out)                                   \
    {                                                                                    \
        each(args, tile, specs, nspecs, out, name);                                      \
    }
/* Each operation by itself: 1 + exp(-w), then the quotient. Source: kernels.def; docs/oracle.md,
 * "elementwise functions". */
REF(sigmoid)
REF(silu)
REF(gelu_tanh)
REF(gelu_erf)
REF(relu)
#undef REF
