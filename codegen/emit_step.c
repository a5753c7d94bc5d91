/* SPDX-License-Identifier: MIT */
/* The C of one step, by kernel. */
#include "emit_step.h"

#include <math.h>

/* The step that is printed, and its arguments. */
typedef struct view {
    const cg_program *p;
    const cg_step *s;
    FILE *out;
} view;

static const cg_place *place(const view *v, int n)
{
    const size_t at = v->s->args[n].place;
    return at == CG_ABSENT ? NULL : &v->p->layout.places[at];
}

/* Where argument n lies, as an expression of the layer l. */
static void offset(const view *v, int n)
{
    const cg_place *const at = place(v, n);
    const cg_buffer *b = &cg_buffers[at->id];
    if (b->alias != cg_b_NONE && v->p->graph.config.tied) b = &cg_buffers[b->alias];
    cg_emit_name(b->name, v->out);
    if (b->layer) fputs("(l)", v->out);
}

/* ".name = <all of argument n>," or nothing if it is not given. */
static void whole(const view *v, const char *name, int n)
{
    if (!place(v, n)) return;
    fprintf(v->out, "        .%s = ck_at(r, ", name);
    offset(v, n);
    fputs("),\n", v->out);
}

/* The same from the first row of the pass on, rows of `width`. */
static void rows(const view *v, const char *name, int n, size_t width)
{
    if (!place(v, n)) return;
    fprintf(v->out, "        .%s = ck_row(r, ", name);
    offset(v, n);
    fprintf(v->out, ", %zu),\n", width);
}

/* The same of head h, whose rows are `t` apart from the next head's. */
static void head(const view *v, const char *name, int n, size_t t, size_t width)
{
    fprintf(v->out, "            .%s = ck_row(r, ", name);
    offset(v, n);
    fprintf(v->out, ", %zu) + h * %zu,\n", width, t * width);
}

static void begin(const view *v, const char *type)
{
    fprintf(v->out, "    const %s a = {\n", type);
}

static void call(const view *v)
{
    fprintf(v->out, "    };\n    return %s(&a);\n", cg_kernel_entry(v->s->spec->kernel));
}

/* The width that is used of a place's last dimension. */
static size_t used(const view *v, cg_dim dim)
{
    const cg_config *const c = &v->p->graph.config;
    switch (dim) {
    case CG_DIM_aD: return c->hidden;
    case CG_DIM_aH: return c->head_dim;
    case CG_DIM_aI: return c->intermediate;
    default: return cg_dim_of(dim, c);
    }
}

static cg_dim last_dim(const cg_place *at) { return cg_buffers[at->id].dims[at->dims - 1]; }

/* "ck_row(r, <argument n>, width)" or NULL, and what follows. */
static void row(const view *v, int n, size_t width, const char *then)
{
    if (place(v, n)) {
        fputs("ck_row(r, ", v->out);
        offset(v, n);
        fprintf(v->out, ", %zu)%s", width, then);
    } else {
        fprintf(v->out, "NULL%s", then);
    }
}

static void at(const view *v, int n, const char *then)
{
    if (place(v, n)) {
        fputs("ck_at(r, ", v->out);
        offset(v, n);
        fprintf(v->out, ")%s", then);
    } else {
        fprintf(v->out, "NULL%s", then);
    }
}

static void emit_embed(const view *v)
{
    const cg_place *const y = place(v, 0);
    const size_t width = y->dim[1];
    begin(v, "ck_embedding_args");
    rows(v, "y", 0, width);
    fputs("        .ids = r->tokens,\n", v->out);
    whole(v, "w", 1);
    rows(v, "pos", 2, width);
    fprintf(v->out,
            "        .t = r->rows, .vocab = %zu, .d = %zu, .cols = %zu, .ldy = %zu, .ldw = %zu, "
            ".ldp = %zu,\n",
            place(v, 1)->dim[0], used(v, last_dim(y)), width, width, width, width);
    call(v);
}

static void emit_norm(const view *v)
{
    const cg_place *const y = place(v, 0);
    const size_t width = y->dim[1];
    begin(v, "ck_rmsnorm_args");
    rows(v, "y", 0, width);
    rows(v, "rstd", 1, 1);
    rows(v, "x", 2, width);
    whole(v, "gamma", 3);
    fprintf(
        v->out,
        "        .t = r->rows, .d = %zu, .cols = %zu, .ldy = %zu, .ldr = 1, .ldx = %zu, .eps = ",
        used(v, last_dim(y)), width, width, width);
    cg_emit_float(v->p->graph.config.eps, v->out);
    fputs(",\n", v->out);
    call(v);
}

