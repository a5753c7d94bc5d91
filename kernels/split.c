/* SPDX-License-Identifier: MIT */
/* The outputs of a call in parts, each a call of the same kernel on a rectangle of them: whole tiles of
 * columns or, where there are too few, of rows; of attention, heads. No sum is cut, so that each output
 * is computed as it is in one call. */
#include "split.h"

#include <stdbool.h>
#include <string.h>

#include "attention.h"
#include "gemm.h"
#include "threads.h"

/* Outputs of a call, in tiles that stay whole, and what they cost. */
typedef struct shape {
    size_t rows, cols, row_tile, col_tile;
    double terms;
} shape;

/* Rows and columns of one part. */
typedef struct rect {
    size_t i, m, j, n;
} rect;

/* A family: its outputs, and how a part of them is computed. */
typedef struct way {
    const char *family;
    shape (*shape)(const ck_call *c);
    void (*run)(const ck_call *c, rect r);
} way;

/* A cache line of floats at least, so that two threads do not write into one. */
static size_t column_tile(const ck_numspec *spec, size_t unit)
{
    const size_t nr = spec->nr ? spec->nr : 1;
    size_t tile = nr;
    while (tile % 16 || tile % unit) tile += nr;
    return tile;
}

static shape product(const ck_call *c, size_t m, size_t n, size_t k, size_t unit)
{
    const size_t mr = c->spec->mr ? c->spec->mr : 1;
    return (shape){ m, n, mr, column_tile(c->spec, unit), (double)m * (double)n * (double)k };
}

/* Elements of `size` bytes; NULL stays NULL. */
static const void *ahead(const void *p, size_t elements, size_t size)
{
    return p ? (const unsigned char *)p + elements * size : NULL;
}

static const float *floats_ahead(const float *p, size_t elements)
{
    return p ? p + elements : NULL;
}

/* How the operands of an op lie: "gemm_nt_..." has rows of both along the sum. */
static bool begins(const ck_call *c, const char *with)
{
    return strncmp(ck_op_stem(c->op), with, strlen(with)) == 0;
}

static bool a_is_down(const ck_call *c) { return begins(c, "gemm_tn_"); }
static bool b_is_down(const ck_call *c) { return !begins(c, "gemm_nt_"); }

/* Of a family of products; `terms` of an output, `unit`: columns that stay together. */
#define SHAPE(family, terms, unit)                   \
    static shape shape_##family(const ck_call *c)    \
    {                                                \
        const ck_##family##_args *const g = c->args; \
        return product(c, g->m, g->n, terms, unit);  \
    }
SHAPE(gemm, g->k, 1)
SHAPE(gemm_act, g->k, 1)
SHAPE(gemm_glu, 2 * g->k, 1)
SHAPE(gemm_q, g->k, 1)
SHAPE(gemm_w, g->k, 1)
SHAPE(gemm_wn, g->k, c->of->elements) /* elements of blocks, which stay whole */
SHAPE(gemm_h, g->k, 1)
SHAPE(gemm_i, g->k, 1)
#undef SHAPE

static void run_gemm(const ck_call *c, rect r)
{
    ck_gemm_args g = *(const ck_gemm_args *)c->args;
    g.y += r.i * g.ldy + r.j;
    g.a = floats_ahead(g.a, a_is_down(c) ? r.i : r.i * g.lda);
    g.b = floats_ahead(g.b, b_is_down(c) ? r.j : r.j * g.ldb);
    if (g.beta != 0.0f) g.c += r.i * g.ldc + r.j;
    g.bias = floats_ahead(g.bias, r.j);
    g.m = r.m;
    g.n = r.n;
    c->fn(&g);
}

static shape shape_gemv(const ck_call *c)
{
    const ck_gemv_args *const g = c->args;
    return product(c, 1, g->n, g->k, 1);
}

