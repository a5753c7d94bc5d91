/* SPDX-License-Identifier: MIT */
/* Tests of cases of generated runtimes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ck_ops.h"
#include "gemm.h"
#include "quant.h"
#include "runtime/runtime.h"
#include "runtime/whole.h"
#include "suite.h"
#include "tests.h"

enum { DRAWN = 3000 };

static hn_case parsed(const char *line)
{
    char error[512];
    hn_case c;
    if (hn_case_parse(&c, line, error, sizeof error) != 0) fail_msg("%s: %s", line, error);
    return c;
}

/* Whatever is drawn is a case, and its line is the whole of it. */
static void drawn_runtimes_are_cases(void **state)
{
    char line[HN_LINE_MAX], error[512];
    unsigned scaled = 0, learned = 0, odd = 0, grouped = 0, errors = 0, cached[HN_RT_WORDS] = { 0 };
    (void)state;
    for (uint32_t i = 0; i < DRAWN; i++) {
        hn_case c, again;
        hn_case_init(&c, hn_op_runtime);
        c.seed = i;
        hn_case_draw(&c, 0);
        if (hn_case_check(&c, error, sizeof error) != 0) fail_msg("seed %x: %s", i, error);
        hn_case_print(&c, line, sizeof line);
        again = parsed(line);
        assert_memory_equal(&c, &again, sizeof c);
        scaled += c.real[HN_RT_FACTOR] != 0;
        learned += c.real[HN_RT_THETA] == 0;
        odd += c.num[HN_RT_HD] % 2 != 0;
        grouped += c.num[HN_RT_H] != c.num[HN_RT_G];
        errors += strchr(c.text, 'x') != NULL;
        cached[c.num[HN_RT_KV]]++;
    }
    assert_true(cached[HN_RT_BF16] > DRAWN / 8 && cached[HN_RT_F16] > DRAWN / 8);
    assert_int_equal(cached[HN_RT_F32] + cached[HN_RT_BF16] + cached[HN_RT_F16], DRAWN);
    assert_true(scaled > DRAWN / 10 && learned > DRAWN / 8 && odd > DRAWN / 20);
    assert_true(grouped > DRAWN / 2 && errors > DRAWN / 8);
}

/* Every format is drawn for all matrices and for each of them, with every fallback. */
static void drawn_formats_are_all(void **state)
{
    unsigned blocks = 0, words[HN_RT_MATRICES + 1][HN_RT_WORDS] = { { 0 } };
    unsigned instead[HN_RT_FORMATS] = { 0 }; /* of what does not fit */
    (void)state;
    for (uint32_t i = 0; i < DRAWN; i++) {
        hn_case c;
        hn_case_init(&c, hn_op_runtime);
        c.seed = i;
        hn_case_draw(&c, 0);
        blocks += c.num[HN_RT_W] != HN_RT_F32;
        for (int k = 0; k <= HN_RT_MATRICES; k++) words[k][c.num[HN_RT_W + k]]++;
        hn_rt_decoder *const d = hn_rt_decoder_new(&c);
        for (size_t b = 0; b < d->nbuffers; b++)
            instead[d->all - hn_rt_formats] +=
                d->buffers[b].role == HN_RT_MATRIX && d->buffers[b].format != d->all;
        hn_rt_decoder_free(d);
    }
    assert_in_range(blocks, DRAWN / 3, DRAWN * 2 / 3);
    for (int f = HN_RT_F32; f < HN_RT_WORDS; f++) {
        for (int k = 0; k <= HN_RT_MATRICES; k++)
            if (words[k][f] == 0) fail_msg("%s is never drawn for key %d", hn_rt_words[f], k);
        assert_true(instead[f - HN_RT_F32] > 8);
    }
}

static const hn_rt_format *format(const char *name)
{
    size_t i = 0;
    while (strcmp(hn_rt_formats[i].name, name) != 0) i++;
    return &hn_rt_formats[i];
}

