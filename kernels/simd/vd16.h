/* SPDX-License-Identifier: MIT */
/* The 16 double lanes of strict mode, made of whatever doubles the bundle has. */
#ifndef CK_VD16_H
#define CK_VD16_H

enum { CK_VD16_REGS = 16 / CK_VD_LANES };
typedef struct ck_vd16 {
    ck_vd r[CK_VD16_REGS]; /* lane l of 16 is lane l % CK_VD_LANES of r[l / CK_VD_LANES] */
} ck_vd16;

static inline ck_vd16 ck_vd16_set1(double x)
{
    ck_vd16 y;
    for (size_t i = 0; i < CK_VD16_REGS; i++) y.r[i] = ck_vd_set1(x);
    return y;
}

static inline ck_vd16 ck_vd16_load(const float *p)
{
    ck_vd16 y;
    for (size_t i = 0; i < CK_VD16_REGS; i++) y.r[i] = ck_vd_load(p + i * CK_VD_LANES);
    return y;
}

/* How many of the n < 16 elements register i has. */
static inline size_t ck_vd16_part(size_t n, size_t i)
{
    const size_t before = i * CK_VD_LANES;
    const size_t part = n > before ? n - before : 0;
    return part < CK_VD_LANES ? part : CK_VD_LANES;
}

/* Touches p[0..n) and no other byte; the other lanes read as `rest`. */
static inline ck_vd16 ck_vd16_load_n(const float *p, size_t n, float rest)
{
    ck_vd16 y = ck_vd16_set1((double)rest);
    for (size_t i = 0; i * CK_VD_LANES < n; i++)
        y.r[i] = ck_vd_load_n(p + i * CK_VD_LANES, ck_vd16_part(n, i), rest);
    return y;
}

static inline void ck_vd16_store(float *p, ck_vd16 x)
{
    for (size_t i = 0; i < CK_VD16_REGS; i++) ck_vd_store(p + i * CK_VD_LANES, x.r[i]);
}

static inline void ck_vd16_store_n(float *p, ck_vd16 x, size_t n)
{
    for (size_t i = 0; i * CK_VD_LANES < n; i++)
        ck_vd_store_n(p + i * CK_VD_LANES, x.r[i], ck_vd16_part(n, i));
}

static inline ck_vd16 ck_vd16_add(ck_vd16 a, ck_vd16 b)
{
    for (size_t i = 0; i < CK_VD16_REGS; i++) a.r[i] = ck_vd_add(a.r[i], b.r[i]);
    return a;
}

static inline ck_vd16 ck_vd16_sub(ck_vd16 a, ck_vd16 b)
{
    for (size_t i = 0; i < CK_VD16_REGS; i++) a.r[i] = ck_vd_sub(a.r[i], b.r[i]);
    return a;
}

static inline ck_vd16 ck_vd16_mul(ck_vd16 a, ck_vd16 b)
{
    for (size_t i = 0; i < CK_VD16_REGS; i++) a.r[i] = ck_vd_mul(a.r[i], b.r[i]);
    return a;
}

static inline ck_vd16 ck_vd16_div(ck_vd16 a, ck_vd16 b)
{
    for (size_t i = 0; i < CK_VD16_REGS; i++) a.r[i] = ck_vd_div(a.r[i], b.r[i]);
    return a;
}

/* The strict tree: s[l] += s[l + h] for h = 8, 4, 2, 1. */
static inline double ck_vd16_sum(ck_vd16 x)
{
    for (size_t h = CK_VD16_REGS / 2; h > 0; h /= 2)
        for (size_t i = 0; i < h; i++) x.r[i] = ck_vd_add(x.r[i], x.r[i + h]);
    return ck_vd_sum(x.r[0]);
}

/* sum x[i] y[i], terms i to lane i mod 16, the tail to its own; products of floats are exact. */
static inline double ck_vd16_dot(const float *x, const float *y, size_t n)
{
    ck_vd16 acc = ck_vd16_set1(0.0);
    size_t i = 0;
    for (; n - i >= 16; i += 16)
        acc = ck_vd16_add(acc, ck_vd16_mul(ck_vd16_load(x + i), ck_vd16_load(y + i)));
    if (i < n) {
        const ck_vd16 tail = ck_vd16_load_n(x + i, n - i, 0.0f);
        acc = ck_vd16_add(acc, ck_vd16_mul(tail, ck_vd16_load_n(y + i, n - i, 0.0f)));
    }
    return ck_vd16_sum(acc);
}

#endif
