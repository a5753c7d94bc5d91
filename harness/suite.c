/* SPDX-License-Identifier: MIT */
/* Suite files and their expansion. */
#include "suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { PATTERN_KEYS_MAX = 32, VALUES_MAX = 70000, COUNT_MAX = 100000000 };

typedef struct values {
    char *key;
    char **text;
    size_t count;
} values;

typedef struct pattern {
    const hn_op *op;
    bool canonical;
    hn_case exact; /* of a canonical line */
    values keys[PATTERN_KEYS_MAX];
    size_t nkeys;
    size_t repeat, count;
    uint64_t hash;
} pattern;

struct hn_suite {
    pattern *patterns;
    size_t npatterns;
};

extern const char hn_suite_smoke[], hn_suite_ci[], hn_suite_nightly[], hn_suite_bench[];

static int add_value(values *v, const char *text, char *error, size_t size)
{
    if (v->count == VALUES_MAX)
        return snprintf(error, size, "key %s has more than %d values", v->key, VALUES_MAX), -1;
    if ((v->count & (v->count - 1)) == 0) {
        char **more = realloc(v->text, (v->count ? 2 * v->count : 1) * sizeof *more);
        if (!more) return snprintf(error, size, "out of memory"), -1;
        v->text = more;
    }
    v->text[v->count] = strdup(text);
    return v->text[v->count++] ? 0 : (snprintf(error, size, "out of memory"), -1);
}

/* "lo..hi" or "lo..hi/step"; hexadecimal for seed. */
static int add_range(values *v, const char *item, const char *dots, char *error, size_t size)
{
    const int base = strcmp(v->key, "seed") == 0 ? 16 : 10;
    char *end, number[32];
    const long long low = strtoll(item, &end, base);
    long long step = 1;
    bool good = end == dots;
    const long long high = strtoll(dots + 2, &end, base);
    good &= end != dots + 2;
    if (*end == '/') step = strtoll(end + 1, &end, 10);
    if (!good || *end != '\0' || step < 1 || high < low)
        return snprintf(error, size, "%s=%s is no range lo..hi or lo..hi/step", v->key, item), -1;
    for (long long x = low;; x += step) {
        snprintf(number, sizeof number, base == 16 ? "%llx" : "%lld", x);
        if (add_value(v, number, error, size) != 0) return -1;
        if ((unsigned long long)high - (unsigned long long)x < (unsigned long long)step) return 0;
    }
}

/* Whether commas belong to the value. */
static bool is_list(const hn_op *op, const char *key)
{
    for (size_t i = 0; i < op->family->nkeys; i++)
        if (op->family->keys[i].kind == HN_TEXT && strcmp(op->family->keys[i].name, key) == 0)
            return true;
    return strcmp(key, "at") == 0;
}

static int add_values(const hn_op *op, values *v, char *list, char *error, size_t size)
{
    char *save = NULL;
    if (is_list(op, v->key)) return add_value(v, list, error, size);
    for (char *item = strtok_r(list, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        const char *dots = strstr(item, "..");
        const int failed =
            dots ? add_range(v, item, dots, error, size) : add_value(v, item, error, size);
        if (failed) return -1;
    }
    return v->count ? 0 : (snprintf(error, size, "key %s has no value", v->key), -1);
}

/* Every value is tried once, so that a bad one is found when the file is read. */
static int try_values(const pattern *p, const values *v, char *error, size_t size)
{
    hn_case c;
    hn_fixed fixed = 0;
    hn_case_init(&c, p->op);
    for (size_t i = 0; i < v->count; i++)
        if (hn_case_set(&c, v->key, v->text[i], &fixed, error, size) != 0 ||
            hn_case_check_key(&c, v->key, error, size) != 0)
            return -1;
    return 0;
}

static int parse_item(pattern *p, char *item, char *error, size_t size)
{
    char *equals = strchr(item, '='), *end;
    if (!equals || equals == item)
        return snprintf(error, size, "\"%s\" is no key=values", item), -1;
    *equals = '\0';
    if (strcmp(item, "repeat") == 0) {
        const unsigned long repeat = strtoul(equals + 1, &end, 10);
        if (*end != '\0' || repeat < 1 || repeat > COUNT_MAX)
            return snprintf(error, size, "repeat=%s is outside 1..%d", equals + 1, COUNT_MAX), -1;
        p->repeat = repeat;
        return 0;
    }
    for (size_t i = 0; i < p->nkeys; i++)
        if (strcmp(p->keys[i].key, item) == 0)
            return snprintf(error, size, "key \"%s\" is given twice", item), -1;
    if (p->nkeys == PATTERN_KEYS_MAX) return snprintf(error, size, "too many keys"), -1;
    values *v = &p->keys[p->nkeys++];
    v->key = strdup(item);
    if (!v->key) return snprintf(error, size, "out of memory"), -1;
    if (add_values(p->op, v, equals + 1, error, size) != 0) return -1;
    return try_values(p, v, error, size);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++) hash = hn_mix(hash ^ (unsigned char)*text) + 1;
    return hash;
}

