/* SPDX-License-Identifier: MIT */
/* Jobs: each has a copy of the tree, changes one file of it, compiles, links, runs, changes back. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "hunt.h"

const char *const hn_products[3][HN_PRODUCTS_MAX] = {
    { "libck.so", "test_kernels" },
    { "test_ref_quant_32", "test_ref_quant_k", "test_ref_rows", "test_ref_activation",
      "test_ref_gemm_w", "test_ref_attention", "test_ref_gemm_wn", "test_ref_kv", "test_ref_loss",
      "test_ref_pack", "test_ref_rope", "test_ref_embedding", "test_ref_layout", "test_ref_model",
      "test_ref_products", "test_ref", "ckparity" },
    { "test_harness", "ckparity" },
};

/* Cases in which a mutated harness may call right kernels wrong, or a slow build show what is undefined. */
static const char few_cases[] = "* repeat=40\n", some_cases[] = "* repeat=400\n";

/* All selftests take four minutes of a shared machine. */
enum { PROGRAM_SECONDS = 90, SELFTEST_SECONDS = 900 };

/* The selftests that a file is tried on before all others; those of the last line if it has none. */
static const struct {
    const char *part, *filter;
} first_selftests[] = {
    { "family/attention", "attention_f32*" },
    { "family/binary", "residual_add*" },
    { "family/cross_entropy", "softmax_cross*" },
    { "family/dequant", "dequant_row_q*" },
    { "family/embedding", "embedding_[fq]*" },
    { "family/gemm.c", "gemm_nn_f32*" },
    { "family/gemm_act", "gemm_nt_silu*" },
    { "family/gemm_glu", "gemm_nt_swiglu*" },
    { "family/gemm_h", "gemm_nt_*f16_f16*" },
    { "family/gemm_i", "gemm_nt_*_i32*" },
    { "family/gemm_p", "gemm_nt_q4_kx8*" },
    { "family/gemm_q", "gemm_nt_q5_1_q8_1*" },
    { "family/gemm_wn", "gemm_nn_q*" },
    { "family/gemm_w", "gemm_nt_*f16_f32*" },
    { "family/kv", "kv_*" },
    { "family/layernorm", "layernorm_*" },
    { "family/pack", "pack_*" },
    { "family/quantize", "quantize_row_q4*" },
    { "family/rmsnorm", "rmsnorm_*" },
    { "family/rope_cache", "rope_cache*" },
    { "family/rope", "rope_[hp]*" },
    { "family/runtime", "runtime*" },
    { "family/softmax", "softmax_causal*" },
    { "family/unary", "*lu_f32*" },
    { "fill_block", "dequant_row_q*" },
    { "fill_integer", "gemm_nt_*_i32*" },
    { "fill_format", "quantize_row_q4*" },
    { "", "gemv_f32*" },
};

static bool is_same_file(const char *a, const char *b)
{
    size_t na = 0, nb = 0;
    char *x = hn_read_file(a, &na), *y = hn_read_file(b, &nb);
    const bool same = x && y && na == nb && memcmp(x, y, na) == 0;
    free(x);
    free(y);
    return same;
}

/* Compiles what the site affects into folder/0.o ...; what the result is to be. */
static hn_fate_kind compile_site(const hn_hunt *h, const hn_site *s, const char *folder)
{
    bool same = true;
    for (size_t i = 0; i < s->nunits; i++) {
        char object[1200], original[1200];
        snprintf(object, sizeof object, "%s/%zu.o", folder, i);
        snprintf(original, sizeof original, "%s/original/u%zu.o", h->scratch, s->units[i]);
        if (hn_unit_compile(&h->build, &h->build.units[s->units[i]], folder, object) != 0)
            return HN_FATE_INVALID;
        same &= is_same_file(object, original);
    }
    return same ? HN_FATE_SAME : HN_FATE_NONE;
}

/* Objects that the product is not made of go into libraries, but for those of other tests. */
static int link_site(const hn_hunt *h, const hn_site *s, const char *folder, size_t product,
                     const char *output)
{
    const hn_unit *units[HN_AFFECTED_MAX];
    char names[HN_AFFECTED_MAX][120];
    const char *objects[HN_AFFECTED_MAX];
    size_t n = 0;
    for (size_t i = 0; i < s->nunits; i++) {
        const hn_unit *unit = &h->build.units[s->units[i]];
        if (strstr(unit->file, "/tests/") && !strstr(h->links[product], unit->object)) continue;
        snprintf(names[n], sizeof names[n], "%s/%zu.o", folder, i);
        objects[n] = names[n];
        units[n++] = unit;
    }
    return hn_link(&h->build, h->links[product], hn_products[h->o.target][product], units, objects,
                   n, output);
}

