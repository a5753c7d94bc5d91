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

/* All of argument n. */
static void at(const view *v, int n)
{
    fputs("ck_at(r, ", v->out);
    offset(v, n);
    fputc(')', v->out);
}

/* The same from the first row of the pass on, rows of `width`. */
static void row(const view *v, int n, size_t width)
{
    fputs("ck_row(r, ", v->out);
    offset(v, n);
    fprintf(v->out, ", %zu)", width);
}

/* ".name = <all of argument n>," or nothing if it is not given. */
static void whole(const view *v, const char *name, int n)
{
    if (!place(v, n)) return;
    fprintf(v->out, "        .%s = ", name);
    at(v, n);
    fputs(",\n", v->out);
}

/* The same of what lies `ahead` floats behind it. */
static void second_half(const view *v, const char *name, int n, size_t ahead)
{
    if (!place(v, n)) return;
    fprintf(v->out, "        .%s = ", name);
    at(v, n);
    fprintf(v->out, " + %zu,\n", ahead);
}

/* ".name = <argument n from the first row of the pass on>," likewise. */
static void rows(const view *v, const char *name, int n, size_t width)
{
    if (!place(v, n)) return;
    fprintf(v->out, "        .%s = ", name);
    row(v, n, width);
    fputs(",\n", v->out);
}

/* The same of head h, whose rows are `t` apart from the next head's. */
static void head(const view *v, const char *name, int n, size_t t, size_t width)
{
    fprintf(v->out, "            .%s = ", name);
    row(v, n, width);
    fprintf(v->out, " + h * %zu,\n", t * width);
}

static void begin(const view *v, const char *type)
{
    fprintf(v->out, "    const %s a = {\n", type);
}

/* The call of the step's entry, between `before` and `after`. */
static void enter(const view *v, const char *before, const char *after)
{
    char entry[CG_ENTRY];
    cg_step_entry(v->s, &v->p->layout, entry);
    fprintf(v->out, "%s%s(&a);\n%s", before, entry, after);
}

static void call(const view *v) { enter(v, "    };\n    return ", ""); }

