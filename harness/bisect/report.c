/* SPDX-License-Identifier: MIT */
/* What is said of the first bad candidate. */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

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
    char line[HN_BISECT_TEXT_MAX + 100];
    hn_find_line(out, "    y[", 1, line, sizeof line);
    if (line[0]) printf("element   %s\n", line + 4);
}

static void print_commands(const hn_search *b, const hn_candidate *c, const char *out)
{
    char line[HN_LINE_MAX + 32], library[HN_PATH_MAX];
    snprintf(library, sizeof library, "/tmp/ck-%.*s/build/libck.so", HN_BISECT_HASH_SHOWN, c->name);
    printf("reproduce\n");
    if (!b->libraries)
        printf("    git -C '%s' worktree add --detach /tmp/ck-%.*s %s\n"
               "    cmake -S /tmp/ck-%.*s -B /tmp/ck-%.*s/build -G Ninja "
               "-DCMAKE_BUILD_TYPE=Release\n"
               "    cmake --build /tmp/ck-%.*s/build --target ck\n",
               b->top, HN_BISECT_HASH_SHOWN, c->name, c->name, HN_BISECT_HASH_SHOWN, c->name,
               HN_BISECT_HASH_SHOWN, c->name, HN_BISECT_HASH_SHOWN, c->name);
    const char *subject = b->libraries ? c->name : library;
    if (b->digest) {
        char *digests = hn_read_text(hn_bisect_tmp(b, "digests"));
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
static void write_repro(const hn_search *b, const hn_candidate *c, const char *out)
{
    const char *const base = strrchr(c->library, '/');
    char line[HN_LINE_MAX + 32], folder[HN_PATH_MAX / 2], library[HN_PATH_MAX], file[HN_PATH_MAX];
    hn_find_line(out, "    shrunk ckparity run '", 1, line, sizeof line);
    if (!line[0]) hn_find_line(out, "    case   ckparity run '", 1, line, sizeof line);
    char *text = strchr(line, '\''), *end = text ? strchr(text + 1, '\'') : NULL;
    if (!end) return;
    *end = '\0';
    snprintf(folder, sizeof folder, "%s/%.*s", b->out ? b->out : "ckparity-bisect",
             HN_BISECT_HASH_SHOWN, b->libraries ? "library" : c->name);
    snprintf(library, sizeof library, "%s/%s", folder, b->libraries ? base + 1 : "libck.so");
    snprintf(file, sizeof file, "%s/repro.c", folder);
    const char *const make[] = { "mkdir", "-p", folder, NULL };
    const char *const copy[] = { "cp", c->library, library, NULL };
    const char *const emit[] = {
        b->self, "emit-c", text + 1, "--subject", library, "-o", file, NULL
    };
    const char *const log = hn_bisect_tmp(b, "log"), *const err = hn_bisect_tmp(b, "err");
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
static void print_files(const hn_search *b, const hn_candidate *c)
{
    const char *argv[] = { "git",       "-C", b->top,           "show",  "--stat=80", "--no-color",
                           "--format=", "-m", "--first-parent", c->name, NULL };
    if (b->libraries) return;
    printf("\n");
    hn_spawn(argv, NULL, NULL);
}

void hn_bisect_report(const hn_search *b, size_t low, size_t high)
{
    const hn_candidate *c = &b->list[high];
    char line[HN_BISECT_TEXT_MAX + 100];
    hn_bisect_run(b, c->library, NULL, b->digest ? b->list[low].library : NULL);
    char *out = hn_read_text(hn_bisect_tmp(b, "out"));
    hn_bisect_find_failure(out, line, sizeof line);
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
