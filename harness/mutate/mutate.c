/* SPDX-License-Identifier: MIT */
/* The mutation operators. Whether a result compiles, or does the same, is not
 * known here. */
#include "mutate.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "token.h"

enum { TEXT_MAX = 2000 };

const char *const hn_mutator_names[HN_MUTATOR_COUNT] = {
    "integer",   "real",     "ulp",       "named",     "relation", "arithmetic", "sign",
    "bits",      "step",     "logic",     "condition", "ternary",  "index",      "offset",
    "intrinsic", "argument", "statement", "bound",     "type",     "name",       "spec",
};

typedef struct finder {
    hn_tokens tokens;
    hn_mutations *out;
    size_t room;
    bool failed;
} finder;

/* `word` is replaced by `with`; neighbours in these tables are tried one by
 * one. */
typedef struct swap {
    const char *word, *with;
    hn_mutator mutator;
} swap;

static const swap operators[] = {
    { "<", "<=", HN_MUTATE_RELATION },    { "<", ">", HN_MUTATE_RELATION },
    { "<", ">=", HN_MUTATE_RELATION },    { "<=", "<", HN_MUTATE_RELATION },
    { "<=", ">", HN_MUTATE_RELATION },    { ">", ">=", HN_MUTATE_RELATION },
    { ">", "<", HN_MUTATE_RELATION },     { ">", "<=", HN_MUTATE_RELATION },
    { ">=", ">", HN_MUTATE_RELATION },    { ">=", "<", HN_MUTATE_RELATION },
    { "==", "!=", HN_MUTATE_RELATION },   { "==", ">=", HN_MUTATE_RELATION },
    { "!=", "==", HN_MUTATE_RELATION },   { "!=", "<", HN_MUTATE_RELATION },
    { "+=", "-=", HN_MUTATE_ARITHMETIC }, { "+=", "=", HN_MUTATE_ARITHMETIC },
    { "-=", "+=", HN_MUTATE_ARITHMETIC }, { "*=", "/=", HN_MUTATE_ARITHMETIC },
    { "/=", "*=", HN_MUTATE_ARITHMETIC }, { "|=", "&=", HN_MUTATE_BITS },
    { "|=", "=", HN_MUTATE_BITS },        { "&=", "|=", HN_MUTATE_BITS },
    { "^=", "|=", HN_MUTATE_BITS },       { "<<=", ">>=", HN_MUTATE_BITS },
    { ">>=", "<<=", HN_MUTATE_BITS },     { "<<", ">>", HN_MUTATE_BITS },
    { ">>", "<<", HN_MUTATE_BITS },       { "|", "&", HN_MUTATE_BITS },
    { "|", "^", HN_MUTATE_BITS },         { "^", "&", HN_MUTATE_BITS },
    { "++", "--", HN_MUTATE_STEP },       { "--", "++", HN_MUTATE_STEP },
    { "&&", "||", HN_MUTATE_LOGIC },      { "||", "&&", HN_MUTATE_LOGIC },
};

/* Where both an unary and a binary one exist. */
static const swap binaries[] = {
    { "+", "-", HN_MUTATE_ARITHMETIC }, { "-", "+", HN_MUTATE_ARITHMETIC },
    { "*", "+", HN_MUTATE_ARITHMETIC }, { "*", "/", HN_MUTATE_ARITHMETIC },
    { "/", "*", HN_MUTATE_ARITHMETIC }, { "%", "/", HN_MUTATE_ARITHMETIC },
    { "&", "|", HN_MUTATE_BITS },       { "&", "^", HN_MUTATE_BITS },
};

