/* SPDX-License-Identifier: MIT */
/* Buffers, kernels and steps, as tables. */
#include "registry.h"

#define D1(a)      \
    {              \
        CG_DIM_##a \
    }
#define D2(a, b)               \
    {                          \
        CG_DIM_##a, CG_DIM_##b \
    }
#define D3(a, b, c)                        \
    {                                      \
        CG_DIM_##a, CG_DIM_##b, CG_DIM_##c \
    }
#define GLOBAL false
#define LAYER  true
#define CG_BUFFER(name, scope, role, when, alias, row, dims) \
    { #name, scope, CG_##role, CG_WHEN_##when, cg_b_##alias, row, dims },
const cg_buffer cg_buffers[CG_BUFFERS] = {
#include "buffers.def"
};
#undef CG_BUFFER
#undef D1
#undef D2
#undef D3
#undef GLOBAL
#undef LAYER

/* Letters: M positions, K summed over, N outputs, H heads, h width of a head, r its half, F width of
 * the MLP, V vocabulary, C context of the scores. */
#define IN(name, dims)                        \
    {                                         \
        name, CG_READ, false, CG_FLOATS, dims \
    }
#define MAYBE_IN(name, dims)                 \
    {                                        \
        name, CG_READ, true, CG_FLOATS, dims \
    }
#define WEIGHTS(name, dims)                   \
    {                                         \
        name, CG_READ, false, CG_BLOCKS, dims \
    }
#define CACHE(name, dims)                     \
    {                                         \
        name, CG_READ, false, CG_CACHED, dims \
    }
#define OUT(name, dims)                        \
    {                                          \
        name, CG_WRITE, false, CG_FLOATS, dims \
    }
#define MAYBE_OUT(name, dims)                 \
    {                                         \
        name, CG_WRITE, true, CG_FLOATS, dims \
    }
#define CACHE_OUT(name, dims)                  \
    {                                          \
        name, CG_WRITE, false, CG_CACHED, dims \
    }
#define IN_OUT(name, dims)                      \
    {                                           \
        name, CG_UPDATE, false, CG_FLOATS, dims \
    }
const cg_kernel cg_kernels[CG_KERNEL_COUNT] = {
    [cg_k_embed] = { "embed",
                     "ck_embedding_f32",
                     "ck_embedding_%",
                     { OUT("y", "MK"), WEIGHTS("table", "VK"), MAYBE_IN("positions", "MK") } },
    [cg_k_norm] = { "norm",
                    "ck_rmsnorm_f32",
                    NULL,
                    { OUT("y", "MK"), MAYBE_OUT("rstd", "M"), IN("x", "MK"), IN("gamma", "K") } },
    [cg_k_head_norm] = { "head_norm",
                         "ck_rmsnorm_f32",
                         NULL,
                         { IN_OUT("x", "HMh"), IN("gamma", "h") } },
    [cg_k_linear] = { "linear",
                      "ck_gemm_nt_f32",
                      "ck_gemm_nt_%_f32",
                      { OUT("y", "MN"), IN("x", "MK"), WEIGHTS("w", "NK"),
                        MAYBE_IN("bias", "N") } },
    [cg_k_head_linear] = { "head_linear",
                           "ck_gemm_nt_f32",
                           "ck_gemm_nt_%_f32",
                           { OUT("y", "HMh"), IN("x", "MK"), WEIGHTS("w", "HhK"),
                             MAYBE_IN("bias", "Hh") } },
    [cg_k_rope] = { "rope",
                    "ck_rope_half_f32",
                    NULL,
                    { IN_OUT("x", "HMh"), IN("cos", "Mr"), IN("sin", "Mr") } },
    [cg_k_attention] = { "attention",
                         "ck_attention_f32",
                         "ck_attention_%",
                         { OUT("y", "MHh"), MAYBE_OUT("scores", "HCC"), IN("q", "HMh"),
                           CACHE("k", "GMh"), CACHE("v", "GMh") } },
    [cg_k_head_merge] = { "head_merge",
                          "ck_gemm_nt_f32",
                          "ck_gemm_nt_%_f32",
                          { OUT("y", "MN"), IN("x", "MHh"), WEIGHTS("w", "NHh"),
                            MAYBE_IN("bias", "N") } },
    [cg_k_add] = { "add",
                   "ck_residual_add_f32",
                   NULL,
                   { OUT("y", "MK"), IN("a", "MK"), IN("b", "MK") } },
    [cg_k_swiglu] = { "swiglu", "ck_swiglu_f32", NULL, { OUT("y", "MF"), IN("x", "M2F") } },
    [cg_k_linear_swiglu] = { "linear_swiglu",
                             "ck_gemm_nt_swiglu_f32",
                             NULL,
                             { OUT("y", "MF"), IN("x", "MK"), IN("w", "2FK"),
                               MAYBE_IN("bias", "2F") } },
    [cg_k_linear_add] = { "linear_add",
                          "ck_gemm_nt_f32",
                          "ck_gemm_nt_%_f32",
                          { OUT("y", "MN"), IN("c", "MN"), IN("x", "MK"), WEIGHTS("w", "NK"),
                            MAYBE_IN("bias", "N") } },
    [cg_k_head_merge_add] = { "head_merge_add",
                              "ck_gemm_nt_f32",
                              "ck_gemm_nt_%_f32",
                              { OUT("y", "MN"), IN("c", "MN"), IN("x", "MHh"), WEIGHTS("w", "NHh"),
                                MAYBE_IN("bias", "N") } },
    [cg_k_kv_write] = { "kv_write",
                        "ck_kv_write_f32",
                        "ck_kv_write_%",
                        { CACHE_OUT("k_cache", "GMh"), CACHE_OUT("v_cache", "GMh"), IN("k", "GMh"),
                          IN("v", "GMh") } },
};
#undef IN
#undef MAYBE_IN
#undef WEIGHTS
#undef CACHE
#undef OUT
#undef MAYBE_OUT
#undef CACHE_OUT
#undef IN_OUT

/* Parameters in the order of the kernel's: outputs, inputs. */
#define B(name) cg_b_##name
#define STEP(phase, name, kernel, role, when, ...)                                        \
    {                                                                                     \
#name, CG_##phase, cg_k_##kernel, CG_ROLE_##role, CG_WHEN_##when, { __VA_ARGS__ } \
    }
const cg_step_spec cg_steps[] = {
    STEP(BEFORE, embed, embed, COUNT, ROPE, B(embedded_input), B(token_emb), B(NONE)),
    STEP(BEFORE, embed_at, embed, COUNT, LEARNED, B(embedded_input), B(token_emb), B(pos_emb)),
    STEP(LAYER, norm1, norm, NORM1, ALWAYS, B(ln1_out), B(ln1_rstd), B(input), B(ln1_gamma)),
    STEP(LAYER, project_q, head_linear, QKV, ALWAYS, B(q), B(ln1_out), B(wq), B(bq)),
    STEP(LAYER, project_k, head_linear, QKV, ALWAYS, B(k_new), B(ln1_out), B(wk), B(bk)),
    STEP(LAYER, project_v, head_linear, QKV, ALWAYS, B(v_new), B(ln1_out), B(wv), B(bv)),
    STEP(LAYER, norm_q, head_norm, QKV, QK_NORM, B(q), B(q_norm_gamma)),
    STEP(LAYER, norm_k, head_norm, QKV, QK_NORM, B(k_new), B(k_norm_gamma)),
    STEP(LAYER, rope_q, rope, ATTENTION, ROPE, B(q), B(rope_cos_cache), B(rope_sin_cache)),
    STEP(LAYER, rope_k, rope, ATTENTION, ROPE, B(k_new), B(rope_cos_cache), B(rope_sin_cache)),
    STEP(LAYER, kv_write, kv_write, ATTENTION, CACHE_APART, B(k), B(v), B(k_new), B(v_new)),
    STEP(LAYER, attend, attention, ATTENTION, ALWAYS, B(attn_out), B(scores), B(q), B(k), B(v)),
    STEP(LAYER, merge_heads, head_merge, ATTENTION, ALWAYS, B(proj_tmp), B(attn_out), B(wo), B(bo)),
    STEP(LAYER, add1, add, ADD1, ALWAYS, B(residual1), B(input), B(proj_tmp)),
    STEP(LAYER, norm2, norm, NORM2, ALWAYS, B(ln2_out), B(ln2_rstd), B(residual1), B(ln2_gamma)),
    STEP(LAYER, mlp_up, linear, UP, ALWAYS, B(fc1_out), B(ln2_out), B(w1), B(b1)),
    STEP(LAYER, swiglu, swiglu, SWIGLU, ALWAYS, B(swiglu_out), B(fc1_out)),
    STEP(LAYER, mlp_down, linear, DOWN, ALWAYS, B(mlp_out), B(swiglu_out), B(w2), B(b2)),
    STEP(LAYER, add2, add, ADD2, ALWAYS, B(output), B(residual1), B(mlp_out)),
    STEP(AFTER, final_norm, norm, COUNT, ALWAYS, B(final_output), B(final_ln_rstd), B(output),
         B(final_ln_weight)),
    STEP(AFTER, head, linear, COUNT, ALWAYS, B(logits), B(final_output), B(lm_head_weight),
         B(NONE)),
};
const size_t cg_step_count = sizeof cg_steps / sizeof *cg_steps;

const cg_rewrite cg_rewrites[] = {
    { CG_FUSE_MLP, "mlp_up", "swiglu",
      STEP(LAYER, mlp_gate, linear_swiglu, UP, ALWAYS, B(swiglu_out), B(ln2_out), B(w1), B(b1)) },
    { CG_FUSE_RESIDUAL, "merge_heads", "add1",
      STEP(LAYER, merge_heads_add, head_merge_add, ATTENTION, ALWAYS, B(residual1), B(input),
           B(attn_out), B(wo), B(bo)) },
    { CG_FUSE_RESIDUAL, "mlp_down", "add2",
      STEP(LAYER, mlp_down_add, linear_add, DOWN, ALWAYS, B(output), B(residual1), B(swiglu_out),
           B(w2), B(b2)) },
};
#undef B
#undef STEP
const size_t cg_rewrite_count = sizeof cg_rewrites / sizeof *cg_rewrites;

cg_buffer_id cg_standing_for(cg_buffer_id id, const cg_choice *choice)
{
    if (choice->cache_apart) return id;
    return id == cg_b_k_new ? cg_b_k : id == cg_b_v_new ? cg_b_v : id;
}

const char *cg_fuse_name(unsigned fuse) { return fuse == CG_FUSE_MLP ? "mlp" : "residual"; }

bool cg_holds(cg_when when, const cg_config *c, const cg_choice *choice)
{
    switch (when) {
    case CG_WHEN_ALWAYS: return true;
    case CG_WHEN_ROPE: return c->theta > 0;
    case CG_WHEN_LEARNED: return !(c->theta > 0);
    case CG_WHEN_TRAINING: return choice->training;
    case CG_WHEN_QK_NORM: return c->qk_norm;
    case CG_WHEN_QKV_BIAS: return c->qkv_bias;
    case CG_WHEN_OUTPUT_BIAS: return c->output_bias;
    case CG_WHEN_MLP_BIAS: return c->mlp_bias;
    case CG_WHEN_UNTIED: return !c->tied;
    case CG_WHEN_MLP_APART: return !(choice->fuse & CG_FUSE_MLP);
    case CG_WHEN_RESIDUAL_APART: return !(choice->fuse & CG_FUSE_RESIDUAL);
    case CG_WHEN_CACHE_APART: return choice->cache_apart;
    }
    return false;
}

size_t cg_aligned(size_t elements)
{
    const size_t line = CG_LINE / sizeof(float);
    return (elements + line - 1) / line * line;
}

size_t cg_dim_of(cg_dim dim, const cg_config *c)
{
    switch (dim) {
    case CG_DIM_END: return 0;
    case CG_DIM_T: return c->context;
    case CG_DIM_V: return c->vocab;
    case CG_DIM_H: return c->heads;
    case CG_DIM_G: return c->kv_heads;
    case CG_DIM_half: return c->head_dim / 2;
    case CG_DIM_aD: return cg_aligned(c->hidden);
    case CG_DIM_aH: return cg_aligned(c->head_dim);
    case CG_DIM_aC: return cg_aligned(c->context);
    case CG_DIM_aI: return cg_aligned(c->intermediate);
    case CG_DIM_aI2: return 2 * cg_aligned(c->intermediate);
    }
    return 0;
}
