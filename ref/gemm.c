/* SPDX-License-Identifier: MIT */
/* References of the matrix products: one dot product and one epilogue for every output. */
#include "f16.h"
#include "range.h"
#include "sum.h"

ref_fn ref_gemm_nt_f32, ref_gemm_nn_f32, ref_gemm_tn_f32, ref_gemv_f32, ref_gemm_nt_q8_0_q8_0;

enum { BLOCK = 32, BYTES = 34, BATCH = 8 /* specs that are evaluated at a time */ };

/* The terms of one output, exact in double. */
typedef struct source {
    size_t n;    /* terms: elements or blocks */
    size_t fine; /* elements that they are made of */
    double more; /* roundings that a kernel of unknown order may add to those of n terms */
    void *at;
    /* Terms i .. i + m into t. */
    void (*get)(void *at, size_t i, size_t m, double *t);
    /* NULL: terms are elements. Else the sum of |element product|, and whether all of them are
     * multiples of `unit`. */
    double (*fine_sum)(void *at, size_t n);
    int (*fine_multiples)(void *at, size_t n, double unit);
} source;

/* y = RN(RN(alpha sum) + beta c) + bias; what is absent is 0. */
typedef struct epilogue {
    float alpha, beta, c, bias;
    double low; /* ref_low_bit(alpha) */
} epilogue;

/* What one spec says, for every output alike. */
typedef struct plan {
    const ref_spec *spec;
    ref_fp fp;
    ref_order order;
    double any, height;
    size_t twin; /* the first plan with this order: one replay for both */
} plan;

typedef struct cell {
    source terms;
    epilogue ep;
    double v, s, fine_s; /* sum, absolute sums of terms and elements */
    double add;          /* |beta c| + |bias| */
    double out;          /* the value of the output */
    double products;     /* at least the sum of |product that is no float|; < 0: not known yet */
    double lost;         /* sum of |term with a subnormal operand|, if some spec has DAZ */
    double unit;         /* the last unit asked for, and whether the terms are multiples of it */
    int fine, multiples;
    double nodes[BATCH];
    ref_replay replay;
    double piece[REF_PIECE];
} cell;

static size_t plan_all(plan *p, const ref_spec *specs, size_t nspecs, const source *terms)
{
    const size_t count = nspecs < BATCH ? nspecs : BATCH;
    for (size_t s = 0; s < count; s++) {
        p[s].spec = &specs[s];
        p[s].fp = ref_fp_of(&specs[s]);
        p[s].order = ref_order_of(specs[s].num, terms->n);
        p[s].any = (double)terms->n;
        p[s].height = specs[s].strict ? 0 : ref_height(&p[s].order, 1);
        p[s].twin = 0;
        while (!ref_order_same(&p[p[s].twin].order, &p[s].order)) p[s].twin++;
    }
    return count;
}

/* Terms i .. i + m, kept if they are all. */
static const double *piece(cell *c, size_t i, size_t *m)
{
    const size_t n = c->terms.n;
    *m = n - i < REF_PIECE ? n - i : REF_PIECE;
    if (n > REF_PIECE) c->terms.get(c->terms.at, i, *m, c->piece);
    return c->piece;
}

static void sum(cell *c)
{
    const size_t n = c->terms.n;
    double v0 = 0, v1 = 0, s0 = 0, s1 = 0;
    if (n > 0 && n <= REF_PIECE) c->terms.get(c->terms.at, 0, n, c->piece);
    for (size_t at = 0, m; at < n; at += m) {
        const double *t = piece(c, at, &m);
        size_t i = 0;
        for (; i + 2 <= m; i += 2) {
            v0 += t[i], s0 += fabs(t[i]);
            v1 += t[i + 1], s1 += fabs(t[i + 1]);
        }
        if (i < m) v0 += t[i], s0 += fabs(t[i]);
    }
    c->v = v0 + v1;
    c->s = s0 + s1;
    c->fine_s = c->terms.fine_sum ? c->terms.fine_sum(c->terms.at, n) : c->s;
    c->out =
        ((double)c->ep.alpha * c->v + (double)c->ep.beta * (double)c->ep.c) + (double)c->ep.bias;
    c->add = fabs((double)c->ep.beta * (double)c->ep.c) + fabs((double)c->ep.bias);
}