/* The call, after which the pad lanes of y, those from `d` on, are cleared. */
static void call_and_clear(const view *v, size_t d, size_t width)
{
    if (d == width) {
        call(v);
        return;
    }
    enter(v, "    };\n    const int status = ", "");
    fprintf(v->out,
            "    if (status == 0) ck_clear_pads(a.y, r->rows, %zu, %zu);\n    return status;\n", d,
            width);
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

/* Blocks are decoded whole, and what they have in pad lanes is cleared. */
static void emit_embed(const view *v)
{
    const cg_place *const y = place(v, 0);
    const size_t width = y->dim[1], d = used(v, last_dim(y));
    const size_t block = cg_block(cg_step_format(v->s, &v->p->layout));
    const bool whole_blocks = d % block == 0;
    begin(v, "ck_embedding_args");
    rows(v, "y", 0, width);
    fputs("        .ids = r->tokens,\n", v->out);
    whole(v, "w", 1);
    rows(v, "pos", 2, width);
    fprintf(v->out,
            "        .t = r->rows, .vocab = %zu, .d = %zu, .cols = %zu, .ldy = %zu, .ldw = %zu, "
            ".ldp = %zu,\n",
            place(v, 1)->dim[0], whole_blocks ? d : width, width, width, width / block, width);
    if (whole_blocks) {
        call(v);
        return;
    }
    call_and_clear(v, d, width);
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
    at(v, 1);
    fprintf(v->out,
            ",\n"
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

/* Heads lie apart in q, k and v, and side by side in a row of y. */
static void emit_attention(const view *v)
{
    const cg_place *const q = place(v, 2), *const k = place(v, 3);
    const size_t width = q->dim[2], apart = q->dim[1] * width;
    const size_t d = v->p->graph.config.head_dim;
    begin(v, "ck_attention_args");
    rows(v, "y", 0, q->dim[0] * width);
    rows(v, "q", 2, width);
    whole(v, "k", 3);
    whole(v, "v", 4);
    fprintf(v->out,
            "        .heads = %zu, .kv_heads = %zu, .tq = r->rows, .tk = r->first + r->rows,\n"
            "        .d = %zu, .cols = %zu, .ldy = %zu, .ldq = %zu, .ldk = %zu, .ldv = %zu,\n"
            "        .head_y = %zu, .head_q = %zu, .head_k = %zu, .head_v = %zu, .scale = ",
            q->dim[0], k->dim[0], d, width, q->dim[0] * width, width, width, width, width, apart,
            apart, apart);
    cg_emit_float((float)(1 / sqrt((double)d)), v->out);
    fputs(",\n", v->out);
    call(v);
}

/* The rows of a pass into the caches, whose heads lie apart as those of k and v do. */
static void emit_kv_write(const view *v)
{
    const cg_place *const k = place(v, 2);
    const size_t width = k->dim[2], apart = k->dim[1] * width;
    begin(v, "ck_kv_args");
    whole(v, "k_cache", 0);
    whole(v, "v_cache", 1);
    rows(v, "k", 2, width);
    rows(v, "v", 3, width);
    fprintf(v->out,
            "        .kv_heads = %zu, .t = r->rows, .position = r->first, .room = %zu, .d = %zu,\n"
            "        .cols = %zu, .ldy = %zu, .ldx = %zu, .head_y = %zu, .head_x = %zu,\n",
            k->dim[0], k->dim[1], v->p->graph.config.head_dim, width, width, width, apart, apart);
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
    row(v, 1, 2 * width);
    fprintf(v->out, " + %zu,\n", width);
    emit_binary(v, width, 2 * width);
}

/* A loop over heads around a call whose arguments `print` prints. */
static void each_head(const view *v, size_t heads, const char *type, void (*print)(const view *v))
{
    fprintf(v->out, "    for (size_t h = 0; h < %zu; h++) {\n        const %s a = {\n", heads,
            type);
    print(v);
    enter(v, "        };\n        const int status = ",
          "        if (status != 0) return status;\n    }\n    return 0;\n");
}

/* A norm a head, since heads lie apart. */
static void emit_head_norm(const view *v)
{
    each_head(v, place(v, 0)->dim[0], "ck_rmsnorm_args", print_head_norm);
}

static const char *product_args(const view *v)
{
    return cg_step_format(v->s, &v->p->layout) == CK_DTYPE_F32 ? "ck_gemm_args" : "ck_gemm_w_args";
}

/* m, n, k and strides of a product y = x w^T, rows of y being `ldy` apart. Of rows in blocks all is read, pad
 * lanes too: those of x are +0 and those of w finite, so that they add nothing. */
static void shape(const view *v, const cg_place *x, size_t n, size_t ldy)
{
    const size_t width = x->elements / x->dim[0];
    const size_t block = cg_block(cg_step_format(v->s, &v->p->layout));
    const size_t k = block == 1 && x->dims == 2 ? used(v, last_dim(x)) : width;
    fprintf(v->out, ".m = r->rows, .n = %zu, .k = %zu, .ldy = %zu, .lda = %zu, .ldb = %zu,", n, k,
            ldy, width, width / block);
}

/* The factor that only products of floats have. */
static void alpha(const view *v)
{
    fputs(cg_step_format(v->s, &v->p->layout) == CK_DTYPE_F32 ? " .alpha = 1,\n" : "\n", v->out);
}

/* A row of x is one row, or all heads of a position side by side. */
static void emit_linear(const view *v)
{
    const size_t n = place(v, 0)->dim[1];
    begin(v, product_args(v));
    rows(v, "y", 0, n);
    rows(v, "a", 1, place(v, 1)->elements / place(v, 1)->dim[0]);
    whole(v, "b", 2);
    whole(v, "bias", 3);
    fputs("        ", v->out);
    shape(v, place(v, 1), n, n);
    alpha(v);
    call(v);
}

/* ".b = <the weights of head h>,": n rows of k elements a head, in bytes where they may be in blocks. */
static void head_weights(const view *v, size_t n, size_t k)
{
    const ck_dtype format = cg_step_format(v->s, &v->p->layout);
    const bool floats = format == CK_DTYPE_F32;
    fputs(floats ? "            .b = ck_at(r, " : "            .b = r->arena + ", v->out);
    offset(v, 2);
    fprintf(v->out, "%s + h * %zu,\n", floats ? ")" : "",
            floats ? n * k : n * cg_row_bytes(format, k));
}

static void print_head_linear(const view *v)
{
    const cg_place *const y = place(v, 0), *const x = place(v, 1);
    const size_t n = y->dim[2], k = x->dim[1];
    head(v, "y", 0, y->dim[1], n);
    fputs("            .a = ", v->out);
    row(v, 1, k);
    fputs(",\n", v->out);
    head_weights(v, n, k);
    if (place(v, 3)) {
        fputs("            .bias = ", v->out);
        at(v, 3);
        fprintf(v->out, " + h * %zu,\n", n);
    }
    fputs("            ", v->out);
    shape(v, x, n, n);
    alpha(v);
}

/* y_h = x w_h^T + b_h: a product a head, since heads lie apart. */
static void emit_head_linear(const view *v)
{
    each_head(v, place(v, 0)->dim[0], product_args(v), print_head_linear);
}

/* Gate and factor are the two halves of w. */
static void emit_linear_swiglu(const view *v)
{
    const cg_place *const y = place(v, 0), *const x = place(v, 1);
    const size_t width = y->dim[1], n = used(v, last_dim(y)), ld = x->dim[1];
    begin(v, "ck_gemm_glu_args");
    rows(v, "y", 0, width);
    rows(v, "a", 1, ld);
    whole(v, "b", 2);
    second_half(v, "d", 2, width * ld);
    whole(v, "bias_b", 3);
    second_half(v, "bias_d", 3, width);
    fprintf(v->out,
            "        .m = r->rows, .n = %zu, .k = %zu, .ldy = %zu, .lda = %zu, .ldb = %zu, .ldd = "
            "%zu,\n",
            n, used(v, last_dim(x)), width, ld, ld, ld);
    call_and_clear(v, n, width);
}

/* c is added to the product. A row of x is one row, or all heads of a position side by side. */
static void emit_linear_add(const view *v)
{
    const cg_place *const y = place(v, 0), *const x = place(v, 2);
    const size_t width = y->dim[1], n = used(v, last_dim(y)), ld = x->elements / x->dim[0];
    const bool floats = cg_step_format(v->s, &v->p->layout) == CK_DTYPE_F32;
    begin(v, product_args(v));
    rows(v, "y", 0, width);
    rows(v, "a", 2, ld);
    whole(v, "b", 3);
    rows(v, "c", 1, width);
    whole(v, "bias", 4);
    fputs("        ", v->out);
    shape(v, x, n, width);
    fprintf(v->out, " .ldc = %zu,\n%s", width, floats ? "        .alpha = 1, .beta = 1,\n" : "");
    call_and_clear(v, n, width);
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
    [cg_k_head_merge] = { "gemm.h", emit_linear },
    [cg_k_add] = { "binary.h", emit_add },
    [cg_k_swiglu] = { "binary.h", emit_swiglu },
    [cg_k_linear_swiglu] = { "gemm.h", emit_linear_swiglu },
    [cg_k_linear_add] = { "gemm.h", emit_linear_add },
    [cg_k_head_merge_add] = { "gemm.h", emit_linear_add },
    [cg_k_kv_write] = { "kv.h", emit_kv_write },
};

const char *cg_kernel_header(cg_kernel_id kernel) { return emitters[kernel].header; }

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
