/* SPDX-License-Identifier: MIT */
/* quantize_row of formats without a scale, over the primitives of simd/: one rounding to nearest even,
 * whatever the caller's mode. */
#ifndef CK_QUANTIZE_ROW_ELEMENT_H
#define CK_QUANTIZE_ROW_ELEMENT_H

#include <assert.h>
#include <string.h>

#include "ck_dtype.h"
#include "kernel.h"
#include "quant.h"
#include "strict.h"

#define CK_QUANTIZE_ELEMENT_SPEC(multiple)                                  \
    {                                                                       \
        .lanes = 1, .accs = 1, .ku = CK_VF_LANES, .k_multiple = (multiple), \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,          \
    }

/* CK_VF_LANES elements. */
typedef void store_fn(unsigned char *p, ck_vf x);

/* To -limit - 1 .. limit; a NaN, which equals nothing, to 0. */
static inline void store_integers(unsigned char *p, ck_vf x, float limit)
{
    const ck_vf number = ck_vf_if_nan(x, ck_vf_set1(0.0f));
    const ck_vf low = ck_vf_max(number, ck_vf_set1(-limit - 1.0f));

    ck_vi_store_8(p, ck_vi_nearest(ck_vf_min(low, ck_vf_set1(limit))));
}

static inline void store_int8(unsigned char *p, ck_vf x) { store_integers(p, x, 127.0f); }
static inline void store_int4(unsigned char *p, ck_vf x) { store_integers(p, x, 7.0f); }

/* What is left of a row goes through a buffer, so that no byte behind it is written. */
static inline void quantize_elements(const ck_quantize_args *q, size_t bytes, store_fn *store)
{
    unsigned char *const y = q->y, rest[2 * CK_VF_LANES];
    size_t i = 0;

    assert(bytes * CK_VF_LANES <= sizeof rest);
    for (; q->n - i >= CK_VF_LANES; i += CK_VF_LANES) store(y + i * bytes, ck_vf_load(q->x + i));
    if (i == q->n) return;
    store(rest, ck_vf_load_n(q->x + i, q->n - i, 0.0f));
    memcpy(y + i * bytes, rest, (q->n - i) * bytes);
}

static inline void quantize_row_f16(const void *args)
{
    quantize_elements(args, CK_F16_BYTES, ck_vf_store_half);
}
static inline void quantize_row_bf16(const void *args)
{
    quantize_elements(args, CK_BF16_BYTES, ck_vf_store_brain);
}
static inline void quantize_row_int8(const void *args)
{
    quantize_elements(args, CK_INT8_BYTES, store_int8);
}

/* By 32 elements, as int8 within -8..7. */
static inline void quantize_row_int4(const void *args)
{
    enum { STEP = 32 };
    const ck_quantize_args *const a = args;
    unsigned char *y = a->y;

    assert(a->n % CK_INT4_BLOCK == 0);
    for (size_t i = 0; i < a->n; i += STEP, y += STEP / 2) {
        const size_t n = a->n - i < STEP ? a->n - i : STEP;
        unsigned char q[STEP];
        quantize_elements(&(ck_quantize_args){ q, a->x + i, n }, 1, store_int4);
        for (size_t k = 0; k < n / 2; k++)
            y[k] = (unsigned char)((q[2 * k] & 15) | q[2 * k + 1] << 4);
    }
}

#endif
