/* SPDX-License-Identifier: MIT */
/* Residues and pairs of them. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "family.h"
#include "tests.h"

static const ck_numspec tile = { .mr = 2, .nr = 3, .ku = 4 };

static void mark(hn_cells *cells, const char *op, int64_t m, int64_t n, int64_t k)
{
    char line[80], error[256];
    hn_case c;
    snprintf(line, sizeof line, "%s gen=1 M=%lld N=%lld K=%lld", op, (long long)m, (long long)n,
             (long long)k);
    if (hn_case_parse(&c, line, error, sizeof error) != 0) fail_msg("%s", error);
    hn_cells_mark(cells, &c, &tile);
}

static void counts(const hn_cells *cells, const char *op, size_t m, size_t n, size_t k,
                   size_t pairs)
{
    const size_t wanted[HN_CELL_AXES] = { m, n, k }, all[HN_CELL_AXES] = { 2, 3, 4 };
    hn_cell_axis axes[HN_CELL_AXES];
    hn_cell_axes(hn_op_find(op), &tile, axes);
    for (size_t a = 0; a < HN_CELL_AXES; a++) {
        const hn_cell_count got = hn_cells_residues(cells, &axes[a], a);
        assert_int_equal(got.seen, wanted[a]);
        assert_int_equal(got.all, all[a]);
    }
    assert_int_equal(hn_cells_pairs(cells, axes).seen, pairs);
    assert_int_equal(hn_cells_pairs(cells, axes).all, 2 * 3 + 2 * 4 + 3 * 4);
}

static void residues_and_pairs_are_counted(void **state)
{
    hn_cells cells = { 0 }, more = { 0 };
    (void)state;
    counts(&cells, "gemm_nt_f32", 0, 0, 0, 0);
    mark(&cells, "gemm_nt_f32", 1, 1, 1);
    mark(&cells, "gemm_nt_f32", 3, 4, 5);
    counts(&cells, "gemm_nt_f32", 1, 1, 1, 3);
    mark(&more, "gemm_nt_f32", 2, 1, 0);
    hn_cells_merge(&cells, &more);
    counts(&cells, "gemm_nt_f32", 2, 1, 2, 6);
    for (int64_t i = 0; i < 24; i++) mark(&cells, "gemm_nt_f32", 2 + i % 2, 3 + i / 2 % 3, i / 6);
    counts(&cells, "gemm_nt_f32", 2, 3, 4, 26);
}

static void blocks_are_counted_whole(void **state)
{
    hn_cells cells = { 0 };
    (void)state;
    mark(&cells, "gemm_nt_q8_0_f32", 1, 1, 32);
    mark(&cells, "gemm_nt_q8_0_f32", 1, 1, 160);
    counts(&cells, "gemm_nt_q8_0_f32", 1, 1, 1, 3);
}

static void what_is_missing_is_named(void **state)
{
    hn_cells cells = { 0 };
    hn_cell_axis axes[HN_CELL_AXES];
    char *text = NULL;
    size_t size = 0;
    (void)state;
    for (int64_t i = 0; i < 24; i++)
        if (i / 2 != 5) mark(&cells, "gemm_nt_f32", 2 + i % 2, 3 + i / 2 % 3, i / 6);
    hn_cell_axes(hn_op_find("gemm_nt_f32"), &tile, axes);
    FILE *const out = open_memstream(&text, &size);
    assert_non_null(out);
    hn_cells_missing(&cells, axes, out);
    fclose(out);
    assert_string_equal(text, "N % 3, K % 4 = 2, 1");
    free(text);
}

int hn_test_cells(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residues_and_pairs_are_counted),
        cmocka_unit_test(blocks_are_counted_whole),
        cmocka_unit_test(what_is_missing_is_named),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
