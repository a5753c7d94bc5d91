/* SPDX-License-Identifier: MIT */
/* Tests of the reference of cross-entropy: the definition in long double, finite differences of the loss
 * against the gradient, vectors worked out by hand, and what must not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../ref.h"
#include "draw.h"

ref_fn ref_softmax_cross_entropy_f32;

/* Cells: the gradient, the loss, the count. */
enum { T = 5, V = 7, LOSS = T * V, COUNT, CELLS };

static const ck_numspec chain = {
    .lanes = 1, .accs = 1, .flags = CK_NUM_TRUE_DIV, .rexp = 2, .exp_zero_below = -87
};
static const ref_spec fast = { &chain, 0, 0x1p-24, 0, 0 };
static const ref_spec strict = { &chain, 1, 0x1p-24, 0, 0 };

typedef struct problem {
    float x[T * V];
    int32_t target[T];
    ref_cross_entropy_args args;
} problem;

typedef struct cells {
    double v[CELLS], term[CELLS], e[CELLS];
} cells;

static void make(problem *p, const int32_t *target)
{
    for (size_t i = 0; i < T * V; i++) p->x[i] = 2 * normal();
    memcpy(p->target, target, sizeof p->target);
    p->args = (ref_cross_entropy_args){ p->x, p->target, T, V, V, REF_LOSS_GRADIENT };
}

/* All outputs of t rows of v scores, one after the other, into cells. */
static void ask_all(ref_cross_entropy_args g, const ref_spec *spec, double *v, double *term,
                    double *e)
{
    const size_t n = g.t * g.v;
    ref_out out = { n, v, term, e }, loss = { 1, v + n, term + n, e + n };
    ref_out count = { 1, v + n + 1, term + n + 1, e + n + 1 };
    ref_softmax_cross_entropy_f32(&g, &(ref_tile){ 0, g.t, 0, g.v }, spec, 1, &out);
    g.of = REF_LOSS_MEAN;
    ref_softmax_cross_entropy_f32(&g, &(ref_tile){ 0, 1, 0, 1 }, spec, 1, &loss);
    g.of = REF_LOSS_COUNT;
    ref_softmax_cross_entropy_f32(&g, &(ref_tile){ 0, 1, 0, 1 }, spec, 1, &count);
}

static void evaluate(const problem *p, const ref_spec *spec, cells *c)
{
    ask_all(p->args, spec, c->v, c->term, c->e);
}

static long double share(const problem *p, size_t i, size_t j)
{
    long double below = 0;
    for (size_t l = 0; l < V; l++) below += expl((long double)p->x[i * V + l]);
    return expl((long double)p->x[i * V + j]) / below;
}

/* By the definition, no maximum being taken off. */
static long double defined(const problem *p, long double *n)
{
    long double loss = 0;
    *n = 0;
    for (size_t i = 0; i < T; i++) {
        if (p->target[i] < 0) continue;
        loss -= logl(share(p, i, (size_t)p->target[i]));
        *n += 1;
    }
    return *n > 0 ? loss / *n : 0;
}

static const int32_t targets[][T] = { { 0, 1, 6, 3, 6 },
                                      { -100, 6, 0, -100, 2 },
                                      { -100, -100, -100, -100, 6 },
                                      { 6, -100, 0, 0, -100 } };
enum { KINDS = sizeof targets / sizeof *targets };

static void agrees_with_the_definition(void **unused)
{
    problem p;
    cells c;
    (void)unused;
    for (unsigned k = 0; k < 8 * KINDS; k++) {
        long double n;
        make(&p, targets[k % KINDS]);
        evaluate(&p, &strict, &c);
        const long double loss = defined(&p, &n);
        assert_true(fabsl(c.v[LOSS] - loss) <= 1e-15L * (1 + loss));
        assert_true(c.e[LOSS] > 0 && c.e[LOSS] < 0x1p-23 * (1 + c.v[LOSS]));
        assert_true(c.v[COUNT] == (double)n && c.e[COUNT] == 0);
        for (size_t i = 0; i < T; i++)
            for (size_t j = 0; j < V; j++) {
                const long double hit = (int32_t)j == p.target[i];
                const long double g = p.target[i] < 0 ? 0 : (share(&p, i, j) - hit) / n;
                assert_true(fabsl(c.v[i * V + j] - g) <= 1e-15L);
                assert_true(p.target[i] >= 0 || c.e[i * V + j] == 0);
            }
    }
}

