/* SPDX-License-Identifier: MIT */
/* Tables and JSON of a bench. */
#include "print.h"

#include <math.h>
#include <string.h>

#include "../json.h"

/* Ours is held to its own instruction set, a peer to the best of this machine. */
static const hn_limit *limit_of(const hn_machine *m, const hn_contestant *one, ck_isa best)
{
    const ck_isa isa = one->own ? ck_isa_find(one->kernel->isa) : best;
    return isa < CK_ISA_COUNT && m->limit[isa].present ? &m->limit[isa] : &m->limit[best];
}

hn_bind hn_bind_of(const hn_machine *m, const hn_contest *contest, const hn_contestant *one)
{
    hn_bind bind = { 0, NULL };
    const double bandwidth = limit_of(m, one, m->fastest_read)->read[contest->level].median;
    if (bandwidth > 0)
        bind = (hn_bind){ (double)contest->bytes / bandwidth, hn_level_names[contest->level] };
    const double peak = contest->int8 ? limit_of(m, one, m->fastest_dot8)->dot8.median
                                      : limit_of(m, one, m->fastest_fma)->fma.median;
    if (contest->products > 0 && 2 * contest->products / peak > bind.seconds)
        bind = (hn_bind){ 2 * contest->products / peak, contest->int8 ? "int8" : "FMA" };
    return bind;
}

static bool timed(const hn_contestant *one) { return one->time.n > 0; }

size_t hn_best_own(const hn_contest *contest)
{
    size_t best = contest->count;
    for (size_t i = 0; i < contest->count; i++) {
        const hn_contestant *one = &contest->of[i];
        if (!one->own || !timed(one)) continue;
        if (best == contest->count || !one->strict || contest->of[best].strict) best = i;
    }
    return best;
}

/* Our fast scalar row; contest->count: it was not timed. */
static size_t find_scalar(const hn_contest *contest)
{
    for (size_t i = 0; i < contest->count; i++) {
        const hn_contestant *one = &contest->of[i];
        if (one->own && !one->strict && timed(one) && strcmp(one->kernel->isa, "scalar") == 0)
            return i;
    }
    return contest->count;
}

/* Half of the interval in per cent of the median. */
static double spread(const hn_summary *s)
{
    return s->has_interval ? 50.0 * (s->high - s->low) / s->median : 100.0;
}

static void print_rate(const hn_summary *s, FILE *out)
{
    if (s->n == 0)
        fprintf(out, " %12s", "-");
    else
        fprintf(out, " %7.1f%4.1f%%", s->median * 1e-9, spread(s));
}

void hn_print_machine(const hn_machine *m, FILE *out)
{
    fprintf(out, "%s, L1d %zu KiB, L2 %zu KiB, L3 %zu KiB%s\n", m->cpu, m->cache[HN_L1] >> 10,
            m->cache[HN_L2] >> 10, m->cache[HN_L3] >> 10, m->assumed ? " (assumed)" : "");
    fprintf(out, "%-12s %12s %12s", "ceilings", "FMA GFLOP/s", "int8 GOP/s");
    for (int l = HN_L1; l < HN_LEVELS; l++) fprintf(out, " %7s GB/s", hn_level_names[l]);
    fputc('\n', out);
    for (int i = 0; i < CK_ISA_COUNT; i++) {
        if (!m->limit[i].present) continue;
        fprintf(out, "  %-10s", ck_isa_name((ck_isa)i));
        print_rate(&m->limit[i].fma, out);
        print_rate(&m->limit[i].dot8, out);
        for (int l = HN_L1; l < HN_LEVELS; l++) print_rate(&m->limit[i].read[l], out);
        fputc('\n', out);
    }
}

static void print_time(double seconds, FILE *out)
{
    const char *const unit = seconds < 1e-6 ? "ns" : seconds < 1e-3 ? "us" : "ms";
    const double scale = seconds < 1e-6 ? 1e9 : seconds < 1e-3 ? 1e6 : 1e3;
    fprintf(out, " %8.4g %s", seconds * scale, unit);
}

static void name_contestant(const hn_contestant *one, char *name, size_t size)
{
    snprintf(name, size, "%s%s%s%s", one->own ? "" : one->subject->name, one->own ? "" : " ",
             one->kernel->isa, one->strict ? " strict" : "");
}

