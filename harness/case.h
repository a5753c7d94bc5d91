/* SPDX-License-Identifier: MIT */
/* A case: one line of text from which shape, placement, data and poison all follow.
 * Grammar and key order: docs/cases.md. */
#ifndef HN_CASE_H
#define HN_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "rng.h"

enum {
    HN_MAX_KEYS = 48,
    HN_MAX_OPERANDS = 6,
    HN_LINE_MAX = 512,
    HN_ISA_MAX = 24,
    HN_TEXT_MAX = 120,
    HN_FILE_MAX = 200
};

/* Version of the data generator; a stored case of another version is STALE. */
enum { HN_GEN = 1 };

typedef enum hn_mode { HN_BOTH, HN_FAST, HN_STRICT } hn_mode;

typedef enum hn_fill {
    HN_FILL_UNIT,       /* uniform in (-1, 1), full significands */
    HN_FILL_INT,        /* small integers: every partial sum is exact */
    HN_FILL_POW2,       /* signed powers of two, exact as well */
    HN_FILL_PROBE,      /* one non-zero term a row: the result is a copy of one element */
    HN_FILL_CANCEL,     /* pairs that nearly cancel */
    HN_FILL_WIDE,       /* magnitudes over forty binades */
    HN_FILL_DENORMAL,   /* products and operands in the subnormal range */
    HN_FILL_STAGNATION, /* one large term, then terms of half an ulp: attains the height */
    HN_FILL_EDGE,       /* NaN, infinities, zeros of both signs, extremes */
    HN_FILL_SAT,        /* extreme codes in runs: what narrow accumulators cannot hold */
    HN_FILL_CENSUS,     /* bit patterns in order: 2^16 seeds cover all of them */
    HN_FILL_COUNT,
    HN_FILL_FILE = HN_FILL_COUNT /* captured operands, admitted everywhere and never drawn */
} hn_fill;
extern const char *const hn_fill_names[HN_FILL_COUNT];

/* Where an operand lies in its guarded slot: end or start flush with an unmapped page, or in the
 * middle, `offset` times its alignment from a 64-byte boundary. */
typedef enum hn_edge { HN_END, HN_START, HN_MIDDLE } hn_edge;
typedef struct hn_place {
    hn_edge edge;
    unsigned offset;
} hn_place;

/* The caller's floating-point environment. */
typedef enum hn_fp {
    HN_FP_NEAREST,
    HN_FP_DOWN,
    HN_FP_UP,
    HN_FP_ZERO,
    HN_FP_FTZ,
    HN_FP_COUNT
} hn_fp;
extern const char *const hn_fp_names[HN_FP_COUNT];

struct hn_op;
typedef struct hn_case {
    const struct hn_op *op;
    char isa[HN_ISA_MAX]; /* "": every variant */
    hn_mode mode;
    unsigned gen;
    int64_t num[HN_MAX_KEYS];   /* the family's integer keys and words, by index */
    double real[HN_MAX_KEYS];   /* and its real ones */
    char text[HN_TEXT_MAX];     /* of its one textual key; zeros behind */
    size_t ld[HN_MAX_OPERANDS]; /* units; 0: as tight as the row */
    hn_place at[HN_MAX_OPERANDS];
    unsigned threads; /* beside one call, another by so many; 1: none; 0: free to be drawn */
    hn_fp fp;
    hn_fill fill;
    char file[HN_FILE_MAX]; /* HN_FILL_FILE: their folder */
    uint64_t file_hash;     /* and what they hash to */
    uint32_t seed;
} hn_case;

/* Reads a case line. Returns 0, or -1 with one line in `error` that names key, value and limit. */
int hn_case_parse(hn_case *c, const char *line, char *error, size_t size);
/* Writes the canonical line (parse(print(c)) == c, print(parse(s)) == s for canonical s). Returns its
 * length; `size` >= HN_LINE_MAX always suffices. */
size_t hn_case_print(const hn_case *c, char *line, size_t size);
/* A case of `op` with every dimension at its least and every other key at its default. */
void hn_case_init(hn_case *c, const struct hn_op *op);
/* 0 if the family has this fill and the key's value is in range; for one key of a suite line. */
int hn_case_check_key(const hn_case *c, const char *key, char *error, size_t size);
/* 0 if family and formats admit the case, else -1 with one line in `error`. */
int hn_case_check(const hn_case *c, char *error, size_t size);
/* Which keys are given: bit i: key i; behind them the bits below. */
typedef uint64_t hn_fixed;
#define HN_FIXED(i)   ((hn_fixed)1 << (i))
#define HN_FIXED_LD   HN_FIXED(HN_MAX_KEYS)
#define HN_FIXED_AT   HN_FIXED(HN_MAX_KEYS + 1)
#define HN_FIXED_FP   HN_FIXED(HN_MAX_KEYS + 2)
#define HN_FIXED_FILL HN_FIXED(HN_MAX_KEYS + 3)
/* Draws the keys that are not in `fixed` from c->seed. */
void hn_case_draw(hn_case *c, hn_fixed fixed);
/* Sets key=value; used by the parser and by suites. Returns 0, or -1 with one line in `error`;
 * *fixed gains the key's bit. */
int hn_case_set(hn_case *c, const char *key, const char *value, hn_fixed *fixed, char *error,
                size_t size);

#endif