static const swap words[] = {
    { "INFINITY", "NAN", HN_MUTATE_REAL },
    { "INFINITY", "3.0e38f", HN_MUTATE_REAL },
    { "NAN", "INFINITY", HN_MUTATE_REAL },
    { "NAN", "0.0f", HN_MUTATE_REAL },
    { "_CMP_LT_OQ", "_CMP_LE_OQ", HN_MUTATE_REAL },
    { "_CMP_LT_OQ", "_CMP_GT_OQ", HN_MUTATE_REAL },
    { "_CMP_LT_OQ", "_CMP_NGE_UQ", HN_MUTATE_REAL },
    { "_CMP_UNORD_Q", "_CMP_ORD_Q", HN_MUTATE_REAL },
    { "_MM_FROUND_TO_NEAREST_INT", "_MM_FROUND_TO_ZERO", HN_MUTATE_REAL },
    { "_MM_FROUND_TO_NEAREST_INT", "_MM_FROUND_TO_NEG_INF", HN_MUTATE_REAL },
    { "_MM_FROUND_TO_NEAREST_INT", "_MM_FROUND_CUR_DIRECTION", HN_MUTATE_REAL },
    { "double", "float", HN_MUTATE_TYPE },
    { "int8_t", "uint8_t", HN_MUTATE_TYPE },
    { "int16_t", "int8_t", HN_MUTATE_TYPE },
    { "int32_t", "int16_t", HN_MUTATE_TYPE },
    { "int32_t", "uint32_t", HN_MUTATE_TYPE },
    { "uint32_t", "int32_t", HN_MUTATE_TYPE },
    { "uint32_t", "uint16_t", HN_MUTATE_TYPE },
    { "uint64_t", "uint32_t", HN_MUTATE_TYPE },
    { "lda", "ldb", HN_MUTATE_NAME },
    { "ldb", "lda", HN_MUTATE_NAME },
    { "ldc", "ldy", HN_MUTATE_NAME },
    { "ldy", "ldc", HN_MUTATE_NAME },
    { "ldx", "ldy", HN_MUTATE_NAME },
    { "ldy", "ldx", HN_MUTATE_NAME },
    { "ldy", "lda", HN_MUTATE_NAME },
    { "m", "n", HN_MUTATE_NAME },
    { "n", "m", HN_MUTATE_NAME },
    { "i", "j", HN_MUTATE_NAME },
    { "j", "i", HN_MUTATE_NAME },
    { "r", "c", HN_MUTATE_NAME },
    { "c", "r", HN_MUTATE_NAME },
    { "a", "b", HN_MUTATE_NAME },
    { "b", "a", HN_MUTATE_NAME },
    { "low", "high", HN_MUTATE_NAME },
    { "high", "low", HN_MUTATE_NAME },
    { "alpha", "beta", HN_MUTATE_NAME },
    { "beta", "alpha", HN_MUTATE_NAME },
    { "cols", "t", HN_MUTATE_NAME },
};

