/* SPDX-License-Identifier: MIT */
/* Whether the tables of the registry make sense. */
#include <string.h>

#include "registry.h"

static bool same_shape(const cg_buffer *a, const cg_buffer *b)
{
    return a->layer == b->layer && a->row == b->row &&
           memcmp(a->dims, b->dims, sizeof a->dims) == 0;
}

static const cg_buffer *find(const cg_buffer *buffers, size_t count, const char *prefix,
                             const char *name)
{
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < count; i++)
        if (strncmp(buffers[i].name, prefix, length) == 0 &&
            strcmp(buffers[i].name + length, name) == 0)
            return &buffers[i];
    return NULL;
}

static int check_gradient(const cg_buffer *buffers, size_t count, const cg_buffer *b,
                          cg_error *error)
{
    const cg_buffer *const d = find(buffers, count, "d_", b->name);
    if (strcmp(b->name, "final_ln_bias") == 0) return 0;
    if (!d) return cg_fail(error, "buffer %s: no gradient d_%s", b->name, b->name);
    if (d->role != CG_GRADIENT || !same_shape(b, d))
        return cg_fail(error, "buffer %s: not a gradient of the shape of %s", d->name, b->name);
    const cg_when when = b->alias == cg_b_NONE ? b->when : CG_WHEN_UNTIED;
    if (d->when != when)
        return cg_fail(error, "buffer %s: another condition than %s", d->name, b->name);
    return 0;
}

static int check_buffer(const cg_buffer *buffers, size_t count, size_t i, cg_error *error)
{
    const cg_buffer *const b = &buffers[i];
    unsigned dims = 0;
    while (dims < CG_MAX_DIMS && b->dims[dims] != CG_DIM_END) dims++;
    if (find(buffers, i, "", b->name)) return cg_fail(error, "buffer %s: named twice", b->name);
    if (dims == 0) return cg_fail(error, "buffer %s: no shape", b->name);
    if (b->row < 1 || b->row > dims)
        return cg_fail(error, "buffer %s: row: %u, wanted 1 to %u", b->name, b->row, dims);
    if (i > 0 && !b->layer && buffers[i - 1].layer)
        return cg_fail(error, "buffer %s: global, behind one of a layer", b->name);
    if (b->alias != cg_b_NONE &&
        ((size_t)b->alias >= i || buffers[b->alias].alias != cg_b_NONE ||
         buffers[b->alias].role != b->role || !same_shape(b, &buffers[b->alias])))
        return cg_fail(error, "buffer %s: its alias is no earlier buffer of its role and shape",
                       b->name);
    if (b->role != CG_MATRIX && b->role != CG_VECTOR) return 0;
    return check_gradient(buffers, count, b, error);
}

static int check_kernel(const cg_kernel *kernels, size_t i, cg_error *error)
{
    const cg_kernel *const k = &kernels[i];
    bool output = false;
    bool cached = false;
    int blocks = 0;
    if (!k->name || !k->entry || !*k->entry)
        return cg_fail(error, "kernel %zu: no name or entry", i);
    for (size_t j = 0; j < i; j++)
        if (strcmp(kernels[j].name, k->name) == 0)
            return cg_fail(error, "kernel %s: named twice", k->name);
    for (const cg_param *p = k->params; p->name; p++) {
        output |= (p->access & CG_WRITE) && !p->optional;
        blocks += p->kind == CG_BLOCKS;
        cached |= p->kind == CG_CACHED;
        if (p->access < CG_READ || p->access > CG_UPDATE || !p->dims || !*p->dims)
            return cg_fail(error, "kernel %s: parameter %s: no access or dims", k->name, p->name);
        if (p->kind == CG_BLOCKS && (p->access & CG_WRITE))
            return cg_fail(error, "kernel %s: parameter %s: blocks are not written", k->name,
                           p->name);
        for (const cg_param *q = k->params; q < p; q++)
            if (strcmp(q->name, p->name) == 0)
                return cg_fail(error, "kernel %s: parameter %s: named twice", k->name, p->name);
    }
    if (cached && (blocks || !k->of_format))
        return cg_fail(error, "kernel %s: a parameter of the cache, %s", k->name,
                       blocks ? "and one in blocks" : "and no entry for it");
    if (blocks > 1 || (blocks == 1 || cached) != (k->of_format != NULL))
        return cg_fail(error, "kernel %s: %d parameters in blocks, and %s entry for them", k->name,
                       blocks, k->of_format ? "an" : "no");
    return output ? 0 : cg_fail(error, "kernel %s: no output", k->name);
}

static int check_step(const cg_step_spec *steps, size_t i, const cg_kernel *kernels,
                      size_t kernel_count, size_t buffer_count, cg_error *error)
{
    const cg_step_spec *const s = &steps[i];
    int n = 0;
    for (size_t j = 0; j < i; j++)
        if (strcmp(steps[j].name, s->name) == 0)
            return cg_fail(error, "step %s: named twice", s->name);
    if ((size_t)s->kernel >= kernel_count)
        return cg_fail(error, "step %s: no such kernel", s->name);
    if ((s->phase == CG_LAYER) != (s->role != CG_ROLE_COUNT))
        return cg_fail(error, "step %s: a node, exactly if it is of a layer", s->name);
    if (i > 0 && s->phase < steps[i - 1].phase)
        return cg_fail(error, "step %s: behind a later phase", s->name);
    for (const cg_param *p = kernels[s->kernel].params; p->name; p++, n++) {
        if ((size_t)s->args[n] > buffer_count)
            return cg_fail(error, "step %s: %s: no such buffer", s->name, p->name);
        if (s->args[n] == cg_b_NONE && !p->optional)
            return cg_fail(error, "step %s: %s: missing", s->name, p->name);
    }
    return 0;
}

int cg_registry_check(const cg_buffer *buffers, size_t buffer_count, const cg_kernel *kernels,
                      size_t kernel_count, const cg_step_spec *steps, size_t step_count,
                      cg_error *error)
{
    for (size_t i = 0; i < buffer_count; i++)
        if (check_buffer(buffers, buffer_count, i, error) != 0) return -1;
    for (size_t i = 0; i < kernel_count; i++)
        if (check_kernel(kernels, i, error) != 0) return -1;
    for (size_t i = 0; i < step_count; i++)
        if (check_step(steps, i, kernels, kernel_count, buffer_count, error) != 0) return -1;
    return 0;
}
