/* SPDX-License-Identifier: MIT */
/* The steps of a decoder that are no op, against their definitions in long double and against floats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref_stage.h"

enum { ROWS = 3, HEADS = 4, HALF = 5, WIDTH = 2 * HALF, LD = 16, COLUMNS = 7, CELLS = 64 };

static const ck_numspec plain = { .accs = 1, .lanes = 1 };
static const ref_spec specs[2] = { { .num = &plain, .u = 0x1p-24 },
                                   { .num = &plain, .strict = 1, .u = 0x1p-24 } };

static uint64_t state_of_draws = 1;

static float drawn(void)
{
    uint64_t z = state_of_draws += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (float)((double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1);
}

static void draw(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = drawn();
}

typedef struct cells {
    double v[2 * CELLS], e[2 * CELLS], term[CELLS];
} cells;

static ref_out out_of(cells *c, size_t n) { return (ref_out){ n, c->v, c->term, c->e }; }

/* The value is the definition's, both computations are within the radius, and it is no blank cheque. */
static void judge(const cells *c, size_t n, size_t i, long double wanted, float fast, double sum)
{
    const float strict = (float)wanted;
    for (size_t s = 0; s < 2; s++) {
        const double v = c->v[s * n + i], e = c->e[s * n + i];
        assert_true(fabsl((long double)v - wanted) <= 0x1p-50L * (long double)sum);
        assert_true(e >= 0 && e <= 40 * 0x1p-24 * sum);
        assert_true(fabs((double)(s ? strict : fast) - v) <= e);
    }
    assert_true(c->term[i] > 0);
}

static void turns(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        float x[ROWS * LD], cosines[ROWS * HALF], sines[ROWS * HALF];
        cells c;
        draw(x, ROWS * LD);
        for (size_t i = 0; i < ROWS * HALF; i++) {
            const double angle = 40 * (double)drawn();
            cosines[i] = (float)cos(angle);
            sines[i] = (float)sin(angle);
        }
        const ref_turn_args a = { x, cosines, sines, LD, HALF };
        const ref_tile tile = { 0, ROWS, 0, WIDTH };
        ref_out out = out_of(&c, ROWS * WIDTH);
        ref_turn(&a, &tile, specs, 2, &out);
        for (size_t i = 0; i < ROWS * WIDTH; i++) {
            const size_t t = i / WIDTH, k = i % WIDTH % HALF, up = i % WIDTH >= HALF;
            const float p = x[t * LD + k], q = x[t * LD + k + HALF];
            const float cosine = cosines[t * HALF + k], sine = sines[t * HALF + k];
            const float f = up ? p : q, g = up ? q : p; /* that the sine, the cosine multiplies */
            const float along = g * cosine, across = f * sine;
            const long double wanted = (long double)g * (long double)cosine +
                                       (up ? 1 : -1) * (long double)f * (long double)sine;
            judge(&c, ROWS * WIDTH, i, wanted, up ? along + across : along - across,
                  fabs((double)f) + fabs((double)g));
        }
    }
}

static void merges_heads(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        float x[HEADS * ROWS * LD], w[COLUMNS * HEADS * LD], bias[COLUMNS];
        cells c;
        draw(x, HEADS * ROWS * LD);
        draw(w, COLUMNS * HEADS * LD);
        draw(bias, COLUMNS);
        const ref_merge_args a = { x,  w,  round % 2 ? bias : NULL, HEADS, WIDTH, (size_t)ROWS * LD,
                                   LD, LD, (size_t)HEADS * LD };
        const ref_tile tile = { 0, ROWS, 0, COLUMNS };
        ref_out out = out_of(&c, ROWS * COLUMNS);
        ref_merge(&a, &tile, specs, 2, &out);
        for (size_t i = 0; i < ROWS * COLUMNS; i++) {
            const size_t t = i / COLUMNS, n = i % COLUMNS;
            long double wanted = a.bias ? (long double)bias[n] : 0;
            double sum = fabs((double)wanted);
            float y = 0;
            for (size_t h = 0; h < HEADS; h++) {
                float head = 0;
                for (size_t l = 0; l < WIDTH; l++) {
                    const float p = x[(h * ROWS + t) * LD + l];
                    const float q = w[(n * HEADS + h) * LD + l];
                    const float product = p * q;
                    head += product;
                    wanted += (long double)p * (long double)q;
                    sum += fabs((double)p * (double)q);
                }
                y = h ? y + head : a.bias ? head + bias[n] : head;
            }
            judge(&c, ROWS * COLUMNS, i, wanted, y, sum);
        }
    }
}

static void embeds(void **state)
{
    float table[6 * LD], positions[ROWS * LD];
    const int32_t tokens[ROWS] = { 5, 0, 5 };
    const ref_tile tile = { 0, ROWS, 0, COLUMNS };
    cells c;
    (void)state;
    draw(table, 6 * LD);
    draw(positions, ROWS * LD);
    for (int learned = 0; learned < 2; learned++) {
        const ref_embed_args a = { table, learned ? positions : NULL, tokens, LD };
        ref_out out = out_of(&c, ROWS * COLUMNS);
        ref_embed(&a, &tile, specs, 2, &out);
        for (size_t i = 0; i < ROWS * COLUMNS; i++) {
            const size_t t = i / COLUMNS, n = i % COLUMNS;
            const double row = (double)table[(size_t)tokens[t] * LD + n];
            const double p = learned ? (double)positions[t * LD + n] : 0;
            judge(&c, ROWS * COLUMNS, i, (long double)row + (long double)p, (float)(row + p),
                  fabs(row) + fabs(p));
            if (!learned) assert_true(c.e[i] == 0 && c.e[ROWS * COLUMNS + i] == 0);
        }
    }
}

/* Frequencies as the source has them, by wavelengths. */
static long double frequency(const ref_model *m, size_t i)
{
    const long double f = powl((long double)m->theta, -2 * (long double)i / WIDTH);
    const long double wave = 2 * acosl(-1) / f, old = (long double)m->original_context;
    const long double high = (long double)m->high, low = (long double)m->low;
    if (m->factor == 0 || wave < old / high) return f;
    if (wave > old / low) return f / (long double)m->factor;
    const long double s = (old / wave - low) / (high - low);
    return (1 - s) * f / (long double)m->factor + s * f;
}

static void tables(void **state)
{
    ref_model m = {
        .d = { .head_dim = WIDTH }, .theta = 10000, .low = 1, .high = 4, .original_context = 64
    };
    (void)state;
    for (int scaled = 0; scaled < 2; scaled++) {
        m.factor = scaled ? 8 : 0;
        for (size_t t = 0; t < 3000; t += t < 20 ? 1 : 97)
            for (size_t i = 0; i < HALF; i++) {
                double cosine, sine, radius;
                const long double angle = (long double)t * frequency(&m, i);
                ref_turn_table(&m, t, i, &cosine, &sine, &radius);
                assert_true(fabsl((long double)cosine - cosl(angle)) < 0x1p-40L);
                assert_true(fabsl((long double)sine - sinl(angle)) < 0x1p-40L);
                assert_true(fabs((double)(float)cosine - cosine) <= radius);
                assert_true(radius < 0x1p-24);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns),
        cmocka_unit_test(merges_heads),
        cmocka_unit_test(embeds),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
