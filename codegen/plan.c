/* SPDX-License-Identifier: MIT */
/* The steps of a forward pass. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* Binds one step; in CG_AFTER, "output" is the last layer's. */
static cg_step bind(const cg_step_spec *spec, size_t layer, const cg_graph *g, const size_t *roles,
                    const cg_layout *l)
{
    const size_t of = spec->phase == CG_AFTER ? g->config.layers - 1 : layer;
    const cg_choice choice = cg_choice_of(&l->options);
    cg_step s = { .spec = spec, .layer = layer, .node = CG_ABSENT, .also = CG_ABSENT };
    int n = 0;
    if (spec->role != CG_ROLE_COUNT) s.node = roles[layer * CG_ROLE_COUNT + spec->role];
    for (const cg_param *p = cg_kernels[spec->kernel].params; p->name; p++, n++) {
        const cg_buffer_id id = cg_standing_for(spec->args[n], &choice);
        const size_t place = id == cg_b_NONE ? CG_ABSENT : cg_place_index(id, of);
        const bool absent = place == CG_ABSENT || l->places[place].offset == CG_ABSENT;
        s.args[n].place = absent ? CG_ABSENT : place;
    }
    return s;
}

/* The rewrite of two steps that follow one another; NULL: they stay. */
static const cg_rewrite *find_rewrite(const cg_step *first, const cg_step *second, unsigned fuse)
{
    for (size_t i = 0; i < cg_rewrite_count; i++) {
        const cg_rewrite *const r = &cg_rewrites[i];
        if (r->fuse & fuse && strcmp(r->first, first->spec->name) == 0 &&
            strcmp(r->second, second->spec->name) == 0)
            return r;
    }
    return NULL;
}

static void fuse(cg_plan *plan, const cg_graph *g, const size_t *roles, const cg_layout *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++, kept++) {
        const cg_step *const s = &plan->steps[i];
        const cg_rewrite *const r =
            i + 1 < plan->count ? find_rewrite(s, s + 1, l->options.fuse) : NULL;
        if (!r) {
            plan->steps[kept] = *s;
            continue;
        }
        const size_t also = s[1].node;
        plan->steps[kept] = bind(&r->fused, s->layer, g, roles, l);
        plan->steps[kept].also = also;
        i++;
    }
    plan->count = kept;
}

int cg_plan_make(cg_plan *plan, const cg_graph *g, const size_t *roles, const cg_layout *l,
                 cg_error *error)
{
    const size_t most = cg_step_count * (g->config.layers + 1);
    cg_step *const steps = calloc(most, sizeof *steps);
    const cg_choice choice = cg_choice_of(&l->options);
    size_t count = 0;
    if (!steps) return cg_fail(error, "no memory for %zu steps", most);
    for (int phase = CG_BEFORE; phase <= CG_AFTER; phase++)
        for (size_t layer = 0; layer < (phase == CG_LAYER ? g->config.layers : 1); layer++)
            for (size_t i = 0; i < cg_step_count; i++)
                if (cg_steps[i].phase == (cg_phase)phase &&
                    cg_holds(cg_steps[i].when, &g->config, &choice))
                    steps[count++] = bind(&cg_steps[i], layer, g, roles, l);
    *plan = (cg_plan){ count, steps };
    fuse(plan, g, roles, l);
    return 0;
}

void cg_plan_free(cg_plan *plan)
{
    free(plan->steps);
    *plan = (cg_plan){ 0 };
}

ck_dtype cg_step_format(const cg_step *s, const cg_layout *l)
{
    const cg_param *const params = cg_kernels[s->spec->kernel].params;
    for (int n = 0; params[n].name; n++)
        if (params[n].kind != CG_FLOATS && s->args[n].place != CG_ABSENT)
            return l->places[s->args[n].place].dtype;
    return CK_DTYPE_F32;
}

void cg_step_entry(const cg_step *s, const cg_layout *l, char entry[CG_ENTRY])
{
    const cg_kernel *const k = &cg_kernels[s->spec->kernel];
    const ck_dtype format = cg_step_format(s, l);
    const char *const text = format == CK_DTYPE_F32 ? k->entry : k->of_format;
    const char *const name = strchr(text, '%');
    if (name)
        snprintf(entry, CG_ENTRY, "%.*s%s%s", (int)(name - text), text, cg_dtype_name(format),
                 name + 1);
    else
        snprintf(entry, CG_ENTRY, "%s", text);
}

static void dump_arg(const cg_param *p, const cg_place *at, FILE *out)
{
    static const char *const access[] = { "", "R", "W", "RW" };
    fprintf(out, " %s=", p->name);
    if (!at) {
        fputs("none", out);
        return;
    }
    if (cg_buffers[at->id].layer) fprintf(out, "L%zu.", at->layer);
    fprintf(out, "%s:%s:%s:", cg_buffers[at->id].name, access[p->access], cg_dtype_name(at->dtype));
    for (unsigned i = 0; i < at->dims; i++) fprintf(out, "%s%zu", i ? "x" : "", at->dim[i]);
    fprintf(out, ":%zu", at->bytes);
}

void cg_plan_dump(const cg_plan *plan, const cg_graph *g, const cg_layout *l, FILE *out)
{
    for (size_t i = 0; i < plan->count; i++) {
        const cg_step *const s = &plan->steps[i];
        const cg_kernel *const k = &cg_kernels[s->spec->kernel];
        if (s->spec->phase == CG_LAYER) fprintf(out, "L%zu N%u ", s->layer, g->nodes[s->node].node);
        fprintf(out, "%s %s", s->spec->name, k->name);
        for (int n = 0; k->params[n].name; n++) {
            const size_t place = s->args[n].place;
            dump_arg(&k->params[n], place == CG_ABSENT ? NULL : &l->places[place], out);
        }
        fputc('\n', out);
    }
}
