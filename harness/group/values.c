/* SPDX-License-Identifier: MIT */
/* Outputs against the reference, and what a wrong one looks like. */
#include <math.h>
#include <string.h>

#include "../diagnose.h"
#include "runner.h"

/* Terms above which the reference looks at a sample of the outputs: corners and drawn ones. */
enum { SAMPLE_TERMS = 1 << 22, SAMPLE_COLS = 48 };

static void add_tile(hn_runner *r, size_t k, ref_tile part)
{
    r->tiles[r->ntiles++] = (hn_tile){ k, part };
}

/* The whole output if it is small, else its first and last rows and some drawn ones, of each the
 * first, the last and some drawn columns. */
static void tile_output(hn_runner *r, size_t operand)
{
    const size_t rows = r->extents[operand].rows, cols = r->extents[operand].cols;
    if (rows * cols * r->family->terms(r->c) <= SAMPLE_TERMS) {
        add_tile(r, operand, (ref_tile){ 0, rows, 0, cols });
        return;
    }
    hn_rng rng = hn_stream(r->c->seed, 0x74696c65, operand);
    const bool whole = r->family->flags & HN_WHOLE_ROWS || cols <= SAMPLE_COLS;
    const size_t width = whole ? cols : SAMPLE_COLS;
    for (size_t k = 0; k < HN_TILES_EACH; k++) {
        const size_t row = k < 2 ? 0 : k < 4 ? rows - 1 : (size_t)hn_below(&rng, rows);
        const size_t last = cols - width;
        const size_t col = k % 2 ? last : k < 4 ? 0 : (size_t)hn_below(&rng, last + 1);
        add_tile(r, operand, (ref_tile){ row, 1, col, width });
    }
}

void hn_runner_set_tiles(hn_runner *r)
{
    r->ntiles = 0;
    for (size_t i = 0; i < r->family->noperands; i++)
        if (is_output(r, i) && (r->extents[i].rows || i == 0)) tile_output(r, i);
}

static ref_out reference(hn_runner *r, const hn_tile *tile)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    const size_t n = hn_tile_cells(r->c->op, tile);
    for (size_t i = 0; i < r->family->noperands; i++) at[i] = r->placed[i].at;
    r->cells = hn_grow(r->cells, &r->ncells, n * (1 + 2 * r->plan->nspecs), sizeof *r->cells);
    double *term = r->cells + n * r->plan->nspecs;
    ref_out out = { n, r->cells, term, term + n };
    hn_ref_args(r->c, tile->operand, at, r->ld, r->args);
    r->c->op->ref(r->args, &tile->part, r->specs, r->plan->nspecs, &out);
    return out;
}

bool hn_plain_factors(const hn_case *c)
{
    bool plain = true;
    for (size_t k = 0; k < c->op->family->nkeys; k++) {
        const double x = c->real[k];
        plain &= fabs(x) <= 4.0 && x * 4.0 == floor(x * 4.0);
    }
    return plain;
}

/* A radius that is no number, or an exact fill that is not exact, is the harness's own fault. */
static const char *check_radii(const hn_runner *r, const hn_balls *balls, const hn_variant *v)
{
    const bool either = v->kernel->spec->flags & CK_NUM_TIE_EITHER;
    const bool exact = !v->strict && !either && r->c->fp == HN_FP_NEAREST &&
                       hn_must_be_exact(r->c) && r->family->exact_fills >> r->c->fill & 1;
    for (size_t i = 0; i < balls->n; i++) {
        const double e = balls->e[i];
        if (e != REF_ANY && !(e >= 0.0 && e < (double)INFINITY)) return "a radius is not finite";
        if (exact && isfinite(balls->v[i]) && e != 0.0)
            return "an exact fill has a radius other than 0";
    }
    return NULL;
}

/* The reference of another case on the same operands: would it make the outputs right? */
static bool would_explain(hn_runner *r, size_t i, const hn_tile *tile, const hn_case *other,
                          const hn_output *y, const bool *bad)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    const size_t n = hn_tile_cells(r->c->op, tile);
    double *cells = hn_checked(malloc(3 * n * sizeof *cells));
    ref_out out = { n, cells, cells + n, cells + 2 * n };
    r->family->extents(other, extents);
    for (size_t k = 0; k < r->family->noperands; k++)
        at[k] = extents[k].rows ? r->placed[k].at : NULL;
    hn_ref_args(other, tile->operand, at, r->ld, r->args);
    r->c->op->ref(r->args, &tile->part, &r->specs[r->plan->variants[i].spec], 1, &out);
    const hn_balls balls = { n, out.v, out.e, out.term };
    const bool explains = hn_explains(y, &tile->part, &balls, r->family->flags, bad);
    free(cells);
    return explains;
}

/* Whether another case of the op has as many outputs. */
static bool same_output(const hn_runner *r, const hn_case *other)
{
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    bool same = true;
    r->family->extents(other, extents);
    for (size_t k = 0; k < r->family->noperands; k++)
        same &= !is_output(r, k) ||
                (extents[k].rows == r->extents[k].rows && extents[k].cols == r->extents[k].cols);
    return same;
}

