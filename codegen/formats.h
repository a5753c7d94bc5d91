/* SPDX-License-Identifier: MIT */
/* The formats of weights and of the cache: which are permitted, and what each matrix gets of those asked for. */
#ifndef CG_FORMATS_H
#define CG_FORMATS_H

#include "layout.h"

/* f32 bf16 f16 q4_0 q4_1 q5_0 q5_1 q8_0 q4_k q5_k q6_k: those that a product with activations in f32 has
 * a kernel for. */
bool cg_is_weight_format(ck_dtype dtype);

/* f32 bf16 f16: those that attention reads a cache in. */
bool cg_is_cache_format(ck_dtype dtype);
/* Reads one of them. 0 or -1. */
int cg_cache_read(ck_dtype *cache, const char *text, cg_error *error);

/* What is asked for: a format for all matrices, and others for some, in all layers. {0}: all in f32. */
typedef struct cg_formats {
    bool asked, asked_of[CG_BUFFERS];
    ck_dtype all, of[CG_BUFFERS];
} cg_formats;

/* Reads "FORMAT" for all, "NAME=FORMAT" for the matrix of that name. 0 or -1: no such format or matrix, or
 * asked for before. */
int cg_formats_read_all(cg_formats *f, const char *text, cg_error *error);
int cg_formats_read_one(cg_formats *f, const char *text, cg_error *error);

/* The format of each place of a layout, by index; to be freed. A matrix whose rows are no whole blocks of
 * the format for all gets another with no fewer bits: q5_0 for q4_k, q8_0 for q5_k and q6_k, and f32 where
 * those do not fit either. NULL: no memory; a format that was asked for by the matrix's name does not fit,
 * or is that of a tied head, which is its embedding's. */
ck_dtype *cg_formats_choose(const cg_formats *f, const cg_config *config, cg_error *error);

/* `before`, then " NAME=FORMAT" for each matrix that has memory of its own, if any of them is not in f32. */
void cg_formats_print(const cg_layout *l, const char *before, FILE *out);

#endif
