/* SPDX-License-Identifier: MIT */
/* From a case to a running program: config, graph, layout, plan, C, machine code, all in this process. */
#ifndef HN_RUNTIME_PROGRAM_H
#define HN_RUNTIME_PROGRAM_H

#include "ck_model.h"
#include "decoder.h"

/* What a planted fault puts otherwise: the first `from` in the function of a step, or in the whole file
 * if step is NULL, becomes `to`. */
typedef struct hn_rt_edit {
    const char *step, *from, *to;
} hn_rt_edit;

/* What an emitted program calls in place of the kernel library's function of that name. */
typedef struct hn_rt_binding {
    const char *name;
    const void *function;
} hn_rt_binding;

/* The runtime's calls, as far as a planted fault puts others in their place. */
typedef struct hn_rt_api {
    int (*open)(ck_model **m, const ck_program *program);
    int (*prefill)(ck_model *m, const int32_t *tokens, size_t n, float *logits, size_t room);
    int (*decode)(ck_model *m, int32_t token, float *logits, size_t room);
    int (*reset)(ck_model *m);
} hn_rt_api;
extern const hn_rt_api hn_rt_own_api;

typedef struct hn_rt_compiler {
    const hn_rt_edit *edits;       /* up to one without `from`; NULL: none */
    const hn_rt_binding *bindings; /* up to one without a name; NULL: none */
    void *library;                 /* of dlopen, a libck that the program calls; NULL: ours */
    const hn_rt_api *api;          /* NULL: hn_rt_own_api */
} hn_rt_compiler;

typedef struct hn_rt_program {
    void *state; /* of libtcc */
    const ck_program *program;
} hn_rt_program;

/* NULL: it can; else why this build or machine cannot compile programs. */
const char *hn_rt_lacks(void);
/* NULL, or why the generator refuses the case; valid until the next call. */
const char *hn_rt_refuses(const hn_case *c);
/* 0, or -1 with one line in `error`: the generator refuses what it should take, or its C does not
 * compile or link, warnings included. */
int hn_rt_compile(hn_rt_program *p, const hn_case *c, const hn_rt_compiler *compiler, char *error,
                  size_t size);
void hn_rt_unload(hn_rt_program *p);

#endif
