/* SPDX-License-Identifier: MIT */
/* Mutants of writing to a cache: wrong arguments, and what comes after. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kv.h"
#include "mutant.h"

/* Bytes of an element of a cache. */
static size_t unit(void) { return hn_block ? hn_block->bytes : sizeof(float); }

static unsigned char *element(const ck_kv_args *a, void *cache, size_t g, size_t i, size_t l)
{
    return (unsigned char *)cache + (g * a->head_y + (a->position + i) * a->ldy + l) * unit();
}

/* The last element of values that is no pad. */
static unsigned char *last_element_of(const ck_kv_args *a)
{
    return element(a, a->v_cache, a->kv_heads - 1, a->t - 1, a->d - 1);
}

#define CHANGED(name, change)                     \
    static void name(const void *args)            \
    {                                             \
        ck_kv_args a = *(const ck_kv_args *)args; \
        change;                                   \
        hn_wrapped(&a);                           \
    }
CHANGED(own, (void)a)
CHANGED(next_slot, a.position += a.position + a.t < a.room)
CHANGED(slot_before, a.position -= a.position > 0)
CHANGED(position_ignored, a.position = 0)
CHANGED(last_head, a.kv_heads -= a.kv_heads > 1)
CHANGED(last_token, a.t -= a.t > 1)
CHANGED(last_column, a.d -= a.d > 1)
CHANGED(pads_not_written, a.cols = a.d)
CHANGED(last_pad_not_written, a.cols -= a.cols > a.d)
CHANGED(a_token_too_many, a.t += a.position + a.t < a.room)
CHANGED(keys_twice, a.v = a.k)
CHANGED(values_for_keys, const float *k = a.k; a.k = a.v; a.v = k)
CHANGED(caches_swapped, void *k = a.k_cache; a.k_cache = a.v_cache; a.v_cache = k)
CHANGED(one_copy_of_all_heads, a.head_y = a.t * a.ldy)
CHANGED(heads_as_tokens, const size_t h = a.head_y; a.head_y = a.ldy; a.ldy = h)
CHANGED(source_as_tokens, const size_t h = a.head_x; a.head_x = a.ldx; a.ldx = h)
CHANGED(head_of_padded, a.head_x = a.head_x / a.ldx * a.cols)
CHANGED(first_head_for_all, a.head_x = 0)
CHANGED(first_token_for_all, a.ldx = 0)
CHANGED(tight_source, if (a.head_x >= a.ldx) a.ldx = a.d)
#undef CHANGED

static void values_not_written(const void *args)
{
    ck_kv_args a = *(const ck_kv_args *)args;
    static float scratch[1 << 20];
    a.v_cache = scratch;
    if (a.kv_heads * a.room * a.head_y > sizeof scratch / sizeof *scratch) return;
    if (a.kv_heads * a.head_y + a.room * a.ldy < sizeof scratch / sizeof *scratch) hn_wrapped(&a);
}

static void pad_is_minus_zero(const void *args)
{
    const ck_kv_args *a = args;
    hn_wrapped(args);
    if (a->cols > a->d) element(a, a->v_cache, a->kv_heads - 1, a->t - 1, a->cols)[-1] = 0x80;
}

static void last_element_is_old(const void *args)
{
    const ck_kv_args *a = args;
    unsigned char old[sizeof(float)], *last = last_element_of(a);
    memcpy(old, last, unit());
    hn_wrapped(args);
    memcpy(last, old, unit());
}

static void last_bit(const void *args)
{
    hn_wrapped(args);
    last_element_of(args)[0] ^= 1;
}

/* What a token that came before holds. */
static void clears_the_past(const void *args)
{
    const ck_kv_args *a = args;
    hn_wrapped(args);
    if (a->position > 0)
        memset((unsigned char *)a->v_cache + (a->position - 1) * a->ldy * unit(), 0, unit());
}

static void clears_the_rest(const void *args)
{
    const ck_kv_args *a = args;
    hn_wrapped(args);
    if (a->position + a->t < a->room) memset(element(a, a->k_cache, 0, a->t, 0), 0, unit());
}

static void reads_a_column_more(const void *args)
{
    const ck_kv_args *a = args;
    hn_wrapped(args);
    (void)*(const volatile float *)(a->v + (a->kv_heads - 1) * a->head_x + (a->t - 1) * a->ldx +
                                    a->d);
}

static void writes_source(const void *args)
{
    const ck_kv_args *a = args;
    hn_wrapped(args);
    *(unsigned char *)(uintptr_t)a->k ^= 1;
}

/* Numbers of the last token of values by arithmetic that does not keep all bits. */
static void rewrite(const void *args, float (*by)(float x))
{
    const ck_kv_args *a = args;
    hn_wrapped(args);
    for (size_t l = 0; l < a->d; l++) {
        unsigned char *at = element(a, a->v_cache, a->kv_heads - 1, a->t - 1, l);
        float x;
        memcpy(&x, at, sizeof x);
        x = by(x);
        memcpy(at, &x, sizeof x);
    }
}

