/* SPDX-License-Identifier: MIT */
/* Fields of JSON objects: strict types and limits. */
#include "fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(member, ir, least, most, required, ...)                                  \
    {                                                                                  \
        ir, { __VA_ARGS__ }, offsetof(cg_config, member), least, most, false, required \
    }
#define REAL(member, ir, least, most, ...)                                         \
    {                                                                              \
        ir, { __VA_ARGS__ }, offsetof(cg_config, member), least, most, true, false \
    }
const cg_field cg_fields[CG_FIELDS] = {
    COUNT(layers, "num_layers", 1, CG_MAX_LAYERS, true, "num_hidden_layers", "n_layer"),
    COUNT(hidden, "hidden_size", 1, 1 << 20, true, "hidden_size", "n_embd", "d_model"),
    COUNT(intermediate, "intermediate_size", 1, 1 << 22, true, "intermediate_size", "n_inner",
          "ffn_dim", "mlp_dim"),
    COUNT(heads, "num_attention_heads", 1, 1 << 16, true, "num_attention_heads", "n_head",
          "num_heads"),
    COUNT(kv_heads, "num_key_value_heads", 1, 1 << 16, false, "num_key_value_heads",
          "num_kv_heads"),
    COUNT(head_dim, "head_dim", 1, 1 << 14, false, "head_dim"),
    COUNT(vocab, "vocab_size", 1, 1 << 24, true, "vocab_size", "n_vocab"),
    COUNT(context, "context_window", 1, CG_MAX_CONTEXT, true, "max_position_embeddings",
          "n_positions", "context_length", "seq_len"),
    REAL(eps, "rms_norm_eps", 1e-30, 1, "rms_norm_eps", "layer_norm_eps"),
    REAL(theta, "rope_theta", 0, 1e15, "rope_theta", "rope_base"),
};
#undef COUNT
#undef REAL

json_t *cg_json_parse(const char *text, size_t size, const char *path, cg_error *error)
{
    json_error_t at;
    json_t *const json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &at);
    if (!json) return cg_fail(error, "%s:%d:%d: %s", path, at.line, at.column, at.text), NULL;
    if (json_is_object(json)) return json;
    json_decref(json);
    return cg_fail(error, "%s: not a JSON object", path), NULL;
}

int cg_json_refuse(const cg_object *o, const char *field, const json_t *value, const char *wanted,
                   cg_error *error)
{
    const size_t flags = JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9);
    const bool scalar = value && !json_is_object(value) && !json_is_array(value);
    char *const text = scalar ? json_dumps(value, flags) : NULL;
    char shown[40];
    snprintf(shown, sizeof shown, "%s",
             text                    ? text
             : json_is_object(value) ? "{...}"
             : value                 ? "[...]"
                                     : "missing");
    free(text);
    return cg_fail(error, "%s: %s%s: %s, wanted %s", o->path, o->name, field, shown, wanted);
}

int cg_json_count(const cg_object *o, const char *field, size_t least, size_t most, bool null,
                  size_t *value, cg_error *error)
{
    const json_t *const json = json_object_get(o->json, field);
    char wanted[80];
    if (!json || (null && json_is_null(json))) return 0;
    snprintf(wanted, sizeof wanted, "an integer %zu to %zu", least, most);
    if (!json_is_integer(json)) return cg_json_refuse(o, field, json, wanted, error);
    const json_int_t number = json_integer_value(json);
    if (number < 0 || (unsigned long long)number < least || (unsigned long long)number > most)
        return cg_json_refuse(o, field, json, wanted, error);
    *value = (size_t)number;
    return 1;
}

int cg_json_real(const cg_object *o, const char *field, double least, double most, float *value,
                 cg_error *error)
{
    const json_t *const json = json_object_get(o->json, field);
    char wanted[80];
    if (!json) return 0;
    snprintf(wanted, sizeof wanted, "a number %g to %g", least, most);
    const double number = json_number_value(json);
    if (!json_is_number(json) || !(number >= least && number <= most))
        return cg_json_refuse(o, field, json, wanted, error);
    *value = (float)number;
    return 1;
}

int cg_json_flag(const cg_object *o, const char *field, bool *value, cg_error *error)
{
    const json_t *const json = json_object_get(o->json, field);
    if (!json) return 0;
    if (!json_is_boolean(json)) return cg_json_refuse(o, field, json, "true or false", error);
    *value = json_is_true(json);
    return 1;
}

int cg_json_string(const cg_object *o, const char *field, const char **value, cg_error *error)
{
    const json_t *const json = json_object_get(o->json, field);
    if (!json) return 0;
    if (!json_is_string(json)) return cg_json_refuse(o, field, json, "a string", error);
    *value = json_string_value(json);
    return 1;
}

/* The four numbers of llama3, all of them required. */
static int read_llama3(const cg_object *o, cg_scaling *scaling, cg_error *error)
{
    static const struct {
        const char *name;
        size_t offset;
        double least;
    } reals[] = { { "factor", offsetof(cg_scaling, factor), 1 },
                  { "low_freq_factor", offsetof(cg_scaling, low), 1e-6 },
                  { "high_freq_factor", offsetof(cg_scaling, high), 1e-6 } };
    const char *missing = NULL;
    cg_scaling s = { 0 };
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        float *const value = (float *)(void *)((char *)&s + reals[i].offset);
        const int found = cg_json_real(o, reals[i].name, reals[i].least, 1e6, value, error);
        if (found < 0) return -1;
        if (!found) missing = reals[i].name;
    }
    const char *const context = "original_max_position_embeddings";
    const int found = cg_json_count(o, context, 1, CG_MAX_CONTEXT, false, &s.context, error);
    if (found < 0) return -1;
    if (!found) missing = context;
    if (missing)
        return cg_fail(error, "%s: %s%s: missing, llama3 needs it", o->path, o->name, missing);
    if (!(s.high > s.low))
        return cg_fail(error, "%s: %shigh_freq_factor: %.9g, wanted more than low_freq_factor %.9g",
                       o->path, o->name, (double)s.high, (double)s.low);
    *scaling = s;
    return 0;
}

int cg_json_scaling(const cg_object *parent, const char *field, cg_config *config, cg_error *error)
{
    const json_t *const json = json_object_get(parent->json, field);
    char name[80];
    const char *type = NULL;
    if (!json || json_is_null(json)) return 0;
    if (!json_is_object(json))
        return cg_json_refuse(parent, field, json, "an object or null", error);
    snprintf(name, sizeof name, "%s%s.", parent->name, field);
    const cg_object o = { json, parent->path, name };
    if (cg_json_string(&o, "type", &type, error) < 0) return -1;
    if (cg_json_string(&o, "rope_type", &type, error) < 0) return -1;
    if (cg_json_real(&o, "rope_theta", 0, 1e15, &config->theta, error) < 0) return -1;
    if (!type)
        return json_object_size(json) == 0 || json_object_get(json, "rope_theta")
                   ? 0
                   : cg_fail(error, "%s: %srope_type: missing", o.path, name);
    if (strcmp(type, "default") == 0) return 0;
    if (strcmp(type, "llama3") == 0) return read_llama3(&o, &config->scaling, error);
    return cg_fail(error, "%s: %srope_type: \"%.40s\" is not supported, only llama3 and default",
                   o.path, name, type);
}
