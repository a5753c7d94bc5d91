/* SPDX-License-Identifier: MIT */
/* The ops, from kernels.def. An op without a family or a reference does not link. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

#define CK_KERNEL(fam, op, dt, isa)
#define CK_OP(fam, op, dt)                  \
    extern const hn_family hn_family_##fam; \
    ref_fn ref_##op##_##dt;
#include "kernels.def"
#undef CK_OP

extern const hn_family hn_family_runtime;

#define CK_OP(fam, op, dt) { #op "_" #dt, &hn_family_##fam, ref_##op##_##dt, #dt },
const hn_op hn_ops[] = {
#include "kernels.def"
    { "runtime", &hn_family_runtime, NULL, "f32" },
};
#undef CK_OP
#undef CK_KERNEL

enum { ALL = sizeof hn_ops / sizeof hn_ops[0] };
const size_t hn_op_count = ALL - 1;
const hn_op *const hn_op_runtime = &hn_ops[ALL - 1];

const hn_op *hn_op_find(const char *stem)
{
    for (size_t i = 0; i < ALL; i++)
        if (strcmp(hn_ops[i].stem, stem) == 0) return &hn_ops[i];
    return NULL;
}

/* The format whose name `types` begins with; no name is the beginning of another and a '_'. */
static hn_dtype first_type(const char *types, size_t *length)
{
    for (size_t t = 0; t < HN_DTYPE_COUNT; t++) {
        *length = strlen(hn_dtypes[t].name);
        if (strncmp(types, hn_dtypes[t].name, *length) == 0 &&
            (types[*length] == '_' || types[*length] == '\0'))
            return (hn_dtype)t;
    }
    abort();
}

static hn_dtype find_dtype(const hn_op *op, size_t i)
{
    const hn_dtype dtype = op->family->operands[i].dtype;
    const char *types = op->types;
    size_t length;
    if (dtype < HN_TYPE_0) return dtype;
    hn_dtype found = first_type(types, &length);
    for (int t = HN_TYPE_0; t < (int)dtype && types[length] == '_'; t++) {
        types += length + 1;
        found = first_type(types, &length);
    }
    return found;
}

/* Read from the names once: every case asks several times. */
static struct {
    hn_dtype dtype[HN_MAX_OPERANDS];
    int64_t block; /* elements of the largest block: block sizes are powers of two */
} formats[ALL];

__attribute__((constructor)) static void find_formats(void)
{
    for (size_t o = 0; o < ALL; o++) {
        formats[o].block = 1;
        for (size_t i = 0; i < hn_ops[o].family->noperands; i++) {
            formats[o].dtype[i] = find_dtype(&hn_ops[o], i);
            const int64_t elements = (int64_t)hn_dtypes[formats[o].dtype[i]].elements;
            if (elements > formats[o].block) formats[o].block = elements;
        }
    }
}

hn_dtype hn_operand_dtype(const hn_op *op, size_t i) { return formats[op - hn_ops].dtype[i]; }

int64_t hn_key_unit(const hn_op *op, size_t i)
{
    const int64_t multiple = op->family->keys[i].multiple;
    if (multiple == HN_BLOCKS) return formats[op - hn_ops].block;
    return multiple > 1 ? multiple : 1;
}

int64_t hn_key_least(const hn_op *op, size_t i)
{
    const int64_t least = op->family->keys[i].least, unit = hn_key_unit(op, i);
    return (least + unit - 1) / unit * unit;
}

size_t hn_last_dim(const hn_op *op)
{
    size_t last = 0;
    for (size_t i = 0; i < op->family->nkeys; i++)
        if (op->family->keys[i].kind == HN_DIM) last = i;
    return last;
}

unsigned hn_op_fills(const hn_op *op)
{
    bool blocks = false;
    for (size_t k = 0; k < op->family->noperands; k++)
        blocks |= hn_dtypes[hn_operand_dtype(op, k)].elements > 2;
    return blocks ? op->family->fills & ~op->family->element_fills : op->family->fills;
}
