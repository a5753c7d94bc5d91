/* SPDX-License-Identifier: MIT */
/* Storage formats: contracts of the public entries, sizes of rows, hand-made vectors. Values at large
 * are the harness's business. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "ck_ops.h"
#include "f16.h"
#include "quant.h"

typedef ck_status quantize_fn(const ck_quantize_args *args);
typedef ck_status dequant_fn(const ck_dequant_args *args);

static const struct format {
    const char *name;
    ck_dtype dtype;
    size_t block, bytes;
    quantize_fn *quantize;
    dequant_fn *dequant;
} formats[] = {
#define FORMAT(code, name, block, bytes)                                                    \
    {                                                                                       \
#name, CK_DTYPE_##code, block, bytes, ck_quantize_row_##name, ck_dequant_row_##name \
    }
    FORMAT(BF16, bf16, 1, 2),     FORMAT(F16, f16, 1, 2),       FORMAT(INT8, int8, 1, 1),
    FORMAT(INT4, int4, 2, 1),     FORMAT(Q4_0, q4_0, 32, 18),   FORMAT(Q4_1, q4_1, 32, 20),
    FORMAT(Q5_0, q5_0, 32, 22),   FORMAT(Q5_1, q5_1, 32, 24),   FORMAT(Q8_0, q8_0, 32, 34),
    FORMAT(Q8_1, q8_1, 32, 36),   FORMAT(Q4_K, q4_k, 256, 144), FORMAT(Q5_K, q5_k, 256, 176),
    FORMAT(Q6_K, q6_k, 256, 210), FORMAT(Q8_K, q8_k, 256, 292),
#undef FORMAT
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Operands of rejected calls, which change no byte. */
static union {
    unsigned char bytes[4096];
    float floats[1024];
} arena, before;

static void expect(ck_status got, ck_status want)
{
    assert_string_equal(ck_status_text(got), ck_status_text(want));
    assert_memory_equal(arena.bytes, before.bytes, sizeof before);
}

static void entries_reject(void **state)
{
    float *const f = arena.floats;
    unsigned char *const q = arena.bytes + 2049;
    (void)state;
    for (size_t i = 0; i < sizeof arena.bytes; i++) arena.bytes[i] = (unsigned char)(37 * i + 11);
    before = arena;
    for (int i = 0; i < FORMATS; i++) {
        const struct format *t = &formats[i];
        const size_t n = t->block < 32 ? 32 : t->block, most = SIZE_MAX / t->block * t->block;
        float *const over = f + 512 + ((n / t->block * t->bytes + 1) / 4 - 1); /* q's last byte */
        expect(t->quantize(NULL), CK_ERR_NULL);
        expect(t->quantize(&(ck_quantize_args){ NULL, f, n }), CK_ERR_NULL);
        expect(t->quantize(&(ck_quantize_args){ q, NULL, n }), CK_ERR_NULL);
        expect(t->quantize(&(ck_quantize_args){ q, f, most }), CK_ERR_SHAPE);
        expect(t->quantize(&(ck_quantize_args){ f, f, n }), CK_ERR_ALIAS);
        expect(t->quantize(&(ck_quantize_args){ q, over, n }), CK_ERR_ALIAS);
        expect(t->quantize(&(ck_quantize_args){ NULL, NULL, 0 }), CK_OK);
        expect(t->dequant(NULL), CK_ERR_NULL);
        expect(t->dequant(&(ck_dequant_args){ NULL, q, n }), CK_ERR_NULL);
        expect(t->dequant(&(ck_dequant_args){ f, NULL, n }), CK_ERR_NULL);
        expect(t->dequant(&(ck_dequant_args){ f, q, most }), CK_ERR_SHAPE);
        expect(t->dequant(&(ck_dequant_args){ over, q, n }), CK_ERR_ALIAS);
        expect(t->dequant(&(ck_dequant_args){ NULL, NULL, 0 }), CK_OK);
        if (t->block > 1) {
            expect(t->quantize(&(ck_quantize_args){ q, f, n + 1 }), CK_ERR_MULTIPLE);
            expect(t->dequant(&(ck_dequant_args){ f, q, n + t->block / 2 }), CK_ERR_MULTIPLE);
        }
        ck_isa_set_mask(0);
        expect(t->quantize(&(ck_quantize_args){ q, f, n }), CK_ERR_ISA);
        expect(t->dequant(&(ck_dequant_args){ f, q, n }), CK_ERR_ISA);
        ck_isa_set_mask(~0u);
    }
}