/* Under each run seed; the first one's verdict is the mutant's. What is known to be equivalent
 * (`known`) is not tried again. Which instructions are executed is the same under every seed. */
static void judge_kernel(const hn_hunt *h, const hn_site *s, const char *library, bool known,
                         hn_fate *fate)
{
    const hn_ordeal all = { .seed = h->o.run_seeds[0], .all = true, .trace = true };
    hn_ordeal ordeal = { .suite = h->o.suite };
    hn_fate other;
    for (size_t i = 0; i < h->o.nrun_seeds && !(known && fate->missed); i++) {
        ordeal.seed = h->o.run_seeds[i];
        other = (hn_fate){ .kind = HN_FATE_NONE };
        hn_judge_kernel(library, s->stem, s->isa, &ordeal, &other);
        if (other.kind == HN_FATE_SURVIVED) other.missed = fate->missed | 1u << i;
        if (i == 0)
            *fate = other;
        else
            fate->missed |= other.missed;
    }
    ordeal = (hn_ordeal){ .suite = h->o.suite, .seed = h->o.run_seeds[0], .trace = true };
    if (fate->missed) hn_judge_kernel(library, s->stem, s->isa, &ordeal, &other);
    if (fate->missed && other.traced) *fate = other;
    if (fate->kind == HN_FATE_KILLED && h->o.ablation)
        hn_judge_kernel(library, s->stem, s->isa, &all, fate);
}

/* Links a product and runs it for so many seconds at most, unless the mutant is known to be noticed. */
static void judge_product_within(const hn_hunt *h, const hn_site *s, const char *folder,
                                 size_t product, const char *how, double seconds, hn_fate *fate)
{
    const char *name = hn_products[h->o.target][product];
    char path[1200], command[3800];
    if (fate->kind == HN_FATE_INVALID || (fate->kind == HN_FATE_KILLED && !h->o.ablation)) return;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (link_site(h, s, folder, product, path) != 0) {
        fate->kind = HN_FATE_INVALID;
        return;
    }
    snprintf(command, sizeof command, "'%s' %s", path, how);
    hn_judge_program(command, product > 0 && *how ? how : name, folder, seconds, fate);
}

static void judge_product(const hn_hunt *h, const hn_site *s, const char *folder, size_t product,
                          const char *how, hn_fate *fate)
{
    judge_product_within(h, s, folder, product, how, PROGRAM_SECONDS, fate);
}

/* By the program on a few cases, of right kernels. What they execute is no matter of these sources but for
 * trace.c, which has wrong kernels of its own, and takes ten times as long. */
static void judge_few(const hn_hunt *h, const hn_site *s, const char *folder, size_t product,
                      hn_fate *fate)
{
    char how[1400], suite[1200];
    snprintf(suite, sizeof suite, "%s/few.cases", folder);
    hn_write_file(suite, few_cases, strlen(few_cases));
    snprintf(how, sizeof how, "run --no-trace --jobs 1 --fail-fast --suite '%s' --seed %llx", suite,
             (unsigned long long)h->o.run_seeds[0]);
    judge_product(h, s, folder, product, how, fate);
}

/* What is quick first. */
static void judge_harness(const hn_hunt *h, const hn_site *s, const char *folder, hn_fate *fate)
{
    char how[1400];
    size_t first = 0;
    while (!strstr(h->sources[s->source].path, first_selftests[first].part)) first++;
    snprintf(how, sizeof how, "digest --check '%s/golden/strict.digests'", h->build.source);
    judge_product(h, s, folder, 1, how, fate);
    judge_few(h, s, folder, 1, fate);
    judge_product(h, s, folder, 0, "'bench*'", fate); /* which takes longest and is not mutated */
    const int all = snprintf(how, sizeof how, "selftest --fail-fast --seed %llx",
                             (unsigned long long)h->o.run_seeds[0]);
    snprintf(how + all, sizeof how - (size_t)all, " '%s'", first_selftests[first].filter);
    judge_product(h, s, folder, 1, how, fate);
    how[all] = '\0';
    if (!h->o.quick) judge_product_within(h, s, folder, 1, how, SELFTEST_SECONDS, fate);
}

