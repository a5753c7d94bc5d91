/* SPDX-License-Identifier: MIT */
/* Patterns of wrong outputs. */
#include "diagnose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The tile's wrong outputs at a glance. */
typedef struct view {
    const hn_output *y;
    const ref_tile *tile;
    const hn_balls *balls;
    const bool *bad;
    size_t parts, count;        /* bad components */
    size_t first_row, last_row; /* of them, within the tile */
    size_t first_col, last_col;
} view;

static double got_at(const view *w, size_t cell)
{
    const size_t unit = cell / w->parts, bytes = w->y->info->bytes;
    const size_t row = w->tile->r0 + unit / w->tile->cols, col = w->tile->c0 + unit % w->tile->cols;
    return hn_output_part(w->y, w->y->bytes + (row * w->y->cols + col) * bytes, cell % w->parts);
}

static bool inside(double got, double v, double e, bool signed_zero)
{
    return !isnan(hn_judge(got, v, e, signed_zero));
}

size_t hn_find_bad(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                   unsigned family_flags, bool *bad)
{
    const view w = { .y = y, .tile = tile, .balls = balls, .parts = y->info->parts };
    size_t count = 0;
    for (size_t i = 0; i < balls->n; i++) {
        bad[i] = !inside(got_at(&w, i), balls->v[i], balls->e[i], family_flags & HN_SIGNED_ZERO);
        count += bad[i];
    }
    return count;
}

bool hn_explains(const hn_output *y, const ref_tile *tile, const hn_balls *other,
                 unsigned family_flags, const bool *bad)
{
    const view w = { .y = y, .tile = tile, .balls = other, .parts = y->info->parts };
    for (size_t i = 0; i < other->n; i++)
        if (bad[i] &&
            !inside(got_at(&w, i), other->v[i], other->e[i], family_flags & HN_SIGNED_ZERO))
            return false;
    return true;
}

static size_t row_of(const view *w, size_t cell) { return cell / w->parts / w->tile->cols; }
static size_t col_of(const view *w, size_t cell) { return cell / w->parts % w->tile->cols; }

static void survey(view *w)
{
    w->first_row = w->first_col = SIZE_MAX;
    for (size_t i = 0; i < w->balls->n; i++) {
        const size_t row = row_of(w, i), col = col_of(w, i);
        if (!w->bad[i]) continue;
        w->count++;
        if (row < w->first_row) w->first_row = row;
        if (row > w->last_row) w->last_row = row;
        if (col < w->first_col) w->first_col = col;
        if (col > w->last_col) w->last_col = col;
    }
}

static void add(char *text, size_t size, const char *format, size_t a, size_t b)
{
    const size_t used = strlen(text);
    if (used + 3 >= size) return;
    const int lead = used ? snprintf(text + used, size - used, ", ") : 0;
    snprintf(text + used + (size_t)lead, size - used - (size_t)lead, format, a, b);
}

static void describe_rows(const view *w, char *text, size_t size)
{
    const size_t first = w->tile->r0 + w->first_row, last = w->tile->r0 + w->last_row;
    if (w->y->rows == 1) return;
    if (w->first_row != w->last_row) {
        if (w->last_row - w->first_row + 1 < w->tile->rows)
            add(text, size, "rows %zu..%zu only", first, last);
    } else if (first + 1 == w->y->rows) {
        add(text, size, "the last row only (%zu of %zu)", first, w->y->rows);
    } else {
        add(text, size, first == 0 ? "the first row only" : "row %zu only", first, 0);
    }
}

/* Residue of every bad column modulo m; m if they differ. */
static size_t common_residue(const view *w, size_t m)
{
    size_t residue = m;
    for (size_t i = 0; i < w->balls->n; i++) {
        if (!w->bad[i]) continue;
        const size_t r = (w->tile->c0 + col_of(w, i)) % m;
        if (residue == m) residue = r;
        if (residue != r) return m;
    }
    return residue;
}

