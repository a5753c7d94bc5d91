/* SPDX-License-Identifier: MIT */
/* Products of bytes into 32-bit integers: contracts of the public entries, vectors worked out by hand, and the
 * longest sums, on every instruction set. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "ck_ops.h"
#include "gemm.h"

typedef ck_status entry(const ck_gemm_i_args *args);

/* Operands of rejected calls, which change no byte. */
static union {
    unsigned char bytes[1024];
    int32_t words[256];
} arena, before;

static void expect(ck_status got, ck_status want)
{
    assert_string_equal(ck_status_text(got), ck_status_text(want));
    assert_memory_equal(arena.bytes, before.bytes, sizeof before);
}

/* 2 x 3 outputs of k = 4: operands at odd addresses. */
static ck_gemm_i_args good(void)
{
    unsigned char *const p = arena.bytes;
    return (ck_gemm_i_args){ arena.words, p + 257, (const int8_t *)(p + 513), 2, 3, 4, 3, 4, 4 };
}

static void entries_reject(void **state)
{
    static const struct {
        entry *call;
        size_t most;
    } entries[] = { { ck_gemm_nt_int8_int8_i32, 131071 }, { ck_gemm_nt_uint8_int8_i32, 65793 } };
    ck_gemm_i_args g;
    (void)state;
    for (size_t i = 0; i < sizeof arena.bytes; i++) arena.bytes[i] = (unsigned char)(37 * i + 11);
    before = arena;
    for (size_t i = 0; i < 2; i++) {
        entry *const call = entries[i].call;
        expect(call(NULL), CK_ERR_NULL);
        g = good(), g.y = NULL, expect(call(&g), CK_ERR_NULL);
        g = good(), g.a = NULL, expect(call(&g), CK_ERR_NULL);
        g = good(), g.b = NULL, expect(call(&g), CK_ERR_NULL);
        g = good(), g.ldy = 2, expect(call(&g), CK_ERR_SHAPE);
        g = good(), g.lda = 3, expect(call(&g), CK_ERR_SHAPE);
        g = good(), g.ldb = 3, expect(call(&g), CK_ERR_SHAPE);
        g = good(), g.n = SIZE_MAX / 3, expect(call(&g), CK_ERR_SHAPE);
        g = good(), g.lda = g.ldb = 1 << 20;
        g.k = entries[i].most + 1, expect(call(&g), CK_ERR_SHAPE);
        /* that length is not what is wrong any more */
        g.k = entries[i].most, g.a = NULL, expect(call(&g), CK_ERR_NULL);
        g = good(), g.a = arena.bytes + 23, expect(call(&g), CK_ERR_ALIAS);
        g = good(), g.b = (const int8_t *)(arena.bytes + 1), expect(call(&g), CK_ERR_ALIAS);
        g = good(), g.m = 0, g.y = NULL, expect(call(&g), CK_OK);
    }
}

/* One row of a, `rows` of b. */
static void is(entry *call, const void *a, const int8_t *b, size_t k, const int32_t *want,
               size_t rows)
{
    int32_t y[4];
    const ck_gemm_i_args g = { y, a, b, 1, rows, k, rows, k, k };
    assert_int_equal(call(&g), CK_OK);
    assert_memory_equal(y, want, rows * sizeof *y);
}

/* (-128)(-128) + 127 (-128) + 1 * 5 and the like; a as int8_t, then the same bytes as uint8_t. */
static void short_vectors(void)
{
    static const int8_t a[] = { -128, 127, 1 };
    static const int8_t b[] = { -128, -128, 5, 127, -1, -128 };
    is(ck_gemm_nt_int8_int8_i32, a, b, 3, (const int32_t[]){ 133, -16511 }, 2);
    is(ck_gemm_nt_uint8_int8_i32, a, b, 3, (const int32_t[]){ -32635, 16001 }, 2);
    is(ck_gemm_nt_int8_int8_i32, NULL, NULL, 0, (const int32_t[]){ 0, 0 }, 2);
}

/* Rows of one code throughout: the greatest and the least sums that there are, and one whose terms, moved up
 * by 128, would need 33 bits. */
static void longest_sums(void)
{
    enum { MOST = 131071, MOST_UNSIGNED = 65793 };
    static int8_t a[MOST], b[2 * MOST];
    memset(a, -128, sizeof a);
    memset(b, -128, MOST);
    memset(b + MOST, 127, MOST);
    is(ck_gemm_nt_int8_int8_i32, a, b, MOST, (const int32_t[]){ 2147467264, -2130690176 }, 2);
    memset(a, 127, sizeof a);
    is(ck_gemm_nt_int8_int8_i32, a, b, MOST, (const int32_t[]){ -2130690176, 2114044159 }, 2);
    memset(a, 255, sizeof a);
    memset(b + MOST_UNSIGNED, 127, MOST_UNSIGNED);
    is(ck_gemm_nt_uint8_int8_i32, a, b, MOST_UNSIGNED, (const int32_t[]){ -2147483520, 2130706305 },
       2);
}

static void vectors_hold_on_every_isa(void **state)
{
    const unsigned all = ck_isa_mask();
    (void)state;
    for (unsigned isa = 0; isa < CK_ISA_COUNT; isa++) {
        if (!(all >> isa & 1) || isa == CK_ISA_avx512bf16) continue; /* which has no such kernel */
        for (int strict = 0; strict < 2; strict++) {
            ck_set_strict_parity(strict);
            assert_int_equal(ck_isa_set_mask(1u << isa), 1u << isa);
            short_vectors();
            longest_sums();
        }
    }
    ck_set_strict_parity(0);
    ck_isa_set_mask(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_reject),
        cmocka_unit_test(vectors_hold_on_every_isa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
