/* SPDX-License-Identifier: MIT */
/* Which files there are to mutate for a target, and the drawing of mutants. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hunt.h"
#include "rng.h"
#include "subject.h"

const char *const hn_target_names[3] = { "kernels", "ref", "harness" };

const hn_mutation *hn_task_mutation(const hn_hunt *h, const hn_task *t)
{
    return &h->sources[h->sites[t->site].source].mutations.list[t->mutation];
}

const hn_answer *hn_task_answer(const hn_hunt *h, const hn_task *t)
{
    const hn_site *site = &h->sites[t->site];
    const hn_source *from = &h->sources[site->source];
    char place[2200];
    snprintf(place, sizeof place, "%s %s_%s", from->path, site->stem ? site->stem : "",
             site->isa ? site->isa : "");
    return hn_answers_find(&h->answers, place, from->text, hn_task_mutation(h, t));
}

bool hn_same_kernel(const hn_site *a, const hn_site *b)
{
    return a->stem && b->stem && strcmp(a->stem, b->stem) == 0 && strcmp(a->isa, b->isa) == 0;
}

static void *grown(void *list, size_t n, size_t unit)
{
    if (n & (n - 1)) return list; /* room for the next power of two */
    void *more = realloc(list, (n ? 2 * n : 1) * unit);
    if (more) return more;
    fprintf(stderr, "ckparity-mutate: out of memory\n");
    exit(2);
}

/* The source's index; it is read and searched once. */
static size_t add_source(hn_hunt *h, const char *path)
{
    char whole[2200];
    for (size_t i = 0; i < h->nsources; i++)
        if (strcmp(h->sources[i].path, path) == 0) return i;
    h->sources = grown(h->sources, h->nsources, sizeof *h->sources);
    hn_source *s = &h->sources[h->nsources];
    snprintf(whole, sizeof whole, "%s/%s", h->build.source, path);
    *s = (hn_source){ .path = strdup(path), .text = hn_read_file(whole, NULL) };
    if (!s->path || !s->text || hn_mutations_find(&s->mutations, s->text) != 0) {
        fprintf(stderr, "ckparity-mutate: %s cannot be read\n", whole);
        exit(2);
    }
    return h->nsources++;
}

static hn_site *add_site(hn_hunt *h, const char *path, const char *stem, const char *isa)
{
    const size_t index = add_source(h, path);
    h->sites = grown(h->sites, h->nsites, sizeof *h->sites);
    h->sites[h->nsites] = (hn_site){ .source = index, .stem = stem, .isa = isa };
    return &h->sites[h->nsites++];
}

