/* SPDX-License-Identifier: MIT */
/* The layout of the arena. */
#include "layout.h"

#include <stdlib.h>

static const struct format {
    const char *name;
    size_t elements, bytes;
} formats[CK_DTYPE_COUNT] = {
#define X(code, name, elements, bytes) { #name, elements, bytes },
    CK_DTYPES(X)
#undef X
};

const char *cg_dtype_name(ck_dtype dtype)
{
    return (unsigned)dtype < CK_DTYPE_COUNT ? formats[dtype].name : "unknown";
}

size_t cg_row_bytes(ck_dtype dtype, size_t elements)
{
    return elements / formats[dtype].elements * formats[dtype].bytes;
}

size_t cg_block(ck_dtype dtype) { return formats[dtype].elements; }

size_t cg_row_elements(const cg_buffer *b, const cg_config *config)
{
    size_t dims = 0, row = 1;
    while (dims < CG_MAX_DIMS && b->dims[dims] != CG_DIM_END) dims++;
    for (size_t i = dims - b->row; i < dims; i++) row *= cg_dim_of(b->dims[i], config);
    return row;
}

size_t cg_place_index(cg_buffer_id id, size_t layer)
{
    if (id < CG_GLOBALS) return (size_t)id;
    return CG_GLOBALS + layer * (CG_BUFFERS - CG_GLOBALS) + ((size_t)id - CG_GLOBALS);
}

size_t cg_place_count(size_t layers) { return cg_place_index(cg_b_input, layers); }

/* The next offset for a buffer at or behind `end`; CG_ABSENT: overflow. */
static size_t next_offset(const cg_layout *l, size_t end)
{
    if (end > SIZE_MAX - 4 * CG_LINE) return CG_ABSENT;
    return (end + CG_LINE - 1) / CG_LINE * CG_LINE + l->options.guard;
}

/* Shape and dtype of a place, whose id and layer are set. */
static int set_shape(const cg_layout *l, cg_place *p, cg_error *error)
{
    const cg_buffer *const b = &cg_buffers[p->id];
    const size_t index = (size_t)(p - l->places);
    const size_t row = cg_row_elements(b, &l->config);
    p->dtype = b->role == CG_MATRIX && l->options.dtype ? l->options.dtype[index]
               : b->role == CG_CACHE                    ? l->options.cache
                                                        : CK_DTYPE_F32;
    p->elements = 1;
    for (p->dims = 0; p->dims < CG_MAX_DIMS && b->dims[p->dims] != CG_DIM_END; p->dims++) {
        p->dim[p->dims] = cg_dim_of(b->dims[p->dims], &l->config);
        if (__builtin_mul_overflow(p->elements, p->dim[p->dims], &p->elements) ||
            p->elements > SIZE_MAX / 64)
            return cg_fail(error, "buffer %s of layer %zu: too large", b->name, p->layer);
    }
    if ((unsigned)p->dtype >= CK_DTYPE_COUNT)
        return cg_fail(error, "buffer %s of layer %zu: dtype %u is unknown", b->name, p->layer,
                       (unsigned)p->dtype);
    if (row % formats[p->dtype].elements != 0)
        return cg_fail(error, "buffer %s of layer %zu: rows of %zu, wanted whole %s blocks of %zu",
                       b->name, p->layer, row, formats[p->dtype].name, formats[p->dtype].elements);
    p->bytes = cg_row_bytes(p->dtype, p->elements);
    return 0;
}

cg_choice cg_choice_of(const cg_layout_options *o)
{
    return (cg_choice){ .training = o->training,
                        .cache_apart = o->cache != CK_DTYPE_F32,
                        .fuse = o->fuse };
}

static bool exists(const cg_layout *l, const cg_buffer *b)
{
    const cg_choice choice = cg_choice_of(&l->options);
    return cg_holds(b->when, &l->config, &choice) && (b->role != CG_GRADIENT || choice.training);
}

/* Puts the place at or behind *end, or where what it is lies, and moves *end. */
static int put(cg_layout *l, cg_place *p, size_t *end, cg_error *error)
{
    const cg_buffer *const b = &cg_buffers[p->id];
    if (!exists(l, b)) return 0;
    if (set_shape(l, p, error) != 0) return -1;
    if (b->role == CG_INPUT) {
        const size_t from = p->layer == 0 ? cg_place_index(cg_b_embedded_input, 0)
                                          : cg_place_index(cg_b_output, p->layer - 1);
        p->offset = l->places[from].offset;
        return 0;
    }
    if (b->alias != cg_b_NONE && l->config.tied) {
        const cg_place *const to = &l->places[cg_place_index(b->alias, p->layer)];
        p->offset = to->offset;
        p->dtype = to->dtype;
        p->bytes = to->bytes;
        return 0;
    }
    p->offset = next_offset(l, *end);
    if (p->offset == CG_ABSENT || __builtin_add_overflow(p->offset, p->bytes, end))
        return cg_fail(error, "buffer %s of layer %zu: beyond the address space", b->name,
                       p->layer);
    return 0;
}