static double nodes(cell *c, const plan *p, size_t s)
{
    const size_t twin = p[s].twin;
    if (p[s].order.lanes == 0 || c->nodes[twin] >= 0) return c->nodes[twin];
    ref_replay_begin(&c->replay, &p[s].order);
    for (size_t at = 0, m; at < c->terms.n; at += m) {
        const double *t = piece(c, at, &m);
        ref_replay_terms(&c->replay, t, m);
    }
    return c->nodes[twin] = c->replay.nodes;
}

/* The sum of the products that a multiplication apart from the addition rounds. */
static double products(cell *c)
{
    if (c->products >= 0) return c->products;
    double sum = 0;
    for (size_t i = 0; i < c->terms.n && i < 4; i++) /* real data: charge them all */
        if (!ref_is_float(c->piece[i])) return c->products = c->s;
    for (size_t at = 0, m; at < c->terms.n; at += m) {
        const double *t = piece(c, at, &m);
        for (size_t i = 0; i < m; i++) sum += ref_is_float(t[i]) ? 0 : fabs(t[i]);
    }
    return c->products = sum;
}

static int multiples(cell *c, double unit, int fine)
{
    if (unit == c->unit && fine == c->fine) return c->multiples;
    int all = 1;
    if (fine)
        all = c->terms.fine_multiples(c->terms.at, c->terms.n, unit);
    else
        for (size_t at = 0, m; all && at < c->terms.n; at += m) {
            const double *t = piece(c, at, &m);
            all = ref_multiples(t, m, unit);
        }
    c->unit = unit;
    c->fine = fine;
    return c->multiples = all;
}

static int subnormal(float x) { return x != 0 && fabsf(x) < 0x1p-126f; }

static int daz_hits(const epilogue *ep)
{
    return subnormal(ep->alpha) || subnormal(ep->beta) || subnormal(ep->c) || subnormal(ep->bias);
}

/* Whether sums of `capacity` units (2^24 of a float) hold every partial result, in any order: all
 * terms t are multiples of g, all alpha t, beta c and bias of h, sum |t| <= capacity g, the sum
 * with the epilogue <= capacity h, and g, h >= floor, the least float. alpha t is a multiple of h
 * if t is one of h over alpha's lowest bit. Tried with the least g and h that the sums allow. The
 * double sums that decide are themselves exact when the answer is yes. docs/oracle.md, "Radius 0". */
static int exact(cell *c, double capacity, double floor, int fine)
{
    const epilogue *ep = &c->ep;
    const double s = fine ? c->fine_s : c->s;
    const double h = fmax(ref_ceil_pow2((fabs((double)ep->alpha) * s + c->add) / capacity), floor);
    const double bc = (double)ep->beta * (double)ep->c, bias = (double)ep->bias;
    if (h > 0 && !(ref_multiples(&bc, 1, h) && ref_multiples(&bias, 1, h))) return 0;
    if (s == 0 || ep->alpha == 0) return 1;
    const double g = fmax(ref_ceil_pow2(s / capacity), floor);
    return multiples(c, fmax(g, h / ep->low), fine);
}

static int exact_fast(cell *c, const plan *p)
{
    const int fine = p->order.lanes == 0 && c->terms.fine_multiples != NULL;
    const int flush = p->fp.eta_add > 0 || p->fp.daz > 0;
    const double floor = flush ? REF_MIN_NORMAL : 2 * REF_HALF_MIN;
    if (p->fp.daz > 0 && (c->lost > 0 || daz_hits(&c->ep))) return 0;
    return exact(c, 0x1p24, floor, fine);
}

