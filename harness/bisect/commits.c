/* SPDX-License-Identifier: MIT */
/* The commits of a search. */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line of output of a git command, without its end; 0 if it succeeded. */
static int git_line(const hn_search *b, const char *const *argv, char *line, size_t size)
{
    const int status = hn_spawn(argv, hn_bisect_tmp(b, "out"), hn_bisect_tmp(b, "err"));
    char *text = hn_read_text(hn_bisect_tmp(b, "out"));
    snprintf(line, size, "%.*s", (int)strcspn(text ? text : "", "\n"), text ? text : "");
    free(text);
    return status;
}

static int resolve(const hn_search *b, const char *revision, char *hash, size_t size)
{
    char name[HN_PATH_MAX];
    snprintf(name, sizeof name, "%s^{commit}", revision);
    const char *argv[] = {
        "git", "-C", b->top, "rev-parse", "--verify", "--quiet", "--end-of-options", name, NULL
    };
    return git_line(b, argv, hash, size) == 0 ? 0 : hn_bisect_bad_input("no commit %s", revision);
}

void hn_bisect_add(hn_search *b, const char *name, const char *title)
{
    if ((b->count & (b->count - 1)) == 0)
        b->list =
            hn_bisect_checked(realloc(b->list, (b->count ? 2 * b->count : 1) * sizeof *b->list));
    b->list[b->count++] = (hn_candidate){ .name = hn_bisect_checked(strdup(name)),
                                          .title = hn_bisect_checked(strdup(title)) };
}

/* The commits from good to bad along first parents, oldest first. */
static int list_commits(hn_search *b, const char *good, const char *bad)
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
    char title[HN_BISECT_TEXT_MAX];
    if (hn_spawn(ancestor, hn_bisect_tmp(b, "out"), hn_bisect_tmp(b, "err")) != 0)
        return hn_bisect_bad_input("--good %s is no ancestor of --bad", b->good);
    git_line(b, first, title, sizeof title);
    hn_bisect_add(b, good, title);
    if (hn_spawn(log, hn_bisect_tmp(b, "out"), hn_bisect_tmp(b, "err")) != 0)
        return hn_bisect_bad_input("git log %s fails", range);
    char *text = hn_read_text(hn_bisect_tmp(b, "out"));
    for (char *line = text, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = '\0';
        snprintf(hash, sizeof hash, "%.*s", (int)strcspn(line, " "), line);
        hn_bisect_add(b, hash, line[strlen(hash)] ? line + strlen(hash) + 1 : "");
    }
    free(text);
    return b->count > 1 ? 0 : hn_bisect_bad_input("--good and --bad are the same commit %s", good);
}

static int open_worktree(hn_search *b, const char *commit)
{
    const char *argv[] = { "git",  "-C",      b->top,     "worktree",
                           "add",  "--quiet", "--detach", hn_bisect_tmp(b, "src"),
                           commit, NULL };
    char line[HN_BISECT_TEXT_MAX];
    const char *const err = hn_bisect_tmp(b, "err");
    b->worktree = true;
    if (hn_spawn(argv, hn_bisect_tmp(b, "out"), err) == 0) return 0;
    return hn_bisect_bad_input("git worktree add: %s",
                               hn_bisect_first_error(b, err, line, sizeof line));
}

/* The tree whose commits or files are meant. */
int hn_bisect_find_top(hn_search *b)
{
    const char *argv[] = { "git", "-C", b->repo ? b->repo : ".", "rev-parse", "--show-toplevel",
                           NULL };
    return git_line(b, argv, b->top, sizeof b->top) == 0
               ? 0
               : hn_bisect_bad_input("%s is in no git repository",
                                     b->repo ? b->repo : "this folder");
}

int hn_bisect_open_commits(hn_search *b)
{
    char good[80], bad[80];
    if (!b->good || !b->bad) return hn_bisect_bad_input("needs %s", "--good REV and --bad REV");
    int status = hn_bisect_find_top(b);
    if (status == 0) status = resolve(b, b->good, good, sizeof good);
    if (status == 0) status = resolve(b, b->bad, bad, sizeof bad);
    if (status == 0) status = list_commits(b, good, bad);
    return status ? status : open_worktree(b, good);
}
