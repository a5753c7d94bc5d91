/* SPDX-License-Identifier: MIT */
/* A config.json in the style of Hugging Face. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

/* What the architecture implies where a config.json is silent. Source: the defaults of the
 * configuration classes of Hugging Face transformers. */
typedef struct architecture {
    const char *type, *class;
    bool qkv_bias, output_bias, mlp_bias, tied, qk_norm;
    bool attention_bias; /* the file may say so, of q k v and of the output where output_follows */
    bool output_follows;
    float theta;
} architecture;

static const architecture architectures[] = {
    { "llama", "LlamaForCausalLM", false, false, false, false, false, true, true, 10000 },
    { "mistral", "MistralForCausalLM", false, false, false, false, false, false, false, 10000 },
    { "qwen2", "Qwen2ForCausalLM", true, false, false, false, false, false, false, 10000 },
    { "qwen3", "Qwen3ForCausalLM", false, false, false, false, true, true, true, 10000 },
};
static const architecture plain = { "", "", true, true, true, true, false, true, true, 0 };
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

static const architecture *find(const char *name, bool class)
{
    for (int i = 0; i < ARCHITECTURES; i++)
        if (strcmp(name, class ? architectures[i].class : architectures[i].type) == 0)
            return &architectures[i];
    return NULL;
}

/* By model_type or, without one, by the first of architectures; both must agree. */
static const architecture *read_architecture(const cg_object *o, cg_error *error)
{
    const json_t *const list = json_object_get(o->json, "architectures");
    const json_t *const first = json_array_get(list, 0);
    const char *type = NULL;
    if (cg_json_string(o, "model_type", &type, error) < 0) return NULL;
    if (list && !json_is_null(list) && (!json_is_array(list) || (first && !json_is_string(first))))
        return cg_json_refuse(o, "architectures", list, "an array of strings", error), NULL;
    const architecture *const by_type = type ? find(type, false) : NULL;
    const architecture *const by_class = first ? find(json_string_value(first), true) : NULL;
    const char *const known = "llama, mistral, qwen2, qwen3";
    if (type && !by_type)
        return cg_fail(error, "%s: %smodel_type: \"%.40s\" is not supported, only %s", o->path,
                       o->name, type, known),
               NULL;
    if (first && !by_class)
        return cg_fail(error, "%s: %sarchitectures: \"%.60s\" is not supported, only those of %s",
                       o->path, o->name, json_string_value(first), known),
               NULL;
    if (by_type && by_class && by_type != by_class)
        return cg_fail(error, "%s: %sarchitectures: \"%s\" does not go with model_type \"%s\"",
                       o->path, o->name, by_class->class, by_type->type),
               NULL;
    return by_type ? by_type : by_class ? by_class : &plain;
}

/* One number, by whichever of its names; two names must agree. */
static int read_field(const cg_object *o, const cg_field *f, cg_config *config, cg_error *error)
{
    char *const at = (char *)config + f->offset;
    const char *before = NULL;
    float real = 0;
    size_t count = 0;
    const bool null = !f->required && !f->real;
    for (int i = 0; i < 4 && f->names[i]; i++) {
        const char *const name = f->names[i];
        const float real_before = real;
        const size_t count_before = count;
        const int found = f->real ? cg_json_real(o, name, f->least, f->most, &real, error)
                                  : cg_json_count(o, name, (size_t)f->least, (size_t)f->most, null,
                                                  &count, error);
        if (found < 0) return -1;
        if (!found) continue;
        if (before && (f->real ? real != real_before : count != count_before))
            return cg_fail(error, "%s: %s%s and %s differ", o->path, o->name, before, name);
        before = name;
    }
    if (!before && f->required)
        return cg_fail(error, "%s: %s%s: missing", o->path, o->name, f->names[0]);
    if (before && f->real) memcpy(at, &real, sizeof real);
    if (before && !f->real) memcpy(at, &count, sizeof count);
    return 0;
}

/* What changes the arithmetic in ways that the decoder has not. */
static int refuse_unknown(const cg_object *o, cg_error *error)
{
    const char *act = "silu";
    bool sliding = true;
    const json_t *const window = json_object_get(o->json, "sliding_window");
    if (cg_json_string(o, "hidden_act", &act, error) < 0) return -1;
    if (strcmp(act, "silu") != 0 && strcmp(act, "swish") != 0)
        return cg_fail(error, "%s: %shidden_act: \"%.40s\" is not supported, only silu", o->path,
                       o->name, act);
    if (cg_json_flag(o, "use_sliding_window", &sliding, error) < 0) return -1;
    if (sliding && window && !json_is_null(window))
        return cg_json_refuse(o, "sliding_window", window, "null: windows are not supported",
                              error);
    return 0;
}

