/* SPDX-License-Identifier: MIT */
/* Tests of the reference of attention: the definition over a whole mask in long double, vectors worked
 * out by hand, and what must not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../ref.h"

ref_fn ref_attention_f32, ref_attention_bf16, ref_attention_f16;

enum { HEADS = 6, GROUPS = 3, TQ = 5, TK = 9, ROOM = 2, D = 7, PAD = 2, COLS = D + PAD };
enum { ROWS = HEADS * TQ, PLACES = GROUPS * (TK + ROOM) };

static const ck_numspec chain = { .lanes = 1,
                                  .accs = 1,
                                  .flags = CK_NUM_TRUE_DIV | CK_NUM_ONLINE,
                                  .rexp = 2,
                                  .exp_zero_below = -87 };
static const ref_spec fast = { &chain, 0, 0x1p-24, 0, 0 };
static const ref_spec strict = { &chain, 1, 0x1p-24, 0, 0 };

static uint64_t random_state;

/* splitmix64, in [-1, 1) */
static float uniform(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (float)((double)((z ^ (z >> 31)) >> 40) * 0x1p-23 - 1);
}

typedef struct problem {
    float q[ROWS * D], k[PLACES * D], v[PLACES * D];
    ref_attention_args args;
} problem;

static void make(problem *p, size_t window, int token_major)
{
    for (size_t i = 0; i < ROWS * D; i++) p->q[i] = 3 * uniform();
    for (size_t i = 0; i < PLACES * D; i++) p->k[i] = 3 * uniform();
    for (size_t i = 0; i < PLACES * D; i++) p->v[i] = uniform();
    p->args = (ref_attention_args){ .q = p->q,
                                    .k = p->k,
                                    .v = p->v,
                                    .heads = HEADS,
                                    .kv_heads = GROUPS,
                                    .tq = TQ,
                                    .tk = TK,
                                    .d = D,
                                    .window = window,
                                    .ldq = token_major ? HEADS * D : D,
                                    .ldk = D,
                                    .ldv = D,
                                    .head_q = token_major ? D : TQ * D,
                                    .head_k = (TK + ROOM) * D,
                                    .head_v = (TK + ROOM) * D,
                                    .scale = 0.375f,
                                    .token_major = token_major };
}

typedef struct cells {
    double v[ROWS * COLS], term[ROWS * COLS], e[ROWS * COLS];
} cells;

static void evaluate(const problem *p, const ref_spec *spec, cells *c)
{
    ref_out out = { ROWS * COLS, c->v, c->term, c->e };
    ref_attention_f32(&p->args, &(ref_tile){ 0, ROWS, 0, COLS }, spec, 1, &out);
}

static int seen(size_t i, size_t j, size_t window)
{
    const long age = (long)(TK - TQ + i) - (long)j;
    return age >= 0 && (window == 0 || age < (long)window);
}

/* Element l of head h, row i, by the definition, no maximum being taken off. */
static long double defined(const problem *p, size_t h, size_t i, size_t l)
{
    const float *q = p->q + (p->args.token_major ? i * HEADS + h : h * TQ + i) * D;
    long double above = 0, below = 0;
    for (size_t j = 0; j < TK; j++) {
        const size_t place = h * GROUPS / HEADS * (TK + ROOM) + j;
        long double s = 0;
        for (size_t m = 0; m < D; m++) s += (long double)q[m] * p->k[place * D + m];
        if (!seen(i, j, p->args.window)) continue;
        const long double weight = expl(s * 0.375L);
        above += weight * p->v[place * D + l];
        below += weight;
    }
    return above / below;
}

static void agrees_with_the_definition(void **unused)
{
    static const size_t windows[] = { 0, 1, 2, 4, 9, 100 };
    problem p;
    cells c;
    (void)unused;
    for (unsigned w = 0; w < 12; w++) {
        random_state = w;
        make(&p, windows[w / 2], w % 2);
        evaluate(&p, &strict, &c);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t l = 0; l < COLS; l++) {
                const size_t h = w % 2 ? r % HEADS : r / TQ, i = w % 2 ? r / HEADS : r % TQ;
                const long double y = l < D ? defined(&p, h, i, l) : 0;
                assert_true(fabsl(c.v[r * COLS + l] - y) <= 1e-14L);
                assert_true(l < D || (c.e[r * COLS + l] == 0 && !signbit(c.v[r * COLS + l])));
            }
    }
}

