/* SPDX-License-Identifier: MIT */
/* Bisection: old kernels, built as libck.so from a worktree of their commit, under this program. */
#include "bisect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "search.h"

volatile sig_atomic_t hn_bisect_interrupted;

static void interrupt(int number)
{
    (void)number;
    hn_bisect_interrupted = 1;
}

int hn_bisect_bad_input(const char *format, const char *detail)
{
    fputs("ckparity: bisect: ", stderr);
    fprintf(stderr, format, detail);
    fputc('\n', stderr);
    return HN_BAD_INPUT;
}

void *hn_bisect_checked(void *memory)
{
    if (memory) return memory;
    fputs("ckparity: out of memory\n", stderr);
    exit(HN_NOT_FOUND);
}

const char *hn_bisect_tmp(const hn_search *b, const char *name)
{
    static char paths[8][HN_PATH_MAX];
    static size_t next;
    char *path = paths[next++ % 8];
    snprintf(path, HN_PATH_MAX, "%s/%s", b->tmp, name);
    return path;
}

/* An untested candidate between `low` and `high`: the middle one, beside what cannot be tested at
 * doubling distances; `high` if there is none. */
static size_t choose(const hn_search *b, size_t low, size_t high)
{
    const size_t middle = low + (high - low) / 2;
    if (b->list[middle].state == HN_IS_UNTESTED) return middle;
    for (size_t d = 1; d < high - low; d *= 2) {
        if (middle + d < high && b->list[middle + d].state == HN_IS_UNTESTED) return middle + d;
        if (middle > low + d && b->list[middle - d].state == HN_IS_UNTESTED) return middle - d;
    }
    for (size_t i = low + 1; i < high; i++)
        if (b->list[i].state == HN_IS_UNTESTED) return i;
    return high;
}

static bool is_stale(const hn_candidate *c) { return strncmp(c->why, "STALE", 5) == 0; }

/* Both ends must be as they are said to be. */
static int check_ends(const hn_search *b)
{
    const hn_candidate *good = &b->list[0], *bad = &b->list[b->count - 1];
    const hn_state first = hn_bisect_test(b, 0);
    if (hn_bisect_interrupted) return HN_NOT_FOUND;
    if (first == HN_IS_GOOD && hn_bisect_test(b, b->count - 1) == HN_IS_BAD) return HN_FOUND;
    if (hn_bisect_interrupted) return HN_NOT_FOUND;
    if (is_stale(good))
        printf("not reproducible: the digest is of other data than this program makes\n");
    else if (first != HN_IS_GOOD)
        printf("not reproducible: the good end is %s: %s\n",
               first == HN_IS_BAD ? "bad" : "not testable", good->why);
    else
        printf("not reproducible: the bad end is %s: %s\n",
               bad->state == HN_IS_GOOD ? "good" : "not testable", bad->why);
    return HN_NOT_FOUND;
}

/* Leaves the last good in *low and the first bad in *high; between them are only untestable ones. */
static int search(const hn_search *b, size_t *low, size_t *high)
{
    unsigned steps = 0;
    *low = 0;
    *high = b->count - 1;
    for (size_t span = b->count - 1; span > 1; span = (span + 1) / 2) steps++;
    printf("%zu to search, about %u steps\n", b->count - 1, steps);
    const int status = check_ends(b);
    if (status != HN_FOUND) return status;
    while (*high - *low > 1 && !hn_bisect_interrupted) {
        const size_t next = choose(b, *low, *high);
        if (next == *high) break;
        const hn_state got = hn_bisect_test(b, next);
        if (got == HN_IS_GOOD) *low = next;
        if (got == HN_IS_BAD) *high = next;
    }
    return hn_bisect_interrupted ? HN_NOT_FOUND : HN_FOUND;
}

/* A case without its digests: they are those of the good end. */
static int take_digests(const hn_search *b, const char *library)
{
    const char *argv[] = { b->self, "digest", "--subject", library, b->digest, NULL };
    if (b->digest[strspn(b->digest, "0123456789abcdef")] == ' ') return 0;
    const int status = hn_spawn(argv, hn_bisect_tmp(b, "digests"), hn_bisect_tmp(b, "err"));
    if (status == 0) return 0;
    printf("not reproducible: the good end gives no digest of this case\n");
    return HN_NOT_FOUND;
}

static int over_list(hn_search *b)
{
    size_t low, high;
    if (b->digest && !b->list[0].library) hn_bisect_make_library(b, &b->list[0], 0);
    if (b->digest && b->list[0].library) {
        const int status = take_digests(b, b->list[0].library);
        if (status != 0) return status;
    }
    const int status = search(b, &low, &high);
    if (status == HN_FOUND) hn_bisect_report(b, low, high);
    return status;
}

static int over_commits(hn_search *b)
{
    const int status = hn_bisect_open_commits(b);
    return status ? status : over_list(b);
}

static int over_libraries(hn_search *b)
{
    char *save = NULL;
    for (char *name = strtok_r(b->libraries, "\n", &save); name;
         name = strtok_r(NULL, "\n", &save)) {
        char path[HN_PATH_MAX + 2];
        snprintf(path, sizeof path, "%s%s", strchr(name, '/') ? "" : "./", name);
        hn_bisect_add(b, name, "");
        b->list[b->count - 1].library = hn_bisect_checked(strdup(path));
    }
    return b->count > 1 ? over_list(b) : hn_bisect_bad_input("%s needs two libraries", "--libs");
}

static int set_up(hn_search *b)
{
    const char *tmp = getenv("TMPDIR");
    const ssize_t length = readlink("/proc/self/exe", b->self, sizeof b->self - 1);
    struct sigaction action = { .sa_handler = interrupt };
    if (length < 0) return hn_bisect_bad_input("%s cannot be read", "/proc/self/exe");
    b->self[length] = '\0';
    snprintf(b->tmp, sizeof b->tmp, "%s/ckparity-bisect-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(b->tmp)) {
        hn_bisect_bad_input("cannot make %s", b->tmp);
        b->tmp[0] = '\0';
        return HN_BAD_INPUT;
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
    return b->digest ? hn_bisect_write_digest(b) : 0;
}

static void clean_up(hn_search *b)
{
    const char *forget[] = {
        "git", "-C", b->top, "worktree", "remove", "--force", hn_bisect_tmp(b, "src"), NULL
    };
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
    hn_search b = { 0 };
    int status = hn_bisect_parse(&b, argc, argv);
    if (status == 0) status = set_up(&b);
    if (status == 0 && (b.compilers || b.isas)) {
        hn_bisect_drop_isas(&b);
        status = hn_bisect_matrix(&b);
    } else if (status == 0) {
        status = b.libraries ? over_libraries(&b) : over_commits(&b);
    }
    clean_up(&b);
    if (hn_bisect_interrupted) fprintf(stderr, "ckparity: bisect: interrupted\n");
    return status;
}
