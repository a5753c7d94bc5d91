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

static cg_loaded load(const cg_config *config, size_t guard, const edit *e)
{
    const cg_layout_options o = { .guard = guard };
    char folder[] = "/tmp/ckgen-test-XXXXXX", source[64], library[64], manifest[80];
    cg_program p;
    cg_graph g;
    cg_error error;
    assert_non_null(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/program.c", folder);
    snprintf(library, sizeof library, "%s/program.so", folder);
    snprintf(manifest, sizeof manifest, "%s.kernels", source);
    if (cg_graph_build(&g, config, &error) != 0 || cg_program_make(&p, &g, "g", &o, &error) != 0 ||
        cg_emit_file(&p, CG_LIBRARY, source, &error) != 0)
        fail_msg("%s", error.text);
    cg_program_free(&p);
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

cg_loaded cg_load(const cg_config *config, size_t guard) { return load(config, guard, NULL); }

cg_loaded cg_load_wrong(const cg_config *config, const char *step, const char *from, const char *to)
{
    return load(config, 0, &(edit){ step, from, to });
}

void cg_unload(cg_loaded *l) { dlclose(l->library); }

static const float *tensor(const ck_model *m, const char *name, size_t layer, size_t *ld)
{
    const ck_program *const p = ck_model_program(m);
    for (size_t i = 0; i < p->buffer_count; i++) {
        const ck_buffer *const b = &p->buffers[i];
        if (strcmp(b->name, name) != 0) continue;
        if (ld) *ld = b->dim[b->dims - 1];
        return (const float *)(const void *)(ck_model_arena(m) + b->offset + layer * b->stride);
    }
    return NULL;
}

static ref_matrix matrix(const ck_model *m, const char *name, size_t layer)
{
    ref_matrix w = { NULL, 0 };
    w.at = tensor(m, name, layer, &w.ld);
    assert_non_null(w.at);
    return w;
}

static ref_layer layer(const ck_model *m, size_t l)
{
    return (ref_layer){
        .ln1 = tensor(m, "ln1_gamma", l, NULL),
        .ln2 = tensor(m, "ln2_gamma", l, NULL),
        .bq = tensor(m, "bq", l, NULL),
        .bk = tensor(m, "bk", l, NULL),
        .bv = tensor(m, "bv", l, NULL),
        .bo = tensor(m, "bo", l, NULL),
        .b1 = tensor(m, "b1", l, NULL),
        .b2 = tensor(m, "b2", l, NULL),
        .q_norm = tensor(m, "q_norm_gamma", l, NULL),
        .k_norm = tensor(m, "k_norm_gamma", l, NULL),
        .wq = matrix(m, "wq", l),
        .wk = matrix(m, "wk", l),
        .wv = matrix(m, "wv", l),
        .wo = matrix(m, "wo", l),
        .w1 = matrix(m, "w1", l),
        .w2 = matrix(m, "w2", l),
    };
}

ref_model cg_reference(const ck_model *m)
{
    const ck_decoder *const d = &ck_model_program(m)->decoder;
    ref_layer *const layers = calloc(d->layers, sizeof *layers);
    assert_non_null(layers);
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
        .tokens = matrix(m, "token_emb", 0),
        .positions = matrix(m, "pos_emb", 0),
        .head = matrix(m, d->tied ? "token_emb" : "lm_head_weight", 0),
        .final_norm = tensor(m, "final_ln_weight", 0, NULL),
        .layers = layers,
    };
    for (size_t l = 0; l < d->layers; l++) {
        layers[l] = layer(m, l);
        layers[l].wo.ld = d->heads * r.head_width;
    }
    return r;
}

void cg_reference_free(ref_model *r)
{
    free((void *)(uintptr_t)r->layers);
    r->layers = NULL;
}