static int is_pow2(float x)
{
    int k;
    return fabsf(frexpf(x, &k)) == 0.5f;
}

/* x times a power of two is rounded only by underflow. */
static ref_fp product_fp(ref_fp fp, float x)
{
    if (is_pow2(x)) fp.u = 0;
    return fp;
}

static double sum_error(cell *c, const plan *p, size_t s)
{
    const ref_loss loss = { .n = (double)c->terms.n,
                            .s = c->s,
                            .any = p[s].any,
                            .height = p[s].height,
                            .nodes = nodes(c, p, s),
                            .products = p[s].spec->num->flags & CK_NUM_MULADD ? products(c) : 0,
                            .lost = p[s].fp.daz > 0 ? c->lost : 0 };
    return ref_sum_error(p[s].fp, &loss) + loss.n * REF_UD * c->s;
}

/* Declared order: the sum's ball, then the epilogue step by step. */
static double radius_declared(cell *c, const plan *p, size_t s)
{
    const ref_fp fp = p[s].fp;
    const epilogue *ep = &c->ep;
    ref_ball y = { c->v, sum_error(c, p, s) };
    if (ep->alpha != 1) y = ref_mul(product_fp(fp, ep->alpha), y, ref_exact((double)ep->alpha));
    if (ep->beta != 0) {
        const ref_ball b = ref_exact((double)ep->beta), x = ref_exact((double)ep->c);
        y = ref_add(fp, y, ref_mul(product_fp(fp, is_pow2(ep->c) ? ep->c : ep->beta), b, x));
    }
    if (ep->bias != 0) y = ref_add(fp, y, ref_exact((double)ep->bias));
    return y.e;
}

/* Unknown order: beta c and bias are terms like the others, which pass through 3 more roundings
 * (alpha, + beta c, + bias): growth(n + more + 3) (|alpha| S + |beta c| + |bias|) with the terms of
 * the finest form. Underflow for each product of elements, of alpha and of beta, flushed or zeroed
 * operands for each operation. docs/oracle.md, "block dot". */
static double radius_any(const cell *c, const plan *p)
{
    const ref_fp fp = p->fp;
    const double n = (double)c->terms.fine, alpha = fabs((double)c->ep.alpha);
    const double s = alpha * c->fine_s + c->add;
    const double g = ref_growth((double)c->terms.n + c->terms.more + 3, fp.u);
    const double one = fp.eta + fp.eta_add + 4 * fp.daz;
    double e = g * s + (n * fmax(alpha, 1) + 3) * one * (1 + g);
    if (fp.daz > 0) {
        e += alpha * c->lost + fp.daz * (fabs((double)c->ep.beta) + fabs((double)c->ep.c) + 1);
        if (subnormal(c->ep.alpha)) e += alpha * c->fine_s;
    }
    return (e + 2 * (n + 4) * REF_UD * s) * (1 + 2 * n * REF_UD) * REF_SLACK;
}

/* Strict: the kernel's n + 3 double roundings and this file's own, then one rounding to float. */
static double strict_error(const cell *c)
{
    const double s = fabs((double)c->ep.alpha) * c->s + c->add;
    return 2 * ref_growth((double)c->terms.n + 3, REF_UD) * s * REF_SLACK;
}

static double radius(cell *c, const plan *p, size_t s)
{
    if (p[s].spec->strict) {
        const double e = strict_error(c);
        /* 2^50: room of 2^3 units for the rounding of the sums that decide */
        if (ref_is_float(c->out) && exact(c, 0x1p50, 0, 0)) return 0;
        return (ref_half_ulp(fabs(c->out) + e) + e) * REF_SLACK;
    }
    if (exact_fast(c, &p[s])) return 0;
    return p[s].order.lanes == 0 ? radius_any(c, &p[s]) : radius_declared(c, p, s);
}

/* Absolute sums of the positive and negative finite terms; which infinities and NaNs there are. */
typedef struct parts {
    double pos, neg;
    unsigned other;
} parts;

