/* SPDX-License-Identifier: MIT */
/* Reports. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "ck.h"
#include "json.h"

enum { JSON_SCHEMA = 1 };

/* Drawn cases may prove nothing now and then; more than one in a hundred is a bad generator. */
static bool too_weak(const hn_stats *s)
{
    return s->verdicts[HN_WEAK] > s->weak_drawn ||
           (s->cases >= 100 && s->weak_drawn * 100 > s->cases);
}

static uint64_t failures_of(const hn_stats *s)
{
    uint64_t count = s->verdicts[HN_WEAK] - s->weak_drawn + s->verdicts[HN_STALE];
    for (unsigned v = 0; v < HN_VERDICT_COUNT; v++)
        for (unsigned c = 0; c < HN_CHECK_COUNT; c++) count += s->failed[v][c];
    return count;
}

bool hn_row_failed(const hn_run *run, size_t row)
{
    return failures_of(&run->stats[row]) > 0 || too_weak(&run->stats[row]);
}

static void weigh_row(hn_run *run, size_t i, hn_expectations *expect)
{
    hn_stats *s = &run->stats[i];
    const hn_row *row = &run->rows[i];
    if (s->cases > 0) hn_expect_ran(expect, row->name, row->strict);
    for (unsigned v = 0; v < HN_VERDICT_COUNT; v++)
        for (unsigned c = 0; c < HN_CHECK_COUNT; c++) {
            if (s->failed[v][c] == 0) continue;
            if (!hn_expect_meet(expect, row->name, row->strict, (hn_verdict)v, (hn_check)c))
                continue;
            s->expected += s->failed[v][c];
            s->failed[v][c] = 0;
        }
}

hn_totals hn_report_weigh(hn_run *run, hn_expectations *expect)
{
    hn_totals t = { 0 };
    size_t next = 0;
    for (size_t i = 0; i < run->nrows; i++) {
        const hn_stats *s = &run->stats[i];
        weigh_row(run, i, expect);
        const uint64_t failed = failures_of(s);
        t.passed += s->verdicts[HN_OK];
        t.failed += failed ? failed : too_weak(s);
        t.expected += s->expected;
        t.skipped +=
            s->verdicts[HN_SKIP] + s->weak_drawn + s->expected + (run->rows[i].skip != NULL);
    }
    for (size_t i = 0; i < run->nfailures; i++) {
        hn_failure *f = &run->failures[i];
        f->expected = f->result.verdict != HN_STALE &&
                      run->stats[f->row].failed[f->result.verdict][f->result.check] == 0;
    }
    while (hn_expect_unmet(expect, &next)) t.failed++;
    return t;
}

/* 12345678 as "12,345,678"; "-" for nothing. */
static const char *grouped(uint64_t n, char *text, size_t size)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    size_t used = 0;
    if (n == 0) return "-";
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0) text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

static const char *ratio(double util, uint64_t cases, char *text, size_t size)
{
    if (cases == 0) return "-";
    snprintf(text, size, "%.3f", util);
    return text;
}

/* "FAIL 12 value" of the verdict and check that failed most. */
static void worst_text(const hn_stats *s, char *text, size_t size)
{
    unsigned verdict = 0, check = 0;
    uint64_t most = 0;
    for (unsigned v = 0; v < HN_VERDICT_COUNT; v++)
        for (unsigned c = 0; c < HN_CHECK_COUNT; c++)
            if (s->failed[v][c] > most) most = s->failed[v][c], verdict = v, check = c;
    if (most)
        snprintf(text, size, "%s %s", hn_verdict_names[verdict], hn_check_names[check]);
    else if (too_weak(s))
        snprintf(text, size, "WEAK");
    else if (s->expected)
        snprintf(text, size, "expected");
    else
        snprintf(text, size, "%s", s->verdicts[HN_OK] ? "ok" : "SKIP");
}

static const hn_row *partner(const hn_run *run, size_t i, size_t *strict)
{
    for (*strict = i + 1; *strict < run->nrows; ++*strict)
        if (run->rows[*strict].kernel == run->rows[i].kernel && run->rows[*strict].strict)
            return &run->rows[*strict];
    return NULL;
}

