/* SPDX-License-Identifier: MIT */
/* An emitted program: offsets, steps, tables. */
#include "generate.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "emit_step.h"
#include "formats.h"
#include "skeleton.h"

void cg_emit_name(const char *name, FILE *out)
{
    for (; *name; name++) fputc(toupper((unsigned char)*name), out);
}

void cg_emit_float(float value, FILE *out)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", (double)value);
    fprintf(out, "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
}

static void emit_head(const cg_program *p, cg_mode mode, FILE *out)
{
    static const char *const modes[] = { "library", "standalone", "skeleton" };
    const cg_config *const c = &p->graph.config;
    fprintf(
        out,
        "/* Made by `ckgen --%s`, which makes the same bytes again; do not edit.\n"
        " * layers=%zu hidden=%zu intermediate=%zu heads=%zu kv_heads=%zu head_dim=%zu vocab=%zu\n"
        " * context=%zu eps=%.9g theta=%.9g",
        modes[mode], c->layers, c->hidden, c->intermediate, c->heads, c->kv_heads, c->head_dim,
        c->vocab, c->context, (double)c->eps, (double)c->theta);
    for (unsigned fuse = 1; fuse <= CG_FUSE_RESIDUAL; fuse *= 2)
        if (p->layout.options.fuse & fuse) fprintf(out, "\n * fuse %s", cg_fuse_name(fuse));
    cg_formats_print(&p->layout, "\n * weights", out);
    if (p->layout.options.cache != CK_DTYPE_F32)
        fprintf(out, "\n * cache %s", cg_dtype_name(p->layout.options.cache));
    fputs(" */\n", out);
}

static void emit_includes(const cg_program *p, cg_mode mode, FILE *out)
{
    const char *done[CG_KERNEL_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < p->plan.count; i++) {
        const char *const header = cg_kernel_header(p->plan.steps[i].spec->kernel);
        size_t k = 0;
        while (k < count && strcmp(done[k], header) != 0) k++;
        if (k < count) continue;
        done[count++] = header;
    }
    fputs("#include \"ck_ops.h\"\n#include \"ck_program.h\"\n", out);
    if (mode == CG_STANDALONE) fputs("#include \"ck_standalone.h\"\n", out);
    for (size_t i = 0; i < count; i++) fprintf(out, "#include \"%s\"\n", done[i]);
}

/* Whether the emitted tables have the place: those with memory of their own. */
static bool listed(const cg_program *p, const cg_place *at)
{
    const cg_buffer *const b = &cg_buffers[at->id];
    if (at->offset == CG_ABSENT || b->role == CG_INPUT || b->role == CG_GRADIENT) return false;
    return b->alias == cg_b_NONE || !p->graph.config.tied;
}

static size_t table_end(const cg_program *p)
{
    return p->layout.count < (size_t)CG_BUFFERS ? p->layout.count : (size_t)CG_BUFFERS;
}

static void emit_offsets(const cg_program *p, FILE *out)
{
    fputs("\n/* Bytes from the start of the arena; l: the layer. */\n", out);
    for (size_t i = 0; i < table_end(p); i++) {
        const cg_place *const at = &p->layout.places[i];
        if (!listed(p, at)) continue;
        fputs("#define ", out);
        cg_emit_name(cg_buffers[at->id].name, out);
        if (cg_buffers[at->id].layer)
            fprintf(out, "(l) ((size_t)%zu + (l) * (size_t)%zu)\n", at->offset,
                    p->layout.layer_stride);
        else
            fprintf(out, " ((size_t)%zu)\n", at->offset);
    }
    fprintf(out, "#define INPUT(l) ((l) == 0 ? EMBEDDED_INPUT : OUTPUT((l) - 1))\n");
}

/* The step functions of a phase, of its first layer: those of all layers are alike. */
static void emit_steps(const cg_program *p, FILE *out)
{
    for (size_t i = 0; i < p->plan.count; i++)
        if (p->plan.steps[i].layer == 0) cg_emit_step(p, &p->plan.steps[i], out);
}