static parts split(cell *c)
{
    parts x = { 0, 0, 0 };
    for (size_t at = 0, m; at < c->terms.n; at += m) {
        const double *t = piece(c, at, &m);
        for (size_t i = 0; i < m; i++)
            if (isnan(t[i]))
                x.other |= REF_NAN;
            else if (isinf(t[i]))
                x.other |= t[i] > 0 ? REF_PINF : REF_NINF;
            else if (t[i] > 0)
                x.pos += t[i];
            else
                x.neg -= t[i];
    }
    return x;
}

/* The sum in any order: partial sums lie between -neg and pos, with their roundings. A NaN stays,
 * infinities of both signs meet. With one infinity, or overflow on one side, the other side must
 * not overflow. Kernels of unknown order may multiply an infinite scale with a part of its block,
 * and DAZ an infinity with 0. */
static ref_range range_sum(const cell *c, const parts *x, const plan *p)
{
    const ref_fp fp = p->fp;
    const double grow = 1 + ref_growth(p->any, fp.u), s = x->pos + x->neg;
    const int over = !p->spec->strict;
    const unsigned pos = over && !(x->pos * grow < REF_FITS) ? REF_PINF : 0;
    const unsigned neg = over && !(x->neg * grow < REF_FITS) ? REF_NINF : 0;
    const unsigned can = x->other | pos | neg, both = REF_PINF | REF_NINF;
    ref_range y = { REF_FINITE, { x->pos - x->neg, (grow - 1 + p->any * REF_UD) * s } };
    y.b.e += p->any * (fp.eta + fp.eta_add + 4 * fp.daz) * grow + (fp.daz > 0 ? c->lost : 0);
    /* directed rounding may go on from FLT_MAX where the sum is beyond it */
    if ((pos | neg) && fp.u > 0x1p-24) y.b.e += s;
    y.b.e *= REF_SLACK;
    if (s == 0 && !(fp.daz > 0)) y.b.e = 0; /* nothing but zeros */
    if (x->other & REF_NAN || (x->other & both) == both) return (ref_range){ REF_NAN, y.b };
    if (x->other) {
        y.can = x->other | ((can & both) == both ? (unsigned)REF_NAN : 0u);
        if (fp.daz > 0 || (!p->spec->strict && p->order.lanes == 0 && c->terms.fine_sum))
            y.can |= REF_NAN;
    } else if (pos | neg) {
        const unsigned end = ref_overflow(fp, y.b);
        const int sure = (pos && !neg && end == REF_PINF) || (neg && !pos && end == REF_NINF);
        y.can = sure ? end : REF_FINITE | pos | neg | (pos && neg ? (unsigned)REF_NAN : 0u);
    }
    return y;
}

/* + beta c: a product of its own with CK_NUM_MULADD, else an FMA, in which it cannot overflow; with
 * an unknown order either. In strict mode nothing overflows. */
static ref_range add_product(const plan *p, ref_range y, ref_range beta, ref_range c)
{
    const int muladd = (p->spec->num->flags & CK_NUM_MULADD) != 0;
    const ref_range fused = ref_range_add(p->fp, y, ref_range_product(p->fp, beta, c));
    ref_range z = ref_range_add(p->fp, y, ref_range_mul(p->fp, beta, c));
    if (p->order.lanes == 0 && !muladd) z.can |= fused.can;
    return p->order.lanes == 0 || muladd ? z : fused;
}

static unsigned classes(const cell *c, const parts *x, const plan *p)
{
    const ref_fp fp = p->fp;
    const epilogue *ep = &c->ep;
    ref_range y = range_sum(c, x, p);
    if (ep->alpha != 1) y = ref_range_mul(fp, y, ref_range_of(ep->alpha));
    if (ep->beta != 0) y = add_product(p, y, ref_range_of(ep->beta), ref_range_of(ep->c));
    if (ep->bias != 0) y = ref_range_add(fp, y, ref_range_of(ep->bias));
    if (!p->spec->strict || y.can != REF_FINITE) return y.can;
    if (fabs(y.b.v) - y.b.e > REF_OVER) return y.b.v > 0 ? REF_PINF : REF_NINF;
    return fabs(y.b.v) + y.b.e < REF_OVER ? REF_FINITE : REF_FINITE | REF_PINF;
}

