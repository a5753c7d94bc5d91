/* SPDX-License-Identifier: MIT */
/* Elements of a row as vectors, whatever their format, over the primitives of simd/<isa>.h. A text that
 * is written once for several formats takes a ck_element that is a constant where it is inlined. */
#ifndef CK_ELEMENT_H
#define CK_ELEMENT_H

#include <stddef.h>
#include <string.h>

#define CK_INLINE __attribute__((always_inline)) static inline

/* No byte beyond the elements is touched; what is not there reads as 0.
 *   load, store       CK_VF_LANES elements
 *   load_n, store_n   1 <= n <= CK_VF_LANES
 *   load_d, store_d   the first 16 of n >= 1 elements in double; one rounding, NaN as strict mode has it */
typedef struct ck_element {
    size_t bytes;
    ck_vf (*load)(const unsigned char *p);
    ck_vf (*load_n)(const unsigned char *p, size_t n);
    void (*store)(unsigned char *p, ck_vf x);
    void (*store_n)(unsigned char *p, ck_vf x, size_t n);
    ck_vd16 (*load_d)(const unsigned char *p, size_t n);
    void (*store_d)(unsigned char *p, ck_vd16 x, size_t n);
} ck_element;

CK_INLINE ck_vf element_load_f32(const unsigned char *p)
{
    const void *const floats = p;
    return ck_vf_load(floats);
}

CK_INLINE ck_vf element_load_n_f32(const unsigned char *p, size_t n)
{
    const void *const floats = p;
    return ck_vf_load_n(floats, n, 0.0f);
}

CK_INLINE void element_store_f32(unsigned char *p, ck_vf x)
{
    void *const floats = p;
    ck_vf_store(floats, x);
}

CK_INLINE void element_store_n_f32(unsigned char *p, ck_vf x, size_t n)
{
    void *const floats = p;
    ck_vf_store_n(floats, x, n);
}

CK_INLINE ck_vd16 element_load_d_f32(const unsigned char *p, size_t n)
{
    const void *const floats = p;
    return n < 16 ? ck_vd16_load_n(floats, n, 0.0f) : ck_vd16_load(floats);
}

CK_INLINE void element_store_d_f32(unsigned char *p, ck_vd16 x, size_t n)
{
    void *const floats = p;
    if (n < 16)
        ck_vd16_store_n(floats, x, n);
    else
        ck_vd16_store(floats, x);
}

static const ck_element element_f32 = { sizeof(float),      element_load_f32,    element_load_n_f32,
                                        element_store_f32,  element_store_n_f32, element_load_d_f32,
                                        element_store_d_f32 };

#endif
