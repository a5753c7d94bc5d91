/* SPDX-License-Identifier: MIT */
/* Mutants of how calls are divided among threads. The kernels themselves are right. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "attention.h"
#include "product.h"

/* --- Of any op: right, but for one thing. */

static size_t last_row_of(const hn_seen *y) { return y->rows - 1; }

/* A unit of the output as it was before. */
static void leave_out(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads,
                      size_t row, size_t col)
{
    const hn_view v = hn_view_of(args);
    unsigned char before[64];
    unsigned char *const at = hn_seen_at(&v.of[0], row, col);
    memcpy(before, at, v.of[0].unit);
    hn_wrapped_threads(fn, spec, args, threads);
    memcpy(at, before, v.of[0].unit);
}

/* The last thread stops one output early. */
static void last_left_out(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    const hn_view v = hn_view_of(args);
    if (v.of[0].rows && v.of[0].cols)
        leave_out(fn, spec, args, threads, last_row_of(&v.of[0]), v.of[0].cols - 1);
}

/* Between the first thread's columns and those of the second. */
static void seam_left_out(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    const hn_view v = hn_view_of(args);
    if (v.of[0].rows && v.of[0].cols) leave_out(fn, spec, args, threads, 0, v.of[0].cols / threads);
}

/* What two threads have computed is added twice. */
static void last_added_twice(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    const hn_view v = hn_view_of(args);
    float y;
    hn_wrapped_threads(fn, spec, args, threads);
    if (v.of[0].rows == 0 || v.of[0].cols == 0) return;
    unsigned char *const at = hn_seen_at(&v.of[0], last_row_of(&v.of[0]), v.of[0].cols - 1);
    memcpy(&y, at, sizeof y);
    y += y;
    memcpy(at, &y, sizeof y);
}

/* The last bit of the last output: another order, in one part only. */
static void last_bit(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped_threads(fn, spec, args, threads);
    if (v.of[0].rows && v.of[0].cols)
        *hn_seen_at(&v.of[0], last_row_of(&v.of[0]), v.of[0].cols - 1) ^= 1;
}

/* A part as wide as a tile, which the last one is not; seen where something lies behind it. */
static void writes_whole_tiles(ck_fn *fn, const ck_numspec *spec, const void *args,
                               unsigned threads)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped_threads(fn, spec, args, threads);
    if (v.of[0].rows > 1 && v.of[0].cols && v.of[0].ld > v.of[0].cols)
        memset(hn_seen_at(&v.of[0], 0, v.of[0].cols), 0, v.of[0].unit);
}

static void keeps_mode(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    hn_wrapped_threads(fn, spec, args, threads);
    _mm_setcsr(_mm_getcsr() ^ 0x4000u);
}

/* A thread asks for the mode itself, and finds another. */
static void fast_in_helpers(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    (void)fn;
    hn_wrapped_threads(hn_wrapped_fast, spec, args, threads);
}

static void scribbles_on_input(ck_fn *fn, const ck_numspec *spec, const void *args,
                               unsigned threads)
{
    const hn_view v = hn_view_of(args);
    hn_wrapped_threads(fn, spec, args, threads);
    if (v.of[2].at && v.of[2].rows && v.of[2].cols)
        *hn_seen_at(&v.of[2], v.of[2].rows - 1, v.of[2].cols - 1) ^= 1;
}

static void right(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    hn_wrapped_threads(fn, spec, args, threads);
}

/* --- Products of floats, divided by hand. */

/* Columns j .. j + n - 1. */
static ck_gemm_args columns(const ck_gemm_args *all, size_t j, size_t n)
{
    ck_gemm_args g = *all;
    g.y += j;
    if (g.k) g.b += b_down() ? j : j * g.ldb;
    if (g.c) g.c += j;
    if (g.bias) g.bias += j;
    g.n = n;
    return g;
}

/* Each thread has n / threads columns; the rest is forgotten. */
static void rest_forgotten(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    const ck_gemm_args *const all = args;
    const size_t each = all->n / threads;
    (void)spec;
    for (size_t t = 0; t < threads; t++) {
        const ck_gemm_args g = columns(all, t * each, each);
        fn(&g);
    }
}

