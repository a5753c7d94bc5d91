/* SPDX-License-Identifier: MIT */
/* ckparity-mutate: the command line. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hunt.h"

enum { EXIT_OK = 0, EXIT_INPUT = 2, JOBS_MAX = 64 };

static const char usage[] =
    "ckparity-mutate: changes one token of the sources at a time; the tests must notice\n"
    "\n"
    "  ckparity-mutate --target kernels|ref|harness [options]\n"
    "  ckparity-mutate --list FILE      all mutations of one C file\n"
    "\n"
    "  --op X        kernels: only this op (gemm_nt_f32)\n"
    "  --isa X       kernels: only this instruction set\n"
    "  --file X      only files whose path matches X (a part of it, or a pattern)\n"
    "  --line N      only this line of each file\n"
    "  --mutator X   only this operator (see docs/mutants.md); spec, the declarations of\n"
    "                kernels, is off unless named\n"
    "  --limit N     as many mutants, drawn over files and operators (default 100); neither\n"
    "                those that do not compile nor those that compile to the same are counted\n"
    "  --skip N      leave out the first N that would be tried: a hunt in pieces\n"
    "  --seed HEX    other mutants (default 1)\n"
    "  --run-seed L  other drawn cases: a seed (default: that of the mutants), or up to 16 of\n"
    "                them with commas between, each of which kernels are judged under\n"
    "  --suite S     kernels: smoke (default), or as in ckparity run\n"
    "  --ablation    kernels: which checks catch each, and which only one of them does\n"
    "  --quick       harness: without the selftests of all ops, which take minutes\n"
    "  --answers F   reasons of known survivors (default harness/mutate/answers.txt)\n"
    "  --keep DIR    survivors' sources and libraries\n"
    "  --build DIR   a build with compile_commands.json (default: where this program is)\n"
    "  --sanitized DIR  kernels: a build with sanitizers, which survivors are tried in, too\n"
    "  --jobs N      processes (default: one a core)\n"
    "\n"
    "An interrupt (SIGINT) ends a hunt early: what was tried until then is reported.\n"
    "exit: 0 all killed or answered, 1 a mutant survived, 2 bad input\n";

int hn_mutate_error(const char *format, const char *detail)
{
    fputs("ckparity-mutate: ", stderr);
    fprintf(stderr, format, detail);
    fputc('\n', stderr);
    return EXIT_INPUT;
}

static int set_number(uint64_t *to, const char *name, const char *value)
{
    char *end;
    errno = 0;
    *to = strtoull(value, &end, strcmp(name, "--seed") == 0 ? 16 : 10);
    if (end != value && !*end && errno == 0 && *value != '-' && (*to || name[2] == 's')) return 0;
    fprintf(stderr, "ckparity-mutate: %s %s is no number above 0\n", name, value);
    return EXIT_INPUT;
}

static int set_run_seeds(hn_hunt_options *o, const char *value)
{
    char *end = NULL;
    for (const char *p = value; o->nrun_seeds < HN_RUN_SEEDS_MAX; p = end + 1) {
        errno = 0;
        o->run_seeds[o->nrun_seeds++] = strtoull(p, &end, 16);
        if (end == p || *p == '-' || errno != 0) break;
        if (*end == '\0') return 0;
        if (*end != ',') break;
    }
    return hn_mutate_error("--run-seed %s: want up to 16 hexadecimal numbers", value);
}

static int set_option(hn_hunt_options *o, const char *name, const char *value)
{
    const struct {
        const char *name, **text;
        uint64_t *number;
    } all[] = {
        { "--op", &o->op, NULL },
        { "--isa", &o->isa, NULL },
        { "--file", &o->file, NULL },
        { "--mutator", &o->mutator, NULL },
        { "--suite", &o->suite, NULL },
        { "--answers", &o->answers, NULL },
        { "--keep", &o->keep, NULL },
        { "--build", &o->build, NULL },
        { "--sanitized", &o->sanitized, NULL },
        { "--list", &o->list, NULL },
        { "--limit", NULL, &o->limit },
        { "--skip", NULL, &o->skip },
        { "--seed", NULL, &o->seed },
        { "--jobs", NULL, &o->jobs },
        { "--line", NULL, &o->line },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) != 0) continue;
        if (all[i].number) return set_number(all[i].number, name, value);
        *all[i].text = value;
        return 0;
    }
    if (strcmp(name, "--run-seed") == 0) return set_run_seeds(o, value);
    if (strcmp(name, "--target") != 0) return hn_mutate_error("unknown option %s (--help)", name);
    for (int i = 0; i < 3; i++)
        if (strcmp(hn_target_names[i], value) == 0) return o->target = (hn_target)i, 0;
    return hn_mutate_error("--target %s is none of kernels ref harness", value);
}

static int parse_options(hn_hunt_options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int status = 0;
        if (strcmp(argv[i], "--ablation") == 0)
            o->ablation = true;
        else if (strcmp(argv[i], "--quick") == 0)
            o->quick = true;
        else if (i + 1 == argc)
            return hn_mutate_error("%s needs a value, or is unknown", argv[i]);
        else
            status = set_option(o, argv[i], argv[i + 1]), i++;
        if (status != 0) return status;
    }
    if (o->nrun_seeds == 0) o->run_seeds[o->nrun_seeds++] = o->seed;
    if (o->jobs > JOBS_MAX) return hn_mutate_error("%s", "--jobs is above 64");
    for (int i = 0; o->mutator && i < HN_MUTATOR_COUNT; i++) {
        if (strcmp(hn_mutator_names[i], o->mutator) == 0) return 0;
        if (i + 1 == HN_MUTATOR_COUNT)
            return hn_mutate_error("--mutator %s: no such operator", o->mutator);
    }
    return 0;
}

static int list_file(const char *path)
{
    char *text = hn_read_file(path, NULL);
    hn_mutations all;
    if (!text || hn_mutations_find(&all, text) != 0)
        return hn_mutate_error("%s cannot be read", path);
    for (size_t i = 0; i < all.n; i++) {
        printf("%u:%u ", all.list[i].line, all.list[i].column);
        hn_mutation_print(&all.list[i], text, stdout);
    }
    hn_mutations_free(&all);
    free(text);
    return EXIT_OK;
}

static const char *own_folder(void)
{
    static char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    return path;
}

int main(int argc, char **argv)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    static hn_hunt h;
    char error[1024], path[2200];
    h.o = (hn_hunt_options){ .suite = "smoke",
                             .seed = 1,
                             .limit = 100,
                             .jobs = cores > 0 ? (uint64_t)cores : 1,
                             .build = own_folder() };
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_INPUT : EXIT_OK;
    }
    int status = parse_options(&h.o, argc, argv);
    if (status != 0) return status;
    if (h.o.list) return list_file(h.o.list);
    if (hn_build_open(&h.build, h.o.build, error, sizeof error) != 0)
        return hn_mutate_error("--build: %s", error);
    if (h.o.sanitized && hn_build_open(&h.sanitized, h.o.sanitized, error, sizeof error) != 0)
        return hn_mutate_error("--sanitized: %s", error);
    snprintf(path, sizeof path, "%s/harness/mutate/answers.txt", h.build.source);
    if (hn_answers_open(&h.answers, h.o.answers ? h.o.answers : path, error, sizeof error) != 0)
        return hn_mutate_error("--answers: %s", error);
    status = hn_hunt_draw(&h);
    if (status == 0) status = hn_hunt_run(&h);
    if (status == 0) status = hn_hunt_report(&h);
    if (fflush(stdout) != 0) return hn_mutate_error("standard output: %s", strerror(errno));
    return status;
}
