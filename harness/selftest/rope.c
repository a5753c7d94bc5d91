/* SPDX-License-Identifier: MIT */
/* Mutants of the table of angles and of the rotations. */
#include "rope.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mutant.h"

/* --- the table: made anew in double, with one fault. */

typedef struct table_fault {
    bool float_angle; /* frequency and angle in float */
    bool no_position; /* pos0 is left out, in the last row */
    bool by_d;        /* exponent l / d */
    bool swapped;     /* sine and cosine, in the last column */
} table_fault;

static void table(const void *args, table_fault f)
{
    const ck_rope_cache_args *g = args;
    const size_t half = g->d / 2;
    for (size_t i = 0; i < g->t; i++)
        for (size_t l = 0; l < half; l++) {
            const double w = (f.by_d ? 1.0 : 2.0) * (double)l / (double)g->d;
            const double frequency = pow((double)g->theta, -w);
            const size_t from = f.no_position && i + 1 == g->t ? 0 : g->pos0;
            double angle = (double)(from + i) * frequency;
            if (f.float_angle) angle = (double)((float)(from + i) * (float)frequency);
            const bool swap = f.swapped && l + 1 == half;
            g->cos[i * g->ldc + l] = (float)(swap ? sin(angle) : cos(angle));
            g->sin[i * g->lds + l] = (float)(swap ? cos(angle) : sin(angle));
        }
}

static void table_own(const void *args) { table(args, (table_fault){ 0 }); }
static void float_angle(const void *args) { table(args, (table_fault){ .float_angle = true }); }
static void no_position(const void *args) { table(args, (table_fault){ .no_position = true }); }
static void by_d(const void *args) { table(args, (table_fault){ .by_d = true }); }
static void swapped(const void *args) { table(args, (table_fault){ .swapped = true }); }

/* --- the rotations. */

typedef struct turn_fault {
    bool other_pairing; /* half for pair and pair for half */
    bool backward;      /* by minus the angle, in the last head */
    bool position;      /* the table is read from its beginning, in the last row */
    bool half_written;  /* in place, the second of a pair sees the first one's result */
    bool last_left;     /* the last pair is copied */
} turn_fault;

static void turn(const void *args, turn_fault f)
{
    const ck_rope_args *g = args;
    const bool by_halves = (strncmp(hn_wrapped_stem, "rope_half", 9) == 0) != f.other_pairing;
    const size_t half = g->d / 2;
    float *x = malloc((g->d + 1) * sizeof *x);
    for (size_t h = 0; h < g->heads; h++)
        for (size_t i = 0; i < g->t; i++) {
            float *y = g->y + h * g->head_y + i * g->ldy;
            const size_t from = f.position && i + 1 == g->t ? 0 : g->pos0;
            const float *c = g->cos + (from + i) * g->ldc, *s = g->sin + (from + i) * g->lds;
            memcpy(x, g->x + h * g->head_x + i * g->ldx, g->d * sizeof *x);
            for (size_t l = 0; l < half; l++) {
                const size_t p = by_halves ? l : 2 * l, q = by_halves ? l + half : 2 * l + 1;
                const double a = (double)x[p], b = (double)x[q], cd = (double)c[l];
                const double sd = f.backward && h + 1 == g->heads ? -(double)s[l] : (double)s[l];
                const bool left = f.last_left && l + 1 == half;
                y[p] = left ? x[p] : (float)(a * cd) - (float)(b * sd);
                const double first = f.half_written ? (double)y[p] : a;
                y[q] = left ? x[q] : (float)(b * cd) + (float)(first * sd);
            }
            for (size_t j = g->d; j < g->cols; j++) y[j] = 0.0f;
        }
    free(x);
}

static void turn_own(const void *args) { turn(args, (turn_fault){ 0 }); }
static void other_pairing(const void *args) { turn(args, (turn_fault){ .other_pairing = true }); }
static void backward(const void *args) { turn(args, (turn_fault){ .backward = true }); }
static void position(const void *args) { turn(args, (turn_fault){ .position = true }); }
static void half_written(const void *args) { turn(args, (turn_fault){ .half_written = true }); }
static void last_left(const void *args) { turn(args, (turn_fault){ .last_left = true }); }

#define ROW(what, f, ons, by)                                               \
    {                                                                       \
        .name = what, .on = ons, .modes = HN_IN_FAST, .fn = f, .checks = by \
    }
#define TURNS "rope_half_f32 rope_pair_f32"
static const hn_mutant list[] = {
    ROW("own", table_own, "rope_cache_f32", 0),
    ROW("float_angle", float_angle, "rope_cache_f32", HN_BY(VALUE)),
    ROW("no_position", no_position, "rope_cache_f32", HN_BY(VALUE)),
    ROW("by_d", by_d, "rope_cache_f32", HN_BY(VALUE)),
    ROW("swapped", swapped, "rope_cache_f32", HN_BY(VALUE)),
    ROW("own", turn_own, TURNS, 0),
    ROW("other_pairing", other_pairing, TURNS, HN_BY(VALUE) | HN_BY(NAN)),
    ROW("backward", backward, TURNS, HN_BY(VALUE) | HN_BY(NAN)),
    ROW("position", position, TURNS, HN_BY(VALUE) | HN_BY(NAN) | HN_BY(JUNK) | HN_BY(GUARD)),
    ROW("half_written", half_written, TURNS, HN_BY(VALUE) | HN_BY(NAN)),
    ROW("last_left", last_left, TURNS, HN_BY(VALUE) | HN_BY(NAN)),
};
#undef ROW
#undef TURNS

const hn_mutants hn_mutants_rope = { list, sizeof list / sizeof list[0] };
