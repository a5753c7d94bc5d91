/* SPDX-License-Identifier: MIT */
/* Strict-parity mode: the switch, and the floating-point mode that strict kernels run in. */
#include <stdatomic.h>
#include <xmmintrin.h>

#include "ck.h"
#include "strict.h"

/* Nearest, no FTZ, no DAZ, exceptions masked, flags clear: the value after reset. */
enum { MXCSR_STRICT = 0x1f80 };

static atomic_int strict;

void ck_set_strict_parity(int on) { atomic_store_explicit(&strict, on != 0, memory_order_relaxed); }

int ck_strict_parity(void) { return atomic_load_explicit(&strict, memory_order_relaxed); }

void ck_strict_run(ck_fn *body, const void *args)
{
    const unsigned caller = _mm_getcsr();

    _mm_setcsr(MXCSR_STRICT);
    body(args);
    _mm_setcsr(caller);
}
