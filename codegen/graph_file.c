/* SPDX-License-Identifier: MIT */
/* A graph as a file of JSON. */
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "graph.h"

/* What a file has only where it is not what the plain decoder has. */
static const struct flag {
    const char *name;
    size_t offset;
    bool plain;
} flags[] = {
    { "qkv_bias", offsetof(cg_config, qkv_bias), true },
    { "output_bias", offsetof(cg_config, output_bias), true },
    { "mlp_bias", offsetof(cg_config, mlp_bias), true },
    { "tie_word_embeddings", offsetof(cg_config, tied), true },
    { "qk_norm", offsetof(cg_config, qk_norm), false },
};
enum { FLAGS = sizeof flags / sizeof *flags };

static bool *flag_of(cg_config *c, int i) { return (bool *)((char *)c + flags[i].offset); }

static void write_config(const cg_config *config, FILE *out)
{
    cg_config c = *config;
    const char *separator = "";
    fprintf(out, "  \"config\": {");
    for (int i = 0; i < CG_FIELDS; i++) {
        const cg_field *const f = &cg_fields[i];
        char *const at = (char *)&c + f->offset;
        const bool implied = c.heads * c.head_dim == c.hidden;
        if (f->offset == offsetof(cg_config, head_dim) && implied) continue;
        fprintf(out, "%s\n    \"%s\": ", separator, f->ir);
        if (f->real)
            fprintf(out, "%.9g", (double)*(float *)(void *)at);
        else
            fprintf(out, "%zu", *(size_t *)(void *)at);
        separator = ",";
    }
    for (int i = 0; i < FLAGS; i++)
        if (*flag_of(&c, i) != flags[i].plain)
            fprintf(out, ",\n    \"%s\": %s", flags[i].name, flags[i].plain ? "false" : "true");
    if (c.scaling.factor != 0)
        fprintf(out,
                ",\n    \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": %.9g, "
                "\"low_freq_factor\": %.9g, \"high_freq_factor\": %.9g, "
                "\"original_max_position_embeddings\": %zu}",
                (double)c.scaling.factor, (double)c.scaling.low, (double)c.scaling.high,
                c.scaling.context);
    fprintf(out, "\n  },\n");
}

static void write_node(const cg_node *n, FILE *out)
{
    fprintf(out, "    {\"layer\": %u, \"node\": %u, \"op\": \"%s\", \"outputs\": [", n->layer,
            n->node, cg_op_name(n->op));
    for (unsigned s = 0; s < n->outputs; s++)
        fprintf(out, "%s\"L%u:N%u:%u\"", s ? ", " : "", n->layer, n->node, s);
    fprintf(out, "], \"inputs\": [");
    for (unsigned i = 0; i < n->inputs; i++) {
        const cg_ref *const r = &n->input[i];
        if (i) fputs(", ", out);
        if (r->node == CG_BLOCK_INPUT)
            fputs("\"IN\"", out);
        else
            fprintf(out, "\"L%u:N%u:%u\"", r->layer, r->node, r->slot);
    }
    fputs("]}", out);
}

void cg_graph_write(const cg_graph *g, FILE *out)
{
    fprintf(out, "{\n");
    write_config(&g->config, out);
    fprintf(out, "  \"nodes\": [\n");
    for (size_t i = 0; i < g->count; i++) {
        write_node(&g->nodes[i], out);
        fputs(i + 1 < g->count ? ",\n" : "\n", out);
    }
    fprintf(out, "  ]\n}\n");
}

/* No key of the object but these. */
static int only(const cg_object *o, const char *const *names, size_t count, cg_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)o->json, key, value)
    {
        size_t i = 0;
        while (i < count && strcmp(key, names[i]) != 0) i++;
        if (i == count) return cg_fail(error, "%s: %s%.60s: unknown field", o->path, o->name, key);
    }
    return 0;
}

static int read_config(const cg_object *o, cg_config *c, cg_error *error)
{
    const char *names[CG_FIELDS + FLAGS + 1];
    size_t count = 0;
    *c = (cg_config){ 0 };
    for (int i = 0; i < CG_FIELDS; i++) names[count++] = cg_fields[i].ir;
    for (int i = 0; i < FLAGS; i++) names[count++] = flags[i].name;
    names[count++] = "rope_scaling";
    if (only(o, names, count, error) != 0) return -1;
    for (int i = 0; i < CG_FIELDS; i++) {
        const cg_field *const f = &cg_fields[i];
        char *const at = (char *)c + f->offset;
        const int found =
            f->real ? cg_json_real(o, f->ir, f->least, f->most, (float *)(void *)at, error)
                    : cg_json_count(o, f->ir, (size_t)f->least, (size_t)f->most, false,
                                    (size_t *)(void *)at, error);
        if (found < 0) return -1;
        if (!found && f->offset != offsetof(cg_config, head_dim))
            return cg_fail(error, "%s: %s%s: missing", o->path, o->name, f->ir);
    }
    for (int i = 0; i < FLAGS; i++) {
        *flag_of(c, i) = flags[i].plain;
        if (cg_json_flag(o, flags[i].name, flag_of(c, i), error) < 0) return -1;
    }
    if (cg_json_scaling(o, "rope_scaling", c, error) != 0) return -1;
    if (c->head_dim == 0 && c->hidden % c->heads != 0)
        return cg_fail(error, "%s: %snum_attention_heads: %zu, wanted a divisor of hidden_size %zu",
                       o->path, o->name, c->heads, c->hidden);
    if (c->head_dim == 0) c->head_dim = c->hidden / c->heads;
    return cg_config_check(c, o->path, error);
}

