/* SPDX-License-Identifier: MIT */
/* Single-steps a kernel to see which vector instructions it really executes. */
#include <link.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "call.h"

void hn_trace_asm(ck_fn *fn, const void *args);

static hn_trace *volatile current;
static unsigned long limit_steps;
static uintptr_t text_low, text_high;

enum { TRAP_FLAG = 0x100 };

static void count_vex(hn_trace *t, unsigned map, unsigned long_form, unsigned opcode)
{
    if (long_form)
        t->vex_256++;
    else
        t->vex_128++;
    t->dot_product += map == 2 && opcode >= 0x50 && opcode <= 0x53;
}

static void count_evex(hn_trace *t, const unsigned char *p)
{
    if ((p[3] >> 5 & 3) == 2)
        t->evex_512++;
    else
        t->evex_other++;
    t->dot_product += (p[1] & 7) == 2 && p[4] >= 0x50 && p[4] <= 0x53;
}

/* Packed arithmetic of legacy SSE; moves, logic and conversions (0x5a, 0x5b) do not count, scalar
 * code uses them too. */
static bool packed_opcode(unsigned opcode, unsigned prefix)
{
    if (opcode == 0x38 || opcode == 0x3a) return prefix == 0x66;
    if (opcode == 0x5a || opcode == 0x5b) return false;
    if (opcode == 0x51 || (opcode >= 0x58 && opcode <= 0x5f)) return prefix == 0 || prefix == 0x66;
    return prefix == 0x66 &&
           ((opcode >= 0x60 && opcode <= 0x6d) || (opcode >= 0xd1 && opcode <= 0xd5) ||
            (opcode >= 0xe1 && opcode <= 0xe5) || (opcode >= 0xf1 && opcode <= 0xfe));
}

static void count_legacy(hn_trace *t, const unsigned char *p)
{
    unsigned prefix = 0;
    for (int i = 0; i < 4 && (*p == 0x66 || *p == 0xf2 || *p == 0xf3); i++) prefix = *p++;
    if ((*p & 0xf0) == 0x40) p++;
    if (p[0] != 0x0f) return;
    if (packed_opcode(p[1], prefix))
        t->packed_sse++;
    else if ((prefix == 0xf2 || prefix == 0xf3) && p[1] >= 0x51 && p[1] <= 0x5f)
        t->scalar_fp++;
}

void hn_trace_count(hn_trace *t, const unsigned char *p)
{
    switch (*p) {
    case 0xc5: count_vex(t, 1, p[1] >> 2 & 1, p[2]); break;
    case 0xc4: count_vex(t, p[1] & 31, p[2] >> 2 & 1, p[3]); break;
    case 0x62: count_evex(t, p); break;
    default: count_legacy(t, p);
    }
}

static void on_step(int number, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    const uintptr_t at = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
    (void)number;
    (void)info;
    if (!current) return;
    if (++current->steps > limit_steps) {
        uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        return;
    }
    if (at < text_low || at + 16 > text_high) return;
    hn_trace_count(current, (const unsigned char *)at);
}

/* The executable segment that holds `data`: what libraries do on the kernel's behalf is not its own. */
static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
    const uintptr_t at = *(uintptr_t *)data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t low = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || at < low || at >= low + segment->p_memsz) continue;
        text_low = low;
        text_high = low + segment->p_memsz;
        return 1;
    }
    return 0;
}

void hn_call_traced(ck_fn *fn, const void *args, unsigned long limit, hn_trace *trace)
{
    struct sigaction step = { .sa_flags = SA_SIGINFO | SA_RESTART }, before;
    uintptr_t at;
    memset(trace, 0, sizeof *trace);
    memcpy(&at, &fn, sizeof at);
    text_low = text_high = 0;
    dl_iterate_phdr(find_text, &at);
    limit_steps = limit;
    step.sa_sigaction = on_step;
    sigaction(SIGTRAP, &step, &before);
    current = trace;
    hn_trace_asm(fn, args);
    current = NULL;
    sigaction(SIGTRAP, &before, NULL);
    trace->complete = trace->steps <= limit;
}
