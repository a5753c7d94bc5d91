/* SPDX-License-Identifier: MIT */
/* Packed formats, as docs/formats.md says: a row taken out of them, and what packing must give. */
#include <string.h>

#include "decode.h"
#include "ref.h"

ref_fn ref_pack_q4_k_q4_kx8;

enum { ROWS = 8, Q4_K = 144, Q4_KX8 = ROWS * Q4_K, SUB_BLOCKS = 8, CODES = 256 };
enum { PARTS = 2 + 2 * SUB_BLOCKS + CODES };

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

/* Of a row's block, or of none, which has zeros: bits of d and dmin, scales, minimums, codes. */
static void parts_of(const unsigned char *block, double *part)
{
    memset(part, 0, PARTS * sizeof *part);
    if (!block) return;
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

/* Every part as it is in the row that is packed; 0 in rows that are not there. */
void ref_pack_q4_k_q4_kx8(const void *args, const ref_tile *tile, const ref_spec *specs,
                          size_t nspecs, ref_out *out)
{
    const ref_pack_args *p = args;
    size_t at = 0;
    (void)specs;
    for (size_t unit = 0; unit < tile->rows * tile->cols; unit++)
        for (size_t r = 0; r < ROWS; r++, at += PARTS) {
            const size_t row = (tile->r0 + unit / tile->cols) * ROWS + r;
            const size_t block = row * p->ldx + tile->c0 + unit % tile->cols;
            double part[PARTS];
            parts_of(row < p->m ? p->x + block * Q4_K : NULL, part);
            for (size_t i = 0; i < PARTS; i++) out->term[at + i] = 1;
            for (size_t s = 0; s < nspecs; s++) {
                memcpy(out->v + s * out->n + at, part, sizeof part);
                memset(out->e + s * out->n + at, 0, sizeof part);
            }
        }
}
