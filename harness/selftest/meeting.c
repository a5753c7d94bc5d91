/* SPDX-License-Identifier: MIT */
/* Mutants with one wrong element, and only where several things meet: shapes, options, leading
 * dimensions, addresses. They show which meetings the smoke suite makes. */
#include <stdint.h>

#include "gemm.h"
#include "mutant.h"
#include "softmax.h"

static void spoil_last(const hn_view *v)
{
    hn_spoil(&v->of[0], v->of[0].rows - 1, v->of[0].cols - 1);
}

/* Elements between two rows. */
static size_t slack(const hn_seen *o) { return o->at && o->rows > 1 ? o->ld - o->cols : 0; }

static size_t from_line(const hn_seen *o) { return (uintptr_t)o->at % 64; }

/* Of a kernel with arguments g, output y and first input x. */
#define MEET(type, name, condition)                 \
    static void name(const void *args)              \
    {                                               \
        const hn_view v = hn_view_of(args);         \
        const hn_seen *y = &v.of[0], *x = &v.of[1]; \
        const type *g = args;                       \
        hn_wrapped(args);                           \
        if (condition) spoil_last(&v);              \
        (void)g;                                    \
        (void)x;                                    \
        (void)y;                                    \
    }
MEET(void, odd_rows_seven, y->rows % 2 == 1 && y->rows > 1 && y->cols % 8 == 7)
MEET(void, y_slack_one, slack(y) == 1 && y->cols % 8 == 1)
MEET(void, x_slack_one, slack(x) == 1 && x->cols % 8 == 3)
MEET(void, y_on_line, from_line(y) == 0 && y->cols > 16 && y->cols % 8)
MEET(void, both_off_line, from_line(x) == from_line(y) && from_line(y) == 32)
MEET(void, beyond_128, y->cols > 128 && y->cols % 8)
MEET(void, beyond_1024, y->cols > 1024)
MEET(void, beyond_4096, y->cols > 4096 && y->cols % 8)
MEET(void, rows_beyond_128, y->rows > 128 && y->cols % 8)
MEET(void, rows_beyond_1024, y->rows > 1024)

MEET(ck_gemm_args, bias_seven_odd, g->bias && g->k % 8 == 7 && g->m % 2)
MEET(ck_gemm_args, beta_minus_fifteen, g->beta == -1.0f && g->k % 16 == 15)
MEET(ck_gemm_args, alpha_minus_beta_one, g->alpha == -1.0f && g->beta == 1.0f && g->n % 8)
MEET(ck_gemm_args, square, g->m == g->n && g->n == g->k && g->m > 3)
MEET(ck_gemm_args, deep_and_wide, g->k > 512 && g->n >= 16)
MEET(ck_gemm_args, deep_last_term, g->k > 256 && g->k % 16 == 11)
MEET(ck_gemm_args, chunk_and_one, g->k > 128 && g->k % 128 == 1)
MEET(ck_gemm_args, three_residues, g->m % 4 == 3 && g->n % 16 == 11 && g->k % 8 == 5)
MEET(ck_gemm_args, tall_residue, g->m > 64 && g->k % 16 == 6)
MEET(ck_gemm_args, wide_residue, g->n > 64 && g->m % 4 == 2 && g->k % 8 == 3)
MEET(ck_gemm_args, large_beta, g->m > 64 && g->n > 16 && g->beta != 0.0f && g->bias)
MEET(ck_gemm_args, deep_beta_bias, g->k > 256 && g->beta != 0.0f && g->bias && g->n % 8 == 6)
MEET(ck_gemm_args, k_in_15_bits, g->k > 32767)
MEET(ck_gemm_args, y_is_c_deep, g->y == g->c && g->k > 256 && g->m > 4)
MEET(ck_gemm_args, c_and_a_off_line,
     g->beta != 0.0f && (uintptr_t)g->c % 32 == 4 && (uintptr_t)g->a % 32 == 0)

MEET(ck_gemv_args, v_taller, g->n > 1000)
MEET(ck_gemv_args, v_deep_rows, g->k > 512 && g->n % 8 == 5)
MEET(ck_gemv_args, v_unaligned, (uintptr_t)g->b % 32 == 20 && g->ldb % 8 == 0 && g->k % 8)

