/* SPDX-License-Identifier: MIT */
/* The formats that matrices of a runtime may be in, by docs/formats.md and docs/codegen.md and not by the
 * generator's tables, with the references of what is done with them. */
#ifndef HN_RUNTIME_FORMAT_H
#define HN_RUNTIME_FORMAT_H

#include "../dtype.h"
#include "ck_dtype.h"
#include "decode.h"
#include "ref.h"

/* In the order of the words that a case names them by, f32 first. */
enum { HN_RT_FORMATS = 11 };
typedef struct hn_rt_format {
    const char *name;
    ck_dtype code;                   /* in tables of programs */
    size_t elements, bytes;          /* of a block; a halfword or float is one */
    const char *product, *embedding; /* the ops' stems */
    ref_fn *ref_product, *ref_embedding;
    const char *write, *attention; /* likewise of a cache; NULL: none is in that format */
    ref_fn *ref_write, *ref_attention;
    ref_fn *quantize;      /* NULL: f32 */
    ref_decode_fn *decode; /* NULL: f32 */
    hn_dtype parts;        /* how the quantiser's components are packed */
} hn_rt_format;
extern const hn_rt_format hn_rt_formats[HN_RT_FORMATS];

/* What rows of n elements are in if a format is asked for all matrices: that one if n is whole blocks of
 * it; else q5_0 for q4_k, q8_0 for q5_k and q6_k; else f32. */
const hn_rt_format *hn_rt_format_fit(const hn_rt_format *asked, size_t n);

size_t hn_rt_row_bytes(const hn_rt_format *f, size_t n);
/* n elements, whole blocks, by the references. */
void hn_rt_encode(const hn_rt_format *f, const float *x, size_t n, unsigned char *blocks);
void hn_rt_decode(const hn_rt_format *f, const unsigned char *blocks, size_t n, float *x);

#endif
