/* SPDX-License-Identifier: MIT */
/* Graphs: the canonical one, its file, and everything that is none. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "graph.h"
#include "mutate.h"

static cg_graph build(const cg_config *config)
{
    cg_graph g = { 0 };
    cg_error error;
    if (cg_graph_build(&g, config, &error) != 0) fail_msg("%s", error.text);
    return g;
}

/* What `print` prints, to be freed. */
static char *printed(void (*print)(const cg_graph *g, FILE *out), const cg_graph *g, size_t *size)
{
    char *text = NULL;
    FILE *const out = open_memstream(&text, size);
    print(g, out);
    fclose(out);
    return text;
}

/* The check refuses g by a line with both parts; then g is gone. */
static void refused(cg_graph *g, const char *where, const char *what)
{
    cg_error error;
    if (cg_graph_check(g, "g.json", NULL, &error) == 0) fail_msg("accepted, wanted: %s", what);
    if (!strstr(error.text, where) || !strstr(error.text, what))
        fail_msg("says: %s\n  should name: %s, %s", error.text, where, what);
    cg_graph_free(g);
}

static void canonical_layers(void **state)
{
    cg_graph g = build(&cg_small);
    cg_error error;
    size_t *roles = NULL, size = 0;
    (void)state;
    assert_int_equal(g.count, 20);
    assert_int_equal(cg_graph_check(&g, "g", &roles, &error), 0);
    for (size_t i = 0; i < 20; i++) assert_int_equal(roles[i], i);
    char *const text = printed(cg_graph_dump, &g, &size);
    assert_non_null(strstr(text, "\nL1 N3 ADD outputs=[1:3:0] inputs=[IN,1:2:0]\n"));
    assert_non_null(strstr(text, "\nL0 N7 SWIGLU outputs=[0:7:0] inputs=[0:6:0,0:6:1]\n"));
    free(text);
    free(roles);
    cg_graph_free(&g);
    cg_graph_free(&g);
    cg_graph_free(NULL);
}

static void mirror_image(void **state)
{
    cg_graph g = build(&cg_small), back = { 0 };
    cg_error error;
    (void)state;
    assert_int_equal(cg_graph_reverse(&back, &g, &error), 0);
    for (size_t i = 0; i < g.count; i++) {
        const cg_node *const a = &g.nodes[i], *const b = &back.nodes[g.count - 1 - i];
        assert_int_equal(b->op, a->op + CG_RMSNORM_BWD);
        assert_true(a->layer == b->layer && a->node == b->node);
        assert_true(a->inputs == b->outputs && a->outputs == b->inputs);
    }
    assert_int_equal(cg_graph_reverse(&(cg_graph){ 0 }, &back, &error), -1);
    assert_int_equal(cg_graph_reverse(&(cg_graph){ 0 }, &(cg_graph){ 0 }, &error), -1);
    refused(&back, "ADD_BWD", "not supported");
    cg_graph_free(&g);
}

static void roundtrip(const cg_config *config)
{
    cg_graph g = build(config), again = { 0 };
    cg_error error;
    size_t size = 0, size_again = 0;
    char *const text = printed(cg_graph_write, &g, &size);
    if (cg_graph_parse(&again, text, size, "g.json", &error) != 0) fail_msg("%s", error.text);
    char *const second = printed(cg_graph_write, &again, &size_again);
    assert_string_equal(text, second);
    assert_int_equal(again.config.head_dim, config->head_dim);
    assert_true(again.config.eps == config->eps && again.config.theta == config->theta);
    assert_true(again.config.tied == config->tied && again.config.qk_norm == config->qk_norm);
    assert_true(again.config.scaling.context == config->scaling.context);
    free(text);
    free(second);
    cg_graph_free(&g);
    cg_graph_free(&again);
}

static void file_roundtrips(void **state)
{
    uint64_t seed = 7;
    (void)state;
    roundtrip(&cg_small);
    for (int i = 0; i < 200; i++) {
        cg_config c = cg_draw_config(&seed);
        c.eps = 1.0f / (float)(1 + cg_draw(&seed) % 1000003);
        if (c.theta > 0) c.theta = (float)(3 + cg_draw(&seed) % 10000000) / 3;
        if (c.scaling.factor != 0) c.scaling = (cg_scaling){ 8.1f, 1.3f, 4.7f, 8192 };
        roundtrip(&c);
    }
}

