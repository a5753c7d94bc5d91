/* SPDX-License-Identifier: MIT */
/* Whether a plan computes the decoder from what is there. */
#include <stdlib.h>

#include "formats.h"
#include "plan.h"

typedef struct view {
    const cg_plan *plan;
    const cg_graph *g;
    const cg_layout *l;
    bool *written; /* by place */
    cg_error *error;
} view;

static int refuse(const view *v, const cg_step *s, const cg_param *p, const char *what)
{
    return cg_fail(v->error, "plan: layer %zu step %s: %s: %s", s->layer, s->spec->name,
                   p ? p->name : cg_kernels[s->spec->kernel].name, what);
}

static const cg_place *place_of(const view *v, const cg_step *s, int n)
{
    const size_t place = s->args[n].place;
    return place == CG_ABSENT ? NULL : &v->l->places[place];
}

/* What holds the bytes of a place: an input is what came before, an alias its target. */
static size_t holder(const view *v, size_t place)
{
    const cg_place *const p = &v->l->places[place];
    const cg_buffer *const b = &cg_buffers[p->id];
    if (b->role == CG_INPUT)
        return p->layer == 0 ? cg_place_index(cg_b_embedded_input, 0)
                             : cg_place_index(cg_b_output, p->layer - 1);
    if (b->alias != cg_b_NONE && v->l->config.tied) return cg_place_index(b->alias, p->layer);
    return place;
}

/* Operands of the cache are all in its one format, whichever step it is. */
static int check_format(const view *v, const cg_step *s, const cg_param *p, const cg_place *at)
{
    if (p->kind == CG_CACHED && cg_buffers[at->id].role != CG_CACHE)
        return refuse(v, s, p, "is not of the cache");
    if (p->kind == CG_CACHED && at->dtype != v->l->options.cache)
        return refuse(v, s, p, "not in the format of the cache");
    if (p->kind == CG_FLOATS && at->dtype != CK_DTYPE_F32) return refuse(v, s, p, "wanted in f32");
    if (p->kind == CG_BLOCKS && !cg_is_weight_format(at->dtype))
        return refuse(v, s, p, "not in a format of weights");
    return 0;
}

static int check_argument(const view *v, const cg_step *s, int n)
{
    const cg_param *const p = &cg_kernels[s->spec->kernel].params[n];
    const size_t place = s->args[n].place;
    const size_t of = s->spec->phase == CG_AFTER ? v->l->config.layers - 1 : s->layer;
    const cg_buffer_id id = s->spec->args[n];
    if (place == CG_ABSENT) {
        if (!p->optional) return refuse(v, s, p, "missing");
        return id == cg_b_NONE || v->l->places[cg_place_index(id, of)].offset == CG_ABSENT
                   ? 0
                   : refuse(v, s, p, "not given, though it is in the layout");
    }
    if (place >= v->l->count || v->l->places[place].offset == CG_ABSENT)
        return refuse(v, s, p, "is not in the layout");
    const cg_place *const at = &v->l->places[place];
    const cg_buffer_role role = cg_buffers[at->id].role;
    if (cg_buffers[at->id].layer && at->layer != of) return refuse(v, s, p, "is of another layer");
    if (check_format(v, s, p, at) != 0) return -1;
    if ((p->access & CG_WRITE) && (role == CG_MATRIX || role == CG_VECTOR || role == CG_TABLE))
        return refuse(v, s, p, "would overwrite a weight or a table");
    if ((p->access & CG_WRITE) && role == CG_INPUT)
        return refuse(v, s, p, "would overwrite the block's input");
    return 0;
}

/* Each letter of the parameters' dims has one value. */
static int check_shapes(const view *v, const cg_step *s)
{
    size_t value[128] = { 0 };
    const cg_param *const params = cg_kernels[s->spec->kernel].params;
    char what[80];
    for (int n = 0; params[n].name; n++) {
        const cg_place *const at = place_of(v, s, n);
        unsigned i = 0;
        if (!at) continue;
        for (const char *c = params[n].dims; *c; c++, i++) {
            const size_t factor = *c >= '0' && *c <= '9' ? (size_t)(*c++ - '0') : 1;
            size_t *const known = &value[(unsigned char)*c & 127];
            if (i >= at->dims) return refuse(v, s, &params[n], "has too few dimensions");
            snprintf(what, sizeof what, "dimension %u is %zu, wanted %zu", i, at->dim[i],
                     factor * *known);
            if (at->dim[i] % factor != 0 || (*known && at->dim[i] != factor * *known))
                return refuse(v, s, &params[n], what);
            *known = at->dim[i] / factor;
        }
        if (i != at->dims) return refuse(v, s, &params[n], "has too many dimensions");
    }
    return 0;
}

