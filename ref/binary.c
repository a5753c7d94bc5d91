/* SPDX-License-Identifier: MIT */
/* References of residual_add and swiglu. */
#include "gate.h"
#include "rounding.h"

ref_fn ref_residual_add_f32, ref_residual_add_bf16, ref_residual_add_f16;
ref_fn ref_swiglu_f32, ref_swiglu_bf16, ref_swiglu_f16;

typedef ref_range function(const ref_arith *k, float a, float b);

/* +0 in the pad lanes. A fault is compared with the operand that is summed, or with the result. */
static void each(const ref_binary_args *g, const ref_number *format, const ref_tile *tile,
                 const ref_spec *specs, size_t nspecs, ref_out *out, function *f, int sum)
{
    for (size_t i = 0; i < tile->rows * tile->cols; i++) {
        const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
        if (col >= g->d) {
            ref_put_all(out, nspecs, i, 0);
            continue;
        }
        const float a = ref_number_at(format, g->a, row * g->lda + col);
        const float b = ref_number_at(format, g->b, row * g->ldb + col);
        for (size_t s = 0; s < nspecs; s++) {
            ref_arith k = ref_arith_of(&specs[s]);
            k.ones = 1;
            ref_range y = f(&k, a, b);
            k.ones = 0;
            if (!ref_sure(y)) y = f(&k, a, b);
            ref_put(out, s, i, ref_stored_as(format, &k, y));
        }
        ref_put_result_term(out, nspecs, i);
        const double sizes = fabs((double)a) + fabs((double)b);
        if (sum) out->term[i] = isfinite(sizes) ? sizes : 0;
    }
}

static ref_range residual_add(const ref_arith *k, float a, float b)
{
    return ref_step_add(k, ref_range_of(a), ref_range_of(b));
}

static ref_range swiglu(const ref_arith *k, float gate, float up)
{
    return ref_step_mul(k, ref_step_silu(k, gate), ref_range_of(up));
}

#define BINARY(op, dtype, sum)                                                             \
    void ref_##op##_##dtype(const void *args, const ref_tile *tile, const ref_spec *specs, \
                            size_t nspecs, ref_out *out)                                   \
    {                                                                                      \
        each(args, &ref_number_##dtype, tile, specs, nspecs, out, op, sum);                \
    }

/* y = a + b, one sum. Source: kernels.def. */
BINARY(residual_add, f32, 1)
BINARY(residual_add, bf16, 1)
BINARY(residual_add, f16, 1)

/* y = silu(a) b. Source: kernels.def; docs/oracle.md, "elementwise functions". */
BINARY(swiglu, f32, 0)
BINARY(swiglu, bf16, 0)
BINARY(swiglu, f16, 0)
#undef BINARY
