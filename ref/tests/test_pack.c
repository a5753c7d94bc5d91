/* SPDX-License-Identifier: MIT */
/* Tests of the references of packed weights: what is unpacked is what was packed, bit by bit, and products
 * are those of the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "decode.h"
#include "draw.h"

ref_fn ref_pack_q4_k_q4_kx8, ref_gemm_nt_q4_kx8_q8_k, ref_gemm_nt_q4_k_q8_k;
ref_fn ref_pack_q4_0_q4_0x8, ref_gemm_nt_q4_0x8_q8_0, ref_gemm_nt_q4_0_q8_0;

enum { ROWS = 8, MOST = 144, MOST_A = 292, MOST_PARTS = 274 };

/* A format of rows: bytes of a block, of one of a, elements; where bit `bit` of the block of row r goes, worked
 * out from the drawing in docs/formats.md, and whether it is turned over; part i of a block. */
typedef struct kind {
    size_t bytes, a_bytes, elements, parts;
    size_t (*place_of)(size_t r, size_t bit);
    int (*turned)(size_t bit);
    double (*part_of)(const unsigned char *block, size_t i);
    ref_unpack_fn *unpack;
    ref_fn *pack, *product, *product_of_rows;
} kind;

static size_t place_of_k(size_t r, size_t bit)
{
    const size_t byte = bit / 8, within = bit % 8;
    if (byte < 2) return 8 * (2 * r + byte) + within;          /* d */
    if (byte < 4) return 8 * (16 + 2 * r + byte - 2) + within; /* dmin */
    if (byte >= 16) {                                          /* codes */
        const size_t l = byte - 16;
        return 8 * (128 + 64 * (l / 8) + 8 * r + l % 8) + within;
    }
    /* which number, scale or minimum, and which of its bits */
    const size_t at = byte - 4, n = at % 4;
    size_t number, minimum, digit;
    if (at >= 8)
        number = 4 + n, minimum = within / 4, digit = within % 4;
    else if (within < 6)
        number = n, minimum = at / 4, digit = within;
    else
        number = 4 + n, minimum = at / 4, digit = within - 2;
    /* the same, of row r in the twelve bytes of sub-block `number` */
    const size_t base = 8 * (32 + 12 * number);
    if (r < 4) return base + 8 * (4 * minimum + r) + digit;
    if (digit < 4) return base + 8 * (4 + r) + 4 * minimum + digit;
    return base + 8 * (4 * minimum + r - 4) + 2 + digit;
}

static int never(size_t bit)
{
    (void)bit;
    return 0;
}

/* d; then bytes by eights, row by row, and in them the nibbles as they are. */
static size_t place_of_0(size_t r, size_t bit)
{
    const size_t byte = bit / 8, within = bit % 8;
    if (byte < 2) return 8 * (2 * r + byte) + within;
    const size_t l = byte - 2;
    return 8 * (16 + 64 * (l / 8) + 8 * r + l % 8) + within;
}

/* q - 8 in two's complement: the highest of four bits. */
static int highest_of_four(size_t bit) { return bit >= 16 && bit % 4 == 3; }

/* Parts of a block are those of its rows' blocks, as the quantiser of q4_k numbers them, taken from
 * the bits here: d, dmin, scales, minimums, codes. */
static double part_of_k(const unsigned char *block, size_t i)
{
    const unsigned char *s = block + 4, *q = block + 16;
    if (i < 2) return block[2 * i] + 256 * block[2 * i + 1];
    if (i < 18) {
        const size_t minimum = (i - 2) / 8, n = (i - 2) % 8;
        if (n < 4) return s[4 * minimum + n] & 63;
        return (s[4 + n] >> 4 * minimum & 15) + 16 * (s[4 * minimum + n - 4] >> 6);
    }
    const size_t e = i - 18;
    return q[e / 64 * 32 + e % 32] >> (e % 64 < 32 ? 0 : 4) & 15;
}

