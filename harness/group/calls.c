/* SPDX-License-Identifier: MIT */
/* Calls of kernels, and everything but values that is checked of them. */
#include <dlfcn.h>
#include <signal.h>
#include <string.h>

#include "runner.h"

enum { MXCSR_CONTROL = 0xffc0 };

static void find_overwrite(const hn_runner *r, hn_trail *t)
{
    for (size_t i = 0; i < r->family->noperands && !t->overwrite; i++) {
        if (!is_written(r, i)) continue;
        t->overwrite = hn_find_overwrite(&r->placed[i], live_of(r, i));
        t->overwritten = i;
    }
}

/* What a call on prepared memory did; the outputs are left in r->packed. */
static void follow(hn_runner *r, hn_trail *t)
{
    find_overwrite(r, t);
    t->input_changed = hn_runner_inputs_changed(r);
    hn_runner_pack(r);
}

void hn_runner_call(hn_runner *r, const hn_variant *v, const hn_case *c, void *const *at,
                    const size_t *ld, hn_trail *t)
{
    *t = (hn_trail){ 0 };
    r->family->kernel_args(c, at, ld, r->args);
    hn_call(entry(v), r->args, hn_case_mxcsr(c), r->ticks, &t->outcome);
    follow(r, t);
}

static void run_crew(const void *args)
{
    const hn_crew *c = args;
    c->run(c->fn, c->spec, c->args, c->threads);
}

/* The same by the threads of the case. The clock counts the time of all of them. */
void hn_runner_call_crew(hn_runner *r, const hn_variant *v, hn_trail *t)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    for (size_t i = 0; i < r->family->noperands; i++) at[i] = r->placed[i].at;
    *t = (hn_trail){ 0 };
    r->family->kernel_args(r->c, at, r->ld, r->args);
    r->crew = (hn_crew){ v->kernel->threads, entry(v), v->kernel->spec, r->args, r->c->threads };
    hn_call_threads(true);
    hn_call(run_crew, &r->crew, hn_case_mxcsr(r->c), r->ticks * r->c->threads, &t->outcome);
    hn_call_threads(false);
    follow(r, t);
}

void hn_runner_call_plain(hn_runner *r, const hn_variant *v, hn_pattern prefill, hn_trail *t)
{
    void *at[HN_MAX_OPERANDS] = { 0 };
    for (size_t i = 0; i < r->family->noperands; i++) at[i] = r->placed[i].at;
    hn_runner_set_prefill(r, prefill);
    hn_runner_call(r, v, r->c, at, r->ld, t);
}

/* "memset of libc.so.6" or "libck.so+0x1a2b", for addr2line: where the instruction is. */
static const char *place_of(const void *pc, char *text, size_t size)
{
    Dl_info info;
    if (!dladdr(pc, &info) || !info.dli_fname) return "code of no file";
    const char *slash = strrchr(info.dli_fname, '/');
    const char *const file = slash ? slash + 1 : info.dli_fname;
    if (info.dli_sname)
        snprintf(text, size, "%s of %s", info.dli_sname, file);
    else
        snprintf(text, size, "%s+%#tx", file, (const char *)pc - (const char *)info.dli_fbase);
    return text;
}

static void record_signal(const hn_runner *r, const hn_outcome *o, hn_result *result)
{
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *p = &r->placed[i];
        if (!p->at) continue;
        const int side = o->address ? hn_guard_side(&r->slots[i], o->address) : 0;
        const unsigned char *end = p->at + ((p->rows - 1) * p->ld + p->cols) * p->unit;
        const char *name = r->family->operands[i].name;
        if (side > 0 && (const unsigned char *)o->address < end)
            hn_record(result, HN_CRASH, HN_CHECK_GUARD,
                      "signal %d between rows of %s, byte %td of it", o->signal, name,
                      (const unsigned char *)o->address - p->at);
        if (side > 0)
            hn_record(result, HN_CRASH, HN_CHECK_GUARD, "signal %d at byte %+td past the end of %s",
                      o->signal, (const unsigned char *)o->address - end, name);
        if (side < 0)
            hn_record(result, HN_CRASH, HN_CHECK_GUARD,
                      "signal %d at byte %+td from the start of %s", o->signal,
                      (const unsigned char *)o->address - p->at, name);
    }
    char place[128];
    const char *const at = o->signal == SIGABRT ? ""
                           : o->address         ? " at an address of no operand"
                                                : " at address 0 or a malformed one";
    if (o->address && o->pc == o->address)
        hn_record(result, HN_CRASH, HN_CHECK_CRASH, "signal %d: what was called is no code",
                  o->signal);
    hn_record(result, HN_CRASH, HN_CHECK_CRASH, "signal %d%s, in %s", o->signal, at,
              place_of(o->pc, place, sizeof place));
}

static void record_overwrite(const hn_runner *r, const hn_trail *t, hn_result *result)
{
    const hn_placed *y = &r->placed[t->overwritten];
    const size_t *live = live_of(r, t->overwritten);
    const char *name = r->family->operands[t->overwritten].name;
    const ptrdiff_t offset = t->overwrite - y->at, stride = (ptrdiff_t)(y->ld * y->unit);
    const size_t row = offset < 0 ? 0 : (size_t)(offset / stride);
    const size_t units = live && row < y->rows ? live[row] : y->cols;
    if (offset < 0)
        hn_record(result, HN_FAIL, HN_CHECK_SLACK, "wrote %td bytes before %s", -offset, name);
    hn_record(result, HN_FAIL, HN_CHECK_SLACK,
              "wrote beyond row %zu of %s, byte %td (the row has %zu)", row, name, offset % stride,
              units * y->unit);
}

/* Everything but values. Returns false if the outputs mean nothing. */
bool hn_runner_check_trail(const hn_runner *r, const hn_trail *t, hn_result *result)
{
    const hn_outcome *o = &t->outcome;
    char text[80];
    if (o->how == HN_HUNG)
        hn_record(result, HN_HANG, HN_CHECK_HANG, "no return within %u.%u CPU seconds",
                  r->ticks / 10, r->ticks % 10);
    if (o->how == HN_SIGNALLED) record_signal(r, o, result);
    if (o->how != HN_RETURNED) return false;
    if (o->damage) {
        hn_damage_text(o->damage, text, sizeof text);
        hn_record(result, HN_FAIL, HN_CHECK_ABI, "calling convention broken: %s", text);
    }
    if ((o->mxcsr_in ^ o->mxcsr_out) & MXCSR_CONTROL)
        hn_record(result, HN_FAIL, HN_CHECK_FPENV, "MXCSR control bits 0x%04x came back as 0x%04x",
                  o->mxcsr_in & MXCSR_CONTROL, o->mxcsr_out & MXCSR_CONTROL);
    if (o->fcw_in != o->fcw_out)
        hn_record(result, HN_FAIL, HN_CHECK_FPENV, "x87 control word 0x%04x came back as 0x%04x",
                  o->fcw_in, o->fcw_out);
    if (t->overwrite) record_overwrite(r, t, result);
    if (t->input_changed)
        hn_record(result, HN_FAIL, HN_CHECK_INPUT, "an input or its surroundings changed");
    return true;
}
