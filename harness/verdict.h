/* SPDX-License-Identifier: MIT */
/* The closed lists of verdicts and checks. */
#ifndef HN_VERDICT_H
#define HN_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hn_verdict {
    HN_OK,
    HN_FAIL,
    HN_FAIL_EDGE, /* fails, but outside the subject's own contract */
    HN_CRASH,
    HN_HANG,
    HN_SKIP,
    HN_WEAK,  /* no fault could have been seen */
    HN_STALE, /* a stored case no longer makes its data */
    HN_VERDICT_COUNT
} hn_verdict;
extern const char *const hn_verdict_names[HN_VERDICT_COUNT];

/* In the order in which one is reported if several fail. */
typedef enum hn_check {
    HN_CHECK_NONE,
    HN_CHECK_HARNESS,   /* an exact fill was not exact, or a radius is not finite */
    HN_CHECK_GUARD,     /* touched an unmapped page beside an operand */
    HN_CHECK_CRASH,     /* any other signal */
    HN_CHECK_HANG,      /* did not return */
    HN_CHECK_ABI,       /* callee-saved register, stack, direction flag or upper halves */
    HN_CHECK_FPENV,     /* MXCSR control bits or x87 control word changed */
    HN_CHECK_SLACK,     /* wrote outside the output's elements */
    HN_CHECK_INPUT,     /* wrote to an input */
    HN_CHECK_UNWRITTEN, /* left output elements as they were */
    HN_CHECK_REPEAT,    /* the same call gave other bits */
    HN_CHECK_JUNK,      /* the result depends on memory that must not be read */
    HN_CHECK_PREFILL,   /* the result depends on the output's old contents */
    HN_CHECK_NAN,       /* NaN where the reference has none, or the reverse */
    HN_CHECK_VALUE,     /* further from the reference than its radius */
    HN_CHECK_ALIAS,     /* a permitted aliasing gave other bits */
    HN_CHECK_BATCH,     /* a row's bits depend on the batch size */
    HN_CHECK_THREADS,   /* the bits depend on the number of threads */
    HN_CHECK_STRICT,    /* strict bits differ between variants */
    HN_CHECK_ISA,       /* does not execute the instructions of its name */
    HN_CHECK_PROGRAM, /* a generated runtime is no such decoder: layout, steps, or does not compile */
    HN_CHECK_SEQUENCE, /* its calls, or how a text is cut into them: status, position, other bits */
    HN_CHECK_LOGITS,   /* its logits, against the whole decoder in double */
    HN_CHECK_COUNT
} hn_check;
extern const char *const hn_check_names[HN_CHECK_COUNT];

enum { HN_DETAIL_MAX = 1400, HN_WHAT_MAX = 160, HN_PATTERN_MAX = 240 };

/* What one variant did in one case. */
typedef struct hn_result {
    hn_verdict verdict;
    hn_check check;
    bool exact;             /* every compared output had radius 0 */
    double utilisation;     /* worst |error| / radius of the bounded outputs */
    uint32_t ran;           /* bit c: check c was made */
    uint64_t out, data;     /* digests of what a family that runs itself did, and of its data */
    char what[HN_WHAT_MAX]; /* one line: what went wrong, or why it was skipped */
    char pattern[HN_PATTERN_MAX]; /* what the wrong outputs have in common; on request */
    char cause[HN_WHAT_MAX];      /* the likely cause; on request */
    char detail[HN_DETAIL_MAX];   /* got, wanted, radius, hexdump */
} hn_result;

#endif
