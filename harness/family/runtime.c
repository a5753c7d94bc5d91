/* SPDX-License-Identifier: MIT */
/* Family runtime: a decoder of these dimensions, generated, compiled and called. */
#include <stdio.h>
#include <string.h>

#include "../family.h"
#include "../runtime/runtime.h"

/* More bytes of an arena than this are no case: it is held several times. */
enum { BYTES_MOST = 1 << 30 };

/* Where the scaling of frequencies begins to be drawn. */
static const double drawn_theta = 10000, drawn_factor = 8;

static const hn_key keys[HN_RT_KEYS] = {
    [HN_RT_L] = { "L", HN_DIM, 1, 64, 1, 0, 3 },
    [HN_RT_D] = { "D", HN_DIM, 1, 4096, 1, 0, 48 },
    [HN_RT_I] = { "I", HN_DIM, 1, 16384, 1, 0, 48 },
    [HN_RT_H] = { "H", HN_DIM, 1, 128, 1, 0, 6 },
    [HN_RT_G] = { "G", HN_DIM, 1, 128, 1, 0, 3 },
    [HN_RT_HD] = { "hd", HN_DIM, 1, 512, 1, 0, 20 },
    [HN_RT_V] = { "V", HN_DIM, 1, 1 << 16, 1, 0, 50 },
    [HN_RT_T] = { "T", HN_DIM, 1, 2048, 1, 0, 20 },
    [HN_RT_THETA] = { "theta", HN_REAL, 0, 1000000000, 0, 0, 0 },
    [HN_RT_FACTOR] = { "factor", HN_REAL, 0, 1000000, 0, 0, 0 },
    [HN_RT_LOW] = { "low", HN_REAL, 0, 1000000, 0, 0, 0 },
    [HN_RT_HIGH] = { "high", HN_REAL, 0, 1000000, 0, 0, 0 },
    [HN_RT_ORIGINAL] = { "original", HN_INT, 0, 1 << 24, 1, 0, 0 },
    [HN_RT_EPS] = { "eps", HN_REAL, 0, 1, 0, 1e-5f, 0 },
    [HN_RT_BIAS] = { "bias", HN_INT, 0, 7, 1, 0, 7 },
    [HN_RT_TIED] = { "tied", HN_INT, 0, 1, 1, 0, 1 },
    [HN_RT_QKNORM] = { "qknorm", HN_INT, 0, 1, 1, 0, 1 },
    [HN_RT_GUARD] = { "guard", HN_INT, 0, 1, 1, 0, 1 },
    [HN_RT_W] = { "w", HN_WORD, HN_RT_F32, HN_RT_WORDS - 1, 1, HN_RT_F32, 0 },
    [HN_RT_TOKEN_EMB] = { "token_emb", HN_WORD, HN_RT_ALL, HN_RT_WORDS - 1, 1, HN_RT_ALL, 0 },
    [HN_RT_LM_HEAD] = { "lm_head_weight", HN_WORD, HN_RT_ALL, HN_RT_WORDS - 1, 1, HN_RT_ALL, 0 },
    [HN_RT_WQ] = { "wq", HN_WORD, HN_RT_ALL, HN_RT_WORDS - 1, 1, HN_RT_ALL, 0 },
    [HN_RT_WK] = { "wk", HN_WORD, HN_RT_ALL, HN_RT_WORDS - 1, 1, HN_RT_ALL, 0 },
    [HN_RT_WV] = { "wv", HN_WORD, HN_RT_ALL, HN_RT_WORDS - 1, 1, HN_RT_ALL, 0 },
    [HN_RT_WO] = { "wo", HN_WORD, HN_RT_ALL, HN_RT_WORDS - 1, 1, HN_RT_ALL, 0 },
    [HN_RT_W1] = { "w1", HN_WORD, HN_RT_ALL, HN_RT_WORDS - 1, 1, HN_RT_ALL, 0 },
    [HN_RT_W2] = { "w2", HN_WORD, HN_RT_ALL, HN_RT_WORDS - 1, 1, HN_RT_ALL, 0 },
    [HN_RT_KV] = { "kv", HN_WORD, HN_RT_F32, HN_RT_F16, 1, HN_RT_F32, 0 },
    [HN_RT_FUSE] = { "fuse", HN_INT, 0, 3, 1, 0, 3 },
    [HN_RT_CALLS] = { "calls", HN_TEXT, 0, 0, 1, 0, 0 },
};