/* Value and radius under one spec. */
static ref_ball judge(cell *c, const plan *p, size_t s)
{
    return (ref_ball){ c->out, radius(c, p, s) };
}

/* The same where infinities, NaNs or large numbers are about: only what every order gives. */
static ref_ball judge_special(cell *c, const plan *p, size_t s, const parts *x)
{
    switch (classes(c, x, &p[s])) {
    case REF_FINITE: return judge(c, p, s);
    case REF_PINF: return (ref_ball){ INFINITY, 0 };
    case REF_NINF: return (ref_ball){ -INFINITY, 0 };
    case REF_NAN: return (ref_ball){ (double)NAN, 0 };
    default: return (ref_ball){ isfinite(c->out) ? c->out : 0, REF_ANY };
    }
}

/* Mean |element product|, what one dropped element would change; else what the epilogue adds. */
static double term(const cell *c)
{
    const double mean =
        fabs((double)c->ep.alpha) * c->fine_s / (double)(c->terms.fine ? c->terms.fine : 1);
    const double t = mean > 0 ? mean : c->add;
    return isfinite(t) ? t : 0;
}

typedef struct sink {
    const plan *p;
    size_t first, count;
    ref_out *out;
} sink;

static void emit(cell *c, const sink *k, size_t i)
{
    for (size_t s = 0; s < k->count; s++) c->nodes[s] = -1;
    c->products = -1;
    c->unit = 0;
    sum(c);
    k->out->term[i] = term(c);
    /* with 2^-2 to spare for growth, which n > 2^21 in directed mode might exceed */
    const double all = c->s + c->fine_s + fabs((double)c->ep.alpha) * c->fine_s + c->add;
    const int special = !(all < (double)FLT_MAX / 4 && c->terms.n < 1u << 21);
    parts x = { 0, 0, 0 };
    if (special) x = split(c);
    for (size_t s = 0; s < k->count; s++) {
        const ref_ball y = special ? judge_special(c, k->p, s, &x) : judge(c, k->p, s);
        const size_t at = (k->first + s) * k->out->n + i;
        k->out->v[at] = y.v;
        k->out->e[at] = y.e;
    }
}

/* Operands of one f32 output: term l is a[l * a_step] b[l * b_step]. */
typedef struct rows_f32 {
    const float *a, *b;
    size_t a_step, b_step;
} rows_f32;

static void get_f32(void *at, size_t i, size_t m, double *t)
{
    const rows_f32 *r = at;
    const float *a = r->a + i * r->a_step, *b = r->b + i * r->b_step;
    for (size_t j = 0; j < m; j++, a += r->a_step, b += r->b_step) t[j] = (double)*a * (double)*b;
}

static double lost_f32(const rows_f32 *r, size_t k)
{
    double lost = 0;
    for (size_t l = 0; l < k; l++) {
        const float a = r->a[l * r->a_step], b = r->b[l * r->b_step];
        if (subnormal(a) || subnormal(b)) lost += fabs((double)a * (double)b);
    }
    return isfinite(lost) ? lost : 0;
}

static int wants_daz(const plan *p, size_t count)
{
    for (size_t s = 0; s < count; s++)
        if (p[s].fp.daz > 0) return 1;
    return 0;
}

/* c and bias of one output, NULL: none. beta = 0: c may be anything, unread. */
static epilogue epilogue_f32(float alpha, float beta, const float *c, const float *bias)
{
    const int adds = beta != 0 && c != NULL;
    return (epilogue){ .alpha = alpha,
                       .beta = adds ? beta : 0,
                       .c = adds ? *c : 0,
                       .bias = bias ? *bias : 0,
                       .low = isfinite(alpha) ? ref_low_bit(alpha) : 0 };
}

