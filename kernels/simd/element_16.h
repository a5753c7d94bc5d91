/* SPDX-License-Identifier: MIT */
/* Elements of 16 bits: widening is exact, results are rounded to nearest even in every mode, and a NaN
 * becomes the one that is positive and quiet without more. */
#ifndef CK_ELEMENT_16_H
#define CK_ELEMENT_16_H

#include "simd/element.h"
#include "strict.h"

/* What is left of a row goes through a buffer, so that no byte behind it is touched. */
#define ELEMENT_16(name, primitive)                                                    \
    CK_INLINE ck_vf element_load_##name(const unsigned char *p)                        \
    {                                                                                  \
        return ck_vf_load_##primitive(p);                                              \
    }                                                                                  \
    CK_INLINE ck_vf element_load_n_##name(const unsigned char *p, size_t n)            \
    {                                                                                  \
        unsigned char rest[2 * CK_VF_LANES] = { 0 };                                   \
        memcpy(rest, p, 2 * n);                                                        \
        return ck_vf_load_##primitive(rest);                                           \
    }                                                                                  \
    CK_INLINE void element_store_##name(unsigned char *p, ck_vf x)                     \
    {                                                                                  \
        ck_vf_store_##primitive(p, ck_vf_one_nan(x));                                  \
    }                                                                                  \
    CK_INLINE void element_store_n_##name(unsigned char *p, ck_vf x, size_t n)         \
    {                                                                                  \
        unsigned char rest[2 * CK_VF_LANES];                                           \
        ck_vf_store_##primitive(rest, ck_vf_one_nan(x));                               \
        memcpy(p, rest, 2 * n);                                                        \
    }                                                                                  \
    CK_INLINE ck_vd16 element_load_d_##name(const unsigned char *p, size_t n)          \
    {                                                                                  \
        unsigned char rest[32] = { 0 };                                                \
        float x[16];                                                                   \
        memcpy(rest, p, n < 16 ? 2 * n : 32);                                          \
        for (size_t i = 0; i < 16; i += CK_VF_LANES)                                   \
            ck_vf_store(x + i, ck_vf_load_##primitive(rest + 2 * i));                  \
        return ck_vd16_load(x);                                                        \
    }                                                                                  \
    CK_INLINE void element_store_d_##name(unsigned char *p, ck_vd16 x, size_t n)       \
    {                                                                                  \
        unsigned char rest[32];                                                        \
        float odd[16];                                                                 \
        element_odd(odd, &x);                                                          \
        for (size_t i = 0; i < 16; i += CK_VF_LANES)                                   \
            ck_vf_store_##primitive(rest + 2 * i, ck_vf_one_nan(ck_vf_load(odd + i))); \
        memcpy(p, rest, n < 16 ? 2 * n : 32);                                          \
    }                                                                                  \
    static const ck_element element_##name = { 2,                                      \
                                               element_load_##name,                    \
                                               element_load_n_##name,                  \
                                               element_store_##name,                   \
                                               element_store_n_##name,                 \
                                               element_load_d_##name,                  \
                                               element_store_d_##name };

/* The floats that are rounded to 16 bits as the doubles would be. */
CK_INLINE void element_odd(float *odd, const ck_vd16 *x)
{
    double v[16];
    _Static_assert(sizeof v == sizeof *x, "lanes lie in order");
    memcpy(v, x, sizeof v);
    for (size_t i = 0; i < 16; i++) odd[i] = ck_strict_odd(v[i]);
}

ELEMENT_16(f16, half)
ELEMENT_16(bf16, brain)
#undef ELEMENT_16

#endif
