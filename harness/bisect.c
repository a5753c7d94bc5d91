/* SPDX-License-Identifier: MIT */
/* Bisection: old kernels, built as libck.so from a worktree of their commit, under this program. */
#include "bisect.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "family.h"
#include "process.h"
#include "subject.h"

enum { FOUND = 0, NOT_FOUND = 1, INPUT = 2 };
enum { WORDS_MAX = 64, ARGUMENTS_MAX = WORDS_MAX + 16, TEXT_MAX = 200, HASH_SHOWN = 12 };

typedef enum state { UNTESTED, GOOD, BAD, SKIP } state;
static const char *const state_names[] = { "?", "good", "bad", "skip" };

/* A commit, or a library. */
typedef struct candidate {
    char *name;  /* full hash; path */
    char *title; /* subject line; "" */
    char *library;
    state state;
    char why[TEXT_MAX];
} candidate;

typedef struct bisect {
    const char *good, *bad, *digest, *suite, *repo, *out;
    const char *words[WORDS_MAX]; /* cases and filters */
    size_t nwords, ncases;
    char *libraries, *compilers, *isas; /* lists; NULL: not given */
    candidate *list;
    size_t count;
    char self[HN_PATH_MAX], top[HN_PATH_MAX];
    char tmp[HN_PATH_MAX / 4]; /* "": none */
    bool worktree;
} bisect;

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static int bad_input(const char *format, const char *detail)
{
    fputs("ckparity: bisect: ", stderr);
    fprintf(stderr, format, detail);
    fputc('\n', stderr);
    return INPUT;
}

static void *checked(void *memory)
{
    if (memory) return memory;
    fputs("ckparity: out of memory\n", stderr);
    exit(NOT_FOUND);
}

/* A file of the temporary folder; valid until the eighth call after. */
static const char *in_tmp(const bisect *b, const char *name)
{
    static char paths[8][HN_PATH_MAX];
    static size_t next;
    char *path = paths[next++ % 8];
    snprintf(path, HN_PATH_MAX, "%s/%s", b->tmp, name);
    return path;
}

/* --- The test of a library. */

/* Runs the cases, or the check of the digests, on a library (NULL: the built-in one) and one isa
 * (NULL: all). The output is in the files `out` and `err`. */
static int run_test(const bisect *b, const char *library, const char *isa, const char *old)
{
    const char *argv[ARGUMENTS_MAX] = { b->self, b->digest ? "digest" : "run" };
    size_t n = 2;
    if (library) argv[n++] = "--subject", argv[n++] = library;
    if (isa) argv[n++] = "--isa", argv[n++] = isa;
    if (b->digest) argv[n++] = "--check", argv[n++] = in_tmp(b, "digests");
    if (old) argv[n++] = "--old", argv[n++] = old;
    if (!b->digest && b->suite) argv[n++] = "--suite", argv[n++] = b->suite;
    if (!b->digest && !b->ncases) argv[n++] = "--fail-fast";
    for (size_t i = 0; !b->digest && i < b->nwords; i++) argv[n++] = b->words[i];
    return hn_spawn(argv, in_tmp(b, "out"), in_tmp(b, "err"));
}

/* The first line that says what failed. */
static void find_failure(const char *text, char *line, size_t size)
{
    static const char *const names[] = { "FAIL", "CRASH", "HANG", "CHANGED", "STALE", "WEAK" };
    line[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !line[0]; i++)
        hn_find_line(text, names[i], 1, line, size);
}

/* What the test's exit code and output mean. Nothing failed and nothing passed: nothing is known. */
static state judge(const bisect *b, int status, char *why, size_t size)
{
    char sum[TEXT_MAX], *out = hn_read_text(in_tmp(b, "out")), *err = NULL;
    unsigned long long passed = 0, failed = 0;
    state result = SKIP;
    hn_find_line(out, " passed, ", 0, sum, sizeof sum);
    sscanf(sum, "%llu passed, %llu failed", &passed, &failed);
    find_failure(out, why, size);
    if (status > 128) {
        snprintf(why, size, "ckparity itself died of signal %d", status - 128);
        result = BAD;
    } else if (failed > 0) {
        result = BAD;
    } else if (passed > 0) {
        snprintf(why, size, "ok");
        result = GOOD;
    } else {
        err = hn_read_text(in_tmp(b, "err"));
        hn_find_line(err, "ckparity: ", 1, why, size);
        if (!why[0]) snprintf(why, size, "nothing was run");
    }
    free(err);
    free(out);
    return result;
}

