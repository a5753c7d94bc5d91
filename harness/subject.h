/* SPDX-License-Identifier: MIT */
/* Libraries under test, through the plug-in ABI. */
#ifndef HN_SUBJECT_H
#define HN_SUBJECT_H

#include <stdbool.h>

#include "ck_subject.h"

/* The library `name`: NULL is the built-in one, a name without '/' is libckparity_<name>.so beside
 * this program, anything else a path. Entries are copied, stepping by the library's own sizes.
 * Returns NULL with one line in `error`. Never closed: kernels may run until the end. */
const ck_subject *hn_subject_open(const char *name, char *error, unsigned size);

/* Whether a kernel's name, stem_isa, is meant by a filter: a part of it, or a pattern with * ? [ ]. */
bool hn_filter_matches(const char *filter, const char *name);

#endif
