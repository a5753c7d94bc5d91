/* SPDX-License-Identifier: MIT */
/* The file of weights that holds every model: tensors by name. docs/codegen.md has its layout. */
#include <string.h>

#include "quant.h"
#include "sha256.h"
#include "weights.h"

enum {
    VERSION = 1,
    HEADER = 64, /* magic, version, tensors, bytes of the file, digest of all behind it, 8 zeros */
    TENSORS = 12,
    SIZE = 16,
    DIGEST = 24,
    ENTRY = 144, /* of the directory */
    NAME = 32,   /* bytes, 0 behind the last letter */
    DTYPE = 32,  /* offset in an entry; 16 bytes */
    LAYER = 48,  /* 0xffffffff: global */
    DIMS = 52,
    DIM = 56,  /* 4 x u64 */
    USED = 88, /* 4 x u64 */
    OFFSET = 120,
    BYTES = 128,
    LINE = 64 /* tensors start at its multiples */
};

static size_t up(size_t n) { return (n + LINE - 1) / LINE * LINE; }

static uint32_t layer_of(const ck_tensor *t)
{
    return t->buffer->of_layer ? (uint32_t)t->layer : 0xffffffffu;
}

/* The directory's entry of a tensor at an offset. */
static void make_entry(unsigned char *at, const ck_tensor *t, size_t offset)
{
    const ck_buffer *const b = t->buffer;
    memset(at, 0, ENTRY);
    memcpy(at, b->name, strlen(b->name));
    memcpy(at + DTYPE, ck_dtype_name(b->dtype), strlen(ck_dtype_name(b->dtype)));
    ck_put32(at + LAYER, layer_of(t));
    ck_put32(at + DIMS, (uint32_t)b->dims);
    for (size_t i = 0; i < b->dims; i++) {
        ck_put64(at + DIM + 8 * i, b->dim[i]);
        ck_put64(at + USED + 8 * i, b->used[i]);
    }
    ck_put64(at + OFFSET, offset);
    ck_put64(at + BYTES, b->bytes);
}

static int check_header(const ck_program *p, const char *path, const unsigned char *file,
                        size_t size, cg_error *error)
{
    const size_t count = ck_tensor_count(p);
    unsigned char digest[32];
    if (size < HEADER)
        return cg_fail(error, "%s: %zu bytes, the header has %d", path, size, HEADER);
    if (ck_get32(file + 8) != VERSION)
        return cg_fail(error, "%s: header: version: %lu, only %d is read", path,
                       (unsigned long)ck_get32(file + 8), VERSION);
    if (ck_get32(file + TENSORS) != count)
        return cg_fail(error, "%s: header: tensors: %lu, the model has %zu", path,
                       (unsigned long)ck_get32(file + TENSORS), count);
    if (ck_get64(file + SIZE) != size)
        return cg_fail(error, "%s: header: bytes: %llu, the file has %zu", path,
                       (unsigned long long)ck_get64(file + SIZE), size);
    if (ck_get64(file + HEADER - 8) != 0)
        return cg_fail(error, "%s: header: byte %d is not 0", path, HEADER - 8);
    ck_sha256(digest, file + HEADER, size - HEADER);
    if (memcmp(digest, file + DIGEST, sizeof digest) != 0)
        return cg_fail(error, "%s: header: the checksum is not that of the contents", path);
    if ((size - HEADER) / ENTRY < count)
        return cg_fail(error, "%s: ends within the directory", path);
    return 0;
}

/* The entry of the model that directory entry `at` names; each once. */
static ck_entry *find(ck_entry *entries, size_t count, const unsigned char *at)
{
    for (size_t k = 0; k < count; k++) {
        const ck_tensor *const t = &entries[k].tensor;
        char name[NAME] = "";
        memcpy(name, t->buffer->name, strlen(t->buffer->name));
        if (memcmp(at, name, NAME) == 0 && ck_get32(at + LAYER) == layer_of(t))
            return entries[k].offset == 0 ? &entries[k] : NULL;
    }
    return NULL;
}

static int check_format(const ck_tensor *t, const char *path, const unsigned char *at,
                        cg_error *error)
{
    char wanted[LAYER - DTYPE] = "";
    const char *const name = ck_dtype_name(t->buffer->dtype);
    memcpy(wanted, name, strlen(name));
    if (memcmp(at + DTYPE, wanted, sizeof wanted) == 0) return 0;
    return cg_fail(error, "%s: dtype of %s of layer %zu: \"%.*s\", the program has %s", path,
                   t->buffer->name, t->layer, LAYER - DTYPE, (const char *)at + DTYPE, name);
}

int ck_named_read(const ck_program *p, const char *path, const unsigned char *file, size_t size,
                  ck_entry *entries, cg_error *error)
{
    const size_t count = ck_tensor_count(p);
    size_t end = HEADER + ENTRY * count;
    if (check_header(p, path, file, size, error) != 0) return -1;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *const at = file + HEADER + ENTRY * i;
        unsigned char wanted[ENTRY];
        ck_entry *const e = find(entries, count, at);
        if (!e)
            return cg_fail(error,
                           "%s: tensor %zu: \"%.31s\" of layer %lu: not the model's, or twice",
                           path, i, (const char *)at, (unsigned long)ck_get32(at + LAYER));
        if (check_format(&e->tensor, path, at, error) != 0) return -1;
        make_entry(wanted, &e->tensor, up(end));
        if (memcmp(at, wanted, ENTRY) != 0)
            return cg_fail(error, "%s: %s of layer %zu: shape or place is not the model's", path,
                           e->tensor.buffer->name, e->tensor.layer);
        e->offset = up(end);
        e->heads_first = 0;
        for (size_t gap = end; gap < e->offset; gap++)
            if (gap >= size || file[gap] != 0)
                return cg_fail(error, "%s: byte %zu between tensors is not 0", path, gap);
        end = e->offset + e->tensor.buffer->bytes;
    }
    if (size != end) return cg_fail(error, "%s: %zu bytes, wanted %zu", path, size, end);
    return 0;
}

int ck_named_plan(const ck_program *p, const char *path, ck_entry *entries, size_t *size,
                  cg_error *error)
{
    *size = HEADER + ENTRY * ck_tensor_count(p);
    for (size_t i = 0; i < ck_tensor_count(p); i++) {
        const ck_buffer *const b = entries[i].tensor.buffer;
        if (strlen(b->name) >= NAME) return cg_fail(error, "%s: %s: name too long", path, b->name);
        entries[i].offset = up(*size);
        *size = entries[i].offset + b->bytes;
    }
    return 0;
}

void ck_named_seal(const ck_program *p, const ck_entry *entries, unsigned char *file, size_t size)
{
    const size_t count = ck_tensor_count(p);
    memcpy(file, "CKWEIGHT", 8);
    ck_put32(file + 8, VERSION);
    ck_put32(file + TENSORS, (uint32_t)count);
    ck_put64(file + SIZE, size);
    for (size_t i = 0; i < count; i++)
        make_entry(file + HEADER + ENTRY * i, &entries[i].tensor, entries[i].offset);
    ck_sha256(file + DIGEST, file + HEADER, size - HEADER);
}