/* A kernel, or strict.c, which has tests beside the suite. */
static void judge_library(const hn_hunt *h, const hn_site *s, const char *folder, bool known,
                          hn_fate *fate)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, hn_products[HN_KERNELS][0]);
    if (link_site(h, s, folder, 0, path) != 0) {
        fate->kind = HN_FATE_INVALID;
        return;
    }
    judge_kernel(h, s, path, known, fate);
    if (s->stem) return;
    const bool survived = fate->kind == HN_FATE_SURVIVED;
    judge_product(h, s, folder, 1, "", fate);
    if (survived && fate->kind == HN_FATE_KILLED) fate->missed = 0;
}

/* By tests of references, those of the file's own name (`own`) or the others. */
static void judge_tests(const hn_hunt *h, const hn_site *s, const char *folder, bool own,
                        hn_fate *fate)
{
    for (size_t i = 0; strncmp(hn_products[HN_REF][i], "test_ref", 8) == 0; i++) {
        const char *name = hn_products[HN_REF][i] + sizeof "test_ref" - 1;
        const bool is_own = *name && strstr(h->sources[s->source].path, name + 1);
        if (is_own == own) judge_product(h, s, folder, i, "", fate);
    }
}

/* By the tests of its own; by the golden bounds and by kernels that are right, which are quick; by all
 * other tests. */
static void judge_reference(const hn_hunt *h, const hn_site *s, const char *folder, hn_fate *fate)
{
    size_t program = 0;
    while (strcmp(hn_products[HN_REF][program], "ckparity") != 0) program++;
    judge_tests(h, s, folder, true, fate);
    char how[2400];
    snprintf(how, sizeof how, "bounds --suite '%s/golden/cases.cases' --check '%s/golden/bounds'",
             h->build.source, h->build.source);
    judge_product(h, s, folder, program, how, fate);
    judge_few(h, s, folder, program, fate);
    judge_tests(h, s, folder, false, fate);
}

static void judge_site(const hn_hunt *h, const hn_site *s, const char *folder, bool known,
                       hn_fate *fate)
{
    if (h->o.target == HN_KERNELS) judge_library(h, s, folder, known, fate);
    if (h->o.target == HN_HARNESS) judge_harness(h, s, folder, fate);
    if (h->o.target == HN_REF) judge_reference(h, s, folder, fate);
}

/* Who spoke in the last program's output: a sanitizer, or a check, as the kernel is not optimised there;
 * NULL: nobody, as after a run that was too slow. */
static const char *who_spoke(const char *folder)
{
    char log[1200];
    snprintf(log, sizeof log, "%s/output", folder);
    char *text = hn_read_file(log, NULL);
    const bool sanitizer =
        text && (strstr(text, "runtime error: ") || strstr(text, "ERROR: AddressSanitizer"));
    const bool check = text && (strstr(text, "FAIL ") || strstr(text, "CRASH "));
    free(text);
    return sanitizer ? "sanitizer" : check ? "unoptimised" : NULL;
}

/* A second chance for survivors: the same in a build with sanitizers, which see a kernel leave its
 * own arrays or overflow an integer, and in which nothing that is undefined is left out. */
static void judge_sanitized(const hn_hunt *h, const hn_site *s, const char *folder, hn_fate *fate)
{
    const hn_unit *unit = &h->build.units[s->units[0]];
    const hn_unit *mine = hn_build_unit(&h->sanitized, unit->file);
    char object[120], library[120], suite[120], command[2400];
    const char *objects[] = { object };
    snprintf(suite, sizeof suite, "%s/some.cases", folder);
    hn_write_file(suite, some_cases, strlen(some_cases));
    snprintf(object, sizeof object, "%s/sanitized.o", folder);
    snprintf(library, sizeof library, "%s/sanitized.so", folder);
    if (!mine || hn_unit_compile(&h->sanitized, mine, folder, object) != 0) return;
    if (hn_link(&h->sanitized, h->sanitized_link, hn_products[HN_KERNELS][0], &mine, objects, 1,
                library) != 0)
        return;
    snprintf(
        command, sizeof command,
        "'%s/ckparity' run %s --isa %s --subject '%s' --suite %s --seed %llx --jobs 1 --fail-fast",
        h->sanitized.folder, s->stem, s->isa, library, suite,
        (unsigned long long)h->o.run_seeds[0]);
    hn_fate found = { .kind = HN_FATE_NONE };
    hn_judge_program(command, "sanitizer", folder, PROGRAM_SECONDS, &found);
    const char *who = who_spoke(folder);
    if (found.kind != HN_FATE_KILLED || !who) return;
    snprintf(found.by, sizeof found.by, "%s", who);
    if (fate->kind == HN_FATE_SURVIVED) *fate = found;
    fate->missed = 0; /* whatever cases were drawn */
}

