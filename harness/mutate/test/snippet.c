/* SPDX-License-Identifier: MIT */
/* Text for the mutator; it is never compiled. Not in comments: 1 + 2. */
#include <assert.h>
#define LIMIT (4 * \
               1.5f)
#if 1 + 1
#endif
enum { WIDE = 8 };
static const ck_numspec spec = { .lanes = 2 };
static float f(const float *a, size_t n)
{
    float y[WIDE], sum = 0.0f; // 3 < 4
    assert(n > 0 && a[0] == 1);
    for (size_t i = 0; i < n; i += WIDE) {
        sum += a[i] * "1 + 1"[0];
        if (!n || i == 7) continue;
    }
    _mm256_store_ps(y, _mm256_sub_ps(sum, y));
    g(y,
      n++);
    return n > 1 ? sum : -sum;
}
