/* SPDX-License-Identifier: MIT */
/* What the files of the generic run share: the runner, and the case that it has in hand. */
#ifndef HN_RUNNER_H
#define HN_RUNNER_H

#include "../group.h"
#include "../memory.h"

/* Tiles of one output, of all. */
enum { HN_TILES_EACH = 8, HN_TILES_MAX = 4 * HN_TILES_EACH };

/* What a call did to memory and to the machine. */
typedef struct hn_trail {
    hn_outcome outcome;
    bool input_changed;
    const unsigned char *overwrite; /* beside that output; NULL: nowhere */
    size_t overwritten;
} hn_trail;

/* A call by several threads. */
typedef struct hn_crew {
    ck_threads_fn *run;
    ck_fn *fn;
    const ck_numspec *spec;
    const void *args;
    unsigned threads;
} hn_crew;

struct hn_runner {
    hn_slot slots[HN_MAX_OPERANDS];
    unsigned char *kept[HN_MAX_OPERANDS]; /* inputs and their surroundings as they must stay */
    size_t kept_bytes[HN_MAX_OPERANDS];
    void *args;
    hn_crew crew;
    unsigned char *saved; /* each variant's outputs of the first pass, packed */
    size_t saved_bytes;
    unsigned char *packed; /* outputs of the call just made */
    size_t packed_bytes;
    double *cells; /* v, term, e of one tile */
    size_t ncells;
    size_t *live[HN_MAX_OPERANDS];
    size_t nlive[HN_MAX_OPERANDS];
    bool explain;
    unsigned ticks_most;     /* 0: no limit of its own */
    char stale[HN_WHAT_MAX]; /* why captured operands are not those of the case; "" */
    hn_announce *announce;
    void *announce_context;

    /* of the case in hand */
    const hn_plan *plan;
    const hn_case *c;
    const hn_family *family;
    hn_extent extents[HN_MAX_OPERANDS];
    hn_placed placed[HN_MAX_OPERANDS];
    size_t ld[HN_MAX_OPERANDS];
    size_t out_from[HN_MAX_OPERANDS]; /* where an output begins among the packed ones */
    size_t out_bytes;                 /* of all of them */
    unsigned ticks;
    hn_tile tiles[HN_TILES_MAX];
    size_t ntiles;
    ref_spec specs[HN_MAX_VARIANTS];
    bool power[HN_MAX_VARIANTS];
};

static inline const size_t *live_of(const hn_runner *r, size_t i)
{
    return r->family->live ? r->live[i] : NULL;
}

static inline bool is_output(const hn_runner *r, size_t i) { return hn_is_output(r->c->op, i); }

/* Whether it is an output that the case has. */
static inline bool is_written(const hn_runner *r, size_t i)
{
    return r->placed[i].at && is_output(r, i);
}

static inline const hn_dtype_info *format_of(const hn_runner *r, size_t i)
{
    return &hn_dtypes[hn_operand_dtype(r->c->op, i)];
}

/* Of an output or input, without what lies between its rows. */
static inline size_t packed_bytes(const hn_placed *p) { return p->rows * p->cols * p->unit; }

static inline ck_fn *entry(const hn_variant *v)
{
    return v->strict ? v->kernel->fn_strict : v->kernel->fn;
}

/* Memory of at least `want` units; what was there is gone. */
static inline void *hn_grow(void *memory, size_t *have, size_t want, size_t unit)
{
    if (*have >= want) return memory;
    free(memory);
    *have = want;
    return hn_checked(malloc(want * unit));
}

/* --- operands.c: memory and what is in it */

/* Places and fills the operands of the case. -1: no memory. */
int hn_runner_set_up(hn_runner *r, const hn_plan *plan, const hn_case *c);
/* Junk wherever an input must not be read. */
void hn_runner_set_junk(hn_runner *r, hn_pattern junk);
/* What outputs hold before a call. */
void hn_runner_set_prefill(const hn_runner *r, hn_pattern prefill);
bool hn_runner_inputs_changed(const hn_runner *r);
/* The outputs as they are, into r->packed. */
void hn_runner_pack(hn_runner *r);
/* Writes the inputs anew after a kernel that changed them, so that nobody else is blamed. */
void hn_runner_repair(hn_runner *r, const hn_trail *t, hn_pattern junk);

/* --- calls.c: calls, and all that is checked of them but values */

/* A call of a case on operands of one's own, of the case in hand, and that by its threads; outputs
 * are left in r->packed. */
void hn_runner_call(hn_runner *r, const hn_variant *v, const hn_case *c, void *const *at,
                    const size_t *ld, hn_trail *t);
void hn_runner_call_plain(hn_runner *r, const hn_variant *v, hn_pattern prefill, hn_trail *t);
void hn_runner_call_crew(hn_runner *r, const hn_variant *v, hn_trail *t);
/* Records what is wrong. Returns false if the outputs mean nothing. */
bool hn_runner_check_trail(const hn_runner *r, const hn_trail *t, hn_result *result);

/* --- bits.c: outputs of one call against those of another */

/* Junk A, prefill A, outputs saved; then junk B, prefill B, and the bits must be the same. */
void hn_runner_first_pass(hn_runner *r, hn_result *results);
void hn_runner_second_pass(hn_runner *r, hn_result *results);
/* One step of the batch dimension by itself; several threads; outputs that are inputs: the same bits. */
void hn_runner_check_batch(hn_runner *r, size_t variant, hn_result *result);
void hn_runner_check_threads(hn_runner *r, size_t variant, hn_result *result);
void hn_runner_check_alias(hn_runner *r, size_t variant, hn_result *result);
/* Strict bits of every variant are those of the first. */
void hn_runner_check_strict(hn_runner *r, hn_result *results);

/* --- values.c: outputs against the reference */

void hn_runner_set_tiles(hn_runner *r);
void hn_runner_compare(hn_runner *r, const hn_tile *tile, hn_result *results);

#endif
