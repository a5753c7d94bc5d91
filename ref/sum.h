/* SPDX-License-Identifier: MIT */
/* The radius of a float sum: its declared order, its height, the replay of its tree, exactness. */
#ifndef REF_SUM_H
#define REF_SUM_H

#include "ball.h"

enum {
    REF_SLOTS = 512, /* most partial sums, lanes * accs, of an order that is replayed */
    REF_PIECE = 2048 /* terms that are held at a time */
};

/* How n terms are added up, in the words of ck_numspec.h. lanes = 0: in any order. */
typedef struct ref_order {
    size_t n, chunk;
    unsigned lanes, accs, tail, tree;
} ref_order;

static inline int ref_tree_ok(unsigned count, unsigned tree)
{
    return tree != CK_TREE_HALVING || (count & (count - 1)) == 0;
}

/* An order that cannot be followed (too wide, halving of a count that is no power of two) gets the
 * bound of any order, which is always right. */
static inline ref_order ref_order_of(const ck_numspec *num, size_t n)
{
    ref_order o = { n,          num->kc ? num->kc : n,
                    num->lanes, num->accs ? num->accs : 1,
                    num->tail,  num->tree };
    if (o.lanes > REF_SLOTS || o.accs > REF_SLOTS || o.lanes * o.accs > REF_SLOTS ||
        !ref_tree_ok(o.lanes, o.tree) || !ref_tree_ok(o.accs, o.tree))
        o.lanes = 0;
    return o;
}

static inline int ref_order_same(const ref_order *a, const ref_order *b)
{
    return a->n == b->n && a->chunk == b->chunk && a->lanes == b->lanes && a->accs == b->accs &&
           a->tail == b->tail && a->tree == b->tree;
}

/* Of one chunk of len terms: those of whole steps, of whole vectors, and how many lanes of
 * accumulator 0, how many accumulators, get any term at all. Adding an untouched one adds an exact
 * zero. With CK_TAIL_SCALAR the last len - whole terms follow after the trees. */
typedef struct ref_cut {
    size_t len, main, whole;
    unsigned lanes, accs;
} ref_cut;

static inline ref_cut ref_cut_of(const ref_order *o, size_t len)
{
    const size_t step = (size_t)o->lanes * o->accs, whole = len - len % o->lanes;
    const unsigned in_tail = o->tail == CK_TAIL_LANE ? (unsigned)(len - whole) : 0;
    return (ref_cut){ len, len - len % step, whole, whole ? o->lanes : in_tail,
                      len >= step ? o->accs : 1 };
}

/* Heights: roundings on the worst way of a term; -1 for an untouched sum, adding which is exact. */
static inline double ref_join(double a, double b)
{
    return a < 0 ? b : b < 0 ? a : (a > b ? a : b) + 1;
}

static inline double ref_tree_height(double *h, unsigned count, unsigned tree)
{
    if (tree == CK_TREE_HALVING)
        for (unsigned half = count / 2; half > 0; half /= 2)
            for (unsigned l = 0; l < half; l++) h[l] = ref_join(h[l], h[l + half]);
    else
        for (unsigned l = 1; l < count; l++) h[0] = ref_join(h[0], h[l]);
    return h[0];
}

/* A chain of c terms: the first meets an exact zero, the others are added, c - 1 roundings. A
 * product is rounded before, or, by FMA, while it is added: leaf = 1 more for the first, which
 * everywhere is the worst. */
static inline double ref_chain_height(size_t c, int leaf)
{
    return c == 0 ? -1 : (double)(c - 1) + leaf;
}

static inline double ref_chunk_height(const ref_order *o, size_t len, int leaf)
{
    const ref_cut cut = ref_cut_of(o, len);
    const size_t steps = cut.main / ((size_t)o->lanes * o->accs);
    const size_t left = (cut.whole - cut.main) / o->lanes, tail = len - cut.whole;
    double lane[REF_SLOTS], acc[REF_SLOTS];
    lane[0] = acc[0] = -1;
    double kind[2]; /* of lanes without and with a term of the tail */
    for (size_t own = 0; own < 2; own++) {
        for (unsigned a = 0; a < o->accs; a++)
            acc[a] = ref_chain_height(steps + (a == 0 ? left + own : 0), leaf);
        kind[own] = ref_tree_height(acc, o->accs, o->tree);
    }
    for (unsigned l = 0; l < o->lanes; l++) lane[l] = kind[o->tail == CK_TAIL_LANE && l < tail];
    double h = ref_tree_height(lane, o->lanes, o->tree);
    if (o->tail == CK_TAIL_SCALAR)
        for (size_t i = 0; i < tail; i++) h = ref_join(h, leaf);
    return h;
}