/* Numbers and order of the nodes do not matter: the roles are found by the edges. */
static void roles_follow_the_edges(void **state)
{
    cg_graph g = build(&cg_small);
    cg_error error;
    size_t *roles = NULL;
    (void)state;
    for (size_t i = 0; i < g.count; i++) {
        cg_node *const n = &g.nodes[i];
        n->node = (uint16_t)(100 - 7 * n->node);
        for (unsigned k = 0; k < n->inputs; k++)
            if (n->input[k].node != CG_BLOCK_INPUT)
                n->input[k].node = (uint16_t)(100 - 7 * n->input[k].node);
    }
    for (size_t i = 0; i < g.count / 2; i++) {
        const cg_node n = g.nodes[i];
        g.nodes[i] = g.nodes[g.count - 1 - i];
        g.nodes[g.count - 1 - i] = n;
    }
    if (cg_graph_check(&g, "g", &roles, &error) != 0) fail_msg("%s", error.text);
    for (size_t i = 0; i < g.count; i++) assert_int_equal(roles[i], g.count - 1 - i);
    free(roles);
    cg_graph_free(&g);
}

static void other_graphs_are_refused(void **state)
{
    cg_graph g = build(&cg_small);
    (void)state;
    g.nodes[13].input[1].node = 77;
    refused(&g, "layer 1 node 3 (ADD)", "L1:N77:0, which does not exist");
    g = build(&cg_small);
    g.nodes[17].input[1].slot = 2;
    refused(&g, "layer 1 node 7 (SWIGLU)", "does not exist");
    g = build(&cg_small);
    g.nodes[19].input[0].layer = 0;
    refused(&g, "layer 1 node 9 (ADD)", "another layer");
    g = build(&cg_small);
    g.nodes[14].input[0].node = 9;
    refused(&g, "layer 1", "cycle");
    g = build(&cg_small);
    g.nodes[0].input[0].node = 0;
    refused(&g, "layer 0 node 0 (RMSNORM)", "cycle");
    g = build(&cg_small);
    g.nodes[5].node = 4;
    refused(&g, "layer 0 node 4", "two nodes");
    g = build(&cg_small);
    g.nodes[19].op = CG_RMSNORM;
    refused(&g, "layer 1 node 9 (RMSNORM)", "wants ADD");
    g = build(&cg_small);
    g.nodes[19].op = CG_ADD_BWD;
    refused(&g, "layer 1 node 9 (ADD_BWD)", "not supported");
    g = build(&cg_small);
    g.nodes[19].op = (cg_op)99;
    refused(&g, "layer 1 node 9 (UNKNOWN)", "not supported");
    g = build(&cg_small);
    g.nodes[19].input[0] = g.nodes[19].input[1];
    refused(&g, "layer 1", "another node");
    g = build(&cg_small);
    g.nodes[19].input[1] = g.nodes[19].input[0];
    refused(&g, "layer 1", "nobody uses");
    g = build(&cg_small);
    g.nodes[13].input[0] = g.nodes[13].input[1];
    g.nodes[13].input[1].node = CG_BLOCK_INPUT;
    refused(&g, "layer 1 node 3 (ADD)", "wants the block's input");
    g = build(&cg_small);
    g.nodes[17].input[0].slot = 1;
    g.nodes[17].input[1].slot = 0;
    refused(&g, "layer 1 node 7 (SWIGLU)", "output 0");
    g = build(&cg_small);
    g.nodes[16].outputs = 3;
    refused(&g, "layer 1 node 6 (SPLIT)", "2 outputs");
    g = build(&cg_small);
    g.count = 19;
    refused(&g, "g.json", "19");
    g = build(&cg_small);
    g.config.layers = 3;
    refused(&g, "g.json", "20");
    g = build(&cg_small);
    g.config.layers = 1;
    refused(&g, "layer 1", "no such layer");
    g = build(&cg_small);
    g.nodes[10].layer = 0;
    g.nodes[10].node = 50;
    g.nodes[10].input[0].layer = 0;
    refused(&g, "layer 1 node 1", "does not exist");
    g = build(&cg_small);
    g.config.kv_heads = 3;
    refused(&g, "num_key_value_heads", "3");
    g = build(&cg_small);
    cg_graph_free(&g);
    refused(&g, "nodes", "none");
}

