/* SPDX-License-Identifier: MIT */
/* Packed formats, as docs/formats.md says: a row taken out of them, and what packing must give. */
#include <string.h>

#include "decode.h"
#include "ref.h"

ref_fn ref_pack_q4_0_q4_0x8, ref_pack_q4_k_q4_kx8;

enum { ROWS = 8, Q4_K = 144, Q4_KX8 = ROWS * Q4_K, SUB_BLOCKS = 8, CODES = 256 };
enum { MOST_PARTS = 2 + 2 * SUB_BLOCKS + CODES, Q4_0 = 18, CODES_0 = 32 };

/* Where a number lies in the twelve bytes of q4_k's scales and minimums. */
typedef struct place {
    unsigned bit, width;
} place;

static unsigned bits_at(const unsigned char *b, place p)
{
    return b[p.bit / 8] >> p.bit % 8 & ((1u << p.width) - 1);
}

/* Scale n (which 0) or minimum n (which 1). */
static unsigned number_at(const unsigned char *b, unsigned n, unsigned which)
{
    if (n < 4) return bits_at(b, (place){ 32 * which + 8 * n, 6 });
    const place low = { 64 + 8 * (n - 4) + 4 * which, 4 };
    const place high = { 32 * which + 8 * (n - 4) + 6, 2 };
    return bits_at(b, low) | bits_at(b, high) << 4;
}

static void set_bits(unsigned char *b, place p, unsigned value)
{
    b[p.bit / 8] = (unsigned char)(b[p.bit / 8] | value << p.bit % 8);
}

static void set_number(unsigned char *b, unsigned n, unsigned which, unsigned value)
{
    if (n < 4) {
        set_bits(b, (place){ 32 * which + 8 * n, 6 }, value);
        return;
    }
    set_bits(b, (place){ 64 + 8 * (n - 4) + 4 * which, 4 }, value & 15);
    set_bits(b, (place){ 32 * which + 8 * (n - 4) + 6, 2 }, value >> 4);
}

void ref_unpack_q4_kx8(const unsigned char *packed, size_t row, unsigned char *block)
{
    memset(block, 0, Q4_K);
    for (size_t byte = 0; byte < 2; byte++) {
        block[byte] = packed[2 * row + byte];
        block[2 + byte] = packed[16 + 2 * row + byte];
    }
    for (unsigned j = 0; j < SUB_BLOCKS; j++)
        for (unsigned which = 0; which < 2; which++) {
            const unsigned value = number_at(packed + 32 + 12 * j, (unsigned)row, which);
            set_number(block + 4, j, which, value);
        }
    for (size_t i = 0; i < 128; i++) block[16 + i] = packed[128 + i / 8 * 64 + 8 * row + i % 8];
}

/* Element i of a row is in byte i mod 8 of its eight in chunk i / 8 mod 2, the second sixteen in high nibbles. */
void ref_unpack_q4_0x8(const unsigned char *packed, size_t row, unsigned char *block)
{
    memset(block, 0, Q4_0);
    memcpy(block, packed + 2 * row, 2);
    for (size_t i = 0; i < CODES_0; i++) {
        const unsigned byte = packed[16 + i / 8 % 2 * 64 + 8 * row + i % 8];
        const unsigned stored = i < 16 ? byte % 16 : byte / 16;
        const unsigned code = stored < 8 ? stored + 8 : stored - 8; /* -8 .. 7 as 0 .. 15 */
        block[2 + i % 16] = (unsigned char)(block[2 + i % 16] + (i < 16 ? code : 16 * code));
    }
}

/* Of a block of q4_0: bits of d, codes as the numbers they stand for. */
static void parts_of_q4_0(const unsigned char *block, double *part)
{
    part[0] = block[0] + 256 * block[1];
    for (size_t i = 0; i < CODES_0; i++) {
        const unsigned byte = block[2 + i % 16];
        part[1 + i] = (double)(i < 16 ? byte % 16 : byte / 16) - 8;
    }
}

/* Of a block of q4_k: bits of d and dmin, scales, minimums, codes. */
static void parts_of_q4_k(const unsigned char *block, double *part)
{
    part[0] = block[0] + 256 * block[1];
    part[1] = block[2] + 256 * block[3];
    for (unsigned j = 0; j < SUB_BLOCKS; j++) {
        part[2 + j] = number_at(block + 4, j, 0);
        part[2 + SUB_BLOCKS + j] = number_at(block + 4, j, 1);
    }
    for (size_t i = 0; i < CODES; i++) {
        const unsigned byte = block[16 + i / 64 * 32 + i % 32];
        part[2 + 2 * SUB_BLOCKS + i] = i % 64 < 32 ? byte % 16 : byte / 16;
    }
}

/* A format of rows. */
typedef struct format {
    size_t bytes, parts;
    void (*parts_of)(const unsigned char *block, double *part);
} format;

/* Every part as it is in the row that is packed; 0 in rows that are not there. */
static void pack(const ref_pack_args *p, const format *f, const ref_tile *tile, size_t nspecs,
                 ref_out *out)
{
    size_t at = 0;
    for (size_t unit = 0; unit < tile->rows * tile->cols; unit++)
        for (size_t r = 0; r < ROWS; r++, at += f->parts) {
            const size_t row = (tile->r0 + unit / tile->cols) * ROWS + r;
            const size_t block = row * p->ldx + tile->c0 + unit % tile->cols;
            double part[MOST_PARTS] = { 0 };
            if (row < p->m) f->parts_of(p->x + block * f->bytes, part);
            for (size_t i = 0; i < f->parts; i++) out->term[at + i] = 1;
            for (size_t s = 0; s < nspecs; s++) {
                memcpy(out->v + s * out->n + at, part, f->parts * sizeof *part);
                memset(out->e + s * out->n + at, 0, f->parts * sizeof *part);
            }
        }
}

void ref_pack_q4_0_q4_0x8(const void *args, const ref_tile *tile, const ref_spec *specs,
                          size_t nspecs, ref_out *out)
{
    static const format q4_0 = { Q4_0, 1 + CODES_0, parts_of_q4_0 };
    (void)specs;
    pack(args, &q4_0, tile, nspecs, out);
}

void ref_pack_q4_k_q4_kx8(const void *args, const ref_tile *tile, const ref_spec *specs,
                          size_t nspecs, ref_out *out)
{
    static const format q4_k = { Q4_K, MOST_PARTS, parts_of_q4_k };
    (void)specs;
    pack(args, &q4_k, tile, nspecs, out);
}
