/* SPDX-License-Identifier: MIT */
/* A decoder at work: weights, prefill, decode with its cache of keys and values.
 * One model per handle, any number of them; a handle is for one thread at a time. */
#ifndef CK_MODEL_H
#define CK_MODEL_H

#include "ck.h"
#include "ck_program.h"

typedef struct ck_model ck_model;

/* What every call returns; ck_model_error says more in one line. */
typedef enum ck_model_status {
    CK_MODEL_OK = 0,
    CK_MODEL_ARGUMENT = -1, /* NULL, a count of 0, a program of another version */
    CK_MODEL_MEMORY = -2,
    CK_MODEL_FILE = -3,    /* cannot be read or written, or is no file of this model's weights */
    CK_MODEL_WEIGHTS = -4, /* there are none yet */
    CK_MODEL_TOKEN = -5,   /* not of the vocabulary */
    CK_MODEL_FULL = -6,    /* more positions than the context has */
    CK_MODEL_ROOM = -7,    /* the caller's buffer is too small */
    CK_MODEL_KERNEL = -8,  /* a kernel refused its arguments */
    CK_MODEL_TRAINING = -9 /* the program is not built with training */
} ck_model_status;

/* A model without weights. The program must outlive it. On error *m is NULL. */
CK_API int ck_model_open(ck_model **m, const ck_program *program);
CK_API void ck_model_close(ck_model *m); /* also of NULL */

/* What was wrong with the last call that failed; "" if none did. */
CK_API const char *ck_model_error(const ck_model *m);
CK_API const ck_program *ck_model_program(const ck_model *m);

/* Weights from a file of any kind that docs/codegen.md describes. All or nothing: after an error the
 * model is as before. Starts at position 0. */
CK_API int ck_model_load(ck_model *m, const char *path);
/* The file appears when it is whole. Of the kinds, the named one holds every model. */
typedef enum ck_weights_kind { CK_WEIGHTS_NAMED, CK_WEIGHTS_BUMP3 } ck_weights_kind;
CK_API int ck_model_save(ck_model *m, const char *path, ck_weights_kind kind);
/* Weights of a seed: gains within 0.1 of 1, biases and positions within 0.02, matrices uniform within
 * sqrt(3 / used row length), then put into their formats as docs/formats.md says. The same on every
 * machine. Starts at position 0. After an error there are no weights. */
CK_API int ck_model_randomise(ck_model *m, uint64_t seed);

/* Runs n more tokens behind those that there are. logits: [n][vocab], or NULL: not wanted; room: its
 * floats. On error no position is taken. */
CK_API int ck_model_prefill(ck_model *m, const int32_t *tokens, size_t n, float *logits,
                            size_t room);
/* The same of one token; logits [vocab]. */
CK_API int ck_model_decode(ck_model *m, int32_t token, float *logits, size_t room);
/* Back to position 0. */
CK_API int ck_model_reset(ck_model *m);
CK_API size_t ck_model_position(const ck_model *m); /* how many tokens there are */

/* Training. No program is built with it yet: these calls answer CK_MODEL_TRAINING, look at nothing but
 * the model, write nothing and change nothing; ck_model_error says whether the weights could be trained
 * at all, which takes f32. There is no learning rate: 0. */
CK_API int ck_model_enable_training(ck_model *m, float rate);
CK_API int ck_model_disable_training(ck_model *m);
CK_API int ck_model_training(const ck_model *m); /* whether it is enabled: 0 */
CK_API int ck_model_set_learning_rate(ck_model *m, float rate);
CK_API float ck_model_learning_rate(const ck_model *m);
/* The loss of n tokens and their targets, and all gradients. */
CK_API int ck_model_backward(ck_model *m, const int32_t *tokens, const int32_t *targets, size_t n,
                             float *loss);
CK_API int ck_model_zero_gradients(ck_model *m);
CK_API int ck_model_optimizer_step(ck_model *m);

/* Is called before (after = 0) and after (1) each step of each pass; NULL: nobody is. Every buffer is
 * at ck_model_arena + offset + layer * stride of the program's table. In the steps behind the layers,
 * `layer` is the last one. */
typedef void ck_tap(void *context, const ck_model *m, const ck_step *step, const ck_run *run,
                    size_t layer, int after);
CK_API void ck_model_set_tap(ck_model *m, ck_tap *tap, void *context);
CK_API unsigned char *ck_model_arena(const ck_model *m);

#endif