/* What a float leaves in 16 bits: of an integer of eight bits times 2^-5 all, in either format. */
static uint16_t brain_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    assert_int_equal(bits & 0xffff, 0);
    return (uint16_t)(bits >> 16);
}

static uint16_t half_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x == 0) return (uint16_t)(bits >> 16);
    assert_int_equal(bits & 0x1fff, 0);
    return (uint16_t)((bits >> 16 & 0x8000u) | ((bits >> 13 & 0x3ffffu) - (112u << 10)));
}

static void keys_and_values_of_16_bits_are_numbers(void **unused)
{
    static uint16_t k[2][PLACES * D], v[2][PLACES * D];
    static ref_fn *const refs[] = { ref_attention_bf16, ref_attention_f16 };
    problem p;
    (void)unused;
    for (unsigned w = 0; w < 12; w++) {
        random_state = 100 + w;
        make(&p, w / 2, w % 2);
        for (size_t i = 0; i < PLACES * D; i++) {
            p.k[i] = rintf(40 * p.k[i]) * 0x1p-5f;
            p.v[i] = rintf(120 * p.v[i]) * 0x1p-5f;
            k[0][i] = brain_of(p.k[i]), v[0][i] = brain_of(p.v[i]);
            k[1][i] = half_of(p.k[i]), v[1][i] = half_of(p.v[i]);
        }
        for (int format = 0; format < 2; format++) {
            cells c, same;
            ref_out out = { ROWS * COLS, c.v, c.term, c.e };
            ref_attention_args args = p.args;
            evaluate(&p, &fast, &same);
            args.k = k[format];
            args.v = v[format];
            refs[format](&args, &(ref_tile){ 0, ROWS, 0, COLS }, &fast, 1, &out);
            assert_memory_equal(c.v, same.v, sizeof c.v);
            assert_memory_equal(c.e, same.e, sizeof c.e);
        }
    }
}

/* A float kernel of the worst permitted kind, online over single keys, stays within the radius, and
 * the radius is not far from what rounding does. */
static void float_kernels_stay_within(void **unused)
{
    problem p;
    cells c;
    double worst = 0;
    (void)unused;
    for (unsigned n = 0; n < 200; n++) {
        random_state = 1000 + n;
        make(&p, 0, 0);
        evaluate(&p, &fast, &c);
        for (size_t r = 0; r < ROWS; r++) {
            const size_t h = r / TQ, i = r % TQ;
            float max = -INFINITY, sum = 0, acc[D] = { 0 };
            for (size_t j = 0; j <= TK - TQ + i; j++) {
                const size_t place = h / 2 * (TK + ROOM) + j;
                float s = 0;
                for (size_t l = 0; l < D; l++) s += p.q[r * D + l] * p.k[place * D + l];
                s *= 0.375f;
                const float top = s > max ? s : max;
                const float factor = (float)exp((double)(max - top));
                const float weight = (float)exp((double)(s - top));
                sum = sum * factor + weight;
                for (size_t l = 0; l < D; l++)
                    acc[l] = acc[l] * factor + weight * p.v[place * D + l];
                max = top;
            }
            for (size_t l = 0; l < D; l++) {
                const double off = fabs((double)(acc[l] / sum) - c.v[r * COLS + l]);
                assert_true(off <= c.e[r * COLS + l]);
                worst = fmax(worst, off / c.e[r * COLS + l]);
            }
        }
    }
    assert_true(worst > 0.02);
}

