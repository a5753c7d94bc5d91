/* SPDX-License-Identifier: MIT */
/* Tests of the references of rotary embedding: the table against MPFR, the rotations by lengths and
 * angles, vectors worked out by hand, and what a rotation must keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "../ref.h"

ref_fn ref_rope_cache_f32, ref_rope_half_f32, ref_rope_pair_f32;

static const ck_numspec any = { .lanes = 0, .accs = 1 };
static const ref_spec fast = { &any, 0, 0x1p-24, 0, 0 };
static const ref_spec down = { &any, 0, 0x1p-23, 0, 0 };
static const ref_spec strict = { &any, 1, 0x1p-24, 0, 0 };

static uint64_t random_state;

/* splitmix64, in [-1, 1) */
static float uniform(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (float)((double)((z ^ (z >> 31)) >> 40) * 0x1p-23 - 1);
}

static size_t below(size_t n) { return (size_t)((double)n * (0.5 + 0.5 * (double)uniform())); }

/* --- the table. */

enum { WIDTH_MOST = 256 };

typedef struct row {
    double v[WIDTH_MOST], term[WIDTH_MOST], e[WIDTH_MOST];
} row;

static void table_row(const ref_rope_cache_args *g, const ref_spec *spec, row *r)
{
    ref_out out = { g->d, r->v, r->term, r->e };
    ref_rope_cache_f32(g, &(ref_tile){ 0, 1, 0, g->d }, spec, 1, &out);
}

/* Frequency l, by 200 bits. Llama 3's scaling by wave lengths, as its own code has it: shorter than
 * context / high is kept, longer than context / low slowed down, those between are interpolated. */
static void frequency(mpfr_t f, const ref_rope_cache_args *g, size_t l)
{
    mpfr_t wave, s;
    mpfr_inits2(200, wave, s, (mpfr_ptr)0);
    mpfr_set_si(s, -(long)(2 * l), MPFR_RNDN);
    mpfr_div_ui(s, s, g->d, MPFR_RNDN);
    mpfr_set_d(f, (double)g->theta, MPFR_RNDN);
    mpfr_pow(f, f, s, MPFR_RNDN);
    if (g->factor > 0) {
        const double low = (double)g->low, high = (double)g->high, context = (double)g->context;
        mpfr_const_pi(wave, MPFR_RNDN);
        mpfr_mul_ui(wave, wave, 2, MPFR_RNDN);
        mpfr_div(wave, wave, f, MPFR_RNDN);
        mpfr_d_div(s, context, wave, MPFR_RNDN);
        mpfr_sub_d(s, s, low, MPFR_RNDN);
        mpfr_div_d(s, s, high - low, MPFR_RNDN);
        if (mpfr_cmp_d(wave, context / high) < 0) mpfr_set_d(s, 1, MPFR_RNDN);
        if (mpfr_cmp_d(wave, context / low) > 0) mpfr_set_d(s, 0, MPFR_RNDN);
        mpfr_mul(wave, f, s, MPFR_RNDN);
        mpfr_ui_sub(s, 1, s, MPFR_RNDN);
        mpfr_mul(f, f, s, MPFR_RNDN);
        mpfr_div_d(f, f, (double)g->factor, MPFR_RNDN);
        mpfr_add(f, f, wave, MPFR_RNDN);
    }
    mpfr_clears(wave, s, (mpfr_ptr)0);
}

/* How far v is from cosine (or sine) l, and that value's float; what the radius must cover. */
static double missed(const ref_rope_cache_args *g, size_t col, double v, float *nearest)
{
    mpfr_t f;
    mpfr_init2(f, 200);
    frequency(f, g, col % (g->d / 2));
    mpfr_mul_ui(f, f, g->pos0, MPFR_RNDN);
    if (col < g->d / 2)
        mpfr_cos(f, f, MPFR_RNDN);
    else
        mpfr_sin(f, f, MPFR_RNDN);
    *nearest = mpfr_get_flt(f, MPFR_RNDN);
    mpfr_sub_d(f, f, v, MPFR_RNDN);
    const double off = fabs(mpfr_get_d(f, MPFR_RNDN));
    mpfr_clear(f);
    return off;
}

static ref_rope_cache_args draw_table(void)
{
    static const float thetas[] = { 1, 10000, 500000, 1000000, 1e15f };
    ref_rope_cache_args g = { .d = 2 * (1 + below(64)), .theta = thetas[below(5)] };
    g.pos0 = below(3) ? below((size_t)1 << 24) : below(100);
    if (below(2) == 0) return g;
    g.factor = 1 + (float)below(32);
    g.low = 1 + uniform() / 2;
    g.high = g.low + 0.25f + (float)below(8);
    g.context = 1 + below((size_t)1 << 17);
    return g;
}