/* The gradient is what the reference's own loss does when a score moves. */
static void gradient_is_the_slope_of_the_loss(void **unused)
{
    problem p;
    cells c, up, down;
    (void)unused;
    for (unsigned k = 0; k < KINDS; k++) {
        make(&p, targets[k]);
        evaluate(&p, &strict, &c);
        for (size_t i = 0; i < T * V; i++) {
            const float x = p.x[i];
            p.x[i] = x + 0x1p-10f;
            const double high = (double)p.x[i];
            evaluate(&p, &strict, &up);
            p.x[i] = x - 0x1p-10f;
            const double step = high - (double)p.x[i];
            evaluate(&p, &strict, &down);
            p.x[i] = x;
            assert_true(fabs((up.v[LOSS] - down.v[LOSS]) / step - c.v[i]) < 1e-6);
        }
    }
}

/* A float kernel of the worst permitted kind stays within the radius, and the radius is not far from what
 * rounding does. */
static void float_kernels_stay_within(void **unused)
{
    problem p;
    cells c;
    double worst = 0;
    (void)unused;
    for (unsigned k = 0; k < 400; k++) {
        double loss = 0;
        float n = 0;
        make(&p, targets[k % KINDS]);
        evaluate(&p, &fast, &c);
        for (size_t i = 0; i < T; i++) n += p.target[i] >= 0;
        for (size_t i = 0; i < T; i++) {
            const float *x = p.x + i * V;
            float max = x[0], sum = 0, e[V];
            if (p.target[i] < 0) continue;
            for (size_t j = 1; j < V; j++) max = x[j] > max ? x[j] : max;
            for (size_t j = 0; j < V; j++) sum += e[j] = (float)exp((double)(x[j] - max));
            loss += log((double)sum) + ((double)max - (double)x[p.target[i]]);
            for (size_t j = 0; j < V; j++) {
                const float share_of = e[j] / sum, hit = (float)((int32_t)j == p.target[i]);
                const double off = fabs((double)((share_of - hit) / n) - c.v[i * V + j]);
                assert_true(off <= c.e[i * V + j]);
                worst = fmax(worst, off / c.e[i * V + j]);
            }
        }
        const double off = fabs((double)(float)(loss / (double)n) - c.v[LOSS]);
        assert_true(off <= c.e[LOSS]);
        worst = fmax(worst, off / c.e[LOSS]);
    }
    assert_true(worst > 0.2);
}

/* Two rows of two scores, the second far below. */
static void by_hand(void **unused)
{
    float x[] = { 0, -200, -200, 3 };
    int32_t target[] = { 1, 1 };
    const ref_cross_entropy_args args = { x, target, 2, 2, 2, REF_LOSS_GRADIENT };
    double v[6], term[6], e[6];
    (void)unused;
    ask_all(args, &fast, v, term, e);
    const double wanted[] = { 0.5, -0.5, 0, 0, 100, 2 };
    for (size_t i = 0; i < 6; i++) assert_true(v[i] == wanted[i] && e[i] == 0);
    target[0] = -100;
    ask_all(args, &fast, v, term, e);
    for (size_t i = 0; i < 5; i++) assert_true(v[i] == 0 && e[i] == 0);
    assert_true(v[5] == 1);
    x[2] = 3; /* two maxima: log 2 */
    ask_all(args, &fast, v, term, e);
    assert_true(v[2] == 0.5 && v[3] == -0.5 && e[2] == 0 && e[3] == 0);
    assert_true(fabs(v[4] - 0.6931471805599453) < 1e-16 && e[4] > 0 && e[4] < 1e-7);
    target[1] = -100; /* none counts */
    ask_all(args, &fast, v, term, e);
    for (size_t i = 0; i < 6; i++) assert_true(v[i] == 0 && e[i] == 0 && !signbit(v[i]));
}