/* One query of one element, two keys: scores 0 and 0, values 1 and 2. */
static void by_hand(void **unused)
{
    const float q[] = { 2, 0 }, v[] = { 1, -7, 2, 5, 64, 64 };
    float k[] = { 0, 3, 0, -5, 1, 1 };
    const ref_attention_args args = { .q = q,
                                      .k = k,
                                      .v = v,
                                      .heads = 1,
                                      .kv_heads = 1,
                                      .tq = 1,
                                      .tk = 2,
                                      .d = 2,
                                      .ldq = 2,
                                      .ldk = 2,
                                      .ldv = 2,
                                      .scale = 1 };
    double value[3], term[3], e[3];
    ref_out out = { 3, value, term, e };
    (void)unused;
    ref_attention_f32(&args, &(ref_tile){ 0, 1, 0, 3 }, &fast, 1, &out);
    assert_true(value[0] == 1.5 && value[1] == -1 && value[2] == 0);
    assert_true(e[0] == 0 && e[1] == 0 && e[2] == 0);
    assert_true(term[0] == 0.75 && term[1] == 3);
    k[0] = -100; /* score -200: its weight is 0 for certain */
    ref_attention_f32(&args, &(ref_tile){ 0, 1, 0, 3 }, &fast, 1, &out);
    assert_true(value[0] == 2 && value[1] == 5 && e[0] == 0 && e[1] == 0);
    k[0] = -43.5; /* score -87: it may or may not be */
    ref_attention_f32(&args, &(ref_tile){ 0, 1, 0, 3 }, &fast, 1, &out);
    assert_true(fabs(value[0] - 2) < 1e-30 && e[0] > 0 && e[0] < 0x1p-18);
}

static void special_numbers(void **unused)
{
    float q[] = { 1 }, k[] = { 0, 0 }, v[] = { 1, 2 };
    const ref_attention_args args = { .q = q,
                                      .k = k,
                                      .v = v,
                                      .heads = 1,
                                      .kv_heads = 1,
                                      .tq = 1,
                                      .tk = 2,
                                      .d = 1,
                                      .ldq = 1,
                                      .ldk = 1,
                                      .ldv = 1,
                                      .scale = 1 };
    const ref_spec both[] = { fast, strict };
    double value[2], term[1], e[2];
    ref_out out = { 1, value, term, e };
    (void)unused;
#define EVALUATE() ref_attention_f32(&args, &(ref_tile){ 0, 1, 0, 1 }, both, 2, &out)
    k[1] = NAN;
    EVALUATE();
    assert_true(isnan(value[0]) && isnan(value[1]) && e[0] == 0 && e[1] == 0);
    k[1] = INFINITY;
    EVALUATE();
    assert_true(isnan(value[0]) && isnan(value[1]));
    k[1] = -INFINITY;
    EVALUATE();
    assert_true(value[0] == 1 && value[1] == 1);
    v[1] = NAN; /* weight 0, but strict kernels add 0 NaN; fast ones may never see it */
    EVALUATE();
    assert_true(e[0] == REF_ANY && isnan(value[1]) && e[1] == 0);
    k[0] = -INFINITY;
    EVALUATE();
    assert_true(value[0] == 0 && value[1] == 0 && e[0] == 0 && e[1] == 0);
    k[0] = k[1] = 0;
    v[1] = -INFINITY;
    EVALUATE();
    assert_true(value[0] == -INFINITY && value[1] == -INFINITY && e[0] == 0 && e[1] == 0);
    v[0] = INFINITY;
    EVALUATE();
    assert_true(isnan(value[0]) && isnan(value[1]));
    v[0] = v[1] = 1;
    k[0] = 0x1p127f;
    q[0] = 4; /* 2^129: infinite in float, not in double */
    EVALUATE();
    assert_true(e[0] == REF_ANY && value[1] == 1 && e[1] < 0x1p-20);
#undef EVALUATE
}

/* Tokens that have not come, other groups and later rows do not matter. */
static void only_what_is_seen_counts(void **unused)
{
    problem p;
    cells c, other;
    (void)unused;
    random_state = 7;
    make(&p, 3, 0);
    evaluate(&p, &fast, &c);
    for (size_t g = 0; g < GROUPS; g++)
        for (size_t j = 0; j < TK + ROOM; j++)
            for (size_t l = 0; l < D; l++)
                if (j >= TK || j < TK - TQ - 2)
                    p.k[(g * (TK + ROOM) + j) * D + l] = p.v[(g * (TK + ROOM) + j) * D + l] = NAN;
    evaluate(&p, &fast, &other);
    assert_memory_equal(c.v, other.v, sizeof c.v);
    assert_memory_equal(c.e, other.e, sizeof c.e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(keys_and_values_of_16_bits_are_numbers),
        cmocka_unit_test(float_kernels_stay_within),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(special_numbers),
        cmocka_unit_test(only_what_is_seen_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
