/* SPDX-License-Identifier: MIT */
/* The canonical decoder as a graph, its mirror image, its listing. */
#include "graph.h"

#include <stdlib.h>

#include "canonical.h"

/* A slot of role CG_ROLE_COUNT is the block's input. */
#define IN               \
    {                    \
        CG_ROLE_COUNT, 0 \
    }
#define OF(r)          \
    {                  \
        CG_ROLE_##r, 0 \
    }
#define SLOT1(r)       \
    {                  \
        CG_ROLE_##r, 1 \
    }
const cg_canonical cg_canonical_layer[CG_ROLE_COUNT] = {
    { CG_RMSNORM, 1, 1, { IN } },        { CG_LINEAR_QKV, 1, 1, { OF(NORM1) } },
    { CG_ATTENTION, 1, 1, { OF(QKV) } }, { CG_ADD, 2, 1, { IN, OF(ATTENTION) } },
    { CG_RMSNORM, 1, 1, { OF(ADD1) } },  { CG_LINEAR, 1, 1, { OF(NORM2) } },
    { CG_SPLIT, 1, 2, { OF(UP) } },      { CG_SWIGLU, 2, 1, { OF(SPLIT), SLOT1(SPLIT) } },
    { CG_LINEAR, 1, 1, { OF(SWIGLU) } }, { CG_ADD, 2, 1, { OF(ADD1), OF(DOWN) } },
};
#undef IN
#undef OF
#undef SLOT1

static const char *const names[CG_OP_COUNT] = {
#define X(name) #name,
    CG_OPS(X)
#undef X
#define X(name) #name "_BWD",
        CG_OPS(X)
#undef X
};

const char *cg_op_name(cg_op op) { return (unsigned)op < CG_OP_COUNT ? names[op] : "UNKNOWN"; }

bool cg_op_supported(cg_op op) { return (unsigned)op < CG_RMSNORM_BWD; }

void cg_graph_free(cg_graph *g)
{
    if (!g) return;
    free(g->nodes);
    *g = (cg_graph){ 0 };
}

static cg_node make_node(size_t layer, int role)
{
    const cg_canonical *const c = &cg_canonical_layer[role];
    cg_node n = { (uint16_t)layer, (uint16_t)role, c->op, c->inputs, c->outputs, { { 0, 0, 0 } } };
    for (unsigned i = 0; i < c->inputs; i++) {
        const int from = c->input[i].role;
        n.input[i] = from == CG_ROLE_COUNT
                         ? (cg_ref){ (uint16_t)layer, CG_BLOCK_INPUT, 0 }
                         : (cg_ref){ (uint16_t)layer, (uint16_t)from, c->input[i].slot };
    }
    return n;
}

int cg_graph_build(cg_graph *g, const cg_config *config, cg_error *error)
{
    if (cg_config_check(config, "config", error) != 0) return -1;
    const size_t count = config->layers * CG_ROLE_COUNT;
    cg_node *const nodes = calloc(count, sizeof *nodes);
    if (!nodes) return cg_fail(error, "no memory for %zu nodes", count);
    for (size_t i = 0; i < count; i++)
        nodes[i] = make_node(i / CG_ROLE_COUNT, (int)(i % CG_ROLE_COUNT));
    *g = (cg_graph){ *config, count, nodes };
    return 0;
}

int cg_graph_reverse(cg_graph *backward, const cg_graph *forward, cg_error *error)
{
    if (forward->count == 0) return cg_fail(error, "the graph is empty");
    cg_node *const nodes = calloc(forward->count, sizeof *nodes);
    if (!nodes) return cg_fail(error, "no memory for %zu nodes", forward->count);
    for (size_t i = 0; i < forward->count; i++) {
        cg_node n = forward->nodes[forward->count - 1 - i];
        const unsigned inputs = n.inputs;
        if (!cg_op_supported(n.op)) {
            free(nodes);
            return cg_fail(error, "layer %u node %u: %s has no gradient", n.layer, n.node,
                           cg_op_name(n.op));
        }
        n.op = (cg_op)(n.op + CG_RMSNORM_BWD);
        n.inputs = n.outputs;
        n.outputs = inputs;
        nodes[i] = n;
    }
    *backward = (cg_graph){ forward->config, forward->count, nodes };
    return 0;
}

void cg_graph_dump(const cg_graph *g, FILE *out)
{
    const cg_config *const c = &g->config;
    fprintf(out,
            "config layers=%zu hidden=%zu intermediate=%zu heads=%zu kv_heads=%zu head_dim=%zu "
            "vocab=%zu context=%zu eps=%.9g theta=%.9g\n",
            c->layers, c->hidden, c->intermediate, c->heads, c->kv_heads, c->head_dim, c->vocab,
            c->context, (double)c->eps, (double)c->theta);
    for (size_t i = 0; i < g->count; i++) {
        const cg_node *const n = &g->nodes[i];
        const bool mirrored = !cg_op_supported(n->op);
        const unsigned refs = mirrored ? n->outputs : n->inputs;
        fprintf(out, "L%u N%u %s outputs=[", n->layer, n->node, cg_op_name(n->op));
        for (unsigned s = 0; s < n->outputs; s++)
            fprintf(out, "%s%u:%u:%u", s ? "," : "", n->layer, n->node, s);
        fprintf(out, "] inputs=[");
        for (unsigned k = 0; k < refs; k++) {
            const cg_ref *const r = &n->input[k];
            if (k) fputc(',', out);
            if (r->node == CG_BLOCK_INPUT)
                fputs("IN", out);
            else
                fprintf(out, "%u:%u:%u", r->layer, r->node, r->slot);
        }
        fputs("]\n", out);
    }
}