static void print_row(const hn_row *row, const hn_stats *fast, const hn_stats *strict, bool failed,
                      bool color, FILE *out)
{
    char exact[24], bound[24], proved[24], util[16], strict_util[16], verdict[64], other[64];
    static const hn_stats none;
    if (row->skip) {
        fprintf(out, "  %-14s SKIP %.58s\n", row->kernel->isa, row->skip);
        return;
    }
    worst_text(fast ? fast : strict, verdict, sizeof verdict);
    if (fast && strict) {
        worst_text(strict, other, sizeof other);
        if (strcmp(verdict, "ok") == 0) strcpy(verdict, other);
    }
    if (!fast) fast = &none;
    if (!strict) strict = &none;
    const uint64_t strict_ok = strict->verdicts[HN_OK];
    fprintf(out, "  %-14s %10s %10s %6s %10s %6s  %s%.18s%s\n", row->kernel->isa,
            grouped(fast->exact, exact, sizeof exact), grouped(fast->bound, bound, sizeof bound),
            ratio(fast->util, fast->bound, util, sizeof util),
            grouped(strict_ok, proved, sizeof proved),
            ratio(strict->util, strict_ok, strict_util, sizeof strict_util),
            color ? (failed ? "\033[31m" : "\033[32m") : "", verdict, color ? "\033[0m" : "");
}

void hn_report_table(const hn_run *run, bool color, FILE *out)
{
    const hn_op *op = NULL;
    fprintf(out, "%-16s %10s %10s %6s %10s %6s  %s\n", "kernel", "exact", "bound", "util", "strict",
            "util", "verdict");
    for (size_t i = 0; i < run->nrows; i++) {
        const hn_row *row = &run->rows[i];
        size_t j = i;
        const hn_row *strict = row->strict ? row : partner(run, i, &j);
        if (row->strict && i > 0 && run->rows[i - 1].kernel == row->kernel) continue;
        if (row->op != op) fprintf(out, "%s\n", row->op->stem);
        op = row->op;
        print_row(row, row->strict ? NULL : &run->stats[i], strict ? &run->stats[j] : NULL,
                  hn_row_failed(run, i) || (strict && hn_row_failed(run, j)), color, out);
    }
}

/* What to look at first, by the check that failed. */
static const char *const hints[HN_CHECK_COUNT] = {
    [HN_CHECK_GUARD] =
        "a load or store that is as wide at the tail as elsewhere, or one row too many",
    [HN_CHECK_SLACK] =
        "a store that is as wide at the tail as elsewhere, or a wrong leading dimension",
    [HN_CHECK_INPUT] = "a store through the wrong pointer, or scratch space in an input",
    [HN_CHECK_UNWRITTEN] = "a tail, row or pad lane that no store reaches",
    [HN_CHECK_REPEAT] = "state kept between calls, uninitialised memory, or a race",
    [HN_CHECK_JUNK] = "lanes beyond the row take part: a tail mask or a leading dimension",
    [HN_CHECK_PREFILL] = "the output is read: accumulated into without being set first",
    [HN_CHECK_ALIAS] = "an input is read again after the output was written",
    [HN_CHECK_BATCH] = "rows at the edge of a tile are summed in another order",
    [HN_CHECK_THREADS] =
        "parts that overlap or leave outputs out, a sum that is cut, another MXCSR",
    [HN_CHECK_STRICT] = "another order of summation, an FMA, or float where double is written",
    [HN_CHECK_FPENV] = "MXCSR set and not restored on every path",
    [HN_CHECK_ABI] = "a register saved by the callee is not, or vzeroupper is missing",
    [HN_CHECK_ISA] = "the wrong body under this name, or flags that do not reach this file",
};

const char *hn_report_hint(hn_check check) { return hints[check]; }

static void print_detail(const hn_failure *f, FILE *out)
{
    const char *cause = f->result.cause[0] ? f->result.cause : hints[f->result.check];
    fputs(f->result.detail, out);
    if (f->result.pattern[0]) fprintf(out, "    pattern %s\n", f->result.pattern);
    if (cause) fprintf(out, "    cause? %s\n", cause);
}

