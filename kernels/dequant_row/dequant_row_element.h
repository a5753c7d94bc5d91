/* SPDX-License-Identifier: MIT */
/* dequant_row of formats without a scale, over the primitives of simd/: exact in every mode. */
#ifndef CK_DEQUANT_ROW_ELEMENT_H
#define CK_DEQUANT_ROW_ELEMENT_H

#include <assert.h>
#include <string.h>

#include "ck_dtype.h"
#include "kernel.h"
#include "quant.h"
#include "strict.h"

#define CK_DEQUANT_ELEMENT_SPEC(multiple)                                   \
    {                                                                       \
        .lanes = 1, .accs = 1, .ku = CK_VF_LANES, .k_multiple = (multiple), \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT,          \
    }

/* CK_VF_LANES elements. */
typedef ck_vf load_fn(const unsigned char *p);

static inline ck_vf load_int8(const unsigned char *p) { return ck_vi_to_f(ck_vi_load_s8(p)); }

/* What is left of a row goes through a buffer, so that no byte behind it is read. */
static inline void dequant_elements(const ck_dequant_args *d, size_t bytes, load_fn *load)
{
    const unsigned char *const x = d->x;
    unsigned char rest[2 * CK_VF_LANES] = { 0 };
    size_t i = 0;

    assert(bytes * CK_VF_LANES <= sizeof rest);
    for (; d->n - i >= CK_VF_LANES; i += CK_VF_LANES) ck_vf_store(d->y + i, load(x + i * bytes));
    if (i == d->n) return;
    memcpy(rest, x + i * bytes, (d->n - i) * bytes);
    ck_vf_store_n(d->y + i, load(rest), d->n - i);
}

static inline void dequant_row_f16(const void *args)
{
    dequant_elements(args, CK_F16_BYTES, ck_vf_load_half);
}
static inline void dequant_row_bf16(const void *args)
{
    dequant_elements(args, CK_BF16_BYTES, ck_vf_load_brain);
}
static inline void dequant_row_int8(const void *args)
{
    dequant_elements(args, CK_INT8_BYTES, load_int8);
}

/* By 32 elements, as int8. */
static inline void dequant_row_int4(const void *args)
{
    enum { STEP = 32 };
    const ck_dequant_args *const d = args;
    const unsigned char *x = d->x;

    assert(d->n % CK_INT4_BLOCK == 0);
    for (size_t i = 0; i < d->n; i += STEP, x += STEP / 2) {
        const size_t n = d->n - i < STEP ? d->n - i : STEP;
        unsigned char q[STEP];
        for (size_t k = 0; k < n / 2; k++) {
            q[2 * k] = (unsigned char)(((x[k] & 15) ^ 8) - 8);
            q[2 * k + 1] = (unsigned char)(((x[k] >> 4) ^ 8) - 8);
        }
        dequant_elements(&(ck_dequant_args){ d->y + i, q, n }, 1, load_int8);
    }
}

#endif
