/* SPDX-License-Identifier: MIT */
/* The matrix of compilers and instruction sets. */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "subject.h"

/* The instruction sets to run: those asked for, or all that the ops of the cases have. */
static char *list_isas(const hn_search *b)
{
    char error[256], *list = hn_bisect_checked(calloc(4096, 1)), padded[HN_ISA_MAX + 2];
    const ck_subject *subject = hn_subject_open(NULL, error, sizeof error);
    if (b->isas) {
        free(list);
        return hn_bisect_checked(strdup(b->isas));
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
static hn_state print_cell(const hn_search *b, const char *library, const char *isa)
{
    char why[HN_BISECT_TEXT_MAX], verdict[16] = "", check[24] = "";
    const hn_state result =
        hn_bisect_judge(b, hn_bisect_run(b, library, isa, NULL), why, sizeof why);
    sscanf(why, "%15s %*s %*[a-z]: %23[a-z]:", verdict, check);
    char cell[48];
    snprintf(cell, sizeof cell, "%s %s", verdict, check);
    printf(" %-13s", result == HN_IS_GOOD ? "ok" : result == HN_IS_SKIP ? "SKIP" : cell);
    fflush(stdout);
    return result;
}

static unsigned print_line(const hn_search *b, const char *name, const char *library,
                           const char *isas)
{
    char *list = hn_bisect_checked(strdup(isas)), *save = NULL;
    unsigned bad = 0;
    printf("%-20s", name);
    for (char *isa = strtok_r(list, " ,", &save); isa && !hn_bisect_interrupted;
         isa = strtok_r(NULL, " ,", &save))
        bad += print_cell(b, library, isa) == HN_IS_BAD;
    printf("\n");
    free(list);
    return bad;
}

static unsigned compiler_lines(const hn_search *b, const char *isas)
{
    char *save = NULL, folder[32], line[HN_BISECT_TEXT_MAX];
    unsigned bad = 0, n = 0;
    for (char *compiler = strtok_r(b->compilers, " ,", &save); compiler && !hn_bisect_interrupted;
         compiler = strtok_r(NULL, " ,", &save)) {
        snprintf(folder, sizeof folder, "build-%u", n++);
        if (hn_bisect_build(b, b->top, hn_bisect_tmp(b, folder), compiler) != 0) {
            printf("%-20s does not build: %.100s\n", compiler,
                   hn_bisect_first_error(b, hn_bisect_tmp(b, "log"), line, sizeof line));
            continue;
        }
        strcat(folder, "/libck.so");
        char *library = hn_bisect_checked(strdup(hn_bisect_tmp(b, folder)));
        bad += print_line(b, compiler, library, isas);
        free(library);
    }
    return bad;
}

int hn_bisect_matrix(hn_search *b)
{
    if (b->compilers && hn_bisect_find_top(b) != 0) return HN_BAD_INPUT;
    if (b->compilers) setenv("CCACHE_BASEDIR", b->top, 1);
    if (b->digest && b->digest[strspn(b->digest, "0123456789abcdef")] != ' ')
        return hn_bisect_bad_input("--digest '%s' needs its digests here", b->digest);
    char *isas = list_isas(b), *list = hn_bisect_checked(strdup(isas)), *save = NULL;
    printf("%-20s", "");
    for (char *isa = strtok_r(list, " ,", &save); isa; isa = strtok_r(NULL, " ,", &save))
        printf(" %-13s", isa);
    printf("\n");
    const unsigned bad =
        b->compilers ? compiler_lines(b, isas) : print_line(b, "this program", NULL, isas);
    free(list);
    free(isas);
    if (bad == 0) printf("not reproducible: nothing fails\n");
    return bad ? HN_FOUND : HN_NOT_FOUND;
}