/* "3.21" of our scalar row's time to this one's. */
static void print_speedup(const hn_contest *contest, size_t i, FILE *out)
{
    const size_t scalar = find_scalar(contest);
    if (scalar == contest->count)
        fprintf(out, " %7s", "-");
    else
        fprintf(out, " %7.2f", hn_contest_ratio(contest, scalar, i).median);
}

static void print_row(const hn_machine *m, const hn_contest *contest, size_t i, FILE *out)
{
    const hn_contestant *one = &contest->of[i];
    const size_t best = hn_best_own(contest);
    const double seconds = one->time.median;
    const hn_bind bind = hn_bind_of(m, contest, one);
    char name[64];
    name_contestant(one, name, sizeof name);
    fprintf(out, "  %-20s", name);
    print_time(seconds, out);
    fprintf(out, " %4.1f%%", spread(&one->time));
    if (contest->products > 0)
        fprintf(out, " %8.1f", 2e-9 * contest->products / seconds);
    else
        fprintf(out, " %8s", "-");
    fprintf(out, " %7.1f %4.0f%% %-4s", 1e-9 * (double)contest->bytes / seconds,
            100.0 * bind.seconds / seconds, bind.what ? bind.what : "?");
    print_speedup(contest, i, out);
    if (!one->own && best < contest->count) {
        const hn_summary r = hn_contest_ratio(contest, i, best);
        fprintf(out, "  %.3f [%.3f, %.3f] %s", r.median, r.low, r.high,
                hn_decision_names[hn_decide(&r)]);
    }
    fputc('\n', out);
}

static void print_untimed(const hn_contestant *one, FILE *out)
{
    char name[64];
    name_contestant(one, name, sizeof name);
    fprintf(out, "  %-20s not timed: %s %s\n", name, hn_verdict_names[one->verdict], one->what);
}

/* The case without the placement, which is the bench's own. */
static void print_line(const hn_contest *contest, char *line, size_t size)
{
    hn_case c = contest->c;
    memset(c.at, 0, sizeof c.at);
    hn_case_print(&c, line, size);
}

void hn_print_contest(const hn_machine *m, const hn_contest *contest, FILE *out)
{
    char line[HN_LINE_MAX], name[64] = "";
    const size_t best = hn_best_own(contest);
    print_line(contest, line, sizeof line);
    fprintf(out, "\n%s\n", line);
    if (contest->skip[0]) {
        fprintf(out, "  SKIP %s\n", contest->skip);
    } else {
        if (best < contest->count) name_contestant(&contest->of[best], name, sizeof name);
        fprintf(out, "  %-20s %11s %5s %8s %7s %10s %7s  %s%s\n", "", "time", "+-",
                contest->int8 ? "GOP/s" : "GFLOP/s", "GB/s", "of ceiling", "scalar",
                best < contest->count ? "to " : "", name);
        for (size_t i = 0; i < contest->count; i++)
            if (timed(&contest->of[i])) print_row(m, contest, i, out);
    }
    for (size_t i = 0; i < contest->count; i++)
        if (contest->of[i].verdict != HN_OK) print_untimed(&contest->of[i], out);
    fflush(out);
}

static void json_number(FILE *out, const char *name, double x)
{
    if (isfinite(x))
        fprintf(out, ", \"%s\": %.7g", name, x);
    else
        fprintf(out, ", \"%s\": null", name);
}

static void json_summary(FILE *out, const hn_summary *s)
{
    fprintf(out, "\"n\": %zu", s->n);
    if (s->n == 0) return;
    json_number(out, "median", s->median);
    json_number(out, "low", s->has_interval ? s->low : (double)NAN);
    json_number(out, "high", s->has_interval ? s->high : (double)NAN);
    json_number(out, "least", s->least);
    json_number(out, "most", s->most);
}

static void json_ceiling(FILE *out, const char **lead, int isa, const char *what,
                         const hn_summary *s)
{
    if (s->n == 0) return;
    fprintf(out, "%s    { \"isa\": \"%s\", \"what\": \"%s\", ", *lead, ck_isa_name((ck_isa)isa),
            what);
    json_summary(out, s);
    fprintf(out, " }");
    *lead = ",\n";
}

