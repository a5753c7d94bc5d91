/* SPDX-License-Identifier: MIT */
/* Mutants of every product of blocks by blocks: the wrapped kernel on blocks that are read wrongly, and
 * bodies of their own. Formats are known by their fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../half.h"
#include "gemm.h"
#include "mutant.h"

enum {
    MOST = 4096,
    /* elements of a row that mutants take part in */ MOST_BYTES = MOST / 256 * 292
};

/* --- The wrapped kernel on wrong arguments. */

static void last_block(const void *args)
{
    ck_gemm_q_args g = *(const ck_gemm_q_args *)args;
    if (g.k / hn_block->elements % 4 == 3) g.k -= hn_block->elements;
    hn_wrapped(&g);
}

static void bias_ignored(const void *args)
{
    ck_gemm_q_args g = *(const ck_gemm_q_args *)args;
    g.bias = NULL;
    hn_wrapped(&g);
}

static void columns_by_k(const void *args)
{
    ck_gemm_q_args g = *(const ck_gemm_q_args *)args;
    g.ldb = g.k / hn_block->elements;
    hn_wrapped(&g);
}

/* The last row starts where it would if rows were tight. */
static void last_row_of_a(const void *args)
{
    ck_gemm_q_args g = *(const ck_gemm_q_args *)args;
    const size_t blocks = g.k / hn_block->elements;
    hn_wrapped(args);
    if (g.lda <= blocks || g.m < 2) return;
    g.a = (const unsigned char *)g.a + (g.m - 1) * blocks * hn_second_block->bytes;
    g.y += (g.m - 1) * g.ldy;
    g.m = 1;
    hn_wrapped(&g);
}

/* --- The wrapped kernel on rows whose last block is read wrongly. */

/* A block in parts. */
typedef struct unit {
    const hn_dtype_info *info;
    uint32_t parts[HN_PARTS_MAX];
} unit;

static unit open_unit(const hn_dtype_info *info, const unsigned char *at)
{
    unit u = { .info = info };
    for (size_t i = 0; i < info->parts; i++) u.parts[i] = (uint32_t)(int64_t)hn_part(info, at, i);
    return u;
}

/* The last part of that meaning, which the format has; *field is where it belongs. */
static uint32_t *last_part(unit *u, hn_meaning meaning, const hn_field **field)
{
    const hn_field *last = NULL;
    uint32_t *at = u->parts, *found = NULL;
    for (const hn_field *f = u->info->fields; f->count; at += f++->count)
        if (f->meaning == meaning) {
            found = at + f->count - 1;
            last = f;
        }
    if (!last) abort();
    *field = last;
    return found;
}

/* Changes a block; `before` is the one before it, or itself. */
typedef void fault_fn(unit *u, unit *before);

static void misread_last(const hn_dtype_info *info, unsigned char *row, size_t blocks,
                         fault_fn *fault)
{
    unsigned char *const last = row + (blocks - 1) * info->bytes;
    unit u = open_unit(info, last);
    unit before = open_unit(info, blocks > 1 ? last - info->bytes : last);
    fault(&u, &before);
    hn_pack(info, u.parts, last);
}

/* One column after the other, its weights copied and spoilt. */
static void misread_b(const void *args, fault_fn *fault)
{
    const ck_gemm_q_args *all = args;
    const size_t blocks = all->k / hn_block->elements;
    unsigned char row[MOST_BYTES];
    hn_wrapped(args);
    for (size_t j = 0; blocks > 0 && all->k <= MOST && j < all->n; j++) {
        ck_gemm_q_args g = *all;
        memcpy(row, (const unsigned char *)all->b + j * all->ldb * hn_block->bytes,
               blocks * hn_block->bytes);
        misread_last(hn_block, row, blocks, fault);
        g.n = 1, g.b = row, g.y += j;
        if (g.bias) g.bias += j;
        hn_wrapped(&g);
    }
}

/* The same of the rows of a. */
static void misread_a(const void *args, fault_fn *fault)
{
    const ck_gemm_q_args *all = args;
    const hn_dtype_info *const info = hn_second_block;
    const size_t blocks = all->k / info->elements;
    unsigned char row[MOST_BYTES];
    hn_wrapped(args);
    for (size_t i = 0; blocks > 0 && all->k <= MOST && i < all->m; i++) {
        ck_gemm_q_args g = *all;
        memcpy(row, (const unsigned char *)all->a + i * all->lda * info->bytes,
               blocks * info->bytes);
        misread_last(info, row, blocks, fault);
        g.m = 1, g.a = row, g.y += i * all->ldy;
        hn_wrapped(&g);
    }
}