/* --- Building a commit. */

/* The first line of a log that names an error; without the path of our worktree. */
static const char *first_error(const bisect *b, const char *log, char *line, size_t size)
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
static int build(const bisect *b, const char *source, const char *folder, const char *compiler)
{
    char name[HN_PATH_MAX] = "", flags[HN_PATH_MAX] = "", *last;
    const char *const log = in_tmp(b, "log");
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

static int checkout(const bisect *b, const char *commit)
{
    const char *const source = in_tmp(b, "src"), *const log = in_tmp(b, "log");
    const char *switch_to[] = { "git",      "-C",      source, "checkout", "--quiet",
                                "--detach", "--force", commit, NULL };
    const char *clean[] = { "git", "-C", source, "clean", "-ffdqx", NULL };
    const int status = hn_spawn(switch_to, log, log);
    return status ? status : hn_spawn(clean, log, log);
}

/* Fills in c->library, or why there is none. */
static void make_library(const bisect *b, candidate *c, size_t index)
{
    char name[32], line[TEXT_MAX];
    if (checkout(b, c->name) != 0) {
        snprintf(c->why, sizeof c->why, "git cannot check it out");
        return;
    }
    if (build(b, in_tmp(b, "src"), in_tmp(b, "build"), NULL) != 0) {
        snprintf(c->why, sizeof c->why, "does not build: %.160s",
                 first_error(b, in_tmp(b, "log"), line, sizeof line));
        return;
    }
    /* moved, so that no other commit can be taken for this one */
    snprintf(name, sizeof name, "libck-%zu.so", index);
    if (rename(in_tmp(b, "build/libck.so"), in_tmp(b, name)) != 0)
        snprintf(c->why, sizeof c->why, "builds no libck.so");
    else
        c->library = checked(strdup(in_tmp(b, name)));
}

static void print_candidate(const bisect *b, const candidate *c)
{
    if (b->libraries)
        printf("%-4s %s  %.60s\n", state_names[c->state], c->name, c->why);
    else
        printf("%-4s %.*s %-40.40s  %.100s\n", state_names[c->state], HASH_SHOWN, c->name, c->title,
               c->why);
    fflush(stdout);
}

static state test_candidate(const bisect *b, size_t index)
{
    candidate *c = &b->list[index];
    if (c->state != UNTESTED) return c->state;
    if (!c->library) make_library(b, c, index);
    c->state = SKIP;
    if (c->library) c->state = judge(b, run_test(b, c->library, NULL, NULL), c->why, sizeof c->why);
    if (!interrupted) print_candidate(b, c);
    return c->state;
}

/* --- The search. */

/* An untested candidate between `low` and `high`: the middle one, beside what cannot be tested at
 * doubling distances; `high` if there is none. */
static size_t choose(const bisect *b, size_t low, size_t high)
{
    const size_t middle = low + (high - low) / 2;
    if (b->list[middle].state == UNTESTED) return middle;
    for (size_t d = 1; d < high - low; d *= 2) {
        if (middle + d < high && b->list[middle + d].state == UNTESTED) return middle + d;
        if (middle > low + d && b->list[middle - d].state == UNTESTED) return middle - d;
    }
    for (size_t i = low + 1; i < high; i++)
        if (b->list[i].state == UNTESTED) return i;
    return high;
}

static bool is_stale(const candidate *c) { return strncmp(c->why, "STALE", 5) == 0; }

/* Both ends must be as they are said to be. */
static int check_ends(const bisect *b)
{
    const candidate *good = &b->list[0], *bad = &b->list[b->count - 1];
    const state first = test_candidate(b, 0);
    if (interrupted) return NOT_FOUND;
    if (first == GOOD && test_candidate(b, b->count - 1) == BAD) return FOUND;
    if (interrupted) return NOT_FOUND;
    if (is_stale(good))
        printf("not reproducible: the digest is of other data than this program makes\n");
    else if (first != GOOD)
        printf("not reproducible: the good end is %s: %s\n", first == BAD ? "bad" : "not testable",
               good->why);
    else
        printf("not reproducible: the bad end is %s: %s\n",
               bad->state == GOOD ? "good" : "not testable", bad->why);
    return NOT_FOUND;
}

/* Leaves the last good in *low and the first bad in *high; between them are only untestable ones. */
static int search(const bisect *b, size_t *low, size_t *high)
{
    unsigned steps = 0;
    *low = 0;
    *high = b->count - 1;
    for (size_t span = b->count - 1; span > 1; span = (span + 1) / 2) steps++;
    printf("%zu to search, about %u steps\n", b->count - 1, steps);
    const int status = check_ends(b);
    if (status != FOUND) return status;
    while (*high - *low > 1 && !interrupted) {
        const size_t next = choose(b, *low, *high);
        if (next == *high) break;
        const state got = test_candidate(b, next);
        if (got == GOOD) *low = next;
        if (got == BAD) *high = next;
    }
    return interrupted ? NOT_FOUND : FOUND;
}

/* --- The report. */

/* "VERDICT kernel mode: check: what" taken apart; a line of another form stays whole. */
static void print_failure(const char *line)
{
    char verdict[16] = "", kernel[80] = "", mode[16] = "", check[24] = "";
    int what = 0;
    const int read =
        sscanf(line, "%15s %79s %15[a-z]: %23[a-z]: %n", verdict, kernel, mode, check, &what);
    if (read >= 3) printf("op        %s %s\n", kernel, mode);
    if (read >= 4 && what > 0)
        printf("verdict   %s\ncheck     %s\nelement   %s\n", verdict, check, line + what);
    else
        printf("verdict   %s\n", line);
}

static void print_field(const char *text, const char *key, const char *name)
{
    char line[HN_LINE_MAX + 32];
    hn_find_line(text, key, 0, line, sizeof line);
    const char *at = strstr(line, key);
    if (at) printf("%-9s %s\n", name, at + strlen(key));
}

/* Of a digest: the element that changed and by how much. */
static void print_element(const char *out)
{
    char line[TEXT_MAX + 100];
    hn_find_line(out, "    y[", 1, line, sizeof line);
    if (line[0]) printf("element   %s\n", line + 4);
}

static void print_commands(const bisect *b, const candidate *c, const char *out)
{
    char line[HN_LINE_MAX + 32], library[HN_PATH_MAX];
    snprintf(library, sizeof library, "/tmp/ck-%.*s/build/libck.so", HASH_SHOWN, c->name);
    printf("reproduce\n");
    if (!b->libraries)
        printf("    git -C '%s' worktree add --detach /tmp/ck-%.*s %s\n"
               "    cmake -S /tmp/ck-%.*s -B /tmp/ck-%.*s/build -G Ninja "
               "-DCMAKE_BUILD_TYPE=Release\n"
               "    cmake --build /tmp/ck-%.*s/build --target ck\n",
               b->top, HASH_SHOWN, c->name, c->name, HASH_SHOWN, c->name, HASH_SHOWN, c->name,
               HASH_SHOWN, c->name);
    const char *subject = b->libraries ? c->name : library;
    if (b->digest) {
        char *digests = hn_read_text(in_tmp(b, "digests"));
        printf("    echo '%.*s' |\n    ckparity digest --check /dev/stdin --subject %s\n",
               (int)strcspn(digests ? digests : "", "\n"), digests ? digests : "", subject);
        free(digests);
        return;
    }
    hn_find_line(out, "ckparity run '", 0, line, sizeof line);
    const char *at = strstr(line, "'");
    printf("    ckparity run --subject %s %s\n", subject, at ? at : "");
}

/* The failing case as C (emit-c) in the folder of --out, with its library beside it, which keeps its
 * name: that is what the C file's program looks for. */
static void write_repro(const bisect *b, const candidate *c, const char *out)
{
    const char *const base = strrchr(c->library, '/');
    char line[HN_LINE_MAX + 32], folder[HN_PATH_MAX / 2], library[HN_PATH_MAX], file[HN_PATH_MAX];
    hn_find_line(out, "    shrunk ckparity run '", 1, line, sizeof line);
    if (!line[0]) hn_find_line(out, "    case   ckparity run '", 1, line, sizeof line);
    char *text = strchr(line, '\''), *end = text ? strchr(text + 1, '\'') : NULL;
    if (!end) return;
    *end = '\0';
    snprintf(folder, sizeof folder, "%s/%.*s", b->out ? b->out : "ckparity-bisect", HASH_SHOWN,
             b->libraries ? "library" : c->name);
    snprintf(library, sizeof library, "%s/%s", folder, b->libraries ? base + 1 : "libck.so");
    snprintf(file, sizeof file, "%s/repro.c", folder);
    const char *const make[] = { "mkdir", "-p", folder, NULL };
    const char *const copy[] = { "cp", c->library, library, NULL };
    const char *const emit[] = {
        b->self, "emit-c", text + 1, "--subject", library, "-o", file, NULL
    };
    const char *const log = in_tmp(b, "log"), *const err = in_tmp(b, "err");
    if (hn_spawn(make, log, err) || hn_spawn(copy, log, err) || hn_spawn(emit, log, err)) {
        char *why = hn_read_text(err);
        printf("repro     none: %.*s\n", (int)strcspn(why ? why : "", "\n"), why ? why : "");
        free(why);
        return;
    }
    char *build = hn_read_text(log);
    printf("repro     %s\n    %.*s\n", file, (int)strcspn(build ? build : "", "\n"),
           build ? build : "");
    free(build);
}

/* What the commit touched, as git says it. */
static void print_files(const bisect *b, const candidate *c)
{
    const char *argv[] = { "git",       "-C", b->top,           "show",  "--stat=80", "--no-color",
                           "--format=", "-m", "--first-parent", c->name, NULL };
    if (b->libraries) return;
    printf("\n");
    hn_spawn(argv, NULL, NULL);
}

static void report(const bisect *b, size_t low, size_t high)
{
    const candidate *c = &b->list[high];
    char line[TEXT_MAX + 100];
    run_test(b, c->library, NULL, b->digest ? b->list[low].library : NULL);
    char *out = hn_read_text(in_tmp(b, "out"));
    find_failure(out, line, sizeof line);
    if (high - low > 1)
        printf("\nit is this one or one of the %zu before it, which cannot be tested\n",
               high - low - 1);
    printf("\nfirst bad %s\n", c->name);
    if (c->title[0]) printf("subject   %s\n", c->title);
    print_failure(line);
    if (b->digest) print_element(out);
    print_field(out, "    case   ckparity run ", "case");
    print_field(out, "    shrunk ckparity run ", "shrunk");
    if (!b->digest) write_repro(b, c, out);
    print_commands(b, c, out);
    print_files(b, c);
    printf("\n%s", out ? out : "");
    free(out);
}

/* --- Commits. */

/* One line of output of a git command, without its end; 0 if it succeeded. */
static int git_line(const bisect *b, const char *const *argv, char *line, size_t size)
{
    const int status = hn_spawn(argv, in_tmp(b, "out"), in_tmp(b, "err"));
    char *text = hn_read_text(in_tmp(b, "out"));
    snprintf(line, size, "%.*s", (int)strcspn(text ? text : "", "\n"), text ? text : "");
    free(text);
    return status;
}

static int resolve(const bisect *b, const char *revision, char *hash, size_t size)
{
    char name[HN_PATH_MAX];
    snprintf(name, sizeof name, "%s^{commit}", revision);
    const char *argv[] = {
        "git", "-C", b->top, "rev-parse", "--verify", "--quiet", "--end-of-options", name, NULL
    };
    return git_line(b, argv, hash, size) == 0 ? 0 : bad_input("no commit %s", revision);
}

static void add_candidate(bisect *b, const char *name, const char *title)
{
    if ((b->count & (b->count - 1)) == 0)
        b->list = checked(realloc(b->list, (b->count ? 2 * b->count : 1) * sizeof *b->list));
    b->list[b->count++] =
        (candidate){ .name = checked(strdup(name)), .title = checked(strdup(title)) };
}

/* The commits from good to bad along first parents, oldest first. */
static int list_commits(bisect *b, const char *good, const char *bad)
{
    char range[160], hash[64];
    snprintf(range, sizeof range, "%.64s..%.64s", good, bad);
    const char *ancestor[] = {
        "git", "-C", b->top, "merge-base", "--is-ancestor", good, bad, NULL
    };
    const char *log[] = { "git",       "-C",         b->top,           "log", "--first-parent",
                          "--reverse", "--no-color", "--format=%H %s", range, NULL };
    const char *first[] = { "git",        "-C",          b->top, "log", "-1",
                            "--no-color", "--format=%s", good,   NULL };
    char title[TEXT_MAX];
    if (hn_spawn(ancestor, in_tmp(b, "out"), in_tmp(b, "err")) != 0)
        return bad_input("--good %s is no ancestor of --bad", b->good);
    git_line(b, first, title, sizeof title);
    add_candidate(b, good, title);
    if (hn_spawn(log, in_tmp(b, "out"), in_tmp(b, "err")) != 0)
        return bad_input("git log %s fails", range);
    char *text = hn_read_text(in_tmp(b, "out"));
    for (char *line = text, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = '\0';
        snprintf(hash, sizeof hash, "%.*s", (int)strcspn(line, " "), line);
        add_candidate(b, hash, line[strlen(hash)] ? line + strlen(hash) + 1 : "");
    }
    free(text);
    return b->count > 1 ? 0 : bad_input("--good and --bad are the same commit %s", good);
}

static int open_worktree(bisect *b, const char *commit)
{
    const char *argv[] = { "git",     "-C",       b->top,           "worktree", "add",
                           "--quiet", "--detach", in_tmp(b, "src"), commit,     NULL };
    char line[TEXT_MAX];
    const char *const err = in_tmp(b, "err");
    b->worktree = true;
    if (hn_spawn(argv, in_tmp(b, "out"), err) == 0) return 0;
    return bad_input("git worktree add: %s", first_error(b, err, line, sizeof line));
}

/* The tree whose commits or files are meant. */
static int find_top(bisect *b)
{
    const char *argv[] = { "git", "-C", b->repo ? b->repo : ".", "rev-parse", "--show-toplevel",
                           NULL };
    return git_line(b, argv, b->top, sizeof b->top) == 0
               ? 0
               : bad_input("%s is in no git repository", b->repo ? b->repo : "this folder");
}

/* A case without its digests: they are those of the good end. */
static int take_digests(const bisect *b, const char *library)
{
    const char *argv[] = { b->self, "digest", "--subject", library, b->digest, NULL };
    if (b->digest[strspn(b->digest, "0123456789abcdef")] == ' ') return 0;
    const int status = hn_spawn(argv, in_tmp(b, "digests"), in_tmp(b, "err"));
    if (status == 0) return 0;
    printf("not reproducible: the good end gives no digest of this case\n");
    return NOT_FOUND;
}

static int over_list(bisect *b)
{
    size_t low, high;
    if (b->digest && !b->list[0].library) make_library(b, &b->list[0], 0);
    if (b->digest && b->list[0].library) {
        const int status = take_digests(b, b->list[0].library);
        if (status != 0) return status;
    }
    const int status = search(b, &low, &high);
    if (status == FOUND) report(b, low, high);
    return status;
}

static int over_commits(bisect *b)
{
    char good[80], bad[80];
    if (!b->good || !b->bad) return bad_input("needs %s", "--good REV and --bad REV");
    int status = find_top(b);
    if (status == 0) status = resolve(b, b->good, good, sizeof good);
    if (status == 0) status = resolve(b, b->bad, bad, sizeof bad);
    if (status == 0) status = list_commits(b, good, bad);
    if (status == 0) status = open_worktree(b, good);
    return status ? status : over_list(b);
}

static int over_libraries(bisect *b)
{
    char *save = NULL;
    for (char *name = strtok_r(b->libraries, "\n", &save); name;
         name = strtok_r(NULL, "\n", &save)) {
        char path[HN_PATH_MAX + 2];
        snprintf(path, sizeof path, "%s%s", strchr(name, '/') ? "" : "./", name);
        add_candidate(b, name, "");
        b->list[b->count - 1].library = checked(strdup(path));
    }
    return b->count > 1 ? over_list(b) : bad_input("%s needs two libraries", "--libs");
}

/* --- The matrix of compilers and instruction sets. */

/* The instruction sets to run: those asked for, or all that the ops of the cases have. */
static char *list_isas(const bisect *b)
{
    char error[256], *list = checked(calloc(4096, 1)), padded[HN_ISA_MAX + 2];
    const ck_subject *subject = hn_subject_open(NULL, error, sizeof error);
    if (b->isas) {
        free(list);
        return checked(strdup(b->isas));
    }
    for (unsigned i = 0; subject && i < subject->count; i++) {
        bool wanted = b->ncases == 0;
        for (size_t w = 0; w < b->nwords; w++)
            wanted |= strncmp(b->words[w], subject->kernels[i].stem,
                              strlen(subject->kernels[i].stem)) == 0;
        snprintf(padded, sizeof padded, "%s ", subject->kernels[i].isa);
        if (wanted && !strstr(list, padded) && strlen(list) + sizeof padded < 4096)
            strcat(list, padded);
    }
    return list;
}

/* "FAIL value", "ok", "SKIP" of one library and isa. */
static state print_cell(const bisect *b, const char *library, const char *isa)
{
    char why[TEXT_MAX], verdict[16] = "", check[24] = "";
    const state result = judge(b, run_test(b, library, isa, NULL), why, sizeof why);
    sscanf(why, "%15s %*s %*[a-z]: %23[a-z]:", verdict, check);
    char cell[48];
    snprintf(cell, sizeof cell, "%s %s", verdict, check);
    printf(" %-13s", result == GOOD ? "ok" : result == SKIP ? "SKIP" : cell);
    fflush(stdout);
    return result;
}

static unsigned print_line(const bisect *b, const char *name, const char *library, const char *isas)
{
    char *list = checked(strdup(isas)), *save = NULL;
    unsigned bad = 0;
    printf("%-20s", name);
    for (char *isa = strtok_r(list, " ,", &save); isa && !interrupted;
         isa = strtok_r(NULL, " ,", &save))
        bad += print_cell(b, library, isa) == BAD;
    printf("\n");
    free(list);
    return bad;
}

static unsigned compiler_lines(const bisect *b, const char *isas)
{
    char *save = NULL, folder[32], line[TEXT_MAX];
    unsigned bad = 0, n = 0;
    for (char *compiler = strtok_r(b->compilers, " ,", &save); compiler && !interrupted;
         compiler = strtok_r(NULL, " ,", &save)) {
        snprintf(folder, sizeof folder, "build-%u", n++);
        if (build(b, b->top, in_tmp(b, folder), compiler) != 0) {
            printf("%-20s does not build: %.100s\n", compiler,
                   first_error(b, in_tmp(b, "log"), line, sizeof line));
            continue;
        }
        strcat(folder, "/libck.so");
        char *library = checked(strdup(in_tmp(b, folder)));
        bad += print_line(b, compiler, library, isas);
        free(library);
    }
    return bad;
}

static int over_matrix(bisect *b)
{
    if (b->compilers && find_top(b) != 0) return INPUT;
    if (b->compilers) setenv("CCACHE_BASEDIR", b->top, 1);
    if (b->digest && b->digest[strspn(b->digest, "0123456789abcdef")] != ' ')
        return bad_input("--digest '%s' needs its digests here", b->digest);
    char *isas = list_isas(b), *list = checked(strdup(isas)), *save = NULL;
    printf("%-20s", "");
    for (char *isa = strtok_r(list, " ,", &save); isa; isa = strtok_r(NULL, " ,", &save))
        printf(" %-13s", isa);
    printf("\n");
    const unsigned bad =
        b->compilers ? compiler_lines(b, isas) : print_line(b, "this program", NULL, isas);
    free(list);
    free(isas);
    if (bad == 0) printf("not reproducible: nothing fails\n");
    return bad ? FOUND : NOT_FOUND;
}

/* --- Arguments. */

/* Cases are checked, so that errors name them; for a matrix they lose their isa. */
static int add_word(bisect *b, const char *word)
{
    char error[512];
    hn_case c;
    if (b->nwords == WORDS_MAX) return bad_input("too many arguments, at %s", word);
    b->words[b->nwords++] = word;
    if (!strpbrk(word, "= ")) return 0;
    b->ncases++;
    if (hn_case_parse(&c, word, error, sizeof error) == 0) return 0;
    fprintf(stderr, "ckparity: bisect: case '%s': %s\n", word, error);
    return INPUT;
}

static void drop_isas(bisect *b)
{
    static char lines[WORDS_MAX][HN_LINE_MAX];
    char error[512];
    for (size_t i = 0; i < b->nwords; i++) {
        hn_case c;
        if (!strpbrk(b->words[i], "= ")) continue;
        if (hn_case_parse(&c, b->words[i], error, sizeof error) != 0) continue;
        c.isa[0] = '\0';
        hn_case_print(&c, lines[i], sizeof lines[i]);
        b->words[i] = lines[i];
    }
}

static void add_library(bisect *b, const char *name)
{
    const size_t used = strlen(b->libraries);
    b->libraries = checked(realloc(b->libraries, used + strlen(name) + 2));
    strcat(strcpy(b->libraries + used, name), "\n");
}

static int set_value(bisect *b, const char *name, char *value)
{
    const struct {
        const char *name, **to;
    } texts[] = { { "--good", &b->good },   { "--bad", &b->bad },   { "--digest", &b->digest },
                  { "--suite", &b->suite }, { "--repo", &b->repo }, { "--out", &b->out } };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i].name, name) == 0) return *texts[i].to = value, 0;
    if (strcmp(name, "--compilers") == 0) return b->compilers = value, 0;
    if (strcmp(name, "--isas") == 0) return b->isas = value, 0;
    return bad_input("unknown option %s (docs/bisect.md)", name);
}

