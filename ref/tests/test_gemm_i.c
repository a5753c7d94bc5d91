/* SPDX-License-Identifier: MIT */
/* Tests of the references of products of bytes: against vectors worked out by hand, and against sums over the
 * bits of both factors, in 64-bit integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "draw.h"

ref_fn ref_gemm_nt_int8_int8_i32, ref_gemm_nt_uint8_int8_i32;

static const ck_numspec plain = { .lanes = 0, .accs = 1 };
static const ref_spec specs[] = { { &plain, 0, 0x1p-24, 0, 0 },
                                  { &plain, 1, 0x1p-24, 0, 0 },
                                  { &plain, 0, 0x1p-23, 1, 1 } };
enum { SPECS = 3, M = 3, N = 4, LD = 150 };

/* Bit p of a byte has the weight 2^p; of a signed one, bit 7 has -2^7. */
static int64_t weight(int p, int is_signed) { return is_signed && p == 7 ? -128 : 1 << p; }

/* sum_l a b = sum_pq w_p w_q |{ l: bit p of a and bit q of b are set }|. */
static int64_t by_bits(const unsigned char *a, const unsigned char *b, size_t k, int is_signed)
{
    int64_t sum = 0;
    for (int p = 0; p < 8; p++)
        for (int q = 0; q < 8; q++) {
            int64_t both = 0;
            for (size_t l = 0; l < k; l++) both += a[l] >> p & b[l] >> q & 1;
            sum += weight(p, is_signed) * weight(q, 1) * both;
        }
    return sum;
}

static void agree(ref_fn *fn, int is_signed, size_t k)
{
    static unsigned char a[M * LD], b[N * LD];
    double v[SPECS * M * N], e[SPECS * M * N], term[M * N];
    for (size_t i = 0; i < sizeof a; i++) a[i] = (unsigned char)bits64();
    for (size_t i = 0; i < sizeof b; i++) b[i] = (unsigned char)bits64();
    const ref_gemm_i_args g = { a, b, k, LD, LD };
    const ref_tile tile = { 1, M - 1, 1, N - 1 };
    const size_t n = (M - 1) * (N - 1);
    fn(&g, &tile, specs, SPECS, &(ref_out){ n, v, term, e });
    for (size_t i = 0; i < SPECS * n; i++) {
        const size_t row = 1 + i % n / (N - 1), col = 1 + i % (N - 1);
        const int64_t want = by_bits(a + row * LD, b + col * LD, k, is_signed);
        assert_true(v[i] == (double)want && e[i] == 0);
        assert_true(k ? term[i % n] > 0 : term[i % n] == 0);
    }
}

static void sums_are_those_over_bits(void **unused)
{
    (void)unused;
    for (size_t k = 0; k <= LD; k += k < 9 ? 1 : 47) {
        agree(ref_gemm_nt_int8_int8_i32, 1, k);
        agree(ref_gemm_nt_uint8_int8_i32, 0, k);
    }
}

/* One row by one row of one code throughout. */
static double of_one(ref_fn *fn, int a_code, int b_code, size_t k)
{
    static unsigned char a[131071], b[131071];
    double v, e, term;
    const ref_gemm_i_args g = { a, b, k, k, k };
    memset(a, a_code, sizeof a);
    memset(b, b_code, sizeof b);
    fn(&g, &(ref_tile){ 0, 1, 0, 1 }, specs, 1, &(ref_out){ 1, &v, &term, &e });
    assert_true(e == 0 && term == v / (double)k * (v < 0 ? -1 : 1));
    return v;
}

static void vectors_hold(void **unused)
{
    (void)unused;
    assert_true(of_one(ref_gemm_nt_int8_int8_i32, 0x80, 0x80, 1) == 16384);
    assert_true(of_one(ref_gemm_nt_uint8_int8_i32, 0x80, 0x80, 1) == -16384);
    assert_true(of_one(ref_gemm_nt_int8_int8_i32, 0xff, 0x7f, 2) == -254);
    assert_true(of_one(ref_gemm_nt_uint8_int8_i32, 0xff, 0x7f, 2) == 64770);
    assert_true(of_one(ref_gemm_nt_int8_int8_i32, 0x80, 0x80, 131071) == 2147467264);
    assert_true(of_one(ref_gemm_nt_uint8_int8_i32, 0xff, 0x80, 65793) == -2147483520.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(sums_are_those_over_bits), TEST(vectors_hold) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
