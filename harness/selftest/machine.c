/* SPDX-License-Identifier: MIT */
/* Mutants that leave the machine in another state, die, do not return, or are not what they say. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "ck.h"
#include "mutant.h"

ck_fn hn_broken_rbx, hn_broken_rbp, hn_broken_r12, hn_broken_r13, hn_broken_r14, hn_broken_r15;
ck_fn hn_broken_stack, hn_broken_stack_far, hn_broken_direction, hn_broken_upper;
ck_fn hn_broken_x87, hn_broken_null, hn_broken_illegal;
ck_fn hn_stale_local, hn_stale_local_far, hn_stale_register;
int hn_upper_tracked(void);

static const char *lacks_upper(void)
{
    const char *lacks = ck_cpu_lacks(CK_ISA_avx2);
    return lacks || hn_upper_tracked() ? lacks
                                       : "CPU does not tell whether upper halves are in use";
}

static const char *lacks_sse41(void) { return ck_cpu_lacks(CK_ISA_sse41); }
static const char *lacks_avx2(void) { return ck_cpu_lacks(CK_ISA_avx2); }

static void flush_to_zero(const void *args)
{
    hn_wrapped(args);
    _mm_setcsr(_mm_getcsr() | 0x8000u);
}

static void rounding(const void *args)
{
    hn_wrapped(args);
    _mm_setcsr(_mm_getcsr() ^ 0x2000u);
}

static void x87_precision(const void *args)
{
    uint16_t control;
    hn_wrapped(args);
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control ^= 0x100;
    __asm__ volatile("fldcw %0" : : "m"(control));
}

static void aborts(const void *args)
{
    hn_wrapped(args);
    abort();
}

static void hangs(const void *args)
{
    hn_wrapped(args);
    for (volatile int forever = 1; forever;) {
    }
}

/* Now and then, so that the run has something to go on with. */
static int chosen(const void *args)
{
    const hn_view v = hn_view_of(args);
    return v.of[0].cols == 3;
}

static void exits(const void *args)
{
    if (chosen(args)) exit(0);
    hn_wrapped(args);
}

static void exits_with_error(const void *args)
{
    if (chosen(args)) _exit(3);
    hn_wrapped(args);
}

static void is_killed(const void *args)
{
    if (chosen(args)) raise(SIGKILL);
    hn_wrapped(args);
}

static void body(const void *args) { hn_wrapped(args); }

#define ROW(what, f, ons, mode, by)                                   \
    {                                                                 \
        .name = what, .on = ons, .modes = mode, .fn = f, .checks = by \
    }
#define CLAIM(what, ons, is, from, without)                                             \
    {                                                                                   \
        .name = what, .on = ons, .modes = HN_IN_BOTH, .fn = body, .checks = HN_BY(ISA), \
        .stage = HN_BY_TRACE, .isa = is, .wraps = from, .lacks = without                \
    }
#define DEATH(f, mode)                                                                   \
    {                                                                                    \
        .name = #f, .on = "gemm_nt_f32", .modes = mode, .fn = f, .checks = HN_BY(CRASH), \
        .stage = HN_BY_RUN                                                               \
    }
static const hn_mutant list[] = {
    ROW("clobbers_rbx", hn_broken_rbx, HN_ON_ALL, HN_IN_BOTH, HN_BY(ABI)),
    ROW("clobbers_rbp", hn_broken_rbp, "gemm_nt_f32", HN_IN_FAST, HN_BY(ABI)),
    ROW("clobbers_r12", hn_broken_r12, "gemm_nt_f32", HN_IN_FAST, HN_BY(ABI)),
    ROW("clobbers_r13", hn_broken_r13, "gemm_nt_f32", HN_IN_FAST, HN_BY(ABI)),
    ROW("clobbers_r14", hn_broken_r14, "gemm_nt_f32", HN_IN_FAST, HN_BY(ABI)),
    ROW("clobbers_r15", hn_broken_r15, HN_ON_ALL, HN_IN_FAST, HN_BY(ABI)),
    ROW("writes_stack", hn_broken_stack, HN_ON_ALL, HN_IN_FAST, HN_BY(ABI)),
    ROW("writes_stack_far", hn_broken_stack_far, "gemm_nt_f32", HN_IN_FAST, HN_BY(ABI)),
    ROW("sets_direction", hn_broken_direction, HN_ON_ALL, HN_IN_FAST, HN_BY(ABI)),
    { .name = "leaves_upper",
      .on = HN_ON_ALL,
      .modes = HN_IN_BOTH,
      .fn = hn_broken_upper,
      .checks = HN_BY(ABI),
      .lacks = lacks_upper },
    ROW("leaves_x87", hn_broken_x87, HN_ON_ALL, HN_IN_FAST, HN_BY(ABI)),
    ROW("unset_local", hn_stale_local, HN_ON_ALL, HN_IN_BOTH, HN_BY(JUNK)),
    ROW("unset_local_far", hn_stale_local_far, HN_ON_ALL, HN_IN_FAST,
        HN_BY(JUNK) | HN_BY(REPEAT) | HN_BY_PARTS | HN_BY_NUMBERS),
    ROW("unset_register", hn_stale_register, HN_ON_ALL, HN_IN_BOTH, HN_BY(JUNK)),
    ROW("sets_ftz", flush_to_zero, HN_ON_ALL, HN_IN_BOTH, HN_BY(FPENV)),
    ROW("sets_rounding", rounding, HN_ON_ALL, HN_IN_FAST, HN_BY(FPENV)),
    ROW("sets_x87", x87_precision, HN_ON_ALL, HN_IN_FAST, HN_BY(FPENV)),
    ROW("writes_null", hn_broken_null, HN_ON_ALL, HN_IN_BOTH, HN_BY(CRASH)),
    ROW("illegal", hn_broken_illegal, "gemm_nt_f32", HN_IN_FAST, HN_BY(CRASH)),
    ROW("aborts", aborts, HN_ON_ALL, HN_IN_FAST, HN_BY(CRASH)),
    /* two seconds each */
    ROW("hangs", hangs, "gemm_nt_f32", HN_IN_FAST, HN_BY(HANG)),
    ROW("hangs", hangs, "softmax_causal_f32", HN_IN_STRICT, HN_BY(HANG)),
    CLAIM("scalar_as_sse41", HN_ON_ALL, "sse41", "scalar", lacks_sse41),
    CLAIM("scalar_as_avx2", HN_ON_ALL, "avx2", "scalar", lacks_avx2),
    CLAIM("sse41_as_avx2",
          HN_ON_ALL " !gemm_nt_q4_k_f32 !gemm_nt_q4_kx8_* !pack_* !gemm_nt_s*lu_f32 !layernorm_f32",
          "avx2", "sse41", lacks_avx2),
    CLAIM("avx2_as_sse41", HN_ON_ALL, "sse41", "avx2", lacks_avx2),
    CLAIM("avx2_as_avx512", HN_ON_ALL, "avx512", "avx2", lacks_avx2),
    CLAIM("avx2_as_avxvnni", HN_ON_ALL, "avxvnni", "avx2", lacks_avx2),
    DEATH(exits, HN_IN_BOTH),
    DEATH(exits_with_error, HN_IN_FAST),
    DEATH(is_killed, HN_IN_FAST),
};
#undef ROW
#undef CLAIM
#undef DEATH

const hn_mutants hn_mutants_machine = { list, sizeof list / sizeof list[0] };
