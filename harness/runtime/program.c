/* SPDX-License-Identifier: MIT */
/* Generation and compilation of a decoder. */
#include "program.h"

#include <dlfcn.h>
#ifdef HN_RUNTIME_INCLUDE
#include <libtcc.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ck_ops.h"
#include "formats.h"
#include "generate.h"

const hn_rt_api hn_rt_own_api = { ck_model_open, ck_model_prefill, ck_model_decode,
                                  ck_model_reset };

/* --- the generator */

static const char *yes(bool is) { return is ? "true" : "false"; }

/* The decoder as a config.json of the plain architecture. */
static void describe(const hn_rt_decoder *m, char *text, size_t size)
{
    const ref_decoder *const d = &m->d;
    size_t used = (size_t)snprintf(
        text, size,
        "{\"num_hidden_layers\": %zu, \"hidden_size\": %zu, \"intermediate_size\": %zu,\n"
        " \"num_attention_heads\": %zu, \"num_key_value_heads\": %zu, \"head_dim\": %zu,\n"
        " \"vocab_size\": %zu, \"max_position_embeddings\": %zu, \"rms_norm_eps\": %.9g,\n"
        " \"attention_bias\": %s, \"mlp_bias\": %s, \"tie_word_embeddings\": %s",
        d->layers, d->hidden, d->intermediate, d->heads, d->kv_heads, d->head_dim, d->vocab,
        d->context, (double)m->eps, yes(d->qkv_bias), yes(d->mlp_bias), yes(d->tied));
    if (d->rope)
        used += (size_t)snprintf(text + used, size - used, ",\n \"rope_theta\": %.9g",
                                 (double)m->theta);
    if (m->factor != 0)
        used += (size_t)snprintf(text + used, size - used,
                                 ",\n \"rope_scaling\": {\"rope_type\": \"llama3\", "
                                 "\"factor\": %.9g, \"low_freq_factor\": %.9g,\n"
                                 "  \"high_freq_factor\": %.9g, "
                                 "\"original_max_position_embeddings\": %zu}",
                                 (double)m->factor, (double)m->low, (double)m->high, m->original);
    snprintf(text + used, size - used, "}\n");
}

/* No architecture has every combination of biases and norms: those are set behind the parser. */
static int read_config(const hn_rt_decoder *m, cg_config *config, cg_error *error)
{
    char text[1024];
    describe(m, text, sizeof text);
    if (cg_config_parse(config, text, strlen(text), "case", m->d.context, error) != 0) return -1;
    config->output_bias = m->d.output_bias;
    config->qk_norm = m->d.qk_norm;
    return cg_config_check(config, "case", error);
}

/* The format of each place, asked for as the options of ckgen ask for it; NULL: refused. */
static ck_dtype *choose_formats(const hn_rt_decoder *m, const cg_config *config, cg_error *error)
{
    char text[64];
    cg_formats f = { 0 };
    if (cg_formats_read_all(&f, m->all->name, error) != 0) return NULL;
    for (size_t i = 0; i < HN_RT_MATRICES; i++) {
        if (!m->of[i]) continue;
        snprintf(text, sizeof text, "%s=%s", hn_rt_matrices[i], m->of[i]->name);
        if (cg_formats_read_one(&f, text, error) != 0) return NULL;
    }
    return cg_formats_choose(&f, config, error);
}

static cg_layout_options layout_of(const hn_rt_decoder *m)
{
    return (cg_layout_options){ .guard = m->guard,
                                .cache = m->cache->code,
                                .fuse = (m->fused_mlp ? CG_FUSE_MLP : 0u) |
                                        (m->fused_residual ? CG_FUSE_RESIDUAL : 0u) };
}

const char *hn_rt_refuses(const hn_case *c)
{
    static cg_error error;
    cg_config config;
    hn_rt_decoder *const m = hn_rt_decoder_new(c);
    const bool good = read_config(m, &config, &error) == 0;
    ck_dtype *const formats = good ? choose_formats(m, &config, &error) : NULL;
    cg_layout_options options = layout_of(m);
    options.dtype = formats;
    const bool bad = !formats || cg_fusion_check(&options, &error) != 0;
    free(formats);
    hn_rt_decoder_free(m);
    return bad ? error.text : NULL;
}

/* The emitted file, to be freed; NULL with one line in `error`. */
static char *generate(const hn_case *c, cg_error *error)
{
    hn_rt_decoder *const m = hn_rt_decoder_new(c);
    cg_layout_options options = layout_of(m);
    cg_config config;
    cg_graph graph = { 0 };
    cg_program program;
    char *text = NULL;
    size_t length = 0;
    int bad = read_config(m, &config, error);
    ck_dtype *const formats = bad ? NULL : choose_formats(m, &config, error);
    options.dtype = formats;
    bad = !formats;
    hn_rt_decoder_free(m);
    if (!bad) bad = cg_graph_build(&graph, &config, error);
    if (!bad) bad = cg_program_make(&program, &graph, "case", &options, error);
    if (bad) {
        free(formats);
        return NULL;
    }
    FILE *const out = open_memstream(&text, &length);
    bad = !out || cg_emit(&program, CG_LIBRARY, out, error) != 0;
    if (out && fclose(out) != 0) bad = cg_fail(error, "out of memory");
    cg_program_free(&program);
    free(formats);
    if (!bad) return text;
    free(text);
    return NULL;
}

