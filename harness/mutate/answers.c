/* SPDX-License-Identifier: MIT */
/* Answers. */
#include "answers.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

static const char separator[] = " :: ";

/* Ends the field at *at and moves past it. */
static char *field(char **at)
{
    char *start = *at, *end = strstr(start, separator);
    if (!end) return NULL;
    *end = '\0';
    *at = end + sizeof separator - 1;
    return start;
}

static int add_answer(hn_answers *answers, char *line)
{
    hn_answer *more = realloc(answers->list, (answers->n + 1) * sizeof *more);
    if (!more) return -1;
    answers->list = more;
    hn_answer *answer = &more[answers->n];
    const char *kind = field(&line);
    answer->file = kind ? field(&line) : NULL;
    answer->fragment = answer->file ? field(&line) : NULL;
    answer->reason = line;
    if (!answer->fragment) return -1;
    answer->equivalent = strcmp(kind, "equivalent") == 0;
    if (!answer->equivalent && strcmp(kind, "accepted") != 0) return -1;
    answers->n++;
    return 0;
}

int hn_answers_open(hn_answers *answers, const char *path, char *error, size_t size)
{
    unsigned number = 0;
    *answers = (hn_answers){ .text = hn_read_file(path, NULL) };
    for (char *p = answers->text; p;) {
        char *line = strsep(&p, "\n");
        number++;
        if (*line == '#' || *line == '\0') continue;
        if (add_answer(answers, line) == 0) continue;
        snprintf(error, size, "%s:%u: want equivalent|accepted :: file :: fragment :: reason", path,
                 number);
        return -1;
    }
    return 0;
}

/* The lines that a mutation touches, blanks as one; with `next`, " \\n " and the line after. */
static void mutated_lines(const char *text, const hn_mutation *m, bool next, char *out, size_t size)
{
    char *mutated = hn_mutation_apply(m, text);
    size_t from = m->at, to = m->at + strlen(m->with), used = 0;
    *out = '\0';
    if (!mutated) return;
    while (from > 0 && mutated[from - 1] != '\n') from--;
    while (mutated[to] && mutated[to] != '\n') to++;
    const size_t own = to;
    if (next && mutated[to]) to += 1 + strcspn(mutated + to + 1, "\n");
    for (size_t i = from; i < to && used + 5 < size; i++) {
        const bool blank = isspace((unsigned char)mutated[i]) != 0;
        if (i == own) used += (size_t)snprintf(out + used, size - used, " \\n ");
        if (blank && (used == 0 || out[used - 1] == ' ')) continue;
        out[used++] = blank ? ' ' : mutated[i];
    }
    out[used] = '\0';
    free(mutated);
}

/* A fragment that ends with $ must be the end of the lines. */
static bool contains(const char *lines, const char *fragment)
{
    const size_t all = strlen(lines), length = strlen(fragment);
    if (length == 0 || fragment[length - 1] != '$') return strstr(lines, fragment) != NULL;
    return all >= length - 1 && memcmp(lines + all - (length - 1), fragment, length - 1) == 0;
}

const hn_answer *hn_answers_find(const hn_answers *answers, const char *place, const char *text,
                                 const hn_mutation *mutation)
{
    char lines[2][2000], file[1000];
    for (int i = 0; i < 2; i++) mutated_lines(text, mutation, i == 1, lines[i], sizeof lines[i]);
    snprintf(file, sizeof file, "%.*s", (int)strcspn(place, " "), place);
    for (size_t i = 0; i < answers->n; i++) {
        const hn_answer *answer = &answers->list[i];
        if (fnmatch(answer->file, strchr(answer->file, ' ') ? place : file, 0) == 0 &&
            contains(lines[strstr(answer->fragment, " \\n ") != NULL], answer->fragment))
            return answer;
    }
    return NULL;
}
