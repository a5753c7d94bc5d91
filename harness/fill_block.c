/* SPDX-License-Identifier: MIT */
/* Data of blocks and of elements that are not f32: the parts are drawn in their order, by what they
 * mean, and packed. Exact fills draw scales that are distinct powers of two. */
#include "fill_row.h"
#include "half.h"

/* A unit in the making. */
typedef struct draft {
    const hn_dtype_info *info;
    size_t index;  /* of the unit in its row */
    size_t census; /* units that have all codes between them */
    bool has_min;
    uint32_t parts[HN_PARTS_MAX];
} draft;

/* Bits of a half: sign, exponent of 2, leading bits of the significand. */
static uint16_t half(unsigned negative, int exponent, unsigned significand)
{
    return (uint16_t)(negative << 15 | (unsigned)(exponent + 15) << 10 | (significand & 1023u));
}

/* Whether this field passes through all its values; of scales and minimums one a seed. */
static bool counts(const row *r, const draft *d, const hn_field *f)
{
    const size_t seeds = d->census * d->info->elements;
    return !d->has_min || (r->seed / seeds & 1) == (f->meaning == HN_MIN);
}

/* In order: 65,536 elements have 2^16 / seeds of the scales, each with all codes; the seed gives the
 * low bits. */
static uint16_t census_half(const row *r, const draft *d)
{
    const size_t seeds = d->census * d->info->elements;
    return (uint16_t)(r->seed % seeds + d->index / d->census * seeds);
}

/* Scales and minimums; those of one unit differ where neighbours' do. */
static uint16_t draw_half(row *r, const draft *d, const hn_field *f)
{
    static const uint16_t special[] = { 0x7e00, 0x7c01, 0x7c00, 0xfc00,
                                        0x0000, 0x8000, 0x7bff, 0x0001 };
    const uint64_t bits = hn_next(&r->rng);
    const unsigned sign = bits & 1, significand = (unsigned)(bits >> 1) & 1023u;
    const size_t block = d->index + (f->meaning == HN_MIN);
    switch (r->fill) {
    case HN_FILL_INT:
    case HN_FILL_PROBE:
        /* neighbours differ; beyond 2^17 terms the sum leaves no room for differing scales */
        return half(sign, r->terms > (size_t)1 << 16 ? 0 : -(int)((block + r->index) % 4), 0);
    case HN_FILL_CANCEL:
        /* odd seeds: pairs over thirty binades, so that double sums are rounded as well */
        return half(0, r->seed & 1 ? (int)(bits >> 20 & 15) - 10 : -4, significand & ~1u);
    case HN_FILL_WIDE: return half(sign, (int)(bits >> 20 & 15) - 10, significand);
    case HN_FILL_DENORMAL: return (uint16_t)(sign << 15 | significand);
    case HN_FILL_STAGNATION: return r->role == HN_ROLE_LEFT && block >= 8 ? 0x0001 : half(0, 0, 0);
    case HN_FILL_SAT: return half(sign, -7, 0);
    case HN_FILL_CENSUS:
        if (counts(r, d, f)) return census_half(r, d);
        return half(sign, -8 + (int)(bits >> 20 & 3), significand);
    case HN_FILL_EDGE:
        if (bits >> 20 & 1) return special[bits >> 21 & 7];
        return half(sign, -5, significand);
    default: return half(sign, -8 + (int)(bits >> 20 & 3), significand);
    }
}

/* A scale that is f32: as a half would be, with more bits where the fill is not exact. */
static uint32_t draw_single(row *r, const draft *d, const hn_field *f)
{
    const uint16_t bits = draw_half(r, d, f);
    const uint32_t low = (uint32_t)(hn_next(&r->rng) >> 32), sign = (bits & 0x8000u) << 16;
    const float value = hn_half_of(bits);
    uint32_t wide;
    memcpy(&wide, &value, sizeof wide);
    const bool product = r->role == HN_ROLE_LEFT;
    switch (r->fill) {
    case HN_FILL_CENSUS: return (uint32_t)bits << 16 | (low & 0xffffu);
    case HN_FILL_DENORMAL:
        /* times a subnormal half: below the least normal float, with most of its bits */
        return sign | (low & 0x7fffffu) | (product ? 22u << 23 : 0);
    case HN_FILL_EDGE:
        if (product && low >> 30 == 0) return sign | (low & 0x7fffffu);
        if (product && low >> 30 == 1) return sign | 0xfeu << 23 | (low & 0x7fffffu);
        return wide;
    case HN_FILL_UNIT:
    case HN_FILL_WIDE: return wide | (low & 0x1fffu);
    default: return wide;
    }
}