static void special_numbers(void **unused)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY };
    problem p;
    cells c;
    (void)unused;
    for (unsigned k = 0; k < 6; k++) {
        make(&p, targets[1]); /* row 1 counts, its target is the last; row 0 does not */
        p.x[V + 2] = bad[k % 3];
        for (size_t j = 0; k == 5 && j < V; j++) p.x[V + j] = -INFINITY;
        for (size_t j = 0; j < V; j++) p.x[j] = NAN;
        evaluate(&p, k < 3 ? &fast : &strict, &c);
        assert_true(!isnan(c.v[LOSS]) == (k == 2));
        for (size_t j = 0; j < V; j++) {
            assert_true(!isnan(c.v[V + j]) == (k == 2));
            assert_true(c.v[j] == 0 && !isnan(c.v[2 * V + j]));
        }
        p.x[V + 2] = 0;
        for (size_t j = 0; j < V; j++) p.x[V + j] = 0;
        p.x[V + 6] = -INFINITY; /* the target's */
        evaluate(&p, k < 3 ? &fast : &strict, &c);
        assert_true(c.v[LOSS] == INFINITY && c.v[V + 6] < 0 && isfinite(c.v[V + 6]));
    }
}

/* Whatever negative number says so: -1 as well as -100. */
static void negative_targets_are_left_out(void **unused)
{
    static const int32_t out[] = { -1, -2, -100, INT32_MIN };
    (void)unused;
    for (size_t k = 0; k < sizeof out / sizeof *out; k++) {
        problem p;
        cells c;
        make(&p, (const int32_t[T]){ 3, out[k], 0, out[k], V - 1 });
        evaluate(&p, k % 2 ? &strict : &fast, &c);
        assert_true(c.v[COUNT] == 3);
        for (size_t j = 0; j < V; j++)
            assert_true(c.v[V + j] == 0 && c.e[V + j] == 0 && c.v[3 * V + j] == 0 &&
                        c.e[3 * V + j] == 0 && c.v[2 * V + j] != 0);
    }
}

/* Where an exponential may be anything the sum may vanish, and its logarithm has no bound: nothing is demanded. */
static void sums_that_may_vanish_have_no_bound(void **unused)
{
    const ck_numspec wild = { .lanes = 1, .accs = 1, .flags = CK_NUM_TRUE_DIV, .rexp = 0x1p40 };
    const ref_spec spec = { &wild, 0, 0x1p-24, 0, 0 };
    problem p;
    cells c;
    (void)unused;
    make(&p, targets[0]);
    evaluate(&p, &spec, &c);
    assert_true(isfinite(c.v[LOSS]) && c.e[LOSS] == REF_ANY);
    assert_true(c.v[COUNT] == T && c.e[COUNT] == 0);
}

/* Without a gradient there is no demand on its rows; loss and count are the same. */
static void gradient_is_optional(void **unused)
{
    problem p;
    cells c, other;
    (void)unused;
    make(&p, targets[0]);
    evaluate(&p, &fast, &c);
    p.args.of = REF_LOSS_NOTHING;
    evaluate(&p, &fast, &other);
    for (size_t i = 0; i < LOSS; i++) assert_true(other.e[i] == REF_ANY);
    assert_true(other.v[LOSS] == c.v[LOSS] && other.e[LOSS] == c.e[LOSS]);
    assert_true(other.v[COUNT] == c.v[COUNT]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(agrees_with_the_definition),
        TEST(gradient_is_the_slope_of_the_loss),
        TEST(float_kernels_stay_within),
        TEST(by_hand),
        TEST(special_numbers),
        TEST(negative_targets_are_left_out),
        TEST(sums_that_may_vanish_have_no_bound),
        TEST(gradient_is_optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
