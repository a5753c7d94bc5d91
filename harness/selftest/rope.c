/* SPDX-License-Identifier: MIT */
/* Mutants of the table of angles and of the rotations. */
#include "rope.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "mutant.h"

/* --- the table: made anew in double, with one fault. */

typedef enum table_fault {
    TABLE_RIGHT,
    FLOAT_ANGLE,     /* position times frequency in float */
    FLOAT_FREQUENCY, /* the frequency rounded to float, all else in double */
    NO_POSITION,     /* pos0 left out in the last row */
    ONE_FURTHER,     /* positions begin at 1 */
    STALE_ROW,       /* the last row is that of the position before */
    BY_D,            /* exponent l / d */
    BY_HALF,         /* exponent 2l / (d / 2) in the last column */
    FREQUENCY_LATE,  /* the last column has the frequency of the one before */
    SWAPPED,         /* sine and cosine, in the last column */
    COARSE_PI,       /* pi / 2 as a float when angles are reduced */
    DOUBLE_PI,       /* pi / 2 as one double, times whole turns as floats have them */
    RECURRENCE,      /* each row from the one before, in float */
    NO_SCALING,
    SCALES_ALL,   /* every frequency by 1 / factor */
    SCALE_STEPS,  /* nothing between kept and slowed down */
    LOW_FOR_HIGH, /* the two factors changed places */
    RADIANS_FOR_TURNS,
    MIXED_INVERSE /* the wave length, not the frequency, is interpolated */
} table_fault;

static double mixed(const ck_rope_cache_args *g, double f, table_fault fault)
{
    const bool swapped = fault == LOW_FOR_HIGH;
    const double low = (double)(swapped ? g->high : g->low);
    const double high = (double)(swapped ? g->low : g->high), factor = (double)g->factor;
    const double turn = fault == RADIANS_FOR_TURNS ? 1.0 : 2.0 * 3.14159265358979323846;
    const double turns = (double)g->context * f / turn;
    double s = (turns - low) / (high - low);
    if (g->factor == 0.0f || fault == NO_SCALING) return f;
    if (fault == SCALES_ALL) return f / factor;
    s = s > 1.0 ? 1.0 : s > 0.0 ? s : 0.0;
    if (fault == SCALE_STEPS && s < 1.0) s = 0.0;
    if (fault == MIXED_INVERSE) return f / ((1.0 - s) * factor + s);
    return f * ((1.0 - s) / factor + s);
}

static double frequency(const ck_rope_cache_args *g, size_t l, table_fault fault)
{
    const bool last = l + 1 == g->d / 2;
    double exponent = 2.0 * (double)l / (double)g->d;
    if (fault == BY_D) exponent /= 2.0;
    if (fault == BY_HALF && last) exponent *= 2.0;
    if (fault == FREQUENCY_LATE && last && l > 0) exponent = 2.0 * (double)(l - 1) / (double)g->d;
    const double f = mixed(g, pow((double)g->theta, -exponent), fault);
    return fault == FLOAT_FREQUENCY ? (double)(float)f : f;
}

static double position(const ck_rope_cache_args *g, size_t i, table_fault fault)
{
    const bool last = i + 1 == g->t;
    if (fault == NO_POSITION && last) return (double)i;
    if (fault == ONE_FURTHER) return (double)(g->pos0 + i + 1);
    if (fault == STALE_ROW && last && i > 0) return (double)(g->pos0 + i - 1);
    return (double)(g->pos0 + i);
}

static double angle(const ck_rope_cache_args *g, size_t i, size_t l, table_fault fault)
{
    const double p = position(g, i, fault), f = frequency(g, l, fault), a = p * f;
    const double quarter = fault == COARSE_PI ? (double)1.57079632679f : 0x1.921fb54p+0;
    if (fault == FLOAT_ANGLE) return (double)((float)p * (float)f);
    if (fault != COARSE_PI && fault != DOUBLE_PI) return a;
    const double turns = nearbyint(a / (4.0 * 1.57079632679489661923));
    return a - turns * (4.0 * quarter);
}

static void table_cell(const ck_rope_cache_args *g, size_t i, size_t l, table_fault fault)
{
    const double a = angle(g, i, l, fault);
    const bool swap = fault == SWAPPED && l + 1 == g->d / 2;
    float *const c = g->cos + i * g->ldc + l, *const s = g->sin + i * g->lds + l;
    if (fault == RECURRENCE && i > 0) {
        const double f = frequency(g, l, fault);
        const float cf = (float)cos(f), sf = (float)sin(f);
        const float c0 = *(c - g->ldc), s0 = *(s - g->lds);
        *c = c0 * cf - s0 * sf;
        *s = s0 * cf + c0 * sf;
        return;
    }
    *c = (float)(swap ? sin(a) : cos(a));
    *s = (float)(swap ? cos(a) : sin(a));
}

