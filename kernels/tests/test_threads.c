/* SPDX-License-Identifier: MIT */
/* The pool, the number of threads, and public entries that use them: the same bits whatever the count,
 * from several callers, after fork, and when the library is closed. */
#define _GNU_SOURCE
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "attention.h"
#include "ck_dtype.h"
#include "ck_ops.h"
#include "gemm.h"
#include "threads.h"

enum { PARTS = 1000 };

/* --- the pool */

typedef struct seen {
    atomic_uint times[PARTS];
    unsigned mxcsr;
    pthread_t caller;
    atomic_uint wrong, elsewhere;
} seen;

static void look(const void *context, size_t part)
{
    seen *const s = *(seen *const *)context;
    atomic_fetch_add(&s->times[part], 1);
    if ((_mm_getcsr() & 0xffc0) != s->mxcsr) atomic_fetch_add(&s->wrong, 1);
    if (pthread_equal(pthread_self(), s->caller)) return;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!sigismember(&blocked, SIGALRM) || !sigismember(&blocked, SIGPROF) ||
        sigismember(&blocked, SIGSEGV))
        atomic_fetch_add(&s->wrong, 1);
    atomic_fetch_add(&s->elsewhere, 1);
}

static void begin(seen *s, unsigned mode)
{
    memset(s, 0, sizeof *s);
    s->mxcsr = (0x1f80u | mode) & 0xffc0u;
    s->caller = pthread_self();
    _mm_setcsr(s->mxcsr);
}

static void end(const seen *s, size_t parts)
{
    assert_int_equal(_mm_getcsr() & 0xffc0, s->mxcsr);
    _mm_setcsr(0x1f80);
    for (size_t i = 0; i < PARTS; i++) assert_int_equal(s->times[i], i < parts);
    assert_int_equal(s->wrong, 0);
}

static void each_part_is_run_once(void **state)
{
    static seen s;
    seen *const context = &s;
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        const size_t parts = round % 5 ? round : PARTS;
        begin(&s, round % 2 ? 0 : 0x6000u | 0x8040u);
        ck_parallel(round % 7, parts, look, &context);
        end(&s, parts);
        if (round % 7 <= 1) assert_int_equal(s.elsewhere, 0);
    }
}

/* Parts that wait for one another, which only as many threads can run. */
typedef struct meeting {
    seen *s; /* first: what `look` is given */
    unsigned n;
    atomic_uint *come;
} meeting;

static void meet(const void *context, size_t part)
{
    const meeting *const m = context;
    look(context, part);
    atomic_fetch_add(m->come, 1);
    while (atomic_load(m->come) < m->n) sched_yield();
}

static void as_many_threads_as_wanted(void **state)
{
    static seen s;
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        atomic_uint come = 0;
        const meeting m = { &s, 1 + round % 9, &come };
        begin(&s, round % 2 ? 0x4000u : 0x8040u);
        ck_parallel(m.n, m.n, meet, &m);
        end(&s, m.n);
        assert_int_equal(s.elsewhere, m.n - 1);
    }
}

static void count_inner(const void *context, size_t part)
{
    (void)part;
    atomic_fetch_add(*(atomic_uint *const *)context, 1);
}

static void run_inner(const void *context, size_t part)
{
    (void)part;
    ck_parallel(4, 10, count_inner, context);
}

static void nested_calls_run(void **state)
{
    atomic_uint count = 0, *const context = &count;
    (void)state;
    ck_parallel(4, 20, run_inner, &context);
    assert_int_equal(count, 200);
}

/* --- the number of threads */

