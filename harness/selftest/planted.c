/* SPDX-License-Identifier: MIT */
/* Which mutants there are, on which ops they are planted, and how. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "mutant.h"

#define LISTS(X)       \
    X(position)        \
    X(memory)          \
    X(machine)         \
    X(gemm)            \
    X(gemm_q)          \
    X(gemm_p)          \
    X(dots)            \
    X(gemm_w)          \
    X(gemm_wn)         \
    X(gemm_act)        \
    X(gemm_glu)        \
    X(gemm_h)          \
    X(gemm_i)          \
    X(gemv)            \
    X(softmax)         \
    X(attention)       \
    X(loss)            \
    X(kv)              \
    X(norm)            \
    X(halves)          \
    X(rope)            \
    X(embedding)       \
    X(activation)      \
    X(quant)           \
    X(quant_k)         \
    X(quant_32)        \
    X(meeting)         \
    X(threads)         \
    X(history_product) \
    X(history_row)

#define LIST(name) extern const hn_mutants hn_mutants_##name;
LISTS(LIST)
#undef LIST

#define LIST(name) &hn_mutants_##name,
const hn_mutants *const hn_mutant_lists[] = { LISTS(LIST) NULL };
#undef LIST

bool hn_mutant_on(const hn_mutant *m, const char *stem)
{
    char words[512], *rest = NULL;
    bool on = false;
    snprintf(words, sizeof words, "%s", m->on);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const bool without = *word == '!';
        if (fnmatch(word + without, stem, 0) == 0) on = !without;
    }
    return on;
}

void hn_mutant_name(const hn_mutant *m, const char *stem, bool strict, char *name, size_t size)
{
    snprintf(name, size, "%s.%s.%s", stem, m->name, strict ? "strict" : "fast");
}

const ck_kernel *hn_find_kernel(const ck_subject *subject, const char *stem, const char *isa)
{
    for (unsigned i = 0; subject && i < subject->count; i++) {
        const ck_kernel *k = &subject->kernels[i];
        if (strcmp(k->stem, stem) == 0 && strcmp(k->isa, isa) == 0) return k;
    }
    return NULL;
}

/* Whether a format's name begins here, as a whole. */
static bool names(const char *at, const hn_dtype_info *info)
{
    const size_t length = strlen(info->name);
    return strncmp(at, info->name, length) == 0 && strchr("_", at[length]) != NULL;
}

/* The format that comes after `skipped` others; NULL: there is none. */
static const hn_dtype_info *block_of(const char *stem, unsigned skipped)
{
    for (const char *at = strchr(stem, '_'); at; at = strchr(at + 1, '_'))
        for (size_t t = HN_F32 + 1; t < HN_DTYPE_COUNT; t++)
            if (names(at + 1, &hn_dtypes[t]) && skipped-- == 0) return &hn_dtypes[t];
    return NULL;
}

ck_kernel hn_plant(const hn_mutant *m, const ck_kernel *wrapped, bool strict)
{
    ck_kernel kernel = *wrapped;
    hn_wrapped_stem = kernel.stem;
    hn_wrapped_fast = kernel.fn;
    hn_wrapped = strict ? kernel.fn_strict : kernel.fn;
    hn_viewer = hn_view_for(kernel.stem);
    hn_block = block_of(kernel.stem, 0);
    const hn_dtype_info *second = block_of(kernel.stem, 1);
    hn_second_block = second ? second : hn_block;
    hn_wrapped_threads = kernel.threads;
    if (m->fn) *(strict ? &kernel.fn_strict : &kernel.fn) = m->fn;
    if (m->threads) kernel.threads = m->threads;
    if (m->spec) kernel.spec = m->spec;
    return kernel;
}