/* To nearest, as the right kernels do. */
static void table(const void *args, table_fault fault)
{
    const ck_rope_cache_args *g = args;
    const unsigned csr = _mm_getcsr();
    _mm_setcsr(0x1f80);
    for (size_t i = 0; i < g->t; i++)
        for (size_t l = 0; l < g->d / 2; l++) table_cell(g, i, l, fault);
    _mm_setcsr(csr);
}

#define FAULT(name, f) \
    static void name(const void *args) { table(args, f); }
FAULT(table_own, TABLE_RIGHT)
FAULT(float_angle, FLOAT_ANGLE)
FAULT(float_frequency, FLOAT_FREQUENCY)
FAULT(no_position, NO_POSITION)
FAULT(one_further, ONE_FURTHER)
FAULT(stale_row, STALE_ROW)
FAULT(by_d, BY_D)
FAULT(by_half, BY_HALF)
FAULT(frequency_late, FREQUENCY_LATE)
FAULT(swapped, SWAPPED)
FAULT(coarse_pi, COARSE_PI)
FAULT(double_pi, DOUBLE_PI)
FAULT(recurrence, RECURRENCE)
FAULT(no_scaling, NO_SCALING)
FAULT(scales_all, SCALES_ALL)
FAULT(scale_steps, SCALE_STEPS)
FAULT(low_for_high, LOW_FOR_HIGH)
FAULT(radians_for_turns, RADIANS_FOR_TURNS)
FAULT(mixed_inverse, MIXED_INVERSE)
#undef FAULT

/* Rows of sines lie as those of cosines would if both were tight. */
static void sines_tight(const void *args)
{
    ck_rope_cache_args g = *(const ck_rope_cache_args *)args;
    g.lds = g.d / 2;
    hn_wrapped(&g);
}

static void last_sine_unwritten(const void *args)
{
    const ck_rope_cache_args *g = args;
    float *const at = g->sin + (g->t - 1) * g->lds + g->d / 2 - 1;
    float before;
    memcpy(&before, at, sizeof before);
    hn_wrapped(args);
    memcpy(at, &before, sizeof before);
}

/* --- the rotations. */

typedef enum turn_fault {
    TURN_RIGHT,
    OTHER_PAIRING, /* half for pair and pair for half */
    BACKWARD,      /* by minus the angle, in the last head */
    TABLE_START,   /* the table is read from its beginning, in the last row */
    ROW_BEFORE,    /* the last row has the angles of the one before */
    HALF_WRITTEN,  /* the second of a pair sees the first one's result */
    LAST_LEFT,     /* the last pair is copied */
    LAST_HEAD,     /* the last head is copied */
    SINE_FIRST,    /* cosine and sine changed places, in the last row */
    HALF_OF_HEAD,  /* pairs are half of the whole head apart */
    NEXT_ANGLE,    /* the last pair has the angle of the pair before */
    BRAIN_COSINE,  /* cosines have 8 bits */
    NOT_COPIED,    /* what is not turned stays what y was */
    LAST_COPY,     /* its last element is +0 */
    REST_TURNED,   /* what is not turned is, if it is as long */
    BY_HEAD        /* each head has its own rows of the table */
} turn_fault;

typedef struct spot {
    const ck_rope_args *g;
    size_t h, i;
    turn_fault fault;
} spot;

/* Its leading 8 bits (Veltkamp). */
static float brain(float x)
{
    const float t = 65537.0f * x;
    return t - (t - x);
}

static size_t table_row(const spot *s)
{
    const ck_rope_args *g = s->g;
    const bool last = s->i + 1 == g->t;
    if (s->fault == TABLE_START && last) return s->i;
    if (s->fault == ROW_BEFORE && last && s->i > 0) return g->pos0 + s->i - 1;
    if (s->fault == BY_HEAD) return g->pos0 + (s->h + s->i) % g->t;
    return g->pos0 + s->i;
}