/* An f32 product: where term l of row i of A is, a[i * a_row + l * a_term], of column j of B,
 * b[j * b_column + l * b_term], and what is added to y[i,j]. */
typedef struct product {
    const float *a, *b, *c, *bias;
    size_t k, a_row, a_term, b_column, b_term, c_row, bias_row, bias_column;
    float alpha, beta;
} product;

static const float *element(const float *p, size_t offset) { return p ? p + offset : NULL; }

/* y[i,j] = RN(RN(alpha sum_l A[i,l] B[l,j]) + beta c[i,j]) + bias, c unread if beta = 0.
 * Radius: least of any order, height and running for the sum (ref_sum_error), then the epilogue in
 * ball arithmetic; strict 0.5 ulp and double errors; 0 where all sums are exact.
 * Source: gemm.h; docs/oracle.md, "dot". */
static void evaluate(const product *g, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    rows_f32 rows = { NULL, NULL, g->a_term, g->b_term };
    cell c;
    c.terms = (source){ .n = g->k, .fine = g->k, .at = &rows, .get = get_f32 };
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &c.terms);
        const sink k = { p, first, count, out };
        const int daz = wants_daz(p, count);
        for (size_t i = 0; i < tile->rows * tile->cols; i++) {
            const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
            rows.a = g->k ? g->a + row * g->a_row : NULL;
            rows.b = g->k ? g->b + col * g->b_column : NULL;
            c.ep = epilogue_f32(g->alpha, g->beta, element(g->c, row * g->c_row + col),
                                element(g->bias, row * g->bias_row + col * g->bias_column));
            c.lost = daz ? lost_f32(&rows, g->k) : 0;
            emit(&c, &k, i);
        }
    }
}

static product product_of(const ref_gemm_args *g)
{
    return (product){ .a = g->a,
                      .b = g->b,
                      .c = g->c,
                      .bias = g->bias,
                      .k = g->k,
                      .c_row = g->ldc,
                      .bias_column = 1,
                      .alpha = g->alpha,
                      .beta = g->beta };
}

/* A = a [m][k], B = b^T, b [n][k] */
void ref_gemm_nt_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    const ref_gemm_args *g = args;
    product p = product_of(g);
    p.a_row = g->lda, p.a_term = 1;
    p.b_column = g->ldb, p.b_term = 1;
    evaluate(&p, tile, specs, nspecs, out);
}

/* A = a [m][k], B = b [k][n] */
void ref_gemm_nn_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    const ref_gemm_args *g = args;
    product p = product_of(g);
    p.a_row = g->lda, p.a_term = 1;
    p.b_column = 1, p.b_term = g->ldb;
    evaluate(&p, tile, specs, nspecs, out);
}

/* A = a^T, a [k][m], B = b [k][n] */
void ref_gemm_tn_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                     ref_out *out)
{
    const ref_gemm_args *g = args;
    product p = product_of(g);
    p.a_row = 1, p.a_term = g->lda;
    p.b_column = 1, p.b_term = g->ldb;
    evaluate(&p, tile, specs, nspecs, out);
}

/* A = b [n][k], B = x, one column, to which c and bias are parallel. */
void ref_gemv_f32(const void *args, const ref_tile *tile, const ref_spec *specs, size_t nspecs,
                  ref_out *out)
{
    const ref_gemv_args *g = args;
    const product p = { .a = g->b,
                        .b = g->x,
                        .c = g->c,
                        .bias = g->bias,
                        .k = g->k,
                        .a_row = g->ldb,
                        .a_term = 1,
                        .b_term = 1,
                        .c_row = 1,
                        .bias_row = 1,
                        .alpha = g->alpha,
                        .beta = g->beta };
    evaluate(&p, tile, specs, nspecs, out);
}