static void keep_survivor(const hn_hunt *h, size_t index, const char *path, const char *folder)
{
    char command[4096];
    if (!h->o.keep) return;
    snprintf(command, sizeof command,
             "mkdir -p '%s' && cp '%s' '%s/%zu-%s' && cp %s/%s '%s/%zu-%s'", h->o.keep, path,
             h->o.keep, index, strrchr(path, '/') + 1, folder, hn_products[h->o.target][0],
             h->o.keep, index, hn_products[h->o.target][0]);
    hn_shell(command, "/", NULL, 60);
}

static void try_task(const hn_hunt *h, size_t index, const char *folder)
{
    const hn_task *t = &h->tasks[index];
    const hn_site *s = &h->sites[t->site];
    const hn_source *from = &h->sources[s->source];
    const hn_answer *answer = hn_task_answer(h, t);
    const bool known = answer && answer->equivalent;
    hn_fate fate = { .kind = HN_FATE_INVALID };
    char path[2200];
    const double began = hn_wall_seconds();
    snprintf(path, sizeof path, "%s/%s", folder, from->path);
    char *text = hn_mutation_apply(hn_task_mutation(h, t), from->text);
    if (text && hn_write_file(path, text, strlen(text)) == 0) {
        fate.kind = compile_site(h, s, folder);
        if (fate.kind == HN_FATE_NONE) judge_site(h, s, folder, known, &fate);
        if (fate.missed && !known && h->o.sanitized && s->stem)
            judge_sanitized(h, s, folder, &fate);
        if (fate.kind == HN_FATE_SURVIVED) keep_survivor(h, index, path, folder);
    }
    if (hn_write_file(path, from->text, strlen(from->text)) != 0) {
        hn_mutate_error("%s cannot be written", path);
        _exit(1);
    }
    free(text);
    fate.seconds = hn_wall_seconds() - began;
    h->fates[index] = fate;
    if (fate.kind == HN_FATE_SURVIVED && !answer) hn_task_print(h, index, stderr);
    if (fate.kind >= HN_FATE_KILLED) atomic_fetch_add(&h->shared->judged, 1);
}

/* A copy of the tree, in which a job changes files. */
static int copy_tree(const char *from, const char *folder)
{
    char command[8192];
    snprintf(command, sizeof command, "mkdir -p '%s' && cd '%s' && cp -r kernels ref harness '%s'",
             folder, from, folder);
    return hn_shell(command, "/", NULL, 60);
}

static void work(const hn_hunt *h, unsigned job)
{
    char folder[100], original[100];
    snprintf(folder, sizeof folder, "%s/%u", h->scratch, job);
    snprintf(original, sizeof original, "%s/original", h->scratch);
    if (copy_tree(original, folder) != 0) _exit(1);
    while (atomic_load(&h->shared->judged) < h->o.limit) {
        const uint64_t index = atomic_fetch_add(&h->shared->next, 1);
        if (index >= h->ntasks) break;
        try_task(h, index, folder);
    }
    _exit(0);
}

static hn_progress *progress;

/* An interrupted hunt tries no more mutants and reports those that it has tried. */
static void on_interrupt(int number)
{
    (void)number;
    atomic_store(&progress->judged, UINT64_MAX / 2);
}

static int run_jobs(const hn_hunt *h)
{
    int failed = 0, status;
    atomic_store(&h->shared->next, h->o.skip);
    fflush(NULL);
    progress = h->shared;
    signal(SIGINT, on_interrupt);
    for (unsigned j = 0; j < h->o.jobs; j++) {
        const pid_t pid = fork();
        if (pid == 0) work(h, j);
        failed |= pid < 0;
    }
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) >= 0;) {
        failed |= pid > 0 && status != 0;
        if (isatty(2))
            fprintf(stderr, "\r%llu of %llu, %llu tried ",
                    (unsigned long long)atomic_load(&h->shared->judged),
                    (unsigned long long)h->o.limit,
                    (unsigned long long)atomic_load(&h->shared->next));
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    }
    if (isatty(2)) fprintf(stderr, "\r%60s\r", "");
    return failed ? hn_mutate_error("%s", "a job did not start, or ended early") : 0;
}

