/* SPDX-License-Identifier: MIT */
/* Files of C-Kernel-Engine: BUMPWGT3, BUMPWGT2, and flat ones without a header. */
#include <string.h>

#include "quant.h"
#include "sha256.h"
#include "weights.h"

/* Tensors before, of each, and behind the layers. */
static const char *const before[] = { "token_emb", "pos_emb" };
static const char *const layer[] = { "ln1_gamma", "ln2_gamma", "wq", "bq", "wk", "bk", "wv",
                                     "bv",        "wo",        "bo", "w1", "b1", "w2", "b2" };
static const char *const after[] = { "final_ln_weight", "final_ln_bias" };
enum { BEFORE = 2, LAYER = 14, AFTER = 2, HEADER = 128, DIGEST = 64, CODES = 132 };

/* Of layer 0 and of all layers, whose formats are the same, the first buffer that is not in f32, or NULL. */
static const ck_buffer *other_than_f32(const ck_program *p)
{
    for (size_t i = 0; i < p->buffer_count; i++)
        if (p->buffers[i].dtype != CK_DTYPE_F32) return &p->buffers[i];
    return NULL;
}

/* The format has all biases, a tied head and no norms of q and k: nothing less, nothing more. It has wo by
 * heads in f32 and by rows in blocks, and does not say how in 16 bits. */
static int check_expressible(const ck_program *p, const char *path, cg_error *error)
{
    const ck_decoder *const d = &p->decoder;
    const ck_dtype wo = ck_find_buffer(p, "wo")->dtype;
    const char *const what = wo == CK_DTYPE_BF16 || wo == CK_DTYPE_F16         ? "wo in 16 bits"
                             : d->qk_norm                                      ? "norms of q and k"
                             : !d->tied                                        ? "a head of its own"
                             : !(d->qkv_bias && d->output_bias && d->mlp_bias) ? "not all biases"
                                                                               : NULL;
    if (!what) return 0;
    return cg_fail(error, "%s: this model has %s, which a BUMPWGT file cannot hold", path, what);
}

static const char *name_of(size_t i, size_t layers, size_t *of)
{
    *of = 0;
    if (i < BEFORE) return before[i];
    if (i >= BEFORE + LAYER * layers) return after[i - BEFORE - LAYER * layers];
    *of = (i - BEFORE) / LAYER;
    return layer[(i - BEFORE) % LAYER];
}

/* The i-th tensor of a file among the entries, which are in the order of the table. */
static ck_entry *find(const ck_program *p, ck_entry *entries, size_t i)
{
    size_t of, k = 0;
    const char *const name = name_of(i, p->decoder.layers, &of);
    while (strcmp(entries[k].tensor.buffer->name, name) != 0 || entries[k].tensor.layer != of) k++;
    return &entries[k];
}

/* Offsets from `start` on; the end. */
static size_t set_offsets(const ck_program *p, ck_entry *entries, size_t start)
{
    for (size_t i = 0; i < ck_tensor_count(p); i++) {
        ck_entry *const e = find(p, entries, i);
        e->offset = start;
        e->heads_first =
            e->tensor.buffer->dtype == CK_DTYPE_F32 && strcmp(e->tensor.buffer->name, "wo") == 0;
        start += e->tensor.buffer->bytes;
    }
    return start;
}

static size_t aligned(size_t n) { return (n + 15) / 16 * 16; }

typedef struct field {
    const char *name;
    size_t at;
    int wide;
    uint64_t value;
} field;
enum { FIELDS = 11 };

static void header_fields(const ck_program *p, uint32_t version, field f[FIELDS])
{
    const ck_decoder *const d = &p->decoder;
    const field all[FIELDS] = {
        { "version", 8, 0, version },
        { "model_type", 12, 0, 1 },
        { "layers", 16, 0, d->layers },
        { "vocab", 20, 0, d->vocab },
        { "embed", 24, 0, d->hidden },
        { "context", 28, 0, d->context },
        { "heads", 32, 0, d->heads },
        { "head_dim", 36, 0, d->head_dim },
        { "aligned embed", 40, 1, aligned(d->hidden) },
        { "aligned head", 48, 1, aligned(d->head_dim) },
        { "aligned context", 56, 1, aligned(d->context) },
    };
    memcpy(f, all, sizeof all);
}