static void rows_have_whole_blocks(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        const struct format *t = &formats[i];
        const size_t most = (size_t)PTRDIFF_MAX / t->bytes;
        assert_string_equal(ck_dtype_name(t->dtype), t->name);
        assert_int_equal(ck_dtype_find(t->name), t->dtype);
        assert_int_equal(ck_dtype_block(t->dtype), t->block);
        assert_int_equal(ck_row_bytes(t->dtype, 0), 0);
        assert_int_equal(ck_row_bytes(t->dtype, 1), t->bytes);
        assert_int_equal(ck_row_bytes(t->dtype, t->block), t->bytes);
        assert_int_equal(ck_row_bytes(t->dtype, t->block + 1), 2 * t->bytes);
        assert_int_equal(ck_row_bytes(t->dtype, 7 * t->block), 7 * t->bytes);
        if (most <= SIZE_MAX / t->block - 1) {
            assert_int_equal(ck_row_bytes(t->dtype, most * t->block), most * t->bytes);
            assert_int_equal(ck_row_bytes(t->dtype, (most + 1) * t->block), SIZE_MAX);
        }
    }
    assert_int_equal(ck_row_bytes(CK_DTYPE_F32, 3), 12);
    assert_int_equal(ck_row_bytes(CK_DTYPE_F32, SIZE_MAX), SIZE_MAX);
    assert_int_equal(ck_row_bytes(CK_DTYPE_COUNT, 1), SIZE_MAX);
    assert_int_equal(ck_dtype_block(CK_DTYPE_COUNT), 0);
    assert_string_equal(ck_dtype_name(CK_DTYPE_COUNT), "unknown");
    assert_int_equal(ck_dtype_find("q9_0"), CK_DTYPE_COUNT);
    assert_int_equal(ck_dtype_find(NULL), CK_DTYPE_COUNT);
}

/* Codes that files may store. */
static void codes_of_formats_stay(void **state)
{
    static const char *const names[] = { "f32",  "bf16", "f16",  "int8", "int4",
                                         "q4_0", "q4_1", "q4_k", "q6_k", "q8_0",
                                         "q8_k", "q5_0", "q5_1", "q5_k", "q8_1" };
    (void)state;
    assert_int_equal(CK_DTYPE_COUNT, sizeof names / sizeof *names);
    for (unsigned t = 0; t < CK_DTYPE_COUNT; t++)
        assert_string_equal(ck_dtype_name((ck_dtype)t), names[t]);
}

static void put16(unsigned char *p, unsigned bits)
{
    p[0] = (unsigned char)bits;
    p[1] = (unsigned char)(bits >> 8);
}

/* Low nibbles are elements 0..15, high ones 16..31. */
static void q4_vectors(void)
{
    unsigned char x[CK_Q4_1_BYTES + 1] = { 0 };
    float y[32];
    put16(x + 1, 0xb800); /* -0.5 */
    for (unsigned j = 0; j < 16; j++) x[3 + j] = (unsigned char)(j | (15 - j) << 4);
    assert_int_equal(ck_dequant_row_q4_0(&(ck_dequant_args){ y, x + 1, 32 }), CK_OK);
    for (int j = 0; j < 16; j++)
        assert_true(y[j] == -0.5f * (float)(j - 8) && y[16 + j] == -0.5f * (float)(7 - j));
    assert_int_equal(f32_bits(y[8]), 0x80000000);
    put16(x + 3, 0x3c01); /* 1 + 2^-10 */
    for (unsigned j = 0; j < 16; j++) x[5 + j] = (unsigned char)(j | (15 - j) << 4);
    assert_int_equal(ck_dequant_row_q4_1(&(ck_dequant_args){ y, x + 1, 32 }), CK_OK);
    for (int j = 0; j < 16; j++) {
        assert_true(y[j] == -0.5f * (float)j + 0x1.004p0f);
        assert_true(y[16 + j] == -0.5f * (float)(15 - j) + 0x1.004p0f);
    }
}