/* docs/codegen.md, word by word. */
static void formats_fall_back(void **state)
{
    static const struct {
        const char *asked;
        size_t row;
        const char *got;
    } table[] = {
        { "f32", 16, "f32" },    { "f16", 16, "f16" },    { "bf16", 48, "bf16" },
        { "q4_0", 64, "q4_0" },  { "q4_0", 48, "f32" },   { "q4_1", 16, "f32" },
        { "q5_0", 80, "f32" },   { "q5_1", 96, "q5_1" },  { "q8_0", 16, "f32" },
        { "q4_k", 512, "q4_k" }, { "q4_k", 128, "q5_0" }, { "q4_k", 272, "f32" },
        { "q5_k", 256, "q5_k" }, { "q5_k", 288, "q8_0" }, { "q5_k", 48, "f32" },
        { "q6_k", 768, "q6_k" }, { "q6_k", 96, "q8_0" },  { "q6_k", 16, "f32" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_string_equal(hn_rt_format_fit(format(table[i].asked), table[i].row)->name,
                            table[i].got);
    for (size_t i = 0; i < HN_RT_FORMATS; i++) {
        assert_string_equal(hn_rt_formats[i].name, hn_rt_words[HN_RT_F32 + i]);
        assert_string_equal(hn_rt_formats[i].name, ck_dtype_name(hn_rt_formats[i].code));
    }
}

/* A tied head is in the format of the table of tokens, and all layers are in that of the first. */
static void formats_of_matrices(void **state)
{
    const hn_case c = parsed("runtime gen=1 L=2 D=250 I=60 H=4 G=2 hd=6 V=19 T=12 tied=1 w=q4_k "
                             "token_emb=q6_k wv=f32");
    static const char *const wanted[][2] = {
        { "wq", "q4_k" }, { "wv", "f32" }, { "wo", "q5_0" }, { "w1", "q4_k" }, { "w2", "q5_0" },
    };
    hn_rt_decoder *const d = hn_rt_decoder_new(&c);
    (void)state;
    assert_string_equal(hn_rt_find(d, "token_emb", HN_RT_ABSENT)->format->name, "q6_k");
    assert_string_equal(hn_rt_find(d, "lm_head_weight", HN_RT_ABSENT)->format->name, "q6_k");
    assert_string_equal(d->stages[0].stem, "embedding_q6_k");
    assert_string_equal(d->stages[d->nstages - 1].stem, "gemm_nt_q6_k_f32");
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            assert_string_equal(hn_rt_find(d, wanted[i][0], l)->format->name, wanted[i][1]);
    hn_rt_decoder_free(d);
}

/* What a reference packs is what the quantisers write and the decoders read. */
static void encoded_rows_are_those_of_kernels(void **state)
{
    enum { N = 512 };
    float x[N], mine[N], theirs[N];
    unsigned char blocks[4 * N], wanted[4 * N];
    ck_status (*const quantize[])(const ck_quantize_args *) = {
        NULL,
        ck_quantize_row_bf16,
        ck_quantize_row_f16,
        ck_quantize_row_q4_0,
        ck_quantize_row_q4_1,
        ck_quantize_row_q5_0,
        ck_quantize_row_q5_1,
        ck_quantize_row_q8_0,
        ck_quantize_row_q4_k,
        ck_quantize_row_q5_k,
        ck_quantize_row_q6_k,
    };
    ck_status (*const dequant[])(const ck_dequant_args *) = {
        NULL,
        ck_dequant_row_bf16,
        ck_dequant_row_f16,
        ck_dequant_row_q4_0,
        ck_dequant_row_q4_1,
        ck_dequant_row_q5_0,
        ck_dequant_row_q5_1,
        ck_dequant_row_q8_0,
        ck_dequant_row_q4_k,
        ck_dequant_row_q5_k,
        ck_dequant_row_q6_k,
    };
    hn_rng rng = hn_stream(1, 2, 3);
    (void)state;
    for (size_t f = 1; f < HN_RT_FORMATS; f++) {
        const hn_rt_format *const format = &hn_rt_formats[f];
        for (size_t i = 0; i < N; i++) x[i] = i % 37 ? (float)hn_range(&rng, -999, 999) / 64 : 0;
        hn_rt_encode(format, x, N, blocks);
        assert_int_equal(quantize[f](&(ck_quantize_args){ wanted, x, N }), CK_OK);
        assert_memory_equal(blocks, wanted, hn_rt_row_bytes(format, N));
        assert_int_equal(hn_rt_row_bytes(format, N), ck_row_bytes(format->code, N));
        hn_rt_decode(format, blocks, N, mine);
        assert_int_equal(dequant[f](&(ck_dequant_args){ theirs, wanted, N }), CK_OK);
        for (size_t i = 0; i < N; i++) assert_true(mine[i] == theirs[i]);
    }
}

/* Keys that a suite gives stay, and the drawn ones follow them. */
static void given_keys_stay(void **state)
{
    static const char *const lines[] = {
        "runtime theta=10000 repeat=50",
        "runtime H=6 repeat=50",
        "runtime hd=3 repeat=50",
        "runtime hd=4,6 H=8 repeat=50",
        "runtime calls=p9,d9 repeat=50",
        "runtime T=1 repeat=50",
        "runtime G=3 V=1 repeat=50",
        "runtime wo=q4_k repeat=50",
        "runtime w=q6_k D=40 repeat=50",
        "runtime kv=f16 fuse=2 repeat=50",
        "runtime wk=q5_1 w2=q6_k lm_head_weight=q4_1 repeat=50",
    };
    char error[512];
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        hn_suite *const suite = hn_suite_parse(lines[i], "test", error, sizeof error);
        if (!suite) fail_msg("%s", error);
        for (size_t k = 0; k < hn_suite_count(suite); k++) {
            hn_case c;
            if (hn_suite_case(suite, k, 7, &c, error, sizeof error) < 0)
                fail_msg("%s: %s", lines[i], error);
            if (i == 0) assert_true(c.real[HN_RT_THETA] == 10000);
            if (i == 1) assert_int_equal(c.num[HN_RT_H], 6);
            if (i == 2) assert_int_equal(c.num[HN_RT_HD], 3);
            if (i == 7) assert_string_equal(hn_rt_words[c.num[HN_RT_WO]], "q4_k");
            if (i == 8) assert_true(c.num[HN_RT_D] == 40 && c.num[HN_RT_W] == HN_RT_WORDS - 1);
            if (i == 9) assert_true(c.num[HN_RT_KV] == HN_RT_F16 && c.num[HN_RT_FUSE] == 2);
            if (i == 10) assert_true(c.num[HN_RT_W2] == HN_RT_WORDS - 1 && c.num[HN_RT_TIED] == 0);
            if (i == 4) assert_true(strcmp(c.text, "p9,d9") == 0 && c.num[HN_RT_T] >= 18);
        }
        hn_suite_free(suite);
    }
}

#define SMALL "runtime gen=1 L=1 D=8 I=8 H=2 G=1 hd=4 V=9 T=6"

static void bad_lines_are_named(void **state)
{
    static const struct {
        const char *line, *says;
    } table[] = {
        { "runtime gen=1 L=1 D=8 I=8 H=2 G=1 hd=4 V=9", "runtime needs T=" },
        { "runtime gen=1 L=1 D=8 I=8 H=3 G=2 hd=4 V=9 T=6", "a divisor of 3 heads" },
        { "runtime gen=1 L=1 D=8 I=8 H=2 G=1 hd=5 V=9 T=6 theta=10000", "an even number" },
        { "runtime gen=1 L=0 D=8 I=8 H=2 G=1 hd=4 V=9 T=6", "L=0 is outside 1..64" },
        { "runtime gen=1 L=64 D=4096 I=4096 H=2 G=1 hd=4 V=9 T=6", "the arena has" },
        { SMALL " low=1", "mean nothing without factor=" },
        { SMALL " theta=10000 factor=8 low=4 high=4 original=8", "high_freq_factor: 4" },
        { SMALL " fp=up", "default environment" },
        { SMALL " fill=int", "fill=int means nothing for runtime" },
        { SMALL " ldx=9", "unknown key \"ldx\"" },
        { SMALL " w=q9", "w=q9 is none of f32 bf16 f16 q4_0" },
        { SMALL " w=all", "w=all is none of f32" },
        { SMALL " wq=q8_k", "wq=q8_k is none of all f32" },
        { SMALL " kv=q8_0", "kv=q8_0 is none of f32 bf16 f16" },
        { SMALL " kv=all", "kv=all is none of f32 bf16 f16" },
        { SMALL " wq=q8_0", "wq=q8_0: rows of 16, wanted whole blocks of 32" },
        { SMALL " w2=q4_k w=f32", "w2=q4_k: rows of 16, wanted whole blocks of 256" },
        { SMALL " tied=1 lm_head_weight=f16", "lm_head_weight: is tied to token_emb" },
        { SMALL " w=q8_0 w=q8_0", "given twice" },
        { SMALL " calls=p7", "no room for \"p7\" at position 0 of T=6" },
        { SMALL " calls=p6,xt", "no room for \"xt\" at position 6" },
        { SMALL " calls=p6,d1", "no room for \"d1\" at position 6" },
        { SMALL " calls=p0", "\"p0\" is none of pN dN r xt xf xn xr" },
        { SMALL " calls=p1,q", "\"q\" is none of" },
        { SMALL " calls=p1,,r", "no list of words" },
        { SMALL " calls=P1", "no list of words" },
        { SMALL " calls=", "no list of words" },
        { SMALL " calls=p1 calls=p1", "given twice" },
    };
    char error[512];
    hn_case c;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(hn_case_parse(&c, table[i].line, error, sizeof error), -1);
        if (!strstr(error, table[i].says)) fail_msg("%s: says %s", table[i].line, error);
    }
}