#define CONFIG                                                                  \
    "\"config\":{\"num_layers\":1,\"hidden_size\":32,\"intermediate_size\":48," \
    "\"num_attention_heads\":4,\"num_key_value_heads\":2,\"vocab_size\":50,"    \
    "\"context_window\":16,\"rms_norm_eps\":1e-05,\"rope_theta\":10000}"
#define NODE(rest) "{" CONFIG ",\"nodes\":[{\"layer\":0,\"node\":0," rest "}]}"

static void files_are_strict(void **state)
{
    static const char *const bad[][2] = {
        { "{}", "config" },
        { "{" CONFIG "}", "nodes" },
        { "{" CONFIG ",\"nodes\":[]}", "nodes" },
        { "{" CONFIG ",\"nodes\":7}", "nodes" },
        { "{" CONFIG ",\"nodes\":[7]}", "nodes[0]" },
        { "{" CONFIG ",\"nodes\":[],\"more\":1}", "more" },
        { NODE("\"op\":\"CONV\",\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"IN\"]"), "CONV" },
        { NODE("\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"IN\"]"), "op" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"IN\",\"IN\",\"IN\",\"IN\","
               "\"IN\"]"),
          "inputs" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"L0:N0\"]"), "inputs" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"L0:N65535:0\"]"), "inputs" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"L0:N1:999\"]"), "inputs" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"L00:N1:0\"]"), "inputs" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"L0:N1:0 \"]"), "inputs" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L0:N0:1\"],\"inputs\":[\"IN\"]"), "outputs" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L1:N0:0\"],\"inputs\":[\"IN\"]"), "outputs" },
        { NODE("\"op\":\"ADD\",\"inputs\":[\"IN\"]"), "outputs" },
        { NODE("\"op\":\"ADD\",\"outputs\":[\"L0:N0:0\"],\"inputs\":[\"IN\"],\"x\":1"),
          "nodes[0].x" },
        { "{" CONFIG ",\"nodes\":[{\"layer\":70000,\"node\":0,\"op\":\"ADD\",\"outputs\":[],"
          "\"inputs\":[]}]}",
          "layer" },
        { "{" CONFIG ",\"nodes\":[{\"layer\":0,\"op\":\"ADD\",\"outputs\":[],\"inputs\":[]}]}",
          "node" },
        { "{\"config\":{\"num_layers\":1},\"nodes\":[]}", "hidden_size" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cg_graph g = { 0 };
        cg_error error;
        if (cg_graph_parse(&g, bad[i][0], strlen(bad[i][0]), "g.json", &error) == 0)
            fail_msg("accepted: %s", bad[i][0]);
        if (strncmp(error.text, "g.json:", 7) != 0 || !strstr(error.text, bad[i][1]))
            fail_msg("%s\n  says: %s", bad[i][0], error.text);
        assert_null(g.nodes);
    }
}

static void damaged_files_are_refused_in_one_line(void **state)
{
    cg_graph g = build(&cg_small);
    size_t size = 0, refusals = 0;
    char *const whole = printed(cg_graph_write, &g, &size);
    unsigned char *const bytes = malloc(2 * size + 200);
    (void)state;
    assert_non_null(bytes);
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        cg_graph read = { 0 };
        cg_error error;
        uint64_t s = seed;
        memcpy(bytes, whole, size);
        const size_t n = cg_mutate(bytes, size, 2 * size + 200, &s);
        if (cg_graph_parse(&read, (char *)bytes, n, "g.json", &error) != 0 ||
            cg_graph_check(&read, "g.json", NULL, &error) != 0) {
            assert_int_equal(strncmp(error.text, "g.json:", 7), 0);
            assert_null(strpbrk(error.text, "\n\r\t\x1b"));
            refusals++;
        }
        cg_graph_free(&read);
    }
    assert_true(refusals > 700);
    free(bytes);
    free(whole);
    cg_graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_layers),
        cmocka_unit_test(mirror_image),
        cmocka_unit_test(file_roundtrips),
        cmocka_unit_test(roles_follow_the_edges),
        cmocka_unit_test(other_graphs_are_refused),
        cmocka_unit_test(files_are_strict),
        cmocka_unit_test(damaged_files_are_refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