/* Two halves; `second` changes the latter. */
static void halves(ck_fn *fn, const void *args,
                   void (*second)(ck_gemm_args *g, const ck_gemm_args *all), unsigned mode)
{
    const ck_gemm_args *const all = args;
    const size_t half = all->n / 2;
    ck_gemm_args g = columns(all, 0, half);
    const unsigned before = _mm_getcsr();
    fn(&g);
    g = columns(all, half, all->n - half);
    if (second) second(&g, all);
    _mm_setcsr(before ^ mode);
    fn(&g);
    _mm_setcsr(before);
}

static void halves_right(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    (void)spec, (void)threads;
    halves(fn, args, NULL, 0);
}

static void rounds_otherwise(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    (void)spec, (void)threads;
    halves(fn, args, NULL, 0x2000);
}

static void flushes_to_zero(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    (void)spec, (void)threads;
    halves(fn, args, NULL, 0x8040);
}

static void same_bias(ck_gemm_args *g, const ck_gemm_args *all) { g->bias = all->bias; }
static void same_c(ck_gemm_args *g, const ck_gemm_args *all) { g->c = all->c; }
static void less_k(ck_gemm_args *g, const ck_gemm_args *all) { g->k = all->k - (all->k > 0); }

static void bias_not_moved(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    (void)spec, (void)threads;
    halves(fn, args, same_bias, 0);
}

static void c_not_moved(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    (void)spec, (void)threads;
    halves(fn, args, same_c, 0);
}

static void last_term_of_helpers(ck_fn *fn, const ck_numspec *spec, const void *args,
                                 unsigned threads)
{
    (void)spec, (void)threads;
    halves(fn, args, less_k, 0);
}

/* The sum is what is divided: each thread adds its own to what is there. */
static void sums_over_threads(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    const ck_gemm_args *const all = args;
    ck_gemm_args g = *all;
    (void)spec, (void)threads;
    const size_t half = all->k / 2;
    g.k = half;
    g.bias = NULL;
    fn(&g);
    if (half) {
        g.a += a_down() ? half * g.lda : half;
        g.b += b_down() ? half * g.ldb : half;
    }
    g.k = all->k - half;
    g.c = g.y;
    g.ldc = g.ldy;
    g.beta = 1.0f;
    g.bias = all->bias;
    fn(&g);
}

/* A part begins in the middle of a tile, whose columns are then summed backwards. */
static void middle_of_tile(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    const ck_gemm_args *const g = args;
    const size_t from = g->n / 2 / 16 * 16, to = g->n / 2;
    hn_wrapped_threads(fn, spec, args, threads);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = from; j < to; j++) {
            float sum = 0.0f;
            for (size_t l = g->k; l-- > 0;) sum = fmaf(a_at(g, i, l), b_at(g, j, l), sum);
            g->y[i * g->ldy + j] = epilogue(g, i, j, sum);
        }
}

/* Rows are divided, and those of the second part lie as if y were tight. */
static void rows_of_y_tight(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    const ck_gemm_args *const all = args;
    const size_t half = all->m / 2;
    ck_gemm_args g = *all;
    (void)spec, (void)threads;
    g.m = half;
    fn(&g);
    g.m = all->m - half;
    g.y = all->y + half * all->n;
    if (g.k) g.a += a_down() ? half : half * g.lda;
    if (g.c) g.c += half * g.ldc;
    fn(&g);
}

/* --- Attention: heads of a part. */

static void heads_right(const ck_attention_args *all, ck_fn *fn, size_t h, size_t group)
{
    ck_attention_args a = *all;
    a.y += h * a.head_y;
    if (a.d) {
        a.q += h * a.head_q;
        a.k = (const float *)a.k + group * a.head_k;
        a.v = (const float *)a.v + group * a.head_v;
    }
    a.heads = a.kv_heads = 1;
    fn(&a);
}

static void each_head(ck_fn *fn, const void *args, unsigned threads, int wrong)
{
    const ck_attention_args *const all = args;
    const size_t rep = all->heads / all->kv_heads, each = (all->heads + threads - 1) / threads;
    for (size_t h = 0; h < all->heads; h++) {
        const size_t of_part = h % each / rep;
        heads_right(all, fn, h, wrong ? of_part : h / rep);
    }
}

static void groups_of_the_part(ck_fn *fn, const ck_numspec *spec, const void *args,
                               unsigned threads)
{
    (void)spec;
    each_head(fn, args, threads, 1);
}

static void head_by_head(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    (void)spec;
    each_head(fn, args, threads, 0);
}