static void counts(void **state)
{
    cpu_set_t all;
    (void)state;
    unsetenv("CK_NUM_THREADS");
    assert_int_equal(ck_get_num_threads(), 1);
    assert_int_equal(ck_set_num_threads(3), CK_OK);
    assert_int_equal(ck_get_num_threads(), 3);
    assert_int_equal(ck_set_num_threads(-1), CK_ERR_VALUE);
    assert_int_equal(ck_set_num_threads(CK_THREADS_MOST + 1), CK_ERR_VALUE);
    assert_int_equal(ck_get_num_threads(), 3);
    ck_set_strict_parity(1);
    assert_int_equal(ck_get_num_threads(), 3);
    ck_set_strict_parity(0);
    assert_int_equal(ck_get_num_threads(), 3);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_in_range(ck_get_physical_cores(), 1, CPU_COUNT(&all));
    assert_int_equal(ck_set_num_threads(0), CK_OK);
    assert_int_equal(ck_get_num_threads(), ck_get_physical_cores());
    cpu_set_t one;
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(ck_get_physical_cores(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(ck_set_num_threads(1), CK_OK);
}

static void environment_is_read_strictly(void **state)
{
    static const char *const bad[] = { "0",  "257", "-1", "+2",  "2 ",
                                       " 2", "2x",  "on", "2.0", "99999999999999999999" };
    (void)state;
    ck_set_num_threads(2);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv("CK_NUM_THREADS", bad[i], 1);
        assert_int_equal(ck_set_num_threads(0), CK_ERR_VALUE);
        assert_int_equal(ck_get_num_threads(), 2);
    }
    setenv("CK_NUM_THREADS", "256", 1);
    assert_int_equal(ck_set_num_threads(0), CK_OK);
    assert_int_equal(ck_get_num_threads(), 256);
    assert_int_equal(ck_set_num_threads(5), CK_OK); /* is asked for 0 only */
    assert_int_equal(ck_get_num_threads(), 5);
    setenv("CK_NUM_THREADS", "", 1);
    assert_int_equal(ck_set_num_threads(0), CK_OK);
    assert_int_equal(ck_get_num_threads(), ck_get_physical_cores());
    unsetenv("CK_NUM_THREADS");
    ck_set_num_threads(1);
}

static void small_work_is_not_divided(void **state)
{
    (void)state;
    ck_set_num_threads(8);
    assert_int_equal(ck_threads_for(0x1p18), 1);
    assert_int_equal(ck_threads_for(0x1p19), 2);
    assert_int_equal(ck_threads_for(0x1p20), 4);
    assert_int_equal(ck_threads_for(0x1p40), 8);
    ck_set_thread_terms(1);
    assert_int_equal(ck_threads_for(3), 3);
    ck_set_thread_terms(0);
    assert_int_equal(ck_threads_for(3), 1);
    ck_set_num_threads(1);
    assert_int_equal(ck_threads_for(0x1p40), 1);
}

/* --- public entries */

enum { M = 9, N = 256, K = 256, LD = 300 };

/* Operands for all of them; results of one thread and of several. */
static struct {
    float a[N * LD], b[N * LD], d[N * LD], c[N * LD], bias[LD], other[LD];
    unsigned char blocks[N * 2 * CK_Q4_K_BYTES], rows[N * 2 * CK_Q8_K_BYTES];
    uint16_t halves[2][N * LD];
    float y[2][N * LD];
} room;

static void fill_room(void)
{
    uint32_t x = 12345;
    float *const floats[] = { room.a, room.b, room.d, room.c, room.bias, room.other };
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < (i < 4 ? (size_t)N * LD : (size_t)LD); k++) {
            x = x * 1664525u + 1013904223u;
            floats[i][k] = (float)(int32_t)x * 0x1p-31f;
        }
    for (size_t i = 0; i < 2 * (size_t)N * LD; i++) {
        x = x * 1664525u + 1013904223u;
        room.halves[i / (N * LD)][i % (N * LD)] = (uint16_t)(0x3800 | (x >> 20 & 0x83ff));
    }
    /* any codes, and scales below 2 */
    for (size_t i = 0; i < sizeof room.blocks; i++) {
        x = x * 1664525u + 1013904223u;
        room.blocks[i] = (unsigned char)(x >> 26);
    }
    memset(room.rows, 3, sizeof room.rows);
    for (size_t i = 0; i < N * 2; i++) memcpy(room.rows + i * CK_Q8_K_BYTES, &room.a[i], 4);
}

typedef ck_status entry_fn(float *y);

static ck_gemm_args product(float *y, size_t m)
{
    return (ck_gemm_args){ .y = y,
                           .a = room.a,
                           .b = room.b,
                           .c = room.c,
                           .bias = room.bias,
                           .m = m,
                           .n = N - 5,
                           .k = 131,
                           .ldy = LD,
                           .lda = LD,
                           .ldb = LD,
                           .ldc = LD,
                           .alpha = 0.75f,
                           .beta = -1.5f };
}

static ck_status gemm_nt(float *y)
{
    const ck_gemm_args g = product(y, M);
    return ck_gemm_nt_f32(&g);
}

static ck_status gemm_nn(float *y)
{
    const ck_gemm_args g = product(y, M);
    return ck_gemm_nn_f32(&g);
}

static ck_status gemm_tn(float *y)
{
    const ck_gemm_args g = product(y, M);
    return ck_gemm_tn_f32(&g);
}

static ck_status one_row(float *y)
{
    const ck_gemm_args g = product(y, 1);
    return ck_gemm_nt_f32(&g);
}

/* So few columns that rows are divided. */
static ck_status many_rows(float *y)
{
    ck_gemm_args g = product(y, N - 3);
    g.n = 5;
    return ck_gemm_nt_f32(&g);
}
static ck_status many_rows_tn(float *y)
{
    ck_gemm_args g = product(y, N - 3);
    g.n = 7;
    return ck_gemm_tn_f32(&g);
}