static int parse_pattern(pattern *p, char *line, char *error, size_t size)
{
    char *save = NULL;
    p->hash = hash_text(line);
    p->repeat = p->count = 1;
    if (strstr(line, " gen=")) {
        p->canonical = true;
        if (hn_case_parse(&p->exact, line, error, size) != 0) return -1;
        p->op = p->exact.op;
        return 0;
    }
    const char *stem = strtok_r(line, " \t", &save);
    p->op = hn_op_find(stem);
    if (!p->op) return snprintf(error, size, "no op \"%s\"", stem), -1;
    for (char *item = strtok_r(NULL, " \t", &save); item; item = strtok_r(NULL, " \t", &save))
        if (parse_item(p, item, error, size) != 0) return -1;
    p->count = p->repeat;
    for (size_t i = 0; i < p->nkeys; i++) {
        if (p->keys[i].count > COUNT_MAX / p->count)
            return snprintf(error, size, "the line makes more than %d cases", COUNT_MAX), -1;
        p->count *= p->keys[i].count;
    }
    return 0;
}

static void free_pattern(pattern *p)
{
    for (size_t i = 0; i < p->nkeys; i++) {
        for (size_t k = 0; k < p->keys[i].count; k++) free(p->keys[i].text[k]);
        free(p->keys[i].text);
        free(p->keys[i].key);
    }
}

void hn_suite_free(hn_suite *suite)
{
    for (size_t i = 0; suite && i < suite->npatterns; i++) free_pattern(&suite->patterns[i]);
    if (suite) free(suite->patterns);
    free(suite);
}

/* Cuts the comment and trailing blanks; NULL if nothing is left. */
static char *trim_line(char *line)
{
    char *hash = strchr(line, '#');
    /* in the middle of a word it belongs to fill=file: */
    while (hash && hash > line && !strchr(" \t", hash[-1])) hash = strchr(hash + 1, '#');
    if (hash) *hash = '\0';
    while (*line == ' ' || *line == '\t') line++;
    for (char *end = line + strlen(line); end > line && strchr(" \t\r", end[-1]);) *--end = '\0';
    return *line ? line : NULL;
}

static int add_line(hn_suite *suite, char *line, char *error, size_t size)
{
    pattern *more = realloc(suite->patterns, (suite->npatterns + 1) * sizeof *more);
    if (!more) return snprintf(error, size, "out of memory"), -1;
    suite->patterns = more;
    pattern *p = &suite->patterns[suite->npatterns++];
    memset(p, 0, sizeof *p);
    return parse_pattern(p, line, error, size);
}

static bool names(const hn_suite *suite, const hn_op *op)
{
    for (size_t i = 0; i < suite->npatterns; i++)
        if (suite->patterns[i].op == op) return true;
    return false;
}

/* "* repeat=N": a line for every op that has none so far. */
static int add_others(hn_suite *suite, const char *rest, char *error, size_t size)
{
    char line[256];
    rest += strspn(rest, " \t");
    if (strncmp(rest, "repeat=", 7) != 0 || strpbrk(rest, " \t"))
        return snprintf(error, size, "\"* %s\" is not \"* repeat=N\"", rest), -1;
    for (size_t i = 0; i < hn_op_count; i++) {
        if (names(suite, &hn_ops[i])) continue;
        snprintf(line, sizeof line, "%s %s", hn_ops[i].stem, rest);
        if (add_line(suite, line, error, size) != 0) return -1;
    }
    return 0;
}

static int parse_line(hn_suite *suite, char *line, char *error, size_t size)
{
    return *line == '*' ? add_others(suite, line + 1, error, size)
                        : add_line(suite, line, error, size);
}