static void last_head_left_out(ck_fn *fn, const ck_numspec *spec, const void *args,
                               unsigned threads)
{
    const ck_attention_args *const all = args;
    const size_t rep = all->heads / all->kv_heads, each = all->heads / threads;
    (void)spec;
    for (size_t h = 0; h < each * threads; h++) heads_right(all, fn, h, h / rep);
}

/* --- Threads that die or never come back. */

static void *die(void *unused)
{
    *(volatile int *)unused = 1;
    return NULL;
}

/* Now and then, so that the run has something to go on with. */
static int chosen(const void *args)
{
    const hn_view v = hn_view_of(args);
    return v.of[0].rows == 2 && v.of[0].cols == 3;
}

static void helper_dies(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    pthread_t helper;
    if (chosen(args) && pthread_create(&helper, NULL, die, NULL) == 0) pthread_join(helper, NULL);
    hn_wrapped_threads(fn, spec, args, threads);
}

static void waits_for_nobody(ck_fn *fn, const ck_numspec *spec, const void *args, unsigned threads)
{
    for (volatile int forever = chosen(args); forever;) {
    }
    hn_wrapped_threads(fn, spec, args, threads);
}

/* One of each family that is divided. */
#define DIVIDED                                                                      \
    "attention_f32 gemm_??_f32 gemm_nt_q8_0_q8_0 gemm_nt_q4_k_f32 gemm_nn_q8_0_f32 " \
    "gemm_nt_silu_f32 gemm_nt_swiglu_f32 gemm_nt_f16_f16_f32 gemv_f32"
#define CREW(what, ons, mode, by)                                                         \
    {                                                                                     \
        .name = "threads_" #what, .on = ons, .modes = mode, .threads = what, .checks = by \
    }
#define PRODUCT(what, mode) CREW(what, "gemm_??_f32", mode, HN_BY(THREADS))
static const hn_mutant list[] = {
    CREW(right, DIVIDED, HN_IN_BOTH, 0),
    CREW(last_left_out, DIVIDED, HN_IN_BOTH, HN_BY(THREADS)),
    CREW(seam_left_out, DIVIDED, HN_IN_FAST, HN_BY(THREADS)),
    CREW(last_added_twice, DIVIDED, HN_IN_BOTH, HN_BY(THREADS)),
    CREW(last_bit, DIVIDED, HN_IN_BOTH, HN_BY(THREADS)),
    CREW(writes_whole_tiles, DIVIDED " !gemv_f32", HN_IN_FAST, HN_BY(SLACK)),
    CREW(keeps_mode, DIVIDED, HN_IN_BOTH, HN_BY(FPENV)),
    CREW(fast_in_helpers, DIVIDED, HN_IN_STRICT, HN_BY(THREADS)),
    CREW(scribbles_on_input, DIVIDED, HN_IN_FAST, HN_BY(INPUT)),
    CREW(halves_right, "gemm_??_f32", HN_IN_BOTH, 0),
    PRODUCT(rest_forgotten, HN_IN_BOTH),
    PRODUCT(rounds_otherwise, HN_IN_FAST),
    PRODUCT(flushes_to_zero, HN_IN_FAST),
    PRODUCT(bias_not_moved, HN_IN_BOTH),
    PRODUCT(c_not_moved, HN_IN_BOTH),
    PRODUCT(last_term_of_helpers, HN_IN_BOTH),
    PRODUCT(sums_over_threads, HN_IN_BOTH),
    PRODUCT(middle_of_tile, HN_IN_FAST),
    CREW(rows_of_y_tight, "gemm_??_f32", HN_IN_FAST, HN_BY(THREADS) | HN_BY(SLACK)),
    CREW(head_by_head, "attention_f32", HN_IN_BOTH, 0),
    CREW(groups_of_the_part, "attention_f32", HN_IN_BOTH, HN_BY(THREADS)),
    CREW(last_head_left_out, "attention_f32", HN_IN_BOTH, HN_BY(THREADS)),
    { .name = "threads_helper_dies",
      .on = "gemm_nt_f32",
      .modes = HN_IN_FAST,
      .threads = helper_dies,
      .checks = HN_BY(CRASH),
      .stage = HN_BY_RUN },
    { .name = "threads_waits_for_nobody",
      .on = "gemm_nt_f32",
      .modes = HN_IN_FAST,
      .threads = waits_for_nobody,
      .checks = HN_BY(HANG),
      .stage = HN_BY_RUN },
};
#undef CREW
#undef PRODUCT

const hn_mutants hn_mutants_threads = { list, sizeof list / sizeof list[0] };