static uint16_t draw_brain(row *r, const draft *d)
{
    static const uint16_t special[] = { 0x7fc0, 0x7f81, 0x7f80, 0xff80, 0x0000, 0x8000, 0x7f7f, 1 };
    const uint64_t bits = hn_next(&r->rng);
    const unsigned sign = (unsigned)(bits & 1) << 15, fraction = (unsigned)(bits >> 1) & 127u;
    switch (r->fill) {
    case HN_FILL_CENSUS: return (uint16_t)d->index;
    case HN_FILL_WIDE: return (uint16_t)(bits >> 32);
    case HN_FILL_DENORMAL: return (uint16_t)(sign | fraction);
    case HN_FILL_SAT: return (uint16_t)(sign | 0x7f7fu);
    case HN_FILL_EDGE:
        if (bits >> 20 & 1) return special[bits >> 21 & 7];
        return (uint16_t)(sign | 126u << 7 | fraction);
    case HN_FILL_INT: return (uint16_t)(sign | (126u + (bits >> 20 & 7)) << 7 | (fraction & 96u));
    default: return (uint16_t)(sign | (120u + (bits >> 20 & 7)) << 7 | fraction);
    }
}

/* Factor number i of a block. Those of exact fills are distinct, scales from minimums too. */
static uint32_t draw_sub(row *r, const draft *d, const hn_field *f, size_t i)
{
    const bool is_signed = f->encoding == HN_SIGNED;
    const uint32_t most = is_signed ? 127 : ((uint32_t)1 << hn_field_width(f)) - 1;
    const uint64_t bits = hn_next(&r->rng);
    const uint32_t negative = is_signed && bits & 1;
    const size_t step = 5 * i + 3 * (d->index + r->index) + (f->meaning == HN_SUB_MIN ? 31 : 0);
    switch (r->fill) {
    case HN_FILL_INT:
    case HN_FILL_PROBE: {
        const uint32_t factor = 1 + (uint32_t)(step % 63);
        return negative ? 0 - factor : factor;
    }
    case HN_FILL_SAT: return negative ? 0 - most - 1 : most;
    case HN_FILL_STAGNATION: return 1;
    default: return r->one_sided ? 1 + (uint32_t)(bits >> 32) % 63 : (uint32_t)(bits >> 32);
    }
}

/* The integers that the codes of a field stand for. Activations keep to -127..127, what quantisers
 * emit, but for edge and for the odd seeds of sat. */
static void draw_codes(row *r, const draft *d, const hn_field *f, uint32_t *codes)
{
    const unsigned width = hn_field_width(f);
    const bool symmetric = width == 8 && r->role == HN_ROLE_LEFT && r->fill != HN_FILL_EDGE &&
                           !(r->fill == HN_FILL_SAT && r->seed & 1);
    const int64_t least =
        f->encoding == HN_SIGNED ? -((int64_t)1 << (width - 1)) : -(int64_t)f->zero;
    const int64_t most = least + ((int64_t)1 << width) - 1, low = least + symmetric;
    const int64_t sparse = r->role == HN_ROLE_LEFT ? SPARSE_CODE : SPARSE_WEIGHT;
    const int64_t limit =
        r->factors ? (sparse < most ? sparse : most) : factor_limit(r->terms, 0x1p17, most);
    const int64_t drawn = hn_range(&r->rng, 1, 8);
    const int64_t run =
        r->seed & 2 ? f->count : drawn; /* half of the seeds of sat: a block alike */
    /* units that repeat all codes begin with another one each */
    const size_t shift = f->count >> width ? d->index : 0;
    int64_t held = 0, code;
    for (size_t i = 0; i < f->count; i++) {
        switch (r->fill) {
        case HN_FILL_INT:
            if (r->factors && r->role == HN_ROLE_LEFT && !sparse_here(r, &r->sparse_left)) {
                code = 0;
                break;
            }
            code = (int64_t)integer(&r->rng, limit);
            if (code < least) code = -code;
            break;
        case HN_FILL_SAT:
            if (i % (size_t)run == 0)
                held = hn_below(&r->rng, 2) ? most : hn_range(&r->rng, low, least + (width == 8));
            code = held;
            break;
        case HN_FILL_STAGNATION: code = i == 0; break;
        case HN_FILL_CENSUS:
            code = (int64_t)(d->index * f->count + i + (i >> width) * 7 + shift) - (int64_t)f->zero;
            break;
        default:
            code = low + (int64_t)(((hn_next(&r->rng) >> 32) * (uint64_t)(most + 1 - low)) >> 32);
            if (r->one_sided) code = code < 0 ? most : code + (code == 0);
        }
        codes[i] = (uint32_t)(code + (int64_t)f->zero);
    }
}

