/* SPDX-License-Identifier: MIT */
/* The formats of weights and of the cache. */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

/* What a product has kernels for, and what rows get that are no whole blocks of it. */
static const struct {
    ck_dtype format, instead;
} permitted[] = {
    { CK_DTYPE_F32, CK_DTYPE_F32 },   { CK_DTYPE_BF16, CK_DTYPE_F32 },
    { CK_DTYPE_F16, CK_DTYPE_F32 },   { CK_DTYPE_Q4_0, CK_DTYPE_F32 },
    { CK_DTYPE_Q4_1, CK_DTYPE_F32 },  { CK_DTYPE_Q5_0, CK_DTYPE_F32 },
    { CK_DTYPE_Q5_1, CK_DTYPE_F32 },  { CK_DTYPE_Q8_0, CK_DTYPE_F32 },
    { CK_DTYPE_Q4_K, CK_DTYPE_Q5_0 }, { CK_DTYPE_Q5_K, CK_DTYPE_Q8_0 },
    { CK_DTYPE_Q6_K, CK_DTYPE_Q8_0 },
};
enum { PERMITTED = sizeof permitted / sizeof *permitted };

bool cg_is_weight_format(ck_dtype dtype)
{
    for (size_t i = 0; i < PERMITTED; i++)
        if (permitted[i].format == dtype) return true;
    return false;
}

bool cg_is_cache_format(ck_dtype dtype)
{
    return dtype == CK_DTYPE_F32 || dtype == CK_DTYPE_BF16 || dtype == CK_DTYPE_F16;
}

int cg_cache_read(ck_dtype *cache, const char *text, cg_error *error)
{
    for (unsigned dtype = 0; dtype < CK_DTYPE_COUNT; dtype++) {
        *cache = (ck_dtype)dtype;
        if (cg_is_cache_format(*cache) && strcmp(cg_dtype_name(*cache), text) == 0) return 0;
    }
    return cg_fail(error, "--cache: \"%.40s\": wanted one of f32 bf16 f16", text);
}

static int refuse_format(const char *option, const char *text, cg_error *error)
{
    char names[128] = "";
    for (size_t i = 0, at = 0; i < PERMITTED; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, " %s",
                               cg_dtype_name(permitted[i].format));
    return cg_fail(error, "%s: \"%.40s\": wanted one of%s", option, text, names);
}

static bool find_format(const char *text, ck_dtype *format)
{
    for (size_t i = 0; i < PERMITTED; i++) {
        if (strcmp(cg_dtype_name(permitted[i].format), text) != 0) continue;
        *format = permitted[i].format;
        return true;
    }
    return false;
}

static int refuse_name(const char *text, cg_error *error)
{
    char names[256] = "";
    size_t at = 0;
    for (size_t i = 0; i < CG_BUFFERS; i++)
        if (cg_buffers[i].role == CG_MATRIX)
            at += (size_t)snprintf(names + at, sizeof names - at, " %s", cg_buffers[i].name);
    return cg_fail(error, "--weight: \"%.40s\": wanted NAME=FORMAT, NAME one of%s", text, names);
}

int cg_formats_read_all(cg_formats *f, const char *text, cg_error *error)
{
    if (f->asked) return cg_fail(error, "--weights: given twice");
    f->asked = true;
    return find_format(text, &f->all) ? 0 : refuse_format("--weights", text, error);
}

int cg_formats_read_one(cg_formats *f, const char *text, cg_error *error)
{
    const char *const is = strchr(text, '=');
    size_t i = 0;
    if (!is) return refuse_name(text, error);
    while (i < CG_BUFFERS && (cg_buffers[i].role != CG_MATRIX ||
                              strncmp(cg_buffers[i].name, text, (size_t)(is - text)) != 0 ||
                              cg_buffers[i].name[is - text]))
        i++;
    if (i == CG_BUFFERS) return refuse_name(text, error);
    if (f->asked_of[i]) return cg_fail(error, "--weight: %s: given twice", cg_buffers[i].name);
    f->asked_of[i] = true;
    return find_format(is + 1, &f->of[i]) ? 0 : refuse_format("--weight", text, error);
}

static ck_dtype instead_of(ck_dtype format)
{
    size_t i = 0;
    while (permitted[i].format != format) i++;
    return permitted[i].instead;
}

/* The format of a matrix that has memory of its own. */
static int choose(const cg_formats *f, cg_buffer_id id, const cg_config *config, ck_dtype *format,
                  cg_error *error)
{
    const size_t row = cg_row_elements(&cg_buffers[id], config);
    *format = f->asked_of[id] ? f->of[id] : f->all;
    if (f->asked_of[id] && row % cg_block(*format) != 0)
        return cg_fail(error, "--weight: %s=%s: rows of %zu, wanted whole blocks of %zu",
                       cg_buffers[id].name, cg_dtype_name(*format), row, cg_block(*format));
    while (row % cg_block(*format) != 0) *format = instead_of(*format);
    return 0;
}

static int choose_all(const cg_formats *f, const cg_config *config, ck_dtype of[CG_BUFFERS],
                      cg_error *error)
{
    for (size_t i = 0; i < CG_BUFFERS; i++) {
        const cg_buffer *const b = &cg_buffers[i];
        const bool shared = b->alias != cg_b_NONE && config->tied;
        of[i] = shared ? of[b->alias] : CK_DTYPE_F32;
        if (b->role != CG_MATRIX) continue;
        if (shared && f->asked_of[i])
            return cg_fail(error, "--weight: %s: is tied to %s, and in its format", b->name,
                           cg_buffers[b->alias].name);
        if (!shared && choose(f, (cg_buffer_id)i, config, &of[i], error) != 0) return -1;
    }
    return 0;
}

ck_dtype *cg_formats_choose(const cg_formats *f, const cg_config *config, cg_error *error)
{
    const size_t count = cg_place_count(config->layers);
    ck_dtype of[CG_BUFFERS];
    if (choose_all(f, config, of, error) != 0) return NULL;
    ck_dtype *const all = calloc(count, sizeof *all);
    if (!all) return cg_fail(error, "no memory for the formats of %zu buffers", count), NULL;
    for (size_t i = 0; i < count; i++)
        all[i] = of[i < CG_GLOBALS ? i : CG_GLOBALS + (i - CG_GLOBALS) % (CG_BUFFERS - CG_GLOBALS)];
    return all;
}

void cg_formats_print(const cg_layout *l, const char *before, FILE *out)
{
    bool other = false;
    for (size_t i = 0; i < l->count; i++)
        other |=
            cg_buffers[l->places[i].id].role == CG_MATRIX && l->places[i].dtype != CK_DTYPE_F32;
    if (other) fputs(before, out);
    for (size_t i = 0; i < CG_BUFFERS && other; i++) {
        const cg_buffer *const b = &cg_buffers[i];
        if (b->role == CG_MATRIX && !(b->alias != cg_b_NONE && l->config.tied))
            fprintf(out, " %s=%s", b->name, cg_dtype_name(l->places[i].dtype));
    }
}