static bool same_case(const hn_failure *a, const hn_failure *b)
{
    const char *const lines[] = { a->line, b->line };
    char plain[2][HN_LINE_MAX], error[256];
    for (size_t i = 0; i < 2; i++) {
        hn_case c;
        if (hn_case_parse(&c, lines[i], error, sizeof error) != 0) return false;
        c.isa[0] = '\0';
        c.mode = HN_BOTH;
        hn_case_print(&c, plain[i], sizeof plain[i]);
    }
    return strcmp(plain[0], plain[1]) == 0;
}

/* The same wrong outcome of the same case, in another variant or mode. */
static bool same_fault(const hn_run *run, const hn_failure *a, const hn_failure *b)
{
    return run->rows[a->row].op == run->rows[b->row].op && a->expected == b->expected &&
           a->result.verdict == b->result.verdict && a->result.check == b->result.check &&
           strcmp(a->result.what, b->result.what) == 0 &&
           strcmp(a->result.detail, b->result.detail) == 0 && same_case(a, b);
}

static bool seen_before(const hn_run *run, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_fault(run, &run->failures[k], &run->failures[i])) return true;
    return false;
}

static void print_likewise(const hn_run *run, size_t i, FILE *out)
{
    const char *lead = "    also   ";
    for (size_t k = i + 1; k < run->nfailures; k++) {
        const hn_row *row = &run->rows[run->failures[k].row];
        if (!same_fault(run, &run->failures[i], &run->failures[k])) continue;
        fprintf(out, "%s%s %s", lead, row->kernel->isa, row->strict ? "strict" : "fast");
        lead = ", ";
    }
    if (lead[0] == ',') fputc('\n', out);
}

void hn_report_failures(const hn_run *run, const hn_expectations *expect, bool color, FILE *out)
{
    const char *red = color ? "\033[31m" : "", *plain = color ? "\033[0m" : "", *text;
    size_t next = 0;
    for (size_t i = 0; i < run->nfailures; i++) {
        const hn_failure *f = &run->failures[i];
        const hn_row *row = &run->rows[f->row];
        const bool stale = f->result.verdict == HN_STALE;
        if (seen_before(run, i)) continue;
        fprintf(out, "\n%s%s%s %s %s: %s%s%s%s\n", f->expected ? "" : red,
                hn_verdict_names[f->result.verdict], plain, row->name,
                row->strict ? "strict" : "fast", stale ? "" : hn_check_names[f->result.check],
                stale ? "" : ": ", f->result.what, f->expected ? " (expected)" : "");
        if (!f->expected) print_detail(f, out);
        print_likewise(run, i, out);
        fprintf(out, "    case   ckparity run '%s'\n", f->line);
        if (f->shrunk[0]) fprintf(out, "    shrunk ckparity run '%s'\n", f->shrunk);
        if (f->where[0]) fprintf(out, "    where  %s\n", f->where);
    }
    for (size_t i = 0; i < run->nrows; i++)
        if (too_weak(&run->stats[i]))
            fprintf(out,
                    "\n%sWEAK%s %s %s: %llu of %llu cases could not have shown a fault\n"
                    "    case   ckparity run '%s'\n",
                    red, plain, run->rows[i].name, run->rows[i].strict ? "strict" : "fast",
                    (unsigned long long)run->stats[i].verdicts[HN_WEAK],
                    (unsigned long long)run->stats[i].cases, run->stats[i].weak_line);
    while ((text = hn_expect_unmet(expect, &next)))
        fprintf(out, "\n%sFAIL%s expected, but it does not happen: %s\n", red, plain, text);
}

static bool all_cells(const hn_cells *cells, const hn_cell_axis axes[HN_CELL_AXES])
{
    hn_cell_count n = hn_cells_pairs(cells, axes);
    for (size_t a = 0; a < HN_CELL_AXES && n.seen == n.all; a++)
        n = hn_cells_residues(cells, &axes[a], a);
    return n.seen == n.all;
}