MEET(ck_gemm_q_args, q_bias_odd, g->bias && g->k / 32 % 8 == 7 && g->m % 2)
MEET(ck_gemm_q_args, q_deeper, g->k > 4096)
MEET(ck_gemm_q_args, q_tall, g->m > 32)
MEET(ck_gemm_q_args, q_unaligned,
     (uintptr_t)g->a % 2 == 1 && (uintptr_t)g->b % 2 == 1 && g->k / 32 % 8 == 3)

MEET(ck_gemm_w_args, w_three, g->m % 4 == 3 && g->n % 4 == 2 && (g->k / hn_block->elements) % 2)
MEET(ck_gemm_w_args, w_unaligned,
     (uintptr_t)g->b % 2 == 1 && g->m > 1 && (g->k / hn_block->elements) > 1)
MEET(ck_gemm_w_args, w_k_zero, g->k == 0 && g->bias && g->n % 4 == 3)

MEET(ck_softmax_args, s_tail_pad, g->t % 8 == 7 && (g->cols - g->t) % 8 == 1)
MEET(ck_softmax_args, s_longest, g->t > 1024)
MEET(ck_softmax_args, s_heads, g->heads > 6)
MEET(ck_softmax_args, s_in_place, g->y == g->x && g->t % 16 == 9)
#undef MEET

/* What may be off: the number, or its bits against those of another call. */
#define SEEN (HN_BY_NUMBERS | HN_BY_PARTS | HN_BY(ALIAS) | HN_BY(JUNK))
#define ROW(what, ons)                                                            \
    {                                                                             \
        .name = #what, .on = ons, .modes = HN_IN_FAST, .fn = what, .checks = SEEN \
    }
#define GEMM "gemm_??_f32"
#define Q    "gemm_nt_q8_0_q8_0"
#define W    "gemm_nt_q4_k_f32 gemm_nt_q5_0_f32"
#define SOFT "softmax_causal_f32"
static const hn_mutant list[] = {
    ROW(odd_rows_seven, HN_ON_ROWS),
    ROW(y_slack_one, HN_ON_ROWS),
    ROW(x_slack_one, HN_ON_ROWS " !gemm_nt_q4_k_f32"),
    ROW(y_on_line, HN_ON_ROWS " exp_f32"),
    ROW(both_off_line, HN_ON_ROWS " exp_f32"),
    ROW(beyond_128, HN_ON_ROWS " exp_f32"),
    ROW(beyond_1024, "gemm_??_f32 gemv_f32 exp_f32 dequant_row_q8_0 quantize_row_q8_0 " SOFT),
    ROW(beyond_4096, "gemm_??_f32 gemv_f32 exp_f32"),
    ROW(rows_beyond_128, HN_ON_ROWS),
    ROW(rows_beyond_1024, GEMM " " SOFT),
    ROW(bias_seven_odd, GEMM),
    ROW(beta_minus_fifteen, GEMM),
    ROW(alpha_minus_beta_one, GEMM),
    ROW(square, GEMM),
    ROW(deep_and_wide, GEMM),
    ROW(deep_last_term, GEMM),
    ROW(chunk_and_one, GEMM),
    ROW(three_residues, GEMM),
    ROW(tall_residue, GEMM),
    ROW(wide_residue, GEMM),
    ROW(large_beta, GEMM),
    ROW(deep_beta_bias, GEMM),
    ROW(k_in_15_bits, GEMM),
    ROW(y_is_c_deep, GEMM),
    ROW(c_and_a_off_line, GEMM),
    ROW(v_taller, "gemv_f32"),
    ROW(v_deep_rows, "gemv_f32"),
    ROW(v_unaligned, "gemv_f32"),
    ROW(q_bias_odd, Q),
    ROW(q_deeper, Q),
    ROW(q_tall, Q),
    ROW(q_unaligned, Q),
    ROW(w_three, W),
    ROW(w_unaligned, W),
    ROW(w_k_zero, W),
    ROW(s_tail_pad, SOFT),
    ROW(s_longest, SOFT),
    ROW(s_heads, SOFT),
    ROW(s_in_place, SOFT),
};
#undef ROW

const hn_mutants hn_mutants_meeting = { list, sizeof list / sizeof list[0] };
