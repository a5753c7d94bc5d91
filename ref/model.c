/* SPDX-License-Identifier: MIT */
/* A whole decoder in double. Each function is one line of the mathematics in ref_model.h. */
#include <math.h>
#include <stdlib.h>

#include "ref_model.h"
#include "rounding.h"

typedef struct run {
    const ref_model *m;
    uint64_t seed;
    int strict;
} run;

/* A stored value; `s` and `terms`: of its dot product. The factor is the height of a sum in 8 lanes. */
static double stored(run *r, double v, double s, size_t terms)
{
    if (r->seed == 0) return v;
    uint64_t z = r->seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const double at = (double)(z >> 11) * 0x1p-52 - 1; /* [-1, 1) */
    const double height = r->strict ? 0 : (double)terms / 8 + 4;
    return v + at * 0x1p-24 * (fabs(v) + height * s);
}

/* sum_j a_j w(row, j) + bias */
static double affine(run *r, const ref_matrix *w, size_t row, const double *a, size_t n,
                     const float *bias, size_t at)
{
    double sum = 0, s = 0;
    for (size_t j = 0; j < n; j++) {
        const double term = a[j] * (double)w->at[row * w->ld + j];
        sum += term;
        s += fabs(term);
    }
    if (bias) {
        sum += (double)bias[at];
        s += fabs((double)bias[at]);
    }
    return stored(r, sum, s, n);
}

static void norm(run *r, double *y, const double *x, const float *gain, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += x[i] * x[i];
    const double scale = 1 / sqrt(squares / (double)n + r->m->eps);
    for (size_t i = 0; i < n; i++) {
        const double v = x[i] * scale * (double)gain[i];
        y[i] = stored(r, v, fabs(v), 8);
    }
}

static double frequency(const ref_model *m, size_t i)
{
    const double pi = acos(-1), f = pow(m->theta, -2 * (double)i / (double)m->d.head_dim);
    if (m->factor == 0) return f;
    const double turns = m->original_context * f / (2 * pi); /* within the original context */
    if (turns > m->high) return f;
    if (turns < m->low) return f / m->factor;
    const double s = (turns - m->low) / (m->high - m->low);
    return f * ((1 - s) / m->factor + s);
}

static void rotate(run *r, double *x, size_t t)
{
    const size_t half = r->m->d.head_dim / 2;
    for (size_t i = 0; i < half; i++) {
        const double angle = (double)t * frequency(r->m, i), c = cos(angle), s = sin(angle);
        const double a = x[i], b = x[i + half], size = fabs(a) + fabs(b);
        x[i] = stored(r, a * c - b * s, size, 2);
        x[i + half] = stored(r, a * s + b * c, size, 2);
    }
}

/* Heads of one kind of all positions: y [heads][n][head_dim]. */
static void project(run *r, double *y, const double *a, size_t n, size_t heads, const ref_matrix *w,
                    const float *bias, const float *gain, int turn)
{
    const ref_model *const m = r->m;
    const size_t width = m->d.head_dim, hidden = m->d.hidden;
    for (size_t h = 0; h < heads; h++)
        for (size_t t = 0; t < n; t++) {
            double *const to = y + (h * n + t) * width;
            for (size_t i = 0; i < width; i++) {
                const size_t row = h * m->head_width + i;
                to[i] = affine(r, w, row, a + t * hidden, hidden, bias, row);
            }
            if (gain) norm(r, to, to, gain, width);
            if (turn) rotate(r, to, t);
        }
}

