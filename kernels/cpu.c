/* SPDX-License-Identifier: MIT */
/* What this CPU and OS can run, the cap of CK_ISA_MAX, and the mask of dispatch. */
#include <cpuid.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ck.h"
#include "table.h"

enum { XCR0_YMM = 0x06, XCR0_ZMM = 0xe6 };

/* A bundle contains its base and needs these XCR0 bits. The scalar bundle is its own base. */
static const struct bundle {
    const char *name;
    ck_isa base;
    unsigned xcr0;
    const char *no_state;
} bundles[CK_ISA_COUNT] = {
    [CK_ISA_scalar] = { "scalar", CK_ISA_scalar, 0, NULL },
    [CK_ISA_sse41] = { "sse41", CK_ISA_scalar, 0, NULL },
    [CK_ISA_avx2] = { "avx2", CK_ISA_sse41, XCR0_YMM, "OS does not save ymm state" },
    [CK_ISA_avxvnni] = { "avxvnni", CK_ISA_avx2, XCR0_YMM, "OS does not save ymm state" },
    [CK_ISA_avx512] = { "avx512", CK_ISA_avx2, XCR0_ZMM, "OS does not save zmm state" },
    [CK_ISA_avx512vnni] = { "avx512vnni", CK_ISA_avx512, XCR0_ZMM, "OS does not save zmm state" },
    [CK_ISA_avx512bf16] = { "avx512bf16", CK_ISA_avx512, XCR0_ZMM, "OS does not save zmm state" },
};

/* Words of CPUID: leaf 1, leaf 7 subleaf 0, leaf 7 subleaf 1. */
enum { W1_ECX, W7_EBX, W7_ECX, W71_EAX, W_COUNT };

static const struct feature {
    ck_isa isa; /* the first bundle that needs it */
    int word, bit;
    const char *lacks;
} features[] = {
    { CK_ISA_sse41, W1_ECX, 0, "CPU lacks sse3" },
    { CK_ISA_sse41, W1_ECX, 9, "CPU lacks ssse3" },
    { CK_ISA_sse41, W1_ECX, 19, "CPU lacks sse4_1" },
    { CK_ISA_avx2, W1_ECX, 28, "CPU lacks avx" },
    { CK_ISA_avx2, W7_EBX, 5, "CPU lacks avx2" },
    { CK_ISA_avx2, W1_ECX, 12, "CPU lacks fma" },
    { CK_ISA_avx2, W1_ECX, 29, "CPU lacks f16c" },
    { CK_ISA_avxvnni, W71_EAX, 4, "CPU lacks avx_vnni" },
    { CK_ISA_avx512, W7_EBX, 16, "CPU lacks avx512f" },
    { CK_ISA_avx512, W7_EBX, 30, "CPU lacks avx512bw" },
    { CK_ISA_avx512, W7_EBX, 17, "CPU lacks avx512dq" },
    { CK_ISA_avx512, W7_EBX, 31, "CPU lacks avx512vl" },
    { CK_ISA_avx512vnni, W7_ECX, 11, "CPU lacks avx512_vnni" },
    { CK_ISA_avx512bf16, W71_EAX, 5, "CPU lacks avx512_bf16" },
};

/* Written by ck_cpu_init() before main(), constant from then on; but for the mask. */
static const char *lacks[CK_ISA_COUNT];
static unsigned runnable;
static char cap_text[96]; /* "capped by CK_ISA_MAX=avx2", or what is wrong with its value */
static int cap_wrong;
static atomic_uint mask;

static void read_cpuid(unsigned word[W_COUNT])
{
    unsigned a, b, c, d, subleaves;

    memset(word, 0, W_COUNT * sizeof *word);
    if (!__get_cpuid(1, &a, &b, &c, &d)) return;
    word[W1_ECX] = c;
    if (!__get_cpuid_count(7, 0, &subleaves, &b, &c, &d)) return;
    word[W7_EBX] = b;
    word[W7_ECX] = c;
    if (subleaves < 1 || !__get_cpuid_count(7, 1, &a, &b, &c, &d)) return;
    word[W71_EAX] = a;
}