/* Turns `half` pairs of x into y, which is elsewhere. */
static void turn_pairs(const spot *s, float *y, const float *x, size_t half)
{
    const ck_rope_args *g = s->g;
    const bool by_halves =
        (strncmp(hn_wrapped_stem, "rope_half", 9) == 0) != (s->fault == OTHER_PAIRING);
    const bool last_head = s->h + 1 == g->heads, last_row = s->i + 1 == g->t;
    const float *c = g->cos + table_row(s) * g->ldc, *sine = g->sin + table_row(s) * g->lds;
    const size_t apart = s->fault == HALF_OF_HEAD ? g->d / 2 : half;
    for (size_t l = 0; l < half; l++) {
        const bool last = l + 1 == half;
        const size_t p = by_halves ? l : 2 * l, q = by_halves ? l + apart : 2 * l + 1;
        const size_t n = s->fault == NEXT_ANGLE && last && l > 0 ? l - 1 : l;
        float cf = s->fault == BRAIN_COSINE ? brain(c[n]) : c[n], sf = sine[n];
        if (s->fault == BACKWARD && last_head) sf = -sf;
        if (s->fault == SINE_FIRST && last_row) cf = sine[n], sf = c[n];
        const bool left =
            (s->fault == LAST_LEFT && last) || (s->fault == LAST_HEAD && last_head && g->heads > 1);
        y[p] = left ? x[p] : x[p] * cf - x[q] * sf;
        y[q] = left ? x[q] : x[q] * cf + (s->fault == HALF_WRITTEN ? y[p] : x[p]) * sf;
    }
}

static void turn_row(const spot *s, float *x)
{
    const ck_rope_args *g = s->g;
    float *y = g->y + s->h * g->head_y + s->i * g->ldy;
    const size_t rest = g->d - g->rotary, half = g->rotary / 2;
    if (g->d) memcpy(x, g->x + s->h * g->head_x + s->i * g->ldx, g->d * sizeof *x);
    if (half) turn_pairs(s, y, x, half);
    const bool copies = rest > 0 && s->fault != NOT_COPIED;
    if (copies) memcpy(y + g->rotary, x + g->rotary, rest * sizeof *y);
    if (s->fault == HALF_OF_HEAD && half && rest) turn_pairs(s, y, x, half);
    if (copies && s->fault == LAST_COPY) y[g->d - 1] = 0.0f;
    if (s->fault == REST_TURNED && half && rest >= g->rotary)
        turn_pairs(s, y + g->rotary, x + g->rotary, half);
    for (size_t j = g->d; j < g->cols; j++) y[j] = 0.0f;
}

static void turn(const void *args, turn_fault fault)
{
    const ck_rope_args *g = args;
    float *x = malloc((g->d + 1) * sizeof *x);
    for (size_t h = 0; x && h < g->heads; h++)
        for (size_t i = 0; i < g->t; i++) turn_row(&(spot){ g, h, i, fault }, x);
    free(x);
}

#define FAULT(name, f) \
    static void name(const void *args) { turn(args, f); }
FAULT(turn_own, TURN_RIGHT)
FAULT(other_pairing, OTHER_PAIRING)
FAULT(backward, BACKWARD)
FAULT(table_start, TABLE_START)
FAULT(row_before, ROW_BEFORE)
FAULT(half_written, HALF_WRITTEN)
FAULT(last_left, LAST_LEFT)
FAULT(last_head_left, LAST_HEAD)
FAULT(sine_first, SINE_FIRST)
FAULT(half_of_head, HALF_OF_HEAD)
FAULT(next_angle, NEXT_ANGLE)
FAULT(brain_cosine, BRAIN_COSINE)
FAULT(not_copied, NOT_COPIED)
FAULT(last_copy, LAST_COPY)
FAULT(rest_turned, REST_TURNED)
FAULT(by_head, BY_HEAD)
#undef FAULT

/* --- wrong arguments. */

static void position_ignored(const void *args)
{
    ck_rope_args g = *(const ck_rope_args *)args;
    g.pos0 = 0;
    hn_wrapped(&g);
}

static void table_tight(const void *args)
{
    ck_rope_args g = *(const ck_rope_args *)args;
    g.ldc = g.lds = g.rotary / 2;
    hn_wrapped(&g);
}

/* Sines are read by the rows of the cosines. */
static void one_stride(const void *args)
{
    ck_rope_args g = *(const ck_rope_args *)args;
    g.lds = g.ldc;
    hn_wrapped(&g);
}

/* Heads of x lie one after the other, whatever the caller says. */
static void head_major(const void *args)
{
    ck_rope_args g = *(const ck_rope_args *)args;
    if (g.head_x < g.ldx) {
        g.ldx = g.head_x;
        g.head_x = g.t * g.ldx;
    }
    hn_wrapped(&g);
}

