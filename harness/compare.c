/* SPDX-License-Identifier: MIT */
/* Comparison with balls, and what a failure says. */
#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const hn_verdict_names[HN_VERDICT_COUNT] = {
    "ok", "FAIL", "FAIL(edge)", "CRASH", "HANG", "SKIP", "WEAK", "STALE",
};

const char *const hn_check_names[HN_CHECK_COUNT] = {
    "none",  "harness",   "guard",  "crash", "hang",    "abi",      "fpenv",  "slack",
    "input", "unwritten", "repeat", "junk",  "prefill", "nan",      "value",  "alias",
    "batch", "threads",   "strict", "isa",   "program", "sequence", "logits",
};

void hn_record(hn_result *result, hn_verdict verdict, hn_check check, const char *format, ...)
{
    va_list list;
    if (result->verdict != HN_OK) return;
    result->verdict = verdict;
    result->check = check;
    va_start(list, format);
    vsnprintf(result->what, sizeof result->what, format, list);
    va_end(list);
}

void hn_dump_units(hn_result *result, const char *title, const unsigned char *row, size_t cols,
                   size_t unit, size_t index)
{
    const size_t around = unit > 8 ? 0 : 3;
    const size_t from = index > around ? index - around : 0;
    const size_t to = index + around < cols ? index + around : cols - 1;
    size_t used = strlen(result->detail);
    char *text = result->detail;
    const size_t size = sizeof result->detail;
    used += (size_t)snprintf(text + used, size - used, "    %-6s", title);
    for (size_t i = from; i <= to && used + 3 * unit + 8 < size; i++) {
        used += (size_t)snprintf(text + used, size - used, i == index ? " [" : "  ");
        for (size_t b = 0; b < unit; b++)
            used += (size_t)snprintf(text + used, size - used, "%02x", row[i * unit + b]);
        used += (size_t)snprintf(text + used, size - used, i == index ? "]" : " ");
    }
    if (used < size) snprintf(text + used, size - used, "\n");
}

static void describe(const hn_output *y, const ref_tile *tile, const hn_balls *balls, size_t cell,
                     double got, hn_result *result)
{
    const double v = balls->v[cell], e = balls->e[cell];
    const size_t parts = y->info->parts, unit = cell / parts;
    const size_t row = tile->r0 + unit / tile->cols, col = tile->c0 + unit % tile->cols;
    const unsigned char *at = y->bytes + row * y->cols * y->info->bytes;
    const bool odd_nan = isnan(got) != isnan(v);
    hn_record(result, HN_FAIL, odd_nan ? HN_CHECK_NAN : HN_CHECK_VALUE,
              "%s[%zu,%zu]%s got %.9g, wanted %.9g, radius %.3g", y->name, row, col,
              hn_part_name(y->info, cell % parts), got, v, e);
    snprintf(result->detail, sizeof result->detail,
             "    got    %a\n    wanted %a\n    radius %a   error/radius %.4g\n", got, v, e,
             fabs(got - v) / e);
    hn_dump_units(result, "bytes", at, y->cols, y->info->bytes, col);
}

void hn_compare(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                unsigned family_flags, hn_result *result)
{
    const bool signed_zero = family_flags & HN_SIGNED_ZERO;
    const size_t parts = y->info->parts, bytes = y->info->bytes;
    double worst = result->utilisation;
    size_t cell = 0;
    for (size_t r = 0; r < tile->rows; r++) {
        const unsigned char *at = y->bytes + ((tile->r0 + r) * y->cols + tile->c0) * bytes;
        for (size_t c = 0; c < tile->cols; c++, at += bytes) {
            for (size_t part = 0; part < parts; part++, cell++) {
                const double got = hn_output_part(y, at, part);
                const double v = balls->v[cell], e = balls->e[cell];
                const double ratio = hn_judge(got, v, e, signed_zero);
                if (e != 0.0 && isfinite(v)) result->exact = false;
                if (ratio > worst) worst = ratio;
                if (!isnan(ratio)) continue;
                describe(y, tile, balls, cell, got, result);
                return;
            }
        }
    }
    result->utilisation = worst;
}

bool hn_has_power(const hn_balls *balls)
{
    for (size_t i = 0; i < balls->n; i++) {
        const double e = balls->e[i];
        if (e == REF_ANY) continue;
        if (!isfinite(balls->v[i]) || e == 0.0 || e < 0.5 * balls->term[i]) return true;
    }
    return false;
}
