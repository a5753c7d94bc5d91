/* SPDX-License-Identifier: MIT */
/* A config.json is read as Hugging Face means it, or refused in one line. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "config.h"
#include "mutate.h"

#define BASE                                                                 \
    "\"num_hidden_layers\":2,\"hidden_size\":32,\"intermediate_size\":48,"   \
    "\"num_attention_heads\":4,\"num_key_value_heads\":2,\"vocab_size\":50," \
    "\"max_position_embeddings\":16"

static cg_config accepted(const char *text, size_t context)
{
    cg_config c;
    cg_error error;
    if (cg_config_parse(&c, text, strlen(text), "c.json", context, &error) != 0)
        fail_msg("%s: %s", text, error.text);
    return c;
}

static void one_line(const char *text)
{
    const size_t length = strlen(text);
    assert_true(length > 0);
    for (size_t i = 0; i < length; i++)
        assert_true((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
}

/* It is refused by a line that holds each of the parts, and the config is left alone. */
static void refused(const char *text, const char *field, const char *value)
{
    cg_config c, before;
    cg_error error;
    memset(&c, 0x5a, sizeof c);
    before = c;
    if (cg_config_parse(&c, text, strlen(text), "c.json", 0, &error) == 0)
        fail_msg("accepted: %s", text);
    one_line(error.text);
    if (strncmp(error.text, "c.json:", 7) != 0 || !strstr(error.text, field) ||
        !strstr(error.text, value))
        fail_msg("%s\n  says: %s\n  should name: %s, %s", text, error.text, field, value);
    assert_memory_equal(&c, &before, sizeof c);
}

static void plain_decoder(void **state)
{
    (void)state;
    const cg_config c = accepted("{" BASE "}", 0);
    assert_int_equal(c.layers, 2);
    assert_int_equal(c.hidden, 32);
    assert_int_equal(c.intermediate, 48);
    assert_int_equal(c.heads, 4);
    assert_int_equal(c.kv_heads, 2);
    assert_int_equal(c.head_dim, 8);
    assert_int_equal(c.vocab, 50);
    assert_int_equal(c.context, 16);
    assert_true(c.eps == 1e-5f && c.theta == 0.0f);
    assert_true(c.qkv_bias && c.output_bias && c.mlp_bias && c.tied && !c.qk_norm);
    assert_true(c.scaling.factor == 0.0f);
}

static void aliases(void **state)
{
    (void)state;
    const cg_config a = accepted("{\"n_layer\":3,\"n_embd\":32,\"n_inner\":48,\"n_head\":4,"
                                 "\"n_vocab\":50,\"n_positions\":16,\"layer_norm_eps\":1e-6,"
                                 "\"rope_base\":500000}",
                                 0);
    assert_int_equal(a.layers, 3);
    assert_int_equal(a.kv_heads, 4);
    assert_true(a.eps == 1e-6f && a.theta == 500000.0f);
    const cg_config b = accepted("{\"num_hidden_layers\":1,\"d_model\":32,\"ffn_dim\":40,"
                                 "\"num_heads\":2,\"num_kv_heads\":1,\"vocab_size\":5,"
                                 "\"context_length\":7}",
                                 0);
    assert_int_equal(b.kv_heads, 1);
    assert_int_equal(b.intermediate, 40);
    assert_int_equal(b.context, 7);
    const cg_config c = accepted("{\"n_layer\":1,\"d_model\":32,\"mlp_dim\":41,\"n_head\":2,"
                                 "\"vocab_size\":5,\"seq_len\":9}",
                                 0);
    assert_int_equal(c.intermediate, 41);
    assert_int_equal(c.context, 9);
    accepted("{\"n_layer\":2," BASE "}", 0); /* two names that agree */
    refused("{\"n_layer\":3," BASE "}", "n_layer", "differ");
}

static void text_config_wins(void **state)
{
    (void)state;
    const cg_config c = accepted("{\"hidden_size\":8,\"vision_config\":{\"hidden_size\":7},"
                                 "\"tie_word_embeddings\":true,"
                                 "\"text_config\":{\"model_type\":\"llama\"," BASE "}}",
                                 0);
    assert_int_equal(c.hidden, 32);
    assert_true(c.tied);
    refused("{\"text_config\":7," BASE "}", "text_config", "7");
    refused("{\"text_config\":{}}", "text_config.num_hidden_layers", "missing");
}