/* The value itself is within what the bound allows beyond the half ulp, and so is the best float; the
 * reference uses less than half of that. */
static void table_agrees_with_mpfr(void **unused)
{
    (void)unused;
    random_state = 1;
    for (unsigned n = 0; n < 1500; n++) {
        const ref_rope_cache_args g = draw_table();
        row r;
        table_row(&g, &fast, &r);
        for (size_t j = 0; j < g.d; j += 1 + below(6)) {
            float best;
            const double off = missed(&g, j, r.v[j], &best);
            const double ulp = ldexp(1, ilogb(fmax(fabs(r.v[j]), 0x1p-126)) - 23);
            const double more = r.e[j] - ulp / 2;
            assert_true(off <= 0.5 * fmax(more, 0) || off <= 0x1p-53);
            assert_true(fabs((double)best - r.v[j]) <= r.e[j]);
            assert_true(g.factor > 0 || r.e[j] <= ulp + 0x1p-26);
        }
    }
}

static void position_0_is_exact(void **unused)
{
    const ref_rope_cache_args g = { .d = 8, .theta = 10000 };
    row r;
    (void)unused;
    table_row(&g, &down, &r);
    for (size_t j = 0; j < 8; j++) {
        assert_true(r.v[j] == (j < 4 ? 1 : 0) && r.e[j] == 0);
        assert_false(signbit(r.v[j]));
    }
}

/* Angles 1 and 0.01 of position 1, and twice them: cos 2a = 2 cos^2 a - 1, sin 2a = 2 sin a cos a. */
static void angles_add_up(void **unused)
{
    ref_rope_cache_args g = { .d = 4, .pos0 = 1, .theta = 10000 };
    row one, two;
    (void)unused;
    table_row(&g, &fast, &one);
    g.pos0 = 2;
    table_row(&g, &fast, &two);
    assert_true(fabs(one.v[0] - 0.54030230586813972) < 1e-15);
    assert_true(fabs(one.v[1] - 0.99995000041666528) < 1e-15);
    assert_true(fabs(one.v[2] - 0.84147098480789651) < 1e-15);
    assert_true(fabs(one.v[3] - 0.0099998333341666645) < 1e-15);
    for (size_t l = 0; l < 2; l++) {
        assert_true(fabs(two.v[l] - (2 * one.v[l] * one.v[l] - 1)) < 1e-15);
        assert_true(fabs(two.v[2 + l] - 2 * one.v[l] * one.v[2 + l]) < 1e-15);
    }
}

/* With Llama 3.1's numbers: high frequencies as they were, low ones an eighth. */
static void scaling_keeps_the_ends(void **unused)
{
    ref_rope_cache_args g = { .d = 128, .pos0 = 1, .theta = 500000 }, scaled = g;
    row plain, slow;
    (void)unused;
    scaled.factor = 8, scaled.low = 1, scaled.high = 4, scaled.context = 8192;
    table_row(&g, &fast, &plain);
    table_row(&scaled, &fast, &slow);
    for (size_t l = 0; l < 64; l++) {
        const double was = asin(plain.v[64 + l]), is = asin(slow.v[64 + l]);
        const double wave = 6.283185307179586 / was;
        if (l == 0) continue; /* beyond a quarter */
        if (wave < 2048) assert_true(fabs(is - was) <= 1e-14 * was);
        if (wave > 8192) assert_true(fabs(is - was / 8) <= 1e-14 * was);
        if (wave > 2048 && wave < 8192) assert_true(is < was && is > was / 8);
    }
}

/* --- the rotations. */

enum { HEADS = 3, T = 4, ROTARY = 10, HEAD = 13, COLS = 15, POS = 2, ROWS = HEADS * T };

typedef struct problem {
    float x[ROWS * HEAD], cos[(POS + T) * ROTARY / 2], sin[(POS + T) * ROTARY / 2];
    ref_rope_args args;
} problem;

typedef struct cells {
    double v[ROWS * COLS], term[ROWS * COLS], e[ROWS * COLS];
} cells;

static void make(problem *p, int token_major)
{
    for (size_t i = 0; i < ROWS * HEAD; i++) p->x[i] = 3 * uniform();
    for (size_t i = 0; i < (POS + T) * ROTARY / 2; i++) {
        const double angle = 7 * (double)uniform();
        p->cos[i] = (float)cos(angle);
        p->sin[i] = (float)sin(angle);
    }
    p->args = (ref_rope_args){ .x = p->x,
                               .cos = p->cos,
                               .sin = p->sin,
                               .heads = HEADS,
                               .t = T,
                               .rotary = ROTARY,
                               .d = HEAD,
                               .ldx = token_major ? HEADS * HEAD : HEAD,
                               .ldc = ROTARY / 2,
                               .lds = ROTARY / 2,
                               .head_x = token_major ? HEAD : T * HEAD,
                               .pos0 = POS,
                               .token_major = token_major };
}

