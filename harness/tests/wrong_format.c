/* SPDX-License-Identifier: MIT */
/* A harness that expects weights in the format that is asked for, whether rows are whole blocks or not. */
#include "runtime/format.h"

const hn_rt_format *__wrap_hn_rt_format_fit(const hn_rt_format *asked, size_t n);

const hn_rt_format *__wrap_hn_rt_format_fit(const hn_rt_format *asked, size_t n)
{
    (void)n;
    return asked;
}
