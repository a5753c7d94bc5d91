/* SPDX-License-Identifier: MIT */
/* References of embedding: rows of a table, decoded by the format's text, and positions. */
#include "decode.h"
#include "step.h"

typedef struct format {
    size_t elements, bytes;
    ref_decode_fn *decode; /* NULL: f32 */
    int has_minimum;
} format;

static float float_at(const unsigned char *p)
{
    float x;
    memcpy(&x, p, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static ref_range range_of_double(double v)
{
    const unsigned can = isnan(v) ? REF_NAN : isinf(v) ? (v > 0 ? REF_PINF : REF_NINF) : REF_FINITE;
    return (ref_range){ can, ref_exact(can == REF_FINITE ? v : 0) };
}

/* Element j of the row as a float: one rounding of an exact sum, where the format has a minimum. No
 * product of an f16 and integers is subnormal. */
static ref_range element(const ref_arith *k, const format *f, const unsigned char *row, size_t j)
{
    if (!f->decode) return ref_range_of(float_at(row + j * f->bytes));
    const ref_element w = f->decode(row + j / f->elements * f->bytes, j % f->elements);
    const double v = f->has_minimum ? w.product + w.minimum : w.product; /* -0 stays */
    if (!isfinite(v)) return range_of_double(v);
    if (!k->directed) return range_of_double((double)(float)v);
    if (v == 0 && f->has_minimum) return ref_loose_zero(k, ref_point(v));
    return ref_is_float(v) ? ref_point(v)
                           : (ref_range){ REF_FINITE, ref_round(k->spec->u, 0, ref_exact(v)) };
}

/* One sum of floats, which to nearest is the float next to it: the double sum of two floats is rounded
 * to odd enough (53 >= 2 24 + 2; Figueroa 1995) to be rounded again. */
static ref_range sum(const ref_arith *k, ref_range w, float pos)
{
    const double v = w.b.v + (double)pos;
    if (k->sharp && !k->directed && ref_sure(w) && isfinite(pos))
        return range_of_double((double)(float)v);
    return ref_step_add(k, w, ref_range_of(pos));
}

/* Cell of column j < d of row i. */
static void cell(const ref_embedding_args *g, const format *f, size_t i, size_t j, size_t n,
                 const ref_spec *specs, size_t nspecs, ref_out *out)
{
    const size_t units = (size_t)g->ids[i] * g->ldw;
    const unsigned char *row = g->w + units * f->bytes;
    if (!g->pos && !f->decode) {
        ref_put_all(out, nspecs, n, (double)bits_of(float_at(row + j * f->bytes)));
        return;
    }
    for (size_t s = 0; s < nspecs; s++) {
        const ref_arith k = ref_arith_of(&specs[s]);
        ref_range y = element(&k, f, row, j);
        const double term = y.b.v;
        if (g->pos) y = sum(&k, y, g->pos[(g->pos0 + i) * g->ldp + j]);
        ref_put(out, s, n, ref_stored(&k, y));
        out->term[n] = fabs(term);
    }
}

static void embed(const ref_embedding_args *g, const format *f, const ref_tile *tile,
                  const ref_spec *specs, size_t nspecs, ref_out *out)
{
    for (size_t n = 0; n < tile->rows * tile->cols; n++) {
        const size_t i = tile->r0 + n / tile->cols, j = tile->c0 + n % tile->cols;
        if (j >= g->d)
            ref_put_all(out, nspecs, n, 0);
        else
            cell(g, f, i, j, n, specs, nspecs, out);
    }
}

/* W[id] or W[id] + pos. Source: embedding.h; docs/formats.md. */
#define EMBEDDING(dtype, elements, bytes, decode, minimum)                                    \
    ref_fn ref_embedding_##dtype;                                                             \
    void ref_embedding_##dtype(const void *args, const ref_tile *tile, const ref_spec *specs, \
                               size_t nspecs, ref_out *out)                                   \
    {                                                                                         \
        embed(args, &(const format){ elements, bytes, decode, minimum }, tile, specs, nspecs, \
              out);                                                                           \
    }
EMBEDDING(f32, 1, 4, NULL, 0)
EMBEDDING(bf16, 1, 2, ref_decode_bf16, 0)
EMBEDDING(f16, 1, 2, ref_decode_f16, 0)
EMBEDDING(q4_0, 32, 18, ref_decode_q4_0, 0)
EMBEDDING(q8_0, 32, 34, ref_decode_q8_0, 0)
EMBEDDING(q4_k, 256, 144, ref_decode_q4_k, 1)
EMBEDDING(q6_k, 256, 210, ref_decode_q6_k, 0)
#undef EMBEDDING
