/* SPDX-License-Identifier: MIT */
/* What a bench says, as text and as JSON. */
#ifndef HN_PRINT_H
#define HN_PRINT_H

#include <stdio.h>

#include "contest.h"

/* A contestant's ceiling: the least time that a call can take, and what it is spent on. */
typedef struct hn_bind {
    double seconds;
    const char *what; /* "FMA", "int8", "L1", ...; NULL: not known */
} hn_bind;
hn_bind hn_bind_of(const hn_machine *m, const hn_contest *contest, const hn_contestant *one);

/* The row that peers are compared with: our last fast one that was timed, which is the one that
 * dispatch prefers, or our last one; contest->count: none. */
size_t hn_best_own(const hn_contest *contest);

void hn_print_machine(const hn_machine *m, FILE *out);
void hn_print_contest(const hn_machine *m, const hn_contest *contest, FILE *out);

void hn_json_machine(const hn_machine *m, FILE *out);
void hn_json_contest(const hn_machine *m, const hn_contest *contest, FILE *out);

#endif