static void print_head_norm(const view *v)
{
    const cg_place *const x = place(v, 0);
    const size_t width = x->dim[2];
    head(v, "y", 0, x->dim[1], width);
    head(v, "x", 0, x->dim[1], width);
    fputs("            .gamma = ", v->out);
    at(v, 1, ",\n");
    fprintf(v->out,
            "            .t = r->rows, .d = %zu, .cols = %zu, .ldy = %zu, .ldr = 1, .ldx = %zu,\n"
            "            .eps = ",
            v->p->graph.config.head_dim, width, width, width);
    cg_emit_float(v->p->graph.config.eps, v->out);
    fputs(",\n", v->out);
}

/* In place. */
static void emit_rope(const view *v)
{
    const cg_place *const x = place(v, 0);
    const size_t width = x->dim[2], half = place(v, 1)->dim[1], apart = x->dim[1] * width;
    begin(v, "ck_rope_args");
    rows(v, "y", 0, width);
    rows(v, "x", 0, width);
    rows(v, "cos", 1, half);
    rows(v, "sin", 2, half);
    fprintf(
        v->out,
        "        .heads = %zu, .t = r->rows, .rotary = %zu, .d = %zu, .cols = %zu,\n"
        "        .ldy = %zu, .ldx = %zu, .ldc = %zu, .lds = %zu, .head_y = %zu, .head_x = %zu,\n",
        x->dim[0], 2 * half, v->p->graph.config.head_dim, width, width, width, half, half, apart,
        apart);
    call(v);
}

static void emit_attention(const view *v)
{
    const cg_place *const q = place(v, 2), *const k = place(v, 3);
    const size_t width = q->dim[2], apart = q->dim[1] * width;
    const size_t d = v->p->graph.config.head_dim;
    begin(v, "ck_attention_args");
    rows(v, "y", 0, width);
    rows(v, "q", 2, width);
    whole(v, "k", 3);
    whole(v, "v", 4);
    fprintf(v->out,
            "        .heads = %zu, .kv_heads = %zu, .tq = r->rows, .tk = r->first + r->rows,\n"
            "        .d = %zu, .cols = %zu, .ldy = %zu, .ldq = %zu, .ldk = %zu, .ldv = %zu,\n"
            "        .head_y = %zu, .head_q = %zu, .head_k = %zu, .head_v = %zu, .scale = ",
            q->dim[0], k->dim[0], d, width, width, width, width, width, apart, apart, apart, apart);
    cg_emit_float((float)(1 / sqrt((double)d)), v->out);
    fputs(",\n", v->out);
    call(v);
}

/* Shape and leading dimensions of a binary op whose operands begin at a and b. */
static void emit_binary(const view *v, size_t width, size_t ld)
{
    fprintf(v->out,
            "        .t = r->rows, .d = %zu, .cols = %zu, .ldy = %zu, .lda = %zu, .ldb = %zu,\n",
            used(v, last_dim(place(v, 0))), width, width, ld, ld);
    call(v);
}

static void emit_add(const view *v)
{
    const size_t width = place(v, 0)->dim[1];
    begin(v, "ck_binary_args");
    rows(v, "y", 0, width);
    rows(v, "a", 1, width);
    rows(v, "b", 2, width);
    emit_binary(v, width, width);
}

/* Gate and factor lie side by side in a row of x. */
static void emit_swiglu(const view *v)
{
    const size_t width = place(v, 0)->dim[1];
    begin(v, "ck_binary_args");
    rows(v, "y", 0, width);
    rows(v, "a", 1, 2 * width);
    fputs("        .b = ", v->out);
    row(v, 1, 2 * width, "");
    fprintf(v->out, " + %zu,\n", width);
    emit_binary(v, width, 2 * width);
}

/* A loop over heads around a call whose arguments `print` prints. */
static void each_head(const view *v, size_t heads, const char *type, void (*print)(const view *v))
{
    fprintf(v->out, "    for (size_t h = 0; h < %zu; h++) {\n        const %s a = {\n", heads,
            type);
    print(v);
    fprintf(v->out,
            "        };\n        const int status = %s(&a);\n"
            "        if (status != 0) return status;\n    }\n    return 0;\n",
            cg_kernel_entry(v->s->spec->kernel));
}

/* A norm a head, since heads lie apart. */
static void emit_head_norm(const view *v)
{
    each_head(v, place(v, 0)->dim[0], "ck_rmsnorm_args", print_head_norm);
}

static void emit_linear(const view *v)
{
    const cg_place *const y = place(v, 0), *const x = place(v, 1);
    const size_t n = y->dim[1], k = x->dim[1];
    begin(v, "ck_gemm_args");
    rows(v, "y", 0, n);
    rows(v, "a", 1, k);
    whole(v, "b", 2);
    whole(v, "bias", 3);
    fprintf(v->out,
            "        .m = r->rows, .n = %zu, .k = %zu, .ldy = %zu, .lda = %zu, .ldb = %zu, .alpha "
            "= 1,\n",
            n, used(v, last_dim(x)), n, k, k);
    call(v);
}