static void emit_dims(const cg_place *at, const cg_config *c, FILE *out)
{
    const cg_buffer *const b = &cg_buffers[at->id];
    size_t dim[CG_MAX_DIMS + 1], used[CG_MAX_DIMS + 1], dims = 0;
    for (unsigned i = 0; i < at->dims; i++) {
        const cg_dim d = b->dims[i];
        if (d == CG_DIM_aI2) { /* gate and up, each with its pad lanes */
            dim[dims] = used[dims] = 2;
            dims++;
        }
        dim[dims] = d == CG_DIM_aI2 ? at->dim[i] / 2 : at->dim[i];
        used[dims] = d == CG_DIM_aD                      ? c->hidden
                     : d == CG_DIM_aH                    ? c->head_dim
                     : d == CG_DIM_aI || d == CG_DIM_aI2 ? c->intermediate
                     : d == CG_DIM_aC                    ? c->context
                                                         : dim[dims];
        dims++;
    }
    fprintf(out, "%zu, {", dims);
    for (size_t i = 0; i < dims; i++) fprintf(out, "%s %zu", i ? "," : "", dim[i]);
    fputs(" }, {", out);
    for (size_t i = 0; i < dims; i++) fprintf(out, "%s %zu", i ? "," : "", used[i]);
    fputs(" }", out);
}

static void emit_buffers(const cg_program *p, FILE *out)
{
    static const char *const roles[] = { "CK_MATRIX",     "CK_VECTOR",     "CK_TABLE",   "",
                                         "CK_ACTIVATION", "CK_ACTIVATION", "CK_SCRATCH", "" };
    fputs("\nstatic const ck_buffer buffers[] = {\n", out);
    for (size_t i = 0; i < table_end(p); i++) {
        const cg_place *const at = &p->layout.places[i];
        const cg_buffer *const b = &cg_buffers[at->id];
        if (!listed(p, at)) continue;
        fprintf(out, "    { \"%s\", %s, CK_DTYPE_", b->name, roles[b->role]);
        cg_emit_name(cg_dtype_name(at->dtype), out);
        fprintf(out, ", %d, %zu, %zu, %zu, ", b->layer, at->offset,
                b->layer ? p->layout.layer_stride : 0, at->bytes);
        emit_dims(at, &p->graph.config, out);
        fputs(" },\n", out);
    }
    fputs("};\n", out);
}

/* The index of a place in the emitted table, or -1, -2 as in ck_operand. */
static int operand_index(const cg_program *p, size_t place)
{
    int index = 0;
    if (place == CG_ABSENT) return -1;
    const cg_place *const at = &p->layout.places[place];
    cg_buffer_id id = at->id;
    if (cg_buffers[id].role == CG_INPUT) return -2;
    if (cg_buffers[id].alias != cg_b_NONE && p->graph.config.tied) id = cg_buffers[id].alias;
    for (size_t i = 0; i < (size_t)id; i++) index += listed(p, &p->layout.places[i]);
    return index;
}

static void emit_table(const cg_program *p, cg_phase phase, const char *name, FILE *out)
{
    fprintf(out, "\nstatic const ck_step %s[] = {\n", name);
    for (size_t i = 0; i < p->plan.count; i++) {
        const cg_step *const s = &p->plan.steps[i];
        const cg_param *const params = cg_kernels[s->spec->kernel].params;
        static const char *const access[] = { "", "r", "w", "rw" };
        if (s->spec->phase != phase || s->layer != 0) continue;
        fprintf(out, "    { \"%s\", \"%s\", %s, {", s->spec->name, cg_kernels[s->spec->kernel].name,
                s->spec->name);
        for (int n = 0; params[n].name; n++)
            fprintf(out, "%s { \"%s\", \"%s\", %d }", n ? "," : "", params[n].name,
                    access[params[n].access], operand_index(p, s->args[n].place));
        fputs(" } },\n", out);
    }
    fputs("};\n", out);
}

static void emit_decoder(const cg_config *c, FILE *out)
{
    const cg_scaling *const s = &c->scaling;
    fprintf(out, "    { %zu, %zu, %zu, %zu, %zu, %zu, %zu, %zu, ", c->layers, c->hidden,
            c->intermediate, c->heads, c->kv_heads, c->head_dim, c->vocab, c->context);
    cg_emit_float(c->eps, out);
    fputs(", ", out);
    cg_emit_float(c->theta, out);
    fprintf(out, ", %d, %d, %d, %d, %d,\n      ", c->qkv_bias, c->output_bias, c->mlp_bias, c->tied,
            c->qk_norm);
    cg_emit_float(s->factor, out);
    fputs(", ", out);
    cg_emit_float(s->low, out);
    fputs(", ", out);
    cg_emit_float(s->high, out);
    fprintf(out, ", %zu },\n", s->context);
}

