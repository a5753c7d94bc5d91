/* SPDX-License-Identifier: MIT */
/* Storage formats: elements and bytes of one block. Layouts: docs/formats.md. */
#ifndef CK_DTYPE_H
#define CK_DTYPE_H

/* In the order of their codes, which files may store: code, name, elements, bytes. */
#define CK_DTYPES(X)        \
    X(F32, f32, 1, 4)       \
    X(BF16, bf16, 1, 2)     \
    X(F16, f16, 1, 2)       \
    X(INT8, int8, 1, 1)     \
    X(INT4, int4, 2, 1)     \
    X(Q4_0, q4_0, 32, 18)   \
    X(Q4_1, q4_1, 32, 20)   \
    X(Q4_K, q4_k, 256, 144) \
    X(Q6_K, q6_k, 256, 210) \
    X(Q8_0, q8_0, 32, 34)   \
    X(Q8_K, q8_k, 256, 292) \
    X(Q5_0, q5_0, 32, 22)   \
    X(Q5_1, q5_1, 32, 24)   \
    X(Q5_K, q5_k, 256, 176) \
    X(Q8_1, q8_1, 32, 36)

/* CK_DTYPE_Q8_0 and the like. */
typedef enum ck_dtype {
#define X(code, name, elements, bytes) CK_DTYPE_##code,
    CK_DTYPES(X)
#undef X
        CK_DTYPE_COUNT
} ck_dtype;

/* CK_Q8_0_BLOCK elements in CK_Q8_0_BYTES bytes and the like. */
enum {
#define X(code, name, elements, bytes) CK_##code##_BLOCK = (elements), CK_##code##_BYTES = (bytes),
    CK_DTYPES(X)
#undef X
        CK_K_BLOCK = 256 /* of every k format */
};

/* Formats that the ops pack_* make in memory and files do not have: CK_X8_ROWS rows are interleaved, whose
 * blocks are one, of CK_Q4_KX8_BYTES bytes and the like. */
enum {
    CK_X8_ROWS = 8,
    CK_Q4_0X8_BYTES = CK_X8_ROWS * CK_Q4_0_BYTES,
    CK_Q4_KX8_BYTES = CK_X8_ROWS * CK_Q4_K_BYTES
};

#endif
