/* SPDX-License-Identifier: MIT */
/* A hunt: what is mutated, in which order, and what became of it. */
#ifndef HN_MUTATE_HUNT_H
#define HN_MUTATE_HUNT_H

#include <stdatomic.h>

#include "answers.h"
#include "build.h"
#include "judge.h"
#include "mutate.h"

enum { HN_AFFECTED_MAX = 40, HN_RUN_SEEDS_MAX = 16, HN_PRODUCTS_MAX = 20 };

typedef enum hn_target { HN_KERNELS, HN_REF, HN_HARNESS } hn_target;
extern const char *const hn_target_names[3];
/* What is linked and run for a target. */
extern const char *const hn_products[3][HN_PRODUCTS_MAX];

typedef struct hn_hunt_options {
    hn_target target;
    const char *op, *isa, *mutator, *file, *suite, *build, *answers, *keep, *list, *sanitized;
    uint64_t seed, limit, skip, jobs, line; /* line 0: all of a file */
    uint64_t
        run_seeds[HN_RUN_SEEDS_MAX]; /* of drawn cases; the first one's verdict is the mutant's */
    size_t nrun_seeds;
    bool ablation, quick;
} hn_hunt_options;

/* A file of the tree and its mutations. */
typedef struct hn_source {
    char *path, *text;
    hn_mutations mutations;
} hn_source;

/* What is compiled from the source for one kernel, or all that includes it. */
typedef struct hn_site {
    size_t source;
    const char *stem, *isa; /* of kernels; NULL: all of them */
    size_t units[HN_AFFECTED_MAX], nunits;
} hn_site;

/* A mutation at a site. */
typedef struct hn_task {
    size_t site, mutation;
    uint64_t group, rank, draw;
} hn_task;

/* What the jobs share. */
typedef struct hn_progress {
    _Atomic uint64_t next, judged;
} hn_progress;

typedef struct hn_hunt {
    hn_hunt_options o;
    hn_build build, sanitized;
    hn_answers answers;
    char scratch[64];
    hn_source *sources;
    hn_site *sites;
    hn_task *tasks; /* in the order in which they are tried */
    size_t nsources, nsites, ntasks;
    char *links[HN_PRODUCTS_MAX]; /* commands, of the products */
    char *sanitized_link;
    hn_fate *fates;      /* of each task, shared */
    hn_progress *shared; /* of the jobs */
} hn_hunt;

/* Finds sources, sites and tasks. Functions here return 0 or, with a line on stderr, an exit code. */
int hn_hunt_draw(hn_hunt *hunt);
/* Tries mutants until there are as many as the limit says; survivors go to stderr as they are found. */
int hn_hunt_run(hn_hunt *hunt);
/* Prints what was found. Returns 1 if a mutant survived unanswered, or was answered wrongly. */
int hn_hunt_report(const hn_hunt *hunt);

/* One line on stderr; 2. */
int hn_mutate_error(const char *format, const char *detail);

/* A line, and for a survivor those of the source, too. */
void hn_task_print(const hn_hunt *hunt, size_t index, FILE *out);

const hn_mutation *hn_task_mutation(const hn_hunt *hunt, const hn_task *task);
/* What answers.txt says of the task's mutant; NULL: nothing. */
const hn_answer *hn_task_answer(const hn_hunt *hunt, const hn_task *task);
/* Whether two sites belong to the same kernel. */
bool hn_same_kernel(const hn_site *a, const hn_site *b);

#endif
