/* SPDX-License-Identifier: MIT */
/* Training, which no program is built with. */
#include "model.h"

/* A matrix of the weights that is not in f32, or NULL. */
static const ck_buffer *in_another_format(const ck_program *p)
{
    for (size_t i = 0; i < p->buffer_count; i++)
        if (p->buffers[i].role == CK_MATRIX && p->buffers[i].dtype != CK_DTYPE_F32)
            return &p->buffers[i];
    return NULL;
}

static int refuse(ck_model *m, const char *call)
{
    if (!m) return CK_MODEL_ARGUMENT;
    const ck_buffer *const b = in_another_format(m->program);
    if (b)
        return ck_model_fail(m, CK_MODEL_TRAINING,
                             "%s: not built with training, and %s is not in f32, which that takes",
                             call, b->name);
    return ck_model_fail(m, CK_MODEL_TRAINING, "%s: not built with training", call);
}

int ck_model_enable_training(ck_model *m, float rate)
{
    (void)rate;
    return refuse(m, "enable_training");
}

int ck_model_disable_training(ck_model *m) { return refuse(m, "disable_training"); }

int ck_model_training(const ck_model *m)
{
    (void)m;
    return 0;
}

int ck_model_set_learning_rate(ck_model *m, float rate)
{
    (void)rate;
    return refuse(m, "set_learning_rate");
}

float ck_model_learning_rate(const ck_model *m)
{
    (void)m;
    return 0;
}

int ck_model_backward(ck_model *m, const int32_t *tokens, const int32_t *targets, size_t n,
                      float *loss)
{
    (void)tokens, (void)targets, (void)n, (void)loss;
    return refuse(m, "backward");
}

int ck_model_zero_gradients(ck_model *m) { return refuse(m, "zero_gradients"); }

int ck_model_optimizer_step(ck_model *m) { return refuse(m, "optimizer_step"); }
