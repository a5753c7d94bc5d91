/* SPDX-License-Identifier: MIT */
/* The one parser, printer and generator of cases. */
#include "case.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"

const char *const hn_fill_names[HN_FILL_COUNT] = {
    "unit",     "int",        "pow2", "probe", "cancel", "wide",
    "denormal", "stagnation", "edge", "sat",   "census",
};
const char *const hn_fp_names[HN_FP_COUNT] = { "nearest", "down", "up", "zero", "ftz" };
static const char *const mode_names[] = { "both", "fast", "strict" };

enum { OFFSET_MAX = 4096, THREADS_MAX = 64 };
static const int64_t LD_MAX = (int64_t)1 << 33;

/* Work of a drawn case, in terms: small forms first, they find as much and cost nothing. One case in
 * LONG_EVERY has one long dimension and may be larger. */
enum { DRAW_TERMS_MAX = 1 << 14, LONG_TERMS_MAX = 1 << 15, LONG_EVERY = 32 };

/* Of the cases of families that are divided, how many have threads, and at most how many these. */
enum { THREADS_EVERY = 8, DRAW_THREADS_MAX = 5 };

static int fail(char *error, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error, size, format, list);
    va_end(list);
    return -1;
}

static int find_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return (int)i;
    return -1;
}

static int parse_count(const char *key, const char *text, int64_t least, int64_t most,
                       int64_t *value, char *error, size_t size)
{
    char *end;
    errno = 0;
    const long long parsed = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return fail(error, size, "%s=%s is not an integer", key, text);
    if (parsed < least || parsed > most)
        return fail(error, size, "%s=%s is outside %lld..%lld", key, text, (long long)least,
                    (long long)most);
    *value = parsed;
    return 0;
}

static int parse_real(const char *key, const char *text, double *value, char *error, size_t size)
{
    char *end;
    const float parsed = strtof(text, &end);
    if (end == text || *end != '\0' || !isfinite(parsed))
        return fail(error, size, "%s=%s is not a finite number", key, text);
    *value = (double)parsed;
    return 0;
}

static int parse_name(const char *key, const char *text, const char *const *names, size_t count,
                      int *value, char *error, size_t size)
{
    *value = find_name(names, count, text);
    if (*value >= 0) return 0;
    int used = snprintf(error, size, "%s=%s is none of", key, text);
    for (size_t i = 0; i < count && used > 0 && (size_t)used < size; i++)
        used += snprintf(error + used, size - (size_t)used, " %s", names[i]);
    return -1;
}

static int parse_seed(const char *text, uint32_t *seed, char *error, size_t size)
{
    char *end;
    errno = 0;
    const unsigned long parsed = strtoul(text, &end, 16);
    if (end == text || *end != '\0' || errno != 0 || parsed > UINT32_MAX || *text == '-')
        return fail(error, size, "seed=%s is no hexadecimal number of at most 8 digits", text);
    *seed = (uint32_t)parsed;
    return 0;
}

/* "file:DIR#HASH". */
static int parse_file(hn_case *c, const char *text, char *error, size_t size)
{
    const char *path = text + strlen("file:"), *mark = strrchr(text, '#');
    const size_t length = mark && mark > path ? (size_t)(mark - path) : 0;
    char *end = NULL;
    errno = 0;
    const unsigned long long hash = mark ? strtoull(mark + 1, &end, 16) : 0;
    if (length == 0 || strlen(mark + 1) != 16 || *end != '\0' || errno != 0 ||
        strspn(mark + 1, "0123456789abcdef") != 16)
        return fail(error, size, "fill=%s is no file:DIR#HASH with 16 hexadecimal digits", text);
    if (length >= sizeof c->file)
        return fail(error, size, "fill=%s: the path is longer than %d characters", text,
                    HN_FILE_MAX - 1);
    memcpy(c->file, path, length);
    c->file[length] = '\0';
    c->file_hash = hash;
    c->fill = HN_FILL_FILE;
    return 0;
}

