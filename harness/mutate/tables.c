/* SPDX-License-Identifier: MIT */
/* The report of a hunt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hunt.h"

enum { VERDICTS = 5 };
static const char *const verdict_names[VERDICTS] = { "killed", "survived", "accepted", "equivalent",
                                                     "suspect" };

/* What is to be said of a mutant: a survivor may have been answered. A reason that goes with a killed
 * one is an answer that is wrong. */
static size_t verdict_of(const hn_hunt *h, size_t i, const char **reason)
{
    const bool dead = h->fates[i].kind == HN_FATE_KILLED;
    const hn_answer *answer = hn_task_answer(h, &h->tasks[i]);
    *reason = answer && (!dead || answer->equivalent) ? answer->reason : NULL;
    if (dead) return 0;
    if (answer) return answer->equivalent ? 3 : 2;
    return hn_task_mutation(h, &h->tasks[i])->mutator == HN_MUTATE_ULP ? 4 : 1;
}

static void print_line(const char *sign, const char *text, size_t at, FILE *out)
{
    while (at > 0 && text[at - 1] != '\n') at--;
    while (text[at] == ' ') at++;
    fprintf(out, "    %s %.*s\n", sign, (int)strcspn(text + at, "\n"), text + at);
}

/* The line before and after, and what answers say. */
static void print_change(const hn_source *from, const hn_mutation *m, const char *reason, FILE *out)
{
    char *mutated = hn_mutation_apply(m, from->text);
    print_line("-", from->text, m->at, out);
    if (mutated) print_line("+", mutated, m->at, out);
    free(mutated);
    if (reason) fprintf(out, "    reason: %s\n", reason);
}

void hn_task_print(const hn_hunt *h, size_t index, FILE *out)
{
    const hn_fate *fate = &h->fates[index];
    const hn_site *s = &h->sites[h->tasks[index].site];
    const hn_source *from = &h->sources[s->source];
    const hn_mutation *m = hn_task_mutation(h, &h->tasks[index]);
    const char *reason;
    const size_t verdict = verdict_of(h, index, &reason);
    fprintf(out, "%-10s %-10s %s:%u:%u %s%s%s ", verdict_names[verdict],
            verdict == 0 ? fate->by : "-", from->path, m->line, m->column, s->stem ? s->stem : "-",
            s->isa ? "_" : "", s->isa ? s->isa : "");
    hn_mutation_print(m, from->text, out);
    if (verdict != 0) print_change(from, m, reason, out);
    for (size_t k = 0; verdict == 0 && k < h->o.nrun_seeds; k++)
        if (fate->missed >> k & 1)
            fprintf(out, "    survived run seed %llx\n", (unsigned long long)h->o.run_seeds[k]);
    if (verdict == 0 && reason) fprintf(out, "    answered as equivalent, wrongly: %s\n", reason);
}

/* How often a check or test was the first to report, reported at all, and was the only one. */
typedef struct catcher {
    char name[100];
    unsigned first, all, alone;
} catcher;

enum { CATCHERS_MAX = 400 };
static catcher catchers[CATCHERS_MAX];
static size_t ncatchers;

static catcher *find_catcher(const char *name)
{
    size_t i = 0;
    while (i < ncatchers && strcmp(catchers[i].name, name) != 0) i++;
    if (i == CATCHERS_MAX) return &catchers[i - 1];
    if (i == ncatchers) snprintf(catchers[ncatchers++].name, sizeof catchers->name, "%s", name);
    return &catchers[i];
}

static void count_catchers(const hn_fate *fate)
{
    char list[sizeof fate->all], *place = NULL;
    catcher *first = find_catcher(fate->by);
    bool alone = true;
    first->first++;
    first->all++;
    strcpy(list, fate->all);
    for (char *w = strtok_r(list, " ", &place); w; w = strtok_r(NULL, " ", &place)) {
        catcher *one = find_catcher(w);
        if (one == first) continue;
        one->all++;
        alone = false;
    }
    first->alone += alone;
}

/* Killed mutants by what reports them. Without the ablation, a run ends with its first report. */
static void print_catchers(const hn_hunt *h, size_t end)
{
    const bool kernels = h->o.target == HN_KERNELS;
    for (size_t i = h->o.skip; i < end; i++)
        if (h->fates[i].kind == HN_FATE_KILLED) count_catchers(&h->fates[i]);
    printf("\n%-48s %6s", kernels ? "check" : "test", "first");
    printf(h->o.ablation ? " %7s %6s\n" : "\n", "catches", "alone");
    for (size_t i = 0; i < ncatchers; i++) {
        printf("%-48s %6u", catchers[i].name, catchers[i].first);
        if (h->o.ablation) printf(" %7u %6u", catchers[i].all, catchers[i].alone);
        printf("\n");
    }
}

typedef struct tally {
    unsigned of[VERDICTS], same, invalid;
} tally;

