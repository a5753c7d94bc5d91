/* SPDX-License-Identifier: MIT */
/* The groups of tests of the harness. */
#ifndef HN_TESTS_H
#define HN_TESTS_H

int hn_test_cases(void), hn_test_data(void), hn_test_runs(void);

#endif