/* o [n][heads][head_dim]; weights [n] is room. */
static void attend(run *r, double *o, const double *q, const double *k, const double *v, size_t n,
                   double *weights)
{
    const ref_decoder *const d = &r->m->d;
    const size_t width = d->head_dim;
    for (size_t h = 0; h < d->heads; h++) {
        const size_t g = h * d->kv_heads / d->heads;
        for (size_t t = 0; t < n; t++) {
            double most = -INFINITY, sum = 0;
            for (size_t s = 0; s <= t; s++) {
                double dot = 0, size = 0;
                for (size_t i = 0; i < width; i++) {
                    const double term = q[(h * n + t) * width + i] * k[(g * n + s) * width + i];
                    dot += term;
                    size += fabs(term);
                }
                const double root = sqrt((double)width);
                weights[s] = stored(r, dot / root, size / root, width);
                if (weights[s] > most) most = weights[s];
            }
            for (size_t s = 0; s <= t; s++) sum += weights[s] = exp(weights[s] - most);
            for (size_t i = 0; i < width; i++) {
                double value = 0, size = 0;
                for (size_t s = 0; s <= t; s++) {
                    const double term = weights[s] / sum * v[(g * n + s) * width + i];
                    value += term;
                    size += fabs(term);
                }
                o[(t * d->heads + h) * width + i] = stored(r, value, size, t + 1);
            }
        }
    }
}

/* x += W_o o + b_o at one position; the columns of W_o leave out the pads. */
static void merge(run *r, const ref_layer *l, double *x, const double *o)
{
    const ref_decoder *const d = &r->m->d;
    for (size_t i = 0; i < d->hidden; i++) {
        double sum = l->bo ? (double)l->bo[i] : 0, s = fabs(sum);
        for (size_t h = 0; h < d->heads; h++)
            for (size_t j = 0; j < d->head_dim; j++) {
                const double w = (double)l->wo.at[i * l->wo.ld + h * r->m->head_width + j];
                sum += w * o[h * d->head_dim + j];
                s += fabs(w * o[h * d->head_dim + j]);
            }
        const double y = stored(r, sum, s, d->heads * d->head_dim);
        x[i] = stored(r, x[i] + y, fabs(x[i]) + fabs(y), 1);
    }
}

static void mlp(run *r, const ref_layer *l, double *x, double *a, double *inner)
{
    const ref_decoder *const d = &r->m->d;
    norm(r, a, x, l->ln2, d->hidden);
    for (size_t i = 0; i < d->intermediate; i++) {
        const size_t other = r->m->mlp_width + i;
        const double u = affine(r, &l->w1, i, a, d->hidden, l->b1, i);
        const double w = affine(r, &l->w1, other, a, d->hidden, l->b1, other);
        const double v = u / (1 + exp(-u)) * w;
        inner[i] = stored(r, v, fabs(v), 4);
    }
    for (size_t i = 0; i < d->hidden; i++) {
        const double y = affine(r, &l->w2, i, inner, d->intermediate, l->b2, i);
        x[i] = stored(r, x[i] + y, fabs(x[i]) + fabs(y), 1);
    }
}

/* Room of a run, cut into pieces. */
typedef struct room {
    double *all, *x, *a, *q, *k, *v, *o, *inner, *weights;
} room;

static int make_room(room *w, const ref_decoder *d, size_t n)
{
    const size_t row = n * d->hidden, q = n * d->heads * d->head_dim;
    const size_t k = n * d->kv_heads * d->head_dim;
    w->all = malloc((2 * row + 2 * q + 2 * k + d->intermediate + n) * sizeof(double));
    if (!w->all) return -1;
    w->x = w->all;
    w->a = w->x + row;
    w->q = w->a + row;
    w->o = w->q + q;
    w->k = w->o + q;
    w->v = w->k + k;
    w->inner = w->v + k;
    w->weights = w->inner + d->intermediate;
    return 0;
}

/* Heads [kv_heads][n][head_dim] are given, and become those that are kept. */
static void keep(const ref_decoder *d, const ref_kv *kept, double *x, size_t n, double *own)
{
    const size_t width = d->head_dim;
    for (size_t i = 0; i < d->kv_heads * n * width; i++) {
        const size_t g = i / width / n, t = i / width % n;
        own[i] = x[i];
        x[i] = (double)kept->at[g * kept->head + t * kept->ld + i % width];
    }
}

