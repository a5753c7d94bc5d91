/* SPDX-License-Identifier: MIT */
/* The layout of a decoder's arena, by arithmetic of its own. */
#ifndef REF_LAYOUT_H
#define REF_LAYOUT_H

#include <stddef.h>

typedef struct ref_decoder {
    size_t layers, hidden, intermediate, heads, kv_heads, head_dim, vocab, context;
    int rope, qkv_bias, output_bias, mlp_bias, tied, qk_norm;
} ref_decoder;

/* What a matrix is stored in. */
typedef struct ref_block {
    size_t elements, bytes;
} ref_block;

typedef struct ref_layout_options {
    int training;
    size_t guard;
    ref_block (*block)(void *context, const char *name, size_t layer); /* of a matrix; NULL: f32 */
    void *context;
    /* The MLP is not stored before its gate; products are not stored before they are added. */
    int one_mlp, one_residual;
    size_t cache; /* bytes of an element of keys and values; 0: 4 */
} ref_layout_options;

/* Is told of every buffer with memory of its own or shared; layer (size_t)-1: a global one. */
typedef void ref_place_fn(void *context, const char *name, size_t layer, size_t offset,
                          size_t bytes);

/* Total bytes. Rules: one arena from offset 0; global buffers, then layer by layer; each starts at the
 * next multiple of 64, behind a guard; widths are rounded up to 16 floats; gradients and scores exist
 * only for training; steps that are one have nothing between them; keys and values that are kept in fewer bytes
 * than floats are first computed in a place that all layers have in common; a tied head lies where the embedding
 * lies; the input of a layer is the output before, or the embedded tokens. Nothing may overflow. */
size_t ref_layout(const ref_decoder *d, const ref_layout_options *options, ref_place_fn *place,
                  void *context, size_t *layers_start);

#endif
