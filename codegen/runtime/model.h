/* SPDX-License-Identifier: MIT */
/* What the files of the runtime share. */
#ifndef CK_RUNTIME_MODEL_H
#define CK_RUNTIME_MODEL_H

#include "ck_model.h"

struct ck_model {
    const ck_program *program;
    unsigned char *arena;
    size_t position;
    int has_weights;
    ck_tap *tap;
    void *tap_context;
    char error[512];
};

/* Notes one line, without control characters, and returns the status. */
__attribute__((format(printf, 3, 4))) int ck_model_fail(ck_model *m, int status, const char *format,
                                                        ...);

/* A tensor of the weights: buffer b of layer `layer`. */
typedef struct ck_tensor {
    const ck_buffer *buffer;
    size_t layer;
    unsigned char *bytes;
} ck_tensor;

/* The buffer of that name, or NULL. */
const ck_buffer *ck_find_buffer(const ck_program *p, const char *name);
/* Its bytes in an arena. */
unsigned char *ck_tensor_bytes(unsigned char *arena, const ck_buffer *b, size_t layer);
/* Number of tensors, and the i-th: global buffers first, then by layer; each in the table's order. */
size_t ck_tensor_count(const ck_program *p);
ck_tensor ck_tensor_at(const ck_program *p, unsigned char *arena, size_t i);

/* cos and sin [context][head_dim / 2] of an arena, if it has them; a code of ck_model.h. */
int ck_fill_rope(const ck_program *p, unsigned char *arena);

/* Fills the weights of an arena from a seed. */
void ck_fill_random(const ck_program *p, unsigned char *arena, uint64_t seed);

#endif