size_t hn_report_cells(const hn_run *run, FILE *out)
{
    size_t lacking = 0;
    for (size_t i = 0; i < run->nrows; i++) {
        const hn_row *row = &run->rows[i];
        hn_cell_axis axes[HN_CELL_AXES];
        hn_cell_axes(row->op, row->kernel->spec, axes);
        if (row->skip || all_cells(&run->stats[i].cells, axes)) continue;
        fprintf(out, "%s%s %s: not run: ", lacking ? "" : "\n", row->name,
                row->strict ? "strict" : "fast");
        hn_cells_missing(&run->stats[i].cells, axes, out);
        fputc('\n', out);
        lacking++;
    }
    return lacking;
}

static void json_isas(FILE *out)
{
    const char *lead = "";
    fprintf(out, "  \"isas\": [");
    for (int i = 0; i < CK_ISA_COUNT; i++) {
        if (ck_cpu_lacks((ck_isa)i)) continue;
        fprintf(out, "%s\"%s\"", lead, ck_isa_name((ck_isa)i));
        lead = ", ";
    }
    fprintf(out, "],\n");
}

static void json_counts(FILE *out, const char *name, const uint64_t *counts,
                        const char *const *names, size_t n)
{
    const char *lead = "";
    fprintf(out, "\"%s\": {", name);
    for (size_t i = 0; i < n; i++) {
        if (counts[i] == 0) continue;
        fprintf(out, "%s\"%s\": %llu", lead, names[i], (unsigned long long)counts[i]);
        lead = ", ";
    }
    fprintf(out, "}");
}

/* Seen and all. */
static void json_cells(FILE *out, const hn_row *row, const hn_stats *s)
{
    hn_cell_axis axes[HN_CELL_AXES];
    hn_cell_axes(row->op, row->kernel->spec, axes);
    fprintf(out, ", \"cells\": {");
    for (size_t a = 0; a < HN_CELL_AXES; a++) {
        const hn_cell_count n = hn_cells_residues(&s->cells, &axes[a], a);
        if (axes[a].name) fprintf(out, "\"%s\": [%zu, %zu], ", axes[a].name, n.seen, n.all);
    }
    const hn_cell_count n = hn_cells_pairs(&s->cells, axes);
    fprintf(out, "\"pairs\": [%zu, %zu]}", n.seen, n.all);
}

static void json_row(FILE *out, const hn_row *row, const hn_stats *s)
{
    fprintf(out, "    {");
    hn_json_field(out, "op", row->op->stem);
    fprintf(out, ", ");
    hn_json_field(out, "isa", row->kernel->isa);
    fprintf(out, ", \"mode\": \"%s\", ", row->strict ? "strict" : "fast");
    if (row->skip) {
        hn_json_field(out, "skip", row->skip);
        fprintf(out, "}");
        return;
    }
    fprintf(out, "\"cases\": %llu, \"exact\": %llu, \"bound\": %llu, \"expected\": %llu, ",
            (unsigned long long)s->cases, (unsigned long long)s->exact,
            (unsigned long long)s->bound, (unsigned long long)s->expected);
    json_counts(out, "verdicts", s->verdicts, hn_verdict_names, HN_VERDICT_COUNT);
    fprintf(out, ", ");
    json_counts(out, "checks", s->ran, hn_check_names, HN_CHECK_COUNT);
    fprintf(out, ", \"util_max\": %.6g, ", s->util);
    hn_json_field(out, "util_case", s->util_line);
    json_cells(out, row, s);
    fprintf(out, "}");
}

static void json_failure(FILE *out, const hn_run *run, const hn_failure *f)
{
    fprintf(out, "    {");
    hn_json_field(out, "kernel", run->rows[f->row].name);
    fprintf(out, ", \"mode\": \"%s\", ", run->rows[f->row].strict ? "strict" : "fast");
    hn_json_field(out, "verdict", hn_verdict_names[f->result.verdict]);
    fprintf(out, ", ");
    hn_json_field(out, "check", hn_check_names[f->result.check]);
    fprintf(out, ", ");
    hn_json_field(out, "what", f->result.what);
    fprintf(out, ", ");
    hn_json_field(out, "case", f->line);
    fprintf(out, ", ");
    hn_json_field(out, "shrunk", f->shrunk);
    fprintf(out, ", ");
    hn_json_field(out, "where", f->where);
    fprintf(out, ", \"expected\": %s}", f->expected ? "true" : "false");
}