/* d, then what the codes stand for. */
static double part_of_0(const unsigned char *block, size_t i)
{
    if (i == 0) return block[0] + 256 * block[1];
    return (block[2 + (i - 1) % 16] >> (i <= 16 ? 0 : 4) & 15) - 8;
}

static const kind kinds[] = {
    { 144, 292, 256, 274, place_of_k, never, part_of_k, ref_unpack_q4_kx8, ref_pack_q4_k_q4_kx8,
      ref_gemm_nt_q4_kx8_q8_k, ref_gemm_nt_q4_k_q8_k },
    { 18, 34, 32, 33, place_of_0, highest_of_four, part_of_0, ref_unpack_q4_0x8,
      ref_pack_q4_0_q4_0x8, ref_gemm_nt_q4_0x8_q8_0, ref_gemm_nt_q4_0_q8_0 },
};
enum { KINDS = 2 };

static size_t packed_bytes(const kind *k) { return ROWS * k->bytes; }

static void bit_comes_back(const kind *k, size_t r, size_t bit)
{
    const size_t to = k->place_of(r, bit);
    unsigned char packed[ROWS * MOST] = { 0 }, block[MOST];
    packed[to / 8] = (unsigned char)(1u << to % 8);
    for (size_t other = 0; other < ROWS; other++) {
        k->unpack(packed, other, block);
        for (size_t b = 0; b < 8 * k->bytes; b++)
            assert_int_equal(block[b / 8] >> b % 8 & 1, k->turned(b) ^ (other == r && b == bit));
    }
}

/* Every bit of eight rows has a place of its own, and comes back from it. */
static void each_bit_comes_back(void **unused)
{
    (void)unused;
    for (const kind *k = kinds; k < kinds + KINDS; k++) {
        unsigned char taken[ROWS * MOST] = { 0 };
        for (size_t r = 0; r < ROWS; r++)
            for (size_t bit = 0; bit < 8 * k->bytes; bit++) {
                const size_t to = k->place_of(r, bit);
                assert_int_equal(taken[to / 8] >> to % 8 & 1, 0);
                taken[to / 8] = (unsigned char)(taken[to / 8] | 1u << to % 8);
                bit_comes_back(k, r, bit);
            }
        for (size_t i = 0; i < packed_bytes(k); i++) assert_int_equal(taken[i], 0xff);
    }
}

static void pack(const kind *k, unsigned char *packed, const unsigned char *const *rows)
{
    memset(packed, 0, packed_bytes(k));
    for (size_t r = 0; r < ROWS; r++)
        for (size_t bit = 0; bit < 8 * k->bytes; bit++) {
            const size_t to = k->place_of(r, bit);
            const unsigned set = (rows[r][bit / 8] >> bit % 8 & 1u) ^ (unsigned)k->turned(bit);
            packed[to / 8] = (unsigned char)(packed[to / 8] | set << to % 8);
        }
}

static const ck_numspec chain = { .lanes = 1, .accs = 1, .flags = CK_NUM_MIN_FACTORED };
static const ck_numspec any = { .accs = 1 };
static const ref_spec specs[] = { { &chain, 0, 0x1p-24, 0, 0 },
                                  { &any, 0, 0x1p-23, 0, 0 },
                                  { &chain, 1, 0x1p-24, 0, 0 } };
enum { SPECS = 3, M = 3, N = 19, EIGHTS = 3, BLOCKS = 3, LDB = 4, LDW = 5, LDA = 4 };
static unsigned char w[N * LDW * MOST], b[EIGHTS * LDB * ROWS * MOST], a[M * LDA * MOST_A];

static void draw_bytes(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)below(256);
}

