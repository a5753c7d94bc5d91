/* SPDX-License-Identifier: MIT */
/* One runtime under one instruction set in one mode, through all calls of a case. */
#ifndef HN_RUNTIME_TRIAL_H
#define HN_RUNTIME_TRIAL_H

#include "../group.h"
#include "program.h"
#include "stage.h"

/* What all trials of a case share. */
typedef struct hn_rt_subject {
    const hn_case *c;
    const ck_program *program;
    const hn_rt_api *api;
    hn_rt_decoder *d;
    size_t ncalls;
    hn_rt_call calls[HN_RT_CALLS_MAX];
    unsigned char *image[2]; /* the arena with weights; what must not be read differs */
    uint64_t data;           /* their hash, by hash.h */
    bool whole;              /* logits are compared with the whole decoder in double as well */
} hn_rt_subject;

/* Of case c, or of that of a session, which is told that it goes on. 0, or -1 with a failure in `result`. */
int hn_rt_subject_open(hn_rt_subject *s, const hn_case *c, const hn_rt_compiler *compiler,
                       hn_rt_program *program, hn_result *result);
int hn_rt_session_open(hn_rt_subject *s, const hn_session *session, const hn_rt_compiler *compiler,
                       hn_rt_program *program, hn_result *result);
void hn_rt_subject_close(hn_rt_subject *s, hn_rt_program *program);

/* Every step that ran, in order: what it wrote, as a hash. */
typedef struct hn_rt_history {
    size_t count, room;
    uint64_t *hash;
} hn_rt_history;

/* Is told of each step that was checked, while the arena of t->m is as the step left it. */
struct hn_rt_trial;
typedef void hn_rt_witness(void *context, const struct hn_rt_trial *t, const hn_rt_stage *s,
                           const hn_rt_found *found);

typedef struct hn_rt_trial {
    const hn_rt_subject *s;
    bool strict;
    const hn_rt_history *like; /* strict bits that steps must have; NULL: there are none yet */
    const char *like_isa;
    hn_rt_history history;
    uint64_t data;             /* the hash of the weights and of all tokens */
    const hn_session *session; /* is told that `variant` goes on; NULL: nobody */
    const hn_variant *variant;
    hn_rt_witness *witness; /* NULL: nobody; steps with the bits of `like` are not checked again */
    void *context;
    hn_result *result;

    /* at work */
    ck_model *m;
    unsigned char *shadow; /* the arena as it must be */
    hn_rt_cells cells;
    hn_rt_pass pass;
    size_t next;           /* the stage that comes next */
    bool inside, expected; /* between the two taps of one; a pass is under way */
    char word[16];
    float *logits; /* of all tokens since the reset, then room for canaries */
    int32_t *tokens;
    size_t position, reached; /* tokens since the reset; rows of `logits` that are there */
    hn_rng rng;
} hn_rt_trial;

/* Takes what is set up above "at work"; to be called with dispatch and mode as they are to be. */
void hn_rt_trial_run(hn_rt_trial *t);
/* All but the history. After a run that did not return, the model is left where it is. */
void hn_rt_trial_free(hn_rt_trial *t, bool returned);
/* "d3: layer 1 mlp_down" or what else was under way. */
void hn_rt_trial_where(const hn_rt_trial *t, char *text, size_t size);

#endif