/* Cases that differ from this one in the way of a common mistake: a shorter sum, an option left out. */
static size_t likely_mistakes(const hn_runner *r, size_t lanes, hn_case *cases, size_t most)
{
    size_t count = 0;
    for (size_t k = 0; k < r->family->nkeys; k++) {
        const hn_key *key = &r->family->keys[k];
        const int64_t unit = hn_key_unit(r->c->op, k), now = r->c->num[k];
        const int64_t shorter[] = { now - unit,
                                    now - now % (4 * unit),
                                    now - now % (8 * unit),
                                    now - now % (16 * unit),
                                    now - now % (32 * unit),
                                    now - now % ((int64_t)(lanes ? lanes : 1) * unit) };
        for (size_t t = 0; t < 6 && key->kind == HN_DIM; t++) {
            hn_case *other = &cases[count];
            *other = *r->c;
            other->num[k] = shorter[t];
            if (count + 1 < most && shorter[t] != now && shorter[t] >= key->least &&
                same_output(r, other))
                count++;
        }
        if (key->kind == HN_DIM || count + 1 >= most) continue;
        cases[count] = *r->c;
        cases[count].num[k] = (int64_t)key->def;
        cases[count].real[k] = key->def;
        count += memcmp(&cases[count], r->c, sizeof *r->c) != 0 && same_output(r, &cases[count]);
    }
    return count;
}

/* "as if K were 128". */
static void name_mistake(const hn_runner *r, const hn_case *other, hn_result *result)
{
    for (size_t k = 0; k < r->family->nkeys; k++) {
        const hn_key *key = &r->family->keys[k];
        if (key->kind == HN_REAL && other->real[k] != r->c->real[k])
            snprintf(result->cause, sizeof result->cause, "right if %s were %.9g", key->name,
                     other->real[k]);
        else if (other->num[k] != r->c->num[k])
            snprintf(result->cause, sizeof result->cause,
                     "right if %s were %lld instead of %lld: %s", key->name,
                     (long long)other->num[k], (long long)r->c->num[k],
                     key->kind == HN_DIM ? "the last ones are left out" : "the option is ignored");
    }
}

static void explain(hn_runner *r, size_t i, const hn_tile *tile, const hn_output *y,
                    const hn_balls *balls, hn_result *result)
{
    enum { MISTAKES_MAX = 32 };
    hn_case mistakes[MISTAKES_MAX];
    const ck_numspec *num = r->plan->variants[i].kernel->spec;
    bool *bad = hn_checked(calloc(balls->n, sizeof *bad));
    hn_find_bad(y, &tile->part, balls, r->family->flags, bad);
    hn_describe_pattern(y, &tile->part, balls, bad, num->lanes > 1 ? num->lanes : 8,
                        result->pattern, sizeof result->pattern);
    const size_t count = likely_mistakes(r, num->lanes * num->accs, mistakes, MISTAKES_MAX);
    for (size_t m = 0; m < count && !result->cause[0]; m++)
        if (would_explain(r, i, tile, &mistakes[m], y, bad)) name_mistake(r, &mistakes[m], result);
    free(bad);
}

/* What hn_compare found in a tile of one variant's output. */
typedef struct found {
    bool passed, exact;
    double utilisation;
} found;

/* Whether two variants of the case left the same bits in a tile. */
static bool same_bits(const hn_output *a, const hn_output *b, const ref_tile *tile)
{
    const size_t bytes = a->info->bytes;
    for (size_t i = 0; i < tile->rows; i++) {
        const size_t at = ((tile->r0 + i) * a->cols + tile->c0) * bytes;
        if (memcmp(a->bytes + at, b->bytes + at, tile->cols * bytes) != 0) return false;
    }
    return true;
}

/* The earlier variant that passed with the same balls and has the same bits; i: there is none. */
static size_t twin(hn_runner *r, size_t i, const hn_tile *tile, const hn_output *y,
                   const found *all)
{
    for (size_t k = 0; k < i; k++) {
        if (!all[k].passed || r->plan->variants[k].spec != r->plan->variants[i].spec) continue;
        const hn_output other = hn_group_output(r, k, tile->operand);
        if (same_bits(y, &other, &tile->part)) return k;
    }
    return i;
}

/* Compares what no earlier variant has compared: strict modes, for one, have their bits in common. */
static void compare_once(hn_runner *r, size_t i, const hn_tile *tile, const hn_output *y,
                         const hn_balls *balls, found *all, hn_result *result)
{
    const size_t same = twin(r, i, tile, y, all);
    const bool exact = result->exact;
    const double utilisation = result->utilisation;
    if (same == i) {
        result->exact = true;
        result->utilisation = 0.0;
        hn_compare(y, &tile->part, balls, r->family->flags, result);
        all[i] = (found){ result->verdict == HN_OK, result->exact, result->utilisation };
    } else {
        all[i] = all[same];
    }
    result->exact = exact && all[i].exact;
    result->utilisation = fmax(utilisation, all[i].utilisation);
}

void hn_runner_compare(hn_runner *r, const hn_tile *tile, hn_result *results)
{
    const ref_out out = reference(r, tile);
    found all[HN_MAX_VARIANTS] = { 0 };
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        const hn_variant *v = &r->plan->variants[i];
        const hn_balls balls = { out.n, out.v + v->spec * out.n, out.e + v->spec * out.n,
                                 out.term };
        const hn_output y = hn_group_output(r, i, tile->operand);
        if (results[i].verdict != HN_OK) continue;
        const char *why = check_radii(r, &balls, v);
        if (why) hn_record(&results[i], HN_FAIL, HN_CHECK_HARNESS, "harness: %s", why);
        compare_once(r, i, tile, &y, &balls, all, &results[i]);
        if (r->explain && results[i].verdict != HN_OK && !why)
            explain(r, i, tile, &y, &balls, &results[i]);
        r->power[i] |= hn_has_power(&balls);
        results[i].ran |= 1u << HN_CHECK_VALUE | 1u << HN_CHECK_NAN | 1u << HN_CHECK_HARNESS;
    }
}