static void evaluate(const problem *p, ref_fn *op, const ref_spec *spec, cells *c)
{
    ref_out out = { ROWS * COLS, c->v, c->term, c->e };
    op(&p->args, &(ref_tile){ 0, ROWS, 0, COLS }, spec, 1, &out);
}

/* Where the two of pair l stand. */
static void places(ref_fn *op, size_t l, size_t *first, size_t *second)
{
    *first = op == ref_rope_half_f32 ? l : 2 * l;
    *second = op == ref_rope_half_f32 ? l + ROTARY / 2 : 2 * l + 1;
}

/* A point by its distance and direction. */
typedef struct polar {
    long double length, angle;
} polar;

static polar polar_of(long double re, long double im)
{
    return (polar){ hypotl(re, im), atan2l(im, re) };
}

/* A pair has the sum of its and the turn's angles, and all that a row has beside pairs. */
static void lengths_and_angles_add_up(void **unused)
{
    ref_fn *const ops[] = { ref_rope_half_f32, ref_rope_pair_f32 };
    problem p;
    cells c;
    (void)unused;
    for (unsigned n = 0; n < 40; n++) {
        random_state = n;
        make(&p, n % 2);
        evaluate(&p, ops[n / 2 % 2], &strict, &c);
        for (size_t r = 0; r < ROWS; r++) {
            const size_t h = n % 2 ? r % HEADS : r / T, i = n % 2 ? r / HEADS : r % T;
            const float *x = p.x + (n % 2 ? i * HEADS + h : h * T + i) * HEAD;
            const double *y = c.v + r * COLS;
            for (size_t l = 0; l < ROTARY / 2; l++) {
                size_t a, b;
                places(ops[n / 2 % 2], l, &a, &b);
                const size_t at = (POS + i) * (ROTARY / 2) + l;
                const polar from = polar_of(x[a], x[b]), by = polar_of(p.cos[at], p.sin[at]);
                const long double length = from.length * by.length;
                assert_true(fabsl(y[a] - length * cosl(from.angle + by.angle)) <= 1e-15L);
                assert_true(fabsl(y[b] - length * sinl(from.angle + by.angle)) <= 1e-15L);
                /* lengths are kept, as far as the table's are 1 */
                const double was = (double)x[a] * (double)x[a] + (double)x[b] * (double)x[b];
                assert_true(fabs(y[a] * y[a] + y[b] * y[b] - was) <= 0x1p-21 * (was + 1));
            }
            for (size_t j = ROTARY; j < COLS; j++) {
                assert_true(y[j] == (j < HEAD ? (double)x[j] : 0));
                assert_true(c.e[r * COLS + j] == 0);
            }
        }
    }
}

/* Both pairings do the same to elements that are put in the other order. */
static void pairings_are_permutations(void **unused)
{
    problem p, q;
    cells half, pair;
    (void)unused;
    random_state = 77;
    make(&p, 0);
    memcpy(&q, &p, sizeof q);
    q.args.x = q.x, q.args.cos = q.cos, q.args.sin = q.sin;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t l = 0; l < ROTARY / 2; l++) {
            q.x[r * HEAD + 2 * l] = p.x[r * HEAD + l];
            q.x[r * HEAD + 2 * l + 1] = p.x[r * HEAD + l + ROTARY / 2];
        }
    evaluate(&p, ref_rope_half_f32, &fast, &half);
    evaluate(&q, ref_rope_pair_f32, &fast, &pair);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t l = 0; l < ROTARY / 2; l++) {
            const size_t at = r * COLS;
            assert_true(half.v[at + l] == pair.v[at + 2 * l]);
            assert_true(half.v[at + l + ROTARY / 2] == pair.v[at + 2 * l + 1]);
            assert_true(half.e[at + l] == pair.e[at + 2 * l]);
        }
}

/* A turn by a and one by b are a turn by a + b; a turn and its inverse are none; and the product of two
 * rows that were turned depends on the distance of their positions only. By the table's own values. */
static void rotations_compose(void **unused)
{
    enum { PAIRS = 6, POSITIONS = 40 };
    double c[POSITIONS][PAIRS], s[POSITIONS][PAIRS];
    (void)unused;
    for (size_t i = 0; i < POSITIONS; i++) {
        const ref_rope_cache_args g = { .d = 2 * PAIRS, .pos0 = i, .theta = 500000 };
        row r;
        table_row(&g, &fast, &r);
        memcpy(c[i], r.v, sizeof c[i]);
        memcpy(s[i], r.v + PAIRS, sizeof s[i]);
    }
    for (size_t i = 0; i < POSITIONS; i++)
        for (size_t j = 0; i + j < POSITIONS; j++)
            for (size_t l = 0; l < PAIRS; l++) {
                const double cb = c[i + j][l], sb = s[i + j][l];
                const double ca = c[i][l] * c[j][l] - s[i][l] * s[j][l];
                const double sa = c[i][l] * s[j][l] + s[i][l] * c[j][l];
                assert_true(fabs(ca - cb) < 1e-14 && fabs(sa - sb) < 1e-14);
                assert_true(fabs(c[i][l] * c[i][l] + s[i][l] * s[i][l] - 1) < 1e-15);
                /* turned back by j */
                assert_true(fabs(c[j][l] * cb + s[j][l] * sb - c[i][l]) < 1e-14);
                assert_true(fabs(c[j][l] * sb - s[j][l] * cb - s[i][l]) < 1e-14);
            }
}