/* Exactly the most roundings that any term passes through; leaf: 1 for products, 0 for floats that
 * are only added. Any order: each of n - 1 additions at worst. */
static inline double ref_height(const ref_order *o, int leaf)
{
    if (o->n == 0) return 0;
    if (o->lanes == 0) return (double)(o->n - 1) + leaf;
    const size_t chunks = o->n / o->chunk, rest = o->n % o->chunk;
    const double full = chunks ? ref_chunk_height(o, o->chunk, leaf) : -1;
    const double last = rest ? ref_chunk_height(o, rest, leaf) : -1;
    double h = full; /* full chunks: the first one goes through all of the chain's additions */
    if (chunks > 1) h += (double)(chunks - 1);
    return ref_join(h, last);
}

/* The replay of a tree in double: `nodes` is the sum of |s| over all sums that are rounded. */
typedef struct ref_replay {
    ref_order order;
    ref_cut cut;
    size_t at, done; /* within the chunk; in all */
    double nodes, chunk_sum, total;
    double s[REF_SLOTS];
} ref_replay;

static inline void ref_replay_chunk(ref_replay *r)
{
    const ref_order *o = &r->order;
    const size_t left = o->n - r->done;
    r->cut = ref_cut_of(o, left < o->chunk ? left : o->chunk);
    r->at = 0;
    memset(r->s, 0, sizeof *r->s * o->lanes * o->accs);
}

static inline void ref_replay_begin(ref_replay *r, const ref_order *order)
{
    r->order = *order;
    r->done = 0;
    r->nodes = r->chunk_sum = r->total = 0;
    ref_replay_chunk(r);
}

/* s[i] += s[j] for whole rows of `width` slots; rows from `live` on are untouched, so exact. */
static inline void ref_replay_row(ref_replay *r, size_t i, size_t j, unsigned width)
{
    double nodes = 0;
    for (unsigned l = 0; l < width; l++) {
        r->s[i + l] += r->s[j + l];
        nodes += fabs(r->s[i + l]);
    }
    r->nodes += nodes;
}

static inline void ref_replay_tree(ref_replay *r, unsigned count, unsigned live, unsigned width)
{
    if (r->order.tree == CK_TREE_HALVING)
        for (unsigned half = count / 2; half > 0; half /= 2) {
            for (unsigned l = 0; l < half && l + half < live; l++)
                ref_replay_row(r, (size_t)l * width, (size_t)(l + half) * width, width);
            if (live > half) live = half;
        }
    else
        for (unsigned l = 1; l < live; l++) ref_replay_row(r, 0, (size_t)l * width, width);
}

static inline void ref_replay_trees(ref_replay *r)
{
    ref_replay_tree(r, r->order.accs, r->cut.accs, r->order.lanes);
    ref_replay_tree(r, r->order.lanes, r->cut.lanes, 1);
    r->chunk_sum = r->cut.lanes ? r->s[0] : 0;
}

/* Whole steps, four slots at a time to keep four chains going. step is a multiple of 4. */
static inline void ref_replay_steps(ref_replay *r, const double *t, size_t steps, size_t step)
{
    for (size_t l = 0; l < step; l += 4) {
        double s0 = r->s[l], s1 = r->s[l + 1], s2 = r->s[l + 2], s3 = r->s[l + 3];
        double n0 = 0, n1 = 0, n2 = 0, n3 = 0;
        for (size_t i = 0; i < steps; i++) {
            const double *p = t + i * step + l;
            n0 += fabs(s0 += p[0]);
            n1 += fabs(s1 += p[1]);
            n2 += fabs(s2 += p[2]);
            n3 += fabs(s3 += p[3]);
        }
        r->s[l] = s0, r->s[l + 1] = s1, r->s[l + 2] = s2, r->s[l + 3] = s3;
        r->nodes += (n0 + n1) + (n2 + n3);
    }
}

/* One chain of m terms, from *s. */
static inline void ref_replay_chain(ref_replay *r, double *s, const double *t, size_t m)
{
    double sum = *s, nodes = 0;
    for (size_t i = 0; i < m; i++) nodes += fabs(sum += t[i]);
    *s = sum;
    r->nodes += nodes;
}