static bool is_wanted(const hn_hunt_options *o, const char *path)
{
    if (!o->file) return true;
    return strpbrk(o->file, "*?[") ? fnmatch(o->file, path, 0) == 0 : strstr(path, o->file) != NULL;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* A kernel's own text: not the contracts, nor what makes the table. */
static bool is_kernel_text(const char *path)
{
    return begins(path, "kernels/") && !begins(path, "kernels/include/") &&
           strcmp(path, "kernels/kernel.h") != 0 && strcmp(path, "kernels/kernels.def") != 0;
}

static int scan(const hn_hunt *h, hn_unit *unit)
{
    if (unit->nneeds > 0 || hn_unit_scan(&h->build, unit) == 0) return 0;
    fprintf(stderr, "ckparity-mutate: %s: cannot ask what it includes\n", unit->file);
    return -1;
}

/* Every header once for each kernel that can run here, since its flags and neighbours differ. */
static int add_kernels(hn_hunt *h, char *error, unsigned size)
{
    const ck_subject *subject = hn_subject_open(NULL, error, size);
    for (unsigned i = 0; subject && i < subject->count; i++) {
        const ck_kernel *k = &subject->kernels[i];
        char tail[128];
        if (h->o.op && !strstr(k->stem, h->o.op)) continue;
        if (k->unavailable || (h->o.isa && strcmp(h->o.isa, k->isa) != 0)) continue;
        snprintf(tail, sizeof tail, "/%s_%s.c", k->stem, k->isa);
        hn_unit *unit = hn_build_unit(&h->build, tail);
        if (!unit || scan(h, unit) != 0) return snprintf(error, size, "%s: no such unit", tail), -1;
        for (size_t n = 0; n < unit->nneeds; n++) {
            if (!is_kernel_text(unit->needs[n]) || !is_wanted(&h->o, unit->needs[n])) continue;
            hn_site *s = add_site(h, unit->needs[n], k->stem, k->isa);
            s->units[s->nunits++] = (size_t)(unit - h->build.units);
        }
    }
    hn_unit *strict = hn_build_unit(&h->build, "kernels/strict.c");
    if (strict && !h->o.op && !h->o.isa && is_wanted(&h->o, strict->file)) {
        hn_site *s = add_site(h, strict->file, NULL, NULL);
        s->units[s->nunits++] = (size_t)(strict - h->build.units);
    }
    return subject ? 0 : -1;
}

/* Of a path that units include, all these. */
static int add_shared_source(hn_hunt *h, const char *path, const char *folder)
{
    for (size_t i = 0; i < h->nsources; i++)
        if (strcmp(h->sources[i].path, path) == 0) return 0;
    hn_site *s = add_site(h, path, NULL, NULL);
    for (size_t u = 0; u < h->build.nunits; u++) {
        const hn_unit *unit = &h->build.units[u];
        if (!begins(unit->file, folder)) continue;
        for (size_t n = 0; n < unit->nneeds; n++) {
            if (strcmp(unit->needs[n], path) != 0) continue;
            if (s->nunits == HN_AFFECTED_MAX)
                return hn_mutate_error("%s: too many include it", path);
            s->units[s->nunits++] = u;
            break;
        }
    }
    return 0;
}

static int add_ref(hn_hunt *h)
{
    for (size_t u = 0; u < h->build.nunits; u++)
        if (begins(h->build.units[u].file, "ref/") && scan(h, &h->build.units[u]) != 0) return -1;
    for (size_t u = 0; u < h->build.nunits; u++) {
        const hn_unit *unit = &h->build.units[u];
        for (size_t n = 0; begins(unit->file, "ref/") && n < unit->nneeds; n++)
            if (begins(unit->needs[n], "ref/") && !begins(unit->needs[n], "ref/tests/") &&
                is_wanted(&h->o, unit->needs[n]) &&
                add_shared_source(h, unit->needs[n], "ref/") != 0)
                return -1;
    }
    return 0;
}

/* The C files of the machinery that decides: no reports, no command line. */
static int add_harness(hn_hunt *h)
{
    static const char *const files[] = { "call", "case",       "compare",     "dtype", "expect",
                                         "fill", "fill_block", "fill_format", "group", "place",
                                         "run",  "shrink",     "suite",       "trace" };
    for (size_t u = 0; u < h->build.nunits; u++) {
        const hn_unit *unit = &h->build.units[u];
        bool mine = begins(unit->file, "harness/family/") || begins(unit->file, "harness/group/");
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            char path[64];
            snprintf(path, sizeof path, "harness/%s.c", files[i]);
            mine |= strcmp(unit->file, path) == 0;
        }
        if (!mine || !is_wanted(&h->o, unit->file)) continue;
        hn_site *s = add_site(h, unit->file, NULL, NULL);
        s->units[s->nunits++] = u;
    }
    return 0;
}

static int by_group(const void *a, const void *b)
{
    const hn_task *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return x->draw < y->draw ? -1 : x->draw > y->draw;
}

static int by_rank(const void *a, const void *b)
{
    const hn_task *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->draw < y->draw ? -1 : x->draw > y->draw;
}

/* All mutants, in the order in which they are tried: one of each file, kernel and operator, then
 * another one of each. */
static void draw_tasks(hn_hunt *h)
{
    for (size_t s = 0; s < h->nsites; s++) {
        const hn_mutations *all = &h->sources[h->sites[s].source].mutations;
        for (size_t m = 0; m < all->n; m++) {
            const hn_mutator mutator = all->list[m].mutator;
            const char *name = hn_mutator_names[mutator];
            hn_rng rng = hn_stream(h->o.seed, s, m);
            if (h->o.line && all->list[m].line != h->o.line) continue;
            if (h->o.mutator ? strcmp(h->o.mutator, name) != 0 : mutator == HN_MUTATE_SPEC)
                continue;
            h->tasks = grown(h->tasks, h->ntasks, sizeof *h->tasks);
            h->tasks[h->ntasks++] = (hn_task){ .site = s,
                                               .mutation = m,
                                               .group = s * HN_MUTATOR_COUNT + (size_t)mutator,
                                               .draw = hn_next(&rng) };
        }
    }
    if (h->ntasks == 0) return;
    qsort(h->tasks, h->ntasks, sizeof *h->tasks, by_group);
    for (size_t i = 1; i < h->ntasks; i++)
        if (h->tasks[i].group == h->tasks[i - 1].group) h->tasks[i].rank = h->tasks[i - 1].rank + 1;
    qsort(h->tasks, h->ntasks, sizeof *h->tasks, by_rank);
}

int hn_hunt_draw(hn_hunt *h)
{
    char error[1024] = "";
    const int status = h->o.target == HN_KERNELS ? add_kernels(h, error, sizeof error)
                       : h->o.target == HN_REF   ? add_ref(h)
                                                 : add_harness(h);
    if (status != 0) return hn_mutate_error("%s", error);
    draw_tasks(h);
    return h->ntasks ? 0 : hn_mutate_error("%s", "nothing to mutate matches the options");
}