/* A text of as many characters as there may be, and one more. */
static void long_texts_are_refused(void **state)
{
    char line[HN_LINE_MAX], error[512];
    hn_case c;
    (void)state;
    int used = snprintf(line, sizeof line, SMALL " calls=r");
    const size_t before = (size_t)used - 1;
    while (strlen(line) - before < HN_TEXT_MAX - 1) strcat(line, ",r");
    assert_int_equal(strlen(line) - before, HN_TEXT_MAX - 1);
    c = parsed(line);
    hn_rt_call calls[HN_RT_CALLS_MAX];
    assert_int_equal(hn_rt_calls(&c, calls, error, sizeof error), HN_TEXT_MAX / 2);
    strcat(line, "r");
    assert_int_equal(hn_case_parse(&c, line, error, sizeof error), -1);
    assert_non_null(strstr(error, "longer than"));
}

/* The steps of a pass: as many as the decoder has, each output within its own buffer. */
static void steps_lie_in_buffers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        hn_case c;
        hn_case_init(&c, hn_op_runtime);
        c.seed = i;
        hn_case_draw(&c, 0);
        hn_rt_decoder *const d = hn_rt_decoder_new(&c);
        const size_t each = 12u + 2u * (size_t)d->d.rope + 2u * (size_t)d->d.qk_norm -
                            d->fused_mlp - 2u * d->fused_residual + (d->cache != hn_rt_formats);
        assert_int_equal(d->nstages, 3 + d->d.layers * each);
        assert_int_equal(d->total, hn_rt_bytes(&c));
        for (size_t s = 0; s < d->nstages; s++) {
            const hn_rt_stage *const g = &d->stages[s];
            const hn_rt_buffer *const b = hn_rt_buffer_at(d, g->y);
            assert_non_null(b);
            const size_t pieces = g->also == HN_RT_ABSENT ? g->pieces : g->pieces / 2;
            const size_t rows = d->d.context * g->ld + (pieces - 1) * g->piece;
            const size_t end = g->piece < g->ld ? d->d.context * g->ld : rows;
            assert_int_equal(b->bytes, end * g->stored->bytes);
        }
        hn_rt_decoder_free(d);
    }
}

