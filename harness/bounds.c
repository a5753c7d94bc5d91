/* SPDX-License-Identifier: MIT */
/* Bounds, printed and checked. */
#include "bounds.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"
#include "ref.h"

enum { OK = 0, FAILED = 1, INPUT = 2 };
enum { VALUE_STEPS = 8, RADIUS_STEPS = 16 }; /* of a radius; of a binade */

/* Of a row. */
typedef struct width {
    uint64_t hash, cells, exact, bound;
    double bits; /* summed over the bound ones */
} width;

typedef struct survey {
    const hn_run *run;
    hn_runner *runner;
    width *widths; /* one for each row */
    double *cells;
    size_t ncells;
} survey;

static void fold(width *w, double x) { w->hash = hn_hash(w->hash, &x, sizeof x); }

static void add(width *w, double v, double e, double term)
{
    w->cells++;
    if (e < 0 || isnan(v) || isinf(v)) { /* no demand; a NaN; an infinity */
        fold(w, e < 0 ? -1.0 : isnan(v) ? -2.0 : v);
    } else if (e == 0) {
        w->exact++;
        fold(w, v);
    } else {
        fold(w, rint(v / e * VALUE_STEPS));
        fold(w, rint(log2(e) * RADIUS_STEPS));
        if (!(term > 0)) return;
        w->bound++;
        w->bits += log2(term / e);
    }
}

/* All rows of an op, those of instruction sets that this CPU lacks as well. */
static hn_plan whole_plan(const hn_run *run, const hn_op *op)
{
    hn_plan plan = { .op = op };
    for (size_t i = 0; i < run->nrows; i++)
        if (run->rows[i].op == op) hn_plan_add(&plan, run->rows[i].kernel, run->rows[i].strict, i);
    return plan;
}

/* Rows with the same promises have the same radii. */
static void add_tile(survey *s, const hn_plan *plan, const hn_tile *tile)
{
    const size_t n = hn_tile_cells(plan->op, tile);
    if (n * 3 > s->ncells) {
        s->ncells = n * 3;
        s->cells = hn_checked(realloc(s->cells, s->ncells * sizeof *s->cells));
    }
    ref_out out = { n, s->cells, s->cells + n, s->cells + 2 * n };
    for (size_t spec = 0; spec < plan->nspecs; spec++) {
        bool known = false;
        for (size_t i = 0; i < plan->nvariants; i++) {
            const hn_variant *v = &plan->variants[i];
            const ref_spec held = hn_group_spec(s->runner, i);
            if (v->spec != spec) continue;
            if (!known) hn_group_balls(s->runner, tile, &held, &out);
            known = true;
            for (size_t k = 0; k < n; k++) add(&s->widths[v->row], out.v[k], out.e[k], out.term[k]);
        }
    }
}

static int add_case(survey *s, size_t index)
{
    char error[256];
    hn_case c;
    if (hn_suite_case(s->run->suite, index, s->run->seed, &c, error, sizeof error) < 0) {
        fprintf(stderr, "ckparity: case %zu of the suite: %s\n", index + 1, error);
        return INPUT;
    }
    const hn_plan plan = whole_plan(s->run, c.op);
    if (plan.nvariants == 0 || c.op->family->run) return OK;
    if (hn_group_prepare(s->runner, &plan, &c, error, sizeof error) != 0) {
        fprintf(stderr, "ckparity: case %zu of the suite: %s\n", index + 1, error);
        return FAILED;
    }
    const hn_tile *tiles;
    const size_t ntiles = hn_group_tiles(s->runner, &tiles);
    for (size_t t = 0; t < ntiles; t++) add_tile(s, &plan, &tiles[t]);
    return OK;
}

/* The widths of all rows, to be freed; NULL: *status says why. */
static width *measure(const hn_run *run, int *status)
{
    survey s = { .run = run, .runner = hn_runner_new() };
    s.widths = hn_checked(calloc(run->nrows + 1, sizeof *s.widths));
    for (size_t i = 0; i < run->nrows; i++) s.widths[i].hash = HN_HASH_START;
    const size_t count = hn_suite_count(run->suite);
    *status = OK;
    for (size_t i = 0; i < count && *status == OK; i++) *status = add_case(&s, i);
    hn_runner_free(s.runner);
    free(s.cells);
    if (*status == OK) return s.widths;
    free(s.widths);
    return NULL;
}