static void draw_field(row *r, const draft *d, const hn_field *f, uint32_t *parts)
{
    if (f->meaning == HN_CODE) {
        draw_codes(r, d, f, parts);
        return;
    }
    for (size_t i = 0; i < f->count && f->meaning != HN_SUM; i++) {
        switch (f->encoding) {
        case HN_HALF: parts[i] = draw_half(r, d, f); break;
        case HN_BRAIN: parts[i] = draw_brain(r, d); break;
        case HN_SINGLE: parts[i] = draw_single(r, d, f); break;
        default: parts[i] = draw_sub(r, d, f, f->from + i);
        }
    }
}

/* Sums of equal shares of the signed codes: times the f16 scale, or as they are. */
static void add_up(draft *d, const hn_field *codes, const hn_field *f, const uint32_t *from,
                   uint32_t *parts)
{
    const size_t share = codes->count / f->count;
    for (size_t i = 0; i < f->count; i++) {
        int32_t sum = 0;
        for (size_t k = 0; k < share; k++) sum += (int8_t)(uint8_t)from[i * share + k];
        parts[i] = f->encoding == HN_HALF ? hn_half_nearest(hn_half_of(d->parts[0]) * (float)sum)
                                          : (uint32_t)sum;
    }
}

/* Sums of activations that are not those of their codes: products use them as they are stored. */
static bool false_sums(const row *r)
{
    return r->fill == HN_FILL_EDGE && r->role == HN_ROLE_LEFT && r->seed & 1;
}

/* The scale of the second unit of a cancelling pair: the opposite, exactly or but for one bit. */
static void negate_scale(const row *r, draft *d)
{
    const hn_field *f = d->info->fields;
    if (!r->pair_sign || f->meaning != HN_SCALE) return;
    d->parts[0] |= r->seed & 1 ? 0u : 1u;
    d->parts[0] ^= f->encoding == HN_SINGLE ? 0x80000000u : 0x8000u;
}

/* Leaves the unit's codes 0, but for one if it is the kept one. */
static void keep_one(row *r, const hn_field *f, bool kept, uint32_t *codes)
{
    const uint64_t most = ((uint64_t)1 << (hn_field_width(f) - 1)) - 1;
    for (size_t i = 0; i < f->count; i++) codes[i] = f->zero;
    if (!kept) return;
    const int code = (int)integer(&r->rng, (int64_t)most);
    codes[pick_index(&r->rng, f->count)] = (uint32_t)code + f->zero;
}

static void draw_unit(row *r, draft *d, bool kept)
{
    const hn_field *codes = NULL;
    const uint32_t *drawn = NULL;
    const bool second = r->fill == HN_FILL_CANCEL && d->index % 2 == 1;
    uint32_t *at = d->parts;
    if (second) negate_scale(r, d);
    for (const hn_field *f = d->info->fields; f->count; at += f++->count) {
        if (!second) draw_field(r, d, f, at);
        if (f->meaning != HN_CODE) continue;
        if (r->fill == HN_FILL_PROBE && r->role == HN_ROLE_LEFT) keep_one(r, f, kept, at);
        codes = f;
        drawn = at;
    }
    at = d->parts;
    for (const hn_field *f = d->info->fields; f->count; at += f++->count)
        if (f->meaning == HN_SUM && codes) {
            add_up(d, codes, f, drawn, at);
            for (size_t i = 0; false_sums(r) && i < f->count; i++)
                at[i] ^= (uint32_t)(hn_next(&r->rng) >> 32);
        }
}

static bool has_minimum(const hn_dtype_info *info)
{
    for (const hn_field *f = info->fields; f->count; f++)
        if (f->meaning == HN_MIN) return true;
    return false;
}

/* The rows of packed units one after the other, each as if it lay by itself. */
static void fill_packed(row *r, const hn_dtype_info *info, unsigned char *unit, size_t n)
{
    const size_t packed = r->index;
    memset(unit, 0, n * info->bytes);
    for (size_t i = 0; i < info->rows; i++) {
        draft d = { .info = &info->row[i], .census = 1, .has_min = has_minimum(info) };
        r->index = packed * info->rows + i;
        for (d.index = 0; d.index < n; d.index++) {
            draw_unit(r, &d, false);
            hn_put(d.info, d.parts, unit + d.index * info->bytes);
        }
    }
    r->index = packed;
}

void hn_fill_units(row *r, const hn_dtype_info *info, unsigned char *unit, size_t n)
{
    if (info->rows) {
        fill_packed(r, info, unit, n);
        return;
    }
    draft d = { .info = info, .census = 1, .has_min = has_minimum(info) };
    r->sparse_left = SPARSE_MOST;
    const size_t kept = n ? pick_index(&r->rng, n) : 0;
    for (const hn_field *f = info->fields; f->count; f++) {
        const size_t codes = (size_t)1 << hn_field_width(f);
        if (f->meaning == HN_CODE && codes > f->count) d.census = codes / f->count;
    }
    for (d.index = 0; d.index < n; d.index++, unit += info->bytes) {
        draw_unit(r, &d, d.index == kept);
        hn_pack(info, d.parts, unit);
    }
}
