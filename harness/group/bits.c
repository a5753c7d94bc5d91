/* SPDX-License-Identifier: MIT */
/* Outputs against those of another call: with other junk, in another batch, in place, in threads, strict. */
#include <math.h>
#include <string.h>

#include "../diagnose.h"
#include "runner.h"

static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && a[i] == b[i]) i++;
    return i;
}

/* A unit of the packed outputs. */
typedef struct spot {
    size_t operand, row, col;
    size_t from, start; /* bytes before its row, before itself */
} spot;

static spot spot_of(const hn_runner *r, size_t byte)
{
    size_t k = 0;
    while (!is_written(r, k) || byte >= r->out_from[k] + packed_bytes(&r->placed[k])) k++;
    const size_t cols = r->placed[k].cols, bytes = r->placed[k].unit;
    const size_t unit = (byte - r->out_from[k]) / bytes, row = unit / cols;
    return (spot){ k, row, unit % cols, r->out_from[k] + row * cols * bytes,
                   r->out_from[k] + unit * bytes };
}

/* "y[r,c]" of a byte of the packed outputs. */
static void name_unit(const hn_runner *r, size_t byte, char *text, size_t size)
{
    const spot s = spot_of(r, byte);
    snprintf(text, size, "%s[%zu,%zu]", r->family->operands[s.operand].name, s.row, s.col);
}

static void dump_both(const hn_runner *r, const char *title, const unsigned char *a,
                      const char *other, const unsigned char *b, size_t byte, hn_result *result)
{
    const spot s = spot_of(r, byte);
    const hn_placed *p = &r->placed[s.operand];
    if (result->detail[0] != '\0') return;
    hn_dump_units(result, title, a + s.from, p->cols, p->unit, s.col);
    hn_dump_units(result, other, b + s.from, p->cols, p->unit, s.col);
}

/* The second pass (other junk, other prefill) gave other bits: why? */
static void diagnose_difference(hn_runner *r, const hn_variant *v, const unsigned char *first,
                                hn_result *result)
{
    hn_trail t;
    char name[48];
    unsigned char *second = hn_checked(malloc(r->out_bytes));
    memcpy(second, r->packed, r->out_bytes);
    const size_t byte = first_difference(first, second, r->out_bytes);
    const spot s = spot_of(r, byte);
    const size_t start = s.start, unit = r->placed[s.operand].unit;
    name_unit(r, byte, name, sizeof name);
    dump_both(r, "first", first, "second", second, byte, result);
    hn_runner_call_plain(r, v, HN_PREFILL_B, &t);
    const bool repeats = memcmp(second, r->packed, r->out_bytes) == 0;
    hn_runner_call_plain(r, v, HN_PREFILL_A, &t);
    const bool prefill_only = memcmp(first, r->packed, r->out_bytes) == 0;
    hn_runner_set_prefill(r, HN_PREFILL_A);
    hn_runner_pack(r);
    bool untouched = memcmp(first + start, r->packed + start, unit) == 0;
    hn_runner_set_prefill(r, HN_PREFILL_B);
    hn_runner_pack(r);
    untouched &= memcmp(second + start, r->packed + start, unit) == 0;
    if (!repeats) hn_record(result, HN_FAIL, HN_CHECK_REPEAT, "%s differs from call to call", name);
    if (untouched) hn_record(result, HN_FAIL, HN_CHECK_UNWRITTEN, "%s was not written", name);
    if (prefill_only)
        hn_record(result, HN_FAIL, HN_CHECK_PREFILL, "%s depends on what the output held before",
                  name);
    hn_record(result, HN_FAIL, HN_CHECK_JUNK, "%s depends on memory outside the operands", name);
    free(second);
}

/* First pass: junk A, prefill A, outputs saved. */
void hn_runner_first_pass(hn_runner *r, hn_result *results)
{
    hn_trail t;
    hn_runner_set_junk(r, HN_JUNK_A);
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        if (results[i].verdict != HN_OK) continue;
        if (r->announce) r->announce(r->announce_context, &r->plan->variants[i]);
        hn_runner_call_plain(r, &r->plan->variants[i], HN_PREFILL_A, &t);
        memcpy(r->saved + i * r->out_bytes, r->packed, r->out_bytes);
        hn_runner_check_trail(r, &t, &results[i]);
        hn_runner_repair(r, &t, HN_JUNK_A);
    }
}

