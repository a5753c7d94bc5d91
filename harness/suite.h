/* SPDX-License-Identifier: MIT */
/* Suites: lists of cases and of patterns of cases. A line is
 *     stem key=values ... [repeat=N]   # why
 * where values is a comma list of words and ranges lo..hi or lo..hi/step. A line with gen= is one
 * canonical case, run as it stands. Any other line makes, for each combination of its values, N cases
 * whose remaining keys are drawn from the seed. "* repeat=N" is such a line for every op that no line
 * above names. */
#ifndef HN_SUITE_H
#define HN_SUITE_H

#include "case.h"

typedef struct hn_suite hn_suite;

/* The built-in suite of that name (smoke, ci, nightly, bench), else the file of that path.
 * Returns NULL with one line in `error` that names file, line, key, value and limit. */
hn_suite *hn_suite_open(const char *name, char *error, size_t size);
/* A suite of the given lines; `origin` names them in errors. */
hn_suite *hn_suite_parse(const char *text, const char *origin, char *error, size_t size);
void hn_suite_free(hn_suite *suite);

/* Drops the lines whose op is not wanted. */
void hn_suite_keep(hn_suite *suite, int (*wanted)(void *context, const struct hn_op *op),
                   void *context);

size_t hn_suite_count(const hn_suite *suite);
/* Whether a line is of this op. */
int hn_suite_has(const hn_suite *suite, const struct hn_op *op);
/* Case `index` under a master seed. Returns 1 if all its keys were given by the line, 0 if some were
 * drawn, -1 with one line in `error` if its combination of values makes no case. */
int hn_suite_case(const hn_suite *suite, size_t index, uint64_t seed, hn_case *c, char *error,
                  size_t size);

#endif
