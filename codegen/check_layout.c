/* SPDX-License-Identifier: MIT */
/* Whether a layout is what buffers.def asks for. */
#include "formats.h"

/* Whether a buffer of that role may be in the format. */
static bool may_be_in(const cg_layout *l, cg_buffer_role role, ck_dtype dtype)
{
    if (role == CG_MATRIX) return cg_is_weight_format(dtype);
    if (role == CG_CACHE) return cg_is_cache_format(dtype) && dtype == l->options.cache;
    return dtype == CK_DTYPE_F32;
}

static int refuse(const cg_place *p, const char *what, size_t value, cg_error *error)
{
    return cg_fail(error, "layout: %s of layer %zu: %s: %zu", cg_buffers[p->id].name, p->layer,
                   what, value);
}

/* Shape, dtype and bytes, counted anew. */
static int check_shape(const cg_layout *l, const cg_place *p, cg_error *error)
{
    const cg_buffer *const b = &cg_buffers[p->id];
    size_t elements = 1, row = 1;
    for (unsigned i = 0; i < p->dims; i++) {
        if (b->dims[i] == CG_DIM_END || p->dim[i] != cg_dim_of(b->dims[i], &l->config))
            return refuse(p, "wrong dimension", p->dim[i], error);
        elements *= p->dim[i];
    }
    if (p->dims < CG_MAX_DIMS && b->dims[p->dims] != CG_DIM_END)
        return refuse(p, "dimensions are missing, there are only", p->dims, error);
    if (!may_be_in(l, b->role, p->dtype)) return refuse(p, "wrong dtype", (size_t)p->dtype, error);
    if (p->elements != elements) return refuse(p, "wrong elements", p->elements, error);
    for (unsigned i = p->dims - b->row; i < p->dims; i++) row *= p->dim[i];
    if (row % cg_block(p->dtype) != 0) return refuse(p, "rows are no whole blocks", row, error);
    if (p->bytes != cg_row_bytes(p->dtype, elements))
        return refuse(p, "wrong bytes", p->bytes, error);
    return 0;
}

/* The place whose memory it has, or NULL. */
static const cg_place *shared(const cg_layout *l, const cg_place *p)
{
    const cg_buffer *const b = &cg_buffers[p->id];
    if (b->role == CG_INPUT && p->layer == 0)
        return &l->places[cg_place_index(cg_b_embedded_input, 0)];
    if (b->role == CG_INPUT) return &l->places[cg_place_index(cg_b_output, p->layer - 1)];
    if (b->alias != cg_b_NONE && l->config.tied)
        return &l->places[cg_place_index(b->alias, p->layer)];
    return NULL;
}

static int check_shared(const cg_place *p, const cg_place *with, cg_error *error)
{
    if (p->offset != with->offset)
        return refuse(p, "not where what it shares is, but at", p->offset, error);
    if (p->dtype != with->dtype)
        return refuse(p, "not in the format of what it shares, but in", (size_t)p->dtype, error);
    return 0;
}

/* `end` is that of the buffer before; buffers in ascending order that start behind one another's
 * ends are disjoint. */
static int check_place(const cg_layout *l, const cg_place *p, size_t *end, cg_error *error)
{
    const cg_buffer *const b = &cg_buffers[p->id];
    const cg_choice choice = cg_choice_of(&l->options);
    const bool wanted =
        cg_holds(b->when, &l->config, &choice) && (b->role != CG_GRADIENT || choice.training);
    const size_t guard = l->options.guard;
    const cg_place *const with = shared(l, p);
    if (wanted != (p->offset != CG_ABSENT))
        return refuse(p, wanted ? "absent, at" : "there though its condition does not hold, at",
                      p->offset, error);
    if (!wanted) return p->bytes == 0 ? 0 : refuse(p, "absent, but has bytes", p->bytes, error);
    if (check_shape(l, p, error) != 0) return -1;
    if (with) return check_shared(p, with, error);
    if (p->offset % CG_LINE != 0) return refuse(p, "not on a multiple of 64", p->offset, error);
    if (p->offset < guard || p->offset - guard < *end)
        return refuse(p, "not behind the buffer before", p->offset, error);
    if (p->offset > l->total || p->bytes > l->total - p->offset)
        return refuse(p, "beyond the total", p->offset, error);
    *end = p->offset + p->bytes;
    return 0;
}

int cg_layout_check(const cg_layout *l, cg_error *error)
{
    size_t end = 0;
    if (l->count != cg_place_count(l->config.layers))
        return cg_fail(error, "layout: %zu places, wanted %zu", l->count,
                       cg_place_count(l->config.layers));
    for (size_t i = 0; i < l->count; i++) {
        const cg_place *const p = &l->places[i];
        if ((unsigned)p->id >= CG_BUFFERS || cg_place_index(p->id, p->layer) != i ||
            (i < CG_GLOBALS && p->layer != 0))
            return cg_fail(error, "layout: place %zu is another buffer's", i);
        if (check_place(l, p, &end, error) != 0) return -1;
    }
    if (l->total % CG_LINE != 0 || l->total < end + l->options.guard)
        return cg_fail(error, "layout: total: %zu, wanted a multiple of 64 from %zu on", l->total,
                       end + l->options.guard);
    return 0;
}