static void architectures(void **state)
{
    (void)state;
    const cg_config llama = accepted("{\"model_type\":\"llama\"," BASE "}", 0);
    assert_true(!llama.qkv_bias && !llama.output_bias && !llama.mlp_bias && !llama.tied);
    assert_true(llama.theta == 10000.0f);
    const cg_config bias = accepted("{\"model_type\":\"llama\",\"attention_bias\":true,"
                                    "\"mlp_bias\":true,\"head_dim\":6,\"rope_theta\":1e6," BASE "}",
                                    0);
    assert_true(bias.qkv_bias && bias.output_bias && bias.mlp_bias);
    assert_int_equal(bias.head_dim, 6);
    assert_true(bias.theta == 1e6f);
    const cg_config qwen2 = accepted("{\"architectures\":[\"Qwen2ForCausalLM\"],"
                                     "\"use_sliding_window\":false,\"sliding_window\":4096,"
                                     "\"tie_word_embeddings\":true," BASE "}",
                                     0);
    assert_true(qwen2.qkv_bias && !qwen2.output_bias && qwen2.tied);
    const cg_config qwen3 = accepted("{\"model_type\":\"qwen3\",\"head_dim\":16," BASE "}", 0);
    assert_true(qwen3.qk_norm && !qwen3.qkv_bias);
    assert_int_equal(qwen3.head_dim, 16);
    refused("{\"model_type\":\"gpt2\"," BASE "}", "model_type", "\"gpt2\"");
    refused("{\"architectures\":[\"GPT2LMHeadModel\"]," BASE "}", "architectures",
            "GPT2LMHeadModel");
    refused("{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"qwen2\"," BASE "}",
            "architectures", "qwen2");
    refused("{\"model_type\":7," BASE "}", "model_type", "7");
    refused("{\"hidden_act\":\"gelu\"," BASE "}", "hidden_act", "gelu");
    refused("{\"model_type\":\"mistral\",\"sliding_window\":4096," BASE "}", "sliding_window",
            "4096");
    refused("{\"model_type\":\"qwen2\",\"attention_bias\":false," BASE "}", "attention_bias",
            "false");
}

static void scaling(void **state)
{
    (void)state;
#define LLAMA3                                                         \
    "\"factor\":8.0,\"low_freq_factor\":1.0,\"high_freq_factor\":4.0," \
    "\"original_max_position_embeddings\":8192"
    const cg_config c = accepted("{\"rope_theta\":500000,\"rope_scaling\":{" LLAMA3
                                 ",\"rope_type\":\"llama3\"}," BASE "}",
                                 0);
    assert_true(c.scaling.factor == 8.0f && c.scaling.low == 1.0f && c.scaling.high == 4.0f);
    assert_int_equal(c.scaling.context, 8192);
    const cg_config d = accepted("{\"rope_parameters\":{\"rope_theta\":1e6,"
                                 "\"rope_type\":\"default\"}," BASE "}",
                                 0);
    assert_true(d.theta == 1e6f && d.scaling.factor == 0.0f);
    accepted("{\"rope_scaling\":null," BASE "}", 0);
    refused("{\"rope_theta\":1e4,\"rope_scaling\":{\"type\":\"linear\",\"factor\":2}," BASE "}",
            "rope_scaling.rope_type", "linear");
    refused("{\"rope_theta\":1e4,\"rope_scaling\":{\"rope_type\":\"yarn\"}," BASE "}",
            "rope_scaling.rope_type", "yarn");
    refused("{\"rope_theta\":1e4,\"rope_scaling\":{\"factor\":2}," BASE "}",
            "rope_scaling.rope_type", "missing");
    refused("{\"rope_theta\":1e4,\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8}," BASE
            "}",
            "rope_scaling.", "missing");
    refused("{\"rope_theta\":1e4,\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,"
            "\"low_freq_factor\":4,\"high_freq_factor\":4,"
            "\"original_max_position_embeddings\":8192}," BASE "}",
            "high_freq_factor", "4");
    refused("{\"rope_scaling\":{\"rope_type\":\"llama3\"," LLAMA3 "}," BASE "}", "rope_scaling",
            "rope_theta");
    refused("{\"rope_scaling\":\"x\"," BASE "}", "rope_scaling", "\"x\"");
#undef LLAMA3
}

static void context(void **state)
{
    (void)state;
    cg_config c;
    cg_error error;
    assert_int_equal(accepted("{" BASE "}", 5).context, 5);
    const char *const large =
        "{\"n_layer\":1,\"n_embd\":8,\"n_inner\":8,\"n_head\":1,\"n_vocab\":2,"
        "\"seq_len\":131072}";
    assert_int_equal(accepted(large, 0).context, CG_DEFAULT_CONTEXT);
    assert_int_equal(accepted(large, 131072).context, 131072);
    assert_int_equal(cg_config_parse(&c, large, strlen(large), "c.json", 131073, &error), -1);
    assert_non_null(strstr(error.text, "131073"));
}

