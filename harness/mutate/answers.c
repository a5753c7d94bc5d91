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

/* The lines of `text` that [from, to) touches, blanks as one; with `next`, " \\n " and the line after. */
static void touched_lines(const char *text, size_t from, size_t to, bool next, char *out,
                          size_t size)
{
    size_t used = 0;
    while (from > 0 && text[from - 1] != '\n') from--;
    while (text[to] && text[to] != '\n') to++;
    const size_t own = to;
    if (next && text[to]) to += 1 + strcspn(text + to + 1, "\n");
    for (size_t i = from; i < to && used + 5 < size; i++) {
        const bool blank = isspace((unsigned char)text[i]) != 0;
        if (i == own) used += (size_t)snprintf(out + used, size - used, " \\n ");
        if (blank && (used == 0 || out[used - 1] == ' ')) continue;
        out[used++] = blank ? ' ' : text[i];
    }
    out[used] = '\0';
}

/* The lines as an answer may name them. */
enum { LINES_MAX = 2000 };
typedef struct touched {
    char before[LINES_MAX], after[LINES_MAX], with_next[LINES_MAX];
} touched;

static void touch(touched *t, const char *text, const hn_mutation *m)
{
    char *mutated = hn_mutation_apply(m, text);
    const size_t end = m->at + strlen(m->with);
    *t->before = *t->after = *t->with_next = '\0';
    if (!mutated) return;
    touched_lines(text, m->at, m->at + m->length, false, t->before, LINES_MAX);
    touched_lines(mutated, m->at, end, false, t->after, LINES_MAX);
    touched_lines(mutated, m->at, end, true, t->with_next, LINES_MAX);
    free(mutated);
}

/* A fragment that ends with $ must be the end of the lines. */
static bool contains(const char *lines, const char *fragment)
{
    const size_t all = strlen(lines), length = strlen(fragment);
    if (length == 0 || fragment[length - 1] != '$') return strstr(lines, fragment) != NULL;
    return all >= length - 1 && memcmp(lines + all - (length - 1), fragment, length - 1) == 0;
}

/* "BEFORE -> AFTER", or AFTER alone. */
static bool means(const char *fragment, const touched *t)
{
    const char *arrow = strstr(fragment, " -> ");
    char before[LINES_MAX];
    if (!arrow) return contains(strstr(fragment, " \\n ") ? t->with_next : t->after, fragment);
    snprintf(before, sizeof before, "%.*s", (int)(arrow - fragment), fragment);
    return contains(t->before, before) && contains(t->after, arrow + 4);
}

const hn_answer *hn_answers_find(const hn_answers *answers, const char *place, const char *text,
                                 const hn_mutation *mutation)
{
    touched t;
    char file[1000];
    touch(&t, text, mutation);
    snprintf(file, sizeof file, "%.*s", (int)strcspn(place, " "), place);
    for (size_t i = 0; i < answers->n; i++) {
        const hn_answer *answer = &answers->list[i];
        if (fnmatch(answer->file, strchr(answer->file, ' ') ? place : file, 0) == 0 &&
            means(answer->fragment, &t))
            return answer;
    }
    return NULL;
}