static void extents(const hn_case *c, hn_extent *e)
{
    (void)c;
    (void)e;
}

static size_t terms(const hn_case *c)
{
    (void)c;
    return 0;
}

static const char *refuse(const hn_case *c)
{
    static char error[256];
    hn_rt_call calls[HN_RT_CALLS_MAX];
    const char *const why = hn_rt_refuses(c);
    if (c->fp != HN_FP_NEAREST) return "fp=: a runtime is called under the default environment";
    if (c->real[HN_RT_FACTOR] == 0 &&
        (c->real[HN_RT_LOW] != 0 || c->real[HN_RT_HIGH] != 0 || c->num[HN_RT_ORIGINAL] != 0))
        return "low=, high= and original= mean nothing without factor=";
    if (why) return why;
    if (hn_rt_bytes(c) > BYTES_MOST)
        return snprintf(error, sizeof error, "the arena has %zu bytes, at most %d", hn_rt_bytes(c),
                        BYTES_MOST),
               error;
    return hn_rt_calls(c, calls, error, sizeof error) ? NULL : error;
}

/* --- drawing */

/* One time in eight the least, else up to what is drawn. */
static int64_t dimension(hn_rng *rng, int key)
{
    const int64_t pick = hn_range(rng, keys[key].least, keys[key].draw_most);
    return hn_below(rng, 8) ? pick : keys[key].least;
}

/* Passes, decoding and resets within the context, now and then an error between them. */
static void draw_calls(hn_case *c, hn_rng *rng)
{
    static const char *const errors[] = { "xt", "xf", "xn", "xr" };
    const int64_t context = c->num[HN_RT_T], words = hn_range(rng, 1, 6);
    int64_t position = 0;
    size_t used = 0;
    for (int64_t i = 0; i < words; i++) {
        const int64_t left = context - position, most = left < 5 ? left : 5;
        const uint64_t kind = hn_below(rng, 8);
        const char *const comma = i ? "," : "";
        char *const to = c->text + used;
        const size_t room = sizeof c->text - used;
        if (kind == 0) {
            const char *const error = errors[left ? hn_below(rng, 4) : 1 + hn_below(rng, 2)];
            used += (size_t)snprintf(to, room, "%s%s", comma, error);
        } else if (left == 0 || (kind == 1 && position > 0)) {
            used += (size_t)snprintf(to, room, "%sr", comma);
            position = 0;
        } else {
            const int64_t n = hn_range(rng, 1, kind == 2 ? left : most);
            used += (size_t)snprintf(to, room, "%s%c%d", comma, kind < 5 ? 'p' : 'd', (int)n);
            position += n;
        }
    }
}

/* As many positions as the calls want. */
static void make_room(hn_case *c)
{
    char error[128];
    hn_rt_call calls[HN_RT_CALLS_MAX];
    while (c->num[HN_RT_T] < keys[HN_RT_T].most && hn_rt_calls(c, calls, error, sizeof error) == 0)
        c->num[HN_RT_T]++;
}

/* --- formats of weights */

/* Elements of a block of the format that a key asks for. */
static int64_t block_of(const hn_case *c, int key)
{
    return c->num[key] == HN_RT_ALL ? 1 : (int64_t)hn_rt_formats[c->num[key] - HN_RT_F32].elements;
}

static bool is_given(hn_fixed fixed, int key) { return fixed >> key & 1; }

