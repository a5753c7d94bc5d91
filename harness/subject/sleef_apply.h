/* SPDX-License-Identifier: MIT */
/* The loop over vectors, of the type `vector` and the `load` and `store` of the including file. */
#include <string.h>

#include "sleef.h"

typedef vector vector_fn(vector x);
enum { LANES = sizeof(vector) / sizeof(float) };

static void apply(hn_sleef_fn *any, const ck_unary_args *u)
{
    vector_fn *const f = (vector_fn *)any;
    const size_t whole = u->n - u->n % LANES;
    float last[LANES] = { 0 };
    for (size_t i = 0; i < whole; i += LANES) store(u->y + i, f(load(u->x + i)));
    if (whole == u->n) return;
    memcpy(last, u->x + whole, (u->n - whole) * sizeof *last);
    store(last, f(load(last)));
    memcpy(u->y + whole, last, (u->n - whole) * sizeof *last);
}
