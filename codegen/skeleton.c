/* SPDX-License-Identifier: MIT */
/* A readable sketch of a decoder: its passes as calls of functions that the reader provides. */
#include "skeleton.h"

#include <stdlib.h>

static bool has_place(const cg_step *s, int n) { return s->args[n].place != CG_ABSENT; }

static void emit_prototypes(const cg_program *p, FILE *out)
{
    bool done[CG_KERNEL_COUNT] = { false };
    fputs("#include <stddef.h>\n#include <stdlib.h>\n\n"
          "/* To be provided. An argument that a step does not have is NULL; weights are in\n"
          " * the formats told above, in f32 if there is nothing told. */\n",
          out);
    for (size_t i = 0; i < p->plan.count; i++) {
        const cg_kernel_id id = p->plan.steps[i].spec->kernel;
        const cg_param *const params = cg_kernels[id].params;
        if (done[id]) continue;
        done[id] = true;
        fprintf(out, "int %s(", cg_kernels[id].name);
        for (int n = 0; params[n].name; n++)
            fprintf(out, "%s%s%s *%s", n ? ", " : "", params[n].access & CG_WRITE ? "" : "const ",
                    params[n].kind != CG_FLOATS ? "void" : "float", params[n].name);
        fputs(");\n", out);
    }
}

/* Where an argument lies: an expression of `arena` and, in a layer, `l`. */
static void emit_argument(const cg_program *p, const cg_step *s, int n, FILE *out)
{
    const size_t stride = p->layout.layer_stride / sizeof(float);
    if (!has_place(s, n)) {
        fputs("NULL", out);
        return;
    }
    const cg_place *const at = &p->layout.places[s->args[n].place];
    const cg_buffer *const b = &cg_buffers[at->id];
    if (b->role == CG_INPUT)
        fputs("input", out);
    else if (b->layer && s->spec->phase == CG_LAYER)
        fprintf(out, "arena + %zu + l * %zu", at->offset / sizeof(float), stride);
    else
        fprintf(out, "arena + %zu", at->offset / sizeof(float));
}

static void emit_call(const cg_program *p, const cg_step *s, const char *indent, FILE *out)
{
    const cg_param *const params = cg_kernels[s->spec->kernel].params;
    fprintf(out, "%sif (%s(", indent, cg_kernels[s->spec->kernel].name);
    for (int n = 0; params[n].name; n++) {
        if (n) fputs(", ", out);
        emit_argument(p, s, n, out);
    }
    fprintf(out, ") != 0) return -1; /* %s:", s->spec->name);
    for (int n = 0; params[n].name; n++)
        if (has_place(s, n))
            fprintf(out, " %s", cg_buffers[p->layout.places[s->args[n].place].id].name);
    fputs(" */\n", out);
}

/* "op, outputs, inputs" of a node. */
static void emit_node(const cg_node *n, const char *indent, FILE *out)
{
    const unsigned refs = cg_op_supported(n->op) ? n->inputs : n->outputs;
    fprintf(out, "%s/* N%u %s: %u outputs, inputs", indent, n->node, cg_op_name(n->op), n->outputs);
    for (unsigned i = 0; i < refs; i++)
        if (n->input[i].node == CG_BLOCK_INPUT)
            fputs(" IN", out);
        else
            fprintf(out, " N%u:%u", n->input[i].node, n->input[i].slot);
    fputs(" */\n", out);
}

static void emit_phase(const cg_program *p, cg_phase phase, const char *indent, FILE *out)
{
    size_t node = CG_ABSENT;
    for (size_t i = 0; i < p->plan.count; i++) {
        const cg_step *const s = &p->plan.steps[i];
        if (s->spec->phase != phase || s->layer != 0) continue;
        if (s->node != node && s->node != CG_ABSENT)
            emit_node(&p->graph.nodes[s->node], indent, out);
        node = s->node;
        emit_call(p, s, indent, out);
    }
}

static void emit_forward(const cg_program *p, FILE *out)
{
    const cg_place *const in = &p->layout.places[cg_place_index(cg_b_embedded_input, 0)];
    const cg_place *const end = &p->layout.places[cg_place_index(cg_b_output, 0)];
    fprintf(out, "\nint forward(float *arena);\nint forward(float *arena)\n{\n");
    emit_phase(p, CG_BEFORE, "    ", out);
    fprintf(
        out,
        "    for (size_t l = 0; l < %zu; l++) {\n"
        "        const float *const input = l == 0 ? arena + %zu : arena + %zu + (l - 1) * %zu;\n",
        p->graph.config.layers, in->offset / sizeof(float), end->offset / sizeof(float),
        p->layout.layer_stride / sizeof(float));
    emit_phase(p, CG_LAYER, "        ", out);
    fputs("    }\n", out);
    emit_phase(p, CG_AFTER, "    ", out);
    fputs("    return 0;\n}\n", out);
}

static int emit_backward(const cg_program *p, FILE *out, cg_error *error)
{
    cg_graph back = { 0 };
    if (cg_graph_reverse(&back, &p->graph, error) != 0) return -1;
    fprintf(
        out,
        "\n/* The order of the gradients; a layer's is the mirror image of its forward pass. */\n"
        "int backward(float *arena);\nint backward(float *arena)\n{\n"
        "    for (size_t l = %zu; l-- > 0;) {\n",
        p->graph.config.layers);
    for (size_t i = 0; i < back.count; i++)
        if (back.nodes[i].layer == 0) emit_node(&back.nodes[i], "        ", out);
    fputs("    }\n    (void)arena;\n    return 0;\n}\n", out);
    cg_graph_free(&back);
    return 0;
}

int cg_emit_skeleton(const cg_program *p, FILE *out, cg_error *error)
{
    emit_prototypes(p, out);
    emit_forward(p, out);
    if (emit_backward(p, out, error) != 0) return -1;
    fprintf(out,
            "\nint main(void)\n{\n"
            "    float *const arena = calloc(%zu, 1);\n"
            "    const int status = arena ? forward(arena) || backward(arena) : 1;\n"
            "    free(arena);\n    return status;\n}\n",
            p->layout.total);
    return 0;
}