static int parse_one_place(const char *text, hn_place *place)
{
    char *end;
    if (strcmp(text, "e") == 0) return *place = (hn_place){ HN_END, 0 }, 0;
    if (strcmp(text, "s") == 0) return *place = (hn_place){ HN_START, 0 }, 0;
    if (text[0] != 'm' || text[1] < '0' || text[1] > '9') return -1;
    const unsigned long offset = strtoul(text + 1, &end, 10);
    if (*end != '\0' || offset >= OFFSET_MAX) return -1;
    *place = (hn_place){ HN_MIDDLE, (unsigned)offset };
    return 0;
}

static int parse_places(hn_case *c, const char *text, char *error, size_t size)
{
    const hn_family *family = c->op->family;
    char copy[HN_LINE_MAX], *save = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        char *colon = strchr(item, ':');
        size_t i = family->noperands;
        if (colon) {
            *colon = '\0';
            for (i = 0; i < family->noperands && strcmp(family->operands[i].name, item) != 0;) i++;
        }
        if (i == family->noperands || parse_one_place(colon + 1, &c->at[i]) != 0)
            return fail(error, size, "at=%s: \"%s%s%s\" is no operand:e, :s or :m0..m%d", text,
                        item, colon ? ":" : "", colon ? colon + 1 : "", OFFSET_MAX - 1);
    }
    return 0;
}

static int unknown_key(const hn_case *c, const char *key, char *error, size_t size)
{
    const hn_family *family = c->op->family;
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < family->nkeys; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", family->keys[i].name);
    for (size_t i = 0; i < family->noperands; i++)
        if (family->operands[i].has_ld)
            used += (size_t)snprintf(known + used, sizeof known - used, " ld%s",
                                     family->operands[i].name);
    return fail(error, size, "unknown key \"%s\": %s has isa mode gen%s at thr fp fill seed", key,
                c->op->stem, known);
}

static int parse_word(hn_case *c, size_t i, const char *text, char *error, size_t size)
{
    const hn_key *k = &c->op->family->keys[i];
    int choice;
    if (parse_name(k->name, text, c->op->family->words + k->least, (size_t)(k->most - k->least + 1),
                   &choice, error, size) != 0)
        return -1;
    c->num[i] = k->least + choice;
    return 0;
}

/* Words of letters and digits between commas. */
static int parse_text(hn_case *c, const char *key, const char *text, char *error, size_t size)
{
    static const char *const words = "abcdefghijklmnopqrstuvwxyz0123456789,";
    const size_t length = strlen(text);
    if (length >= sizeof c->text)
        return fail(error, size, "%s=%s is longer than %d characters", key, text, HN_TEXT_MAX - 1);
    if (length == 0 || strspn(text, words) != length || strstr(text, ",,") || text[0] == ',' ||
        text[length - 1] == ',')
        return fail(error, size, "%s=%s is no list of words between commas", key, text);
    memset(c->text, 0, sizeof c->text);
    memcpy(c->text, text, length);
    return 0;
}

static int set_family_key(hn_case *c, const char *key, const char *value, hn_fixed *fixed,
                          char *error, size_t size)
{
    const hn_family *family = c->op->family;
    for (size_t i = 0; i < family->nkeys; i++) {
        const hn_key *k = &family->keys[i];
        if (strcmp(k->name, key) != 0) continue;
        *fixed |= HN_FIXED(i);
        if (k->kind == HN_REAL) return parse_real(key, value, &c->real[i], error, size);
        if (k->kind == HN_TEXT) return parse_text(c, key, value, error, size);
        if (k->kind == HN_WORD) return parse_word(c, i, value, error, size);
        return parse_count(key, value, hn_key_least(c->op, i), k->most, &c->num[i], error, size);
    }
    for (size_t i = 0; i < family->noperands; i++) {
        int64_t ld;
        if (!family->operands[i].has_ld || strncmp(key, "ld", 2) != 0 ||
            strcmp(key + 2, family->operands[i].name) != 0)
            continue;
        *fixed |= HN_FIXED_LD;
        if (parse_count(key, value, 1, LD_MAX, &ld, error, size) != 0) return -1;
        c->ld[i] = (size_t)ld;
        return 0;
    }
    return unknown_key(c, key, error, size);
}