/* Rotations to either side with each of the forms a kernel may have. */
static void float_kernels_stay_within(void **unused)
{
    problem p;
    cells c;
    double worst = 0;
    (void)unused;
    for (unsigned n = 0; n < 300; n++) {
        random_state = 5000 + n;
        make(&p, 0);
        evaluate(&p, ref_rope_pair_f32, &fast, &c);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t l = 0; l < ROTARY / 2; l++) {
                const float a = p.x[r * HEAD + 2 * l], b = p.x[r * HEAD + 2 * l + 1];
                const size_t at = (POS + r % T) * (ROTARY / 2) + l, cell = r * COLS + 2 * l;
                const float co = p.cos[at], si = p.sin[at];
                const float forms[][2] = { { a * co - b * si, b * co + a * si },
                                           { fmaf(a, co, -(b * si)), fmaf(b, co, a * si) },
                                           { fmaf(-b, si, a * co), fmaf(a, si, b * co) } };
                for (size_t f = 0; f < 3; f++)
                    for (size_t k = 0; k < 2; k++) {
                        const double off = fabs((double)forms[f][k] - c.v[cell + k]);
                        assert_true(off <= c.e[cell + k]);
                        worst = fmax(worst, off / c.e[cell + k]);
                    }
            }
    }
    assert_true(worst > 0.5);
}

/* By hand: a quarter turn, integers, specials. */
static void by_hand(void **unused)
{
    const float x[] = { 3, 5, -2, 7 }, quarter_c[] = { 0, 1 }, quarter_s[] = { 1, 0 };
    const ref_rope_args g = { .x = x,
                              .cos = quarter_c,
                              .sin = quarter_s,
                              .heads = 1,
                              .t = 1,
                              .rotary = 4,
                              .d = 4,
                              .ldx = 4,
                              .ldc = 2,
                              .lds = 2,
                              .head_x = 4 };
    static const double half[] = { 2, 5, 3, 7 }, pair[] = { -5, 3, -2, 7 };
    double v[4], term[4], e[4];
    ref_out out = { 4, v, term, e };
    (void)unused;
    ref_rope_half_f32(&g, &(ref_tile){ 0, 1, 0, 4 }, &fast, 1, &out);
    for (size_t j = 0; j < 4; j++) assert_true(v[j] == half[j] && e[j] == 0);
    ref_rope_pair_f32(&g, &(ref_tile){ 0, 1, 0, 4 }, &strict, 1, &out);
    for (size_t j = 0; j < 4; j++) assert_true(v[j] == pair[j] && e[j] == 0);
}

static void specials(void **unused)
{
    const float x[] = { INFINITY, 1, (float)NAN, 2, -0.0f, (float)NAN }, c[] = { 0.5f, 1 },
                s[] = { 0, 0 };
    const ref_rope_args g = { .x = x,
                              .cos = c,
                              .sin = s,
                              .heads = 1,
                              .t = 1,
                              .rotary = 4,
                              .d = 6,
                              .ldx = 6,
                              .ldc = 2,
                              .lds = 2,
                              .head_x = 6 };
    double v[6], term[6], e[6];
    ref_out out = { 6, v, term, e };
    (void)unused;
    ref_rope_pair_f32(&g, &(ref_tile){ 0, 1, 0, 6 }, &fast, 1, &out);
    assert_true(isinf(v[0]) && v[0] > 0); /* inf/2 - 1 * 0 */
    assert_true(isnan(v[1]));             /* 1/2 + inf 0 */
    assert_true(isnan(v[2]) && isnan(v[3]));
    assert_true(v[4] == 0 && signbit(v[4]) && e[4] == 0);
    assert_true(isnan(v[5]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_agrees_with_mpfr),
        cmocka_unit_test(position_0_is_exact),
        cmocka_unit_test(angles_add_up),
        cmocka_unit_test(scaling_keeps_the_ends),
        cmocka_unit_test(lengths_and_angles_add_up),
        cmocka_unit_test(pairings_are_permutations),
        cmocka_unit_test(rotations_compose),
        cmocka_unit_test(float_kernels_stay_within),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(specials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