static int read_flags(const cg_object *o, const cg_object *outer, const architecture *a,
                      cg_config *config, cg_error *error)
{
    bool attention = a->qkv_bias;
    const int found = cg_json_flag(o, "attention_bias", &attention, error);
    if (found < 0 || cg_json_flag(o, "mlp_bias", &config->mlp_bias, error) < 0) return -1;
    if (found && !a->attention_bias && attention != a->qkv_bias)
        return cg_json_refuse(
            o, "attention_bias", json_object_get(o->json, "attention_bias"),
            a->qkv_bias ? "true for this model_type" : "false for this model_type", error);
    if (found) config->qkv_bias = attention;
    if (found && a->output_follows) config->output_bias = attention;
    const int tied = cg_json_flag(o, "tie_word_embeddings", &config->tied, error);
    if (tied < 0) return -1;
    return !tied && cg_json_flag(outer, "tie_word_embeddings", &config->tied, error) < 0 ? -1 : 0;
}

static int read_config(const cg_object *o, const cg_object *outer, cg_config *config,
                       cg_error *error)
{
    const architecture *const a = read_architecture(o, error);
    if (!a) return -1;
    *config = (cg_config){ .eps = 1e-5f,
                           .theta = a->theta,
                           .qkv_bias = a->qkv_bias,
                           .output_bias = a->output_bias,
                           .mlp_bias = a->mlp_bias,
                           .tied = a->tied,
                           .qk_norm = a->qk_norm };
    for (int i = 0; i < CG_FIELDS; i++)
        if (read_field(o, &cg_fields[i], config, error) != 0) return -1;
    if (read_flags(o, outer, a, config, error) != 0 || refuse_unknown(o, error) != 0) return -1;
    if (cg_json_scaling(o, "rope_scaling", config, error) != 0) return -1;
    return cg_json_scaling(o, "rope_parameters", config, error);
}

int cg_config_check(const cg_config *c, const char *path, cg_error *error)
{
    for (int i = 0; i < CG_FIELDS; i++) {
        const cg_field *const f = &cg_fields[i];
        const char *const at = (const char *)c + f->offset;
        float real = 0;
        size_t count = 0;
        memcpy(f->real ? (void *)&real : (void *)&count, at, f->real ? sizeof real : sizeof count);
        const double value = f->real ? (double)real : (double)count;
        if (!(value >= (double)(float)f->least && value <= (double)(float)f->most))
            return cg_fail(error, "%s: %s: %.9g, wanted %g to %g", path, f->ir, value, f->least,
                           f->most);
    }
    if (c->heads % c->kv_heads != 0)
        return cg_fail(error, "%s: num_key_value_heads: %zu, wanted a divisor of %zu heads", path,
                       c->kv_heads, c->heads);
    if (c->theta > 0 && c->head_dim % 2 != 0)
        return cg_fail(error, "%s: head_dim: %zu, wanted an even number with rope_theta", path,
                       c->head_dim);
    if (c->theta > 0 && c->theta < 1)
        return cg_fail(error, "%s: rope_theta: %.9g, wanted 0 or at least 1", path,
                       (double)c->theta);
    if (c->scaling.factor != 0 && !(c->theta > 0))
        return cg_fail(error, "%s: rope_scaling: wanted only with rope_theta", path);
    return 0;
}

/* Defaults that depend on other fields. */
static int complete(cg_config *c, const char *path, size_t context, cg_error *error)
{
    if (c->kv_heads == 0) c->kv_heads = c->heads;
    if (c->head_dim == 0 && c->hidden % c->heads != 0)
        return cg_fail(error, "%s: num_attention_heads: %zu, wanted a divisor of hidden_size %zu",
                       path, c->heads, c->hidden);
    if (c->head_dim == 0) c->head_dim = c->hidden / c->heads;
    if (context > c->context)
        return cg_fail(error, "--ctx: %zu, wanted at most the %zu positions of %s", context,
                       c->context, path);
    if (context == 0 && c->context > CG_DEFAULT_CONTEXT) c->context = CG_DEFAULT_CONTEXT;
    if (context != 0) c->context = context;
    return cg_config_check(c, path, error);
}

int cg_config_parse(cg_config *config, const char *text, size_t size, const char *path,
                    size_t context, cg_error *error)
{
    json_t *const json = cg_json_parse(text, size, path, error);
    cg_config read;
    int status = -1;
    if (!json) return -1;
    const cg_object outer = { json, path, "" };
    const json_t *const inner = json_object_get(json, "text_config");
    const cg_object o = { inner ? inner : json, path, inner ? "text_config." : "" };
    if (inner && !json_is_object(inner))
        cg_json_refuse(&outer, "text_config", inner, "an object", error);
    else
        status = read_config(&o, &outer, &read, error);
    if (status == 0) status = complete(&read, path, context, error);
    json_decref(json);
    if (status == 0) *config = read;
    return status;
}

int cg_config_read(cg_config *config, const char *path, size_t context, cg_error *error)
{
    size_t size;
    char *const text = cg_read(path, CG_MAX_JSON, &size, error);
    if (!text) return -1;
    const int status = cg_config_parse(config, text, size, path, context, error);
    free(text);
    return status;
}
