/* SPDX-License-Identifier: MIT */
/* What the files of `ckparity bisect` share. */
#ifndef HN_BISECT_SEARCH_H
#define HN_BISECT_SEARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "process.h"

/* Exit codes. */
enum { HN_FOUND = 0, HN_NOT_FOUND = 1, HN_BAD_INPUT = 2 };
enum { HN_BISECT_WORDS_MAX = 64, HN_BISECT_TEXT_MAX = 200, HN_BISECT_HASH_SHOWN = 12 };

typedef enum hn_state { HN_IS_UNTESTED, HN_IS_GOOD, HN_IS_BAD, HN_IS_SKIP } hn_state;

/* A commit, or a library. */
typedef struct hn_candidate {
    char *name;  /* full hash; path */
    char *title; /* subject line; "" */
    char *library;
    hn_state state;
    char why[HN_BISECT_TEXT_MAX];
} hn_candidate;

typedef struct hn_search {
    const char *good, *bad, *digest, *suite, *repo, *out;
    const char *words[HN_BISECT_WORDS_MAX]; /* cases and filters */
    size_t nwords, ncases;
    char *libraries, *compilers, *isas; /* lists; NULL: not given */
    hn_candidate *list;
    size_t count;
    char self[HN_PATH_MAX], top[HN_PATH_MAX];
    char tmp[HN_PATH_MAX / 4]; /* "": none */
    bool worktree;
} hn_search;

extern volatile sig_atomic_t hn_bisect_interrupted;

/* --- bisect.c */

/* One line on stderr; HN_BAD_INPUT. */
int hn_bisect_bad_input(const char *format, const char *detail);
/* The memory, or the end of the program. */
void *hn_bisect_checked(void *memory);
/* A file of the temporary folder; valid until the eighth call after. */
const char *hn_bisect_tmp(const hn_search *b, const char *name);

/* --- arguments.c */

/* 0, or HN_BAD_INPUT after a line on stderr. */
int hn_bisect_parse(hn_search *b, int argc, char **argv);
/* The cases without their instruction sets. */
void hn_bisect_drop_isas(hn_search *b);
/* The digest line as a file, for `digest --check`; a bare case is filled in at the good end. */
int hn_bisect_write_digest(const hn_search *b);

/* --- commits.c */

/* The tree whose commits or files are meant. */
int hn_bisect_find_top(hn_search *b);
void hn_bisect_add(hn_search *b, const char *name, const char *title);
/* Commits from --good to --bad, and a worktree to build them in. */
int hn_bisect_open_commits(hn_search *b);

/* --- library.c: what is made and tested */

/* Configures `source` and builds its libck.so in `folder`. `compiler` as in --compilers; NULL: the
 * default. 0, or what failed. */
int hn_bisect_build(const hn_search *b, const char *source, const char *folder,
                    const char *compiler);
/* The first line of a log that names an error; without the path of our worktree. */
const char *hn_bisect_first_error(const hn_search *b, const char *log, char *line, size_t size);
/* Fills in c->library, or why there is none. */
void hn_bisect_make_library(const hn_search *b, hn_candidate *c, size_t index);
/* Runs the cases, or the check of the digests, on a library (NULL: the built-in one) and one isa
 * (NULL: all). The output is in the files `out` and `err`. */
int hn_bisect_run(const hn_search *b, const char *library, const char *isa, const char *old);
/* The first line that says what failed. */
void hn_bisect_find_failure(const char *text, char *line, size_t size);
/* What the exit code and output of hn_bisect_run mean. */
hn_state hn_bisect_judge(const hn_search *b, int status, char *why, size_t size);
/* Makes and runs a candidate, once. */
hn_state hn_bisect_test(const hn_search *b, size_t index);

/* --- report.c, matrix.c */

void hn_bisect_report(const hn_search *b, size_t low, size_t high);
/* A table of compilers and instruction sets. */
int hn_bisect_matrix(hn_search *b);

#endif
