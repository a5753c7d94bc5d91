/* SPDX-License-Identifier: MIT */
/* ckgen: from the description of a decoder to its C. Exit: 0 done, 2 bad input or nothing written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "generate.h"

static const char usage[] =
    "usage: ckgen CONFIG.json | --ir IR.json [options]\n"
    "  -o FILE        write C there, and to FILE.kernels the sources it is linked with;\n"
    "                 without it, C goes to the standard output\n"
    "  --library      what codegen/runtime runs (the default)\n"
    "  --standalone   the same with a main()\n"
    "  --skeleton     a readable sketch\n"
    "  --ctx N        positions; default the model's, at most 2048\n"
    "  --weights FORMAT      weights in f32 (the default), bf16, f16, q4_0, q4_1, q5_0, q5_1,\n"
    "                 q8_0, q4_k, q5_k or q6_k; rows that are no whole blocks get another\n"
    "  --weight NAME=FORMAT  one matrix in another format, which must fit: token_emb,\n"
    "                 lm_head_weight, wq, wk, wv, wo, w1, w2\n"
    "  --fuse WHAT    steps that are made one: mlp, the MLP's first product and its gate, with w1\n"
    "                 in f32; residual, products and the sums behind them; may be repeated\n"
    "  --cache FORMAT keys and values of earlier positions in f32 (the default), bf16 or f16\n"
    "  --guard N      bytes free before and behind each buffer: 0 or 64\n"
    "  --memory N     most bytes of the arena; default 64 GiB\n"
    "  --training     gradients in the layout: for --dump\n"
    "  --ir-out FILE  write the graph\n"
    "  --dump         print the graph, its mirror image, the layout and the plan; no C without "
    "-o\n";

typedef struct options {
    const char *config, *ir, *ir_out, *out;
    size_t context, guard, memory;
    unsigned fuse;
    bool cache_asked;
    ck_dtype cache;
    cg_formats formats;
    int modes; /* how many were given */
    cg_mode mode;
    bool dump, help, training;
} options;

static int read_count(const char *name, const char *text, size_t least, size_t most, size_t *value,
                      cg_error *error)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < least || n > most)
        return cg_fail(error, "%s: \"%.40s\", wanted an integer %zu to %zu", name, text, least,
                       most);
    *value = (size_t)n;
    return 0;
}

/* A flag: whether it is one. */
static bool read_flag(options *o, const char *name)
{
    static const char *const modes[] = { "--library", "--standalone", "--skeleton" };
    if (strcmp(name, "--help") == 0) return o->help = true;
    if (strcmp(name, "--dump") == 0) return o->dump = true;
    if (strcmp(name, "--training") == 0) return o->training = true;
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, modes[i]) != 0) continue;
        o->mode = (cg_mode)i;
        o->modes++;
        return true;
    }
    return false;
}

static int read_fuse(options *o, const char *text, cg_error *error)
{
    for (unsigned fuse = CG_FUSE_MLP; fuse <= CG_FUSE_RESIDUAL; fuse *= 2) {
        if (strcmp(text, cg_fuse_name(fuse)) != 0) continue;
        if (o->fuse & fuse) return cg_fail(error, "--fuse: %s: given twice", text);
        o->fuse |= fuse;
        return 0;
    }
    return cg_fail(error, "--fuse: \"%.40s\", wanted %s or %s", text, cg_fuse_name(CG_FUSE_MLP),
                   cg_fuse_name(CG_FUSE_RESIDUAL));
}

static int read_cache(options *o, const char *text, cg_error *error)
{
    if (o->cache_asked) return cg_fail(error, "--cache: given twice");
    o->cache_asked = true;
    return cg_cache_read(&o->cache, text, error);
}

static int read_value(options *o, const char *name, const char *text, cg_error *error)
{
    const char **const to = strcmp(name, "--ir") == 0       ? &o->ir
                            : strcmp(name, "--ir-out") == 0 ? &o->ir_out
                            : strcmp(name, "-o") == 0       ? &o->out
                                                            : NULL;
    size_t *const number = strcmp(name, "--ctx") == 0      ? &o->context
                           : strcmp(name, "--guard") == 0  ? &o->guard
                           : strcmp(name, "--memory") == 0 ? &o->memory
                                                           : NULL;
    const size_t most = number == &o->context ? CG_MAX_CONTEXT
                        : number == &o->guard ? CG_LINE
                                              : SIZE_MAX;
    const size_t least = number == &o->guard ? 0 : 1;
    const bool all = strcmp(name, "--weights") == 0, one = strcmp(name, "--weight") == 0;
    const bool fuse = strcmp(name, "--fuse") == 0, cache = strcmp(name, "--cache") == 0;
    if (!to && !number && !all && !one && !fuse && !cache)
        return cg_fail(error, "%s: unknown option; ckgen --help lists them", name);
    if (!text) return cg_fail(error, "%s: needs a value", name);
    if (all) return cg_formats_read_all(&o->formats, text, error);
    if (fuse) return read_fuse(o, text, error);
    if (cache) return read_cache(o, text, error);
    if (one) return cg_formats_read_one(&o->formats, text, error);
    if (number) return read_count(name, text, least, most, number, error);
    *to = text;
    return 0;
}

