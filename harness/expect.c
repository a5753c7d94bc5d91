/* SPDX-License-Identifier: MIT */
/* Known failures. */
#include "expect.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_MAX = 128 };

typedef struct expectation {
    char kernel[FIELD_MAX], text[640];
    int mode; /* 0 fast, 1 strict, 2 both */
    hn_verdict verdict;
    uint32_t checks; /* bit c: check c is expected */
    bool due, met;
} expectation;

struct hn_expectations {
    expectation *list;
    size_t count;
};

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

/* "value,nan" as bits; 0 if a name is no check. */
static uint32_t parse_checks(char *list)
{
    uint32_t bits = 0;
    char *save = NULL;
    for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
        const int check = find(hn_check_names, HN_CHECK_COUNT, name);
        if (check < 1) return 0;
        bits |= 1u << check;
    }
    return bits;
}

static const char *parse(expectation *x, const char *line)
{
    static const char *const modes[] = { "fast", "strict", "both" };
    char mode[FIELD_MAX], verdict[FIELD_MAX], check[FIELD_MAX];
    int used = 0;
    if (sscanf(line, "%127s %127s %127s %127s %n", x->kernel, mode, verdict, check, &used) != 4)
        return "is not KERNEL MODE VERDICT CHECK # reason";
    if (line[used] != '#' || strspn(line + used, "# \t") == strlen(line + used))
        return "gives no # reason";
    x->mode = find(modes, 3, mode);
    const int v = find(hn_verdict_names, HN_VERDICT_COUNT, verdict);
    x->checks = parse_checks(check);
    if (x->mode < 0) return "has a mode other than fast, strict, both";
    if (v < HN_FAIL || v > HN_HANG) return "has a verdict other than FAIL, FAIL(edge), CRASH, HANG";
    if (!x->checks) return "names something that is no check";
    x->verdict = (hn_verdict)v;
    return NULL;
}

static int add(hn_expectations *e, const char *path, unsigned number, char *line, char *error,
               size_t size)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0' || line[strspn(line, " \t")] == '#') return 0;
    expectation *more = realloc(e->list, (e->count + 1) * sizeof *more);
    if (!more) return snprintf(error, size, "out of memory"), -1;
    e->list = more;
    expectation *x = &e->list[e->count++];
    memset(x, 0, sizeof *x);
    const char *why = parse(x, line);
    if (why) return snprintf(error, size, "%s:%u: \"%.200s\" %s", path, number, line, why), -1;
    snprintf(x->text, sizeof x->text, "%.200s:%u: %.400s", path, number, line);
    return 0;
}

hn_expectations *hn_expect_open(const char *path, char *error, size_t size)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    hn_expectations *e = calloc(1, sizeof *e);
    int failed = 0;
    if (!file || !e) {
        snprintf(error, size, "%s: %s", path, file ? "out of memory" : strerror(errno));
        if (file) fclose(file);
        free(e);
        return NULL;
    }
    for (unsigned number = 1; !failed && fgets(line, sizeof line, file); number++)
        failed = add(e, path, number, line, error, size);
    if (!failed && ferror(file)) failed = snprintf(error, size, "%s: %s", path, strerror(errno));
    fclose(file);
    if (!failed) return e;
    hn_expect_free(e);
    return NULL;
}

void hn_expect_free(hn_expectations *e)
{
    if (e) free(e->list);
    free(e);
}

static bool about(const expectation *x, const char *kernel, bool strict)
{
    return (x->mode == 2 || x->mode == (int)strict) && fnmatch(x->kernel, kernel, 0) == 0;
}

bool hn_expect_meet(hn_expectations *e, const char *kernel, bool strict, hn_verdict verdict,
                    hn_check check)
{
    for (size_t i = 0; e && i < e->count; i++) {
        expectation *x = &e->list[i];
        if (x->verdict != verdict || !(x->checks >> check & 1) || !about(x, kernel, strict))
            continue;
        x->met = true;
        return true;
    }
    return false;
}

void hn_expect_ran(hn_expectations *e, const char *kernel, bool strict)
{
    for (size_t i = 0; e && i < e->count; i++) e->list[i].due |= about(&e->list[i], kernel, strict);
}

const char *hn_expect_unmet(const hn_expectations *e, size_t *next)
{
    for (; e && *next < e->count; ++*next)
        if (e->list[*next].due && !e->list[*next].met) return e->list[(*next)++].text;
    return NULL;
}
