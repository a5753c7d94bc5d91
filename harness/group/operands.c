/* SPDX-License-Identifier: MIT */
/* Operands of a case: memory, data, junk around them. */
#include <string.h>

#include "../capture.h"
#include "../fill.h"
#include "../hash.h"
#include "runner.h"

/* Every kernel does at least this many terms in a tenth of a second. */
enum { TERMS_PER_TICK = 5000000, TICKS_LEAST = 20 };

/* Of the stack, in words; the most is what contracts allow. */
enum { STACK_WORDS = 512, STACK_WORDS_MOST = 23 * 1024, STACK_MOST_EVERY = 32 };

static void set_specs(hn_runner *r)
{
    const bool directed = r->c->fp == HN_FP_DOWN || r->c->fp == HN_FP_UP || r->c->fp == HN_FP_ZERO;
    for (size_t s = 0; s < r->plan->nspecs; s++) {
        r->specs[s] = r->plan->specs[s];
        r->specs[s].u = directed && !r->specs[s].strict ? 0x1p-23 : 0x1p-24;
        r->specs[s].ftz = r->specs[s].daz = r->c->fp == HN_FP_FTZ && !r->specs[s].strict;
    }
}

static void set_live(hn_runner *r, size_t i)
{
    if (!r->family->live || r->extents[i].rows == 0) return;
    r->live[i] = hn_grow(r->live[i], &r->nlive[i], r->extents[i].rows, sizeof *r->live[i]);
    for (size_t row = 0; row < r->extents[i].rows; row++)
        r->live[i][row] = r->family->live(r->c, i, row);
}

/* Captured operands: all there, and those that the case means? */
static void check_captured(hn_runner *r)
{
    uint64_t hash = HN_HASH_START;
    r->stale[0] = '\0';
    if (r->c->fill != HN_FILL_FILE) return;
    for (size_t i = 0; i < r->family->noperands; i++) {
        if (is_output(r, i)) continue;
        if (hn_capture_read(r->c, i, &r->placed[i], live_of(r, i), r->stale, sizeof r->stale) != 0)
            return;
        hash = hn_capture_hash(hash, &r->placed[i], live_of(r, i));
    }
    if (hash != r->c->file_hash)
        snprintf(r->stale, sizeof r->stale, "the captured operands hash to %016llx",
                 (unsigned long long)hash);
}

/* The outputs one after the other. */
static size_t set_outputs(hn_runner *r)
{
    size_t units = 0;
    r->out_bytes = 0;
    for (size_t i = 0; i < r->family->noperands; i++) {
        if (!is_output(r, i)) continue;
        r->out_from[i] = r->out_bytes;
        r->out_bytes += packed_bytes(&r->placed[i]);
        units += r->placed[i].rows * r->placed[i].cols;
    }
    return units;
}

int hn_runner_set_up(hn_runner *r, const hn_plan *plan, const hn_case *c)
{
    r->plan = plan;
    r->c = c;
    r->family = c->op->family;
    memset(r->extents, 0, sizeof r->extents);
    r->family->extents(c, r->extents);
    for (size_t i = 0; i < r->family->noperands; i++) {
        r->ld[i] = hn_ld(c, i, &r->extents[i]);
        if (hn_place_operand(&r->slots[i], &r->extents[i], r->ld[i], format_of(r, i), c->at[i],
                             &r->placed[i]) != 0)
            return -1;
        set_live(r, i);
        if (!is_output(r, i) && r->placed[i].at)
            hn_fill_operand(c, i, &r->placed[i], live_of(r, i));
    }
    const size_t outputs = set_outputs(r);
    r->saved = hn_grow(r->saved, &r->saved_bytes, r->out_bytes * plan->nvariants, 1);
    r->packed = hn_grow(r->packed, &r->packed_bytes, r->out_bytes, 1);
    r->ticks = TICKS_LEAST + (unsigned)(outputs * r->family->terms(c) / TERMS_PER_TICK);
    if (r->ticks_most && r->ticks > r->ticks_most) r->ticks = r->ticks_most;
    check_captured(r);
    set_specs(r);
    return 0;
}

/* Junk wherever an input must not be read. */
void hn_runner_set_junk(hn_runner *r, hn_pattern junk)
{
    /* painting all the stack that a kernel may take is slow: now and then */
    hn_call_poison(hn_pattern_word(junk),
                   r->c->seed % STACK_MOST_EVERY ? STACK_WORDS : STACK_WORDS_MOST);
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *p = &r->placed[i];
        if (!p->at || is_output(r, i)) continue;
        hn_paint_slack(p, live_of(r, i), junk);
        r->kept[i] = hn_grow(r->kept[i], &r->kept_bytes[i], hn_placed_bytes(p), 1);
        hn_placed_save(p, r->kept[i]);
    }
}

bool hn_runner_inputs_changed(const hn_runner *r)
{
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *p = &r->placed[i];
        if (p->at && !is_output(r, i) && !hn_placed_same(p, r->kept[i])) return true;
    }
    return false;
}

void hn_runner_set_prefill(const hn_runner *r, hn_pattern prefill)
{
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *y = &r->placed[i];
        const size_t *live = live_of(r, i);
        if (!is_written(r, i)) continue;
        hn_paint_slack(y, live, HN_CANARY);
        for (size_t row = 0; row < y->rows; row++)
            hn_paint(y->at + row * y->ld * y->unit, (live ? live[row] : y->cols) * y->unit,
                     prefill);
    }
}

/* The outputs as they are, into r->packed. */
void hn_runner_pack(hn_runner *r)
{
    for (size_t i = 0; i < r->family->noperands; i++) {
        const hn_placed *y = &r->placed[i];
        const size_t bytes = y->cols * y->unit;
        if (!is_written(r, i)) continue;
        for (size_t row = 0; row < y->rows; row++)
            memcpy(r->packed + r->out_from[i] + row * bytes, y->at + row * y->ld * y->unit, bytes);
    }
}

/* Writes the inputs anew after a kernel that changed them, so that nobody else is blamed. */
void hn_runner_repair(hn_runner *r, const hn_trail *t, hn_pattern junk)
{
    if (!t->input_changed) return;
    for (size_t k = 0; k < r->family->noperands; k++)
        if (r->placed[k].at && !is_output(r, k))
            hn_fill_operand(r->c, k, &r->placed[k], live_of(r, k));
    hn_runner_set_junk(r, junk);
}
