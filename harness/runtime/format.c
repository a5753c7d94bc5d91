/* SPDX-License-Identifier: MIT */
/* The formats of weights and caches of runtimes. */
#include "format.h"

#include <string.h>

ref_fn ref_gemm_nt_f32, ref_embedding_f32;
ref_fn ref_kv_write_f32, ref_kv_write_bf16, ref_kv_write_f16;
ref_fn ref_attention_f32, ref_attention_bf16, ref_attention_f16;

#define FORMAT(name_, NAME, elements_, bytes_)                                       \
    .name = #name_, .code = CK_DTYPE_##NAME, .elements = elements_, .bytes = bytes_, \
    .parts = HN_##NAME
#define BLOCKS(name, NAME, elements, bytes)                                             \
    FORMAT(name, NAME, elements, bytes),                                                \
        .product = "gemm_nt_" #name "_f32", .embedding = "embedding_" #name,            \
        .ref_product = ref_gemm_nt_##name##_f32, .ref_embedding = ref_embedding_##name, \
        .quantize = ref_quantize_row_##name, .decode = ref_decode_##name
#define CACHE(name)                                                                                \
    .write = "kv_write_" #name, .attention = "attention_" #name, .ref_write = ref_kv_write_##name, \
    .ref_attention = ref_attention_##name
#define DECLARE(name) \
    ref_fn ref_gemm_nt_##name##_f32, ref_embedding_##name, ref_quantize_row_##name;
DECLARE(bf16)
DECLARE(f16)
DECLARE(q4_0)
DECLARE(q4_1)
DECLARE(q5_0)
DECLARE(q5_1)
DECLARE(q8_0)
DECLARE(q4_k)
DECLARE(q5_k)
DECLARE(q6_k)
const hn_rt_format hn_rt_formats[HN_RT_FORMATS] = {
    { FORMAT(f32, F32, 1, 4), .product = "gemm_nt_f32", .embedding = "embedding_f32",
      .ref_product = ref_gemm_nt_f32, .ref_embedding = ref_embedding_f32, CACHE(f32) },
    { BLOCKS(bf16, BF16, 1, 2), CACHE(bf16) },
    { BLOCKS(f16, F16, 1, 2), CACHE(f16) },
    { BLOCKS(q4_0, Q4_0, 32, 18) },
    { BLOCKS(q4_1, Q4_1, 32, 20) },
    { BLOCKS(q5_0, Q5_0, 32, 22) },
    { BLOCKS(q5_1, Q5_1, 32, 24) },
    { BLOCKS(q8_0, Q8_0, 32, 34) },
    { BLOCKS(q4_k, Q4_K, 256, 144) },
    { BLOCKS(q5_k, Q5_K, 256, 176) },
    { BLOCKS(q6_k, Q6_K, 256, 210) },
};
#undef DECLARE
#undef CACHE
#undef BLOCKS
#undef FORMAT

static const hn_rt_format *named(const char *name)
{
    size_t i = 0;
    while (strcmp(hn_rt_formats[i].name, name) != 0) i++;
    return &hn_rt_formats[i];
}

const hn_rt_format *hn_rt_format_fit(const hn_rt_format *asked, size_t n)
{
    if (n % asked->elements == 0) return asked;
    if (n % 32 != 0) return &hn_rt_formats[0];
    return named(strcmp(asked->name, "q4_k") == 0 ? "q5_0" : "q8_0");
}

size_t hn_rt_row_bytes(const hn_rt_format *f, size_t n) { return n / f->elements * f->bytes; }

/* Blocks are made of the components that the reference gives for them; there is one right result, which
 * strict kernels have. */
static void encode_block(const hn_rt_format *f, const float *x, unsigned char *block)
{
    static const ck_numspec exact = { .accs = 1 };
    const hn_dtype_info *const info = &hn_dtypes[f->parts];
    const ref_spec spec = { .num = &exact, .strict = 1, .u = 0x1p-24 };
    const ref_quantize_args args = { x };
    double v[HN_PARTS_MAX], e[HN_PARTS_MAX], term[HN_PARTS_MAX];
    uint32_t parts[HN_PARTS_MAX];
    ref_out out = { .n = info->parts, .v = v, .e = e, .term = term };
    f->quantize(&args, &(ref_tile){ 0, 1, 0, 1 }, &spec, 1, &out);
    for (size_t i = 0; i < info->parts; i++) parts[i] = (uint32_t)(int64_t)v[i];
    hn_pack(info, parts, block);
}

void hn_rt_encode(const hn_rt_format *f, const float *x, size_t n, unsigned char *blocks)
{
    if (!f->quantize) memcpy(blocks, x, n * sizeof *x);
    for (size_t i = 0; f->quantize && i < n / f->elements; i++)
        encode_block(f, x + i * f->elements, blocks + i * f->bytes);
}

void hn_rt_decode(const hn_rt_format *f, const unsigned char *blocks, size_t n, float *x)
{
    if (!f->decode) memcpy(x, blocks, n * sizeof *x);
    for (size_t i = 0; f->decode && i < n; i++) {
        const ref_element w = f->decode(blocks + i / f->elements * f->bytes, i % f->elements);
        x[i] = (float)(w.product + w.minimum);
    }
}
