/* SPDX-License-Identifier: MIT */
/* References of products of blocks by blocks: integer sums of a block, exact, times its scales. */
#include "decode.h"
#include "f16.h"
#include "product.h"

enum { HELD = 4096 /* weights of a row that are decoded once for all rows of a */, MOST = 256 };
enum { PACKED = 8, MOST_BYTES = 210, SUB_BLOCKS = 8, BSUMS = 16 };

/* The weights' format and that of a: where codes begin and scales lie. */
typedef struct format {
    size_t elements, bytes, scale;
    ref_decode_fn *decode;
    int has_minimum;
    size_t a_bytes, a_codes;
    ref_unpack_fn *unpack; /* NULL, or PACKED rows of b are interleaved */
} format;

/* Weights as integers: codes times sub-scales, sub-minimums; and what multiplies them. */
typedef struct block {
    double d, m;
    const short *codes;
    short minimums[SUB_BLOCKS];
} block;

/* Operands of one output. */
typedef struct rows {
    const format *f;
    const unsigned char *a, *b;
    size_t in_pack; /* which of the interleaved rows */
    size_t held;    /* blocks that are here: all of the row or none */
    block blocks[HELD / 32], one;
    short codes[HELD], one_codes[MOST];
} rows;

static int is_k(const format *f) { return f->elements == 256; }

static double half_at(const unsigned char *p)
{
    return ref_f16_value((uint16_t)(p[0] | p[1] << 8));
}

static double single_at(const unsigned char *p)
{
    float x;
    memcpy(&x, p, sizeof x);
    return (double)x;
}

static int signed_byte(unsigned char b) { return b < 128 ? b : b - 256; }

/* The integers are what the block would decode to if its scale were 1 and its minimum 1 or, where that
 * has no integers of its own, 0. */
static void unpack(const format *f, const unsigned char *from, block *to, short *codes)
{
    unsigned char unit[MOST_BYTES];
    memcpy(unit, from, f->bytes);
    if (f->has_minimum) {
        to->m = half_at(from + 2);
        unit[2] = 0;
        unit[3] = is_k(f) ? 0x3c : 0;
    }
    to->d = half_at(from + f->scale);
    unit[f->scale] = 0;
    unit[f->scale + 1] = 0x3c;
    to->codes = codes;
    for (size_t e = 0; e < f->elements; e++) {
        const ref_element w = f->decode(unit, e);
        codes[e] = (short)w.product;
        if (e % 32 == 0) to->minimums[e / 32] = (short)-w.minimum;
    }
}

/* Block l of the column that r->b begins. */
static void unpack_at(const rows *r, size_t l, block *to, short *codes)
{
    const format *f = r->f;
    unsigned char alone[MOST_BYTES];
    if (!f->unpack) {
        unpack(f, r->b + l * f->bytes, to, codes);
        return;
    }
    f->unpack(r->b + l * PACKED * f->bytes, r->in_pack, alone);
    unpack(f, alone, to, codes);
}

static const block *block_of(rows *r, size_t l)
{
    if (r->held) return &r->blocks[l];
    unpack_at(r, l, &r->one, r->one_codes);
    return &r->one;
}

/* Column `col`: its weights. */
static void hold(rows *r, const ref_gemm_q_args *g, size_t col)
{
    const format *f = r->f;
    const size_t n = g->k / f->elements, packed = f->unpack ? PACKED : 1;
    r->b = g->k ? g->b + col / packed * g->ldb * packed * f->bytes : NULL;
    r->in_pack = col % packed;
    r->held = g->k <= HELD ? n : 0;
    for (size_t l = 0; l < r->held; l++) unpack_at(r, l, &r->blocks[l], r->codes + l * f->elements);
}

/* An integer sum and that of its terms' magnitudes, both below 2^29. */
typedef struct integers {
    double sum, magnitude;
} integers;

static void add(integers *to, int x)
{
    to->sum += x;
    to->magnitude += x < 0 ? -x : x;
}

