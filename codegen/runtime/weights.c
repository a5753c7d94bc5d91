/* SPDX-License-Identifier: MIT */
/* Files of weights: all or nothing, in both directions. */
#include "weights.h"

#include <stdlib.h>
#include <string.h>

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

static int is_pad(const ck_buffer *b, size_t i)
{
    for (size_t d = b->dims; d-- > 0; i /= b->dim[d])
        if (i % b->dim[d] >= b->used[d]) return 1;
    return 0;
}

/* Every value is finite, and +0 in pad lanes. */
static int check_values(const ck_entry *e, const char *path, const unsigned char *file,
                        cg_error *error)
{
    const ck_buffer *const b = e->tensor.buffer;
    for (size_t i = 0; i < b->bytes / 4; i++) {
        const size_t at = e->offset + 4 * i;
        const uint32_t bits = ck_get32(file + at);
        const int infinite = (bits & 0x7f800000u) == 0x7f800000u;
        if (!infinite && (bits == 0 || !is_pad(b, in_memory(e, i)))) continue;
        return cg_fail(error, "%s: %s of layer %zu: byte %zu: %s", path, b->name, e->tensor.layer,
                       at, infinite ? "not finite" : "a pad lane is not 0");
    }
    return 0;
}

/* Between a file and memory; floats have the byte order of the machine in memory. */
static void copy_in(const ck_entry *e, const unsigned char *file)
{
    for (size_t i = 0; i < e->tensor.buffer->bytes / 4; i++) {
        const uint32_t bits = ck_get32(file + e->offset + 4 * i);
        memcpy(e->tensor.bytes + 4 * in_memory(e, i), &bits, 4);
    }
}

static void copy_out(const ck_entry *e, unsigned char *file)
{
    for (size_t i = 0; i < e->tensor.buffer->bytes / 4; i++) {
        uint32_t bits;
        memcpy(&bits, e->tensor.bytes + 4 * in_memory(e, i), 4);
        ck_put32(file + e->offset + 4 * i, bits);
    }
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

int ck_weights_load(ck_model *m, const char *path)
{
    const size_t count = ck_tensor_count(m->program);
    cg_error error = { "" };
    size_t size = 0;
    char *const file = cg_read(path, m->program->bytes + 4096 + 256 * count, &size, &error);
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
