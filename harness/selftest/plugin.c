/* SPDX-License-Identifier: MIT */
/* One mutant as a library: CK_MUTANT=gemm_nt_f32.last_row.fast ckparity run --subject mutants. Without
 * CK_MUTANT, `ckparity list --subject mutants` names them all. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutant.h"

/* The right kernels: libck.so beside this library. */
static const ck_subject *right_kernels(void)
{
    const ck_subject *(*get)(void);
    char path[4200];
    Dl_info self;
    if (!dladdr((const void *)hn_mutant_lists, &self) || !strrchr(self.dli_fname, '/')) return NULL;
    snprintf(path, sizeof path, "%.*s/libck.so",
             (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "ck_subject_v1") : NULL;
    if (!symbol) return NULL;
    memcpy(&get, &symbol, sizeof get);
    return get();
}

/* Of every mutant, on each op, in each mode; 0: all were visited. */
typedef int visitor(void *context, const hn_mutant *m, const char *stem, bool strict);

static int visit_modes(const hn_mutant *m, const char *stem, visitor *visit, void *context)
{
    if (!hn_mutant_on(m, stem)) return 0;
    for (int strict = 0; strict < 2; strict++)
        if (m->modes >> strict & 1 && visit(context, m, stem, strict)) return 1;
    return 0;
}

static int visit_all(const ck_subject *right, visitor *visit, void *context)
{
    for (size_t l = 0; hn_mutant_lists[l]; l++)
        for (size_t i = 0; i < hn_mutant_lists[l]->count; i++)
            for (unsigned k = 0; k < right->count; k++) {
                const ck_kernel *kernel = &right->kernels[k];
                if (strcmp(kernel->isa, "scalar") == 0 &&
                    visit_modes(&hn_mutant_lists[l]->list[i], kernel->stem, visit, context))
                    return 1;
            }
    return 0;
}

typedef struct chosen {
    const char *name;
    const hn_mutant *mutant; /* NULL: none has the name */
    const char *stem;
    bool strict;
} chosen;

static int is_chosen(void *context, const hn_mutant *m, const char *stem, bool strict)
{
    chosen *c = context;
    char name[112];
    hn_mutant_name(m, stem, strict, name, sizeof name);
    if (strcmp(name, c->name) != 0) return 0;
    *c = (chosen){ .name = c->name, .mutant = m, .stem = stem, .strict = strict };
    return 1;
}

enum { LISTED_MOST = 8192 };
static struct {
    const ck_subject *right;
    ck_kernel kernels[LISTED_MOST];
    char names[LISTED_MOST][112];
} listed;

/* A mutant as a kernel that does not run; the reason is how to choose it. */
static int list_one(void *context, const hn_mutant *m, const char *stem, bool strict)
{
    static const ck_numspec none = { 0 };
    ck_subject *subject = context;
    if (subject->count == LISTED_MOST) return 1;
    ck_kernel *k = &listed.kernels[subject->count];
    char *name = listed.names[subject->count++];
    static const char how[] = "CK_MUTANT=";
    memcpy(name, how, sizeof how);
    hn_mutant_name(m, stem, strict, name + sizeof how - 1, sizeof listed.names[0] - sizeof how);
    *k = *hn_find_kernel(listed.right, stem, "scalar");
    k->isa = m->name;
    k->unavailable = name;
    k->spec = &none;
    return 0;
}

static void list_all(const ck_subject *right, ck_subject *subject)
{
    listed.right = right;
    subject->kernels = listed.kernels;
    if (visit_all(right, list_one, subject)) subject->version = "there are more mutants than that";
}

/* The right scalar kernel, and after it the mutant. */
static void choose(const ck_subject *right, const char *name, ck_subject *subject)
{
    static ck_kernel kernels[2];
    chosen c = { .name = name };
    subject->kernels = kernels;
    subject->version = "CK_MUTANT is not the name of a mutant";
    if (!visit_all(right, is_chosen, &c)) return;
    const hn_mutant *m = c.mutant;
    const ck_kernel *wraps = hn_find_kernel(right, c.stem, m->wraps ? m->wraps : "scalar");
    subject->version = m->lacks && m->lacks() ? m->lacks() : name;
    if (!wraps || wraps->unavailable || (m->lacks && m->lacks())) return;
    kernels[0] = *hn_find_kernel(right, c.stem, "scalar");
    kernels[1] = hn_plant(m, wraps, c.strict);
    kernels[1].isa = "zmutant"; /* after the right one */
    if (!c.strict) kernels[1].fn_strict = NULL;
    subject->count = 2;
}

const ck_subject *ck_subject_v1(void)
{
    static ck_subject subject = { .abi = CK_SUBJECT_ABI,
                                  .size = sizeof subject,
                                  .name = "mutants",
                                  .version = "libck.so is not here" };
    const char *name = getenv("CK_MUTANT");
    const ck_subject *right = right_kernels();
    if (!right) return &subject;
    subject.version = NULL;
    if (name)
        choose(right, name, &subject);
    else
        list_all(right, &subject);
    return &subject;
}