/* own: the run's keys, then its values, unless the cache is in f32. */
static void run_layer(run *r, const ref_layer *l, const room *w, size_t n, double *own)
{
    const ref_decoder *const d = &r->m->d;
    const int turn = r->m->theta > 0;
    for (size_t t = 0; t < n; t++)
        norm(r, w->a + t * d->hidden, w->x + t * d->hidden, l->ln1, d->hidden);
    project(r, w->q, w->a, n, d->heads, &l->wq, l->bq, l->q_norm, turn);
    project(r, w->k, w->a, n, d->kv_heads, &l->wk, l->bk, l->k_norm, turn);
    project(r, w->v, w->a, n, d->kv_heads, &l->wv, l->bv, NULL, 0);
    if (r->m->cache != REF_CACHE_F32) {
        keep(d, &l->k, w->k, n, own);
        keep(d, &l->v, w->v, n, own + n * d->kv_heads * d->head_dim);
    }
    attend(r, w->o, w->q, w->k, w->v, n, w->weights);
    for (size_t t = 0; t < n; t++) {
        merge(r, l, w->x + t * d->hidden, w->o + t * d->heads * d->head_dim);
        mlp(r, l, w->x + t * d->hidden, w->a, w->inner);
    }
}

/* Keys and values of a layer. */
static size_t kept_of_layer(const ref_model *m, size_t n)
{
    return m->cache == REF_CACHE_F32 ? 0 : 2 * n * m->d.kv_heads * m->d.head_dim;
}

size_t ref_model_values(const ref_model *m, size_t n)
{
    return n * m->d.vocab + m->d.layers * kept_of_layer(m, n);
}

int ref_model_forward(const ref_model *m, const int32_t *tokens, size_t n, ref_noise noise,
                      double *values)
{
    const ref_decoder *const d = &m->d;
    double *const own = values + n * d->vocab;
    run r = { m, noise.seed, noise.strict };
    room w;
    if (make_room(&w, d, n) != 0) return -1;
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < d->hidden; i++) {
            const double e = (double)m->tokens.at[(size_t)tokens[t] * m->tokens.ld + i];
            const double p = m->theta > 0 ? 0 : (double)m->positions.at[t * m->positions.ld + i];
            w.x[t * d->hidden + i] = stored(&r, e + p, 0, 0);
        }
    for (size_t l = 0; l < d->layers; l++)
        run_layer(&r, &m->layers[l], &w, n, own + l * kept_of_layer(m, n));
    for (size_t t = 0; t < n; t++) {
        norm(&r, w.a, w.x + t * d->hidden, m->final_norm, d->hidden);
        for (size_t i = 0; i < d->vocab; i++)
            values[t * d->vocab + i] = affine(&r, &m->head, i, w.a, d->hidden, NULL, 0);
    }
    free(w.all);
    return 0;
}

int ref_model_radius(const ref_model *m, const int32_t *tokens, size_t n, int strict,
                     const double *values, double *radius)
{
    const size_t count = ref_model_values(m, n);
    double *const other = malloc(count * sizeof *other);
    int status = other ? 0 : -1;
    if (other)
        for (size_t i = 0; i < count; i++) radius[i] = 0;
    for (uint64_t seed = 1; seed <= 6 && status == 0; seed++) {
        status = ref_model_forward(m, tokens, n, (ref_noise){ seed, strict }, other);
        for (size_t i = 0; i < count && status == 0; i++)
            radius[i] = fmax(radius[i], 8 * fabs(other[i] - values[i]));
    }
    for (size_t i = 0; i < count && status == 0; i++) radius[i] += 4 * 0x1p-24 * fabs(values[i]);
    free(other);
    return status;
}

size_t ref_model_misrounded(const ref_model *m, size_t n, const double *values,
                            const double *radius)
{
    const ref_format *const to = m->cache == REF_CACHE_F16 ? &ref_half : &ref_brain;
    const size_t each = kept_of_layer(m, n), first = n * m->d.vocab, width = m->d.head_dim;
    for (size_t i = 0; i < m->d.layers * each; i++) {
        const ref_layer *const l = &m->layers[i / each];
        const ref_kv *const kept = i % each < each / 2 ? &l->k : &l->v;
        const size_t g = i % (each / 2) / width / n, t = i / width % n;
        const double x = (double)kept->at[g * kept->head + t * kept->ld + i % width];
        const ref_ball b = ref_rounded(to, (ref_ball){ values[first + i], radius[first + i] });
        if (!(fabs(x - b.v) <= b.e)) return first + i;
    }
    return SIZE_MAX;
}
