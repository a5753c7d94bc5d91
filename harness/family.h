/* SPDX-License-Identifier: MIT */
/* What a family of kernels (those that share an argument struct) tells the generic machinery. */
#ifndef HN_FAMILY_H
#define HN_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "case.h"
#include "ck_subject.h"
#include "dtype.h"
#include "ref.h"

/* Dimensions are always printed and drawn; other options only where not the default. A real option with
 * least < most has these limits too. A word is one of the family's, least to most. A text is a list of
 * words of letters and digits between commas, printed if there is one; a family has at most one such
 * key. */
typedef enum hn_kind { HN_DIM, HN_INT, HN_REAL, HN_WORD, HN_TEXT } hn_kind;
/* As a multiple: whole blocks of every operand. */
enum { HN_BLOCKS = -1 };
typedef struct hn_key {
    const char *name;
    hn_kind kind;
    int64_t least, most,
        multiple;      /* of a dimension, integer option or word; HN_BLOCKS, the least being
                                      rounded up to one */
    double def;        /* default of an option */
    int64_t draw_most; /* random cases stay at or below this */
} hn_key;

/* What an operand's numbers mean, hence what each fill puts there. */
typedef enum hn_role {
    HN_ROLE_OUTPUT, /* written by the kernel, and filled by nobody */
    HN_ROLE_LEFT,   /* first factor of a product; an activation */
    HN_ROLE_RIGHT,  /* second factor; a weight */
    HN_ROLE_ADDEND, /* added to a sum of products */
    HN_ROLE_SCORE,  /* logits of a softmax row */
    HN_ROLE_QUERY,  /* first factor of attention's scores */
    HN_ROLE_KEY,    /* the second */
    HN_ROLE_ARG,    /* argument of a unary function */
    HN_ROLE_VALUE   /* copied, converted or quantised; ids */
} hn_role;

typedef struct hn_operand {
    const char *name;
    hn_dtype dtype; /* or HN_TYPE_0 ...: hn_operand_dtype() tells */
    hn_role role;
    bool has_ld; /* key "ld" + name exists */
} hn_operand;

/* Units of an operand: rows of cols units each. rows = 0: not passed (NULL). */
typedef struct hn_extent {
    size_t rows, cols;
    size_t
        batch_rows; /* rows (of an operand that lies down, columns) that belong to one step of the
                          batch dimension; 0: shared by all */
} hn_extent;

/* Room for the argument struct of any family. */
enum { HN_ARGS_MAX = 256 };

enum {
    HN_SIGNED_ZERO = 1u << 0, /* zeros must have the reference's sign */
    HN_WHOLE_ROWS = 1u << 1,  /* the reference evaluates whole rows only */
    HN_FP_MODES = 1u << 2,    /* fast variants have radii under directed rounding */
    HN_INT8_PRODUCTS = 1u << 3,
    HN_GATED = 1u << 4,   /* sums go through an activation */
    HN_NUMBERS = 1u << 5, /* outputs of 16 bits are compared as numbers, not as bits */
    HN_DIVIDED = 1u << 6  /* entries divide calls among threads: cases may have thr= */
};