int hn_case_set(hn_case *c, const char *key, const char *value, hn_fixed *fixed, char *error,
                size_t size)
{
    int choice;
    int64_t gen, threads;
    if (strcmp(key, "isa") == 0) {
        if (strlen(value) >= sizeof c->isa)
            return fail(error, size, "isa=%s is longer than %d characters", value, HN_ISA_MAX - 1);
        strcpy(c->isa, value);
        return 0;
    }
    if (strcmp(key, "mode") == 0) {
        if (parse_name(key, value, mode_names, 3, &choice, error, size) != 0) return -1;
        c->mode = (hn_mode)choice;
        return 0;
    }
    if (strcmp(key, "gen") == 0) {
        if (parse_count(key, value, 1, HN_GEN, &gen, error, size) != 0) return -1;
        c->gen = (unsigned)gen;
        return 0;
    }
    if (strcmp(key, "at") == 0) {
        *fixed |= HN_FIXED_AT;
        return parse_places(c, value, error, size);
    }
    if (strcmp(key, "thr") == 0) {
        if (parse_count(key, value, 1, THREADS_MAX, &threads, error, size) != 0) return -1;
        c->threads = (unsigned)threads;
        return 0;
    }
    if (strcmp(key, "fp") == 0) {
        if (parse_name(key, value, hn_fp_names, HN_FP_COUNT, &choice, error, size) != 0) return -1;
        c->fp = (hn_fp)choice;
        *fixed |= HN_FIXED_FP;
        return 0;
    }
    if (strcmp(key, "fill") == 0) {
        *fixed |= HN_FIXED_FILL;
        if (strncmp(value, "file:", 5) == 0) return parse_file(c, value, error, size);
        if (parse_name(key, value, hn_fill_names, HN_FILL_COUNT, &choice, error, size) != 0)
            return -1;
        c->fill = (hn_fill)choice;
        return 0;
    }
    if (strcmp(key, "seed") == 0) return parse_seed(value, &c->seed, error, size);
    return set_family_key(c, key, value, fixed, error, size);
}

void hn_case_init(hn_case *c, const hn_op *op)
{
    memset(c, 0, sizeof *c);
    c->op = op;
    c->gen = HN_GEN;
    for (size_t i = 0; i < op->family->nkeys; i++) {
        const hn_key *k = &op->family->keys[i];
        if (k->kind == HN_REAL)
            c->real[i] = k->def;
        else if (k->kind != HN_TEXT)
            c->num[i] = k->kind == HN_DIM ? hn_key_least(op, i) : (int64_t)k->def;
    }
}

/* Every dimension must be there, so that a line means the same when defaults change. */
static int check_given(const hn_case *c, const char *given, char *error, size_t size)
{
    const hn_family *family = c->op->family;
    for (size_t i = 0; i < family->nkeys; i++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, " %s=", family->keys[i].name);
        if (family->keys[i].kind == HN_DIM && !strstr(given, wanted))
            return fail(error, size, "%s needs %s=", c->op->stem, family->keys[i].name);
    }
    if (!strstr(given, " gen=")) return fail(error, size, "needs gen=%d", HN_GEN);
    return 0;
}

