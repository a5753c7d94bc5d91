/* SPDX-License-Identifier: MIT */
/* A C tokenizer that knows as much of statements as a mutator needs. */
#ifndef HN_MUTATE_TOKEN_H
#define HN_MUTATE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum hn_token_kind {
    HN_WORD,
    HN_INTEGER,
    HN_REAL,
    HN_PUNCTUATION,
    HN_QUOTED
} hn_token_kind;

/* A token of the text; comments and directives other than the bodies of #define
 * make none. */
typedef struct hn_token {
    hn_token_kind kind;
    size_t at, length; /* in the text */
    unsigned line, column;
    bool barred;      /* within an assertion or an attribute */
    bool directive;   /* of the body of a #define */
    bool declaration; /* of a declaration, up to its = */
    bool header;      /* between the parentheses of an if, for, while or switch */
    bool spec;        /* of the initialiser of a ck_numspec */
    unsigned depth;   /* braces around it */
    size_t statement; /* first token of its statement */
} hn_token;

typedef struct hn_tokens {
    const char *text;
    size_t n;
    hn_token *token;
} hn_tokens;

/* The tokens of a text, which must outlive them. Returns 0, or -1 if memory is
 * out. */
int hn_tokens_scan(hn_tokens *tokens, const char *text);
void hn_tokens_free(hn_tokens *tokens);

/* Whether token i is the text `word`. */
bool hn_token_is(const hn_tokens *tokens, size_t i, const char *word);
/* The token that closes the bracket at i; n if none does. */
size_t hn_token_match(const hn_tokens *tokens, size_t i);

#endif