struct hn_session;
struct hn_result;
typedef struct hn_family {
    const char *name;
    const hn_key *keys;
    const char *const *words;   /* what keys of kind HN_WORD number */
    const hn_operand *operands; /* 0 is the first output, the only one that may be an input, too */
    size_t nkeys, noperands;
    int batch_key;          /* the batch dimension, -1: none */
    unsigned fills;         /* bit f: fill f means something here */
    unsigned element_fills; /* of these, those that mean nothing where a unit is a block */
    unsigned exact_fills; /* bit f: fill f must give radius 0 everywhere, or the harness is wrong */
    unsigned flags;
    void (*extents)(const hn_case *c, hn_extent *extents);
    /* Live units of a row, the rest is junk to the kernel, or, of the output, canary, where the
     * reference says REF_ANY of a NaN; NULL: all. */
    size_t (*live)(const hn_case *c, size_t operand, size_t row);
    /* Whether f32 outputs are copies, which the reference gives, and the comparison takes, as their bits;
     * NULL: never. */
    bool (*copies)(const hn_case *c);
    /* Whether sums run down the columns of the operand, where fills then put what they put into rows
     * otherwise; NULL: never. */
    bool (*down)(const hn_case *c, size_t operand);
    /* Writes the live elements of a row of an f32 operand, or what one of 16 bits is rounded from, where
     * a fill means something of its own for the family, and says so; NULL: nowhere. */
    bool (*fill)(const hn_case *c, size_t operand, size_t row, hn_rng *rng, float *x, size_t n);
    /* Writes the live elements of a row of an i32 operand; NULL: the family has none. */
    void (*ids)(const hn_case *c, size_t operand, size_t row, hn_rng *rng, int32_t *x, size_t n);
    /* Whether an exact fill must give radius 0 with the options of the case; NULL: hn_plain_factors. */
    bool (*exact)(const hn_case *c);
    /* Terms summed into one output. */
    size_t (*terms)(const hn_case *c);
    /* Products added up in one call, of f32 or HN_INT8_PRODUCTS; NULL: the op is none of products. */
    double (*products)(const hn_case *c);
    /* NULL, or why no kernel need take this case ("cols must be at least T"). */
    const char *(*refuse)(const hn_case *c);
    /* Draws the family's keys that are not in `fixed`, where they depend on each other; NULL: each by
     * itself. */
    void (*draw)(hn_case *c, hn_rng *rng, hn_fixed fixed);
    /* Runs the case on its variants, for what is no kernel: results as of hn_group_run, which calls it
     * and has dealt with variants that are not admitted. Such a family has no operands, and its cases
     * are for `run`, `shrink`, `digest` and `trace` alone. NULL: operands are placed and a kernel is called. */
    void (*run)(const struct hn_session *session, struct hn_result *results);
    void (*kernel_args)(const hn_case *c, void *const *at, const size_t *ld, void *args);
    void (*ref_args)(const hn_case *c, void *const *at, const size_t *ld, void *args);
    /* Tells the reference which output its tiles are of; NULL: there is but one. */
    void (*select)(void *args, size_t operand);
    /* The kernel's arguments as C: a definition of `args`, operand i at at[i]; and their header. */
    void (*emit_args)(const hn_case *c, const size_t *ld, FILE *out);
    const char *header;
} hn_family;

/* One op: a row CK_OP of kernels.def. */
typedef struct hn_op {
    const char *stem;
    const hn_family *family;
    ref_fn *ref;
    const char *types; /* the formats of its name: "q8_0_q8_0" */
} hn_op;
extern const hn_op hn_ops[];
extern const size_t hn_op_count;
/* The generated runtime, which is an op of cases but none of kernels.def: it stands behind the count. */
extern const hn_op *const hn_op_runtime;
const hn_op *hn_op_find(const char *stem);
/* The format of operand i. */
hn_dtype hn_operand_dtype(const hn_op *op, size_t i);
static inline bool hn_is_output(const hn_op *op, size_t i)
{
    return op->family->operands[i].role == HN_ROLE_OUTPUT;
}
/* Bit f: fill f means something for the op. */
unsigned hn_op_fills(const hn_op *op);
/* What the values of key i are multiples of, >= 1. */
int64_t hn_key_unit(const hn_op *op, size_t i);
/* Their least. */
int64_t hn_key_least(const hn_op *op, size_t i);

/* The key of the last dimension, that of a row or of a sum; the family has one. */
size_t hn_last_dim(const hn_op *op);

/* Exact fills leave room for factors that are quarters, of magnitude up to 4. */
bool hn_plain_factors(const hn_case *c);
/* Whether an exact fill must give radius 0 with the options of this case. */
static inline bool hn_must_be_exact(const hn_case *c)
{
    return c->op->family->exact ? c->op->family->exact(c) : hn_plain_factors(c);
}

/* Whether the case's f32 outputs are compared as bits. */
static inline bool hn_copies(const hn_case *c)
{
    return c->op->family->copies && c->op->family->copies(c);
}

/* The reference's arguments for an output. */
static inline void hn_ref_args(const hn_case *c, size_t operand, void *const *at, const size_t *ld,
                               void *args)
{
    c->op->family->ref_args(c, at, ld, args);
    if (c->op->family->select) c->op->family->select(args, operand);
}

static inline bool hn_down(const hn_case *c, size_t operand)
{
    const hn_family *family = c->op->family;
    return family->down && family->down(c, operand);
}

/* Units from one step of the batch dimension to the next. */
static inline size_t hn_batch_step(const hn_case *c, size_t operand, const hn_extent *extent,
                                   size_t ld)
{
    return extent->batch_rows * (hn_down(c, operand) ? 1 : ld);
}

/* Leading dimension in force: the case's, or the row itself. */
static inline size_t hn_ld(const hn_case *c, size_t operand, const hn_extent *extent)
{
    return c->ld[operand] ? c->ld[operand] : extent->cols;
}

#endif
