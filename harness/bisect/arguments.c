/* SPDX-License-Identifier: MIT */
/* The arguments of `ckparity bisect`. */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

/* Cases are checked, so that errors name them; for a matrix they lose their isa. */
static int add_word(hn_search *b, const char *word)
{
    char error[512];
    hn_case c;
    if (b->nwords == HN_BISECT_WORDS_MAX)
        return hn_bisect_bad_input("too many arguments, at %s", word);
    b->words[b->nwords++] = word;
    if (!strpbrk(word, "= ")) return 0;
    b->ncases++;
    if (hn_case_parse(&c, word, error, sizeof error) == 0) return 0;
    fprintf(stderr, "ckparity: bisect: case '%s': %s\n", word, error);
    return HN_BAD_INPUT;
}

void hn_bisect_drop_isas(hn_search *b)
{
    static char lines[HN_BISECT_WORDS_MAX][HN_LINE_MAX];
    char error[512];
    for (size_t i = 0; i < b->nwords; i++) {
        hn_case c;
        if (!strpbrk(b->words[i], "= ")) continue;
        if (hn_case_parse(&c, b->words[i], error, sizeof error) != 0) continue;
        c.isa[0] = '\0';
        hn_case_print(&c, lines[i], sizeof lines[i]);
        b->words[i] = lines[i];
    }
}

static void add_library(hn_search *b, const char *name)
{
    const size_t used = strlen(b->libraries);
    b->libraries = hn_bisect_checked(realloc(b->libraries, used + strlen(name) + 2));
    strcat(strcpy(b->libraries + used, name), "\n");
}

static int set_value(hn_search *b, const char *name, char *value)
{
    const struct {
        const char *name, **to;
    } texts[] = { { "--good", &b->good },   { "--bad", &b->bad },   { "--digest", &b->digest },
                  { "--suite", &b->suite }, { "--repo", &b->repo }, { "--out", &b->out } };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i].name, name) == 0) return *texts[i].to = value, 0;
    if (strcmp(name, "--compilers") == 0) return b->compilers = value, 0;
    if (strcmp(name, "--isas") == 0) return b->isas = value, 0;
    return hn_bisect_bad_input("unknown option %s (docs/bisect.md)", name);
}

int hn_bisect_parse(hn_search *b, int argc, char **argv)
{
    bool libraries = false;
    for (int i = 0; i < argc; i++) {
        char *name = argv[i], *equals = strchr(name, '=');
        int status = 0;
        if (strcmp(name, "--libs") == 0) {
            libraries = true;
            if (!b->libraries) b->libraries = hn_bisect_checked(calloc(1, 1));
        } else if (strncmp(name, "--", 2) == 0) {
            if (equals) *equals = '\0';
            if (!equals && i + 1 == argc) return hn_bisect_bad_input("%s needs a value", name);
            status = set_value(b, name, equals ? equals + 1 : argv[++i]);
            libraries = false;
        } else if (libraries && !strpbrk(name, "= ")) {
            add_library(b, name);
        } else {
            status = add_word(b, name);
        }
        if (status) return status;
    }
    if (b->digest && b->nwords)
        return hn_bisect_bad_input("%s and a case: only one of them", "--digest");
    return 0;
}

/* The digest line as a file, for `digest --check`; a bare case is filled in at the good end. */
int hn_bisect_write_digest(const hn_search *b)
{
    char error[512];
    hn_case c;
    const char *text = b->digest;
    for (int i = 0; i < 2 && strspn(text, "0123456789abcdef") == 16 && text[16] == ' '; i++)
        text += 17;
    if (hn_case_parse(&c, text, error, sizeof error) != 0) {
        fprintf(stderr, "ckparity: bisect: --digest '%s': %s\n", b->digest, error);
        return HN_BAD_INPUT;
    }
    FILE *file = fopen(hn_bisect_tmp(b, "digests"), "w");
    bool bad = !file || fprintf(file, "%s\n", b->digest) < 0;
    if (file) bad |= fclose(file) != 0;
    return bad ? hn_bisect_bad_input("cannot write in %s", b->tmp) : 0;
}