int hn_case_parse(hn_case *c, const char *line, char *error, size_t size)
{
    char copy[HN_LINE_MAX], given[HN_LINE_MAX] = " ", *save = NULL;
    hn_fixed fixed = 0;
    if (strlen(line) >= sizeof copy)
        return fail(error, size, "the line is longer than %d characters", HN_LINE_MAX - 1);
    strcpy(copy, line);
    const char *stem = strtok_r(copy, " ", &save);
    const hn_op *op = stem ? hn_op_find(stem) : NULL;
    if (!op) return fail(error, size, "no op \"%s\" (ckparity list shows them)", stem ? stem : "");
    hn_case_init(c, op);
    for (char *item = strtok_r(NULL, " ", &save); item; item = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(item, '='), wanted[HN_LINE_MAX + 2];
        if (!equals || equals == item) return fail(error, size, "\"%s\" is no key=value", item);
        *equals = '\0';
        snprintf(wanted, sizeof wanted, " %s=", item);
        if (strstr(given, wanted)) return fail(error, size, "key \"%s\" is given twice", item);
        strcat(strcat(given, item), "= ");
        if (hn_case_set(c, item, equals + 1, &fixed, error, size) != 0) return -1;
    }
    if (check_given(c, given, error, size) != 0) return -1;
    if (c->threads == 0) c->threads = 1;
    return hn_case_check(c, error, size);
}

static bool real_in_range(const hn_key *k, double x)
{
    return k->least >= k->most || (x >= (double)k->least && x <= (double)k->most);
}

static int check_key(const hn_case *c, size_t i, char *error, size_t size)
{
    const hn_key *k = &c->op->family->keys[i];
    if (k->kind == HN_REAL && !real_in_range(k, c->real[i]))
        return fail(error, size, "%s=%.9g is outside %lld..%lld", k->name, c->real[i],
                    (long long)k->least, (long long)k->most);
    if (k->kind == HN_REAL || k->kind == HN_TEXT) return 0;
    const int64_t unit = hn_key_unit(c->op, i), least = hn_key_least(c->op, i);
    if (c->num[i] < least || c->num[i] > k->most)
        return fail(error, size, "%s=%lld is outside %lld..%lld", k->name, (long long)c->num[i],
                    (long long)least, (long long)k->most);
    if (c->num[i] % unit != 0)
        return fail(error, size, "%s=%lld is no multiple of %lld", k->name, (long long)c->num[i],
                    (long long)unit);
    return 0;
}

static int check_fill(const hn_case *c, char *error, size_t size)
{
    if (c->fill == HN_FILL_FILE || hn_op_fills(c->op) >> c->fill & 1) return 0;
    return fail(error, size, "fill=%s means nothing for %s", hn_fill_names[c->fill], c->op->stem);
}

int hn_case_check_key(const hn_case *c, const char *key, char *error, size_t size)
{
    if (strcmp(key, "fill") == 0) return check_fill(c, error, size);
    for (size_t i = 0; i < c->op->family->nkeys; i++)
        if (strcmp(c->op->family->keys[i].name, key) == 0) return check_key(c, i, error, size);
    return 0;
}

int hn_case_check(const hn_case *c, char *error, size_t size)
{
    const hn_family *family = c->op->family;
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    for (size_t i = 0; i < family->nkeys; i++)
        if (check_key(c, i, error, size) != 0) return -1;
    if (check_fill(c, error, size) != 0) return -1;
    family->extents(c, extents);
    for (size_t i = 0; i < family->noperands; i++)
        if (c->ld[i] && c->ld[i] < extents[i].cols)
            return fail(error, size, "ld%s=%zu is below the row's %zu", family->operands[i].name,
                        c->ld[i], extents[i].cols);
    if (c->threads > 1 && !(family->flags & HN_DIVIDED))
        return fail(error, size, "thr=%u: %s runs in one thread", c->threads, c->op->stem);
    const char *why = family->refuse ? family->refuse(c) : NULL;
    return why ? fail(error, size, "%s", why) : 0;
}

static bool is_default_place(hn_place at) { return at.edge == HN_END; }

static size_t print_places(const hn_case *c, char *line, size_t size)
{
    const hn_family *family = c->op->family;
    size_t used = 0;
    const char *lead = " at=";
    for (size_t i = 0; i < family->noperands; i++) {
        if (is_default_place(c->at[i])) continue;
        used += (size_t)snprintf(line + used, size - used, "%s%s:", lead, family->operands[i].name);
        if (c->at[i].edge == HN_START)
            used += (size_t)snprintf(line + used, size - used, "s");
        else
            used += (size_t)snprintf(line + used, size - used, "m%u", c->at[i].offset);
        lead = ",";
    }
    return used;
}