typedef struct logits {
    float at[6 * 9];
    unsigned char *arena; /* room for it, and what it was in the end; NULL: not wanted */
} logits;

static void keep_logits(void *context, const hn_rt_trial *t, const hn_rt_stage *s,
                        const hn_rt_found *found)
{
    logits *const l = context;
    (void)found;
    if (strcmp(s->name, "head") == 0)
        memcpy(l->at + t->pass.first * 9, ck_model_arena(t->m) + s->y + t->pass.first * 9 * 4,
               t->pass.rows * 9 * sizeof *l->at);
    if (l->arena) memcpy(l->arena, ck_model_arena(t->m), t->s->d->total);
}

/* Runs it, and gives what it did as a text. */
static hn_rt_text whole_text(const hn_rt_subject *s, const hn_case *c, int32_t drawn[6], logits *l,
                             hn_result *result)
{
    hn_rt_trial t = { .s = s, .witness = keep_logits, .context = l, .result = result };
    hn_rng rng = hn_stream(c->seed, 0x746f6b65, 0); /* as the trial draws them */
    hn_rt_try(&t, "scalar", 0);
    free(t.history.hash);
    if (result->verdict != HN_OK) fail_msg("%s", result->what);
    for (size_t i = 0; i < 6; i++) drawn[i] = (int32_t)hn_below(&rng, 9);
    return (hn_rt_text){ drawn, 6, l->at, false, l->arena };
}

