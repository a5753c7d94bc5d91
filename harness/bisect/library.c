/* SPDX-License-Identifier: MIT */
/* Making the library of a candidate, and what its run means. */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = { "?", "good", "bad", "skip" };
enum { ARGUMENTS_MAX = HN_BISECT_WORDS_MAX + 16 };

/* Runs the cases, or the check of the digests, on a library (NULL: the built-in one) and one isa
 * (NULL: all). The output is in the files `out` and `err`. */
int hn_bisect_run(const hn_search *b, const char *library, const char *isa, const char *old)
{
    const char *argv[ARGUMENTS_MAX] = { b->self, b->digest ? "digest" : "run" };
    size_t n = 2;
    if (library) argv[n++] = "--subject", argv[n++] = library;
    if (isa) argv[n++] = "--isa", argv[n++] = isa;
    if (b->digest) argv[n++] = "--check", argv[n++] = hn_bisect_tmp(b, "digests");
    if (old) argv[n++] = "--old", argv[n++] = old;
    if (!b->digest && b->suite) argv[n++] = "--suite", argv[n++] = b->suite;
    if (!b->digest && !b->ncases) argv[n++] = "--fail-fast";
    for (size_t i = 0; !b->digest && i < b->nwords; i++) argv[n++] = b->words[i];
    return hn_spawn(argv, hn_bisect_tmp(b, "out"), hn_bisect_tmp(b, "err"));
}

/* The first line that says what failed. */
void hn_bisect_find_failure(const char *text, char *line, size_t size)
{
    static const char *const names[] = { "FAIL", "CRASH", "HANG", "CHANGED", "STALE", "WEAK" };
    line[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !line[0]; i++)
        hn_find_line(text, names[i], 1, line, size);
}

/* What the test's exit code and output mean. Nothing failed and nothing passed: nothing is known. */
hn_state hn_bisect_judge(const hn_search *b, int status, char *why, size_t size)
{
    char sum[HN_BISECT_TEXT_MAX], *out = hn_read_text(hn_bisect_tmp(b, "out")), *err = NULL;
    unsigned long long passed = 0, failed = 0;
    hn_state result = HN_IS_SKIP;
    hn_find_line(out, " passed, ", 0, sum, sizeof sum);
    sscanf(sum, "%llu passed, %llu failed", &passed, &failed);
    hn_bisect_find_failure(out, why, size);
    if (status > 128) {
        snprintf(why, size, "ckparity itself died of signal %d", status - 128);
        result = HN_IS_BAD;
    } else if (failed > 0) {
        result = HN_IS_BAD;
    } else if (passed > 0) {
        snprintf(why, size, "ok");
        result = HN_IS_GOOD;
    } else {
        err = hn_read_text(hn_bisect_tmp(b, "err"));
        hn_find_line(err, "ckparity: ", 1, why, size);
        if (!why[0]) snprintf(why, size, "nothing was run");
    }
    free(err);
    free(out);
    return result;
}

/* The first line of a log that names an error; without the path of our worktree. */
const char *hn_bisect_first_error(const hn_search *b, const char *log, char *line, size_t size)
{
    static const char relative[] = "../src/";
    char *text = hn_read_text(log);
    const size_t folder = strlen(b->tmp) + sizeof "/src";
    hn_find_line(text, "rror: ", 0, line, size);
    if (!line[0]) hn_find_line(text, "rror", 0, line, size);
    free(text);
    if (strncmp(line, relative, sizeof relative - 1) == 0) return line + sizeof relative - 1;
    return strncmp(line, b->tmp, strlen(b->tmp)) == 0 && strlen(line) > folder ? line + folder
                                                                               : line;
}

/* Configures `source` and builds its libck.so. `compiler` as in --compilers. */
int hn_bisect_build(const hn_search *b, const char *source, const char *folder,
                    const char *compiler)
{
    char name[HN_PATH_MAX] = "", flags[HN_PATH_MAX] = "", *last;
    const char *const log = hn_bisect_tmp(b, "log");
    const char *configure[16] = { "cmake", "-S", source,  "-B",
                                  folder,  "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release" };
    const char *make[] = { "cmake", "--build", folder, "--target", "ck", NULL };
    if (compiler) {
        snprintf(name, sizeof name, "-DCMAKE_C_COMPILER=%s", compiler);
        last = strchr(name, ':');
        if (last) *last++ = '\0';
        snprintf(flags, sizeof flags, "-DCK_OPTIONS_LAST=%s", last ? last : "");
        for (char *c = flags; *c; c++) *c = *c == ':' ? ';' : *c;
        configure[8] = name;
        configure[9] = flags;
    }
    const int status = hn_spawn(configure, log, log);
    return status ? status : hn_spawn(make, log, log);
}

static int checkout(const hn_search *b, const char *commit)
{
    const char *const source = hn_bisect_tmp(b, "src"), *const log = hn_bisect_tmp(b, "log");
    const char *switch_to[] = { "git",      "-C",      source, "checkout", "--quiet",
                                "--detach", "--force", commit, NULL };
    const char *clean[] = { "git", "-C", source, "clean", "-ffdqx", NULL };
    const int status = hn_spawn(switch_to, log, log);
    return status ? status : hn_spawn(clean, log, log);
}

/* Fills in c->library, or why there is none. */
void hn_bisect_make_library(const hn_search *b, hn_candidate *c, size_t index)
{
    char name[32], line[HN_BISECT_TEXT_MAX];
    if (checkout(b, c->name) != 0) {
        snprintf(c->why, sizeof c->why, "git cannot check it out");
        return;
    }
    if (hn_bisect_build(b, hn_bisect_tmp(b, "src"), hn_bisect_tmp(b, "build"), NULL) != 0) {
        snprintf(c->why, sizeof c->why, "does not build: %.160s",
                 hn_bisect_first_error(b, hn_bisect_tmp(b, "log"), line, sizeof line));
        return;
    }
    /* moved, so that no other commit can be taken for this one */
    snprintf(name, sizeof name, "libck-%zu.so", index);
    if (rename(hn_bisect_tmp(b, "build/libck.so"), hn_bisect_tmp(b, name)) != 0)
        snprintf(c->why, sizeof c->why, "builds no libck.so");
    else
        c->library = hn_bisect_checked(strdup(hn_bisect_tmp(b, name)));
}

static void print_candidate(const hn_search *b, const hn_candidate *c)
{
    if (b->libraries)
        printf("%-4s %s  %.60s\n", state_names[c->state], c->name, c->why);
    else
        printf("%-4s %.*s %-40.40s  %.100s\n", state_names[c->state], HN_BISECT_HASH_SHOWN, c->name,
               c->title, c->why);
    fflush(stdout);
}

hn_state hn_bisect_test(const hn_search *b, size_t index)
{
    hn_candidate *c = &b->list[index];
    if (c->state != HN_IS_UNTESTED) return c->state;
    if (!c->library) hn_bisect_make_library(b, c, index);
    c->state = HN_IS_SKIP;
    if (c->library)
        c->state =
            hn_bisect_judge(b, hn_bisect_run(b, c->library, NULL, NULL), c->why, sizeof c->why);
    if (!hn_bisect_interrupted) print_candidate(b, c);
    return c->state;
}