/* Each is BASE with one field in place of another. */
static void numbers_are_strict(void **state)
{
    static const struct {
        const char *field, *value;
    } bad[] = {
        { "num_hidden_layers", "0" },     { "num_hidden_layers", "-1" },
        { "num_hidden_layers", "65535" }, { "num_hidden_layers", "99999999999999" },
        { "num_hidden_layers", "2.0" },   { "num_hidden_layers", "\"2\"" },
        { "num_hidden_layers", "null" },  { "num_hidden_layers", "true" },
        { "num_hidden_layers", "[2]" },   { "hidden_size", "4294967328" },
        { "hidden_size", "33" },          { "intermediate_size", "1e3" },
        { "num_key_value_heads", "3" },   { "vocab_size", "0" },
        { "vocab_size", "16777217" },     { "max_position_embeddings", "{}" },
        { "rms_norm_eps", "0" },          { "rms_norm_eps", "-1e-5" },
        { "rms_norm_eps", "2" },          { "rms_norm_eps", "\"1e-5\"" },
        { "rope_theta", "null" },         { "rope_theta", "-1" },
        { "rope_theta", "1e300" },        { "head_dim", "0" },
        { "head_dim", "20000" },          { "tie_word_embeddings", "1" },
        { "attention_bias", "\"yes\"" },
    };
    static const char *const base[][2] = {
        { "num_hidden_layers", "2" },        { "hidden_size", "32" },
        { "intermediate_size", "48" },       { "num_attention_heads", "4" },
        { "num_key_value_heads", "2" },      { "vocab_size", "50" },
        { "max_position_embeddings", "16" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[600];
        int used = snprintf(text, sizeof text, "{\"%s\":%s", bad[i].field, bad[i].value);
        for (size_t k = 0; k < sizeof base / sizeof *base; k++)
            if (strcmp(base[k][0], bad[i].field) != 0)
                used += snprintf(text + used, sizeof text - (size_t)used, ",\"%s\":%s", base[k][0],
                                 base[k][1]);
        snprintf(text + used, sizeof text - (size_t)used, "}");
        const char *value = bad[i].value;
        if (*value == '[' || *value == '{' || strchr(value, 'e')) value = "wanted";
        if (strcmp(bad[i].value, "33") == 0) /* 4 heads do not divide it */
            refused(text, "num_attention_heads", "33");
        else
            refused(text, bad[i].field, value);
    }
    refused("{" BASE ",\"rope_theta\":1e4,\"head_dim\":7}", "head_dim", "7");
    refused("{" BASE ",\"rope_theta\":0.5}", "rope_theta", "0.5");
}

static void json_is_strict(void **state)
{
    (void)state;
    refused("", "c.json:1:", "");
    refused("[]", "object", "");
    refused("{" BASE, "c.json:1:", "");
    refused("{" BASE "} x", "c.json:1:", "");
    refused("{" BASE ",\"hidden_size\":32}", "duplicate", "");
    refused("{" BASE ",\"rope_theta\":NaN}", "c.json:1:", "");
    refused("{" BASE ",\"rope_theta\":1e999}", "c.json:1:", "overflow");
    refused("{" BASE ",\"x\":99999999999999999999}", "c.json:1:", "too big");
    refused("{" BASE ",\"x\":\"\\u0000\"}", "c.json:1:", "");
    refused("{\"model_type\":\"a\\nb\"," BASE "}", "model_type", "a?b");
}

static void damaged_text_is_refused_in_one_line(void **state)
{
    static const char whole[] = "{\"model_type\":\"llama\",\"rope_theta\":500000.0,"
                                "\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8.0,"
                                "\"low_freq_factor\":1.0,\"high_freq_factor\":4.0,"
                                "\"original_max_position_embeddings\":8192},\"head_dim\":8,"
                                "\"rms_norm_eps\":1e-06,\"architectures\":[\"LlamaForCausalLM\"],"
                                "\"tie_word_embeddings\":false," BASE "}";
    unsigned char bytes[2 * sizeof whole + 200];
    size_t bad = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t s = seed;
        cg_config c;
        cg_error error;
        memcpy(bytes, whole, sizeof whole);
        const size_t size = cg_mutate(bytes, sizeof whole - 1, sizeof bytes, &s);
        if (cg_config_parse(&c, (char *)bytes, size, "c.json", 0, &error) == 0) {
            assert_int_equal(cg_config_check(&c, "c.json", &error), 0);
            continue;
        }
        one_line(error.text);
        assert_int_equal(strncmp(error.text, "c.json:", 7), 0);
        bad++;
    }
    assert_true(bad > 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_decoder),
        cmocka_unit_test(aliases),
        cmocka_unit_test(text_config_wins),
        cmocka_unit_test(architectures),
        cmocka_unit_test(scaling),
        cmocka_unit_test(context),
        cmocka_unit_test(numbers_are_strict),
        cmocka_unit_test(json_is_strict),
        cmocka_unit_test(damaged_text_is_refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