static void emit_program(const cg_program *p, FILE *out)
{
    fputs("\n#define COUNT(table) (sizeof(table) / sizeof *(table))\n"
          "static const ck_program program = {\n"
          "    CK_PROGRAM_ABI,\n",
          out);
    emit_decoder(&p->graph.config, out);
    fprintf(out,
            "    %zu, %zu, COUNT(buffers), buffers,\n"
            "    { COUNT(before), before }, { COUNT(layer), layer }, { COUNT(after), after },\n"
            "};\n",
            p->layout.total, p->layout.options.guard);
    fputs("\nCK_API const ck_program *ck_program_v1(void);\n"
          "const ck_program *ck_program_v1(void) { return &program; }\n",
          out);
}

/* Layers differ by the stride alone: the text of a step is that of all layers, so they have one format
 * for each matrix. */
static int check_uniform(const cg_program *p, cg_error *error)
{
    const size_t a_layer = CG_BUFFERS - CG_GLOBALS;
    for (size_t i = CG_BUFFERS; i < p->layout.count; i++) {
        const cg_place *const at = &p->layout.places[i];
        const cg_place *const first = &p->layout.places[CG_GLOBALS + (i - CG_GLOBALS) % a_layer];
        const bool there = at->offset != CG_ABSENT && cg_buffers[at->id].role != CG_INPUT;
        if (there && (at->dtype != first->dtype ||
                      at->offset != first->offset + at->layer * p->layout.layer_stride))
            return cg_fail(error, "emission: %s of layer %zu lies otherwise than in layer 0",
                           cg_buffers[at->id].name, at->layer);
    }
    return 0;
}

static int check_kernels(const cg_program *p, cg_error *error)
{
    for (size_t i = 0; i < p->plan.count; i++) {
        const cg_step *const s = &p->plan.steps[i];
        char entry[CG_ENTRY];
        cg_step_entry(s, &p->layout, entry);
        if (!cg_entry_exists(entry))
            return cg_fail(error, "emission: step %s: kernels.def has no %s", s->spec->name, entry);
    }
    return 0;
}

int cg_emit(const cg_program *p, cg_mode mode, FILE *out, cg_error *error)
{
    if (check_uniform(p, error) != 0) return -1;
    if (mode != CG_SKELETON && check_kernels(p, error) != 0) return -1;
    emit_head(p, mode, out);
    if (mode == CG_SKELETON) return cg_emit_skeleton(p, out, error);
    emit_includes(p, mode, out);
    emit_offsets(p, out);
    emit_steps(p, out);
    emit_buffers(p, out);
    emit_table(p, CG_BEFORE, "before", out);
    emit_table(p, CG_LAYER, "layer", out);
    emit_table(p, CG_AFTER, "after", out);
    emit_program(p, out);
    if (mode == CG_STANDALONE)
        fputs("\nint main(int argc, char **argv) { return ck_standalone(&program, argc, argv); }\n",
              out);
    return 0;
}

static int finish_both(cg_file *source, cg_file *manifest, cg_error *error)
{
    if (cg_finish(source, error) != 0) return -1;
    if (manifest && cg_finish(manifest, error) != 0) return -1;
    if (manifest && cg_publish(manifest, error) != 0) return -1;
    if (cg_publish(source, error) == 0) return 0;
    if (manifest) remove(manifest->path);
    return -1;
}

int cg_emit_file(const cg_program *p, cg_mode mode, const char *path, cg_error *error)
{
    const bool listing = mode != CG_SKELETON;
    char name[4096];
    cg_file source = { 0 }, manifest = { 0 };
    int status = 0;
    if (snprintf(name, sizeof name, "%s.kernels", path) >= (int)sizeof name)
        return cg_fail(error, "%.60s...: path too long", path);
    if (cg_open(&source, path, error) != 0) return -1;
    if (listing) status = cg_open(&manifest, name, error);
    if (status == 0) status = cg_emit(p, mode, source.file, error);
    if (status == 0 && listing) cg_emit_manifest(manifest.file);
    if (status == 0) status = finish_both(&source, listing ? &manifest : NULL, error);
    cg_abandon(&manifest);
    cg_abandon(&source);
    return status;
}