/* Second pass: junk B, prefill B; the bits must be the same. */
void hn_runner_second_pass(hn_runner *r, hn_result *results)
{
    hn_trail t;
    hn_runner_set_junk(r, HN_JUNK_B);
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        const unsigned char *first = r->saved + i * r->out_bytes;
        if (results[i].verdict != HN_OK) continue;
        if (r->announce) r->announce(r->announce_context, &r->plan->variants[i]);
        hn_runner_call_plain(r, &r->plan->variants[i], HN_PREFILL_B, &t);
        const bool returned = hn_runner_check_trail(r, &t, &results[i]);
        hn_runner_repair(r, &t, HN_JUNK_B);
        if (!returned) continue;
        if (memcmp(first, r->packed, r->out_bytes) != 0)
            diagnose_difference(r, &r->plan->variants[i], first, &results[i]);
        results[i].ran |= 1u << HN_CHECK_GUARD | 1u << HN_CHECK_CRASH | 1u << HN_CHECK_HANG |
                          1u << HN_CHECK_ABI | 1u << HN_CHECK_FPENV | 1u << HN_CHECK_SLACK |
                          1u << HN_CHECK_INPUT | 1u << HN_CHECK_UNWRITTEN | 1u << HN_CHECK_REPEAT |
                          1u << HN_CHECK_JUNK | 1u << HN_CHECK_PREFILL;
    }
}

/* First byte of the first unit that differs; `bytes` if none does. Which NaN comes out of two is the
 * order of operands, which fast kernels do not promise; strict ones have one NaN only. */
static size_t first_other_unit(const hn_dtype_info *info, const unsigned char *a,
                               const unsigned char *b, size_t bytes, bool strict)
{
    for (size_t at = first_difference(a, b, bytes) / info->bytes * info->bytes; at < bytes;
         at += info->bytes) {
        const bool nans = !strict && info->parts == 1 && isnan(hn_part(info, a + at, 0)) &&
                          isnan(hn_part(info, b + at, 0));
        if (!nans && memcmp(a + at, b + at, info->bytes) != 0) return at;
    }
    return bytes;
}

/* Bytes [from, from + bytes) of output k: as in the first pass? */
static void compare_bits(const hn_runner *r, size_t i, size_t k, size_t from, size_t bytes,
                         hn_check check, const char *what, hn_result *result)
{
    const unsigned char *saved = r->saved + i * r->out_bytes;
    const bool strict = r->plan->variants[i].strict;
    char name[48];
    from += r->out_from[k];
    result->ran |= 1u << check;
    if (memcmp(saved + from, r->packed + from, bytes) == 0) return;
    const size_t byte =
        from + first_other_unit(format_of(r, k), saved + from, r->packed + from, bytes, strict);
    if (byte == from + bytes) return;
    name_unit(r, byte, name, sizeof name);
    dump_both(r, "alone", saved, "now", r->packed, byte, result);
    hn_record(result, HN_FAIL, check, "%s %s", name, what);
}

/* All outputs. */
static void compare_all(const hn_runner *r, size_t i, hn_check check, const char *what,
                        hn_result *result)
{
    for (size_t k = 0; k < r->family->noperands; k++)
        if (is_written(r, k))
            compare_bits(r, i, k, 0, packed_bytes(&r->placed[k]), check, what, result);
}

/* Of a variant's name: what is drawn by it does not depend on the company that it runs in. */
static uint64_t number_of(const hn_variant *v)
{
    uint64_t number = v->strict;
    for (const char *at = v->kernel->isa; *at; at++) number = 256 * number + (unsigned char)*at;
    return number;
}