static integers codes_of(const rows *r, const block *w, size_t l)
{
    const unsigned char *q = r->a + l * r->f->a_bytes + r->f->a_codes;
    integers s = { 0, 0 };
    for (size_t e = 0; e < r->f->elements; e++) add(&s, w->codes[e] * signed_byte(q[e]));
    return s;
}

/* bsums as stored; 1 where a's sum comes with its scale. */
static integers minimums_of(const rows *r, const block *w, size_t l)
{
    const unsigned char *p = r->a + l * r->f->a_bytes + 260;
    integers s = { 0, 0 };
    if (!is_k(r->f)) return (integers){ 1, 1 };
    for (size_t i = 0; i < BSUMS; i++)
        add(&s, w->minimums[i / 2] * (p[2 * i] + 256 * signed_byte(p[2 * i + 1])));
    return s;
}

/* Products of the two blocks' scales, and of the minimum and what it is taken times. Exact. */
static double scales(const rows *r, const block *w, size_t l)
{
    const unsigned char *a = r->a + l * r->f->a_bytes;
    return (is_k(r->f) ? single_at(a) : half_at(a)) * w->d;
}

static double minimum_scales(const rows *r, const block *w, size_t l)
{
    const unsigned char *a = r->a + l * r->f->a_bytes;
    return is_k(r->f) ? -(single_at(a) * w->m) : half_at(a + 2) * w->m;
}

/* Term l of n: of the first `blocks` the codes, of the rest the minimums. */
typedef struct term_of {
    double scale;
    integers i;
} term_of;

static term_of term_at(rows *r, size_t l, size_t n)
{
    const size_t blocks = r->f->has_minimum ? n / 2 : n;
    const block *w = block_of(r, l % blocks);
    if (l < blocks) return (term_of){ scales(r, w, l), codes_of(r, w, l) };
    return (term_of){ minimum_scales(r, w, l - blocks), minimums_of(r, w, l - blocks) };
}

/* What a row of rows needs to know of how many terms there are. */
typedef struct terms_at {
    rows *r;
    size_t n;
} terms_at;

static void get_q(void *at, size_t i, size_t m, double *t)
{
    const terms_at *x = at;
    for (size_t l = 0; l < m; l++) {
        const term_of y = term_at(x->r, i + l, x->n);
        t[l] = y.scale * y.i.sum;
    }
}

static double fine_sum_q(void *at, size_t n)
{
    const terms_at *x = at;
    double s = 0;
    for (size_t l = 0; l < n; l++) {
        const term_of y = term_at(x->r, l, n);
        if (y.i.magnitude > 0) s += fabs(y.scale) * y.i.magnitude;
    }
    return s;
}

/* Products of codes are integers; those of a block of zeros are 0, whatever its scale. A product of
 * scales that is subnormal may not be representable itself. */
static int fine_multiples_q(void *at, size_t n, double unit)
{
    const terms_at *x = at;
    for (size_t l = 0; l < n; l++) {
        const term_of y = term_at(x->r, l, n);
        if (y.i.magnitude == 0 || y.scale == 0) continue;
        if (fabs(y.scale) < REF_MIN_NORMAL || !ref_multiples(&y.scale, 1, unit)) return 0;
    }
    return 1;
}

/* Only where a's scale is an f32: what a subnormal one gives, what products of scales are multiplied by,
 * and whether one of these may overflow. */
static void small_and_large(cell *c, const terms_at *x)
{
    nothing_lost(c);
    if (!is_k(x->r->f)) return;
    for (size_t l = 0; l < x->n; l++) {
        const term_of y = term_at(x->r, l, x->n);
        const size_t blocks = x->r->f->has_minimum ? x->n / 2 : x->n;
        const float d = (float)single_at(x->r->a + l % blocks * x->r->f->a_bytes);
        c->under += y.i.magnitude;
        if (isfinite(y.scale) && fabs(y.scale) > REF_FITS) c->over = 1;
        if (!subnormal(d) || !isfinite(y.scale)) continue;
        c->lost += fabs(y.scale * y.i.sum);
        c->lost_apart += fabs(y.scale) * y.i.magnitude;
    }
    if (c->over) c->raw = INFINITY;
}