/* Its logits are those of the whole decoder in double, whose radius a changed weight leaves. */
static void whole_decoder_sees_changed_weights(void **state)
{
    static const char *const names[] = { "wq", "bq", "wk", "wv", "bv",        "wo",       "bo",
                                         "w1", "b1", "w2", "b2", "ln1_gamma", "ln2_gamma" };
    const hn_case c = parsed(SMALL " theta=10000 bias=7 calls=p3,d3 seed=7");
    hn_rt_program program;
    hn_rt_subject s;
    hn_result result = { .verdict = HN_OK };
    logits l = { .arena = NULL };
    (void)state;
    if (hn_rt_lacks()) skip();
    hn_call_init();
    assert_int_equal(hn_rt_subject_open(&s, &c, NULL, &program, &result), 0);
    int32_t drawn[6];
    const hn_rt_text text = whole_text(&s, &c, drawn, &l, &result);
    hn_rt_whole_check(s.d, s.image[0], &text, &result);
    if (result.verdict != HN_OK) fail_msg("%s", result.what);
    assert_true(result.ran >> HN_CHECK_LOGITS & 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const hn_rt_buffer *const b = hn_rt_find(s.d, names[i], 0);
        float *const x = (float *)(void *)(s.image[0] + b->offset), before = x[0];
        hn_result changed = { .verdict = HN_OK };
        x[0] += 0.01f;
        hn_rt_whole_check(s.d, s.image[0], &text, &changed);
        x[0] = before;
        if (changed.verdict != HN_FAIL || changed.check != HN_CHECK_LOGITS)
            fail_msg("a change of %s is within the radius", names[i]);
    }
    hn_rt_subject_close(&s, &program);
    hn_call_disarm();
}