/* A width whose row with pad lanes is whole blocks of at least `block` elements. */
static int64_t draw_width(hn_rng *rng, int64_t block)
{
    static const int64_t widths[] = { 32, 32, 32, 32, 64, 64, 96, 256 };
    const int64_t width = block > 32 ? 256 : widths[hn_below(rng, 8)], pads = hn_range(rng, 0, 15);
    return width - (hn_below(rng, 4) ? pads : 0);
}

/* Heads that fill whole blocks side by side: of 256 or 32 elements. */
static void draw_heads(hn_case *c, hn_rng *rng, int64_t block, hn_fixed fixed)
{
    const bool large = block > 32 || hn_below(rng, 4) == 0;
    const int64_t pads = hn_below(rng, 2) ? 2 * hn_range(rng, 0, 7) : 0;
    const int64_t heads = large ? 4 << hn_below(rng, 3) : c->num[HN_RT_H];
    const int64_t groups = large ? heads >> hn_below(rng, 3) : c->num[HN_RT_G];
    if (is_given(fixed, HN_RT_H) || is_given(fixed, HN_RT_G) || is_given(fixed, HN_RT_HD)) return;
    c->num[HN_RT_HD] = (large ? 256 / heads : 32) - pads;
    c->num[HN_RT_H] = heads;
    c->num[HN_RT_G] = groups;
}

static int64_t greatest_block(const hn_case *c, int from, int to)
{
    int64_t most = 1;
    for (int i = from; i <= to; i++)
        if (block_of(c, i) > most) most = block_of(c, i);
    return most;
}

/* Rows are whole blocks of what is asked for by name, and often of other formats. */
static void draw_widths(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    const int64_t heads = block_of(c, HN_RT_WO);
    const int64_t across = greatest_block(c, HN_RT_TOKEN_EMB, HN_RT_WV);
    const int64_t wide =
        draw_width(rng, across > block_of(c, HN_RT_W1) ? across : block_of(c, HN_RT_W1));
    const int64_t mlp = draw_width(rng, block_of(c, HN_RT_W2));
    if (!is_given(fixed, HN_RT_D)) c->num[HN_RT_D] = wide;
    if (!is_given(fixed, HN_RT_I)) c->num[HN_RT_I] = mlp;
    if (heads > 1 || hn_below(rng, 2)) draw_heads(c, rng, heads, fixed);
    if (c->num[HN_RT_LM_HEAD] != HN_RT_ALL && !is_given(fixed, HN_RT_TIED)) c->num[HN_RT_TIED] = 0;
    /* these are some hundred times as much work as the usual ones */
    if (!is_given(fixed, HN_RT_L) && c->num[HN_RT_L] > 2) c->num[HN_RT_L] = 2;
    if (!is_given(fixed, HN_RT_T) && c->num[HN_RT_T] > 5) c->num[HN_RT_T] = 5;
    if (!is_given(fixed, HN_RT_V) && c->num[HN_RT_V] > 20) c->num[HN_RT_V] = 20;
}

static bool any_format(const hn_case *c)
{
    bool any = c->num[HN_RT_W] != HN_RT_F32;
    for (int i = HN_RT_TOKEN_EMB; i <= HN_RT_W2; i++) any |= c->num[i] != HN_RT_ALL;
    return any;
}

/* Formats of some matrices where they fit, and one of all. */
static void draw_formats(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    const int64_t all = hn_range(rng, HN_RT_F32, HN_RT_WORDS - 1);
    if (!is_given(fixed, HN_RT_W)) c->num[HN_RT_W] = all;
    for (int i = HN_RT_TOKEN_EMB; i <= HN_RT_W2; i++) {
        const bool own = hn_below(rng, 4) == 0;
        hn_case with = *c;
        with.num[i] = hn_range(rng, HN_RT_F32, HN_RT_WORDS - 1);
        if (own && !is_given(fixed, i) && !hn_rt_refuses(&with)) *c = with;
    }
}

