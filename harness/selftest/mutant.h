/* SPDX-License-Identifier: MIT */
/* A deliberately wrong kernel: what it does, and by which check it must be caught. */
#ifndef HN_MUTANT_H
#define HN_MUTANT_H

#include "../family.h"
#include "../verdict.h"

/* The ops that every fault of position, memory and machine is planted in, one of each family; those
 * of them whose outputs are floats; those with several rows, that is with leading dimensions. */
#define HN_ON_ROWS                                                                                 \
    "attention_f32 gemm_??_f32 gemm_nt_q8_0_q8_0 gemm_nt_q4_kx8_q8_k gemm_nt_q4_k_f32 "            \
    "gemm_nt_silu_f32 "                                                                            \
    "gemm_nt_swiglu_f32 softmax_causal_f32 rmsnorm_f32 layernorm_f32 rope_half_f32 embedding_f32 " \
    "swiglu_f32"
#define HN_ON_F32 HN_ON_ROWS " gemv_f32 exp_f32 dequant_row_q8_0"
#define HN_ON_ALL HN_ON_F32 " quantize_row_q8_0 pack_q4_k_q4_kx8 gemm_nt_uint8_int8_i32"

enum { HN_IN_FAST = 1, HN_IN_STRICT = 2, HN_IN_BOTH = 3 };

/* How a mutant is presented to the harness. */
typedef enum hn_stage {
    HN_BY_CASES, /* the op's cases of the smoke suite, one after the other */
    HN_BY_TRACE, /* hn_run_all with the proof of instructions */
    HN_BY_RUN    /* hn_run_all, for what takes its process down: the run must go on */
} hn_stage;

typedef struct hn_mutant {
    const char *name;
    const char *on; /* patterns of stems between spaces; after ! stems that are none of them */
    unsigned modes;
    ck_fn *fn;              /* NULL: that of the kernel it wraps */
    ck_threads_fn *threads; /* the same */
    unsigned checks;        /* bit c: check c may report it; 0: nothing may */
    hn_stage stage;
    const ck_numspec *spec;     /* NULL: of the kernel it wraps */
    const char *isa;            /* that it claims to be; NULL: "mutant" */
    const char *wraps;          /* isa of the kernel that it wraps; NULL: scalar */
    const char *(*lacks)(void); /* why it cannot be shown here; NULL: it can */
} hn_mutant;

#define HN_BY(check) (1u << HN_CHECK_##check)
/* Wrong numbers, whatever they are: a NaN among them, or strict bits that are within the bound. */
#define HN_BY_NUMBERS (HN_BY(VALUE) | HN_BY(NAN) | HN_BY(STRICT))
/* Other bits in a smaller call: of one row, or of one thread's part. */
#define HN_BY_PARTS (HN_BY(BATCH) | HN_BY(THREADS))

typedef struct hn_mutants {
    const hn_mutant *list;
    size_t count;
} hn_mutants;
extern const hn_mutants *const hn_mutant_lists[]; /* NULL after the last */

/* Whether a mutant is planted in that op. */
bool hn_mutant_on(const hn_mutant *m, const char *stem);
/* gemm_nt_f32.last_row.fast */
void hn_mutant_name(const hn_mutant *m, const char *stem, bool strict, char *name, size_t size);
const ck_kernel *hn_find_kernel(const ck_subject *subject, const char *stem, const char *isa);
/* The kernel with the mutant in one of its modes, and from now on what the mutant wraps. */
ck_kernel hn_plant(const hn_mutant *m, const ck_kernel *wrapped, bool strict);

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

/* Set by hn_plant: the op, the kernel it wraps, its fast mode, its threads, how to see its arguments, and the
 * first and the second format, the only one twice, that the op is named after, but for f32. */
extern const char *hn_wrapped_stem;
extern ck_fn *hn_wrapped, *hn_wrapped_fast;
extern ck_threads_fn *hn_wrapped_threads;
extern hn_view_fn *hn_viewer;
extern const hn_dtype_info *hn_block, *hn_second_block;
/* How to see the arguments of an op. */
hn_view_fn *hn_view_for(const char *stem);

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

/* Element i from p on in the format that the op is named after: f32, f16 or bf16. */
float hn_element(const void *p, size_t i);
/* The same, rounded to nearest even. */
void hn_set_element(void *p, size_t i, float x);
/* The bits of x, rounded to nearest even, in a format of 16 bits, and what they stand for. */
uint16_t hn_short_bits(const hn_dtype_info *info, float x);
float hn_short_value(const hn_dtype_info *info, uint16_t bits);

/* Makes a unit wrong beyond any radius: a number becomes huge, unless it is huge already or none; of
 * a block, the last code changes. */
void hn_spoil(const hn_seen *o, size_t row, size_t col);

#endif