static int place_all(cg_layout *l, cg_error *error)
{
    const size_t cap = l->options.cap ? l->options.cap : CG_DEFAULT_CAP;
    size_t end = 0;
    for (size_t i = 0; i < l->count; i++) {
        const size_t in_layers = i < CG_GLOBALS ? 0 : i - CG_GLOBALS;
        const size_t of_layer = in_layers % (CG_BUFFERS - CG_GLOBALS);
        cg_place *const p = &l->places[i];
        *p = (cg_place){ .id = (cg_buffer_id)(i < CG_GLOBALS ? i : CG_GLOBALS + of_layer),
                         .layer = in_layers / (CG_BUFFERS - CG_GLOBALS),
                         .offset = CG_ABSENT };
        if (i == CG_GLOBALS) l->layers_start = end;
        if (put(l, p, &end, error) != 0) return -1;
        if (end > cap)
            return cg_fail(error, "memory: more than the %zu bytes permitted, at %s of layer %zu",
                           cap, cg_buffers[p->id].name, p->layer);
    }
    l->total = next_offset(l, end);
    const cg_buffer_id first = cg_b_ln1_gamma;
    if (l->config.layers > 1)
        l->layer_stride =
            l->places[cg_place_index(first, 1)].offset - l->places[cg_place_index(first, 0)].offset;
    return 0;
}

/* Some fused steps have kernels of f32 alone; none keeps anything for gradients. */
int cg_fusion_check(const cg_layout_options *o, cg_error *error)
{
    for (size_t i = 0; i < cg_rewrite_count; i++) {
        const cg_rewrite *const r = &cg_rewrites[i];
        if (!(o->fuse & r->fuse)) continue;
        if (o->training)
            return cg_fail(error, "fuse: %s: not with training", cg_fuse_name(r->fuse));
        for (int n = 0; o->dtype && cg_kernels[r->fused.kernel].params[n].name; n++) {
            const cg_buffer_id id = r->fused.args[n];
            if (id == cg_b_NONE || cg_buffers[id].role != CG_MATRIX ||
                cg_kernels[r->fused.kernel].params[n].kind == CG_BLOCKS)
                continue;
            const ck_dtype dtype = o->dtype[cg_place_index(id, 0)];
            if (dtype != CK_DTYPE_F32)
                return cg_fail(error, "fuse: %s: %s in %s, wanted f32", cg_fuse_name(r->fuse),
                               cg_buffers[id].name, cg_dtype_name(dtype));
        }
    }
    return 0;
}

int cg_layout_make(cg_layout *l, const cg_config *config, const cg_layout_options *options,
                   cg_error *error)
{
    cg_layout made = { .config = *config, .options = *options };
    if (options->guard != 0 && options->guard != CG_LINE)
        return cg_fail(error, "guard: %zu, wanted 0 or %d", options->guard, CG_LINE);
    if (options->training && options->cache != CK_DTYPE_F32)
        return cg_fail(error, "cache: %s: not with training", cg_dtype_name(options->cache));
    if (cg_config_check(config, "config", error) != 0 || cg_fusion_check(options, error) != 0)
        return -1;
    made.count = cg_place_count(config->layers);
    made.places = calloc(made.count, sizeof *made.places);
    if (!made.places) return cg_fail(error, "no memory for %zu buffers", made.count);
    const int status = place_all(&made, error);
    if (status == 0)
        *l = made;
    else
        cg_layout_free(&made);
    return status;
}

void cg_layout_free(cg_layout *l)
{
    free(l->places);
    *l = (cg_layout){ 0 };
}

void cg_layout_dump(const cg_layout *l, FILE *out)
{
    for (size_t i = 0; i < l->count; i++) {
        const cg_place *const p = &l->places[i];
        if (p->offset == CG_ABSENT) continue;
        fprintf(out, "%zu %zu ", p->offset, p->bytes);
        if (cg_buffers[p->id].layer) fprintf(out, "L%zu.", p->layer);
        fprintf(out, "%s %s", cg_buffers[p->id].name, cg_dtype_name(p->dtype));
        for (unsigned k = 0; k < p->dims; k++) fprintf(out, "%c%zu", k ? 'x' : ' ', p->dim[k]);
        fputc('\n', out);
    }
    fprintf(out, "layers_start %zu layer_stride %zu total %zu\n", l->layers_start, l->layer_stride,
            l->total);
}
