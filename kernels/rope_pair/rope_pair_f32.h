/* SPDX-License-Identifier: MIT */
/* The text of rope_pair_f32, compiled once per ISA, after simd/<isa>.h. */
#ifndef CK_ROPE_PAIR_F32_H
#define CK_ROPE_PAIR_F32_H

#include "rope_f32.h"

/* n elements, n even, as (x, its neighbour) times (cos, cos) and (-sin, sin). Neighbours and angles go
 * through memory: one lane has no neighbour. y may be x. */
static inline void rope_pair_some(float *y, const float *x, const float *c, const float *s,
                                  size_t n)
{
    enum { PART = CK_VF_LANES < 2 ? 2 : CK_VF_LANES };
    float neighbour[PART], cosine[PART], sine[PART];
    for (size_t l = 0; l < n; l += 2) {
        neighbour[l] = x[l + 1];
        neighbour[l + 1] = x[l];
        cosine[l] = cosine[l + 1] = c[l / 2];
        sine[l] = -s[l / 2];
        sine[l + 1] = s[l / 2];
    }
    for (size_t l = 0; l < n; l += CK_VF_LANES) {
        const size_t some = n - l < CK_VF_LANES ? n - l : CK_VF_LANES;
        const ck_vf a = ck_vf_load_n(x + l, some, 0.0f),
                    b = ck_vf_load_n(neighbour + l, some, 0.0f);
        const ck_vf turned = ck_vf_mul(b, ck_vf_load_n(sine + l, some, 0.0f));
        ck_vf_store_n(y + l, ck_vf_muladd(a, ck_vf_load_n(cosine + l, some, 0.0f), turned), some);
    }
}

static inline void rope_pair_row(float *y, const float *x, const float *c, const float *s,
                                 size_t half)
{
    enum { PART = CK_VF_LANES < 2 ? 2 : CK_VF_LANES };
    for (size_t l = 0; l < 2 * half; l += PART)
        rope_pair_some(y + l, x + l, c + l / 2, s + l / 2,
                       2 * half - l < PART ? 2 * half - l : PART);
}

static inline void rope_pair_some_strict(float *y, const float *x, const float *c, const float *s,
                                         size_t n)
{
    enum { PART = CK_VD_LANES < 2 ? 2 : CK_VD_LANES };
    float neighbour[PART], cosine[PART], sine[PART];
    for (size_t l = 0; l < n; l += 2) {
        neighbour[l] = x[l + 1];
        neighbour[l + 1] = x[l];
        cosine[l] = cosine[l + 1] = c[l / 2];
        sine[l] = -s[l / 2];
        sine[l + 1] = s[l / 2];
    }
    for (size_t l = 0; l < n; l += CK_VD_LANES) {
        const size_t some = n - l < CK_VD_LANES ? n - l : CK_VD_LANES;
        const ck_vd a = ck_vd_load_n(x + l, some, 0.0f),
                    b = ck_vd_load_n(neighbour + l, some, 0.0f);
        const ck_vd turned = ck_vd_mul(b, ck_vd_load_n(sine + l, some, 0.0f));
        const ck_vd kept = ck_vd_mul(a, ck_vd_load_n(cosine + l, some, 0.0f));
        ck_vd_store_n(y + l, ck_vd_add(kept, turned), some);
    }
}

static inline void rope_pair_row_strict(float *y, const float *x, const float *c, const float *s,
                                        size_t half)
{
    enum { PART = CK_VD_LANES < 2 ? 2 : CK_VD_LANES };
    for (size_t l = 0; l < 2 * half; l += PART)
        rope_pair_some_strict(y + l, x + l, c + l / 2, s + l / 2,
                              2 * half - l < PART ? 2 * half - l : PART);
}

static inline void rope_pair_f32(const void *args) { rope_rows(args, rope_pair_row); }
static inline void rope_pair_f32_strict(const void *args) { rope_rows(args, rope_pair_row_strict); }

#endif
