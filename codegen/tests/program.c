/* SPDX-License-Identifier: MIT */
/* Emitted programs for tests. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode.h"
#include "generate.h"

static void compile(const char *source, const char *library)
{
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        execlp("tcc", "tcc", "-std=c99", "-Wall", "-Werror", "-shared", "-I" CG_RUNTIME_INCLUDE,
               "-I" CG_KERNEL_INCLUDE, "-o", library, source, (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("tcc %s fails", source);
}

/* What is put otherwise in an emitted file. */
typedef struct edit {
    const char *step, *from, *to;
} edit;

static void rewrite(const char *source, const edit *e)
{
    static char text[1 << 20], name[80];
    FILE *file = fopen(source, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    snprintf(name, sizeof name, "static int %s(", e->step);
    char *at = strstr(text, name);
    at = at ? strstr(at, e->from) : NULL;
    if (!at) fail_msg("step %s has no %s", e->step, e->from);
    file = fopen(source, "w");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, e->to, at + strlen(e->from));
    assert_int_equal(fclose(file), 0);
}

static cg_loaded load_with(const cg_config *config, cg_layout_options o, const cg_formats *formats,
                           const edit *e)
{
    char folder[] = "/tmp/ckgen-test-XXXXXX", source[64], library[64], manifest[80];
    cg_program p;
    cg_graph g;
    cg_error error = { "" };
    ck_dtype *const format = cg_formats_choose(formats, config, &error);
    o.dtype = format;
    if (!format) fail_msg("%s", error.text);
    assert_non_null(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/program.c", folder);
    snprintf(library, sizeof library, "%s/program.so", folder);
    snprintf(manifest, sizeof manifest, "%s.kernels", source);
    if (cg_graph_build(&g, config, &error) != 0 || cg_program_make(&p, &g, "g", &o, &error) != 0 ||
        cg_emit_file(&p, CG_LIBRARY, source, &error) != 0)
        fail_msg("%s", error.text);
    cg_program_free(&p);
    free(format);
    if (e) rewrite(source, e);
    compile(source, library);
    void *const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    remove(source);
    remove(manifest);
    remove(library);
    rmdir(folder);
    if (!handle) fail_msg("%s", dlerror());
    const ck_program *(*get)(void);
    void *const symbol = dlsym(handle, "ck_program_v1");
    assert_non_null(symbol);
    memcpy(&get, &symbol, sizeof get);
    return (cg_loaded){ handle, get() };
}

static cg_loaded load(const cg_config *config, size_t guard, const cg_formats *formats,
                      const edit *e)
{
    return load_with(config, (cg_layout_options){ .guard = guard }, formats, e);
}

cg_loaded cg_load_fused(const cg_config *config, size_t guard, unsigned fuse, const char *step,
                        const char *from, const char *to)
{
    const edit e = { step, from, to };
    const cg_layout_options o = { .guard = guard, .fuse = fuse };
    return load_with(config, o, &(cg_formats){ 0 }, step ? &e : NULL);
}

cg_loaded cg_load_fused_formats(const cg_config *config, size_t guard, unsigned fuse,
                                const cg_formats *formats)
{
    return load_with(config, (cg_layout_options){ .guard = guard, .fuse = fuse }, formats, NULL);
}

cg_loaded cg_load_cached(const cg_config *config, size_t guard, ck_dtype cache, const char *step,
                         const char *from, const char *to)
{
    const edit e = { step, from, to };
    const cg_layout_options o = { .guard = guard, .cache = cache };
    return load_with(config, o, &(cg_formats){ 0 }, step ? &e : NULL);
}

cg_loaded cg_load(const cg_config *config, size_t guard)
{
    return load(config, guard, &(cg_formats){ 0 }, NULL);
}

cg_loaded cg_load_formats(const cg_config *config, size_t guard, const cg_formats *formats)
{
    return load(config, guard, formats, NULL);
}

cg_loaded cg_load_wrong(const cg_config *config, const cg_formats *formats, const char *step,
                        const char *from, const char *to)
{
    return load(config, 0, formats, &(edit){ step, from, to });
}

void cg_unload(cg_loaded *l) { dlclose(l->library); }

static const ck_buffer *find(const ck_model *m, const char *name)
{
    const ck_program *const p = ck_model_program(m);
    for (size_t i = 0; i < p->buffer_count; i++)
        if (strcmp(p->buffers[i].name, name) == 0) return &p->buffers[i];
    return NULL;
}

static const unsigned char *bytes_of(const ck_model *m, const ck_buffer *b, size_t layer)
{
    return ck_model_arena(m) + b->offset + layer * b->stride;
}

static const float *tensor(const ck_model *m, const char *name, size_t layer)
{
    const ck_buffer *const b = find(m, name);
    return b ? (const float *)(const void *)bytes_of(m, b, layer) : NULL;
}

static size_t elements(const ck_buffer *b)
{
    size_t count = 1;
    for (size_t i = 0; i < b->dims; i++) count *= b->dim[i];
    return count;
}

void cg_decode(ck_dtype format, const unsigned char *blocks, size_t n, float *x)
{
    static const struct {
        size_t elements, bytes;
    } of[CK_DTYPE_COUNT] = {
#define X(code, name, elements, bytes) { elements, bytes },
        CK_DTYPES(X)
#undef X
    };
    static ref_decode_fn *const decode[CK_DTYPE_COUNT] = {
        [CK_DTYPE_BF16] = ref_decode_bf16, [CK_DTYPE_F16] = ref_decode_f16,
        [CK_DTYPE_Q4_0] = ref_decode_q4_0, [CK_DTYPE_Q4_1] = ref_decode_q4_1,
        [CK_DTYPE_Q5_0] = ref_decode_q5_0, [CK_DTYPE_Q5_1] = ref_decode_q5_1,
        [CK_DTYPE_Q8_0] = ref_decode_q8_0, [CK_DTYPE_Q4_K] = ref_decode_q4_k,
        [CK_DTYPE_Q5_K] = ref_decode_q5_k, [CK_DTYPE_Q6_K] = ref_decode_q6_k,
    };
    assert_non_null(decode[format]);
    for (size_t i = 0; i < n; i++) {
        const unsigned char *const block = blocks + i / of[format].elements * of[format].bytes;
        const ref_element e = decode[format](block, i % of[format].elements);
        x[i] = (float)(e.product + e.minimum);
    }
}

/* A matrix of the reference; one in another format than f32 is decoded into *room, which moves on. */
static ref_matrix matrix(const ck_model *m, const char *name, size_t layer, float **room)
{
    const ck_buffer *const b = find(m, name);
    assert_non_null(b);
    const size_t ld = b->dim[b->dims - 1];
    float *const decoded = *room;
    if (b->dtype == CK_DTYPE_F32) return (ref_matrix){ tensor(m, name, layer), ld };
    cg_decode(b->dtype, bytes_of(m, b, layer), elements(b), decoded);
    *room += elements(b);
    return (ref_matrix){ decoded, ld };
}

/* Keys or values, likewise, if they are in 16 bits. */
static ref_kv kept(const ck_model *m, const char *name, size_t layer, float **room)
{
    const ck_buffer *const b = find(m, name);
    float *const decoded = *room;
    if (b->dtype == CK_DTYPE_F32) return (ref_kv){ NULL, 0, 0 };
    cg_decode(b->dtype, bytes_of(m, b, layer), elements(b), decoded);
    *room += elements(b);
    return (ref_kv){ decoded, b->dim[1] * b->dim[2], b->dim[2] };
}

static ref_layer layer(const ck_model *m, size_t l, float **room)
{
    return (ref_layer){
        .ln1 = tensor(m, "ln1_gamma", l),
        .ln2 = tensor(m, "ln2_gamma", l),
        .bq = tensor(m, "bq", l),
        .bk = tensor(m, "bk", l),
        .bv = tensor(m, "bv", l),
        .bo = tensor(m, "bo", l),
        .b1 = tensor(m, "b1", l),
        .b2 = tensor(m, "b2", l),
        .q_norm = tensor(m, "q_norm_gamma", l),
        .k_norm = tensor(m, "k_norm_gamma", l),
        .wq = matrix(m, "wq", l, room),
        .wk = matrix(m, "wk", l, room),
        .wv = matrix(m, "wv", l, room),
        .wo = matrix(m, "wo", l, room),
        .w1 = matrix(m, "w1", l, room),
        .w2 = matrix(m, "w2", l, room),
        .k = kept(m, "k", l, room),
        .v = kept(m, "v", l, room),
    };
}

/* Layers, and behind them room for all that is decoded. */
static ref_layer *allocate(const ck_model *m, float **room)
{
    const ck_program *const p = ck_model_program(m);
    size_t decoded = 0;
    for (size_t i = 0; i < p->buffer_count; i++) {
        const ck_buffer *const b = &p->buffers[i];
        if (b->dtype != CK_DTYPE_F32)
            decoded += elements(b) * (b->of_layer ? p->decoder.layers : 1);
    }
    ref_layer *const layers = malloc(p->decoder.layers * sizeof *layers + decoded * sizeof(float));
    assert_non_null(layers);
    *room = (float *)(void *)(layers + p->decoder.layers);
    return layers;
}

ref_model cg_reference(const ck_model *m)
{
    const ck_decoder *const d = &ck_model_program(m)->decoder;
    float *room;
    ref_layer *const layers = allocate(m, &room);
    ref_model r = {
        .d = { d->layers, d->hidden, d->intermediate, d->heads, d->kv_heads, d->head_dim, d->vocab,
               d->context, d->theta > 0, d->qkv_bias, d->output_bias, d->mlp_bias, d->tied,
               d->qk_norm },
        .eps = (double)d->eps,
        .theta = (double)d->theta,
        .factor = (double)d->factor,
        .low = (double)d->low,
        .high = (double)d->high,
        .original_context = (double)d->original_context,
        .head_width = (d->head_dim + 15) / 16 * 16,
        .mlp_width = (d->intermediate + 15) / 16 * 16,
        .positions = matrix(m, "pos_emb", 0, &room),
        .final_norm = tensor(m, "final_ln_weight", 0),
        .layers = layers,
    };
    const ck_dtype cache = find(m, "k")->dtype;
    r.cache = cache == CK_DTYPE_BF16  ? REF_CACHE_BF16
              : cache == CK_DTYPE_F16 ? REF_CACHE_F16
                                      : REF_CACHE_F32;
    r.tokens = matrix(m, "token_emb", 0, &room);
    r.head = d->tied ? r.tokens : matrix(m, "lm_head_weight", 0, &room);
    for (size_t l = 0; l < d->layers; l++) {
        layers[l] = layer(m, l, &room);
        layers[l].wo.ld = d->heads * r.head_width;
    }
    return r;
}

void cg_reference_free(ref_model *r)
{
    free((void *)(uintptr_t)r->layers);
    r->layers = NULL;
}