static const char *mode_of(const hn_row *row) { return row->strict ? "strict" : "fast"; }

static double mean_bits(const width *w) { return w->bound ? w->bits / (double)w->bound : 0; }

int hn_bounds_print(const hn_run *run)
{
    int status;
    bool any = false;
    width *const widths = measure(run, &status);
    for (size_t i = 0; widths && i < run->nrows; i++) {
        const hn_row *row = &run->rows[i];
        const width *w = &widths[i];
        if (w->cells == 0) continue;
        printf("%016" PRIx64 " %s %s %s %" PRIu64 " %" PRIu64 " %.2f\n", w->hash, row->op->stem,
               row->kernel->isa, mode_of(row), w->cells, w->exact, mean_bits(w));
        any = true;
    }
    free(widths);
    return status != OK ? status : any ? OK : FAILED;
}

/* --- checking */

typedef struct line {
    uint64_t hash, cells, exact;
    double bits;
    char op[64], isa[32], mode[8];
} line;

static bool parse_line(const char *text, line *l)
{
    int end = 0;
    return sscanf(text, "%16" SCNx64 " %63s %31s %7s %" SCNu64 " %" SCNu64 " %lf%n", &l->hash,
                  l->op, l->isa, l->mode, &l->cells, &l->exact, &l->bits, &end) == 7 &&
           text[end] == '\0';
}

/* Returns whether the row is as the line says. */
static bool same(const hn_row *row, const width *w, const line *l)
{
    if (w->hash == l->hash && w->cells == l->cells) return true;
    printf("CHANGED %s %s %s: %" PRIu64 " of %" PRIu64 " components exact, were %" PRIu64
           " of %" PRIu64 "; the radii of the others leave %.2f bits, left %.2f\n",
           row->op->stem, row->kernel->isa, mode_of(row), w->exact, w->cells, l->exact, l->cells,
           mean_bits(w), l->bits);
    return false;
}

static size_t find_row(const hn_run *run, const line *l)
{
    size_t i = 0;
    for (; i < run->nrows; i++) {
        const hn_row *row = &run->rows[i];
        if (strcmp(row->op->stem, l->op) == 0 && strcmp(row->kernel->isa, l->isa) == 0 &&
            strcmp(mode_of(row), l->mode) == 0)
            break;
    }
    return i;
}

/* Lines of rows that were not asked for are skipped; rows without a line are new. */
static int check_lines(const hn_run *run, const width *widths, FILE *file, const char *path)
{
    bool *seen = hn_checked(calloc(run->nrows + 1, sizeof *seen));
    uint64_t passed = 0, failed = 0, skipped = 0;
    char text[256];
    int status = OK;
    for (unsigned number = 1; status == OK && fgets(text, sizeof text, file); number++) {
        line l;
        text[strcspn(text, "\n")] = '\0';
        if (text[0] == '#' || text[0] == '\0') continue;
        if (!parse_line(text, &l)) {
            fprintf(stderr, "ckparity: %s:%u: \"%s\" is not HASH OP ISA MODE CELLS EXACT BITS\n",
                    path, number, text);
            status = INPUT;
            break;
        }
        const size_t i = find_row(run, &l);
        seen[i] = true;
        if (i == run->nrows)
            skipped++;
        else if (same(&run->rows[i], &widths[i], &l))
            passed++;
        else
            failed++;
    }
    for (size_t i = 0; status == OK && i < run->nrows; i++) {
        if (seen[i] || widths[i].cells == 0) continue;
        printf("NEW %s %s %s\n", run->rows[i].op->stem, run->rows[i].kernel->isa,
               mode_of(&run->rows[i]));
        failed++;
    }
    free(seen);
    if (status != OK) return status;
    printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped\n", passed, failed,
           skipped);
    return failed || !passed ? FAILED : OK;
}

int hn_bounds_check(const hn_run *run, const char *path)
{
    int status = INPUT;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "ckparity: --check %s: %s\n", path, strerror(errno));
        return INPUT;
    }
    width *const widths = measure(run, &status);
    if (widths) status = check_lines(run, widths, file, path);
    free(widths);
    fclose(file);
    return status;
}