hn_suite *hn_suite_parse(const char *text, const char *origin, char *error, size_t size)
{
    hn_suite *suite = calloc(1, sizeof *suite);
    char *copy = strdup(text), *next = copy, problem[256];
    for (unsigned number = 1; suite && next; number++) {
        char *start = next;
        next = strchr(next, '\n');
        if (next) *next++ = '\0';
        char *line = trim_line(start);
        if (!line || parse_line(suite, line, problem, sizeof problem) == 0) continue;
        snprintf(error, size, "%s:%u: %s", origin, number, problem);
        hn_suite_free(suite);
        suite = NULL;
    }
    free(copy);
    return suite;
}

static char *read_file(const char *path, char *error, size_t size)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t used = 0, room = 0;
    if (!file) return snprintf(error, size, "%s: %s", path, strerror(errno)), NULL;
    for (;;) {
        if (room - used < 4096) {
            char *more = realloc(text, room = 2 * room + 8192);
            if (!more) break;
            text = more;
        }
        const size_t got = fread(text + used, 1, room - used - 1, file);
        used += got;
        if (got == 0) break;
    }
    const bool bad = ferror(file) || !text || memchr(text, '\0', used);
    fclose(file);
    if (bad) {
        snprintf(error, size, "%s: not a readable text file", path);
        free(text);
        return NULL;
    }
    text[used] = '\0';
    return text;
}

hn_suite *hn_suite_open(const char *name, char *error, size_t size)
{
    static const struct {
        const char *name, *text;
    } builtin[] = { { "smoke", hn_suite_smoke },
                    { "ci", hn_suite_ci },
                    { "nightly", hn_suite_nightly },
                    { "bench", hn_suite_bench } };
    for (size_t i = 0; i < sizeof builtin / sizeof builtin[0]; i++)
        if (strcmp(builtin[i].name, name) == 0)
            return hn_suite_parse(builtin[i].text, name, error, size);
    char *text = read_file(name, error, size);
    if (!text) return NULL;
    hn_suite *suite = hn_suite_parse(text, name, error, size);
    free(text);
    return suite;
}

void hn_suite_keep(hn_suite *suite, int (*wanted)(void *context, const hn_op *op), void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < suite->npatterns; i++) {
        if (wanted(context, suite->patterns[i].op))
            suite->patterns[kept++] = suite->patterns[i];
        else
            free_pattern(&suite->patterns[i]);
    }
    suite->npatterns = kept;
}

int hn_suite_has(const hn_suite *suite, const hn_op *op)
{
    for (size_t i = 0; i < suite->npatterns; i++)
        if (suite->patterns[i].op == op) return 1;
    return 0;
}

size_t hn_suite_count(const hn_suite *suite)
{
    size_t count = 0;
    for (size_t i = 0; i < suite->npatterns; i++) count += suite->patterns[i].count;
    return count;
}

/* A line that fixes every dimension and the fill leaves nothing to draw that matters. */
static int all_given(const pattern *p, hn_fixed fixed)
{
    for (size_t i = 0; i < p->op->family->nkeys; i++)
        if (p->op->family->keys[i].kind == HN_DIM && !(fixed >> i & 1)) return 0;
    return (fixed & HN_FIXED_FILL) != 0;
}

int hn_suite_case(const hn_suite *suite, size_t index, uint64_t seed, hn_case *c, char *error,
                  size_t size)
{
    const pattern *p = suite->patterns;
    hn_fixed fixed = 0;
    bool seeded = false;
    while (index >= p->count) index -= p++->count;
    if (p->canonical) {
        *c = p->exact;
        return 1;
    }
    hn_case_init(c, p->op);
    c->seed = (uint32_t)hn_mix(seed ^ hn_mix(p->hash + index));
    size_t rest = index / p->repeat;
    for (size_t i = 0; i < p->nkeys; i++) {
        const values *v = &p->keys[i];
        seeded |= strcmp(v->key, "seed") == 0;
        if (hn_case_set(c, v->key, v->text[rest % v->count], &fixed, error, size) != 0) return -1;
        rest /= v->count;
    }
    const uint32_t given = c->seed;
    hn_case_draw(c, fixed);
    if (seeded) c->seed = given;
    return hn_case_check(c, error, size) == 0 ? all_given(p, fixed) : -1;
}
