/* SPDX-License-Identifier: MIT */
/* Whether a step that stands for two computes what both do. */
#include <string.h>

#include "registry.h"

typedef struct view {
    const cg_rewrite *r;
    const cg_step_spec *first, *second;
    cg_error *error;
} view;

static int refuse(const view *v, const char *what)
{
    return cg_fail(v->error, "rewrite %s: %s", v->r->fused.name, what);
}

/* Buffers that a step writes, or only reads, and gives. */
static bool has(const cg_step_spec *s, cg_buffer_id id, bool written)
{
    const cg_param *const params = cg_kernels[s->kernel].params;
    for (int n = 0; params[n].name; n++)
        if (s->args[n] == id && !(params[n].access & CG_WRITE) == !written) return true;
    return false;
}

/* The one buffer that a step writes; NONE: it writes several, or what it reads. */
static cg_buffer_id output_of(const cg_step_spec *s)
{
    const cg_param *const params = cg_kernels[s->kernel].params;
    cg_buffer_id output = cg_b_NONE;
    for (int n = 0; params[n].name; n++) {
        if (!(params[n].access & CG_WRITE)) continue;
        if (output != cg_b_NONE || params[n].access != CG_WRITE) return cg_b_NONE;
        output = s->args[n];
    }
    return output;
}

static int check_inputs(const view *v, cg_buffer_id between)
{
    for (int id = 0; id < CG_BUFFERS; id++) {
        const bool before =
            has(v->first, (cg_buffer_id)id, false) || has(v->second, (cg_buffer_id)id, false);
        const bool wanted = before && (cg_buffer_id)id != between;
        if (has(&v->r->fused, (cg_buffer_id)id, false) != wanted)
            return refuse(v, "its inputs are not those of both steps");
    }
    return 0;
}

/* The buffer is there exactly without the choice, and nobody else has it. */
static int check_between(const view *v, cg_buffer_id between, const cg_step_spec *steps,
                         size_t count)
{
    const cg_when when = cg_buffers[between].when;
    const cg_config any = { 0 };
    const cg_choice without = { .fuse = ~v->r->fuse }, with = { .fuse = v->r->fuse };
    if (!cg_holds(when, &any, &without) || cg_holds(when, &any, &with))
        return refuse(v, "what its first step writes is there with it, or not without");
    for (size_t i = 0; i < count; i++)
        if (&steps[i] != v->first && &steps[i] != v->second &&
            (has(&steps[i], between, false) || has(&steps[i], between, true)))
            return refuse(v, "what its first step writes has another step");
    return 0;
}

static const cg_step_spec *find(const cg_step_spec *steps, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(steps[i].name, name) == 0) return &steps[i];
    return NULL;
}

static int check_rewrite(const view *v, const cg_step_spec *steps, size_t count)
{
    const cg_step_spec *const fused = &v->r->fused;
    if (!v->first || v->second != v->first + 1)
        return refuse(v, "its steps do not follow one another");
    if (v->first->phase != CG_LAYER || v->second->phase != CG_LAYER || fused->phase != CG_LAYER ||
        v->first->when != CG_WHEN_ALWAYS || v->second->when != CG_WHEN_ALWAYS)
        return refuse(v, "a step is not always there, or not of a layer");
    if (find(steps, count, fused->name)) return refuse(v, "named as a step is");
    if (fused->role != v->first->role) return refuse(v, "not of its first step's node");
    const cg_buffer_id between = output_of(v->first);
    if (between == cg_b_NONE || !has(v->second, between, false))
        return refuse(v, "its second step does not read what the first one writes");
    if (output_of(fused) == cg_b_NONE || output_of(fused) != output_of(v->second))
        return refuse(v, "its output is not that of its second step");
    if (check_inputs(v, between) != 0) return -1;
    return check_between(v, between, steps, count);
}

int cg_rewrites_check(const cg_rewrite *rewrites, size_t count, const cg_step_spec *steps,
                      size_t step_count, cg_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const view v = { &rewrites[i], find(steps, step_count, rewrites[i].first),
                         find(steps, step_count, rewrites[i].second), error };
        for (size_t j = 0; j < i; j++)
            if (strcmp(rewrites[j].fused.name, rewrites[i].fused.name) == 0)
                return refuse(&v, "named twice");
        if (check_rewrite(&v, steps, step_count) != 0) return -1;
    }
    return 0;
}
