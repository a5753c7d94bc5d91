/* SPDX-License-Identifier: MIT */
/* Files of weights in tests. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sha256.h"

static char folder[] = "/tmp/ckgen-test-XXXXXX";
char cg_path[64];

int cg_begin_files(void)
{
    if (!mkdtemp(folder)) return -1;
    snprintf(cg_path, sizeof cg_path, "%s/weights", folder);
    return 0;
}

int cg_end_files(void)
{
    remove(cg_path);
    return rmdir(folder);
}

file cg_read_file(void)
{
    FILE *const in = fopen(cg_path, "rb");
    struct stat at;
    assert_true(in && fstat(fileno(in), &at) == 0);
    const file f = { calloc(2, (size_t)at.st_size + 200), (size_t)at.st_size };
    assert_non_null(f.bytes);
    assert_int_equal(fread(f.bytes, 1, f.size, in), f.size);
    fclose(in);
    return f;
}

void cg_write_file(const unsigned char *bytes, size_t size)
{
    FILE *const out = fopen(cg_path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

bool cg_load_damaged(ck_model *m, const file *f)
{
    const size_t total = ck_model_program(m)->bytes;
    unsigned char *const before = malloc(total);
    assert_non_null(before);
    memcpy(before, ck_model_arena(m), total);
    cg_write_file(f->bytes, f->size);
    const int status = ck_model_load(m, cg_path);
    const file after = cg_read_file();
    assert_int_equal(after.size, f->size);
    assert_memory_equal(after.bytes, f->bytes, f->size);
    if (status != CK_MODEL_OK) {
        assert_int_equal(status, CK_MODEL_FILE);
        assert_int_equal(strncmp(ck_model_error(m), cg_path, strlen(cg_path)), 0);
        assert_null(strpbrk(ck_model_error(m), "\n\r\x1b"));
        assert_memory_equal(ck_model_arena(m), before, total);
    }
    free(after.bytes);
    free(before);
    return status == CK_MODEL_OK;
}

void cg_put32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

void cg_seal(file *f)
{
    if (memcmp(f->bytes, "BUMPWGT", 7) == 0 && f->size >= 128)
        ck_sha256(f->bytes + 64, f->bytes + 128, f->size - 128);
    else if (memcmp(f->bytes, "CKWEIGHT", 8) == 0 && f->size >= 64)
        ck_sha256(f->bytes + 24, f->bytes + 64, f->size - 64);
}

void cg_save(ck_model *m, ck_weights_kind kind)
{
    if (ck_model_save(m, cg_path, kind) != CK_MODEL_OK) fail_msg("%s", ck_model_error(m));
}