/* The share is of the mutants that are known to differ: neither equivalent nor suspected of it. */
static void print_tally(const char *name, const tally *t)
{
    const unsigned counted = t->of[0] + t->of[1] + t->of[2];
    if (counted + t->of[3] + t->of[4] + t->same + t->invalid == 0) return;
    printf("%-32s %6u %8u %8u %10u %7u %6u %7u ", name, t->of[0], t->of[1], t->of[2], t->of[3],
           t->of[4], t->same, t->invalid);
    if (counted > 0) printf("%6.2f %%", 100.0 * t->of[0] / counted);
    printf("\n");
}

static void count(const hn_hunt *h, size_t i, const size_t *verdicts, tally *t)
{
    t->same += h->fates[i].kind == HN_FATE_SAME;
    t->invalid += h->fates[i].kind == HN_FATE_INVALID;
    if (h->fates[i].kind >= HN_FATE_KILLED) t->of[verdicts[i]]++;
}

static void print_titles(const char *title)
{
    printf("\n%-32s %6s %8s %8s %10s %7s %6s %7s %6s\n", title, "killed", "survived", "accepted",
           "equivalent", "suspect", "same", "invalid", "killed");
}

static void print_operators(const hn_hunt *h, const size_t *verdicts, size_t end)
{
    static tally tallies[HN_MUTATOR_COUNT + 1];
    for (size_t i = h->o.skip; i < end; i++) {
        count(h, i, verdicts, &tallies[hn_task_mutation(h, &h->tasks[i])->mutator]);
        count(h, i, verdicts, &tallies[HN_MUTATOR_COUNT]);
    }
    print_titles("operator");
    for (size_t m = 0; m < HN_MUTATOR_COUNT; m++) print_tally(hn_mutator_names[m], &tallies[m]);
    print_tally("all", &tallies[HN_MUTATOR_COUNT]);
}

static void print_sites(const hn_hunt *h, const size_t *verdicts, size_t end)
{
    tally t = { 0 };
    print_titles(h->o.target == HN_KERNELS ? "kernel" : "file");
    for (size_t s = 0; s < h->nsites; s++) {
        const hn_site *site = &h->sites[s];
        char name[128];
        for (size_t i = h->o.skip; i < end; i++)
            if (h->tasks[i].site == s) count(h, i, verdicts, &t);
        if (s + 1 < h->nsites && hn_same_kernel(site, site + 1)) continue;
        snprintf(name, sizeof name, "%s%s%s", site->stem ? site->stem : "", site->stem ? "_" : "",
                 site->stem ? site->isa : h->sources[site->source].path);
        print_tally(name, &t);
        t = (tally){ 0 };
    }
}

/* The same mutants under each run seed. */
static void print_run_seeds(const hn_hunt *h, const size_t *verdicts, size_t end)
{
    if (h->o.nrun_seeds == 1) return;
    printf("\n%-32s %6s %8s %6s\n", "run seed", "killed", "survived", "killed");
    for (size_t s = 0; s < h->o.nrun_seeds; s++) {
        unsigned counted = 0, survived = 0;
        for (size_t i = h->o.skip; i < end; i++) {
            if (h->fates[i].kind < HN_FATE_KILLED || verdicts[i] > 2) continue;
            counted++;
            survived += h->fates[i].missed >> s & 1;
        }
        printf("%-32llx %6u %8u ", (unsigned long long)h->o.run_seeds[s], counted - survived,
               survived);
        if (counted > 0) printf("%6.2f %%", 100.0 * (counted - survived) / counted);
        printf("\n");
    }
}

/* The mutants up to the limit, in the order of their drawing, whichever job was faster. */
static size_t count_tasks(const hn_hunt *h)
{
    uint64_t judged = 0;
    size_t i = h->o.skip;
    for (; i < h->ntasks && judged < h->o.limit; i++) {
        if (h->fates[i].kind == HN_FATE_NONE) break;
        judged += h->fates[i].kind >= HN_FATE_KILLED;
    }
    return i;
}

int hn_hunt_report(const hn_hunt *h)
{
    const size_t end = count_tasks(h);
    size_t *verdicts = calloc(end + 1, sizeof *verdicts), survived = 0, wrong = 0;
    double seconds = 0;
    if (!verdicts) return hn_mutate_error("%s", "out of memory");
    for (size_t i = h->o.skip; i < end; i++) {
        const char *reason;
        seconds += h->fates[i].seconds;
        if (h->fates[i].kind < HN_FATE_KILLED) continue;
        verdicts[i] = verdict_of(h, i, &reason);
        survived += verdicts[i] == 1;
        wrong += verdicts[i] == 0 && reason;
        hn_task_print(h, i, stdout);
    }
    print_catchers(h, end);
    print_operators(h, verdicts, end);
    print_sites(h, verdicts, end);
    print_run_seeds(h, verdicts, end);
    printf("\nseed %llx, mutants %zu to %zu of %zu tried in %.0f seconds of a job, %zu survived\n",
           (unsigned long long)h->o.seed, h->o.skip + 1, end, h->ntasks, seconds, survived);
    if (wrong) printf("%zu killed ones are answered as equivalent\n", wrong);
    free(verdicts);
    return survived || wrong ? 1 : 0;
}
