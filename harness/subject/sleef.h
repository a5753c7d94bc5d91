/* SPDX-License-Identifier: MIT */
/* Calls of SLEEF's functions of one vector, each width in a file with the flags that its registers
 * need. */
#ifndef HN_SLEEF_H
#define HN_SLEEF_H

#include "unary.h"

/* Any of its functions; cast to vector f(vector). */
typedef void hn_sleef_fn(void);

/* y = f(x), vector by vector; the last one is filled up with zeros. */
void hn_sleef_128(hn_sleef_fn *f, const ck_unary_args *u);
void hn_sleef_256(hn_sleef_fn *f, const ck_unary_args *u);
void hn_sleef_512(hn_sleef_fn *f, const ck_unary_args *u);

#endif
