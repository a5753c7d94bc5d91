/* SPDX-License-Identifier: MIT */
/* `ckparity trace`: what each step of a runtime did, and where two runtimes part. */
#ifndef HN_RUNTIME_TRACE_H
#define HN_RUNTIME_TRACE_H

typedef struct hn_rt_trace {
    const char *line;    /* the case */
    const char *diff;    /* "isa=X" or "mode=X" of the runtime to compare with; NULL: none */
    const char *with;    /* "op=isa": the op is taken from that variant; NULL: none */
    const char *libs[2]; /* two builds of libck to compare; NULL: none */
} hn_rt_trace;

/* Returns an exit code. 0: every step is within its ball, or the two have the same bits; 1: not; 2: bad
 * input; 77: cannot run here. */
int hn_rt_tool_trace(const hn_rt_trace *o);

#endif
