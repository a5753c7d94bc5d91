/* SPDX-License-Identifier: MIT */
/* Known failures, strict both ways: an expected failure that no longer happens fails. */
#ifndef HN_EXPECT_H
#define HN_EXPECT_H

#include "verdict.h"

typedef struct hn_expectations hn_expectations;

/* Lines "KERNEL MODE VERDICT CHECK[,CHECK] # reason": KERNEL a pattern over stem_isa, MODE fast, strict
 * or both; any of the checks meets the line. The reason is required. Returns NULL with one line in `error`. */
hn_expectations *hn_expect_open(const char *path, char *error, size_t size);
void hn_expect_free(hn_expectations *e);
/* Whether this failure is expected; remembers that it came. */
bool hn_expect_meet(hn_expectations *e, const char *kernel, bool strict, hn_verdict verdict,
                    hn_check check);
/* Tells of a kernel that ran, so that its expectations are due. */
void hn_expect_ran(hn_expectations *e, const char *kernel, bool strict);
/* The next expectation that was due and did not come, as "path:line: text"; NULL: none. *next starts
 * at 0. */
const char *hn_expect_unmet(const hn_expectations *e, size_t *next);

#endif
