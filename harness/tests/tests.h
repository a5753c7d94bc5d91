/* SPDX-License-Identifier: MIT */
/* The groups of tests of the harness. */
#ifndef HN_TESTS_H
#define HN_TESTS_H

#include <stdbool.h>

struct ck_kernel;
struct ck_subject;

/* The built-in subject, opened once. */
const struct ck_subject *hn_test_subject(void);
/* Its scalar kernel of a stem. */
const struct ck_kernel *hn_test_scalar(const char *stem);

/* Whether a text is one JSON value, by the grammar and nothing looser. */
bool hn_test_is_json(const char *text);

int hn_test_cases(void), hn_test_compare(void), hn_test_data(void), hn_test_runs(void),
    hn_test_bench(void), hn_test_group(void), hn_test_reach(void), hn_test_cells(void),
    hn_test_runtime(void), hn_test_family(void);

#endif
