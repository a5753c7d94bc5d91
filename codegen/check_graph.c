/* SPDX-License-Identifier: MIT */
/* Whether a graph is the canonical decoder. */
#include <stdlib.h>
#include <string.h>

#include "canonical.h"
#include "graph.h"

/* The graph, its nodes by id, and how often each is used. */
typedef struct view {
    const cg_graph *g;
    const char *path;
    size_t *order; /* indices by (layer, node) */
    size_t *uses;  /* by index */
    size_t *queue;
    cg_error *error;
} view;

static unsigned long id_of(const cg_node *n) { return ((unsigned long)n->layer << 16) | n->node; }

typedef struct key {
    unsigned long id;
    size_t index;
} key;

static int compare(const void *a, const void *b)
{
    const key *const x = a, *const y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int sort(view *v)
{
    const size_t count = v->g->count;
    key *const keys = malloc(count * sizeof *keys);
    if (!keys) return cg_fail(v->error, "no memory for %zu nodes", count);
    for (size_t i = 0; i < count; i++) keys[i] = (key){ id_of(&v->g->nodes[i]), i };
    qsort(keys, count, sizeof *keys, compare);
    for (size_t i = 0; i < count; i++) v->order[i] = keys[i].index;
    free(keys);
    return 0;
}

/* The index of a node, or count. */
static size_t find(const view *v, unsigned long id)
{
    size_t low = 0, high = v->g->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (id_of(&v->g->nodes[v->order[middle]]) < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->g->count && id_of(&v->g->nodes[v->order[low]]) == id ? v->order[low]
                                                                         : v->g->count;
}

static int refuse(const view *v, const cg_node *n, const char *what)
{
    return cg_fail(v->error, "%s: layer %u node %u (%s): %s", v->path, n->layer, n->node,
                   cg_op_name(n->op), what);
}

static size_t producer(const view *v, const cg_ref *r)
{
    return find(v, ((unsigned long)r->layer << 16) | r->node);
}

static int check_node(view *v, const cg_node *n)
{
    char what[80];
    if (!cg_op_supported(n->op)) return refuse(v, n, "not supported");
    if (n->layer >= v->g->config.layers) return refuse(v, n, "there is no such layer");
    if (n->node == CG_BLOCK_INPUT) return refuse(v, n, "the id 65535 is the block's input");
    if (n->inputs > CG_MAX_INPUTS || n->outputs > CG_MAX_OUTPUTS)
        return refuse(v, n, "too many inputs or outputs");
    for (unsigned i = 0; i < n->inputs; i++) {
        const cg_ref *const r = &n->input[i];
        snprintf(what, sizeof what, "input %u is L%u:N%u:%u, which ", i, r->layer, r->node,
                 r->slot);
        if (r->layer != n->layer) return refuse(v, n, strcat(what, "is of another layer"));
        if (r->node == CG_BLOCK_INPUT) continue;
        const size_t from = producer(v, r);
        if (from == v->g->count || r->slot >= v->g->nodes[from].outputs)
            return refuse(v, n, strcat(what, "does not exist"));
        v->uses[from]++;
    }
    return 0;
}

static int check_nodes(view *v)
{
    for (size_t i = 1; i < v->g->count; i++) {
        const cg_node *const n = &v->g->nodes[v->order[i]];
        if (id_of(n) == id_of(&v->g->nodes[v->order[i - 1]]))
            return refuse(v, n, "two nodes have this id");
    }
    for (size_t i = 0; i < v->g->count; i++)
        if (check_node(v, &v->g->nodes[i]) != 0) return -1;
    return 0;
}

/* Takes away nodes that nobody left uses, until none is left; what stays uses itself in a circle. */
static int check_cycles(const view *v)
{
    const size_t count = v->g->count;
    size_t head = 0, tail = 0, *const left = malloc(count * sizeof *left);
    if (!left) return cg_fail(v->error, "no memory for %zu nodes", count);
    memcpy(left, v->uses, count * sizeof *left);
    for (size_t i = 0; i < count; i++)
        if (left[i] == 0) v->queue[tail++] = i;
    for (; head < tail; head++) {
        const cg_node *const n = &v->g->nodes[v->queue[head]];
        for (unsigned i = 0; i < n->inputs; i++) {
            if (n->input[i].node == CG_BLOCK_INPUT) continue;
            const size_t from = producer(v, &n->input[i]);
            if (--left[from] == 0) v->queue[tail++] = from;
        }
    }
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        if (left[i] != 0) status = refuse(v, &v->g->nodes[i], "is in a cycle");
    free(left);
    return status;
}

/* Gives input i of a node its role. */
static int match_input(const view *v, const cg_node *n, unsigned i, int role, size_t *roles)
{
    const cg_canonical *const c = &cg_canonical_layer[role];
    const cg_ref *const r = &n->input[i];
    const int wanted = c->input[i].role;
    char what[96];
    if ((r->node == CG_BLOCK_INPUT) != (wanted == CG_ROLE_COUNT) ||
        (wanted != CG_ROLE_COUNT && r->slot != c->input[i].slot)) {
        snprintf(what, sizeof what, "input %u: the decoder wants %s, output %u, here", i,
                 wanted == CG_ROLE_COUNT ? "the block's input"
                                         : cg_op_name(cg_canonical_layer[wanted].op),
                 c->input[i].slot);
        return refuse(v, n, what);
    }
    if (wanted == CG_ROLE_COUNT) return 0;
    const size_t from = producer(v, r);
    if (roles[wanted] != v->g->count && roles[wanted] != from)
        return refuse(v, n, "an input is another node than the decoder's");
    roles[wanted] = from;
    return 0;
}

/* From the last node to the first: every node is used by later roles only. */
static int match_layer(const view *v, size_t last, size_t *roles)
{
    char what[80];
    for (int role = 0; role < CG_ROLE_COUNT; role++) roles[role] = v->g->count;
    roles[CG_ROLE_ADD2] = last;
    for (int role = CG_ROLE_ADD2; role >= 0; role--) {
        const cg_node *const n = &v->g->nodes[roles[role]];
        const cg_canonical *const c = &cg_canonical_layer[role];
        snprintf(what, sizeof what, "the decoder wants %s with %u inputs and %u outputs here",
                 cg_op_name(c->op), c->inputs, c->outputs);
        if (n->op != c->op || n->inputs != c->inputs || n->outputs != c->outputs)
            return refuse(v, n, what);
        for (unsigned i = 0; i < c->inputs; i++)
            if (match_input(v, n, i, role, roles) != 0) return -1;
    }
    return 0;
}

/* The nodes of layer l are order[10 l] to order[10 l + 9], since there are as many as there may be. */
static int check_layers(const view *v, size_t *roles)
{
    const size_t layers = v->g->config.layers;
    if (v->g->count != layers * CG_ROLE_COUNT)
        return cg_fail(v->error, "%s: nodes: %zu, wanted %d in each of %zu layers", v->path,
                       v->g->count, CG_ROLE_COUNT, layers);
    for (size_t l = 0; l < layers; l++) {
        size_t last = v->g->count;
        for (size_t i = l * CG_ROLE_COUNT; i < (l + 1) * CG_ROLE_COUNT; i++) {
            const cg_node *const n = &v->g->nodes[v->order[i]];
            if (n->layer != l)
                return cg_fail(v->error, "%s: layer %zu: wanted %d nodes", v->path, l,
                               CG_ROLE_COUNT);
            if (v->uses[v->order[i]] != 0) continue;
            if (last != v->g->count) return refuse(v, n, "nobody uses its output");
            last = v->order[i];
        }
        if (match_layer(v, last, roles + l * CG_ROLE_COUNT) != 0) return -1;
    }
    return 0;
}

static int check(view *v, size_t *roles)
{
    if (sort(v) != 0 || check_nodes(v) != 0 || check_cycles(v) != 0) return -1;
    return check_layers(v, roles);
}

int cg_graph_check(const cg_graph *g, const char *path, size_t **roles, cg_error *error)
{
    if (g->count == 0) return cg_fail(error, "%s: nodes: none", path);
    if (cg_config_check(&g->config, path, error) != 0) return -1;
    const size_t room =
        g->count > g->config.layers * CG_ROLE_COUNT ? g->count : g->config.layers * CG_ROLE_COUNT;
    size_t *const found = calloc(room, sizeof *found);
    view v = { g,
               path,
               calloc(g->count, sizeof(size_t)),
               calloc(g->count, sizeof(size_t)),
               calloc(g->count, sizeof(size_t)),
               error };
    int status = -1;
    if (found && v.order && v.uses && v.queue)
        status = check(&v, found);
    else
        cg_fail(error, "no memory for %zu nodes", g->count);
    free(v.order);
    free(v.uses);
    free(v.queue);
    if (status == 0 && roles)
        *roles = found;
    else
        free(found);
    return status;
}