static int check_header(const ck_program *p, const char *path, const unsigned char *file,
                        size_t size, uint32_t version, cg_error *error)
{
    field f[FIELDS];
    unsigned char digest[32];
    if (size < HEADER)
        return cg_fail(error, "%s: %zu bytes, the header has %d", path, size, HEADER);
    header_fields(p, version, f);
    for (int i = 0; i < FIELDS; i++) {
        const uint64_t got = f[i].wide ? ck_get64(file + f[i].at) : ck_get32(file + f[i].at);
        if (got != f[i].value)
            return cg_fail(error, "%s: header: %s: %llu, the model has %llu", path, f[i].name,
                           (unsigned long long)got, (unsigned long long)f[i].value);
    }
    for (size_t i = DIGEST + 32; i < HEADER; i++)
        if (file[i] != 0) return cg_fail(error, "%s: header: byte %zu is not 0", path, i);
    ck_sha256(digest, file + HEADER, size - HEADER);
    if (memcmp(digest, file + DIGEST, sizeof digest) != 0)
        return cg_fail(error, "%s: header: the checksum is not that of the contents", path);
    return 0;
}

static int check_codes(const ck_program *p, const char *path, const unsigned char *file,
                       size_t size, cg_error *error)
{
    const size_t count = BEFORE + LAYER * p->decoder.layers + AFTER;
    if (size < CODES || ck_get32(file + HEADER) != count)
        return cg_fail(error, "%s: dtypes: %lu, wanted %zu", path,
                       size < CODES ? 0ul : (unsigned long)ck_get32(file + HEADER), count);
    if (size - CODES < count) return cg_fail(error, "%s: ends within the dtypes", path);
    for (size_t i = 0; i < count; i++) {
        size_t of;
        const char *const name = name_of(i, p->decoder.layers, &of);
        const unsigned code = file[CODES + i];
        if (code != (unsigned)ck_find_buffer(p, name)->dtype)
            return cg_fail(error, "%s: dtype of %s of layer %zu: %u (%s), the program has %s", path,
                           name, of, code, ck_dtype_name((ck_dtype)code),
                           ck_dtype_name(ck_find_buffer(p, name)->dtype));
    }
    return 0;
}

int ck_bump_read(const ck_program *p, const char *path, const unsigned char *file, size_t size,
                 ck_entry *entries, cg_error *error)
{
    const int three = size >= 8 && memcmp(file, "BUMPWGT3", 8) == 0;
    const int two = size >= 8 && memcmp(file, "BUMPWGT2", 8) == 0;
    const size_t count = BEFORE + LAYER * p->decoder.layers + AFTER;
    if (size >= 7 && memcmp(file, "BUMPWGT", 7) == 0 && !three && !two)
        return cg_fail(error, "%s: magic: only BUMPWGT3 and BUMPWGT2 are read", path);
    if (check_expressible(p, path, error) != 0) return -1;
    const ck_buffer *const other = three ? NULL : other_than_f32(p);
    if (other)
        return cg_fail(error, "%s: a %s file is all in f32, the program has %s in %s", path,
                       two ? "BUMPWGT2" : "flat", other->name, ck_dtype_name(other->dtype));
    const size_t start = three ? CODES + count : two ? HEADER : 0;
    const size_t end = set_offsets(p, entries, start);
    if ((three || two) && check_header(p, path, file, size, three ? 3 : 2, error) != 0) return -1;
    if (three && check_codes(p, path, file, size, error) != 0) return -1;
    if (size != end)
        return cg_fail(error, "%s: %zu bytes, wanted %zu of a %s file", path, size, end,
                       three ? "BUMPWGT3"
                       : two ? "BUMPWGT2"
                             : "flat");
    return 0;
}

int ck_bump_plan(const ck_program *p, const char *path, ck_entry *entries, size_t *size,
                 cg_error *error)
{
    const size_t count = BEFORE + LAYER * p->decoder.layers + AFTER;
    if (check_expressible(p, path, error) != 0) return -1;
    *size = set_offsets(p, entries, CODES + count);
    return 0;
}

void ck_bump_seal(const ck_program *p, const ck_entry *entries, unsigned char *file, size_t size)
{
    const size_t count = BEFORE + LAYER * p->decoder.layers + AFTER;
    field f[FIELDS];
    (void)entries;
    memcpy(file, "BUMPWGT3", 8);
    header_fields(p, 3, f);
    for (int i = 0; i < FIELDS; i++) {
        ck_put32(file + f[i].at, (uint32_t)f[i].value);
        if (f[i].wide) ck_put64(file + f[i].at, f[i].value);
    }
    ck_put32(file + HEADER, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        size_t of;
        const char *const name = name_of(i, p->decoder.layers, &of);
        file[CODES + i] = (unsigned char)ck_find_buffer(p, name)->dtype;
    }
    ck_sha256(file + DIGEST, file + HEADER, size - HEADER);
}