/* An output's memory is no other operand's. */
static int check_overlap(const view *v, const cg_step *s)
{
    const cg_param *const params = cg_kernels[s->spec->kernel].params;
    for (int n = 0; params[n].name; n++)
        for (int k = 0; params[k].name; k++)
            if (k != n && (params[n].access & CG_WRITE) && s->args[n].place != CG_ABSENT &&
                s->args[k].place != CG_ABSENT &&
                holder(v, s->args[n].place) == holder(v, s->args[k].place))
                return refuse(v, s, &params[n], "overlaps another operand");
    return 0;
}

static int check_dataflow(const view *v, const cg_step *s)
{
    const cg_param *const params = cg_kernels[s->spec->kernel].params;
    for (int n = 0; params[n].name; n++)
        if ((params[n].access & CG_READ) && s->args[n].place != CG_ABSENT &&
            !v->written[holder(v, s->args[n].place)])
            return refuse(v, s, &params[n], "is read before it is written");
    for (int n = 0; params[n].name; n++)
        if ((params[n].access & CG_WRITE) && s->args[n].place != CG_ABSENT)
            v->written[holder(v, s->args[n].place)] = true;
    return 0;
}

static int check_node(const view *v, const cg_step *s, size_t *served)
{
    if ((s->spec->phase == CG_LAYER) != (s->node != CG_ABSENT))
        return refuse(v, s, NULL, "has a node, or none, against its phase");
    if (s->node == CG_ABSENT) return 0;
    if (s->node >= v->g->count || v->g->nodes[s->node].layer != s->layer)
        return refuse(v, s, NULL, "has no node in the graph");
    served[s->node]++;
    if (s->also == CG_ABSENT) return 0;
    if (s->also >= v->g->count || v->g->nodes[s->also].layer != s->layer || s->also == s->node)
        return refuse(v, s, NULL, "has no second node in the graph");
    served[s->also]++;
    return 0;
}

static int check_step(const view *v, const cg_step *s)
{
    for (int n = 0; cg_kernels[s->spec->kernel].params[n].name; n++)
        if (check_argument(v, s, n) != 0) return -1;
    if (check_shapes(v, s) != 0 || check_overlap(v, s) != 0) return -1;
    return check_dataflow(v, s);
}

static int check_all(const view *v, size_t *served)
{
    for (size_t i = 0; i < v->plan->count; i++)
        if (check_step(v, &v->plan->steps[i]) != 0 ||
            check_node(v, &v->plan->steps[i], served) != 0)
            return -1;
    for (size_t i = 0; i < v->g->count; i++)
        if (served[i] == 0 && v->g->nodes[i].op != CG_SPLIT) /* a view: no step of its own */
            return cg_fail(v->error, "plan: layer %u node %u (%s) has no step",
                           v->g->nodes[i].layer, v->g->nodes[i].node,
                           cg_op_name(v->g->nodes[i].op));
    if (!v->written[cg_place_index(cg_b_logits, 0)])
        return cg_fail(v->error, "plan: nobody writes the logits");
    return 0;
}

int cg_plan_check(const cg_plan *plan, const cg_graph *g, const cg_layout *l, cg_error *error)
{
    view v = { plan, g, l, calloc(l->count, sizeof(bool)), error };
    size_t *const served = calloc(g->count, sizeof *served);
    int status = -1;
    if (v.written && served) {
        for (size_t i = 0; i < l->count; i++) {
            const cg_buffer_role role = cg_buffers[l->places[i].id].role;
            v.written[i] = role == CG_MATRIX || role == CG_VECTOR || role == CG_TABLE;
        }
        status = check_all(&v, served);
    } else {
        cg_fail(error, "plan: no memory");
    }
    free(v.written);
    free(served);
    return status;
}
