/* SPDX-License-Identifier: MIT */
/* Tests of the tables that describe families, and of what each makes of a case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "family.h"
#include "place.h"
#include "tests.h"

enum { DRAWS = 20 };

static bool has_operands(const hn_op *op) { return op->family->noperands > 0; }

/* The number after ".NAME = " in C text; -1: no such member, or no number. */
static long long member(const char *text, const char *name)
{
    char wanted[80], *end;
    snprintf(wanted, sizeof wanted, ".%s = ", name);
    const char *at = strstr(text, wanted);
    if (!at) return -1;
    const long long value = strtoll(at + strlen(wanted), &end, 10);
    return end == at + strlen(wanted) ? -1 : value;
}

static const char *emitted(const hn_case *c, const size_t *ld)
{
    static char *text;
    size_t size = 0;
    free(text);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    c->op->family->emit_args(c, ld, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Members of emitted arguments that have a key's or an operand's name have its value. */
static void emitted_arguments_are_those_of_the_case(void **state)
{
    size_t strides = 0, numbers = 0;
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++) {
        const hn_family *family = hn_ops[o].family;
        for (uint32_t seed = 1; seed <= DRAWS; seed++) {
            hn_case c;
            size_t ld[HN_MAX_OPERANDS] = { 0 };
            hn_case_init(&c, &hn_ops[o]);
            c.seed = seed;
            hn_case_draw(&c, 0);
            for (size_t i = 0; i < family->noperands; i++) ld[i] = 100003 + 4099 * i;
            const char *text = emitted(&c, ld);
            if (strstr(text, ".head_"))
                continue; /* operands of heads: strides are made of several */
            for (size_t i = 0; i < family->noperands; i++) {
                char name[40];
                snprintf(name, sizeof name, "ld%s", family->operands[i].name);
                const long long got = member(text, name);
                if (got < 0) continue;
                if (got != (long long)ld[i]) fail_msg("%s: %s in %s", hn_ops[o].stem, name, text);
                strides++;
            }
            for (size_t k = 0; k < family->nkeys; k++) {
                char name[40] = "";
                const char *key = family->keys[k].name;
                if (family->keys[k].kind != HN_DIM) continue;
                for (size_t i = 0; key[i] && i + 1 < sizeof name; i++)
                    name[i] = (char)tolower((unsigned char)key[i]);
                const long long got = member(text, name);
                if (got < 0) continue;
                if (got != c.num[k]) fail_msg("%s: %s in %s", hn_ops[o].stem, name, text);
                numbers++;
            }
        }
    }
    assert_true(strides > 80 * DRAWS && numbers > 80 * DRAWS);
}

/* What an array of extents held before does not matter. */
static void extents_are_set_for_every_operand(void **state)
{
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++)
        for (uint32_t seed = 1; seed <= DRAWS; seed++) {
            hn_extent clean[HN_MAX_OPERANDS] = { 0 }, used[HN_MAX_OPERANDS];
            hn_case c;
            hn_case_init(&c, &hn_ops[o]);
            c.seed = seed;
            hn_case_draw(&c, 0);
            for (size_t i = 0; i < HN_MAX_OPERANDS; i++) used[i] = (hn_extent){ 77, 78, 79 };
            hn_ops[o].family->extents(&c, clean);
            hn_ops[o].family->extents(&c, used);
            for (size_t i = 0; i < hn_ops[o].family->noperands; i++)
                if (clean[i].rows != used[i].rows || clean[i].cols != used[i].cols ||
                    clean[i].batch_rows != used[i].batch_rows)
                    fail_msg("%s: operand %zu", hn_ops[o].stem, i);
        }
}

/* A smaller case than the least would prove nothing: it has no output. */
static void least_cases_have_outputs(void **state)
{
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++) {
        const hn_op *op = &hn_ops[o];
        hn_extent e[HN_MAX_OPERANDS] = { 0 };
        hn_case c;
        if (!has_operands(op)) continue;
        hn_case_init(&c, op);
        for (size_t k = 0; k < op->family->nkeys; k++) {
            const hn_key *key = &op->family->keys[k];
            if (key->kind == HN_DIM) assert_int_equal(c.num[k], hn_key_least(op, k));
            if (key->kind == HN_DIM) assert_true(c.num[k] % hn_key_unit(op, k) == 0);
            if (key->kind == HN_DIM && c.num[k] < 0) fail_msg("%s %s", op->stem, key->name);
        }
        op->family->extents(&c, e);
        const bool no_rows =
            strncmp(op->stem, "softmax_cross_", 14) == 0; /* as no gradient is asked */
        const bool no_cols = strncmp(op->stem, "embedding_", 10) == 0 ||
                             strncmp(op->stem, "rope_half", 9) == 0 ||
                             strncmp(op->stem, "rope_pair", 9) == 0;
        if ((e[0].rows == 0) != no_rows || (e[0].cols == 0) != no_cols)
            fail_msg("%s: the least case has %zu rows of %zu", op->stem, e[0].rows, e[0].cols);
    }
}