/* Operands of one block product. */
typedef struct rows_q8_0 {
    const unsigned char *a, *b;
} rows_q8_0;

/* d_a d_b, exact: 22 bits. */
static double scales(const rows_q8_0 *r, size_t l)
{
    const unsigned char *a = r->a + l * BYTES, *b = r->b + l * BYTES;
    return ref_f16_value((uint16_t)(a[0] | a[1] << 8)) *
           ref_f16_value((uint16_t)(b[0] | b[1] << 8));
}

static int code(const unsigned char *block, size_t e)
{
    const int q = block[2 + e];
    return q < 128 ? q : q - 256;
}

/* The sum of the code products of block l, and of their magnitudes: below 2^20. */
static int code_sums(const rows_q8_0 *r, size_t l, int *magnitude)
{
    const unsigned char *a = r->a + l * BYTES, *b = r->b + l * BYTES;
    int sum = 0;
    *magnitude = 0;
    for (size_t e = 0; e < BLOCK; e++) {
        const int q = code(a, e) * code(b, e);
        sum += q;
        *magnitude += q < 0 ? -q : q;
    }
    return sum;
}

/* d_a d_b I, exact: 22 + 20 bits. */
static void get_q8_0(void *at, size_t i, size_t m, double *t)
{
    for (size_t l = 0; l < m; l++) {
        int magnitude;
        const int sum = code_sums(at, i + l, &magnitude);
        t[l] = scales(at, i + l) * sum;
    }
}

static double fine_sum_q8_0(void *at, size_t n)
{
    double s = 0;
    for (size_t l = 0; l < n; l++) {
        int magnitude;
        code_sums(at, l, &magnitude);
        if (magnitude > 0) s += fabs(scales(at, l)) * magnitude;
    }
    return s;
}

/* Products of codes are integers; those of a block of zeros are 0, whatever its scale. */
static int fine_multiples_q8_0(void *at, size_t n, double unit)
{
    for (size_t l = 0; l < n; l++) {
        int magnitude;
        const double d = scales(at, l);
        code_sums(at, l, &magnitude);
        if (magnitude > 0 && !ref_multiples(&d, 1, unit)) return 0;
    }
    return 1;
}

/* y[i,j] = sum_l d_a d_b I_l + bias[j], I_l the exact integer sum of block l. With a declared order
 * the terms are whole blocks. A kernel of unknown order may keep partial integers of a block in up
 * to 32 float lanes and add those up by a tree, or in 8 and one by one: 8 roundings more than one
 * for each block, and one if d_a d_b I is rounded before it is added; magnitudes are then those of
 * the element products. Source: gemm.h; docs/oracle.md, "block dot". */
void ref_gemm_nt_q8_0_q8_0(const void *args, const ref_tile *tile, const ref_spec *specs,
                           size_t nspecs, ref_out *out)
{
    const ref_gemm_q_args *g = args;
    rows_q8_0 rows = { NULL, NULL };
    cell c;
    c.lost = 0; /* halves are normal floats */
    c.terms = (source){ .n = g->k / BLOCK,
                        .fine = g->k,
                        .more = 9,
                        .at = &rows,
                        .get = get_q8_0,
                        .fine_sum = fine_sum_q8_0,
                        .fine_multiples = fine_multiples_q8_0 };
    for (size_t first = 0; first < nspecs; first += BATCH) {
        plan p[BATCH];
        const size_t count = plan_all(p, specs + first, nspecs - first, &c.terms);
        const sink k = { p, first, count, out };
        for (size_t i = 0; i < tile->rows * tile->cols; i++) {
            const size_t row = tile->r0 + i / tile->cols, col = tile->c0 + i % tile->cols;
            rows.a = g->k ? g->a + row * g->lda * BYTES : NULL;
            rows.b = g->k ? g->b + col * g->ldb * BYTES : NULL;
            c.ep = (epilogue){ 1, 0, 0, g->bias ? g->bias[col] : 0, 1 };
            emit(&c, &k, i);
        }
    }
}