static float plus_zero(float x) { return x + 0.0f; }
static float one_nan(float x) { return isnan(x) ? NAN : x; }
static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x; }
static void added_to_zero(const void *args) { rewrite(args, plus_zero); }
static void nan_of_its_own(const void *args) { rewrite(args, one_nan); }
static void subnormals_flushed(const void *args) { rewrite(args, flushed); }

/* The leading bits of numbers, the others being cut off. */
static void truncated_brain(const void *args)
{
    const ck_kv_args *a = args;
    hn_wrapped(args);
    for (size_t l = 0; l < a->d; l++) {
        uint32_t bits;
        memcpy(&bits, a->k + l, sizeof bits);
        const uint16_t upper = (uint16_t)(bits >> 16);
        memcpy(element(a, a->k_cache, 0, 0, l), &upper, sizeof upper);
    }
}

/* Halves round up from 1/2 on, ties too. */
static void ties_up(const void *args)
{
    const ck_kv_args *a = args;
    hn_wrapped(args);
    for (size_t l = 0; l < a->d; l++) {
        uint32_t bits;
        uint16_t half;
        memcpy(&bits, a->k + l, sizeof bits);
        memcpy(&half, element(a, a->k_cache, 0, 0, l), sizeof half);
        const unsigned tie = hn_block == &hn_dtypes[HN_F16] ? 0x1000u : 0x8000u;
        const bool normal = (bits >> 23 & 255) > 112 && (bits >> 23 & 255) < 142;
        if (normal && (bits & (2 * tie - 1)) == tie && (bits & (2 * tie)) == 0) half++;
        memcpy(element(a, a->k_cache, 0, 0, l), &half, sizeof half);
    }
}

#define ROW(what, ons, mode, by)                                          \
    {                                                                     \
        .name = #what, .on = ons, .modes = mode, .fn = what, .checks = by \
    }
#define ALL "kv_write_*"
#define MISPLACED \
    (HN_BY_NUMBERS | HN_BY(UNWRITTEN) | HN_BY(SLACK) | HN_BY(GUARD) | HN_BY(JUNK) | HN_BY(CRASH))
static const hn_mutant list[] = {
    ROW(own, ALL, HN_IN_BOTH, 0),
    ROW(next_slot, ALL, HN_IN_BOTH, HN_BY(SLACK)),
    ROW(slot_before, ALL, HN_IN_FAST, HN_BY(SLACK)),
    ROW(position_ignored, ALL, HN_IN_BOTH, HN_BY(SLACK)),
    ROW(last_head, ALL, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_token, ALL, HN_IN_FAST, HN_BY(UNWRITTEN)),
    ROW(last_column, ALL, HN_IN_FAST, HN_BY(VALUE)),
    ROW(pads_not_written, ALL, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_pad_not_written, ALL, HN_IN_FAST, HN_BY(UNWRITTEN)),
    ROW(a_token_too_many, ALL, HN_IN_FAST, HN_BY(SLACK) | HN_BY(GUARD)),
    ROW(keys_twice, ALL, HN_IN_FAST, HN_BY(VALUE)),
    ROW(values_for_keys, ALL, HN_IN_FAST, HN_BY(VALUE)),
    ROW(caches_swapped, ALL, HN_IN_FAST, HN_BY(VALUE)),
    ROW(one_copy_of_all_heads, ALL, HN_IN_FAST, HN_BY(SLACK) | HN_BY(GUARD)),
    ROW(heads_as_tokens, ALL, HN_IN_FAST,
        HN_BY(SLACK) | HN_BY(UNWRITTEN) | HN_BY(GUARD) | HN_BY(CRASH)),
    ROW(source_as_tokens, ALL, HN_IN_FAST, MISPLACED),
    ROW(head_of_padded, ALL, HN_IN_FAST, MISPLACED),
    ROW(first_head_for_all, ALL, HN_IN_FAST, HN_BY(VALUE)),
    ROW(first_token_for_all, ALL, HN_IN_FAST, HN_BY(VALUE) | HN_BY(CRASH)),
    ROW(tight_source, ALL, HN_IN_FAST, MISPLACED),
    ROW(values_not_written, ALL, HN_IN_FAST, HN_BY(UNWRITTEN)),
    ROW(pad_is_minus_zero, ALL, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(last_element_is_old, ALL, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(last_bit, ALL, HN_IN_BOTH, HN_BY(VALUE)),
    ROW(clears_the_past, ALL, HN_IN_FAST, HN_BY(SLACK)),
    ROW(clears_the_rest, ALL, HN_IN_FAST, HN_BY(SLACK)),
    ROW(reads_a_column_more, ALL, HN_IN_FAST, HN_BY(GUARD)),
    ROW(writes_source, ALL, HN_IN_FAST, HN_BY(INPUT)),
    ROW(added_to_zero, "kv_write_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(nan_of_its_own, "kv_write_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(subnormals_flushed, "kv_write_f32", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(truncated_brain, "kv_write_bf16", HN_IN_BOTH, HN_BY(VALUE)),
    ROW(ties_up, "kv_write_?*16", HN_IN_BOTH, HN_BY(VALUE)),
};
#undef MISPLACED
#undef ALL
#undef ROW

const hn_mutants hn_mutants_kv = { list, sizeof list / sizeof list[0] };