static void all_turned(const void *args)
{
    ck_rope_args g = *(const ck_rope_args *)args;
    if (g.rotary + 2 <= g.d && g.rotary / 2 + 1 <= g.ldc && g.rotary / 2 + 1 <= g.lds)
        g.rotary += 2;
    hn_wrapped(&g);
}

static void two_less(const void *args)
{
    ck_rope_args g = *(const ck_rope_args *)args;
    g.rotary -= g.rotary > 2 ? 2 : 0;
    hn_wrapped(&g);
}

static void pad_unwritten(const void *args)
{
    ck_rope_args g = *(const ck_rope_args *)args;
    g.cols -= g.cols > g.d;
    hn_wrapped(&g);
}

static void pad_is_copied(const void *args)
{
    const ck_rope_args *g = args;
    hn_wrapped(args);
    if (g->cols > g->d && g->d > 0) {
        float *row = g->y + (g->heads - 1) * g->head_y + (g->t - 1) * g->ldy;
        row[g->cols - 1] = row[g->d - 1];
    }
}

#define ROW(ons, what, f, mode, by)                                   \
    {                                                                 \
        .name = what, .on = ons, .modes = mode, .fn = f, .checks = by \
    }
#define TABLE(name)      ROW("rope_cache_f32", #name, name, HN_IN_BOTH, HN_BY_NUMBERS)
#define TURNS            "rope_half_f32 rope_pair_f32"
#define TURN(name, by)   ROW(TURNS, #name, name, HN_IN_FAST, HN_BY_NUMBERS | (by))
#define AROUND(name, by) ROW(TURNS, #name, name, HN_IN_BOTH, by)
static const hn_mutant list[] = {
    ROW("rope_cache_f32", "own", table_own, HN_IN_FAST, 0),
    TABLE(float_angle),
    TABLE(float_frequency),
    TABLE(no_position),
    TABLE(one_further),
    TABLE(stale_row),
    TABLE(by_d),
    TABLE(by_half),
    TABLE(frequency_late),
    TABLE(swapped),
    TABLE(coarse_pi),
    TABLE(double_pi),
    TABLE(recurrence),
    TABLE(no_scaling),
    TABLE(scales_all),
    TABLE(scale_steps),
    TABLE(low_for_high),
    TABLE(radians_for_turns),
    TABLE(mixed_inverse),
    ROW("rope_cache_f32", "sines_tight", sines_tight, HN_IN_BOTH,
        HN_BY_NUMBERS | HN_BY(UNWRITTEN) | HN_BY(SLACK)),
    ROW("rope_cache_f32", "last_sine_unwritten", last_sine_unwritten, HN_IN_BOTH, HN_BY(UNWRITTEN)),
    ROW(TURNS, "own", turn_own, HN_IN_FAST, 0),
    TURN(other_pairing, 0),
    TURN(backward, 0),
    TURN(table_start, HN_BY(JUNK)),
    TURN(row_before, 0),
    TURN(half_written, 0),
    TURN(last_left, 0),
    TURN(last_head_left, 0),
    TURN(sine_first, 0),
    ROW("rope_half_f32", "half_of_head", half_of_head, HN_IN_FAST,
        HN_BY_NUMBERS | HN_BY(UNWRITTEN)),
    TURN(next_angle, 0),
    TURN(brain_cosine, 0),
    TURN(not_copied, HN_BY(UNWRITTEN)),
    TURN(last_copy, 0),
    TURN(rest_turned, 0),
    TURN(by_head, 0),
    AROUND(position_ignored, HN_BY_NUMBERS | HN_BY(JUNK)),
    AROUND(table_tight, HN_BY_NUMBERS | HN_BY(JUNK)),
    AROUND(one_stride, HN_BY_NUMBERS | HN_BY(JUNK) | HN_BY(GUARD)),
    AROUND(head_major, HN_BY_NUMBERS | HN_BY(JUNK)),
    AROUND(all_turned, HN_BY_NUMBERS | HN_BY(JUNK) | HN_BY(GUARD)),
    AROUND(two_less, HN_BY_NUMBERS),
    AROUND(pad_unwritten, HN_BY(UNWRITTEN)),
    AROUND(pad_is_copied, HN_BY_NUMBERS),
};
#undef ROW
#undef TABLE
#undef TURNS
#undef TURN
#undef AROUND

const hn_mutants hn_mutants_rope = { list, sizeof list / sizeof list[0] };
