/* SPDX-License-Identifier: MIT */
/* The numerical promises of one kernel variant. Plain data, no includes: the one header that the
 * references share with the kernels. A wrong promise is caught (a census audits the budgets, a
 * stagnation fill audits the height), a loose one shows as low utilisation. */
#ifndef CK_NUMSPEC_H
#define CK_NUMSPEC_H

/* How a sum of n terms is ordered. Term i belongs to vector i / lanes. The main part takes
 * lanes * accs terms a step, vector v going to accumulator v mod accs. The whole vectors left over
 * by the main part go to accumulator 0, in order. The last n mod lanes terms go, by `tail`,
 *   CK_TAIL_LANE    to lanes 0, 1, ... of accumulator 0, after every whole vector;
 *   CK_TAIL_SCALAR  one by one, ascending, to the sum that the trees below have made.
 * Accumulators, then lanes, are added up by `tree`:
 *   CK_TREE_HALVING s[l] += s[l + h] for h = count/2, count/4, ..., 1 (count a power of two);
 *   CK_TREE_SEQ     ((s[0] + s[1]) + s[2]) + ...
 * With lanes = 1 and accs = 1 this is one ascending chain. With kc != 0 the sum is cut into chunks
 * of kc terms, each summed as above, and the chunk sums are added in one ascending chain. */
enum { CK_TAIL_LANE, CK_TAIL_SCALAR };
enum { CK_TREE_HALVING, CK_TREE_SEQ };

/* A spec without a flag promises more: FMA where a product is added, correctly rounded division
 * and square root are promised by their flags, gradual underflow by the absence of CK_NUM_FTZ. */
enum {
    CK_NUM_MULADD = 1u << 0,            /* products are rounded before they are added (no FMA) */
    CK_NUM_TRUE_DIV = 1u << 1,          /* every division is one IEEE division */
    CK_NUM_TRUE_SQRT = 1u << 2,         /* every square root is one IEEE square root */
    CK_NUM_MIN_FACTORED = 1u << 3,      /* block minimums are summed apart from the scaled codes */
    CK_NUM_ONEPASS_VAR = 1u << 4,       /* variance as E[x^2] - mean^2 */
    CK_NUM_ONLINE = 1u << 5,            /* online softmax: rescales at each new maximum */
    CK_NUM_LSE_FORM = 1u << 6,          /* probabilities as exp(x - LSE), no division */
    CK_NUM_FTZ = 1u << 7,               /* tolerated: results flushed to zero */
    CK_NUM_DAZ = 1u << 8,               /* tolerated: operands flushed to zero */
    CK_NUM_BATCH_INVARIANT = 1u << 9,   /* a batch row's bits, NaNs apart, do not depend on the
                                           batch size */
    CK_NUM_THREAD_INVARIANT = 1u << 10, /* bits do not depend on the thread count */
    CK_NUM_TIE_EITHER = 1u << 11,       /* quantisers: either code within 4u|t| of a tie */
    CK_NUM_INT_STRIDES = 1u << 12       /* its interface takes strides below 2^31 only */
};

typedef struct ck_numspec {
    unsigned lanes; /* partial sums of one accumulator; 0: order not promised, any order may come */
    unsigned accs;  /* accumulators, >= 1 */
    unsigned tail, tree;
    unsigned kc;              /* terms of one chunk of the sum; 0: no chunks */
    unsigned mr, nr, ku;      /* register tile and unroll, in rows, columns and terms: the harness
                                counts residues and pairs modulo these; 0 and 1 mean none */
    unsigned flags;           /* CK_NUM_* */
    double rexp, rlog, rtanh; /* relative error budgets, in u = 2^-24; 0: not used */
    double rerf, rrsqrt;
    double exp_zero_below; /* exp(x) is exactly 0 for x below this, and nowhere else */
    unsigned max_rescale;  /* CK_NUM_ONLINE: most rescales of one row */
    unsigned alias;        /* bit i: the output may be the very buffer of operand i */
    unsigned align;        /* bytes every pointer must be aligned to; 0: the element's own */
    unsigned k_multiple;   /* the reduced dimension is a multiple of this; 0: any */
    unsigned long (*workspace)(
        const void *args); /* scratch of the caller: NULL, as no family has any */
} ck_numspec;

#endif