static int parse_options(bisect *b, int argc, char **argv)
{
    bool libraries = false;
    for (int i = 0; i < argc; i++) {
        char *name = argv[i], *equals = strchr(name, '=');
        int status = 0;
        if (strcmp(name, "--libs") == 0) {
            libraries = true;
            if (!b->libraries) b->libraries = checked(calloc(1, 1));
        } else if (strncmp(name, "--", 2) == 0) {
            if (equals) *equals = '\0';
            if (!equals && i + 1 == argc) return bad_input("%s needs a value", name);
            status = set_value(b, name, equals ? equals + 1 : argv[++i]);
            libraries = false;
        } else if (libraries && !strpbrk(name, "= ")) {
            add_library(b, name);
        } else {
            status = add_word(b, name);
        }
        if (status) return status;
    }
    if (b->digest && b->nwords) return bad_input("%s and a case: only one of them", "--digest");
    return 0;
}

/* The digest line as a file, for `digest --check`; a bare case is filled in at the good end. */
static int write_digest(const bisect *b)
{
    char error[512];
    hn_case c;
    const char *text = b->digest;
    for (int i = 0; i < 2 && strspn(text, "0123456789abcdef") == 16 && text[16] == ' '; i++)
        text += 17;
    if (hn_case_parse(&c, text, error, sizeof error) != 0) {
        fprintf(stderr, "ckparity: bisect: --digest '%s': %s\n", b->digest, error);
        return INPUT;
    }
    FILE *file = fopen(in_tmp(b, "digests"), "w");
    bool bad = !file || fprintf(file, "%s\n", b->digest) < 0;
    if (file) bad |= fclose(file) != 0;
    return bad ? bad_input("cannot write in %s", b->tmp) : 0;
}

