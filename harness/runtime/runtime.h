/* SPDX-License-Identifier: MIT */
/* Generated runtimes as cases. */
#ifndef HN_RUNTIME_RUNTIME_H
#define HN_RUNTIME_RUNTIME_H

#include "trial.h"

/* The variants: the runtime with dispatch limited to each instruction set, which is what a row of the
 * report is about. None of them is of a library's table. */
const ck_kernel *hn_rt_kernels(size_t *count);

/* Bundles that a variant may dispatch to: its own, and scalar for what has no other. */
unsigned hn_rt_mask(const char *isa);

/* hn_family.run. */
void hn_rt_run(const hn_session *session, hn_result *results);
/* The same with another compiler. */
void hn_rt_run_with(const hn_session *session, const hn_rt_compiler *compiler, hn_result *results);

/* One trial as above, in this process, with dispatch and mode set and set back. */
void hn_rt_try(hn_rt_trial *t, const char *isa, unsigned ticks_most);

#endif