/* Matrices in blocks are decoded for it, each in its place. */
static void whole_decoder_sees_changed_blocks(void **state)
{
    static const char *const names[] = { "token_emb", "wq", "wk", "wv", "wo", "w1", "w2" };
    const hn_case c = parsed("runtime gen=1 L=1 D=32 I=32 H=2 G=1 hd=16 V=9 T=6 theta=10000 tied=1 "
                             "w=q8_0 wq=q4_1 w1=f16 w2=q5_0 calls=p3,d3 seed=7");
    hn_rt_program program;
    hn_rt_subject s;
    hn_result result = { .verdict = HN_OK };
    logits l = { .arena = NULL };
    (void)state;
    if (hn_rt_lacks()) skip();
    hn_call_init();
    assert_int_equal(hn_rt_subject_open(&s, &c, NULL, &program, &result), 0);
    int32_t drawn[6];
    const hn_rt_text text = whole_text(&s, &c, drawn, &l, &result);
    hn_rt_whole_check(s.d, s.image[0], &text, &result);
    if (result.verdict != HN_OK) fail_msg("%s", result.what);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const hn_rt_buffer *b = hn_rt_find(s.d, names[i], 0);
        if (!b) b = hn_rt_find(s.d, names[i], HN_RT_ABSENT);
        hn_result changed = { .verdict = HN_OK };
        unsigned char *const scale =
            s.image[0] + b->offset + 1; /* its upper half: four times as large */
        *scale = (unsigned char)(*scale ^ 8);
        hn_rt_whole_check(s.d, s.image[0], &text, &changed);
        *scale = (unsigned char)(*scale ^ 8);
        if (changed.verdict != HN_FAIL || changed.check != HN_CHECK_LOGITS)
            fail_msg("a change of %s is within the radius", names[i]);
    }
    hn_rt_subject_close(&s, &program);
    hn_call_disarm();
}

/* Keys and values in 16 bits are compared with its own, one unit of the last place being enough; and its logits
 * follow what is in the cache. */
static void whole_decoder_sees_changed_caches(void **state)
{
    static const char *const lines[] = { SMALL " theta=10000 bias=7 kv=bf16 calls=p3,d3 seed=7",
                                         SMALL " qknorm=1 kv=f16 calls=p3,d3 seed=7" };
    static const char *const names[] = { "k", "v", "wk", "wv", "wo" };
    (void)state;
    if (hn_rt_lacks()) skip();
    hn_call_init();
    for (size_t n = 0; n < 2; n++) {
        const hn_case c = parsed(lines[n]);
        hn_rt_program program;
        hn_rt_subject s;
        hn_result result = { .verdict = HN_OK };
        assert_int_equal(hn_rt_subject_open(&s, &c, NULL, &program, &result), 0);
        logits l = { .arena = malloc(s.d->total) };
        assert_non_null(l.arena);
        int32_t drawn[6];
        const hn_rt_text text = whole_text(&s, &c, drawn, &l, &result);
        hn_rt_whole_check(s.d, s.image[0], &text, &result);
        if (result.verdict != HN_OK) fail_msg("%s", result.what);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const hn_rt_buffer *const b = hn_rt_find(s.d, names[i], 0);
            /* of a cache the last element of the last position, of a weight the upper half */
            unsigned char *const at =
                i < 2 ? l.arena + b->offset + 2 * (5 * 16 + 3) : s.image[0] + b->offset + 2;
            hn_result changed = { .verdict = HN_OK };
            *at = (unsigned char)(*at ^ 1);
            hn_rt_whole_check(s.d, s.image[0], &text, &changed);
            *at = (unsigned char)(*at ^ 1);
            if (changed.verdict != HN_FAIL || changed.check != HN_CHECK_LOGITS)
                fail_msg("a change of %s is within the radius", names[i]);
            if (i < 2 && !strstr(changed.what, i ? "v[0,5,3] of layer 0" : "k[0,5,3] of layer 0"))
                fail_msg("says %s", changed.what);
        }
        free(l.arena);
        hn_rt_subject_close(&s, &program);
    }
    hn_call_disarm();
}

/* A kernel's bit in strict mode leaves the half ulp of its value as well, so that no wrong runtime comes
 * here: what is changed is what is compared with. */