/* Scales are numbers; everything else is any bits. What is beyond n differs from all rows. */
static void draw(const kind *k)
{
    static const unsigned char beyond[MOST] = { 0xff, 0x7f };
    const size_t bytes = k->bytes, a_bytes = k->a_bytes;
    draw_bytes(w, sizeof w);
    draw_bytes(a, sizeof a);
    for (size_t i = 0; i < N * LDW; i++) {
        w[i * bytes + 1] &= 0x3f;
        if (k->elements == 256) w[i * bytes + 3] &= 0xbf;
    }
    for (size_t i = 0; i < M * LDA; i++) {
        const float d = normal();
        a[i * a_bytes + 1] &= 0xbf;
        if (k->elements == 256) memcpy(a + i * a_bytes, &d, sizeof d);
    }
    for (size_t j = 0; j < EIGHTS; j++)
        for (size_t l = 0; l < BLOCKS; l++) {
            const unsigned char *rows[ROWS];
            for (size_t r = 0; r < ROWS; r++)
                rows[r] = ROWS * j + r < N ? w + ((ROWS * j + r) * LDW + l) * bytes : beyond;
            pack(k, b + (j * LDB + l) * packed_bytes(k), rows);
        }
}

static void as_rows(const kind *k)
{
    static const ref_tile tiles[] = { { 0, M, 0, N }, { 1, 2, 5, 11 }, { 2, 1, N - 1, 1 } };
    static double y[SPECS * M * N], ye[SPECS * M * N], z[SPECS * M * N], ze[SPECS * M * N];
    static double term[M * N], of_rows[M * N];
    float bias[N];
    draw(k);
    for (size_t j = 0; j < N; j++) bias[j] = normal();
    const ref_gemm_q_args packed = { a, b, bias, BLOCKS * k->elements, LDA, LDB };
    const ref_gemm_q_args rows = { a, w, bias, BLOCKS * k->elements, LDA, LDW };
    for (size_t i = 0; i < 3; i++) {
        const size_t n = tiles[i].rows * tiles[i].cols;
        k->product(&packed, &tiles[i], specs, SPECS, &(ref_out){ n, y, term, ye });
        k->product_of_rows(&rows, &tiles[i], specs, SPECS, &(ref_out){ n, z, of_rows, ze });
        assert_memory_equal(y, z, SPECS * n * sizeof *y);
        assert_memory_equal(ye, ze, SPECS * n * sizeof *ye);
        assert_memory_equal(term, of_rows, n * sizeof *term);
    }
}

/* Values and radii, whatever the tile. */
static void products_are_those_of_the_rows(void **unused)
{
    (void)unused;
    for (const kind *k = kinds; k < kinds + KINDS; k++)
        for (int t = 0; t < 20; t++) as_rows(k);
}

static void keeps_parts(const kind *k)
{
    static double v[SPECS * 2 * 2 * ROWS * MOST_PARTS], e[SPECS * 2 * 2 * ROWS * MOST_PARTS],
        term[2 * 2 * ROWS * MOST_PARTS];
    const ref_pack_args p = { w, N, LDW };
    const ref_tile tile = { 1, 2, 1, 2 };
    const size_t n = 2 * 2 * ROWS * k->parts;
    draw(k);
    k->pack(&p, &tile, specs, SPECS, &(ref_out){ n, v, term, e });
    for (size_t i = 0; i < SPECS * n; i++) {
        const size_t part = i % n, unit = part / (ROWS * k->parts), r = part / k->parts % ROWS;
        const size_t row = ROWS * (1 + unit / 2) + r, l = 1 + unit % 2;
        const unsigned char *block = row < N ? w + (row * LDW + l) * k->bytes : NULL;
        assert_true(v[i] == (block ? k->part_of(block, part % k->parts) : 0));
        assert_true(e[i] == 0 && term[part] > 0);
    }
}

static void packing_keeps_every_part(void **unused)
{
    (void)unused;
    for (const kind *k = kinds; k < kinds + KINDS; k++) keeps_parts(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(each_bit_comes_back),
                                        TEST(products_are_those_of_the_rows),
                                        TEST(packing_keeps_every_part) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
