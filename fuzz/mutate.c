/* SPDX-License-Identifier: MIT */
/* The mutator that knows what a batch is: for libFuzzer here, for AFL++ in afl_mutator.c. */
#include "batch.h"

#include <stdbool.h>
#include <string.h>

#include "rng.h"

static void randomise(uint8_t *at, size_t bytes, hn_rng *rng)
{
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)hn_next(rng);
}

/* Lengths near vectors and unrolls, one more or less, another reach, the least, any. */
static void change_key(uint8_t *at, hn_rng *rng)
{
    static const int steps[] = { 1, 2, 3, 4, 7, 8, 16, 32 };
    int value = at[0] | at[1] << 8;
    switch (hn_below(rng, 6)) {
    case 0: value = (int)hn_below(rng, 1 << 16); break;
    case 1: value = (value & 0x1fff) | (int)hn_below(rng, 8) << 13; break;
    case 2: value = 0; break;
    case 3: value -= steps[hn_below(rng, 8)]; break;
    default: value += steps[hn_below(rng, 8)];
    }
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void change_record(uint8_t *record, hn_rng *rng)
{
    switch (hn_below(rng, 9)) {
    case 0: randomise(record + FZ_OP, 1, rng); break;
    case 1: randomise(record + FZ_MODE + hn_below(rng, 2), 1, rng); break;
    case 2: randomise(record + FZ_FILL, 1, rng); break;
    case 3: randomise(record + FZ_SEED, 4, rng); break;
    case 4: randomise(record + FZ_LD + hn_below(rng, 6), 1, rng); break;
    case 5: randomise(record + FZ_AT + hn_below(rng, 6), 1, rng); break;
    default: change_key(record + FZ_KEYS + 2 * hn_below(rng, 8), rng);
    }
}

/* Inserts, copies or drops a record; returns how many there are then. */
static size_t change_count(uint8_t *data, size_t count, size_t most, hn_rng *rng)
{
    const bool more = count < most && (count < 2 || hn_below(rng, 2));
    uint8_t *at = data + hn_below(rng, count + more) * FZ_RECORD;
    const size_t behind = (size_t)(data + count * FZ_RECORD - at);
    if (!more) {
        memmove(at, at + FZ_RECORD, behind - FZ_RECORD);
        return count - 1;
    }
    memmove(at + FZ_RECORD, at, behind);
    if (count == 0 || behind == 0 || hn_below(rng, 2)) {
        randomise(at, FZ_RECORD, rng);
    } else {
        memcpy(at, at + FZ_RECORD, FZ_RECORD);
        change_record(at, rng);
    }
    return count + 1;
}

size_t fz_mutate(uint8_t *data, size_t size, size_t max, uint64_t seed)
{
    hn_rng rng = hn_stream(seed, 0x66757a7a, size);
    const size_t most = max / FZ_RECORD < FZ_CASES_MAX ? max / FZ_RECORD : FZ_CASES_MAX;
    size_t count = (size + FZ_RECORD - 1) / FZ_RECORD;
    if (most == 0) return size;
    if (count > most) count = most;
    if (count * FZ_RECORD > size) memset(data + size, 0, count * FZ_RECORD - size);
    for (uint64_t changes = 1 + hn_below(&rng, 4); changes > 0; changes--) {
        if (count == 0 || hn_below(&rng, 4) == 0)
            count = change_count(data, count, most, &rng);
        else
            change_record(data + hn_below(&rng, count) * FZ_RECORD, &rng);
    }
    if (count == 0) count = change_count(data, 0, most, &rng);
    return count * FZ_RECORD;
}

/* libFuzzer's interface. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return fz_mutate(data, size, max, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t max, unsigned seed)
{
    hn_rng rng = hn_stream(seed, na, nb);
    size_t used = 0;
    const size_t longer = na > nb ? na : nb;
    for (size_t from = 0; from + FZ_RECORD <= longer && used + FZ_RECORD <= max;
         from += FZ_RECORD) {
        const bool first = hn_below(&rng, 2) ? from + FZ_RECORD <= na : from + FZ_RECORD > nb;
        memcpy(out + used, (first ? a : b) + from, FZ_RECORD);
        used += FZ_RECORD;
    }
    return used;
}