static void column(cell *c, const ref_gemm_q_args *g, const ref_tile *tile, size_t j, const sink *k)
{
    const terms_at *x = c->terms.at;
    const size_t col = tile->c0 + j;
    hold(x->r, g, col);
    for (size_t i = 0; i < tile->rows; i++) {
        x->r->a = g->k ? g->a + (tile->r0 + i) * g->lda * x->r->f->a_bytes : NULL;
        c->ep = (epilogue){ .alpha = 1, .bias = g->bias ? g->bias[col] : 0, .low = 1 };
        small_and_large(c, x);
        emit(c, k, i * tile->cols + j);
    }
}

/* y[i,j] = sum_l d_a d_b I_l, with minimums also + sum_l m s or - sum_l d_a dmin J_l, + bias[j]; I_l and
 * J_l the exact integers of block l. With a declared order the terms are whole blocks, minimums apart.
 * In blocks of 256 the product of scales is rounded, and the integer as it becomes a float: two roundings
 * of a term by itself. A kernel of unknown order may keep partial integers of a block in up to 32 float
 * lanes and add those up by a tree, or in 8 and one by one: 8 roundings more than one for each block, one
 * if the product is rounded before it is added, and the two; magnitudes are then those of the element
 * products. Source: gemm.h; docs/oracle.md, "block dot". */
static void products_q(const ref_gemm_q_args *g, const format *f, const ref_tile *tile,
                       const ref_spec *specs, size_t nspecs, ref_out *out)
{
    rows r;
    const size_t sums = f->has_minimum ? 2 : 1, n = sums * (g->k / f->elements);
    terms_at at = { &r, n };
    cell c;
    r.f = f;
    c.terms = (source){ .n = n,
                        .fine = g->k,
                        .more = is_k(f) ? 11 : 9,
                        .parts = sums,
                        .self = is_k(f) ? 2 : 0,
                        .self_directed = is_k(f) ? 2 : 0,
                        .at = &at,
                        .get = get_q,
                        .fine_sum = fine_sum_q,
                        .fine_multiples = fine_multiples_q };
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &c.terms);
        const sink k = { p, first, count, out };
        for (size_t j = 0; j < tile->cols; j++) column(&c, g, tile, j, &k);
    }
}

#define REF(weights, a, elements, bytes, scale, has_minimum, a_bytes, a_codes) \
    REF_OF(weights, weights, a, elements, bytes, scale, has_minimum, a_bytes, a_codes, NULL)
#define REF_OF(name, weights, a, elements, bytes, scale, has_minimum, a_bytes, a_codes, unpack)  \
    ref_fn ref_gemm_nt_##name##_##a;                                                             \
    void ref_gemm_nt_##name##_##a(const void *args, const ref_tile *tile, const ref_spec *specs, \
                                  size_t nspecs, ref_out *out)                                   \
    {                                                                                            \
        static const format f = { elements,    bytes,   scale,   ref_decode_##weights,           \
                                  has_minimum, a_bytes, a_codes, unpack };                       \
        products_q(args, &f, tile, specs, nspecs, out);                                          \
    }
REF(q4_0, q8_0, 32, 18, 0, 0, 34, 2)
REF(q4_1, q8_1, 32, 20, 0, 1, 36, 4)
REF(q4_k, q8_k, 256, 144, 0, 1, 292, 4)
REF(q5_0, q8_0, 32, 22, 0, 0, 34, 2)
REF(q5_1, q8_1, 32, 24, 0, 1, 36, 4)
REF(q5_k, q8_k, 256, 176, 0, 1, 292, 4)
REF(q6_k, q8_k, 256, 210, 208, 0, 292, 4)
REF(q8_0, q8_0, 32, 34, 0, 0, 34, 2)
REF_OF(q4_0x8, q4_0, q8_0, 32, 18, 0, 0, 34, 2, ref_unpack_q4_0x8)
REF_OF(q4_kx8, q4_k, q8_k, 256, 144, 0, 1, 292, 4, ref_unpack_q4_kx8)
#undef REF_OF
#undef REF
