/* SPDX-License-Identifier: MIT */
/* The text of kv_write, compiled once per format and ISA, after simd/<isa>.h. */
#ifndef CK_KV_WRITE_H
#define CK_KV_WRITE_H

#include <assert.h>
#include <string.h>

#include "copy_f32.h"
#include "kv.h"
#include "quantize_row/quantize_row_element.h"

#define CK_KV_WRITE_SPEC                                           \
    {                                                              \
        .lanes = 0, /* sums nothing */                             \
            .accs = 1, .ku = CK_VF_LANES,                          \
        .flags = CK_NUM_BATCH_INVARIANT | CK_NUM_THREAD_INVARIANT, \
    }

/* n elements. */
typedef void kv_row_fn(void *y, const float *x, size_t n);

static inline void kv_row_f32(void *y, const float *x, size_t n) { copy_f32(y, x, n); }

static inline void kv_row_f16(void *y, const float *x, size_t n)
{
    quantize_row_f16(&(ck_quantize_args){ y, x, n });
}

static inline void kv_row_bf16(void *y, const float *x, size_t n)
{
    quantize_row_bf16(&(ck_quantize_args){ y, x, n });
}

static inline void kv_tensor(const ck_kv_args *a, unsigned char *cache, const float *x,
                             size_t bytes, kv_row_fn *row)
{
    for (size_t g = 0; g < a->kv_heads; g++)
        for (size_t i = 0; i < a->t; i++) {
            unsigned char *y = cache + (g * a->head_y + (a->position + i) * a->ldy) * bytes;
            row(y, x + g * a->head_x + i * a->ldx, a->d);
            memset(y + a->d * bytes, 0, (a->cols - a->d) * bytes);
        }
}

static inline void kv_write(const void *args, size_t bytes, kv_row_fn *row)
{
    const ck_kv_args *a = args;
    assert(a->position + a->t <= a->room && a->cols >= a->d && a->ldy >= a->cols && a->ldx >= a->d);
    kv_tensor(a, a->k_cache, a->k, bytes, row);
    kv_tensor(a, a->v_cache, a->v, bytes, row);
}

static inline void kv_write_f32(const void *args) { kv_write(args, CK_F32_BYTES, kv_row_f32); }
static inline void kv_write_f16(const void *args) { kv_write(args, CK_F16_BYTES, kv_row_f16); }
static inline void kv_write_bf16(const void *args) { kv_write(args, CK_BF16_BYTES, kv_row_bf16); }

#endif