static size_t print_keys(const hn_case *c, char *line, size_t size)
{
    const hn_family *family = c->op->family;
    size_t used = 0;
    for (size_t i = 0; i < family->nkeys; i++) {
        const hn_key *k = &family->keys[i];
        const bool is_default = c->real[i] == k->def && signbit(c->real[i]) == signbit(k->def);
        if (k->kind == HN_REAL && !is_default)
            used += (size_t)snprintf(line + used, size - used, " %s=%.9g", k->name, c->real[i]);
        if (k->kind == HN_DIM || (k->kind == HN_INT && c->num[i] != (int64_t)k->def))
            used += (size_t)snprintf(line + used, size - used, " %s=%lld", k->name,
                                     (long long)c->num[i]);
        if (k->kind == HN_WORD && c->num[i] != (int64_t)k->def)
            used += (size_t)snprintf(line + used, size - used, " %s=%s", k->name,
                                     family->words[c->num[i]]);
        if (k->kind == HN_TEXT && c->text[0])
            used += (size_t)snprintf(line + used, size - used, " %s=%s", k->name, c->text);
    }
    for (size_t i = 0; i < family->noperands; i++)
        if (c->ld[i])
            used += (size_t)snprintf(line + used, size - used, " ld%s=%zu",
                                     family->operands[i].name, c->ld[i]);
    return used;
}

size_t hn_case_print(const hn_case *c, char *line, size_t size)
{
    size_t used = (size_t)snprintf(line, size, "%s", c->op->stem);
    if (c->isa[0]) used += (size_t)snprintf(line + used, size - used, " isa=%s", c->isa);
    if (c->mode != HN_BOTH)
        used += (size_t)snprintf(line + used, size - used, " mode=%s", mode_names[c->mode]);
    used += (size_t)snprintf(line + used, size - used, " gen=%u", c->gen);
    used += print_keys(c, line + used, size - used);
    used += print_places(c, line + used, size - used);
    if (c->threads > 1) used += (size_t)snprintf(line + used, size - used, " thr=%u", c->threads);
    if (c->fp != HN_FP_NEAREST)
        used += (size_t)snprintf(line + used, size - used, " fp=%s", hn_fp_names[c->fp]);
    if (c->fill == HN_FILL_FILE)
        used += (size_t)snprintf(line + used, size - used, " fill=file:%s#%016llx", c->file,
                                 (unsigned long long)c->file_hash);
    else if (c->fill != HN_FILL_UNIT)
        used += (size_t)snprintf(line + used, size - used, " fill=%s", hn_fill_names[c->fill]);
    if (c->seed) used += (size_t)snprintf(line + used, size - used, " seed=%x", (unsigned)c->seed);
    return used;
}

/* Mostly small: below one vector, around one or two unrolls, now and then long. */
static int64_t draw_dimension(hn_rng *rng, const hn_key *k, int64_t unit)
{
    static const int64_t reach[] = { 4, 9, 40, 80, 300, 1100 };
    static const unsigned weight[] = { 3, 5, 5, 2, 1, 0 };
    const int64_t low = k->least > 0 ? (k->least + unit - 1) / unit : 1;
    const bool none = k->least == 0 && hn_below(rng, 64) == 0;
    int64_t pick = (int64_t)hn_below(rng, 64) == 0 ? 15 : (int64_t)hn_below(rng, 16), high = 0;
    for (size_t i = 0; i < 6; i++) {
        high = reach[i];
        if (pick < (int64_t)weight[i]) break;
        pick -= (int64_t)weight[i];
    }
    if (high > k->draw_most / unit) high = k->draw_most / unit;
    const int64_t units = hn_range(rng, low, high > low ? high : low);
    return none ? 0 : unit * units;
}