/* Runs one step of the batch dimension by itself: its rows must come out as they did among others. */
void hn_runner_check_batch(hn_runner *r, size_t i, hn_result *result)
{
    const hn_variant *v = &r->plan->variants[i];
    const int key = r->family->batch_key;
    if (key < 0 || r->c->num[key] < 2) return;
    if (!v->strict && !(v->kernel->spec->flags & CK_NUM_BATCH_INVARIANT)) return;
    hn_rng rng = hn_stream(r->c->seed, 0x62617463, number_of(v));
    const size_t count = (size_t)r->c->num[key];
    const size_t step = hn_below(&rng, 2) ? count - 1 : (size_t)hn_below(&rng, count);
    hn_case one = *r->c;
    one.num[key] = 1;
    void *at[HN_MAX_OPERANDS] = { 0 };
    for (size_t k = 0; k < r->family->noperands; k++)
        if (r->placed[k].at)
            at[k] = r->placed[k].at +
                    step * hn_batch_step(r->c, k, &r->extents[k], r->ld[k]) * r->placed[k].unit;
    hn_trail t;
    hn_runner_set_prefill(r, HN_PREFILL_B);
    hn_runner_call(r, v, &one, at, r->ld, &t);
    if (!hn_runner_check_trail(r, &t, result)) return;
    for (size_t k = 0; k < r->family->noperands; k++) {
        const size_t bytes = r->extents[k].batch_rows * r->extents[k].cols * r->placed[k].unit;
        if (is_written(r, k))
            compare_bits(r, i, k, step * bytes, bytes, HN_CHECK_BATCH, "depends on the batch size",
                         result);
    }
}

/* Several threads have the bits of one: each output is computed in the same order. */
void hn_runner_check_threads(hn_runner *r, size_t i, hn_result *result)
{
    hn_trail t;
    char what[40];
    if (r->c->threads < 2) return;
    hn_runner_set_prefill(r, HN_PREFILL_B);
    hn_runner_call_crew(r, &r->plan->variants[i], &t);
    const bool returned = hn_runner_check_trail(r, &t, result);
    hn_runner_repair(r, &t, HN_JUNK_B);
    snprintf(what, sizeof what, "differs in %u threads", r->c->threads);
    result->ran |= 1u << HN_CHECK_THREADS;
    if (returned) compare_all(r, i, HN_CHECK_THREADS, what, result);
}

/* The first output may be the very buffer of operand k: same bits. */
static void check_one_alias(hn_runner *r, size_t i, size_t k, hn_result *result)
{
    const hn_placed *y = &r->placed[0], *x = &r->placed[k];
    void *at[HN_MAX_OPERANDS] = { 0 };
    size_t ld[HN_MAX_OPERANDS];
    hn_trail t;
    memcpy(ld, r->ld, sizeof ld);
    for (size_t j = 0; j < r->family->noperands; j++) at[j] = r->placed[j].at;
    hn_runner_set_prefill(r, HN_PREFILL_B);
    for (size_t row = 0; row < x->rows; row++)
        memcpy(y->at + row * y->ld * y->unit, x->at + row * x->ld * x->unit,
               (r->live[k] && r->family->live ? r->live[k][row] : x->cols) * x->unit);
    at[k] = y->at;
    ld[k] = ld[0];
    hn_runner_call(r, &r->plan->variants[i], r->c, at, ld, &t);
    if (!hn_runner_check_trail(r, &t, result)) return;
    compare_all(r, i, HN_CHECK_ALIAS, "differs when the output is an input", result);
}

void hn_runner_check_alias(hn_runner *r, size_t i, hn_result *result)
{
    const unsigned mask = r->plan->variants[i].kernel->spec->alias;
    for (size_t k = 1; k < r->family->noperands; k++)
        if (mask >> k & 1 && r->placed[k].rows == r->placed[0].rows &&
            r->placed[k].cols <= r->placed[0].cols)
            check_one_alias(r, i, k, result);
}

/* Strict bits of every variant are those of the first. */
void hn_runner_check_strict(hn_runner *r, hn_result *results)
{
    size_t base = r->plan->nvariants;
    for (size_t i = 0; i < r->plan->nvariants; i++) {
        char what[64];
        if (!r->plan->variants[i].strict || results[i].verdict != HN_OK) continue;
        if (base == r->plan->nvariants) {
            base = i;
            memcpy(r->packed, r->saved + i * r->out_bytes, r->out_bytes);
            continue;
        }
        snprintf(what, sizeof what, "differs from the strict bits of %s",
                 r->plan->variants[base].kernel->isa);
        compare_all(r, i, HN_CHECK_STRICT, what, &results[i]);
    }
}