/* Bit 16 of qh belongs to element 16, bit 31 to element 31. */
static void q5_vectors(void)
{
    unsigned char x[CK_Q5_1_BYTES] = { 0, 0x3c, 0x01, 0x00, 0x01, 0x80 };
    float y[32];
    for (unsigned j = 0; j < 16; j++) x[6 + j] = (unsigned char)(j | (15 - j) << 4);
    assert_int_equal(ck_dequant_row_q5_0(&(ck_dequant_args){ y, x, 32 }), CK_OK);
    assert_true(y[0] == 0 && y[16] == 15 && y[31] == 0);
    for (int j = 1; j < 16; j++) assert_true(y[j] == (float)(j - 16));
    for (int j = 1; j < 15; j++) assert_true(y[16 + j] == (float)(-1 - j));
    memmove(x + 4, x + 2, 20);
    put16(x + 2, 0x7bff);
    assert_int_equal(ck_dequant_row_q5_1(&(ck_dequant_args){ y, x, 32 }), CK_OK);
    assert_true(y[0] == 65520 && y[1] == 65505 && y[16] == 65535 && y[31] == 65520);
    put16(x, 0x7c00);
    assert_int_equal(ck_dequant_row_q5_1(&(ck_dequant_args){ y, x, 32 }), CK_OK);
    assert_true(y[1] == INFINITY && y[16] == INFINITY);
    put16(x + 2, 0xfc00);
    assert_int_equal(ck_dequant_row_q5_1(&(ck_dequant_args){ y, x, 32 }), CK_OK);
    assert_int_equal(f32_bits(y[1]), 0x7fc00000); /* infinity less infinity */
}

/* Bytes of one block: what `dequant` is fed with, what `quantize` gives of x. */
static void encodes(quantize_fn *quantize, const float *x, const unsigned char *want, size_t bytes)
{
    unsigned char got[CK_Q8_1_BYTES + 1];
    assert_int_equal(quantize(&(ck_quantize_args){ got + 1, x, 32 }), CK_OK);
    assert_memory_equal(got + 1, want, bytes);
}

static void signed_quantise_vectors(void)
{
    float x[32] = { 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 3.25f, 7, 8 };
    unsigned char q4[18] = { 0, 0x3c }, q5[22] = { 0, 0x38 };
    static const int codes[8] = { 8, 10, 10, 8, 6, 11, 15, 15 };
    x[31] = -8; /* as great as x[7], which comes first: d = -1 */
    memset(q4 + 2, 0x88, 16);
    for (int j = 0; j < 8; j++) q4[2 + j] = (unsigned char)(0x80 | (16 - codes[j]) % 16);
    put16(q4, 0xbc00);
    q4[2 + 6] = 0x81;
    q4[2 + 7] = 0x80;
    q4[17] = 0xf8; /* 16 is cut to 15 */
    encodes(ck_quantize_row_q4_0, x, q4, sizeof q4);
    x[7] = 7.75f; /* now -8 is alone: d = 1 */
    put16(q4, 0x3c00);
    for (int j = 0; j < 8; j++) q4[2 + j] = (unsigned char)(0x80 | codes[j]);
    q4[17] = 0x08;
    encodes(ck_quantize_row_q4_0, x, q4, sizeof q4);
    /* q5_0: the same in half steps; 16 has its fifth bit */
    static const int fives[8] = { 17, 19, 21, 15, 13, 22, 30, 31 };
    uint32_t high = 0x7fffffff;
    for (int j = 0; j < 16; j++) q5[6 + j] = (unsigned char)(j < 8 ? fives[j] & 15 : 0);
    high &= ~(uint32_t)(1 << 3 | 1 << 4);
    for (int b = 0; b < 4; b++) q5[2 + b] = (unsigned char)(high >> 8 * b);
    encodes(ck_quantize_row_q5_0, x, q5, sizeof q5);
    memset(x, 0, sizeof x);
    memset(q4, 0, 2);
    memset(q4 + 2, 0x88, 16);
    encodes(ck_quantize_row_q4_0, x, q4, sizeof q4);
    x[31] = NAN;
    put16(q4, 0x7e00);
    encodes(ck_quantize_row_q4_0, x, q4, sizeof q4);
    x[31] = 8 * 65520.0f;
    put16(q4, 0xfc00);
    q4[17] = 0x08;
    encodes(ck_quantize_row_q4_0, x, q4, sizeof q4);
    x[31] = 0x1p-125f;
    put16(q4, 0);
    q4[17] = 0x88;
    encodes(ck_quantize_row_q4_0, x, q4, sizeof q4);
    x[31] = -0x1.000002p-125f;
    q4[17] = 0x08;
    encodes(ck_quantize_row_q4_0, x, q4, sizeof q4);
}