/* The register states that the OS saves: XCR0, whose upper half holds none of ours. */
static unsigned read_xcr0(const unsigned word[W_COUNT])
{
    unsigned low, high;

    if (!(word[W1_ECX] >> 27 & 1)) return 0; /* OSXSAVE: xgetbv would be an illegal instruction */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return low;
}

static const char *probe(ck_isa isa, const unsigned word[W_COUNT], unsigned xcr0)
{
    const struct bundle *const bundle = &bundles[isa];

    if (bundle->base != isa && lacks[bundle->base]) return lacks[bundle->base];
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        const struct feature *const f = &features[i];
        if (f->isa == isa && !(word[f->word] >> f->bit & 1)) return f->lacks;
    }
    return (xcr0 & bundle->xcr0) == bundle->xcr0 ? NULL : bundle->no_state;
}

/* The bundles that `isa` contains, itself included. */
static unsigned closure(ck_isa isa)
{
    unsigned set = 1u << isa;

    for (; bundles[isa].base != isa; isa = bundles[isa].base) set |= 1u << bundles[isa].base;
    return set;
}

/* The bundles that CK_ISA_MAX leaves. */
static unsigned read_cap(void)
{
    const char *const value = getenv("CK_ISA_MAX");
    const ck_isa isa = value ? ck_isa_find(value) : CK_ISA_COUNT;

    if (!value || !*value) return ~0u;
    if (isa != CK_ISA_COUNT) {
        snprintf(cap_text, sizeof cap_text, "capped by CK_ISA_MAX=%s", bundles[isa].name);
        return closure(isa);
    }
    snprintf(cap_text, sizeof cap_text, "CK_ISA_MAX=%.32s is no instruction set", value);
    cap_wrong = 1;
    fprintf(stderr, "ck: %s; wanted one of:", cap_text);
    for (int i = 0; i < CK_ISA_COUNT; i++) fprintf(stderr, " %s", bundles[i].name);
    fprintf(stderr, "\n");
    return 0;
}

void ck_cpu_init(void)
{
    unsigned word[W_COUNT];
    unsigned able = 0;

    read_cpuid(word);
    const unsigned xcr0 = read_xcr0(word);
    for (ck_isa isa = 0; isa < CK_ISA_COUNT; isa++) { /* a base comes before what contains it */
        lacks[isa] = probe(isa, word, xcr0);
#ifdef CK_SIMDE /* these bundles' files are compiled to AVX2 */
        if (isa == CK_ISA_avxvnni || isa == CK_ISA_avx512 || isa == CK_ISA_avx512vnni ||
            isa == CK_ISA_avx512bf16)
            lacks[isa] = lacks[CK_ISA_avx2];
#endif
        if (!lacks[isa]) able |= 1u << isa;
    }
    runnable = able & read_cap();
    atomic_store(&mask, runnable);
}

const char *ck_isa_name(ck_isa isa)
{
    return (unsigned)isa < CK_ISA_COUNT ? bundles[isa].name : NULL;
}

ck_isa ck_isa_find(const char *name)
{
    ck_isa isa = 0;

    if (!name) return CK_ISA_COUNT;
    while (isa < CK_ISA_COUNT && strcmp(bundles[isa].name, name) != 0) isa++;
    return isa;
}

const char *ck_cpu_lacks(ck_isa isa)
{
    return (unsigned)isa < CK_ISA_COUNT ? lacks[isa] : "no such instruction set";
}

const char *ck_isa_unavailable(ck_isa isa)
{
    if (ck_cpu_lacks(isa)) return ck_cpu_lacks(isa);
    return runnable >> isa & 1 ? NULL : cap_text;
}

const char *ck_isa_max_error(void) { return cap_wrong ? cap_text : NULL; }

unsigned ck_isa_mask(void) { return atomic_load_explicit(&mask, memory_order_relaxed); }

unsigned ck_isa_set_mask(unsigned wanted)
{
    const unsigned next = wanted & runnable;

    atomic_store_explicit(&mask, next, memory_order_relaxed);
    return next;
}