static void print_head_linear(const view *v)
{
    const cg_place *const y = place(v, 0), *const x = place(v, 1);
    const size_t n = y->dim[2], k = x->dim[1];
    head(v, "y", 0, y->dim[1], n);
    fputs("            .a = ck_row(r, ", v->out);
    offset(v, 1);
    fprintf(v->out, ", %zu),\n            .b = ck_at(r, ", k);
    offset(v, 2);
    fprintf(v->out, ") + h * %zu,\n", n * k);
    if (place(v, 3)) {
        fputs("            .bias = ck_at(r, ", v->out);
        offset(v, 3);
        fprintf(v->out, ") + h * %zu,\n", n);
    }
    fprintf(v->out,
            "            .m = r->rows, .n = %zu, .k = %zu, .ldy = %zu, .lda = %zu, .ldb = %zu, "
            ".alpha = 1,\n",
            n, used(v, last_dim(x)), n, k, k);
}

/* y_h = x w_h^T + b_h: a product a head, since heads lie apart. */
static void emit_head_linear(const view *v)
{
    each_head(v, place(v, 0)->dim[0], "ck_gemm_args", print_head_linear);
}

static void print_head_merge(const view *v)
{
    const cg_place *const y = place(v, 0), *const x = place(v, 1);
    const size_t n = y->dim[1], k = x->dim[2], heads = x->dim[0];
    fputs("            .y = ck_row(r, ", v->out);
    offset(v, 0);
    fprintf(v->out, ", %zu),\n            .c = ck_row(r, ", n);
    offset(v, 0);
    fprintf(v->out, ", %zu),\n", n);
    head(v, "a", 1, x->dim[1], k);
    fputs("            .b = ck_at(r, ", v->out);
    offset(v, 2);
    fprintf(v->out, ") + h * %zu,\n", k);
    if (place(v, 3)) {
        fputs("            .bias = h == 0 ? ck_at(r, ", v->out);
        offset(v, 3);
        fputs(") : NULL,\n", v->out);
    }
    fprintf(v->out,
            "            .m = r->rows, .n = %zu, .k = %zu, .ldy = %zu, .lda = %zu, .ldb = %zu, "
            ".ldc = %zu,\n"
            "            .alpha = 1, .beta = h == 0 ? 0 : 1,\n",
            n, used(v, last_dim(x)), n, k, heads * k, n);
}

/* y = sum_h x_h w_h^T + b, head after head onto y. */
static void emit_head_merge(const view *v)
{
    each_head(v, place(v, 1)->dim[0], "ck_gemm_args", print_head_merge);
}

static const struct emitter {
    const char *header;
    void (*emit)(const view *v);
} emitters[CG_KERNEL_COUNT] = {
    [cg_k_embed] = { "embedding.h", emit_embed },
    [cg_k_norm] = { "norm.h", emit_norm },
    [cg_k_head_norm] = { "norm.h", emit_head_norm },
    [cg_k_linear] = { "gemm.h", emit_linear },
    [cg_k_head_linear] = { "gemm.h", emit_head_linear },
    [cg_k_rope] = { "rope.h", emit_rope },
    [cg_k_attention] = { "attention.h", emit_attention },
    [cg_k_head_merge] = { "gemm.h", emit_head_merge },
    [cg_k_add] = { "binary.h", emit_add },
    [cg_k_swiglu] = { "binary.h", emit_swiglu },
};

const char *cg_kernel_header(cg_kernel_id kernel) { return emitters[kernel].header; }

const char *cg_kernel_entry(cg_kernel_id kernel) { return cg_kernels[kernel].entry; }

/* "step: y = name, x = name, ..." */
static void emit_comment(const view *v)
{
    const cg_kernel *const k = &cg_kernels[v->s->spec->kernel];
    fprintf(v->out, "\n/* %s:", k->name);
    for (int n = 0; k->params[n].name; n++)
        if (place(v, n))
            fprintf(v->out, "%s %s = %s", n ? "," : "", k->params[n].name,
                    cg_buffers[place(v, n)->id].name);
    fputs(" */\n", v->out);
}

void cg_emit_step(const cg_program *p, const cg_step *s, FILE *out)
{
    const view v = { p, s, out };
    bool layered = false;
    for (int n = 0; n < CG_MAX_PARAMS && cg_kernels[s->spec->kernel].params[n].name; n++)
        layered |= place(&v, n) && cg_buffers[place(&v, n)->id].layer;
    emit_comment(&v);
    fprintf(out, "static int %s(const ck_run *r, size_t l)\n{\n", s->spec->name);
    if (!layered) fputs("    (void)l;\n", out);
    emitters[s->spec->kernel].emit(&v);
    fputs("}\n", out);
}
