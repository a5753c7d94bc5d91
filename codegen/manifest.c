/* SPDX-License-Identifier: MIT */
/* The sources that an emitted file needs. The table of kernels names all of them, so all are listed. */
#include <string.h>

#include "emit_step.h"
#include "generate.h"

static const char *const sources[] = {
    "codegen/runtime/model.c",
    "codegen/runtime/rope.c",
    "codegen/runtime/codec.c",
    "codegen/runtime/training.c",
    "codegen/runtime/weights.c",
    "codegen/runtime/bump.c",
    "codegen/runtime/named.c",
    "codegen/runtime/sha256.c",
    "codegen/runtime/io.c",
    "codegen/runtime/standalone.c",
    "kernels/table.c",
    "kernels/dispatch.c",
    "kernels/split.c",
    "kernels/threads.c",
    "kernels/alloc.c",
    "kernels/dtype.c",
    "kernels/cpu.c",
    "kernels/strict.c",
};

static const char *const kernels[] = {
#define CK_OP(family, op, dtype)
#define CK_KERNEL(family, op, dtype, isa) "kernels/" #op "/" #op "_" #dtype "_" #isa ".c",
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};

static const char *const entries[] = {
#define CK_OP(family, op, dtype) "ck_" #op "_" #dtype,
#define CK_KERNEL(family, op, dtype, isa)
#include "kernels.def"
#undef CK_OP
#undef CK_KERNEL
};

bool cg_entry_exists(const char *entry)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strcmp(entries[i], entry) == 0) return true;
    return false;
}

void cg_emit_manifest(FILE *out)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) fprintf(out, "%s\n", sources[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) fprintf(out, "%s\n", kernels[i]);
}