/* A library of all originals. */
static int link_originals(const hn_hunt *h, const char *folder, const char *output)
{
    const hn_unit **units = calloc(h->build.nunits, sizeof *units);
    const char **objects = calloc(h->build.nunits, sizeof *objects);
    char(*names)[120] = calloc(h->build.nunits, sizeof *names), name[120];
    size_t n = 0;
    for (size_t u = 0; units && objects && names && u < h->build.nunits; u++) {
        snprintf(name, sizeof name, "%s/u%zu.o", folder, u);
        if (access(name, R_OK) != 0) continue;
        strcpy(names[n], name);
        units[n] = &h->build.units[u];
        objects[n] = names[n];
        n++;
    }
    const int status =
        n ? hn_link(&h->build, h->links[0], hn_products[h->o.target][0], units, objects, n, output)
          : -1;
    free(units);
    free(objects);
    free(names);
    return status;
}

static int blame_original(const hn_hunt *h, const hn_site *s, const hn_fate *fate)
{
    fprintf(stderr, "ckparity-mutate: the original of %s fails: %s %s %s\n",
            s->stem ? s->stem : hn_target_names[h->o.target], fate->by, fate->what, fate->line);
    return 2;
}

/* Originals must pass what kills mutants. */
static int check_originals(const hn_hunt *h, const char *folder)
{
    const hn_ordeal ordeal = { .suite = h->o.suite, .seed = h->o.run_seeds[0], .trace = true };
    char library[1200];
    snprintf(library, sizeof library, "%s/all.so", folder);
    if (h->o.target == HN_KERNELS && link_originals(h, folder, library) != 0)
        return hn_mutate_error("the originals do not link in %s", folder);
    for (size_t i = 0; i < h->nsites; i++) {
        const hn_site *s = &h->sites[i];
        hn_fate fate = { 0 };
        if (i > 0 && (hn_same_kernel(s, s - 1) || h->o.target != HN_KERNELS)) continue;
        if (s->stem) {
            hn_judge_kernel(library, s->stem, s->isa, &ordeal, &fate);
        } else {
            if (compile_site(h, s, folder) != HN_FATE_SAME)
                return hn_mutate_error("%s: two compilations differ", h->sources[s->source].path);
            judge_site(h, s, folder, true, &fate);
        }
        if (fate.kind != HN_FATE_SURVIVED) return blame_original(h, s, &fate);
    }
    return 0;
}

/* Compiles what mutants are compared with, each unit once. */
static int compile_originals(hn_hunt *h, const char *folder)
{
    char path[1200];
    for (size_t i = 0; i < h->nsites; i++)
        for (size_t k = 0; k < h->sites[i].nunits; k++) {
            hn_unit *unit = &h->build.units[h->sites[i].units[k]];
            hn_unit_precompile(&h->build, unit, h->scratch);
            snprintf(path, sizeof path, "%s/u%zu.o", folder, h->sites[i].units[k]);
            if (access(path, R_OK) != 0 && hn_unit_compile(&h->build, unit, folder, path) != 0)
                return hn_mutate_error("%s does not compile", unit->file);
        }
    return 0;
}

static int prepare(hn_hunt *h)
{
    char folder[100];
    snprintf(folder, sizeof folder, "%s/original", h->scratch);
    if (copy_tree(h->build.source, folder) != 0)
        return hn_mutate_error("%s: cannot copy the tree", h->scratch);
    const int status = compile_originals(h, folder);
    if (status != 0) return status;
    for (size_t i = 0; i < HN_PRODUCTS_MAX && hn_products[h->o.target][i]; i++)
        if (!(h->links[i] = hn_link_command(&h->build, hn_products[h->o.target][i])))
            return hn_mutate_error("%s: ninja knows no command to link it",
                                   hn_products[h->o.target][i]);
    if (h->o.sanitized &&
        !(h->sanitized_link = hn_link_command(&h->sanitized, hn_products[HN_KERNELS][0])))
        return hn_mutate_error("--sanitized %s: ninja cannot link libck.so", h->o.sanitized);
    return check_originals(h, folder);
}

int hn_hunt_run(hn_hunt *h)
{
    char command[100];
    if (h->o.skip > h->ntasks) h->o.skip = h->ntasks;
    if (h->o.limit > h->ntasks) h->o.limit = h->ntasks;
    h->fates = mmap(NULL, h->ntasks * sizeof *h->fates, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    h->shared =
        mmap(NULL, sizeof *h->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (h->fates == MAP_FAILED || h->shared == MAP_FAILED)
        return hn_mutate_error("%s", "out of memory");
    strcpy(h->scratch, "/tmp/ckparity-mutate-XXXXXX");
    if (!mkdtemp(h->scratch)) return hn_mutate_error("%s: no folder can be made there", h->scratch);
    int status = prepare(h);
    if (status == 0) status = run_jobs(h);
    snprintf(command, sizeof command, "rm -rf '%s'", h->scratch);
    hn_shell(command, "/", NULL, 60);
    return status;
}