/* Heads are a multiple of those of keys, and those of RoPE have pairs: the free ones follow. */
static void settle_heads(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    const int64_t ratio = hn_range(rng, 1, 3);
    if (!(fixed >> HN_RT_H & 1))
        c->num[HN_RT_H] = c->num[HN_RT_G] * ratio;
    else if (!(fixed >> HN_RT_G & 1))
        while (c->num[HN_RT_H] % c->num[HN_RT_G] != 0) c->num[HN_RT_G]--;
    if (c->real[HN_RT_THETA] > 0 && c->num[HN_RT_HD] % 2 != 0 && !(fixed >> HN_RT_HD & 1))
        c->num[HN_RT_HD]++;
    if (c->num[HN_RT_HD] % 2 != 0 && !(fixed >> HN_RT_THETA & 1)) c->real[HN_RT_THETA] = 0;
}

static void draw_scaling(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    const bool scales = hn_below(rng, 3) == 0;
    if (fixed >> HN_RT_FACTOR & 1 || !scales || c->real[HN_RT_THETA] == 0) return;
    c->real[HN_RT_FACTOR] = drawn_factor;
    c->real[HN_RT_LOW] = 1;
    c->real[HN_RT_HIGH] = 4;
    c->num[HN_RT_ORIGINAL] = hn_range(rng, 1, 64);
}

/* Half of them as generated by default; a gate is fused in f32 alone. From a stream of its own: cases of before
 * are what they were. */
static void draw_fusion(hn_case *c, hn_fixed fixed)
{
    hn_rng rng = hn_stream(c->seed, 0x66757365, 0);
    const int64_t pick = (int64_t)hn_below(&rng, 6) - 2, drawn = pick > 0 ? pick : 0;
    if (!is_given(fixed, HN_RT_FUSE)) c->num[HN_RT_FUSE] = any_format(c) ? drawn & 2 : drawn;
}

/* A third of them have a cache of 16 bits. Likewise. */
static void draw_cache(hn_case *c, hn_fixed fixed)
{
    hn_rng rng = hn_stream(c->seed, 0x6b76, 0);
    const int64_t pick = (int64_t)hn_below(&rng, 6);
    if (!is_given(fixed, HN_RT_KV)) c->num[HN_RT_KV] = pick < 2 ? HN_RT_BF16 + pick : HN_RT_F32;
}

static void draw(hn_case *c, hn_rng *rng, hn_fixed fixed)
{
    for (int i = HN_RT_L; i <= HN_RT_T; i++) {
        const int64_t pick = dimension(rng, i);
        if (!(fixed >> i & 1)) c->num[i] = pick;
    }
    for (int i = HN_RT_BIAS; i <= HN_RT_GUARD; i++) {
        const int64_t pick = hn_range(rng, 0, keys[i].most);
        if (!(fixed >> i & 1)) c->num[i] = pick;
    }
    const double theta = hn_below(rng, 4) ? drawn_theta : 0;
    if (!(fixed >> HN_RT_THETA & 1)) c->real[HN_RT_THETA] = theta;
    settle_heads(c, rng, fixed);
    draw_scaling(c, rng, fixed);
    hn_rng formats = hn_stream(c->seed, 0x666f726d, 0);
    const bool drawn = hn_below(&formats, 2);
    const bool fused = is_given(fixed, HN_RT_FUSE) && c->num[HN_RT_FUSE] & 1; /* of f32 alone */
    if (any_format(c) || (drawn && !fused && !is_given(fixed, HN_RT_W))) {
        draw_widths(c, &formats, fixed);
        draw_formats(c, &formats, fixed);
    }
    draw_fusion(c, fixed);
    draw_cache(c, fixed);
    if (!(fixed >> HN_RT_CALLS & 1))
        draw_calls(c, rng);
    else if (!(fixed >> HN_RT_T & 1))
        make_room(c);
}

const hn_family hn_family_runtime = {
    .name = "runtime",
    .keys = keys,
    .nkeys = HN_RT_KEYS,
    .words = hn_rt_words,
    .batch_key = -1,
    .fills = 1u << HN_FILL_UNIT,
    .flags = HN_DIVIDED,
    .extents = extents,
    .terms = terms,
    .refuse = refuse,
    .draw = draw,
    .run = hn_rt_run,
};