static void run_gemv(const ck_call *c, rect r)
{
    ck_gemv_args g = *(const ck_gemv_args *)c->args;
    g.y += r.j;
    g.b = floats_ahead(g.b, r.j * g.ldb);
    g.c = floats_ahead(g.c, r.j);
    g.bias = floats_ahead(g.bias, r.j);
    g.n = r.n;
    c->fn(&g);
}

static void run_gemm_act(const ck_call *c, rect r)
{
    ck_gemm_act_args g = *(const ck_gemm_act_args *)c->args;
    g.y += r.i * g.ldy + r.j;
    g.a = floats_ahead(g.a, r.i * g.lda);
    g.b = floats_ahead(g.b, r.j * g.ldb);
    g.bias = floats_ahead(g.bias, r.j);
    g.m = r.m;
    g.n = r.n;
    c->fn(&g);
}

static void run_gemm_glu(const ck_call *c, rect r)
{
    ck_gemm_glu_args g = *(const ck_gemm_glu_args *)c->args;
    g.y += r.i * g.ldy + r.j;
    g.a = floats_ahead(g.a, r.i * g.lda);
    g.b = floats_ahead(g.b, r.j * g.ldb);
    g.d = floats_ahead(g.d, r.j * g.ldd);
    g.bias_b = floats_ahead(g.bias_b, r.j);
    g.bias_d = floats_ahead(g.bias_d, r.j);
    g.m = r.m;
    g.n = r.n;
    c->fn(&g);
}

static void run_gemm_q(const ck_call *c, rect r)
{
    ck_gemm_q_args g = *(const ck_gemm_q_args *)c->args;
    g.y += r.i * g.ldy + r.j;
    g.a = ahead(g.a, r.i * g.lda, c->of->a_bytes);
    g.b = ahead(g.b, r.j * g.ldb, c->of->bytes);
    g.bias = floats_ahead(g.bias, r.j);
    g.m = r.m;
    g.n = r.n;
    c->fn(&g);
}

static void run_gemm_w(const ck_call *c, rect r)
{
    ck_gemm_w_args g = *(const ck_gemm_w_args *)c->args;
    g.y += r.i * g.ldy + r.j;
    g.c = floats_ahead(g.c, r.i * g.ldc + r.j);
    g.a = floats_ahead(g.a, r.i * g.lda);
    g.b = ahead(g.b, r.j * g.ldb, c->of->bytes);
    g.bias = floats_ahead(g.bias, r.j);
    g.m = r.m;
    g.n = r.n;
    c->fn(&g);
}

static void run_gemm_wn(const ck_call *c, rect r)
{
    ck_gemm_wn_args g = *(const ck_gemm_wn_args *)c->args;
    g.y += r.i * g.ldy + r.j;
    g.a = floats_ahead(g.a, r.i * g.lda);
    g.b = ahead(g.b, r.j / c->of->elements, c->of->bytes);
    g.m = r.m;
    g.n = r.n;
    c->fn(&g);
}

/* Bytes of an element of y, whose type is the last of the op's name. */
static size_t gemm_h_bytes(const ck_call *c)
{
    const char *const stem = ck_op_stem(c->op);
    return strcmp(stem + strlen(stem) - 4, "_f32") == 0 ? sizeof(float) : 2;
}

static void run_gemm_h(const ck_call *c, rect r)
{
    ck_gemm_h_args g = *(const ck_gemm_h_args *)c->args;
    g.y = (unsigned char *)g.y + (r.i * g.ldy + r.j) * gemm_h_bytes(c);
    g.a = ahead(g.a, a_is_down(c) ? r.i : r.i * g.lda, c->of->bytes);
    g.b = ahead(g.b, b_is_down(c) ? r.j : r.j * g.ldb, c->of->bytes);
    g.bias = floats_ahead(g.bias, r.j);
    g.m = r.m;
    g.n = r.n;
    c->fn(&g);
}

