/* SPDX-License-Identifier: MIT */
/* A deliberately wrong kernel: what it does, and by which check it must be caught. */
#ifndef HN_MUTANT_H
#define HN_MUTANT_H

#include "../family.h"
#include "../verdict.h"

/* The ops a mutant is made for. */
enum {
    HN_ON_GEMM_NT = 1 << 0,
    HN_ON_GEMM_Q = 1 << 1,
    HN_ON_SOFTMAX = 1 << 2,
    HN_ON_EXP = 1 << 3,
    HN_ON_QUANTIZE = 1 << 4,
    HN_ON_DEQUANT = 1 << 5,
    HN_ON_GEMM_NN = 1 << 6,
    HN_ON_GEMM_TN = 1 << 7,
    HN_ON_GEMV = 1 << 8,
    HN_ON_OPS = 9,
    HN_ON_ALL = (1 << HN_ON_OPS) - 1,
    HN_ON_GEMM = HN_ON_GEMM_NT | HN_ON_GEMM_NN | HN_ON_GEMM_TN,
    /* outputs are floats; several rows; operands with leading dimensions */
    HN_ON_F32 = HN_ON_ALL & ~HN_ON_QUANTIZE,
    HN_ON_ROWS = HN_ON_GEMM | HN_ON_GEMM_Q | HN_ON_SOFTMAX
};

enum { HN_IN_FAST = 1, HN_IN_STRICT = 2, HN_IN_BOTH = 3 };

/* How a mutant is presented to the harness. */
typedef enum hn_stage {
    HN_BY_CASES, /* the op's cases of the smoke suite, one after the other */
    HN_BY_TRACE, /* hn_run_all with the proof of instructions */
    HN_BY_RUN    /* hn_run_all, for what takes its process down: the run must go on */
} hn_stage;

typedef struct hn_mutant {
    const char *name;
    unsigned on, modes;
    ck_fn *fn;
    unsigned checks; /* bit c: check c may report it; 0: nothing may */
    hn_stage stage;
    const ck_numspec *spec;     /* NULL: of the kernel it wraps */
    const char *isa;            /* that it claims to be; NULL: "mutant" */
    const char *wraps;          /* isa of the kernel that it wraps; NULL: scalar */
    const char *(*lacks)(void); /* why it cannot be shown here; NULL: it can */
} hn_mutant;

#define HN_BY(check) (1u << HN_CHECK_##check)
/* Wrong numbers, whatever they are: a NaN among them, or strict bits that are within the bound. */
#define HN_BY_NUMBERS (HN_BY(VALUE) | HN_BY(NAN) | HN_BY(STRICT))

/* The lists, each of `count` mutants. */
typedef struct hn_mutants {
    const hn_mutant *list;
    size_t count;
} hn_mutants;
extern const hn_mutants hn_mutants_position, hn_mutants_memory, hn_mutants_machine;
extern const hn_mutants hn_mutants_gemm, hn_mutants_gemv, hn_mutants_gemm_q, hn_mutants_softmax,
    hn_mutants_quant;

/* An operand as the kernel sees it: rows of units. Row r has r % period + 1 live units, or cols of
 * them if period is 0. */
typedef struct hn_seen {
    unsigned char *at;
    size_t rows, cols, ld, unit, period;
} hn_seen;

/* The operands of one call, 0 the output; at NULL: not passed. */
typedef struct hn_view {
    hn_seen of[HN_MAX_OPERANDS];
} hn_view;
typedef void hn_view_fn(const void *args, hn_view *view);

/* By bit of HN_ON_: stem and view. */
typedef struct hn_target {
    const char *stem;
    hn_view_fn *view;
} hn_target;
extern const hn_target hn_targets[HN_ON_OPS];

/* Set before a mutant runs: its op, the kernel it wraps, its fast mode, and how to see its arguments.
 */
extern unsigned hn_wrapped_on;
extern ck_fn *hn_wrapped, *hn_wrapped_fast;
extern hn_view_fn *hn_viewer;

static inline hn_view hn_view_of(const void *args)
{
    hn_view view = { 0 };
    hn_viewer(args, &view);
    return view;
}

static inline size_t hn_seen_live(const hn_seen *o, size_t row)
{
    return o->period ? row % o->period + 1 : o->cols;
}

static inline unsigned char *hn_seen_at(const hn_seen *o, size_t row, size_t col)
{
    return o->at + (row * o->ld + col) * o->unit;
}

/* Makes a unit wrong beyond any radius: a number becomes huge, unless it is huge already or none; of
 * a block, the last code changes. */
void hn_spoil(const hn_seen *o, size_t row, size_t col);

#endif