/* The last part of that meaning is another one's: of the block before, or the one beside it. */
static void take(unit *u, unit *from, hn_meaning meaning, size_t back)
{
    const hn_field *field;
    *last_part(u, meaning, &field) = last_part(from, meaning, &field)[-(ptrdiff_t)back];
}

static void other_scale(unit *u, unit *before) { take(u, before, HN_SCALE, 0); }
static void other_min(unit *u, unit *before) { take(u, before, HN_MIN, 0); }
static void other_sub_scale(unit *u, unit *before)
{
    (void)before;
    take(u, u, HN_SUB_SCALE, 1);
}
static void other_sub_min(unit *u, unit *before)
{
    (void)before;
    take(u, u, HN_SUB_MIN, 1);
}
static void other_code(unit *u, unit *before)
{
    (void)before;
    take(u, u, HN_CODE, 1);
}
static void other_sum(unit *u, unit *before) { take(u, before, HN_SUM, 0); }

static void no_min(unit *u, unit *before)
{
    const hn_field *field;
    (void)before;
    *last_part(u, HN_MIN, &field) = 0;
}

/* The two upper bits of six that are stored apart. */
static void sub_scale_bits(unit *u, unit *before)
{
    const hn_field *field;
    (void)before;
    *last_part(u, HN_SUB_SCALE, &field) &= 15;
}

static void sub_scale_sign(unit *u, unit *before)
{
    const hn_field *field;
    uint32_t *const s = last_part(u, HN_SUB_SCALE, &field);
    (void)before;
    *s = *s & 0x80 ? 0 - *s : *s;
}

/* The highest bit of the last code: the one that q5 and q6 keep apart, or the sign. */
static void code_bit(unit *u, unit *before)
{
    const hn_field *field;
    uint32_t *const q = last_part(u, HN_CODE, &field);
    (void)before;
    *q ^= (uint32_t)1 << (hn_field_width(field) - 1);
}

/* Low and high nibbles as neighbours: elements 1 and 16 of the first 32 change places. */
static void interleaved(unit *u, unit *before)
{
    const hn_field *field;
    uint32_t *const last = last_part(u, HN_CODE, &field);
    uint32_t *const q = last - (field->count - 1), kept = q[1];
    (void)before;
    q[1] = q[16];
    q[16] = kept;
}

/* -128 as -127: what abs() in eight bits and a sign make of it. */
static void no_minus_128(unit *u, unit *before)
{
    const hn_field *field;
    uint32_t *const last = last_part(u, HN_CODE, &field);
    (void)before;
    for (size_t i = 0; i < field->count; i++)
        if ((last[-(ptrdiff_t)i] & 0xff) == 0x80) last[-(ptrdiff_t)i] = 0x81;
}

/* s = d times the sum of the codes, a sum of 16 codes: what is stored is not looked at. */
static void own_sums(unit *u, unit *before)
{
    const hn_field *sums, *codes;
    uint32_t *const last = last_part(u, HN_SUM, &sums), *const q = last_part(u, HN_CODE, &codes);
    const size_t share = codes->count / sums->count;
    int sum = 0;
    (void)before;
    for (size_t i = 0; i < share; i++) sum += (int8_t)(uint8_t)q[-(ptrdiff_t)i];
    if (sums->encoding == HN_SIGNED) {
        *last = (uint32_t)sum;
        return;
    }
    const float s = hn_half_of(u->parts[0]) * (float)sum;
    *last = isfinite(s) && fabsf(s) < 65504.0f
                ? hn_half_bits(fabsf(s), 0) | (signbit(s) ? 0x8000u : 0)
                : *last;
}

