/* SPDX-License-Identifier: MIT */
/* From bytes to cases. */
#include "batch.h"

#include <string.h>

#include "family.h"

/* Above this many terms the longest dimension is halved: small forms are where the branches are. */
enum { TERMS_MAX = 1 << 10 };

static unsigned u16(const uint8_t *at) { return (unsigned)(at[0] | at[1] << 8); }

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

/* Three bits choose how far the dimension reaches, the others where it lies. */
static int64_t dimension(const hn_key *k, int64_t unit, unsigned bits)
{
    const int64_t low = (k->least + unit - 1) / unit;
    const int64_t span = at_most((int64_t)8 << (bits >> 13), k->most / unit - low + 1);
    return unit * (low + (int64_t)(bits & 0x1fff) % span);
}

/* The default, a simple number, or any with eight bits of significand and an exponent within 16; the
 * last would spoil an exact fill. */
static double real(double def, unsigned bits, bool exact)
{
    static const double simple[] = { 0.0, 1.0, -1.0, 0.5, 2.0, 1.5, -0.25 };
    if (bits < 0x8000) return def;
    if (bits < 0xc000 || exact) return simple[bits % 7];
    double value = 1.0 + (double)(bits & 0xff) / 256.0;
    for (unsigned e = bits >> 8 & 31; e < 16; e++) value *= 0.5;
    for (unsigned e = bits >> 8 & 31; e > 16; e--) value *= 2.0;
    return bits >> 13 & 1 ? -value : value;
}

static void decode_keys(const uint8_t *record, hn_case *c)
{
    const hn_family *family = c->op->family;
    for (size_t i = 0; i < family->nkeys; i++) {
        const hn_key *k = &family->keys[i];
        const unsigned bits = u16(record + FZ_KEYS + 2 * i);
        if (k->kind == HN_DIM) c->num[i] = dimension(k, hn_key_unit(c->op, i), bits);
        if (k->kind == HN_INT && bits)
            c->num[i] = k->least + (int64_t)bits % (k->most - k->least + 1);
        if (k->kind == HN_REAL) c->real[i] = real(k->def, bits, family->exact_fills >> c->fill & 1);
    }
}

static size_t count_terms(const hn_case *c)
{
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    c->op->family->extents(c, extents);
    return extents[0].rows * extents[0].cols * c->op->family->terms(c);
}

static void trim(hn_case *c)
{
    const hn_family *family = c->op->family;
    while (count_terms(c) > TERMS_MAX) {
        size_t longest = HN_MAX_KEYS;
        for (size_t i = 0; i < family->nkeys; i++) {
            const hn_key *k = &family->keys[i];
            const int64_t unit = hn_key_unit(c->op, i);
            if (k->kind != HN_DIM || c->num[i] / 2 / unit * unit < k->least) continue;
            if (longest == HN_MAX_KEYS || c->num[i] > c->num[longest]) longest = i;
        }
        if (longest == HN_MAX_KEYS) return;
        const int64_t unit = hn_key_unit(c->op, longest);
        c->num[longest] = c->num[longest] / 2 / unit * unit;
    }
}

static void decode_layout(const uint8_t *record, hn_case *c)
{
    const hn_family *family = c->op->family;
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    family->extents(c, extents);
    for (size_t i = 0; i < family->noperands; i++) {
        const unsigned ld = record[FZ_LD + i], at = record[FZ_AT + i];
        if (extents[i].rows == 0) continue;
        if (family->operands[i].has_ld && ld >= 0x80) c->ld[i] = extents[i].cols + (ld & 15);
        if (at >= 0x80)
            c->at[i] = (hn_place){ HN_MIDDLE, at & 0x7f };
        else if (at >= 0x40)
            c->at[i] = (hn_place){ HN_START, 0 };
    }
}

/* The admitted fill number `pick`, counted round. */
static hn_fill fill_of(const hn_family *family, unsigned pick)
{
    unsigned count = 0;
    for (unsigned f = 0; f < HN_FILL_COUNT; f++) count += family->fills >> f & 1;
    pick %= count;
    for (unsigned f = 0; f < HN_FILL_COUNT; f++)
        if (family->fills >> f & 1 && pick-- == 0) return (hn_fill)f;
    return HN_FILL_UNIT;
}

int fz_decode(const uint8_t *data, size_t size, size_t index, hn_case *c)
{
    uint8_t record[FZ_RECORD] = { 0 };
    const size_t from = index * FZ_RECORD;
    if (index >= FZ_CASES_MAX || from >= size) return -1;
    memcpy(record, data + from, size - from < FZ_RECORD ? size - from : FZ_RECORD);
    hn_case_init(c, &hn_ops[record[FZ_OP] % hn_op_count]);
    c->fill = fill_of(c->op->family, record[FZ_FILL]);
    decode_keys(record, c);
    trim(c);
    decode_layout(record, c);
    c->seed = u16(record + FZ_SEED) | (uint32_t)u16(record + FZ_SEED + 2) << 16;
    if (record[FZ_MODE] >= 0xa0) c->mode = record[FZ_MODE] & 1 ? HN_STRICT : HN_FAST;
    if (record[FZ_FP] < 0x80) return 0;
    c->fp = (hn_fp)(1 + record[FZ_FP] % (HN_FP_COUNT - 1));
    /* where fast results are not promised, strict ones still are */
    if (c->fp == HN_FP_FTZ || !(c->op->family->flags & HN_FP_MODES)) c->mode = HN_STRICT;
    return 0;
}
