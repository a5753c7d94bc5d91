/* SPDX-License-Identifier: MIT */
/* A harness that lets every step write a row more than the pass has. */
#include "runtime/stage.h"

void __real_hn_rt_written(const hn_rt_stage *s, const hn_rt_pass *p, hn_rt_stretch *each,
                          void *context);
void __wrap_hn_rt_written(const hn_rt_stage *s, const hn_rt_pass *p, hn_rt_stretch *each,
                          void *context);

void __wrap_hn_rt_written(const hn_rt_stage *s, const hn_rt_pass *p, hn_rt_stretch *each,
                          void *context)
{
    hn_rt_pass more = *p;
    more.rows++;
    __real_hn_rt_written(s, &more, each, context);
}