/* A decimal number up to `most` without leading zeros; moves *text behind it. -1: none. */
static long number(const char **text, long most)
{
    const char *const start = *text;
    long value = 0;
    while (**text >= '0' && **text <= '9' && value <= most) value = 10 * value + *(*text)++ - '0';
    if (*text == start || value > most || (*start == '0' && *text - start > 1)) return -1;
    return value;
}

/* "Lx:Ny:s" */
static int read_ref(const char *text, cg_ref *r)
{
    long part[3];
    static const char *const before[] = { "L", ":N", ":" };
    static const long most[] = { CG_MAX_LAYERS, CG_BLOCK_INPUT - 1, CG_MAX_OUTPUTS - 1 };
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(before[i]);
        if (strncmp(text, before[i], length) != 0) return -1;
        text += length;
        part[i] = number(&text, most[i]);
        if (part[i] < 0) return -1;
    }
    *r = (cg_ref){ (uint16_t)part[0], (uint16_t)part[1], (uint8_t)part[2] };
    return *text == 0 ? 0 : -1;
}

/* The list of references of that name: -1, or how many. */
static int read_refs(const cg_object *o, const char *name, size_t most, const cg_node *n,
                     cg_ref *refs, cg_error *error)
{
    const json_t *const list = json_object_get(o->json, name);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "an array of at most %zu", most);
    if (!json_is_array(list) || json_array_size(list) > most)
        return cg_json_refuse(o, name, list, wanted, error);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *const item = json_array_get(list, i);
        const char *const text = json_is_string(item) ? json_string_value(item) : "";
        if (strcmp(text, "IN") == 0)
            refs[i] = (cg_ref){ n->layer, CG_BLOCK_INPUT, 0 };
        else if (read_ref(text, &refs[i]) != 0)
            return cg_json_refuse(o, name, item, "IN or Lx:Ny:s", error);
    }
    return (int)json_array_size(list);
}

static int read_op(const cg_object *o, cg_op *op, cg_error *error)
{
    const char *name = "";
    if (cg_json_string(o, "op", &name, error) < 0) return -1;
    for (int i = 0; i < CG_OP_COUNT; i++)
        if (strcmp(name, cg_op_name((cg_op)i)) == 0) return *op = (cg_op)i, 0;
    return cg_fail(error, "%s: %sop: \"%.40s\" is unknown", o->path, o->name, name);
}

static int read_node(const cg_object *o, cg_node *n, cg_error *error)
{
    static const char *const names[] = { "layer", "node", "op", "outputs", "inputs" };
    size_t layer = 0, node = 0;
    cg_ref outputs[CG_MAX_OUTPUTS];
    if (!json_is_object(o->json)) return cg_fail(error, "%s: %s not an object", o->path, o->name);
    if (only(o, names, 5, error) != 0 || read_op(o, &n->op, error) != 0) return -1;
    const int found = cg_json_count(o, "layer", 0, CG_MAX_LAYERS - 1, false, &layer, error);
    const int also =
        found < 0 ? -1 : cg_json_count(o, "node", 0, CG_BLOCK_INPUT - 1, false, &node, error);
    if (found < 0 || also < 0) return -1;
    if (!found || !also)
        return cg_fail(error, "%s: %s%s: missing", o->path, o->name, found ? "node" : "layer");
    n->layer = (uint16_t)layer;
    n->node = (uint16_t)node;
    const int in = read_refs(o, "inputs", CG_MAX_INPUTS, n, n->input, error);
    const int out = in < 0 ? -1 : read_refs(o, "outputs", CG_MAX_OUTPUTS, n, outputs, error);
    if (in < 0 || out < 0) return -1;
    for (int i = 0; i < out; i++)
        if (outputs[i].layer != layer || outputs[i].node != node || outputs[i].slot != i)
            return cg_fail(error, "%s: %soutputs: number %d is not L%zu:N%zu:%d", o->path, o->name,
                           i, layer, node, i);
    n->inputs = (unsigned)in;
    n->outputs = (unsigned)out;
    return 0;
}

static int read_nodes(const json_t *list, const char *path, cg_graph *g, cg_error *error)
{
    g->count = json_array_size(list);
    if (g->count == 0) return cg_fail(error, "%s: nodes: wanted an array that is not empty", path);
    g->nodes = calloc(g->count, sizeof *g->nodes);
    if (!g->nodes) return cg_fail(error, "%s: no memory for %zu nodes", path, g->count);
    for (size_t i = 0; i < g->count; i++) {
        char name[40];
        snprintf(name, sizeof name, "nodes[%zu].", i);
        const cg_object o = { json_array_get(list, i), path, name };
        if (read_node(&o, &g->nodes[i], error) != 0) return -1;
    }
    return 0;
}

int cg_graph_parse(cg_graph *g, const char *text, size_t size, const char *path, cg_error *error)
{
    static const char *const names[] = { "config", "nodes" };
    json_t *const json = cg_json_parse(text, size, path, error);
    cg_graph read = { 0 };
    if (!json) return -1;
    const cg_object o = { json, path, "" };
    const cg_object config = { json_object_get(json, "config"), path, "config." };
    int status = only(&o, names, 2, error);
    if (status == 0 && !json_is_object(config.json))
        status = cg_fail(error, "%s: config: wanted an object", path);
    if (status == 0) status = read_config(&config, &read.config, error);
    if (status == 0) status = read_nodes(json_object_get(json, "nodes"), path, &read, error);
    json_decref(json);
    if (status == 0)
        *g = read;
    else
        cg_graph_free(&read);
    return status;
}

int cg_graph_read(cg_graph *g, const char *path, cg_error *error)
{
    size_t size;
    char *const text = cg_read(path, CG_MAX_JSON, &size, error);
    if (!text) return -1;
    const int status = cg_graph_parse(g, text, size, path, error);
    free(text);
    return status;
}