/* A copy of the text with the edit made; NULL: there is nothing to edit. Takes the text over. */
static char *edited(char *text, const hn_rt_edit *e)
{
    char name[80];
    snprintf(name, sizeof name, "static int %s(", e->step ? e->step : "");
    char *const from = e->step ? strstr(text, name) : text;
    char *const at = from ? strstr(from, e->from) : NULL;
    const size_t size = strlen(text) + strlen(e->to) + 1;
    char *const made = at ? malloc(size) : NULL;
    if (made) snprintf(made, size, "%.*s%s%s", (int)(at - text), text, e->to, at + strlen(e->from));
    free(text);
    return made;
}

/* --- the compiler */

#ifdef HN_RUNTIME_INCLUDE

static void keep_first(void *context, const char *message)
{
    char *const text = context;
    if (!text[0]) snprintf(text, HN_TEXT_MAX, "%s", message);
}

static const void *address(void (*function)(void))
{
    const void *at;
    memcpy(&at, &function, sizeof at);
    return at;
}

/* What emitted C may call: public entries, the runtime's own steps, and what tcc makes of C itself. */
static int add_symbols(TCCState *s, const hn_rt_compiler *k)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } ours[] = {
#define CK_KERNEL(fam, op, dt, isa)
#define CK_OP(fam, op, dt) { "ck_" #op "_" #dt, (void (*)(void))ck_##op##_##dt },
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
        { "memset", (void (*)(void))memset },
        { "memcpy", (void (*)(void))memcpy },
        { "memmove", (void (*)(void))memmove },
    };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        const void *at = k->library ? dlsym(k->library, ours[i].name) : NULL;
        for (const hn_rt_binding *b = k->bindings; b && b->name; b++)
            if (strcmp(b->name, ours[i].name) == 0) at = b->function;
        if (!at) at = address(ours[i].function);
        if (tcc_add_symbol(s, ours[i].name, at) != 0) return -1;
    }
    return 0;
}

static int compile(TCCState *s, const char *text, const hn_rt_compiler *k)
{
    tcc_set_options(s, "-std=c99 -Wall -Werror -nostdlib");
    if (tcc_set_output_type(s, TCC_OUTPUT_MEMORY) != 0) return -1;
    if (tcc_add_include_path(s, HN_RUNTIME_INCLUDE) != 0) return -1;
    if (tcc_add_include_path(s, HN_KERNEL_INCLUDE) != 0) return -1;
    if (add_symbols(s, k) != 0 || tcc_compile_string(s, text) != 0) return -1;
    return tcc_relocate(s, TCC_RELOCATE_AUTO);
}

static int load(hn_rt_program *p, const char *text, const hn_rt_compiler *k, char *error,
                size_t size)
{
    char says[HN_TEXT_MAX] = "";
    TCCState *const s = tcc_new();
    const ck_program *(*get)(void);
    if (!s) return snprintf(error, size, "libtcc: out of memory"), -1;
    tcc_set_error_func(s, says, keep_first);
    void *const symbol = compile(s, text, k) == 0 ? tcc_get_symbol(s, "ck_program_v1") : NULL;
    if (!symbol) {
        tcc_delete(s);
        return snprintf(error, size, "the emitted C: %s", says[0] ? says : "no ck_program_v1"), -1;
    }
    memcpy(&get, &symbol, sizeof get);
    *p = (hn_rt_program){ s, get() };
    return 0;
}

/* Emitted programs include headers of the tree. */
const char *hn_rt_lacks(void)
{
    return access(HN_RUNTIME_INCLUDE "/ck_program.h", R_OK) == 0
               ? NULL
               : "the tree that this was built in is gone";
}

void hn_rt_unload(hn_rt_program *p)
{
    tcc_delete(p->state);
    *p = (hn_rt_program){ 0 };
}

#else

static int load(hn_rt_program *p, const char *text, const hn_rt_compiler *k, char *error,
                size_t size)
{
    (void)p, (void)text, (void)k;
    return snprintf(error, size, "%s", hn_rt_lacks()), -1;
}

const char *hn_rt_lacks(void) { return "built without libtcc (Debian's libtcc-dev)"; }

void hn_rt_unload(hn_rt_program *p) { (void)p; }

#endif

int hn_rt_compile(hn_rt_program *p, const hn_case *c, const hn_rt_compiler *compiler, char *error,
                  size_t size)
{
    static const hn_rt_compiler plain;
    const hn_rt_compiler *const k = compiler ? compiler : &plain;
    cg_error why;
    char *text = generate(c, &why);
    if (!text) return snprintf(error, size, "the generator: %s", why.text), -1;
    for (const hn_rt_edit *e = k->edits; e && e->from && text; e++) text = edited(text, e);
    if (!text) return snprintf(error, size, "nothing to edit"), -1;
    const int status = load(p, text, k, error, size);
    free(text);
    return status;
}
