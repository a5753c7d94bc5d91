/* SPDX-License-Identifier: MIT */
/* Large memory: zeros, aligned, guarded, given back, and refused where there is none. */
#define _GNU_SOURCE
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ck_alloc.h"

enum { PAGE = CK_HUGE_PAGE };

static size_t whole(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

static int is_zero(const unsigned char *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != 0) return 0;
    return 1;
}

/* Whether a process of its own dies of writing there. */
static int writes_fault(unsigned char *at)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        *(volatile unsigned char *)at = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS);
}

/* Again and again: what was written before is gone. */
static void zeros_between_guards(void **state)
{
    static const size_t sizes[] = { 1, 4096, PAGE - 1, PAGE, PAGE + 1, 3 * (size_t)PAGE };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const size_t bytes = sizes[i / 2], size = whole(bytes);
        unsigned char *const p = ck_huge_alloc(bytes);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % PAGE, 0);
        assert_true(is_zero(p, size));
        memset(p, 0xff, size); /* the last byte, too */
        assert_true(writes_fault(p + size));
        assert_true(writes_fault(p - 1));
        assert_int_equal(ck_huge_free(p, bytes), CK_OK);
        assert_true(writes_fault(p));
        assert_true(writes_fault(p + size - 1));
    }
}

static void many_at_once(void **state)
{
    enum { COUNT = 20 };
    unsigned char *p[COUNT];
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        p[i] = ck_huge_alloc(PAGE / 2);
        assert_non_null(p[i]);
        memset(p[i], (int)i + 1, PAGE);
    }
    for (size_t i = 0; i < COUNT; i += 2) assert_int_equal(ck_huge_free(p[i], PAGE / 2), CK_OK);
    for (size_t i = 1; i < COUNT; i += 2) {
        for (size_t k = 0; k < PAGE; k += 4095) assert_int_equal(p[i][k], i + 1);
        assert_int_equal(ck_huge_free(p[i], PAGE / 2), CK_OK);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    static const size_t sizes[] = {
        0, SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2, SIZE_MAX / 2 - PAGE, (size_t)1 << 60
    };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) assert_null(ck_huge_alloc(sizes[i]));
    assert_int_equal(ck_huge_free(NULL, 1), CK_OK);
    assert_int_equal(ck_huge_free(NULL, SIZE_MAX), CK_OK);
    unsigned char *const p = ck_huge_alloc(1);
    assert_non_null(p);
    assert_int_equal(ck_huge_free(p + 4096, 1), CK_ERR_VALUE);
    assert_int_equal(ck_huge_free(p, 0), CK_ERR_VALUE);
    assert_int_equal(ck_huge_free(p, SIZE_MAX), CK_ERR_VALUE);
    p[PAGE - 1] = 1; /* still there */
    assert_int_equal(ck_huge_free(p, PAGE), CK_OK);
}

/* The system says no, at any of the steps: nothing is lost, and a smaller one is still to be had. */
static void limits_are_answered(void **state)
{
    int status = 1;
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        struct rlimit limit;
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = (rlim_t)1 << 31;
        int bad = setrlimit(RLIMIT_AS, &limit) != 0;
        for (int i = 0; i < 2000 && !bad; i++) bad = ck_huge_alloc((size_t)1 << 31) != NULL;
        void *const p = ck_huge_alloc(PAGE);
        bad |= !p || ck_huge_free(p, PAGE) != CK_OK;
        _exit(bad);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
#if !defined CK_SANITIZED /* shadows are more address space than that */
    assert_int_equal(status, 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_between_guards),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(limits_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