static double draw_real(hn_rng *rng, const hn_key *k)
{
    static const double values[] = { 0.0, 1.0, -1.0, 0.5, 2.0, 1.5, -0.25, -0.0 };
    const double x = hn_below(rng, 2) ? k->def : values[hn_below(rng, 8)];
    return real_in_range(k, x) ? x : k->def;
}

/* Around 1, of either sign, with all bits of a float: only where sums need not be exact. */
static double draw_fine_real(hn_rng *rng)
{
    const double x = 0.5 + (double)hn_range(rng, 1, (1 << 24) - 1) * 0x1p-24;
    return (double)(float)(hn_below(rng, 2) ? x : -x);
}

static void refine_reals(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    const hn_family *family = c->op->family;
    for (size_t i = 0; i < family->nkeys; i++) {
        const double fine = draw_fine_real(rng);
        if (family->keys[i].kind != HN_REAL || fixed >> i & 1) continue;
        if (c->real[i] != 0.0 && c->real[i] != family->keys[i].def &&
            real_in_range(&family->keys[i], fine))
            c->real[i] = fine;
    }
}

static void draw_keys(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    const hn_family *family = c->op->family;
    for (size_t i = 0; i < family->nkeys; i++) {
        const hn_key *k = &family->keys[i];
        const int64_t most = k->kind == HN_INT ? k->draw_most : k->most;
        const int64_t number = k->kind == HN_DIM ? draw_dimension(rng, k, hn_key_unit(c->op, i))
                                                 : hn_range(rng, k->least, most);
        const double real = k->kind == HN_REAL ? draw_real(rng, k) : 0.0;
        if (fixed >> i & 1) continue;
        c->num[i] = k->kind == HN_REAL ? 0 : number;
        c->real[i] = real;
    }
}

static size_t case_terms(const hn_case *c, const hn_extent *extents)
{
    return extents[0].rows * extents[0].cols * c->op->family->terms(c);
}

/* Makes one of the free dimensions long, 2^7 to 2^13 elements or 2^4 to 2^10 blocks, whatever is
 * usual; returns it, HN_MAX_KEYS: there is none. */
static size_t draw_long(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    const hn_family *family = c->op->family;
    size_t pick = HN_MAX_KEYS, seen = 0;
    for (size_t i = 0; i < family->nkeys; i++)
        if (family->keys[i].kind == HN_DIM && !(fixed >> i & 1) && hn_below(rng, ++seen) == 0)
            pick = i;
    if (pick == HN_MAX_KEYS) return pick;
    const int64_t unit = hn_key_unit(c->op, pick), most = family->keys[pick].most / unit;
    const int64_t low = (int64_t)1 << hn_range(rng, unit == 1 ? 7 : 4, unit == 1 ? 12 : 9);
    const int64_t length = hn_range(rng, low, 2 * low - 1);
    c->num[pick] = unit * (length < most ? length : most);
    return pick;
}

/* Halves the longest free dimension until the case has at most `most` terms; `keep` is halved only
 * if it is the last that can be. */
static void trim(hn_case *c, hn_fixed fixed, size_t keep, size_t most)
{
    const hn_family *family = c->op->family;
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    for (family->extents(c, extents); case_terms(c, extents) > most; family->extents(c, extents)) {
        size_t longest = HN_MAX_KEYS;
        for (size_t i = 0; i < family->nkeys; i++) {
            const hn_key *k = &family->keys[i];
            const int64_t unit = hn_key_unit(c->op, i);
            if (k->kind != HN_DIM || fixed >> i & 1 || c->num[i] / 2 < k->least ||
                c->num[i] < 2 * unit)
                continue;
            if (longest == HN_MAX_KEYS || longest == keep ||
                (i != keep && c->num[i] > c->num[longest]))
                longest = i;
        }
        if (longest == HN_MAX_KEYS) return;
        const int64_t unit = hn_key_unit(c->op, longest);
        c->num[longest] = c->num[longest] / 2 / unit * unit;
    }
}

