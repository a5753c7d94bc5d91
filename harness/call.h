/* SPDX-License-Identifier: MIT */
/* The checked call: a kernel is called with sentinels in every callee-saved register and a canary
 * above its frame; a signal or a hang comes back as a result. */
#ifndef HN_CALL_H
#define HN_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "ck_subject.h"

/* Shared with call_x86_64.S, which knows the offsets. */
typedef struct hn_probe {
    uint32_t mxcsr_in, mxcsr_out;
    uint16_t fcw_in, fcw_out;
    uint32_t damage;     /* HN_DAMAGE_* */
    uint32_t vzeroupper; /* non-zero: clear the upper halves before the call */
    uint32_t poison;     /* word that the lower halves and the stack below are filled with */
    uint32_t depth;      /* of that stack, in words */
} hn_probe;

enum {
    HN_DAMAGE_RBX = 1 << 0,
    HN_DAMAGE_RBP = 1 << 1,
    HN_DAMAGE_R12 = 1 << 2,
    HN_DAMAGE_R13 = 1 << 3,
    HN_DAMAGE_R14 = 1 << 4,
    HN_DAMAGE_R15 = 1 << 5,
    HN_DAMAGE_STACK = 1 << 6,
    HN_DAMAGE_DF = 1 << 7,
    HN_DAMAGE_YMM = 1 << 8, /* returned without vzeroupper */
    HN_DAMAGE_X87 = 1 << 9  /* values left in x87 or MMX registers */
};

typedef enum hn_how { HN_RETURNED, HN_SIGNALLED, HN_HUNG } hn_how;

typedef struct hn_outcome {
    hn_how how;
    int signal;
    const void *address; /* of the fault; NULL too where the CPU gives none */
    const void *pc;      /* of the instruction that faulted */
    uint32_t damage;
    uint32_t mxcsr_in, mxcsr_out;
    uint16_t fcw_in, fcw_out;
} hn_outcome;

/* Installs the handlers and the 100 ms tick on the process's CPU time. Call once in each process. */
void hn_call_init(void);
/* Leaves faults to the debugger. */
void hn_call_disarm(void);

/* From the next call on: what kernels find in vector registers and on the stack, and how many words
 * of it. */
void hn_call_poison(uint32_t word, uint32_t depth);

/* Whether the calls that follow run in several threads. What stops or hangs cannot be left then, since the
 * others may still be at it: it ends the process, by its signal or by SIGALRM. */
void hn_call_threads(bool several);

/* Calls fn(args) under the given MXCSR. Gives up after `ticks` tenths of a CPU second. */
void hn_call(ck_fn *fn, const void *args, uint32_t mxcsr, unsigned ticks, hn_outcome *outcome);

/* Which classes of vector instruction fn(args) executes, seen by single-stepping it. */
typedef struct hn_trace {
    unsigned long steps;
    unsigned long scalar_fp, packed_sse, vex_128, vex_256, evex_512, evex_other, dot_product;
    bool complete; /* it returned within the step limit */
} hn_trace;
/* Counts the instruction whose bytes start at `code`, of which 16 can be read. */
void hn_trace_count(hn_trace *trace, const unsigned char *code);
void hn_call_traced(ck_fn *fn, const void *args, unsigned long limit, hn_trace *trace);

/* "rbx r12 stack", for a message. */
void hn_damage_text(uint32_t damage, char *text, unsigned size);

#endif
