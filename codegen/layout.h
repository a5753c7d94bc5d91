/* SPDX-License-Identifier: MIT */
/* Where each buffer of a decoder lies in its arena. */
#ifndef CG_LAYOUT_H
#define CG_LAYOUT_H

#include <stdint.h>

#include "ck_dtype.h"
#include "registry.h"

/* Absent, since 0 is where token_emb lies. */
#define CG_ABSENT SIZE_MAX
/* More bytes than this are refused unless the caller says otherwise. */
#define CG_DEFAULT_CAP ((size_t)64 << 30)

typedef struct cg_layout_options {
    bool training;         /* gradients and scores as well */
    unsigned fuse;         /* CG_FUSE_...: buffers between steps that are made one are not there */
    size_t guard;          /* bytes free before and behind each buffer: 0 or 64 */
    size_t cap;            /* most bytes; 0: CG_DEFAULT_CAP */
    const ck_dtype *dtype; /* of each matrix, by index as below; NULL: all in f32 */
    ck_dtype cache;        /* of keys and values: f32, bf16 or f16 */
} cg_layout_options;

cg_choice cg_choice_of(const cg_layout_options *options);

typedef struct cg_place {
    cg_buffer_id id;
    size_t layer; /* of buffers of a layer */
    size_t offset, bytes, elements;
    ck_dtype dtype;
    unsigned dims;
    size_t dim[CG_MAX_DIMS];
} cg_place;

/* Places: the global buffers, then each layer's; absent ones too, with offset CG_ABSENT and 0 bytes.
 * The input of a layer has the place of what it is: the output before, or embedded_input. */
typedef struct cg_layout {
    cg_config config;
    cg_layout_options options;
    size_t count;
    cg_place *places;
    size_t layers_start, layer_stride, total;
} cg_layout;

/* The index of a buffer; `layer` does not matter of a global one. */
size_t cg_place_index(cg_buffer_id id, size_t layer);
size_t cg_place_count(size_t layers);
/* Bytes of a row of n elements; n must be whole blocks. */
size_t cg_row_bytes(ck_dtype dtype, size_t elements);
const char *cg_dtype_name(ck_dtype dtype);
/* Elements of a block of the format, and of a row of the buffer, which is whole blocks. */
size_t cg_block(ck_dtype dtype);
size_t cg_row_elements(const cg_buffer *b, const cg_config *config);

/* Global buffers in the order of buffers.def, then layer after layer; each at a multiple of 64 bytes.
 * Error: a size that overflows or exceeds the cap; a matrix whose rows are no whole blocks, or which is in
 * blocks though a fused step reads it whose kernel is of f32 alone; training of fused steps or with a cache of 16 bits. 0 or -1. */
int cg_layout_make(cg_layout *l, const cg_config *config, const cg_layout_options *options,
                   cg_error *error);
void cg_layout_free(cg_layout *l);
/* What of that fused steps refuse, by dtype and training of the options. 0 or -1. */
int cg_fusion_check(const cg_layout_options *options, cg_error *error);

/* Proves it: each buffer is there if and only if its condition holds, has the bytes of its shape and
 * dtype, lies on a multiple of 64, behind the one before and apart from all others by the guard, within
 * the total; rows of matrices are whole blocks of a format that weights may have; keys and values are in
 * that of the cache; aliases and inputs lie where they should, in the same format. 0 or -1. */
int cg_layout_check(const cg_layout *l, cg_error *error);

/* A line a buffer that is there, then the totals. */
void cg_layout_dump(const cg_layout *l, FILE *out);

#endif
