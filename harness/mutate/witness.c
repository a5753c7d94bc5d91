/* SPDX-License-Identifier: MIT */
/* Every check that would report a kernel, not only the first. The linker puts these functions in
 * front of the harness's own (--wrap); unless hn_seen is set they change nothing. A signal or hang
 * ends the case, as nothing after it would mean anything; any other report is noted and forgotten. */
#include <stdarg.h>
#include <stdio.h>

#include "compare.h"
#include "mutate/judge.h"

uint32_t *hn_seen;

void __real_hn_record(hn_result *result, hn_verdict verdict, hn_check check, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
void __wrap_hn_record(hn_result *result, hn_verdict verdict, hn_check check, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
void __real_hn_compare(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                       unsigned family_flags, hn_result *result);
void __wrap_hn_compare(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                       unsigned family_flags, hn_result *result);

static void note(hn_check check) { __atomic_fetch_or(hn_seen, 1u << check, __ATOMIC_RELAXED); }

static bool explains_difference(hn_check check)
{
    return check == HN_CHECK_REPEAT || check == HN_CHECK_UNWRITTEN || check == HN_CHECK_PREFILL;
}

void __wrap_hn_record(hn_result *result, hn_verdict verdict, hn_check check, const char *format,
                      ...)
{
    static bool explained; /* junk is what is left if nothing else explains a difference */
    char text[HN_WHAT_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!hn_seen || verdict == HN_SKIP) {
        __real_hn_record(result, verdict, check, "%s", text);
        return;
    }
    if (result->verdict != HN_OK) return;
    if (verdict == HN_CRASH || verdict == HN_HANG)
        __real_hn_record(result, HN_SKIP, HN_CHECK_NONE, "%s", text);
    if (check == HN_CHECK_JUNK && explained)
        explained = false;
    else if (!(explains_difference(check) && explained))
        note(check);
    if (explains_difference(check)) explained = true;
}

void __wrap_hn_compare(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                       unsigned family_flags, hn_result *result)
{
    const hn_verdict before = result->verdict;
    __real_hn_compare(y, tile, balls, family_flags, result);
    if (!hn_seen || before != HN_OK || result->verdict == HN_OK) return;
    note(result->check);
    result->verdict = HN_OK;
    result->check = HN_CHECK_NONE;
    result->what[0] = result->detail[0] = '\0';
}