/* Quarters up to four, which leave sums of small integers exact. */
static void plain_factors_are_quarters_up_to_four(void **state)
{
    static const double plain[] = { 0, 1, -1, 0.25, -0.75, 2.5, 3.75, 4, -4 };
    static const double other[] = { 0.125, 0.3, 1.0 / 3, 4.25, -5, 1e9, NAN, INFINITY };
    hn_case c;
    (void)state;
    for (size_t k = 3; k < 5; k++) {
        hn_case_init(&c, hn_op_find("gemm_nt_f32"));
        assert_true(hn_plain_factors(&c));
        assert_int_equal(c.op->family->keys[k].kind, HN_REAL);
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
            c.real[k] = plain[i];
            if (!hn_plain_factors(&c)) fail_msg("%g", plain[i]);
        }
        for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
            c.real[k] = other[i];
            if (hn_plain_factors(&c)) fail_msg("%g", other[i]);
        }
    }
}

/* Products by hand, of lines with sizes that are all different. */
static void products_are_counted(void **state)
{
    static const struct {
        const char *line;
        double products;
    } table[] = {
        { "gemm_nt_f32 gen=1 M=3 N=5 K=7", 105 },
        { "gemm_tn_f32 gen=1 M=3 N=5 K=7", 105 },
        { "gemm_nt_silu_f32 gen=1 M=3 N=5 K=7", 105 },
        { "gemm_nt_swiglu_f32 gen=1 M=3 N=5 K=7", 210 },
        { "gemm_nt_f16_f16_f16 gen=1 M=3 N=5 K=7", 105 },
        { "gemm_nt_f16_f32 gen=1 M=3 N=5 K=7", 105 },
        { "gemm_nt_uint8_int8_i32 gen=1 M=3 N=5 K=7", 105 },
        { "gemm_nt_q8_0_q8_0 gen=1 M=3 N=5 K=64", 960 },
        { "gemm_nt_q8_0_f32 gen=1 M=3 N=5 K=64", 960 },
        { "gemm_nn_q8_0_f32 gen=1 M=3 N=64 K=5", 960 },
        { "gemm_nt_q4_kx8_q8_k gen=1 M=3 N=8 K=256", 6144 },
    };
    char error[256];
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        hn_case c;
        if (hn_case_parse(&c, table[i].line, error, sizeof error) != 0) fail_msg("%s", error);
        if (!c.op->family->products) fail_msg("%s: none", table[i].line);
        const double got = c.op->family->products(&c);
        if (got != table[i].products) fail_msg("%s: %g", table[i].line, got);
    }
}

/* All but integers and copies of bits: each fast kernel of a float op has radii in each mode of rounding. */
static void fast_kernels_are_run_in_every_mode(void **state)
{
    size_t without = 0;
    (void)state;
    for (size_t o = 0; o < hn_op_count; o++) {
        const bool codes = strncmp(hn_ops[o].stem, "quantize_row_", 13) == 0;
        unsigned seen = 0;
        for (uint32_t seed = 1; seed <= 400; seed++) {
            hn_case c;
            hn_case_init(&c, &hn_ops[o]);
            c.seed = seed;
            hn_case_draw(&c, 0);
            if (c.mode != HN_STRICT) seen |= 1u << c.fp;
        }
        without += codes;
        for (unsigned fp = HN_FP_NEAREST; fp <= HN_FP_ZERO; fp++)
            if ((seen >> fp & 1) != (fp == HN_FP_NEAREST || !codes))
                fail_msg("%s: %s", hn_ops[o].stem, hn_fp_names[fp]);
    }
    assert_true(without > 0);
}

int hn_test_family(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emitted_arguments_are_those_of_the_case),
        cmocka_unit_test(extents_are_set_for_every_operand),
        cmocka_unit_test(least_cases_have_outputs),
        cmocka_unit_test(plain_factors_are_quarters_up_to_four),
        cmocka_unit_test(products_are_counted),
        cmocka_unit_test(fast_kernels_are_run_in_every_mode),
    };
    return cmocka_run_group_tests_name("families", tests, NULL, NULL);
}
