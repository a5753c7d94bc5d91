/* SPDX-License-Identifier: MIT */
/* Sizes that a fault needs, as a rule. */
#include "reach.h"

#include <stdio.h>
#include <string.h>

#include "family.h"

enum { LARGEST_MODULUS = 32, RANGES_MAX = 4, RULE_MAX = 80 };

/* What was tried of a dimension: bad[i] is size least + i * unit. */
typedef struct sizes {
    int64_t least, unit;
    size_t count, first; /* the first that fails; `count` if none does */
    bool bad[HN_REACH_SIZES];
} sizes;

static int64_t size_at(const sizes *s, size_t i) { return s->least + (int64_t)i * s->unit; }

static bool all_from_first(const sizes *s)
{
    for (size_t i = s->first; i < s->count; i++)
        if (!s->bad[i]) return false;
    return true;
}

/* "K % 8 = 7" or "K % 8 != 0", from the first that fails on. */
static bool residue_rule(const sizes *s, const char *name, char *text)
{
    const size_t first = s->first;
    for (int64_t m = 2 * s->unit; m <= LARGEST_MODULUS * s->unit; m *= 2) {
        bool bad[LARGEST_MODULUS] = { false }, good[LARGEST_MODULUS] = { false };
        int64_t residue = 0, other = 0;
        unsigned nbad = 0, ngood = 0;
        for (size_t i = first; i < s->count; i++)
            (s->bad[i] ? bad : good)[size_at(s, i) % m / s->unit] = true;
        bool mixed = false;
        for (int64_t r = 0; r < m / s->unit; r++) {
            mixed |= bad[r] && good[r];
            if (bad[r]) nbad++, residue = r * s->unit;
            if (good[r]) ngood++, other = r * s->unit;
        }
        if (mixed || (nbad != 1 && ngood != 1)) continue;
        const int n = snprintf(text, RULE_MAX, "%s %% %lld %s %lld", name, (long long)m,
                               nbad == 1 ? "=" : "!=", (long long)(nbad == 1 ? residue : other));
        if (size_at(s, first) >= m)
            snprintf(text + n, RULE_MAX - (size_t)n, " from %lld on", (long long)size_at(s, first));
        return true;
    }
    return false;
}

/* "K = 3, 8..15, 24": a range that reaches the last size that was tried has no end. */
static bool ranges(const sizes *s, const char *name, char *text)
{
    size_t n = (size_t)snprintf(text, RULE_MAX, "%s =", name), count = 0;
    for (size_t i = 0, end; i < s->count; i = end + 1) {
        for (end = i; end < s->count && s->bad[end];) end++;
        if (end == i) continue;
        if (++count > RANGES_MAX) return false;
        n += (size_t)snprintf(text + n, RULE_MAX - n, "%s%lld", count > 1 ? ", " : " ",
                              (long long)size_at(s, i));
        if (end == s->count)
            n += (size_t)snprintf(text + n, RULE_MAX - n, "..");
        else if (end - i > 1)
            n += (size_t)snprintf(text + n, RULE_MAX - n, "..%lld", (long long)size_at(s, end - 1));
    }
    return true;
}

/* What may be said of a dimension of which some size fails; false: nothing. */
static bool rule(const sizes *s, const char *name, char *text)
{
    if (!all_from_first(s)) return residue_rule(s, name, text) || ranges(s, name, text);
    snprintf(text, RULE_MAX, "%s >= %lld", name, (long long)size_at(s, s->first));
    return true;
}

static void try_sizes(sizes *s, const hn_case *c, size_t key, hn_fails *fails, void *context)
{
    hn_case next = *c;
    memset(next.ld, 0, sizeof next.ld);
    s->least = hn_key_least(c->op, key);
    s->unit = hn_key_unit(c->op, key);
    s->count = s->unit > 1 ? HN_REACH_BLOCKS : HN_REACH_SIZES;
    s->first = s->count;
    for (size_t i = 0; i < s->count; i++) {
        next.num[key] = size_at(s, i);
        s->bad[i] = fails(context, next.num[key] == c->num[key] ? c : &next);
        if (s->bad[i] && s->first == s->count) s->first = i;
    }
}

static void append(char *text, size_t size, const char *lead, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? lead : "", more);
}

void hn_reach(char *text, size_t size, const hn_case *c, hn_fails *fails, void *context)
{
    char whatever[RULE_MAX] = "", one[RULE_MAX];
    text[0] = '\0';
    for (size_t i = 0; i < c->op->family->nkeys; i++) {
        const hn_key *const k = &c->op->family->keys[i];
        sizes s;
        if (k->kind != HN_DIM) continue;
        try_sizes(&s, c, i, fails, context);
        if (s.first == s.count) continue;
        if (s.first == 0 && all_from_first(&s))
            append(whatever, sizeof whatever, ", ", k->name);
        else if (rule(&s, k->name, one))
            append(text, size, "; ", one);
    }
    if (!whatever[0]) return;
    append(text, size, "; ", "any ");
    append(text, size, "", whatever);
}