static ck_status gemv(float *y)
{
    const ck_gemv_args g = { .y = y,
                             .x = room.a,
                             .b = room.b,
                             .c = room.c,
                             .bias = room.bias,
                             .n = N - 5,
                             .k = 131,
                             .ldb = LD,
                             .alpha = 0.75f,
                             .beta = -1.5f };
    return ck_gemv_f32(&g);
}

static ck_status silu(float *y)
{
    const ck_gemm_act_args g = { y, room.a, room.b, room.bias, M, N - 5, 131, LD, LD, LD };
    return ck_gemm_nt_silu_f32(&g);
}

static ck_status glu(float *y)
{
    const ck_gemm_glu_args g = { y,     room.a, room.b, room.d, room.bias, room.other, M,
                                 N - 5, 131,    LD,     LD,     LD,        LD };
    return ck_gemm_nt_swiglu_f32(&g);
}

static ck_status dots(float *y)
{
    const ck_gemm_q_args g = { y, room.rows, room.blocks, room.bias, M, N - 5, K, LD, 1, 2 };
    return ck_gemm_nt_q4_k_q8_k(&g);
}

static ck_status weights(float *y)
{
    const ck_gemm_w_args g = {
        y, room.a, room.blocks, room.bias, M, N - 5, K, LD, LD, 2, room.c, LD
    };
    return ck_gemm_nt_q4_k_f32(&g);
}

static ck_status weights_down(float *y)
{
    const ck_gemm_wn_args g = { y, room.a, room.blocks, M, N, 131, LD, LD, N / CK_Q8_0_BLOCK };
    return ck_gemm_nn_q8_0_f32(&g);
}

static ck_status halves(float *y)
{
    const ck_gemm_h_args g = { y, room.halves[0], room.halves[1], room.bias, M, N - 5, 131, LD, LD,
                               LD };
    return ck_gemm_nt_f16_f16_f32(&g);
}

static ck_status halves_to_halves(float *y)
{
    const ck_gemm_h_args g = { y, room.halves[0], room.halves[1], room.bias, M, N - 5, 131, LD, LD,
                               LD };
    return ck_gemm_nt_f16_f16_f16(&g);
}

/* Integers in the place of floats. */
static ck_status integers(float *y)
{
    int32_t *const sums = malloc(sizeof room.y[0]);
    const ck_gemm_i_args g = { sums, room.halves[0], (const int8_t *)room.halves[1],
                               M,    N - 5,          131,
                               LD,   2 * LD,         2 * LD };
    if (!sums) return CK_ERR_NULL;
    memcpy(sums, y, sizeof room.y[0]);
    const ck_status status = ck_gemm_nt_int8_int8_i32(&g);
    memcpy(y, sums, sizeof room.y[0]);
    free(sums);
    return status;
}

static ck_status attention(float *y)
{
    const ck_attention_args a = { .y = y,
                                  .q = room.a,
                                  .k = room.b,
                                  .v = room.d,
                                  .heads = 12,
                                  .kv_heads = 4,
                                  .tq = 9,
                                  .tk = 20,
                                  .d = 21,
                                  .cols = 24,
                                  .ldy = 24,
                                  .ldq = 25,
                                  .ldk = 26,
                                  .ldv = 27,
                                  .head_y = 24 * 10,
                                  .head_q = 25 * 9,
                                  .head_k = 26 * 20,
                                  .head_v = 27 * 21,
                                  .scale = 0.2f };
    return ck_attention_f32(&a);
}

