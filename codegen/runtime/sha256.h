/* SPDX-License-Identifier: MIT */
/* SHA-256. */
#ifndef CK_SHA256_H
#define CK_SHA256_H

#include <stddef.h>

/* The digest of the bytes. Source: FIPS 180-4. */
void ck_sha256(unsigned char digest[32], const unsigned char *bytes, size_t size);

#endif
