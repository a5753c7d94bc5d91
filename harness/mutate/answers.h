/* SPDX-License-Identifier: MIT */
/* The written reasons why mutants survive. */
#ifndef HN_MUTATE_ANSWERS_H
#define HN_MUTATE_ANSWERS_H

#include "mutate.h"

/* A mutant is meant if its file, or "file kernel" where the pattern has a blank, matches the pattern
 * and its mutated lines, blanks as one, contain the fragment (end with it if it ends with $). */
typedef struct hn_answer {
    const char *file, *fragment, *reason;
    bool equivalent; /* else: accepted, which counts as survived */
} hn_answer;

typedef struct hn_answers {
    char *text;
    hn_answer *list;
    size_t n;
} hn_answers;

/* Lines "equivalent|accepted :: FILE :: FRAGMENT :: REASON"; # starts a comment. A file that is not
 * there has none. Returns 0, or -1 with one line in `error`. */
int hn_answers_open(hn_answers *answers, const char *path, char *error, size_t size);

/* The first answer that means the mutation of `text` in `place`, "file kernel"; NULL. */
const hn_answer *hn_answers_find(const hn_answers *answers, const char *place, const char *text,
                                 const hn_mutation *mutation);

#endif
