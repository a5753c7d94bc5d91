/* SPDX-License-Identifier: MIT */
/* Shrinks, then looks for something smaller by brute force. */
#include "minimal.h"

#include <math.h>
#include <string.h>

#include "../family.h"
#include "../isolate.h"
#include "../shrink.h"

enum { NEAR = 64 };

typedef struct trial {
    const hn_plan *plan;
    size_t variant;
    const hn_result *like;
    const hn_case *shrunk;
    hn_case smaller; /* the one that fails alike */
} trial;

static bool fails_alike(const trial *t, const hn_case *c)
{
    static hn_result results[HN_MAX_VARIANTS];
    const unsigned ticks = t->like->verdict == HN_HANG ? HN_SHRINK_TICKS : 0;
    hn_isolate(hn_isolated_run, NULL, t->plan, c, ticks, results);
    return results[t->variant].verdict == t->like->verdict &&
           results[t->variant].check == t->like->check;
}

static bool admissible(const trial *t, size_t key, int64_t value)
{
    hn_case c = *t->shrunk;
    char error[256];
    c.num[key] = value;
    return value >= c.op->family->keys[key].least && hn_case_check(&c, error, sizeof error) == 0;
}

/* With any of the seeds. */
static bool any_fails(trial *t, hn_case c)
{
    const uint32_t seeds = t->like->verdict == HN_HANG ? 1 : HN_SHRINK_SEEDS;
    for (uint32_t s = 0; s < seeds; s++, c.seed++) {
        t->smaller = c;
        if (fails_alike(t, &c)) return true;
    }
    return false;
}

static bool fails_at(trial *t, size_t key, int64_t value)
{
    static const size_t tight[HN_MAX_OPERANDS] = { 0 };
    hn_case c = *t->shrunk;
    c.num[key] = value;
    if (any_fails(t, c)) return true;
    if (memcmp(c.ld, tight, sizeof tight) == 0) return false;
    memcpy(c.ld, tight, sizeof tight);
    return any_fails(t, c);
}

static bool fails_below(trial *t, size_t key)
{
    const int64_t least = t->shrunk->op->family->keys[key].least, now = t->shrunk->num[key];
    int64_t low = least, high = now - 1;
    for (unsigned tried = 0; low <= high && tried < NEAR; low++) {
        if (!admissible(t, key, low)) continue;
        if (fails_at(t, key, low)) return true;
        tried++;
    }
    for (unsigned tried = 0; low <= high && tried < NEAR; high--) {
        if (!admissible(t, key, high)) continue;
        if (fails_at(t, key, high)) return true;
        tried++;
    }
    for (int64_t half = now / 2; half > 0 && half >= low; half /= 2) {
        while (half > low && !admissible(t, key, half)) half--;
        if (admissible(t, key, half) && fails_at(t, key, half)) return true;
    }
    return false;
}

static bool has_grown(const hn_case *from, const hn_case *to)
{
    for (size_t i = 0; i < to->op->family->nkeys; i++)
        if (to->op->family->keys[i].kind != HN_REAL && to->num[i] > from->num[i]) return true;
    return false;
}

void hn_shrink_and_try(const hn_plan *plan, size_t variant, const hn_result *like,
                       const hn_case *found, hn_shrunk *shrunk)
{
    hn_case c = *found, read;
    char error[256];
    memset(shrunk, 0, sizeof *shrunk);
    shrunk->candidates = hn_shrink_case(plan, variant, like, HUGE_VAL, &c);
    hn_case_print(&c, shrunk->line, sizeof shrunk->line);
    if (shrunk->candidates == 0 || has_grown(found, &c) ||
        hn_case_parse(&read, shrunk->line, error, sizeof error) != 0)
        return;
    trial t = { .plan = plan, .variant = variant, .like = like, .shrunk = &read };
    if (!fails_alike(&t, &read)) return;
    for (size_t i = 0; i < c.op->family->nkeys; i++) {
        if (c.op->family->keys[i].kind == HN_REAL || !fails_below(&t, i)) continue;
        hn_case_print(&t.smaller, shrunk->smaller, sizeof shrunk->smaller);
        return;
    }
    shrunk->minimal = true;
}