int hn_report_json(const hn_run *run, const hn_totals *totals, const ck_subject *subject,
                   const char *path, char *error, size_t size)
{
    hn_file o;
    if (hn_file_open(&o, path, error, size) != 0) return -1;
    fprintf(o.file, "{\n  \"schema\": %d,\n  ", JSON_SCHEMA);
    hn_json_build(o.file);
    hn_json_field(o.file, "subject", subject->name);
    fprintf(o.file, ",\n  ");
    hn_json_field(o.file, "subject_version", subject->version);
    fprintf(o.file, ",\n  \"seed\": \"%llx\",\n", (unsigned long long)run->seed);
    json_isas(o.file);
    fprintf(o.file, "  \"passed\": %llu, \"failed\": %llu, \"skipped\": %llu,\n  \"rows\": [\n",
            (unsigned long long)totals->passed, (unsigned long long)totals->failed,
            (unsigned long long)totals->skipped);
    for (size_t i = 0; i < run->nrows; i++) {
        json_row(o.file, &run->rows[i], &run->stats[i]);
        fprintf(o.file, "%s\n", i + 1 < run->nrows ? "," : "");
    }
    fprintf(o.file, "  ],\n  \"failures\": [\n");
    for (size_t i = 0; i < run->nfailures; i++) {
        json_failure(o.file, run, &run->failures[i]);
        fprintf(o.file, "%s\n", i + 1 < run->nfailures ? "," : "");
    }
    fprintf(o.file, "  ]\n}\n");
    return hn_file_close(&o, error, size);
}

static void xml_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < 0x20 && *text != '\n' ? ' ' : *text, out);
        }
    }
}

static void junit_row(FILE *out, const hn_run *run, size_t i)
{
    const hn_row *row = &run->rows[i];
    fprintf(out, "  <testcase classname=\"%s\" name=\"%s.%s\"", row->op->stem, row->name,
            row->strict ? "strict" : "fast");
    if (row->skip) {
        fprintf(out, "><skipped message=\"");
        xml_text(out, row->skip);
        fprintf(out, "\"/></testcase>\n");
        return;
    }
    if (!hn_row_failed(run, i)) {
        fprintf(out, run->stats[i].verdicts[HN_OK] ? "/>\n" : "><skipped/></testcase>\n");
        return;
    }
    fprintf(out, "><failure>");
    for (size_t k = 0; k < run->nfailures; k++) {
        const hn_failure *f = &run->failures[k];
        if (f->row != i || f->expected) continue;
        xml_text(out, f->result.what);
        fprintf(out, "\nckparity run '");
        xml_text(out, f->shrunk[0] ? f->shrunk : f->line);
        fprintf(out, "'\n");
    }
    fprintf(out, "</failure></testcase>\n");
}

int hn_report_junit(const hn_run *run, const hn_totals *totals, const char *path, char *error,
                    size_t size)
{
    hn_file o;
    unsigned failed = 0, skipped = 0;
    (void)totals;
    if (hn_file_open(&o, path, error, size) != 0) return -1;
    for (size_t i = 0; i < run->nrows; i++) {
        const bool bad = hn_row_failed(run, i);
        failed += bad;
        skipped += !bad && run->stats[i].verdicts[HN_OK] == 0;
    }
    fprintf(o.file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"ckparity\" tests=\"%zu\" failures=\"%u\" skipped=\"%u\">\n",
            run->nrows, failed, skipped);
    for (size_t i = 0; i < run->nrows; i++) junit_row(o.file, run, i);
    fprintf(o.file, "</testsuite>\n");
    return hn_file_close(&o, error, size);
}
