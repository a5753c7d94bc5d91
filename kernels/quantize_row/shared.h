/* SPDX-License-Identifier: MIT */
/* Extremes and codes of a block, for the quantisers whose text is over the primitives of simd/. Counts
 * of elements are multiples of CK_VF_LANES. */
#ifndef CK_QUANTIZE_ROW_SHARED_H
#define CK_QUANTIZE_ROW_SHARED_H

/* x * 0 is a NaN for NaN and infinity only. */
static inline int all_finite(const float *x, int n)
{
    ck_vf bad = ck_vf_set1(0.0f);

    for (int e = 0; e < n; e += CK_VF_LANES)
        bad = ck_vf_add(bad, ck_vf_mul(ck_vf_load(x + e), ck_vf_set1(0.0f)));
    return ck_vf_sum(bad) == 0.0f;
}

/* Of finite elements. Which zero comes out of several is not promised. */
static inline void extremes(float *most, float *least, const float *x, int n)
{
    ck_vf high = ck_vf_load(x), low = high;

    for (int e = CK_VF_LANES; e < n; e += CK_VF_LANES) {
        high = ck_vf_max(high, ck_vf_load(x + e));
        low = ck_vf_min(low, ck_vf_load(x + e));
    }
    *most = ck_vf_hmax(high);
    *least = -ck_vf_hmax(ck_vf_sub(ck_vf_set1(0.0f), low));
}

/* The element of the greatest magnitude, the first of them. */
static inline float signed_most(const float *x, int n)
{
    float high, low;

    extremes(&high, &low, x, n);
    if (high != -low) return high > -low ? high : low;
    while (*x != high && *x != low) x++;
    return *x;
}

/* q[i] = RNE(x[i] * inverse) + zero. */
static inline void codes(unsigned char *q, const float *x, int n, float inverse, int zero)
{
    for (int e = 0; e < n; e += CK_VF_LANES) {
        const ck_vf t = ck_vf_mul(ck_vf_load(x + e), ck_vf_set1(inverse));
        ck_vi_store_8(q + e, ck_vi_add(ck_vi_nearest(t), zero));
    }
}

#endif
