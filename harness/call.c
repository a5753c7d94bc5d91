/* SPDX-License-Identifier: MIT */
/* Checked calls, recovery from signals and hangs. */
#include "call.h"

#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <xmmintrin.h>

void hn_call_asm(ck_fn *fn, const void *args, hn_probe *probe);

static sigjmp_buf recovery;
static volatile sig_atomic_t armed, ticks_left, hang;
static volatile sig_atomic_t last_signal;
static const void *volatile last_address, *volatile last_pc;
static bool has_avx, tracks_ymm, debugging, several;
static uint32_t poison_word, poison_depth;

static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
enum { FATAL = sizeof fatal / sizeof fatal[0] };
static struct sigaction previous[FATAL]; /* a sanitizer's or a fuzzer's handlers, or the default */

/* Leaves a signal to whoever had it before. */
static void hand_on(int number)
{
    for (size_t i = 0; i < FATAL; i++)
        if (fatal[i] == number) sigaction(number, &previous[i], NULL);
    raise(number);
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
    const ucontext_t *machine = context;
    if (!armed || several) {
        hand_on(number);
        return;
    }
    armed = 0;
    hang = 0;
    last_signal = number;
    last_address = number == SIGABRT ? NULL : info->si_addr;
    last_pc = (const void *)machine->uc_mcontext.gregs[REG_RIP];
    siglongjmp(recovery, 1);
}

static void on_tick(int number)
{
    (void)number;
    if (!armed || --ticks_left > 0) return;
    if (several) raise(SIGALRM);
    armed = 0;
    hang = 1;
    siglongjmp(recovery, 1);
}

/* XINUSE bit 2 says whether the upper halves are dirty. Emulators lack xgetbv with ecx = 1, so it is
 * used only where a probe shows it to work. */
static uint32_t xinuse(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low;
}

static void probe_ymm(void)
{
    unsigned a, b, c, d;
    has_avx = __get_cpuid(1, &a, &b, &c, &d) && (c >> 27 & 1) && (c >> 28 & 1);
    if (!has_avx || !__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a >> 2 & 1)) return;
    if (sigsetjmp(recovery, 1) != 0) return;
    armed = 1;
    ticks_left = 10;
    __asm__ volatile("vzeroupper");
    const bool clean = !(xinuse() >> 2 & 1);
    __asm__ volatile("vpcmpeqb %%xmm0, %%xmm0, %%xmm0\n\tvinsertf128 $1, %%xmm0, %%ymm0, %%ymm0" ::
                         : "xmm0");
    const bool dirty = xinuse() >> 2 & 1;
    __asm__ volatile("vzeroupper");
    armed = 0;
    tracks_ymm = clean && dirty;
}

void hn_call_init(void)
{
    static char stack[1 << 16];
    const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
    action.sa_sigaction = on_fatal;
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < FATAL; i++) {
        struct sigaction old;
        sigaction(fatal[i], &action, &old);
        if (old.sa_sigaction != on_fatal) previous[i] = old;
    }
    struct sigaction tick = { .sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART };
    tick.sa_handler = on_tick;
    sigaction(SIGPROF, &tick, NULL);
    const struct itimerval tenth = { { 0, 100000 }, { 0, 100000 } };
    setitimer(ITIMER_PROF, &tenth, NULL);
    probe_ymm();
}

void hn_call_disarm(void)
{
    const struct itimerval never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_PROF, &never, NULL);
    for (size_t i = 0; i < FATAL; i++) signal(fatal[i], SIG_DFL);
    debugging = true;
}

static uint16_t x87_control(void)
{
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control;
}

static void set_x87_control(uint16_t control) { __asm__ volatile("fldcw %0" : : "m"(control)); }

void hn_call_poison(uint32_t word, uint32_t depth)
{
    poison_word = word;
    poison_depth = depth;
}

void hn_call_threads(bool on) { several = on; }

void hn_call(ck_fn *fn, const void *args, uint32_t mxcsr, unsigned ticks, hn_outcome *outcome)
{
    hn_probe probe = { .vzeroupper = has_avx, .poison = poison_word, .depth = poison_depth };
    const uint32_t before = _mm_getcsr();
    const uint16_t control = x87_control();
    *outcome = (hn_outcome){ 0 };
    ticks_left = (sig_atomic_t)ticks;
    if (sigsetjmp(recovery, 0) == 0) {
        armed = !debugging;
        _mm_setcsr(mxcsr);
        hn_call_asm(fn, args, &probe);
        armed = 0;
        outcome->damage = probe.damage;
        if (tracks_ymm && xinuse() >> 2 & 1) outcome->damage |= HN_DAMAGE_YMM;
        outcome->mxcsr_in = probe.mxcsr_in;
        outcome->mxcsr_out = probe.mxcsr_out;
        outcome->fcw_in = probe.fcw_in;
        outcome->fcw_out = probe.fcw_out;
    } else {
        outcome->how = hang ? HN_HUNG : HN_SIGNALLED;
        outcome->signal = last_signal;
        outcome->address = last_address;
        outcome->pc = last_pc;
        __asm__ volatile("cld\n\temms");
    }
    _mm_setcsr(before);
    set_x87_control(control);
}

void hn_damage_text(uint32_t damage, char *text, unsigned size)
{
    static const char *const names[] = { "rbx", "rbp",   "r12", "r13", "r14",
                                         "r15", "stack", "DF",  "ymm", "x87" };
    unsigned used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < 10; i++)
        if (damage >> i & 1 && used < size)
            used += (unsigned)snprintf(text + used, size - used, "%s%s", used ? " " : "", names[i]);
}