static void scale_of_neighbour(const void *args) { misread_b(args, other_scale); }
static void min_of_neighbour(const void *args) { misread_b(args, other_min); }
static void min_dropped(const void *args) { misread_b(args, no_min); }
static void wrong_sub_scale(const void *args) { misread_b(args, other_sub_scale); }
static void wrong_sub_min(const void *args) { misread_b(args, other_sub_min); }
static void upper_sub_scale_bits(const void *args) { misread_b(args, sub_scale_bits); }
static void unsigned_sub_scale(const void *args) { misread_b(args, sub_scale_sign); }
static void wrong_code(const void *args) { misread_b(args, other_code); }
static void upper_code_bit(const void *args) { misread_b(args, code_bit); }
static void nibbles_interleaved(const void *args) { misread_b(args, interleaved); }
static void scale_of_a_neighbour(const void *args) { misread_a(args, other_scale); }
static void wrong_code_of_a(const void *args) { misread_a(args, other_code); }
static void minus_128_of_a(const void *args) { misread_a(args, no_minus_128); }
static void sum_of_neighbour(const void *args) { misread_a(args, other_sum); }
static void sums_made_anew(const void *args) { misread_a(args, own_sums); }

/* Every result off by 10^-5 of itself where K is 4096. */
static void scale_error(const void *args)
{
    const ck_gemm_q_args *g = args;
    hn_wrapped(args);
    for (size_t i = 0; g->k == 4096 && i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) g->y[i * g->ldy + j] *= 1.00001f;
}

/* --- Bodies of their own. */

static const ck_numspec any_order = { .lanes = 0,
                                      .accs = 1,
                                      .flags = CK_NUM_MULADD | CK_NUM_BATCH_INVARIANT };

/* A row as numbers: of element e code[e], of sub-block n scale and minimum; of block l d, min and what
 * minimums are taken times. */
typedef struct numbers {
    size_t share; /* elements of a sub-block */
    int code[MOST], scale[MOST / 16], min[MOST / 16], sum[MOST / 16];
    float d[MOST / 32], m[MOST / 32], s[MOST / 32];
} numbers;