static void affine_quantise_vectors(void)
{
    float x[32];
    unsigned char q4[20] = { 0, 0x3c, 0, 0xc0 }; /* d = 1, m = -2 */
    unsigned char q5[24] = { 0, 0x38, 0, 0xc0 }; /* d = 0.5 */
    for (int i = 0; i < 32; i++) x[i] = -2;
    x[0] = 13;
    x[1] = -1.5f; /* 0.5 above: 0 */
    x[2] = -0.5f; /* 1.5: 2 */
    x[31] = 0.5f; /* 2.5: 2 */
    q4[4] = 15;
    q4[6] = 2;
    q4[19] = 0x20;
    encodes(ck_quantize_row_q4_1, x, q4, sizeof q4);
    x[0] = 13.5f; /* 15.5 above */
    q5[8] = 15;
    q5[9] = 1;
    q5[10] = 3;
    q5[23] = 0x50;
    q5[4] = 1;
    encodes(ck_quantize_row_q5_1, x, q5, sizeof q5);
    for (int i = 0; i < 32; i++) x[i] = -0.0f;
    memset(q4, 0, sizeof q4);
    encodes(ck_quantize_row_q4_1, x, q4, sizeof q4);
    for (int i = 0; i < 32; i++) x[i] = -65520;
    put16(q4 + 2, 0xfc00);
    encodes(ck_quantize_row_q4_1, x, q4, sizeof q4);
    x[17] = 0x1.8p127f;
    x[5] = -0x1.8p127f;
    put16(q4, 0x7e00);
    put16(q4 + 2, 0x7e00);
    encodes(ck_quantize_row_q4_1, x, q4, sizeof q4);
    x[17] = x[5] = INFINITY;
    encodes(ck_quantize_row_q4_1, x, q4, sizeof q4);
}

static void q8_1_vectors(void)
{
    float x[32] = { 127, -126, 0.5f, 1.5f }, y[32];
    unsigned char want[36] = { 0, 0x3c, 0, 0x42, 127, 0x82, 0, 2 }; /* s = 3 */
    encodes(ck_quantize_row_q8_1, x, want, sizeof want);
    assert_int_equal(ck_dequant_row_q8_1(&(ck_dequant_args){ y, want, 32 }), CK_OK);
    assert_true(y[0] == 127 && y[1] == -126 && y[3] == 2 && y[31] == 0);
    x[31] = -INFINITY;
    memset(want, 0, sizeof want);
    put16(want, 0x7e00);
    put16(want + 2, 0x7e00);
    encodes(ck_quantize_row_q8_1, x, want, sizeof want);
}

