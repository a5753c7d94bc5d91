/* SPDX-License-Identifier: MIT */
/* The command ckgen, in this process, on damaged files: it is done, or it says why in one line, exits with 2
 * and leaves no file. */
/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mutate.h"

/* The main() of codegen/main.c. */
int cg_command(int argc, char **argv);

enum { DAMAGED = 500, TEXT_MAX = 1 << 16, SAYS_MAX = 1024 };

static const char config[] =
    "{\"model_type\":\"llama\",\"num_hidden_layers\":2,\"hidden_size\":32,"
    "\"intermediate_size\":48,\"num_attention_heads\":4,\"num_key_value_heads\":2,"
    "\"vocab_size\":50,\"max_position_embeddings\":16,\"rope_theta\":500000.0,"
    "\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8.0,\"low_freq_factor\":1.0,"
    "\"high_freq_factor\":4.0,\"original_max_position_embeddings\":8192},\"head_dim\":8,"
    "\"rms_norm_eps\":1e-06,\"tie_word_embeddings\":false}";

static char folder[] = "/tmp/ckgen-test-XXXXXX";

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *const out = fopen(name, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static size_t read_file(const char *name, unsigned char bytes[TEXT_MAX])
{
    FILE *const in = fopen(name, "rb");
    assert_non_null(in);
    const size_t size = fread(bytes, 1, TEXT_MAX, in);
    fclose(in);
    return size;
}

/* Files of the folder. */
static size_t count_files(void)
{
    size_t count = 0;
    DIR *const all = opendir(".");
    assert_non_null(all);
    for (const struct dirent *d; (d = readdir(all));) count += d->d_name[0] != '.';
    closedir(all);
    return count;
}

/* Runs the command; what it said on stderr. */
static int run(int argc, char **argv, char says[SAYS_MAX])
{
    const int to = memfd_create("stderr", 0), kept = dup(STDERR_FILENO);
    assert_true(to >= 0 && kept >= 0);
    fflush(stderr);
    dup2(to, STDERR_FILENO);
    const int status = cg_command(argc, argv);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    const ssize_t size = pread(to, says, SAYS_MAX - 1, 0);
    close(to);
    assert_true(size >= 0);
    says[size] = '\0';
    return status;
}

static void one_line(const char *says)
{
    const char *const end = strchr(says, '\n');
    if (strncmp(says, "ckgen: ", 7) != 0 || !end || end[1] != '\0')
        fail_msg("no line of ckgen: \"%s\"", says);
    for (const char *c = says; c < end; c++) assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
}

/* The file "in" is damaged in as many ways as there are, and given to the command. Refusals. */
static size_t try_damaged(const unsigned char *whole, size_t size, int argc, char **argv)
{
    static unsigned char bytes[TEXT_MAX], after[TEXT_MAX];
    size_t refusals = 0;
    assert_true(2 * size + 200 <= TEXT_MAX);
    for (uint64_t seed = 1; seed <= DAMAGED; seed++) {
        char says[SAYS_MAX];
        uint64_t s = seed;
        memcpy(bytes, whole, size);
        const size_t n = cg_mutate(bytes, size, 2 * size + 200, &s);
        write_file("in", bytes, n);
        const int status = run(argc, argv, says);
        assert_int_equal(read_file("in", after), n);
        assert_memory_equal(bytes, after, n);
        if (status == 0) {
            assert_string_equal(says, "");
            assert_int_equal(count_files(), 3);
            remove("out.c");
            remove("out.c.kernels");
            continue;
        }
        assert_int_equal(status, 2);
        one_line(says);
        assert_int_equal(count_files(), 1);
        refusals++;
    }
    return refusals;
}

static void damaged_configs(void **state)
{
    char *argv[] = {
        "ckgen", "in", "-o", "out.c", "--memory", "67108864", "--weights", "q4_k", NULL
    };
    (void)state;
    assert_true(try_damaged((const unsigned char *)config, sizeof config - 1, 8, argv) > 300);
}

static void damaged_graphs(void **state)
{
    static unsigned char whole[TEXT_MAX];
    char *make[] = { "ckgen", "in", "--ir-out", "graph", NULL };
    char *argv[] = { "ckgen", "--ir", "in", "-o", "out.c", "--memory", "67108864", NULL };
    char says[SAYS_MAX];
    (void)state;
    write_file("in", config, sizeof config - 1);
    assert_int_equal(run(4, make, says), 0);
    const size_t size = read_file("graph", whole);
    remove("graph");
    assert_true(try_damaged(whole, size, 7, argv) > 300);
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int end(void **state)
{
    (void)state;
    remove("in");
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_configs),
        cmocka_unit_test(damaged_graphs),
    };
    return cmocka_run_group_tests(tests, begin, end) != 0;
}