static float scale_of(const hn_field *f, uint32_t bits)
{
    float x;
    if (f->encoding == HN_HALF) return hn_half_of(bits);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void read_field(numbers *row, const hn_field *f, const uint32_t *parts, size_t block,
                       size_t elements)
{
    const size_t subs = elements / row->share, at = block * subs + f->from;
    for (size_t i = 0; i < f->count; i++) {
        const int number = (int)parts[i];
        switch (f->meaning) {
        case HN_SCALE: row->d[block] = scale_of(f, parts[i]); break;
        case HN_MIN: row->m[block] = scale_of(f, parts[i]); break;
        case HN_SUB_SCALE: row->scale[at + i] = number; break;
        case HN_SUB_MIN: row->min[at + i] = number; break;
        case HN_CODE: row->code[block * elements + i] = number - (int)f->zero; break;
        case HN_SUM:
            if (f->encoding == HN_HALF)
                row->s[block] = scale_of(f, parts[i]);
            else
                row->sum[block * f->count + i] = number;
            break;
        default: break;
        }
    }
}

static void read_row(numbers *row, const hn_dtype_info *info, const unsigned char *at, size_t k)
{
    const size_t blocks = k / info->elements;
    row->share = info->elements == 32 ? 32 : info == &hn_dtypes[HN_Q6_K] ? 16 : 32;
    for (size_t i = 0; i < k / row->share; i++) row->scale[i] = 1;
    for (size_t l = 0; l < blocks; l++) {
        const unit u = open_unit(info, at + l * info->bytes);
        const uint32_t *parts = u.parts;
        for (const hn_field *f = info->fields; f->count; parts += f++->count)
            read_field(row, f, parts, l, info->elements);
    }
}

typedef int add_fn(int sum, int term);

static int plain(int sum, int term) { return sum + term; }

/* In 16 bits, as PADDSW has it: enough for random codes, not for runs of the greatest. */
static int saturating(int sum, int term)
{
    const int s = sum + term;
    return s > INT16_MAX ? INT16_MAX : s < INT16_MIN ? INT16_MIN : s;
}

static float minimum_term(const numbers *a, const numbers *b, size_t l, size_t elements)
{
    int sum = 0;
    if (elements == 32) return b->m[l] * a->s[l];
    for (size_t n = 8 * l; n < 8 * l + 8; n++)
        sum += b->min[n] * (a->sum[2 * n] + a->sum[2 * n + 1]);
    return -(b->m[l] * a->d[l] * (float)sum);
}

static float own_dot(const numbers *a, const numbers *b, size_t k, add_fn *add)
{
    const size_t elements = hn_block->elements;
    const bool has_min = hn_block->fields[1].meaning == HN_MIN;
    float y = 0.0f;
    for (size_t l = 0; l < k / elements; l++) {
        int64_t block = 0;
        for (size_t e = l * elements; e < (l + 1) * elements; e += b->share) {
            int sum = 0;
            for (size_t i = e; i < e + b->share; i++) sum = add(sum, a->code[i] * b->code[i]);
            block += (int64_t)b->scale[e / b->share] * sum;
        }
        y += a->d[l] * b->d[l] * (float)block;
        if (has_min) y += minimum_term(a, b, l, elements);
    }
    return y;
}

static void own_rows(const void *args, add_fn *add)
{
    static _Thread_local numbers a, b;
    const ck_gemm_q_args *g = args;
    const hn_dtype_info *const info = hn_second_block;
    if (g->k > MOST) {
        hn_wrapped(args);
        return;
    }
    for (size_t i = 0; i < g->m; i++) {
        read_row(&a, info, (const unsigned char *)g->a + i * g->lda * info->bytes, g->k);
        for (size_t j = 0; j < g->n; j++) {
            read_row(&b, hn_block, (const unsigned char *)g->b + j * g->ldb * hn_block->bytes,
                     g->k);
            const float sum = own_dot(&a, &b, g->k, add);
            g->y[i * g->ldy + j] = g->bias ? sum + g->bias[j] : sum;
        }
    }
}

static void own_reading(const void *args) { own_rows(args, plain); }
static void sixteen_bits(const void *args) { own_rows(args, saturating); }

#define ALL  "gemm_nt_q?_?_q8_?"
#define MINS "gemm_nt_q?_1_q8_1 gemm_nt_q[45]_k_q8_k"
#define SUBS "gemm_nt_q?_k_q8_k"
#define ROW(what, ons, by)                                                      \
    {                                                                           \
        .name = #what, .on = ons, .modes = HN_IN_BOTH, .fn = what, .checks = by \
    }
#define OWN(what, ons, by)                                                       \
    {                                                                            \
        .name = #what, .on = ons, .modes = HN_IN_FAST, .fn = what, .checks = by, \
        .spec = &any_order                                                       \
    }
static const hn_mutant list[] = {
    ROW(last_block, ALL, HN_BY_NUMBERS),
    ROW(bias_ignored, ALL, HN_BY_NUMBERS),
    ROW(columns_by_k, ALL, HN_BY(JUNK) | HN_BY_NUMBERS),
    ROW(last_row_of_a, ALL, HN_BY(JUNK) | HN_BY_NUMBERS | HN_BY_PARTS),
    ROW(scale_of_neighbour, ALL, HN_BY_NUMBERS),
    ROW(min_of_neighbour, MINS, HN_BY_NUMBERS),
    ROW(min_dropped, MINS, HN_BY_NUMBERS),
    ROW(wrong_sub_scale, SUBS, HN_BY_NUMBERS),
    ROW(wrong_sub_min, "gemm_nt_q[45]_k_q8_k", HN_BY_NUMBERS),
    ROW(upper_sub_scale_bits, "gemm_nt_q[45]_k_q8_k", HN_BY_NUMBERS),
    ROW(unsigned_sub_scale, "gemm_nt_q6_k_q8_k", HN_BY_NUMBERS),
    ROW(wrong_code, ALL, HN_BY_NUMBERS),
    ROW(upper_code_bit, ALL, HN_BY_NUMBERS),
    ROW(nibbles_interleaved, ALL, HN_BY_NUMBERS),
    ROW(scale_of_a_neighbour, ALL, HN_BY_NUMBERS),
    ROW(wrong_code_of_a, ALL, HN_BY_NUMBERS),
    ROW(minus_128_of_a, ALL, HN_BY_NUMBERS),
    ROW(sum_of_neighbour, MINS, HN_BY_NUMBERS),
    ROW(sums_made_anew, MINS, HN_BY_NUMBERS),
    ROW(scale_error, ALL, HN_BY_NUMBERS),
    OWN(own_reading, ALL, 0),
    OWN(sixteen_bits, ALL, HN_BY(VALUE)),
};
#undef ROW
#undef OWN

const hn_mutants hn_mutants_dots = { list, sizeof list / sizeof list[0] };