/* Parts, between underlines, of the names of intrinsics and primitives. */
static const swap parts[] = {
    { "add", "sub", HN_MUTATE_INTRINSIC },
    { "sub", "add", HN_MUTATE_INTRINSIC },
    { "mul", "add", HN_MUTATE_INTRINSIC },
    { "div", "mul", HN_MUTATE_INTRINSIC },
    { "max", "min", HN_MUTATE_INTRINSIC },
    { "min", "max", HN_MUTATE_INTRINSIC },
    { "hadd", "hsub", HN_MUTATE_INTRINSIC },
    { "fmadd", "fmsub", HN_MUTATE_INTRINSIC },
    { "fmadd", "fnmadd", HN_MUTATE_INTRINSIC },
    { "madd", "mullo", HN_MUTATE_INTRINSIC },
    { "unpacklo", "unpackhi", HN_MUTATE_INTRINSIC },
    { "unpackhi", "unpacklo", HN_MUTATE_INTRINSIC },
    { "movehl", "movelh", HN_MUTATE_INTRINSIC },
    { "movelh", "movehl", HN_MUTATE_INTRINSIC },
    { "cvtepi8", "cvtepu8", HN_MUTATE_INTRINSIC },
    { "cvttps", "cvtps", HN_MUTATE_INTRINSIC },
    { "cvtps", "cvttps", HN_MUTATE_INTRINSIC },
    { "packs", "packus", HN_MUTATE_INTRINSIC },
    { "slli", "srli", HN_MUTATE_INTRINSIC },
    { "srli", "slli", HN_MUTATE_INTRINSIC },
    { "srai", "srli", HN_MUTATE_INTRINSIC },
    { "and", "or", HN_MUTATE_INTRINSIC },
    { "or", "and", HN_MUTATE_INTRINSIC },
    { "xor", "or", HN_MUTATE_INTRINSIC },
    { "andnot", "and", HN_MUTATE_INTRINSIC },
    { "cmpgt", "cmpeq", HN_MUTATE_INTRINSIC },
    { "cmplt", "cmple", HN_MUTATE_INTRINSIC },
    { "cmpunord", "cmpord", HN_MUTATE_INTRINSIC },
    { "sign", "abs", HN_MUTATE_INTRINSIC },
    { "setr", "set", HN_MUTATE_INTRINSIC },
    { "sum", "hmax", HN_MUTATE_INTRINSIC },
    { "hmax", "sum", HN_MUTATE_INTRINSIC },
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const hn_token *token(const finder *f, size_t i) { return &f->tokens.token[i]; }

static bool is(const finder *f, size_t i, const char *word)
{
    return hn_token_is(&f->tokens, i, word);
}

static size_t end_of(const finder *f, size_t i) { return token(f, i)->at + token(f, i)->length; }

/* Tokens i..last are replaced; no token if last < i. */
static void propose(finder *f, hn_mutator mutator, size_t i, size_t last, const char *format, ...)
{
    char with[TEXT_MAX];
    va_list arguments;
    const hn_token *from = token(f, i);
    const size_t length = end_of(f, last) - from->at;
    va_start(arguments, format);
    const int written = vsnprintf(with, sizeof with, format, arguments);
    va_end(arguments);
    if (written < 0 || (size_t)written >= sizeof with) return;
    if ((size_t)written == length && memcmp(with, f->tokens.text + from->at, length) == 0) return;
    if (f->out->n == f->room) {
        f->room = f->room ? 2 * f->room : 256;
        hn_mutation *more = realloc(f->out->list, f->room * sizeof *more);
        f->failed |= !more;
        if (!more) return;
        f->out->list = more;
    }
    char *copy = malloc((size_t)written + 1);
    f->failed |= !copy;
    if (!copy) return;
    memcpy(copy, with, (size_t)written + 1);
    f->out->list[f->out->n++] = (hn_mutation){ .mutator = from->spec ? HN_MUTATE_SPEC : mutator,
                                               .at = from->at,
                                               .length = length,
                                               .line = from->line,
                                               .column = from->column,
                                               .with = copy };
}

static const char *text_at(const finder *f, size_t i) { return f->tokens.text + token(f, i)->at; }

static int length_of(const finder *f, size_t i, size_t last)
{
    return (int)(end_of(f, last) - token(f, i)->at);
}

/* Whether the token may be the end of an operand, so that an operator after it
 * has two. */
static bool ends_operand(const finder *f, size_t i)
{
    if (token(f, i)->kind == HN_PUNCTUATION) return is(f, i, ")") || is(f, i, "]");
    return token(f, i)->kind != HN_WORD || !(is(f, i, "return") || is(f, i, "case"));
}

/* Formatted sources have blanks on both sides of a binary operator. */
static bool is_binary(const finder *f, size_t i)
{
    const char *p = text_at(f, i);
    if (i == 0 || i + 1 >= f->tokens.n || !ends_operand(f, i - 1)) return false;
    const bool before = isspace((unsigned char)p[-1]) != 0;
    return before == (isspace((unsigned char)p[token(f, i)->length]) != 0);
}

static void find_integer(finder *f, size_t i)
{
    const char *p = text_at(f, i);
    char *suffix;
    const uint64_t value = strtoull(p, &suffix, 0);
    const int rest = (int)(p + token(f, i)->length - suffix);
    const bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    const uint64_t others[] = { value + 1, value - 1, 0, 2 * value };
    for (size_t k = 0; k < COUNT(others); k++) {
        if ((k == 1 || k == 2) && value == 0) continue;
        if (k >= 2 && (others[k] == value + 1 || others[k] == value - 1)) continue;
        propose(f, HN_MUTATE_INTEGER, i, i, hex ? "0x%llx%.*s" : "%llu%.*s",
                (unsigned long long)others[k], rest, suffix);
    }
    propose(f, HN_MUTATE_INTEGER, i, i, value ? "(-%.*s)" : "(-1%.*s)",
            value ? (int)token(f, i)->length : rest, value ? p : suffix);
}

static void find_real(finder *f, size_t i)
{
    const char *p = text_at(f, i);
    char *suffix;
    const double value = strtod(p, &suffix);
    const bool single = *suffix == 'f' || *suffix == 'F';
    const double ulps[] = {
        single ? (double)nextafterf((float)value, INFINITY) : nextafter(value, (double)INFINITY),
        single ? (double)nextafterf((float)value, -INFINITY) : nextafter(value, -(double)INFINITY)
    };
    const double others[] = { value + 1, value - 1, 0, 2 * value, -value };
    for (size_t k = 0; k < COUNT(others); k++)
        if (others[k] != value)
            propose(f, HN_MUTATE_REAL, i, i, "(%a%s)", others[k], single ? "f" : "");
    for (size_t k = 0; k < COUNT(ulps); k++)
        if (value != 0) propose(f, HN_MUTATE_ULP, i, i, "(%a%s)", ulps[k], single ? "f" : "");
}

static void find_operator(finder *f, size_t i)
{
    for (size_t k = 0; k < COUNT(operators); k++)
        if (is(f, i, operators[k].word))
            propose(f, operators[k].mutator, i, i, "%s", operators[k].with);
    for (size_t k = 0; k < COUNT(binaries); k++)
        if (is(f, i, binaries[k].word) && is_binary(f, i) && !token(f, i)->declaration)
            propose(f, binaries[k].mutator, i, i, "%s", binaries[k].with);
    if (is(f, i, "!") || is(f, i, "~") || (is(f, i, "-") && !is_binary(f, i)))
        propose(f, HN_MUTATE_SIGN, i, i, " ");
}

/* The last token of the expression that starts at i, up to a separator at its
 * level. */
static size_t expression_end(const finder *f, size_t i, bool whole)
{
    size_t depth = 0, questions = 0;
    for (; i < f->tokens.n; i++) {
        const char c = *text_at(f, i);
        if (token(f, i)->kind != HN_PUNCTUATION) continue;
        if (c == '(' || c == '[' || c == '{') depth++;
        if (depth == 0 && (c == ')' || c == ']' || c == '}' || c == ';' || c == ',')) return i - 1;
        if (c == ')' || c == ']' || c == '}') depth--;
        if (depth == 0 && c == ':' && questions-- == 0) return i - 1;
        questions += depth == 0 && c == '?';
        if (depth == 0 && !whole && (is(f, i, "&&") || is(f, i, "||") || c == '?')) return i - 1;
    }
    return f->tokens.n - 1;
}

static void find_ternary(finder *f, size_t i)
{
    const size_t yes = expression_end(f, i + 1, true), colon = yes + 1;
    if (colon + 1 >= f->tokens.n || !is(f, colon, ":")) return;
    const size_t no = expression_end(f, colon + 1, true);
    propose(f, HN_MUTATE_TERNARY, i + 1, no, "%.*s : %.*s", length_of(f, colon + 1, no),
            text_at(f, colon + 1), length_of(f, i + 1, yes), text_at(f, i + 1));
}

static void find_condition(finder *f, size_t i)
{
    const size_t end = hn_token_match(&f->tokens, i + 1);
    if (!is(f, i + 1, "(") || end >= f->tokens.n || end == i + 2) return;
    propose(f, HN_MUTATE_CONDITION, i + 2, end - 1, "!(%.*s)", length_of(f, i + 2, end - 1),
            text_at(f, i + 2));
    if (is(f, i, "while")) return;
    propose(f, HN_MUTATE_CONDITION, i + 2, end - 1, "0");
    propose(f, HN_MUTATE_CONDITION, i + 2, end - 1, "1");
}

/* The bound and the stride of a for, the bound of a while. */
static void find_bounds(finder *f, size_t i)
{
    const size_t end = hn_token_match(&f->tokens, i + 1);
    for (size_t k = i + 2; k < end && end < f->tokens.n; k++) {
        const size_t last = expression_end(f, k + 1, false);
        const int length = length_of(f, k + 1, last);
        const bool relation =
            is(f, k, "<") || is(f, k, "<=") || is(f, k, ">") || is(f, k, ">=") || is(f, k, "!=");
        if (relation) {
            propose(f, HN_MUTATE_BOUND, k + 1, last, "(%.*s) + 1", length, text_at(f, k + 1));
            propose(f, HN_MUTATE_BOUND, k + 1, last, "(%.*s) - 1", length, text_at(f, k + 1));
        } else if (is(f, k, "+=") || is(f, k, "-=")) {
            propose(f, HN_MUTATE_BOUND, k + 1, last, "2 * (%.*s)", length, text_at(f, k + 1));
        }
    }
}

static void find_index(finder *f, size_t i)
{
    const size_t end = hn_token_match(&f->tokens, i);
    if (i == 0 || end >= f->tokens.n || end == i + 1 || token(f, i)->declaration) return;
    if (!ends_operand(f, i - 1)) return;
    for (size_t k = 0; k < 2; k++)
        propose(f, HN_MUTATE_INDEX, i + 1, end - 1, "(%.*s) %c 1", length_of(f, i + 1, end - 1),
                text_at(f, i + 1), "+-"[k]);
}

static bool contains(const finder *f, size_t i, const char *part)
{
    const size_t length = strlen(part);
    for (size_t k = 0; k + length <= token(f, i)->length; k++)
        if (memcmp(text_at(f, i) + k, part, length) == 0) return true;
    return false;
}

/* Where order matters only to which of two NaNs is returned, or not at all. */
static bool commutes(const finder *f, size_t i)
{
    static const char *const names[] = { "_add",  "_mul",     "madd",     "_and_", "_or_",
                                         "_xor_", "_max_epi", "_min_epi", "cmpeq", "cmpunord" };
    if (contains(f, i, "hadd")) return false;
    for (size_t k = 0; k < COUNT(names); k++)
        if (contains(f, i, names[k])) return true;
    return false;
}

/* A call that starts at the name i. */
static void find_call(finder *f, size_t i)
{
    const size_t end = hn_token_match(&f->tokens, i + 1);
    size_t first = i + 2;
    if (end >= f->tokens.n || end == i + 2 || token(f, i)->declaration) return;
    const size_t last = expression_end(f, first, true);
    if ((contains(f, i, "load") || contains(f, i, "store")) && contains(f, i, "_"))
        for (size_t k = 0; k < 2; k++)
            propose(f, HN_MUTATE_OFFSET, first, last, "%.*s %c 1", length_of(f, first, last),
                    text_at(f, first), "+-"[k]);
    for (size_t n = 0; first < end; n++) {
        const size_t one = expression_end(f, first, true), second = one + 2;
        if (second >= end) return;
        const size_t two = expression_end(f, second, true);
        if (!(n == 0 && commutes(f, i)))
            propose(f, HN_MUTATE_ARGUMENT, first, two, "%.*s, %.*s", length_of(f, second, two),
                    text_at(f, second), length_of(f, first, one), text_at(f, first));
        first = second;
    }
}

static bool is_primitive(const finder *f, size_t i)
{
    return strncmp(text_at(f, i), "_mm", 3) == 0 || strncmp(text_at(f, i), "ck_v", 4) == 0;
}

static void find_part(finder *f, size_t i)
{
    const char *p = text_at(f, i), *end = p + token(f, i)->length;
    for (const char *from = p, *to; from < end; from = to + 1) {
        for (to = from; to < end && *to != '_'; to++) {
        }
        for (size_t k = 0; k < COUNT(parts); k++)
            if ((size_t)(to - from) == strlen(parts[k].word) &&
                memcmp(from, parts[k].word, (size_t)(to - from)) == 0)
                propose(f, parts[k].mutator, i, i, "%.*s%s%.*s", (int)(from - p), p, parts[k].with,
                        (int)(end - to), to);
    }
}

static bool is_named_constant(const finder *f, size_t i)
{
    const char *p = text_at(f, i);
    if (token(f, i)->length < 2 || *p == '_' || strncmp(p, "CK_NUM_", 7) == 0) return false;
    if (is(f, i, "NAN") || is(f, i, "INFINITY") || is(f, i, "NULL") || is(f, i, "FILE"))
        return false;
    for (size_t k = 0; k < token(f, i)->length; k++)
        if (islower((unsigned char)p[k])) return false;
    return true;
}

static void find_word(finder *f, size_t i)
{
    const bool called = is(f, i + 1, "("), inside = token(f, i)->depth > 0;
    const bool defines = is(f, i + 1, "=") || (i > 0 && is(f, i - 1, "goto"));
    for (size_t k = 0; k < COUNT(words); k++)
        if (is(f, i, words[k].word) && (inside || token(f, i)->directive))
            if (words[k].mutator != HN_MUTATE_NAME || !(called || token(f, i)->declaration))
                propose(f, words[k].mutator, i, i, "%s", words[k].with);
    if (!inside) return;
    if (is(f, i, "if") || is(f, i, "while")) find_condition(f, i);
    if (is(f, i, "for") || is(f, i, "while")) find_bounds(f, i);
    if (called && is_primitive(f, i)) find_part(f, i);
    if (called && !is(f, i, "if") && !is(f, i, "for") && !is(f, i, "while") &&
        !is(f, i, "switch") && !is(f, i, "return") && !is(f, i, "sizeof"))
        find_call(f, i);
    if (!called && !defines && !token(f, i)->declaration && is_named_constant(f, i))
        for (size_t k = 0; k < 2; k++)
            propose(f, HN_MUTATE_NAMED, i, i, "(%.*s %c 1)", (int)token(f, i)->length,
                    text_at(f, i), "+-"[k]);
}

/* An expression statement, break or continue that starts here, as ";". */
static void find_statement(finder *f, size_t i)
{
    const hn_token *t = token(f, i);
    size_t last = i, depth = 0;
    if (t->statement != i || t->declaration || t->depth == 0) return;
    if (t->directive || t->header || t->spec) return;
    if (is(f, i, "return") || is(f, i, "case") || is(f, i, "default") || is(f, i, "{") ||
        is(f, i, "}") || is(f, i, "if") || is(f, i, "for") || is(f, i, "while") || is(f, i, "do") ||
        is(f, i, "else") || is(f, i, "switch") || is(f, i, ";"))
        return;
    for (; last < f->tokens.n && !(depth == 0 && is(f, last, ";")); last++) {
        if (is(f, last, "(") || is(f, last, "{") || is(f, last, "[")) depth++;
        if (is(f, last, ")") || is(f, last, "}") || is(f, last, "]")) {
            if (depth == 0) return;
            depth--;
        }
    }
    if (last < f->tokens.n) propose(f, HN_MUTATE_STATEMENT, i, last, ";");
}

int hn_mutations_find(hn_mutations *mutations, const char *text)
{
    finder f = { .out = mutations };
    *mutations = (hn_mutations){ 0 };
    if (hn_tokens_scan(&f.tokens, text) != 0) return -1;
    for (size_t i = 0; i < f.tokens.n && !f.failed; i++) {
        const hn_token *t = token(&f, i);
        if (t->barred || (t->declaration && t->kind != HN_WORD)) continue;
        find_statement(&f, i);
        if (t->kind == HN_INTEGER) find_integer(&f, i);
        if (t->kind == HN_REAL) find_real(&f, i);
        if (t->kind == HN_WORD) find_word(&f, i);
        if (t->kind != HN_PUNCTUATION) continue;
        find_operator(&f, i);
        if (is(&f, i, "?")) find_ternary(&f, i);
        if (is(&f, i, "[")) find_index(&f, i);
    }
    hn_tokens_free(&f.tokens);
    return f.failed ? -1 : 0;
}

void hn_mutations_free(hn_mutations *mutations)
{
    for (size_t i = 0; i < mutations->n; i++) free(mutations->list[i].with);
    free(mutations->list);
    *mutations = (hn_mutations){ 0 };
}

/* In one line. */
static void print_flat(const char *text, size_t length, FILE *out)
{
    for (size_t i = 0; i < length; i++) {
        const bool blank = isspace((unsigned char)text[i]) != 0;
        if (!blank || (i > 0 && !isspace((unsigned char)text[i - 1])))
            fputc(blank ? ' ' : text[i], out);
    }
}

void hn_mutation_print(const hn_mutation *m, const char *text, FILE *out)
{
    fprintf(out, "%s '", hn_mutator_names[m->mutator]);
    print_flat(text + m->at, m->length, out);
    fprintf(out, "' -> '");
    print_flat(m->with, strlen(m->with), out);
    fprintf(out, "'\n");
}

char *hn_mutation_apply(const hn_mutation *m, const char *text)
{
    const size_t length = strlen(text), with = strlen(m->with), after = m->at + m->length;
    size_t lines = 0, kept = 0;
    for (size_t i = m->at; i < after; i++) lines += text[i] == '\n';
    for (size_t i = 0; i < with; i++) kept += m->with[i] == '\n';
    const size_t lost = lines > kept ? lines - kept : 0;
    char *out = malloc(length + with + lost + 1);
    if (!out) return NULL;
    memcpy(out, text, m->at);
    memcpy(out + m->at, m->with, with);
    memset(out + m->at + with, '\n', lost);
    memcpy(out + m->at + with + lost, text + after, length - after + 1);
    return out;
}