static bool all_in_f32(const cg_formats *f)
{
    bool all = f->all == CK_DTYPE_F32;
    for (size_t i = 0; i < CG_BUFFERS; i++) all &= f->of[i] == CK_DTYPE_F32;
    return all;
}

static int check_options(const options *o, cg_error *error)
{
    if (!o->config == !o->ir)
        return cg_fail(error, "wanted either CONFIG.json or --ir IR.json; see ckgen --help");
    if (o->ir && o->context) return cg_fail(error, "--ctx: not with --ir, which says it");
    if (o->modes > 1)
        return cg_fail(error, "wanted one of --library, --standalone, --skeleton, not %d",
                       o->modes);
    if (o->training && (o->modes || o->out || !o->dump))
        return cg_fail(error, "--training: only with --dump; gradients are not emitted");
    if (o->training && o->fuse)
        return cg_fail(error, "--training: not with --fuse, which keeps less than gradients take");
    if (o->training && o->cache != CK_DTYPE_F32)
        return cg_fail(error, "--training: only with a cache in f32");
    if (o->training && !all_in_f32(&o->formats))
        return cg_fail(error, "--training: only with weights in f32");
    if (o->dump && o->modes && !o->out)
        return cg_fail(error, "--dump: with C only if that goes to a file, by -o");
    return 0;
}

static int read_options(options *o, int argc, char **argv, cg_error *error)
{
    for (int i = 1; i < argc; i++) {
        if (read_flag(o, argv[i])) continue;
        if (argv[i][0] != '-' && !o->config) {
            o->config = argv[i];
            continue;
        }
        if (read_value(o, argv[i], i + 1 < argc ? argv[i + 1] : NULL, error) != 0) return -1;
        i++;
    }
    return o->help ? 0 : check_options(o, error);
}

static int read_graph(const options *o, cg_graph *g, cg_error *error)
{
    cg_config config;
    if (o->ir) return cg_graph_read(g, o->ir, error);
    if (cg_config_read(&config, o->config, o->context, error) != 0) return -1;
    return cg_graph_build(g, &config, error);
}

static int write_ir(const cg_graph *g, const char *path, cg_error *error)
{
    cg_file f;
    if (cg_open(&f, path, error) != 0) return -1;
    cg_graph_write(g, f.file);
    if (cg_finish(&f, error) == 0 && cg_publish(&f, error) == 0) return 0;
    cg_abandon(&f);
    return -1;
}

static int dump(const cg_program *p, cg_error *error)
{
    cg_graph backward = { 0 };
    if (cg_graph_reverse(&backward, &p->graph, error) != 0) return -1;
    cg_graph_dump(&p->graph, stdout);
    cg_graph_dump(&backward, stdout);
    cg_layout_dump(&p->layout, stdout);
    cg_plan_dump(&p->plan, &p->graph, &p->layout, stdout);
    cg_graph_free(&backward);
    return 0;
}

static int write_all(const options *o, const cg_program *p, cg_error *error)
{
    if (o->dump && dump(p, error) != 0) return -1;
    if (o->ir_out && write_ir(&p->graph, o->ir_out, error) != 0) return -1;
    if (o->out) return cg_emit_file(p, o->mode, o->out, error);
    const bool emitted = o->modes || (!o->dump && !o->ir_out);
    return emitted ? cg_emit(p, o->mode, stdout, error) : 0;
}

/* Takes the graph over. */
static int run_graph(const options *o, cg_graph *g, cg_error *error)
{
    ck_dtype *const formats = cg_formats_choose(&o->formats, &g->config, error);
    const cg_layout_options layout = { .training = o->training,
                                       .fuse = o->fuse,
                                       .guard = o->guard,
                                       .cap = o->memory,
                                       .dtype = formats,
                                       .cache = o->cache };
    cg_program p = { 0 };
    int status = -1;
    if (formats && cg_program_make(&p, g, o->ir ? o->ir : o->config, &layout, error) == 0)
        status = write_all(o, &p, error);
    cg_program_free(&p);
    free(formats);
    return status;
}

static int run(const options *o, cg_error *error)
{
    cg_graph g = { 0 };
    if (read_graph(o, &g, error) != 0) return -1;
    const int status = run_graph(o, &g, error);
    cg_graph_free(&g);
    return status;
}

int main(int argc, char **argv)
{
    cg_error error;
    options o = { 0 };
    int status = read_options(&o, argc, argv, &error);
    if (status == 0 && o.help)
        fputs(usage, stdout);
    else if (status == 0)
        status = run(&o, &error);
    if (status == 0 && fflush(stdout) != 0) status = cg_fail(&error, "stdout: %s", strerror(errno));
    if (status != 0) fprintf(stderr, "ckgen: %s\n", error.text);
    return status == 0 ? 0 : 2;
}
