/* SPDX-License-Identifier: MIT */
/* Fuzz target: the parsers of case lines, suites and expectations. The first byte chooses: 'c', 's' or
 * 'e'. What is parsed prints, and parses to what prints alike; nothing else may end the process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "expect.h"
#include "family.h"
#include "suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 2048, CASES_TRIED = 32 };

static void stop(const char *what, const char *line)
{
    fprintf(stderr, "fuzz: %s: \"%s\"\n", what, line);
    abort();
}

/* A line that explains an error has an end and says something. */
static void check_error(const char *error, const char *text)
{
    if (error[0] == '\0') stop("refused without a reason", text);
}

static void check_print(const hn_case *c, const char *text)
{
    char line[HN_LINE_MAX], again[HN_LINE_MAX], error[512] = "";
    hn_case parsed;
    if (hn_case_print(c, line, sizeof line) != strlen(line)) stop("wrong length", line);
    if (hn_case_check(c, error, sizeof error) != 0) stop("not checked when parsed", text);
    if (hn_case_parse(&parsed, line, error, sizeof error) != 0) stop(error, line);
    hn_case_print(&parsed, again, sizeof again);
    if (strcmp(line, again) != 0) stop("printed otherwise when parsed again", line);
}

static void try_case(const char *text)
{
    char error[512] = "";
    hn_case c;
    if (hn_case_parse(&c, text, error, sizeof error) == 0)
        check_print(&c, text);
    else
        check_error(error, text);
}

/* The text as a file: reading one is part of what is tried. */
static const char *as_file(const char *text, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file < 0) file = memfd_create("fuzz", 0);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, text, size, 0) != (ssize_t)size)
        stop("cannot write", "memfd");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

static void try_suite(const char *text, size_t size)
{
    char error[512] = "";
    hn_suite *suite = hn_suite_open(as_file(text, size), error, sizeof error);
    if (!suite) {
        check_error(error, text);
        return;
    }
    const size_t count = hn_suite_count(suite), step = count / CASES_TRIED + 1;
    for (size_t i = 0; i < count; i += step) {
        hn_case c;
        if (hn_suite_case(suite, i, 1, &c, error, sizeof error) >= 0) check_print(&c, text);
    }
    hn_suite_free(suite);
}

static void try_expect(const char *text, size_t size)
{
    char error[512] = "";
    hn_expectations *e = hn_expect_open(as_file(text, size), error, sizeof error);
    size_t next = 0;
    if (!e) {
        check_error(error, text);
        return;
    }
    hn_expect_ran(e, "exp_f32_avx2", false);
    hn_expect_meet(e, "exp_f32_avx2", false, HN_FAIL, HN_CHECK_VALUE);
    while (hn_expect_unmet(e, &next)) {
    }
    hn_expect_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[TEXT_MAX + 1];
    if (size < 1 || size > TEXT_MAX) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0] % 3) {
    case 'c' % 3: try_case(text); break;
    case 's' % 3: try_suite(text, size - 1); break;
    default: try_expect(text, size - 1);
    }
    return 0;
}