/* --- All of it. */

static int set_up(bisect *b)
{
    const char *tmp = getenv("TMPDIR");
    const ssize_t length = readlink("/proc/self/exe", b->self, sizeof b->self - 1);
    struct sigaction action = { .sa_handler = interrupt };
    if (length < 0) return bad_input("%s cannot be read", "/proc/self/exe");
    b->self[length] = '\0';
    snprintf(b->tmp, sizeof b->tmp, "%s/ckparity-bisect-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(b->tmp)) {
        bad_input("cannot make %s", b->tmp);
        b->tmp[0] = '\0';
        return INPUT;
    }
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    /* the repository meant is that of --repo, also under a git hook */
    unsetenv("GIT_DIR");
    unsetenv("GIT_WORK_TREE");
    unsetenv("GIT_INDEX_FILE");
    /* so that another folder's objects are found again */
    setenv("CCACHE_BASEDIR", b->tmp, 1);
    setenv("CCACHE_NOHASHDIR", "1", 1);
    setenv("LC_ALL", "C", 1);
    return b->digest ? write_digest(b) : 0;
}

static void clean_up(bisect *b)
{
    const char *forget[] = { "git",    "-C",      b->top,           "worktree",
                             "remove", "--force", in_tmp(b, "src"), NULL };
    const char *wipe[] = { "rm", "-rf", b->tmp, NULL };
    if (b->worktree) hn_spawn(forget, "/dev/null", "/dev/null");
    if (b->tmp[0]) hn_spawn(wipe, NULL, NULL);
    for (size_t i = 0; i < b->count; i++) {
        free(b->list[i].name);
        free(b->list[i].title);
        free(b->list[i].library);
    }
    free(b->list);
    free(b->libraries);
}

int hn_bisect(int argc, char **argv)
{
    bisect b = { 0 };
    int status = parse_options(&b, argc, argv);
    if (status == 0) status = set_up(&b);
    if (status == 0 && (b.compilers || b.isas)) {
        drop_isas(&b);
        status = over_matrix(&b);
    } else if (status == 0) {
        status = b.libraries ? over_libraries(&b) : over_commits(&b);
    }
    clean_up(&b);
    if (interrupted) fprintf(stderr, "ckparity: bisect: interrupted\n");
    return status;
}