/* One stride in 36 is such that the last row begins at unit 2^31 or 2^32 of the operand, or a bit
 * further: an index that is computed in 32 bits is another there. Of nine rows, if of bytes, neighbours are
 * 256 MiB apart, of more less: all that lies between them would be mapped, and painted. */
static size_t far_apart(size_t rows, uint64_t slack, unsigned offset)
{
    if (rows < 2 || rows > 9 || slack < 8 || offset >= 16) return 0;
    return (((size_t)1 << (offset & 1 ? 32 : 31)) + rows - 2) / (rows - 1);
}

static void draw_layout(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    const hn_family *family = c->op->family;
    hn_extent extents[HN_MAX_OPERANDS] = { 0 };
    family->extents(c, extents);
    for (size_t i = 0; i < family->noperands; i++) {
        const uint64_t pick = hn_below(rng, 8), slack = hn_range(rng, 1, 9) & 15;
        const unsigned offset = (unsigned)hn_below(rng, 64);
        if (!(fixed & HN_FIXED_LD) && family->operands[i].has_ld && extents[i].rows && pick & 1)
            c->ld[i] = extents[i].cols + slack + far_apart(extents[i].rows, slack, offset);
        if (fixed & HN_FIXED_AT || extents[i].rows == 0) continue;
        c->at[i] = pick < 4   ? (hn_place){ HN_END, 0 }
                   : pick < 6 ? (hn_place){ HN_START, 0 }
                              : (hn_place){ HN_MIDDLE, offset };
    }
}

/* Each admitted fill alike, but those that prove exactness twice as often. */
static hn_fill draw_fill(hn_rng *rng, const hn_op *op)
{
    const unsigned fills = hn_op_fills(op), exact = fills & op->family->exact_fills;
    unsigned total = 0;
    for (unsigned f = 0; f < HN_FILL_COUNT; f++) total += (fills >> f & 1) + (exact >> f & 1);
    uint64_t pick = hn_below(rng, total);
    for (unsigned f = 0; f < HN_FILL_COUNT; f++) {
        const unsigned weight = (fills >> f & 1) + (exact >> f & 1);
        if (pick < weight) return (hn_fill)f;
        pick -= weight;
    }
    return HN_FILL_UNIT;
}

/* From a stream of its own: cases of before have the same data. */
static void draw_threads(hn_case *c)
{
    hn_rng rng = hn_stream(c->seed, 0x74687264, 0);
    if (c->threads > 0) return;
    const bool several = c->op->family->flags & HN_DIVIDED && hn_below(&rng, THREADS_EVERY) == 0;
    c->threads = several ? (unsigned)hn_range(&rng, 2, DRAW_THREADS_MAX) : 1;
}

void hn_case_draw(hn_case *c, hn_fixed fixed)
{
    hn_rng rng = hn_stream(c->seed, 0x63617365, 0);
    draw_threads(c);
    if (c->op->family->draw) {
        c->op->family->draw(c, &rng, fixed);
        return;
    }
    draw_keys(c, &rng, fixed);
    const bool is_long = hn_below(&rng, LONG_EVERY) == 0;
    const size_t kept = is_long ? draw_long(c, &rng, fixed) : HN_MAX_KEYS;
    trim(c, fixed, kept, is_long ? LONG_TERMS_MAX : DRAW_TERMS_MAX);
    draw_layout(c, &rng, fixed);
    const hn_fill fill = draw_fill(&rng, c->op);
    const uint64_t fp = hn_below(&rng, 16);
    if (!(fixed & HN_FIXED_FILL)) c->fill = fill;
    if (hn_below(&rng, 2) && !(c->op->family->exact_fills >> c->fill & 1))
        refine_reals(c, &rng, fixed);
    if (fixed & HN_FIXED_FP || fp != 0) return;
    c->fp = (hn_fp)hn_range(&rng, 1, HN_FP_COUNT - 1);
    /* where fast results are not promised, strict ones still are */
    if (c->fp == HN_FP_FTZ || !(c->op->family->flags & HN_FP_MODES)) c->mode = HN_STRICT;
}
