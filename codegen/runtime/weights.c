/* SPDX-License-Identifier: MIT */
/* Files of weights: all or nothing, in both directions. */
#include "weights.h"

#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "quant.h"

uint32_t ck_get32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint64_t ck_get64(const unsigned char *at)
{
    return ck_get32(at) | (uint64_t)ck_get32(at + 4) << 32;
}

void ck_put32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

void ck_put64(unsigned char *at, uint64_t value)
{
    ck_put32(at, (uint32_t)value);
    ck_put32(at + 4, (uint32_t)(value >> 32));
}

/* Element i of the file is this element in memory. */
static size_t in_memory(const ck_entry *e, size_t i)
{
    const size_t *const dim = e->tensor.buffer->dim; /* [rows][heads][head] */
    if (!e->heads_first) return i;
    const size_t lane = i % dim[2], row = i / dim[2] % dim[0], head = i / dim[2] / dim[0];
    return (row * dim[1] + head) * dim[2] + lane;
}

/* Copies n elements between a file and memory: numbers of 4 and 2 bytes, which have the byte order of the
 * machine in memory, or blocks, whose bytes are in order. */
static void copy(ck_dtype format, unsigned char *to, const unsigned char *from, size_t n)
{
    const uint16_t one = 1;
    const size_t size = format == CK_DTYPE_F32                              ? 4
                        : format == CK_DTYPE_BF16 || format == CK_DTYPE_F16 ? 2
                                                                            : 1;
    const size_t flip = *(const unsigned char *)&one ? 0 : size - 1,
                 bytes = ck_row_bytes(format, n);
    for (size_t i = 0; i < bytes; i++) to[i ^ flip] = from[i];
}

/* The values of n elements of the file, from element `first` on. */
static int decode(const ck_entry *e, const unsigned char *file, size_t first, size_t n, float *x)
{
    const ck_dtype format = e->tensor.buffer->dtype;
    unsigned char bytes[CK_K_BLOCK * sizeof(float)];
    copy(format, bytes, file + e->offset + ck_row_bytes(format, first), n);
    return ck_decode(format, x, bytes, n);
}

/* What is wrong with a value of the file, or NULL: each is finite, which scales that are not do not give,
 * and 0 in pad lanes. Those that share their block with others may have any value where a format has
 * minimums and cannot say 0: what they are multiplied with is +0. */
static const char *check_value(const ck_entry *e, size_t i, float x, int alone)
{
    const ck_buffer *const b = e->tensor.buffer;
    const int minimum = b->dtype == CK_DTYPE_Q4_1 || b->dtype == CK_DTYPE_Q5_1 ||
                        b->dtype == CK_DTYPE_Q4_K || b->dtype == CK_DTYPE_Q5_K;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000u) == 0x7f800000u) return "not finite";
    if (ck_in_use(b, in_memory(e, i)) || (minimum && !alone)) return NULL;
    if (bits == 0 || (ck_dtype_block(b->dtype) > 1 && x == 0)) return NULL;
    return "a pad lane is not 0";
}

static int check_block(const ck_entry *e, const char *path, size_t first, size_t n, const float *x,
                       cg_error *error)
{
    const ck_buffer *const b = e->tensor.buffer;
    int alone = 1;
    for (size_t i = 0; i < n; i++) alone &= !ck_in_use(b, in_memory(e, first + i));
    for (size_t i = 0; i < n; i++) {
        const char *const wrong = check_value(e, first + i, x[i], alone);
        if (wrong)
            return cg_fail(error, "%s: %s of layer %zu: byte %zu: %s", path, b->name,
                           e->tensor.layer, e->offset + ck_row_bytes(b->dtype, first), wrong);
    }
    return 0;
}

/* Block after block; numbers are blocks of one. */
static int check_values(const ck_entry *e, const char *path, const unsigned char *file,
                        cg_error *error)
{
    const ck_buffer *const b = e->tensor.buffer;
    const size_t count = ck_buffer_elements(b), block = ck_dtype_block(b->dtype);
    float x[CK_K_BLOCK];
    for (size_t first = 0; first < count; first += CK_K_BLOCK) {
        const size_t n = count - first < CK_K_BLOCK ? count - first : CK_K_BLOCK;
        const int status = decode(e, file, first, n, x);
        if (status != 0)
            return cg_fail(error, "%s: %s: decoding: %s", path, b->name,
                           ck_status_text((ck_status)status));
        for (size_t i = 0; i < n; i += block)
            if (check_block(e, path, first + i, block, x + i, error) != 0) return -1;
    }
    return 0;
}

/* Between a file and memory. Heads are apart in the files of f32 only. */
static void copy_in(const ck_entry *e, const unsigned char *file)
{
    const ck_buffer *const b = e->tensor.buffer;
    const size_t n = ck_buffer_elements(b);
    if (!e->heads_first) copy(b->dtype, e->tensor.bytes, file + e->offset, n);
    for (size_t i = 0; i < n && e->heads_first; i++)
        copy(b->dtype, e->tensor.bytes + 4 * in_memory(e, i), file + e->offset + 4 * i, 1);
}

