/* SPDX-License-Identifier: MIT */
/* The merge of heads against its definition in long double and against floats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref_stage.h"

enum { ROWS = 3, HEADS = 4, WIDTH = 10, LD = 16, COLUMNS = 7, CELLS = 64 };

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
