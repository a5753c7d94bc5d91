/* SPDX-License-Identifier: MIT */
/* Caches, peaks and bandwidths of this machine. */
#include "limits.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../clock.h"
#include "ceiling.h"

enum { SAMPLES = 15 };
#define SAMPLE_SECONDS 0.0005
#define COLD_LEAST     ((size_t)256 << 20)

const char *const hn_level_names[HN_LEVELS] = { "L1", "L2", "L3", "DRAM" };

static const struct {
    const hn_ceiling *own;
    ck_isa extends; /* whose peaks it has where it brings none */
} sets[CK_ISA_COUNT] = {
    [CK_ISA_scalar] = { &hn_ceiling_scalar, CK_ISA_scalar },
    [CK_ISA_sse41] = { &hn_ceiling_sse41, CK_ISA_sse41 },
    [CK_ISA_avx2] = { &hn_ceiling_avx2, CK_ISA_avx2 },
    [CK_ISA_avxvnni] = { &hn_ceiling_avxvnni, CK_ISA_avx2 },
    [CK_ISA_avx512] = { &hn_ceiling_avx512, CK_ISA_avx512 },
    [CK_ISA_avx512vnni] = { &hn_ceiling_avx512vnni, CK_ISA_avx512 },
    [CK_ISA_avx512bf16] = { NULL, CK_ISA_avx512 },
};

void *hn_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 0, bytes);
    return memory;
}

void hn_unmap(void *memory, size_t bytes)
{
    if (memory) munmap(memory, bytes);
}

static void name_cpu(char *name, size_t size)
{
    unsigned words[12] = { 0 }, top, b, c, d;
    snprintf(name, size, "unknown");
    if (!__get_cpuid(0x80000000u, &top, &b, &c, &d) || top < 0x80000004u) return;
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                    &words[4 * i + 3]);
    snprintf(name, size, "%.48s", (const char *)words);
    for (char *end = name + strlen(name); end > name && end[-1] == ' ';) *--end = '\0';
}

/* One file of the first core's caches; 0 if it is not there. */
static int read_cache(unsigned index, const char *what, char *text, size_t size)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, what);
    FILE *file = fopen(path, "r");
    const int got = file && fgets(text, (int)size, file);
    if (file) fclose(file);
    return got;
}

static void find_caches(hn_machine *m)
{
    char level[16], type[32], size[32];
    for (unsigned i = 0; read_cache(i, "level", level, sizeof level); i++) {
        unsigned long kib = 0;
        const int l = level[0] - '0';
        if (!read_cache(i, "type", type, sizeof type) || strncmp(type, "Instr", 5) == 0) continue;
        if (!read_cache(i, "size", size, sizeof size) || sscanf(size, "%luK", &kib) != 1) continue;
        if (l >= 1 && l <= HN_DRAM) m->cache[l - 1] = (size_t)kib << 10;
    }
    m->assumed = m->cache[HN_L1] == 0 || m->cache[HN_L2] == 0;
    if (!m->assumed) return;
    m->cache[HN_L1] = (size_t)32 << 10;
    m->cache[HN_L2] = (size_t)512 << 10;
    m->cache[HN_L3] = (size_t)32 << 20;
}

size_t hn_cold_bytes(const hn_machine *m)
{
    const size_t four = 4 * m->cache[HN_L3];
    return four > COLD_LEAST ? four : COLD_LEAST;
}

hn_level hn_level_of(const hn_machine *m, size_t bytes)
{
    for (int l = HN_L1; l < HN_DRAM; l++)
        if (bytes <= m->cache[l]) return (hn_level)l;
    return HN_DRAM;
}

/* What is read to measure a level: it fits, beside what else is there, and does not fit below. */
static size_t bytes_read(const hn_machine *m, hn_level level)
{
    if (level == HN_DRAM) return hn_cold_bytes(m);
    if (level != HN_L3) return m->cache[level] / 2 / HN_READ_STEP * HN_READ_STEP;
    const size_t quarter = m->cache[HN_L3] / 4, above = 2 * m->cache[HN_L2];
    if (m->cache[HN_L3] < 2 * above) return 0;
    return (quarter > above ? quarter : above) / HN_READ_STEP * HN_READ_STEP;
}

/* Steps of `peak` that last for a sample. */
static size_t steps_of(double (*peak)(size_t steps, void *sink), void *sink)
{
    for (size_t steps = 1024;; steps *= 2) {
        const double began = hn_thread_seconds();
        peak(steps, sink);
        if (hn_thread_seconds() - began >= SAMPLE_SECONDS || steps > (size_t)1 << 40) return steps;
    }
}

static hn_summary measure_peak(double (*peak)(size_t steps, void *sink))
{
    static _Alignas(64) char sink[HN_SINK_BYTES];
    double rate[SAMPLES];
    if (!peak) return (hn_summary){ 0 };
    const size_t steps = steps_of(peak, sink);
    for (size_t i = 0; i < SAMPLES; i++) {
        const double began = hn_thread_seconds(), done = peak(steps, sink);
        rate[i] = done / (hn_thread_seconds() - began);
    }
    return hn_summarize(rate, SAMPLES);
}

static hn_summary measure_read(const hn_ceiling *c, const void *from, size_t bytes)
{
    static _Alignas(64) char sink[HN_SINK_BYTES];
    double rate[SAMPLES];
    if (!c->read || bytes == 0) return (hn_summary){ 0 };
    const size_t times = bytes < ((size_t)16 << 20) ? ((size_t)16 << 20) / bytes : 1;
    c->read(from, bytes, sink);
    for (size_t i = 0; i < SAMPLES; i++) {
        const double began = hn_thread_seconds();
        for (size_t t = 0; t < times; t++) c->read(from, bytes, sink);
        rate[i] = (double)(bytes * times) / (hn_thread_seconds() - began);
    }
    return hn_summarize(rate, SAMPLES);
}

static void measure_set(hn_machine *m, ck_isa isa, const void *memory)
{
    static const hn_ceiling nothing;
    const hn_ceiling *own = sets[isa].own ? sets[isa].own : &nothing;
    hn_limit *to = &m->limit[isa];
    *to = m->limit[sets[isa].extends];
    to->present = true;
    if (own->fma) to->fma = measure_peak(own->fma);
    if (own->dot8) to->dot8 = measure_peak(own->dot8);
    for (int l = HN_L1; l < HN_LEVELS && own->read; l++)
        to->read[l] = measure_read(own, memory, bytes_read(m, (hn_level)l));
}

int hn_machine_measure(hn_machine *m)
{
    *m = (hn_machine){ 0 };
    name_cpu(m->cpu, sizeof m->cpu);
    find_caches(m);
    void *memory = hn_map(hn_cold_bytes(m));
    if (!memory) return -1;
    for (int i = 0; i < CK_ISA_COUNT; i++) {
        if (ck_cpu_lacks((ck_isa)i)) continue;
        measure_set(m, (ck_isa)i, memory);
        const hn_limit *l = m->limit;
        if (l[i].fma.median > l[m->fastest_fma].fma.median) m->fastest_fma = (ck_isa)i;
        if (l[i].dot8.median > l[m->fastest_dot8].dot8.median) m->fastest_dot8 = (ck_isa)i;
        if (l[i].read[HN_L1].median > l[m->fastest_read].read[HN_L1].median)
            m->fastest_read = (ck_isa)i;
    }
    hn_unmap(memory, hn_cold_bytes(m));
    return 0;
}