static void copy_out(const ck_entry *e, unsigned char *file)
{
    const ck_buffer *const b = e->tensor.buffer;
    const size_t n = ck_buffer_elements(b);
    if (!e->heads_first) copy(b->dtype, file + e->offset, e->tensor.bytes, n);
    for (size_t i = 0; i < n && e->heads_first; i++)
        copy(b->dtype, file + e->offset + 4 * i, e->tensor.bytes + 4 * in_memory(e, i), 1);
}

static int load(ck_model *m, const char *path, const unsigned char *file, size_t size,
                ck_entry *entries, cg_error *error)
{
    const ck_program *const p = m->program;
    const size_t count = ck_tensor_count(p);
    const int named = size >= 8 && memcmp(file, "CKWEIGHT", 8) == 0;
    for (size_t i = 0; i < count; i++) entries[i].tensor = ck_tensor_at(p, m->arena, i);
    if ((named ? ck_named_read : ck_bump_read)(p, path, file, size, entries, error) != 0) return -1;
    for (size_t i = 0; i < count; i++)
        if (check_values(&entries[i], path, file, error) != 0) return -1;
    for (size_t i = 0; i < count; i++) copy_in(&entries[i], file);
    return 0;
}

/* Bytes of the largest file that might be one of this model's, in whatever formats: then what is wrong with
 * it can be said. */
static size_t most_bytes(const ck_model *m)
{
    size_t most = 4096;
    for (size_t i = 0; i < ck_tensor_count(m->program); i++)
        most +=
            256 + sizeof(float) * ck_buffer_elements(ck_tensor_at(m->program, m->arena, i).buffer);
    return most;
}

int ck_weights_load(ck_model *m, const char *path)
{
    const size_t count = ck_tensor_count(m->program);
    cg_error error = { "" };
    size_t size = 0;
    char *const file = cg_read(path, most_bytes(m), &size, &error);
    if (!file) return ck_model_fail(m, CK_MODEL_FILE, "%s", error.text);
    ck_entry *const entries = calloc(count, sizeof *entries);
    int status = CK_MODEL_OK;
    if (!entries)
        status = ck_model_fail(m, CK_MODEL_MEMORY, "%s: no memory for %zu tensors", path, count);
    else if (load(m, path, (unsigned char *)file, size, entries, &error) != 0)
        status = ck_model_fail(m, CK_MODEL_FILE, "%s", error.text);
    free(entries);
    free(file);
    return status;
}

static int write_file(const char *path, const unsigned char *bytes, size_t size, cg_error *error)
{
    cg_file f;
    if (cg_open(&f, path, error) != 0) return -1;
    fwrite(bytes, 1, size, f.file); /* cg_finish sees what went wrong */
    if (cg_finish(&f, error) == 0 && cg_publish(&f, error) == 0) return 0;
    cg_abandon(&f);
    return -1;
}

static int save(ck_model *m, const char *path, ck_weights_kind kind, ck_entry *entries,
                cg_error *error)
{
    const ck_program *const p = m->program;
    const int named = kind == CK_WEIGHTS_NAMED;
    size_t size = 0;
    for (size_t i = 0; i < ck_tensor_count(p); i++)
        entries[i].tensor = ck_tensor_at(p, m->arena, i);
    if ((named ? ck_named_plan : ck_bump_plan)(p, path, entries, &size, error) != 0) return -1;
    unsigned char *const file = calloc(1, size);
    if (!file) return cg_fail(error, "%s: no memory for %zu bytes", path, size);
    for (size_t i = 0; i < ck_tensor_count(p); i++) copy_out(&entries[i], file);
    (named ? ck_named_seal : ck_bump_seal)(p, entries, file, size);
    const int status = write_file(path, file, size, error);
    free(file);
    return status;
}

int ck_weights_save(ck_model *m, const char *path, ck_weights_kind kind)
{
    const size_t count = ck_tensor_count(m->program);
    ck_entry *const entries = calloc(count, sizeof *entries);
    cg_error error = { "" };
    int status = CK_MODEL_OK;
    if (!entries)
        return ck_model_fail(m, CK_MODEL_MEMORY, "%s: no memory for %zu tensors", path, count);
    if (kind != CK_WEIGHTS_NAMED && kind != CK_WEIGHTS_BUMP3)
        status = ck_model_fail(m, CK_MODEL_ARGUMENT, "%s: kind %d is unknown", path, (int)kind);
    else if (save(m, path, kind, entries, &error) != 0)
        status = ck_model_fail(m, CK_MODEL_FILE, "%s", error.text);
    free(entries);
    return status;
}