static void strict_bits_are_compared(void **state)
{
    const hn_case c = parsed(SMALL " theta=10000 calls=p3,d2 seed=3");
    hn_rt_program program;
    hn_rt_subject s;
    hn_result first = { .verdict = HN_OK }, same = first, other = first;
    (void)state;
    if (hn_rt_lacks()) skip();
    hn_call_init();
    assert_int_equal(hn_rt_subject_open(&s, &c, NULL, &program, &first), 0);
    hn_rt_trial t = { .s = &s, .strict = true, .result = &first };
    hn_rt_try(&t, "scalar", 0);
    assert_int_equal(first.verdict, HN_OK);
    assert_true(t.history.count > 0);
    hn_rt_trial again = {
        .s = &s, .strict = true, .like = &t.history, .like_isa = "before", .result = &same
    };
    hn_rt_try(&again, "scalar", 0);
    assert_int_equal(same.verdict, HN_OK);
    t.history.hash[t.history.count - 1] ^= 1;
    hn_rt_trial changed = {
        .s = &s, .strict = true, .like = &t.history, .like_isa = "before", .result = &other
    };
    hn_rt_try(&changed, "scalar", 0);
    assert_int_equal(other.verdict, HN_FAIL);
    assert_int_equal(other.check, HN_CHECK_STRICT);
    assert_non_null(strstr(other.what, "differs from the strict bits of before"));
    free(t.history.hash);
    free(again.history.hash);
    free(changed.history.hash);
    hn_rt_subject_close(&s, &program);
    hn_call_disarm();
}

static void announce_nobody(void *context, const hn_variant *variant)
{
    (void)context;
    (void)variant;
}

/* What the strict scalar variant gives with other functions bound. */
static hn_result strict_result(const hn_case *c, const hn_rt_binding *bindings)
{
    hn_result results[HN_MAX_VARIANTS] = { { .verdict = HN_OK } };
    const hn_rt_compiler compiler = { .bindings = bindings };
    hn_plan plan = { .op = hn_op_runtime };
    size_t count;
    hn_plan_add(&plan, &hn_rt_kernels(&count)[0], true, 0);
    const hn_session session = { &plan, c, announce_nobody, NULL, 0 };
    hn_rt_run_with(&session, &compiler, results);
    return results[0];
}

/* One bit of the last logit. */
static ck_status bit_of_head(const ck_gemm_w_args *a)
{
    const ck_status status = ck_gemm_nt_q8_0_f32(a);
    uint32_t bits;
    if (a->n != 9) return status;
    memcpy(&bits, &a->y[a->m * a->ldy - 1], sizeof bits);
    bits ^= 1;
    memcpy(&a->y[a->m * a->ldy - 1], &bits, sizeof bits);
    return status;
}

static void digests_are_of_all_steps_and_data(void **state)
{
    static const hn_rt_binding none[] = { { NULL, NULL } };
    const hn_rt_binding bit[] = { { "ck_gemm_nt_q8_0_f32", (const void *)(uintptr_t)bit_of_head },
                                  { NULL, NULL } };
    hn_case c = parsed(SMALL " tied=1 w=q8_0 calls=p6 seed=3");
    (void)state;
    if (hn_rt_lacks()) skip();
    c.num[HN_RT_D] = 32;
    hn_call_init();
    const hn_result first = strict_result(&c, none), again = strict_result(&c, none);
    assert_int_equal(first.verdict, HN_OK);
    assert_true(first.out == again.out && first.data == again.data && first.out != first.data);
    const hn_result other = strict_result(&c, bit);
    assert_int_equal(other.verdict, HN_FAIL);
    assert_true(other.out != first.out && other.data == first.data);
    c.seed++;
    const hn_result drawn = strict_result(&c, none);
    assert_true(drawn.out != first.out && drawn.data != first.data);
    hn_call_disarm();
}

int hn_test_runtime(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_runtimes_are_cases),
        cmocka_unit_test(drawn_formats_are_all),
        cmocka_unit_test(formats_fall_back),
        cmocka_unit_test(formats_of_matrices),
        cmocka_unit_test(encoded_rows_are_those_of_kernels),
        cmocka_unit_test(given_keys_stay),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(long_texts_are_refused),
        cmocka_unit_test(steps_lie_in_buffers),
        cmocka_unit_test(whole_decoder_sees_changed_weights),
        cmocka_unit_test(whole_decoder_sees_changed_blocks),
        cmocka_unit_test(whole_decoder_sees_changed_caches),
        cmocka_unit_test(strict_bits_are_compared),
        cmocka_unit_test(digests_are_of_all_steps_and_data),
    };
    return cmocka_run_group_tests_name("runtime", tests, NULL, NULL);
}