/* Whole vectors and what is left of them: 32 + 7 elements. */
static void number_vectors(void)
{
    static const struct {
        uint32_t x;
        unsigned f16, bf16;
    } at[] = {
        { 0x3f801d7e, 0x3c01, 0x3f80 }, /* 1.0009 */
        { 0x477ff000, 0x7c00, 0x4780 }, /* 65520 */
        { 0x33000000, 0x0000, 0x3300 }, /* 2^-25: a tie */
        { 0xb3000001, 0x8001, 0xb300 }, { 0x7fffffff, 0x7fff, 0x7fff },
        { 0xff800001, 0xfe00, 0xffc0 }, { 0x3f808000, 0x3c04, 0x3f80 },
        { 0x3f818000, 0x3c0c, 0x3f82 }, { 0x7f7f8000, 0x7c00, 0x7f80 },
        { 0x80000000, 0x8000, 0x8000 }, { 0x00018000, 0x0000, 0x0002 },
        { 0xff800000, 0xfc00, 0xff80 },
    };
    enum { N = 39, AT = sizeof at / sizeof *at };
    float x[N], y[N];
    unsigned char half[2 * N + 1], brain[2 * N + 1];
    for (int i = 0; i < N; i++) x[i] = f32_of_bits(at[i % AT].x);
    assert_int_equal(ck_quantize_row_f16(&(ck_quantize_args){ half + 1, x, N }), CK_OK);
    assert_int_equal(ck_quantize_row_bf16(&(ck_quantize_args){ brain + 1, x, N }), CK_OK);
    for (int i = 0; i < N; i++) {
        assert_int_equal(f16_load(half + 1 + 2 * i), at[i % AT].f16);
        assert_int_equal(f16_load(brain + 1 + 2 * i), at[i % AT].bf16);
    }
    assert_int_equal(ck_dequant_row_f16(&(ck_dequant_args){ y, half + 1, N }), CK_OK);
    for (int i = 0; i < N; i++) {
        const float want = f16_to_f32((uint16_t)at[i % AT].f16);
        assert_int_equal(f32_bits(y[i]), isnan(want) ? 0x7fc00000 : f32_bits(want));
    }
    assert_int_equal(ck_dequant_row_bf16(&(ck_dequant_args){ y, brain + 1, N }), CK_OK);
    for (int i = 0; i < N; i++) {
        const float want = f32_of_bits((uint32_t)at[i % AT].bf16 << 16);
        assert_int_equal(f32_bits(y[i]), isnan(want) ? 0x7fc00000 : f32_bits(want));
    }
}

static void integer_vectors(void)
{
    static const struct {
        float x;
        int int8, int4;
    } at[] = { { 0.5f, 0, 0 },          { 1.5f, 2, 2 },     { -2.5f, -2, -2 },  { 7.5f, 8, 7 },
               { -8.5f, -8, -8 },       { 127.5f, 127, 7 }, { -129, -128, -8 }, { NAN, 0, 0 },
               { -INFINITY, -128, -8 }, { 1e30f, 127, 7 },  { -0.0f, 0, 0 } };
    enum { N = 42, AT = sizeof at / sizeof *at };
    float x[N], y[N];
    unsigned char byte[N], nibble[N / 2];
    for (int i = 0; i < N; i++) x[i] = at[i % AT].x;
    assert_int_equal(ck_quantize_row_int8(&(ck_quantize_args){ byte, x, N }), CK_OK);
    assert_int_equal(ck_quantize_row_int4(&(ck_quantize_args){ nibble, x, N }), CK_OK);
    for (int i = 0; i < N; i++) {
        assert_int_equal((int8_t)byte[i], at[i % AT].int8);
        assert_int_equal(nibble[i / 2] >> i % 2 * 4 & 15, at[i % AT].int4 & 15);
    }
    assert_int_equal(ck_dequant_row_int8(&(ck_dequant_args){ y, byte, N }), CK_OK);
    for (int i = 0; i < N; i++) assert_true(y[i] == (float)at[i % AT].int8);
    assert_int_equal(ck_dequant_row_int4(&(ck_dequant_args){ y, nibble, N }), CK_OK);
    for (int i = 0; i < N; i++) assert_true(y[i] == (float)at[i % AT].int4);
    assert_int_equal(f32_bits(y[10]), 0);
}

/* One bundle after the other is the best. */
static void vectors_hold_on_every_isa(void **state)
{
    const unsigned all = ck_isa_mask();
    (void)state;
    for (unsigned k = 0; k < 2 * CK_ISA_COUNT; k++) {
        const unsigned isa = k / 2;
        if (!(all >> isa & 1)) continue;
        ck_set_strict_parity(k % 2);
        ck_isa_set_mask(all & ((2u << isa) - 1));
        q4_vectors();
        q5_vectors();
        signed_quantise_vectors();
        affine_quantise_vectors();
        q8_1_vectors();
        number_vectors();
        integer_vectors();
    }
    ck_isa_set_mask(~0u);
    ck_set_strict_parity(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_reject),
        cmocka_unit_test(rows_have_whole_blocks),
        cmocka_unit_test(codes_of_formats_stay),
        cmocka_unit_test(vectors_hold_on_every_isa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