static void describe_columns(const view *w, size_t vector, char *text, size_t size)
{
    const size_t first = w->tile->c0 + w->first_col, last = w->tile->c0 + w->last_col;
    const size_t tail = vector > 1 ? w->y->cols / vector * vector : w->y->cols;
    if (w->y->cols == 1) return;
    if (w->first_col == w->last_col) {
        add(text, size,
            first + 1 == w->y->cols ? "the last column only (%zu of %zu)"
                                    : "column %zu of %zu only",
            first, w->y->cols);
        return;
    }
    for (size_t m = 32; m >= 2; m /= 2)
        if (common_residue(w, m) != m) {
            add(text, size, "columns %zu modulo %zu only", common_residue(w, m), m);
            return;
        }
    if (first >= tail && tail > 0)
        add(text, size, "only the tail beyond column %zu (vectors of %zu)", tail, vector);
    else if (last - first + 1 < w->y->cols)
        add(text, size, "columns %zu..%zu", first, last);
}

/* What a wrong output may be to its reference, in exact or nearly exact terms. */
typedef bool relation(const view *w, size_t cell);

static bool is_zero(const view *w, size_t cell) { return got_at(w, cell) == 0.0; }

static bool holds(const view *w, double got, size_t cell)
{
    return inside(got, w->balls->v[cell], w->balls->e[cell], false);
}

static bool is_negated(const view *w, size_t cell) { return holds(w, -got_at(w, cell), cell); }

static bool is_next(const view *w, size_t cell)
{
    const size_t next = cell + w->parts;
    return next < w->balls->n && row_of(w, next) == row_of(w, cell) &&
           holds(w, got_at(w, cell), next);
}

static bool is_previous(const view *w, size_t cell)
{
    return cell >= w->parts && row_of(w, cell - w->parts) == row_of(w, cell) &&
           holds(w, got_at(w, cell), cell - w->parts);
}

static bool is_swapped(const view *w, size_t cell)
{
    const size_t other = (cell / w->parts ^ 1) * w->parts + cell % w->parts;
    return other < w->balls->n && holds(w, got_at(w, cell), other);
}

static bool is_row_below(const view *w, size_t cell)
{
    const size_t below = cell + w->tile->cols * w->parts;
    return below < w->balls->n && holds(w, got_at(w, cell), below);
}

static bool is_row_above(const view *w, size_t cell)
{
    const size_t width = w->tile->cols * w->parts;
    return cell >= width && holds(w, got_at(w, cell), cell - width);
}

static bool all_bad(const view *w, relation *r)
{
    for (size_t i = 0; i < w->balls->n; i++)
        if (w->bad[i] && !r(w, i)) return false;
    return true;
}

/* Every got / wanted is one number, to 2^-12 of it: a factor, not the noise of one rounding. */
static bool constant_ratio(const view *w, double *ratio)
{
    bool found = false;
    for (size_t i = 0; i < w->balls->n; i++) {
        const double v = w->balls->v[i], got = got_at(w, i);
        if (!w->bad[i]) continue;
        if (!isfinite(v) || !isfinite(got) || v == 0.0) return false;
        if (!found) *ratio = got / v;
        found = true;
        if (!(fabs(got / v - *ratio) <= 0x1p-12 * fabs(*ratio))) return false;
    }
    return found && fabs(*ratio - 1.0) > 0x1p-10;
}

static void describe_values(const view *w, char *text, size_t size)
{
    static const struct {
        relation *r;
        const char *what;
    } relations[] = {
        { is_zero, "all are 0" },
        { is_negated, "all have the wrong sign" },
        { is_next, "each is what its right neighbour should be" },
        { is_previous, "each is what its left neighbour should be" },
        { is_swapped, "neighbours are swapped" },
        { is_row_below, "each is what the row below should be" },
        { is_row_above, "each is what the row above should be" },
    };
    double ratio = 1.0;
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++)
        if (all_bad(w, relations[i].r)) {
            add(text, size, relations[i].what, 0, 0);
            return;
        }
    if (w->count < 2 || !constant_ratio(w, &ratio)) return;
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%sall are %.6g times what they should be", used ? ", " : "",
             ratio);
}

void hn_describe_pattern(const hn_output *y, const ref_tile *tile, const hn_balls *balls,
                         const bool *bad, size_t vector, char *text, size_t size)
{
    view w = { .y = y, .tile = tile, .balls = balls, .bad = bad, .parts = y->info->parts };
    text[0] = '\0';
    survey(&w);
    add(text, size, "%zu of %zu outputs wrong", w.count, balls->n);
    describe_rows(&w, text, size);
    describe_columns(&w, vector, text, size);
    describe_values(&w, text, size);
}
