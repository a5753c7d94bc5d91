/* SPDX-License-Identifier: MIT */
/* Storage formats: elements and bytes of one block. Layouts: docs/formats.md. */
#ifndef CK_DTYPE_H
#define CK_DTYPE_H

/* q8_0: 32 elements in 34 bytes, no alignment: d f16 @0, int8 qs[32] @2; y = d * q. */
enum { CK_Q8_0_BLOCK = 32, CK_Q8_0_BYTES = 34 };

#endif