static void run_gemm_i(const ck_call *c, rect r)
{
    ck_gemm_i_args g = *(const ck_gemm_i_args *)c->args;
    g.y += r.i * g.ldy + r.j;
    g.a = ahead(g.a, r.i * g.lda, c->of->a_bytes);
    g.b = ahead(g.b, r.j * g.ldb, c->of->bytes);
    g.m = r.m;
    g.n = r.n;
    c->fn(&g);
}

static shape shape_attention(const ck_call *c)
{
    const ck_attention_args *const a = c->args;
    const double keys = (double)(a->tk - a->tq) + (double)a->tq / 2;
    return (shape){ a->heads, 1, 1, 1, 2 * (double)a->heads * (double)a->tq * keys * (double)a->d };
}

/* Head by head, since heads of a part may share no keys. */
static void run_attention(const ck_call *c, rect r)
{
    const ck_attention_args *const all = c->args;
    for (size_t h = r.i; h < r.i + r.m; h++) {
        ck_attention_args a = *all;
        const size_t group = h / (all->heads / all->kv_heads);
        a.y += h * a.head_y;
        a.q = floats_ahead(a.q, h * a.head_q);
        a.k = ahead(a.k, group * a.head_k, c->of->bytes);
        a.v = ahead(a.v, group * a.head_v, c->of->bytes);
        a.heads = a.kv_heads = 1;
        c->fn(&a);
    }
}

#define WAY(name)                       \
    {                                   \
#name, shape_##name, run_##name \
    }
static const way ways[] = {
    WAY(gemm),   WAY(gemv),    WAY(gemm_act), WAY(gemm_glu), WAY(gemm_q),
    WAY(gemm_w), WAY(gemm_wn), WAY(gemm_h),   WAY(gemm_i),   WAY(attention),
};
#undef WAY

static const way *find_way(const char *family)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].family, family) == 0) return &ways[i];
    return NULL;
}

/* A call in parts: `each` rows or columns in a part, the last one having what is left. */
typedef struct split {
    const ck_call *c;
    const way *way;
    shape s;
    bool by_rows;
    size_t parts, each;
} split;

static void run_part(const void *context, size_t part)
{
    const split *const s = context;
    const size_t at = part * s->each;
    const bool last = part + 1 == s->parts;
    rect r = { 0, s->s.rows, 0, s->s.cols };
    if (s->by_rows)
        r.i = at, r.m = last ? s->s.rows - at : s->each;
    else
        r.j = at, r.n = last ? s->s.cols - at : s->each;
    s->way->run(s->c, r);
}

/* Several parts a thread, so that one that is late has less to finish. What is less than a tile goes with
 * the tile before: a row alone might be computed otherwise than among others. */
static void divide(const ck_call *c, const way *w, unsigned threads)
{
    enum { PARTS_EACH = 4 };
    const shape s = w->shape(c);
    const size_t down = s.rows / s.row_tile, across = s.cols / s.col_tile;
    const bool by_rows = across < threads && down > across;
    const size_t tiles = by_rows ? down : across, most = (size_t)threads * PARTS_EACH;
    const size_t each = (tiles + most - 1) / most;
    if (threads <= 1 || tiles <= 1) {
        c->fn(c->args);
        return;
    }
    const split whole = {
        c, w, s, by_rows, (tiles + each - 1) / each, each * (by_rows ? s.row_tile : s.col_tile)
    };
    ck_parallel(threads, whole.parts, run_part, &whole);
}

int ck_divides(const char *family) { return find_way(family) != NULL; }

void ck_divide(const char *family, const ck_call *c, unsigned threads)
{
    divide(c, find_way(family), threads);
}

void ck_run_call(const char *family, const ck_call *c)
{
    const way *const w = ck_get_num_threads() > 1 ? find_way(family) : NULL;
    if (w)
        divide(c, w, ck_threads_for(w->shape(c).terms));
    else
        c->fn(c->args);
}
