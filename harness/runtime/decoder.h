/* SPDX-License-Identifier: MIT */
/* A case of family runtime, read: the decoder, the calls that are made of it, where everything lies in
 * its arena and which steps a pass has. All of it follows from the case by this text and ref/layout.c,
 * and nothing of it from the generator's tables, which are under test. */
#ifndef HN_RUNTIME_DECODER_H
#define HN_RUNTIME_DECODER_H

#include "../family.h"
#include "format.h"
#include "ref_layout.h"

/* The keys of the family, in their order. */
enum {
    HN_RT_L,      /* layers */
    HN_RT_D,      /* embedding */
    HN_RT_I,      /* MLP */
    HN_RT_H,      /* heads of q */
    HN_RT_G,      /* heads of k and v */
    HN_RT_HD,     /* elements of a head */
    HN_RT_V,      /* vocabulary */
    HN_RT_T,      /* positions */
    HN_RT_THETA,  /* 0: learned positions */
    HN_RT_FACTOR, /* of llama3's scaling, 0: none */
    HN_RT_LOW,
    HN_RT_HIGH,
    HN_RT_ORIGINAL,
    HN_RT_EPS,
    HN_RT_BIAS, /* sum of 1: of q k v, 2: of attention's output, 4: of the MLP */
    HN_RT_TIED,
    HN_RT_QKNORM,
    HN_RT_GUARD,     /* free lines of 64 bytes around each buffer */
    HN_RT_W,         /* format of all matrices, as far as it fits: a word below */
    HN_RT_TOKEN_EMB, /* of one matrix, in all layers */
    HN_RT_LM_HEAD,
    HN_RT_WQ,
    HN_RT_WK,
    HN_RT_WV,
    HN_RT_WO,
    HN_RT_W1,
    HN_RT_W2,
    HN_RT_KV,   /* of the cache of keys and values */
    HN_RT_FUSE, /* sum of 1: the MLP's product with its gate, 2: products with residual sums */
    HN_RT_CALLS,
    HN_RT_KEYS
};

/* The words of the keys of formats: HN_RT_ALL, that of w; then hn_rt_formats. */
enum { HN_RT_ALL, HN_RT_F32, HN_RT_BF16, HN_RT_F16, HN_RT_WORDS = 1 + HN_RT_FORMATS };
extern const char *const hn_rt_words[HN_RT_WORDS];

/* The matrices, by the keys of their formats from HN_RT_TOKEN_EMB on, and by name. */
enum { HN_RT_MATRICES = HN_RT_W2 - HN_RT_W };
extern const char *const hn_rt_matrices[HN_RT_MATRICES];

/* One call of a runtime; its word in `calls`. */
typedef enum hn_rt_kind {
    HN_RT_PREFILL,   /* pN */
    HN_RT_DECODE,    /* dN: N calls */
    HN_RT_RESET,     /* r */
    HN_RT_BAD_TOKEN, /* xt: a token that is not of the vocabulary */
    HN_RT_BEYOND,    /* xf: one token more than there is room for */
    HN_RT_NOTHING,   /* xn: no tokens */
    HN_RT_NO_ROOM    /* xr: too few floats for the logits */
} hn_rt_kind;
typedef struct hn_rt_call {
    hn_rt_kind kind;
    size_t n;
} hn_rt_call;
enum { HN_RT_CALLS_MAX = 64 };
/* The calls of a case; none told: one prefill of all positions. Returns their number, or 0 with one
 * line in `error`. */
size_t hn_rt_calls(const hn_case *c, hn_rt_call *calls, char *error, size_t size);

/* Which elements of a buffer are in use: element (row, col) of rows of `width` floats if row %
 * row_period < row_used, and col likewise. The others are pad lanes. */
typedef struct hn_rt_shape {
    size_t width, row_period, row_used, col_period, col_used;
} hn_rt_shape;

typedef enum hn_rt_role {
    HN_RT_ACTIVATION,
    HN_RT_TABLE,
    HN_RT_MATRIX,
    HN_RT_GAIN,
    HN_RT_VECTOR
} hn_rt_role;

enum { HN_RT_NAME_MAX = 24 };
#define HN_RT_ABSENT SIZE_MAX
typedef struct hn_rt_buffer {
    char name[HN_RT_NAME_MAX];
    size_t layer; /* HN_RT_ABSENT: a global one */
    size_t offset, bytes;
    hn_rt_role role;
    hn_rt_shape shape;          /* of weights and tables */
    const hn_rt_format *format; /* of matrices and of the cache; f32 of all others */
} hn_rt_buffer;

typedef enum hn_rt_step {
    HN_RT_EMBED,
    HN_RT_NORM,
    HN_RT_PROJECT,
    HN_RT_HEAD_NORM,
    HN_RT_TURN,
    HN_RT_CACHE, /* into the cache */
    HN_RT_ATTEND,
    HN_RT_LINEAR,
    HN_RT_ADD,
    HN_RT_SWIGLU,
    HN_RT_GATED, /* product and gate */
    HN_RT_ADDED  /* product and sum */
} hn_rt_step;

/* A step of a pass. Its output is `pieces` matrices, `piece` elements apart, of the rows of the pass:
 * `used` columns of `width`, which are `ld` elements apart from row to row; row t of a pass that begins at
 * position p is row p + t. Where there is `also`, the second half of the pieces are there. Offsets are bytes of
 * the arena, HN_RT_ABSENT where there is nothing. */
typedef struct hn_rt_stage {
    const char *name;
    hn_rt_step step;
    const char *stem;           /* of the op that does it */
    const hn_rt_format *format; /* of the weights of a product or of the table of tokens */
    const hn_rt_format *stored; /* of its output: f32, or the cache's */
    size_t layer;
    size_t y, also, rstd, in[4];
    size_t pieces, piece, used, width, ld;
    size_t k, ldx; /* terms of a product and the width of its left operand */
} hn_rt_stage;

typedef struct hn_rt_decoder {
    ref_decoder d;
    float eps, theta, factor, low, high;
    size_t original, guard;
    const hn_rt_format *all, *of[HN_RT_MATRICES]; /* as asked for; NULL: as all */
    const hn_rt_format *cache;
    bool fused_mlp, fused_residual;
    size_t aD, aH, aI; /* widths */
    size_t total;      /* bytes of the arena */
    size_t nbuffers, nstages;
    hn_rt_buffer *buffers;
    hn_rt_stage *stages; /* of one pass, in their order */
} hn_rt_decoder;

/* Both end the program if there is no memory. */
hn_rt_decoder *hn_rt_decoder_new(const hn_case *c);
void hn_rt_decoder_free(hn_rt_decoder *d);
/* Bytes of the arena of a case. */
size_t hn_rt_bytes(const hn_case *c);

/* Where element (row, col) of a piece of a step's output lies in the arena. */
size_t hn_rt_place(const hn_rt_stage *s, size_t piece, size_t row, size_t col);

/* NULL: no such buffer. layer HN_RT_ABSENT: a global one. */
const hn_rt_buffer *hn_rt_find(const hn_rt_decoder *d, const char *name, size_t layer);
/* The buffer of which byte `at` of the arena is; NULL: of none. */
const hn_rt_buffer *hn_rt_buffer_at(const hn_rt_decoder *d, size_t at);
/* "wq of layer 1", for messages. */
void hn_rt_buffer_name(const hn_rt_buffer *b, char *text, size_t size);

#endif