static entry_fn *const entries[] = {
    gemm_nt, gemm_nn, gemm_tn, one_row,      many_rows, many_rows_tn,     gemv,     silu,
    glu,     dots,    weights, weights_down, halves,    halves_to_halves, integers, attention
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void run(entry_fn *entry, int threads, float *y)
{
    memset(y, 0xaa, sizeof room.y[0]);
    assert_int_equal(ck_set_num_threads(threads), CK_OK);
    assert_int_equal(entry(y), CK_OK);
    assert_int_equal(ck_set_num_threads(1), CK_OK);
}

static void compare(size_t i)
{
    run(entries[i], 1, room.y[0]);
    for (int threads = 2; threads <= 16; threads += threads < 4 ? 1 : 6) {
        run(entries[i], threads, room.y[1]);
        if (memcmp(room.y[0], room.y[1], sizeof room.y[0]) != 0)
            fail_msg("entry %zu: other bits from %d threads", i, threads);
    }
}

static void bits_do_not_depend_on_the_count(void **state)
{
    const unsigned all = ck_isa_mask();
    (void)state;
    fill_room();
    ck_set_thread_terms(1);
    for (unsigned isa = 0; isa < CK_ISA_COUNT; isa++)
        for (int strict = 0; strict < 2 && (all >> isa & 1); strict++) {
            ck_isa_set_mask(1u << isa | 1u);
            ck_set_strict_parity(strict);
            for (size_t i = 0; i < ENTRIES; i++) compare(i);
        }
    ck_set_strict_parity(0);
    ck_isa_set_mask(all);
    ck_set_thread_terms(0);
}

static void errors_are_those_of_one_thread(void **state)
{
    ck_gemm_args g = product(room.y[0], M);
    (void)state;
    ck_set_thread_terms(1);
    ck_set_num_threads(4);
    g.lda = 3;
    assert_int_equal(ck_gemm_nt_f32(&g), CK_ERR_SHAPE);
    g = product(room.a, M);
    assert_int_equal(ck_gemm_nt_f32(&g), CK_ERR_ALIAS);
    g.n = 0;
    assert_int_equal(ck_gemm_nt_f32(&g), CK_OK);
    ck_set_num_threads(1);
    ck_set_thread_terms(0);
}

/* --- callers, processes, libraries */

typedef struct caller {
    pthread_t thread;
    float *y;
    size_t entry;
    int wrong;
} caller;

static void *call_often(void *context)
{
    caller *const c = context;
    float *const first = malloc(sizeof room.y[0]);
    memset(first, 0xaa, sizeof room.y[0]);
    memset(c->y, 0xaa, sizeof room.y[0]);
    c->wrong = !first || entries[c->entry](first) != CK_OK;
    for (int i = 0; i < 20 && !c->wrong; i++)
        c->wrong = entries[c->entry](c->y) != CK_OK || memcmp(first, c->y, sizeof room.y[0]) != 0;
    free(first);
    return NULL;
}

static void several_callers_at_once(void **state)
{
    enum { CALLERS = 6 };
    caller callers[CALLERS];
    (void)state;
    ck_set_thread_terms(1);
    ck_set_num_threads(3);
    for (size_t i = 0; i < CALLERS; i++) {
        callers[i] = (caller){ .y = malloc(sizeof room.y[0]), .entry = 2 * i };
        assert_non_null(callers[i].y);
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
        assert_false(callers[i].wrong);
        run(entries[callers[i].entry], 1, room.y[0]);
        assert_memory_equal(callers[i].y, room.y[0], sizeof room.y[0]);
        free(callers[i].y);
    }
    ck_set_num_threads(1);
    ck_set_thread_terms(0);
}

/* In a child whose parent has threads, and in a child of its own. */
static void forked_processes_have_threads_of_their_own(void **state)
{
    (void)state;
    ck_set_thread_terms(1);
    run(gemm_nt, 4, room.y[0]);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        as_many_threads_as_wanted(NULL);
        run(gemm_nt, 4, room.y[1]);
        int bad = memcmp(room.y[0], room.y[1], sizeof room.y[0]) != 0, status = 0;
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            run(gemm_nt, 3, room.y[1]);
            exit(memcmp(room.y[0], room.y[1], sizeof room.y[0]) != 0);
        }
        bad |= waitpid(grandchild, &status, 0) != grandchild || status != 0;
        exit(bad);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    run(gemm_nt, 4, room.y[1]);
    assert_memory_equal(room.y[0], room.y[1], sizeof room.y[0]);
    ck_set_thread_terms(0);
}

static void a_library_that_is_closed_leaves_no_thread(void **state)
{
    void *const library = dlopen(CK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ck_status (*set)(int), (*gemm)(const ck_gemm_args *);
    void (*terms)(size_t);
    (void)state;
    if (!library) fail_msg("%s", dlerror());
    void *const symbols[] = { dlsym(library, "ck_set_num_threads"),
                              dlsym(library, "ck_gemm_nt_f32"),
                              dlsym(library, "ck_set_thread_terms") };
    memcpy(&set, &symbols[0], sizeof set);
    memcpy(&gemm, &symbols[1], sizeof gemm);
    memcpy(&terms, &symbols[2], sizeof terms);
    const ck_gemm_args g = product(room.y[1], M);
    run(gemm_nt, 1, room.y[0]);
    memset(room.y[1], 0xaa, sizeof room.y[1]);
    assert_int_equal(set(5), CK_OK);
    terms(1);
    assert_int_equal(gemm(&g), CK_OK);
    assert_memory_equal(room.y[0], room.y[1], sizeof room.y[0]);
    assert_int_equal(dlclose(library), 0);
    usleep(20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts), /* the count is 1 at start */
        cmocka_unit_test(environment_is_read_strictly),
        cmocka_unit_test(small_work_is_not_divided),
        cmocka_unit_test(each_part_is_run_once),
        cmocka_unit_test(as_many_threads_as_wanted),
        cmocka_unit_test(nested_calls_run),
        cmocka_unit_test(bits_do_not_depend_on_the_count),
        cmocka_unit_test(errors_are_those_of_one_thread),
        cmocka_unit_test(several_callers_at_once),
        cmocka_unit_test(forked_processes_have_threads_of_their_own),
        cmocka_unit_test(a_library_that_is_closed_leaves_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