void hn_json_machine(const hn_machine *m, FILE *out)
{
    const char *lead = "";
    hn_json_field(out, "cpu", m->cpu);
    fprintf(out, ",\n  \"caches\": { \"l1d\": %zu, \"l2\": %zu, \"l3\": %zu, \"assumed\": %s },\n",
            m->cache[HN_L1], m->cache[HN_L2], m->cache[HN_L3], m->assumed ? "true" : "false");
    fprintf(out, "  \"ceilings\": [\n");
    for (int i = 0; i < CK_ISA_COUNT; i++) {
        json_ceiling(out, &lead, i, "FMA", &m->limit[i].fma);
        json_ceiling(out, &lead, i, "int8", &m->limit[i].dot8);
        for (int l = HN_L1; l < HN_LEVELS; l++)
            json_ceiling(out, &lead, i, hn_level_names[l], &m->limit[i].read[l]);
    }
    fprintf(out, "\n  ]");
}

static void json_row(FILE *out, const hn_machine *m, const hn_contest *contest,
                     const hn_contestant *one)
{
    fprintf(out, "        { ");
    hn_json_field(out, "subject", one->subject->name);
    fprintf(out, ", ");
    hn_json_field(out, "isa", one->kernel->isa);
    fprintf(out, ", \"mode\": \"%s\", ", one->strict ? "strict" : "fast");
    hn_json_field(out, "verdict", hn_verdict_names[one->verdict]);
    fprintf(out, ", ");
    hn_json_field(out, "what", one->what);
    fprintf(out, ", \"calls\": %zu, \"seconds\": { ", one->calls);
    json_summary(out, &one->time);
    fprintf(out, " }");
    if (timed(one)) {
        const hn_bind bind = hn_bind_of(m, contest, one);
        fprintf(out, ", \"ceiling\": { ");
        hn_json_field(out, "what", bind.what ? bind.what : "unknown");
        json_number(out, "seconds", bind.seconds);
        fprintf(out, " }");
    }
    fprintf(out, " }");
}

static void json_ratio(FILE *out, const hn_contest *contest, size_t own, size_t other)
{
    const hn_summary r = hn_contest_ratio(contest, other, own);
    const hn_contestant *a = &contest->of[own], *b = &contest->of[other];
    fprintf(out, "        { ");
    hn_json_field(out, "of", a->kernel->isa);
    fprintf(out, ", \"mode\": \"%s\", ", a->strict ? "strict" : "fast");
    hn_json_field(out, "to_subject", b->subject->name);
    fprintf(out, ", ");
    hn_json_field(out, "to", b->kernel->isa);
    fprintf(out, ", \"to_mode\": \"%s\", ", b->strict ? "strict" : "fast");
    json_summary(out, &r);
    fprintf(out, ", \"decision\": \"%s\" }", hn_decision_names[hn_decide(&r)]);
}

/* Ours to the scalar row and to every peer. */
static void json_ratios(FILE *out, const hn_contest *contest)
{
    const size_t scalar = find_scalar(contest);
    const char *lead = "";
    for (size_t i = 0; i < contest->count; i++)
        for (size_t k = 0; k < contest->count; k++) {
            const bool base = k == scalar && i != k;
            if (!contest->of[i].own || !timed(&contest->of[i]) || !timed(&contest->of[k])) continue;
            if (contest->of[k].own && !base) continue;
            fputs(lead, out);
            json_ratio(out, contest, i, k);
            lead = ",\n";
        }
}

void hn_json_contest(const hn_machine *m, const hn_contest *contest, FILE *out)
{
    char line[HN_LINE_MAX];
    print_line(contest, line, sizeof line);
    fprintf(out, "    { ");
    hn_json_field(out, "case", line);
    fprintf(out, ",\n      ");
    hn_json_field(out, "skip", contest->skip);
    fprintf(out,
            ", \"cold\": %s, \"bytes\": %zu, \"operations\": %.0f, \"level\": \"%s\",\n"
            "      \"rows\": [\n",
            contest->cold ? "true" : "false", contest->bytes, 2 * contest->products,
            hn_level_names[contest->level]);
    for (size_t i = 0; i < contest->count; i++) {
        json_row(out, m, contest, &contest->of[i]);
        fprintf(out, "%s\n", i + 1 < contest->count ? "," : "");
    }
    fprintf(out, "      ],\n      \"ratios\": [\n");
    json_ratios(out, contest);
    fprintf(out, "\n      ] }");
}