/* Some of the next m terms, at least one; gives how many. None of them is beyond the chunk. */
static inline size_t ref_replay_some(ref_replay *r, const double *t, size_t m)
{
    const size_t step = (size_t)r->order.lanes * r->order.accs, at = r->at;
    if (at < r->cut.main && step == 1) {
        ref_replay_chain(r, r->s, t, m = m < r->cut.main - at ? m : r->cut.main - at);
        return m;
    }
    if (at < r->cut.main && step % 4 == 0 && at % step == 0 && m >= step) {
        const size_t steps = (m < r->cut.main - at ? m : r->cut.main - at) / step;
        ref_replay_steps(r, t, steps, step);
        return steps * step;
    }
    const size_t lanes = r->order.lanes;
    if (at == r->cut.main && lanes % 4 == 0 && m >= r->cut.whole - at && at < r->cut.whole) {
        ref_replay_steps(r, t, (r->cut.whole - at) / lanes, lanes);
        return r->cut.whole - at;
    }
    if (at < r->cut.whole || r->order.tail == CK_TAIL_LANE) {
        /* the main part goes to all slots in turn; the rest to accumulator 0, the first lanes */
        const size_t slot = at < r->cut.main ? at % step : (at - r->cut.main) % lanes;
        ref_replay_chain(r, &r->s[slot], t, 1);
        return 1;
    }
    if (at == r->cut.whole) ref_replay_trees(r);
    ref_replay_chain(r, &r->chunk_sum, t, m = m < r->cut.len - at ? m : r->cut.len - at);
    return m;
}

/* The next m terms. */
static inline void ref_replay_terms(ref_replay *r, const double *t, size_t m)
{
    while (m > 0) {
        const size_t k = ref_replay_some(r, t, m);
        t += k, m -= k, r->at += k, r->done += k;
        if (r->at < r->cut.len) continue;
        if (r->order.tail == CK_TAIL_LANE || r->cut.whole == r->cut.len) ref_replay_trees(r);
        r->total += r->chunk_sum;
        if (r->done > r->cut.len) r->nodes += fabs(r->total);
        if (r->done < r->order.n) ref_replay_chunk(r);
    }
}

/* What a sum of floats or of products loses: its terms' absolute sum, the height of its order, and
 * what the replay found (nodes < 0: not replayed). */
typedef struct ref_loss {
    double n, s, any, height; /* terms, their absolute sum, roundings at worst, as declared */
    double nodes, products;   /* sum of |rounded sum|, of |separately rounded product| */
    double lost;              /* sum of the terms that have an operand which may be taken as 0 */
} ref_loss;

/* Absolute error of the sum, for the arithmetic fp: the least of
 *   any      growth(any) s
 *   height   growth(height) s
 *   running  u (nodes + products) (1 + growth(height)): computed c' = (a' + b')(1 + d) gives, for
 *            errors E, E_c <= (E_a + E_b)(1 + u) + u |c|, so E = sum u |c| (1 + u)^(ways above c).
 *            The replay's own nodes are off by at most height REF_UD of their absolute sums, which
 *            add up to height s: u REF_UD height^2 s.
 * and underflow: eta for each product, eta_add for each addition, its two operands if taken as 0
 * (products and sums: 2n operations, 4n operands), carried on by at most 1 + growth. */
static inline double ref_sum_error(ref_fp fp, const ref_loss *l)
{
    const double any = ref_growth(l->any, fp.u), height = ref_growth(l->height, fp.u);
    const double under = l->n * (fp.eta + fp.eta_add + 4 * fp.daz) + l->lost;
    const double worst = fmin(any, height);
    double e = worst * l->s;
    if (l->nodes >= 0) {
        const double own = fp.u * REF_UD * l->height * l->height * l->s;
        e = fmin(e, fp.u * (l->nodes + l->products) * (1 + height) + own);
    }
    return (e + under * (1 + worst)) * (1 + 2 * l->n * REF_UD) * REF_SLACK;
}

/* Whether all m terms are multiples of the power of two `unit`. Requires |t| < 2^51 unit: adding
 * and taking off 3 2^51 rounds t / unit to an integer. */
static inline int ref_multiples(const double *t, size_t m, double unit)
{
    const double inverse = 1 / unit;
    size_t i = 0;
    for (; i + 8 <= m; i += 8) {
        int bad = 0;
        for (size_t j = i; j < i + 8; j++) {
            const double d = t[j] * inverse;
            bad |= (d + 0x3p51) - 0x3p51 != d;
        }
        if (bad) return 0;
    }
    for (; i < m; i++) {
        const double d = t[i] * inverse;
        if ((d + 0x3p51) - 0x3p51 != d) return 0;
    }
    return 1;
}

#endif
