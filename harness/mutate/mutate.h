/* SPDX-License-Identifier: MIT */
/* The mutations of one text: which part to replace by what. */
#ifndef HN_MUTATE_MUTATE_H
#define HN_MUTATE_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The operators. */
typedef enum hn_mutator {
    HN_MUTATE_INTEGER,  /* an integer constant: +1 -1 0 *2 and the other sign */
    HN_MUTATE_REAL,     /* the same of a real one; NAN, INFINITY, flags of intrinsics
                    */
    HN_MUTATE_ULP,      /* a real constant by one ulp */
    HN_MUTATE_NAMED,    /* an upper-case constant, +1 and -1 */
    HN_MUTATE_RELATION, /* < <= > >= == != */
    HN_MUTATE_ARITHMETIC /* + - * / % and their assignments */,
    HN_MUTATE_SIGN,      /* a sign, ! or ~ taken away */
    HN_MUTATE_BITS,      /* << >> & | ^ */
    HN_MUTATE_STEP,      /* ++ and -- */
    HN_MUTATE_LOGIC,     /* && and || */
    HN_MUTATE_CONDITION, /* a condition negated, or constant */
    HN_MUTATE_TERNARY,   /* the two sides exchanged */
    HN_MUTATE_INDEX,     /* a[i] as a[i + 1], a[i - 1] */
    HN_MUTATE_OFFSET,    /* the address of a load or store, one element on or back */
    HN_MUTATE_INTRINSIC, /* add as sub, min as max, unpacklo as unpackhi ... */
    HN_MUTATE_ARGUMENT,  /* two neighbouring arguments exchanged */
    HN_MUTATE_STATEMENT, /* taken away */
    HN_MUTATE_BOUND,     /* the bound of a loop, +1 and -1 */
    HN_MUTATE_TYPE,      /* double as float, signed as unsigned ... */
    HN_MUTATE_NAME,      /* lda as ldb, i as j ... */
    HN_MUTATE_SPEC,      /* anything in a ck_numspec: what the kernel promises */
    HN_MUTATOR_COUNT
} hn_mutator;
extern const char *const hn_mutator_names[HN_MUTATOR_COUNT];

/* Replaces text[at .. at + length) by `with`. */
typedef struct hn_mutation {
    hn_mutator mutator;
    size_t at, length;
    unsigned line, column;
    char *with;
} hn_mutation;

typedef struct hn_mutations {
    size_t n;
    hn_mutation *list;
} hn_mutations;

/* All mutations of a C text, in order of their place. Returns 0, or -1 if
 * memory is out. */
int hn_mutations_find(hn_mutations *mutations, const char *text);
void hn_mutations_free(hn_mutations *mutations);

/* The mutated text, to be freed; NULL if memory is out. It has the lines of the
 * original. */
char *hn_mutation_apply(const hn_mutation *mutation, const char *text);

/* "operator 'before' -> 'after'" and the end of the line. */
void hn_mutation_print(const hn_mutation *mutation, const char *text, FILE *out);

#endif
