/* SPDX-License-Identifier: MIT */
/* One mutant as a library: CK_MUTANT=gemm_nt_f32.last_row.fast ckparity run --subject mutants. Without
 * CK_MUTANT, `ckparity list --subject mutants` names them all. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutant.h"

static const hn_mutants *const lists[] = {
    &hn_mutants_position, &hn_mutants_memory, &hn_mutants_machine, &hn_mutants_gemm,
    &hn_mutants_gemv,     &hn_mutants_gemm_q, &hn_mutants_softmax, &hn_mutants_quant,
};

/* The right kernels: libck.so beside this library. */
static const ck_subject *right_kernels(void)
{
    const ck_subject *(*get)(void);
    char path[4200];
    Dl_info self;
    if (!dladdr(&lists, &self) || !strrchr(self.dli_fname, '/')) return NULL;
    snprintf(path, sizeof path, "%.*s/libck.so",
             (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "ck_subject_v1") : NULL;
    if (!symbol) return NULL;
    memcpy(&get, &symbol, sizeof get);
    return get();
}

static const ck_kernel *find_kernel(const ck_subject *right, unsigned op, const char *isa)
{
    for (unsigned i = 0; right && i < right->count; i++) {
        const ck_kernel *k = &right->kernels[i];
        if (strcmp(k->stem, hn_targets[op].stem) == 0 && strcmp(k->isa, isa) == 0) return k;
    }
    return NULL;
}

/* The mutant of that name, or NULL. */
static const hn_mutant *find_mutant(const char *name, unsigned *op, bool *strict)
{
    char wanted[96];
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            for (unsigned b = 0; b < 2 * HN_ON_OPS; b++) {
                const hn_mutant *m = &lists[l]->list[i];
                *op = b / 2;
                *strict = b % 2;
                snprintf(wanted, sizeof wanted, "%s.%s.%s", hn_targets[*op].stem, m->name,
                         *strict ? "strict" : "fast");
                if (m->on >> *op & 1 && m->modes >> b % 2 & 1 && strcmp(wanted, name) == 0)
                    return m;
            }
    return NULL;
}

/* Every mutant as a kernel that does not run; the reason is how to choose it. */
static void list_all(ck_subject *subject)
{
    enum { MOST = 2048 };
    static ck_kernel kernels[MOST];
    static char names[MOST][112];
    static const ck_numspec none = { 0 };
    const ck_subject *right = right_kernels();
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            for (unsigned b = 0; b < 2 * HN_ON_OPS && subject->count < MOST; b++) {
                const hn_mutant *m = &lists[l]->list[i];
                const ck_kernel *scalar = find_kernel(right, b / 2, "scalar");
                if (!(m->on >> b / 2 & 1) || !(m->modes >> b % 2 & 1) || !scalar) continue;
                ck_kernel *k = &kernels[subject->count];
                snprintf(names[subject->count], sizeof names[0], "CK_MUTANT=%s.%s.%s", scalar->stem,
                         m->name, b % 2 ? "strict" : "fast");
                *k = *scalar;
                k->isa = m->name;
                k->unavailable = names[subject->count++];
                k->spec = &none;
            }
    subject->kernels = kernels;
}

const ck_subject *ck_subject_v1(void)
{
    static ck_kernel kernels[2];
    static ck_subject subject = { .abi = CK_SUBJECT_ABI,
                                  .size = sizeof subject,
                                  .name = "mutants" };
    const char *name = getenv("CK_MUTANT");
    const ck_subject *right = right_kernels();
    unsigned op = 0;
    bool strict = false;
    if (!name) {
        list_all(&subject);
        return &subject;
    }
    const hn_mutant *m = find_mutant(name, &op, &strict);
    subject.kernels = kernels;
    subject.version = right ? "CK_MUTANT is not the name of a mutant" : "libck.so is not here";
    const ck_kernel *wraps = m ? find_kernel(right, op, m->wraps ? m->wraps : "scalar") : NULL;
    if (!wraps) return &subject;
    subject.version = m->lacks && m->lacks() ? m->lacks() : name;
    if (wraps->unavailable || (m->lacks && m->lacks())) return &subject;
    hn_wrapped_fast = wraps->fn;
    hn_wrapped = strict ? wraps->fn_strict : wraps->fn;
    hn_wrapped_on = 1u << op;
    hn_viewer = hn_targets[op].view;
    kernels[1] = *wraps;
    kernels[1].isa = "zmutant"; /* after the right one */
    *(strict ? &kernels[1].fn_strict : &kernels[1].fn) = m->fn;
    if (!strict) kernels[1].fn_strict = NULL;
    if (m->spec) kernels[1].spec = m->spec;
    kernels[0] = *find_kernel(right, op, "scalar");
    subject.count = 2;
    return &subject;
}
