/* SPDX-License-Identifier: MIT */
/* Tokens. */
#include "token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct scanner {
    const char *text;
    size_t at;
    unsigned line;
    size_t line_start;
    bool fresh;     /* nothing but space so far on this line */
    bool directive; /* in the body of a #define */
    hn_tokens *out;
    size_t room;
} scanner;

static const char *const punctuation[] = { "<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                           "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                           "*=",  "/=",  "%=",  "&=", "|=", "^=", "##" };

static void newline(scanner *s)
{
    s->line++;
    s->line_start = s->at + 1;
    s->fresh = true;
    s->directive = false;
}

/* Past a comment that starts here; false if none does. */
static bool skip_comment(scanner *s)
{
    const char *p = s->text + s->at;
    if (p[0] == '/' && p[1] == '/') {
        while (s->text[s->at] && s->text[s->at] != '\n') s->at++;
        return true;
    }
    if (p[0] != '/' || p[1] != '*') return false;
    const bool directive = s->directive, fresh = s->fresh;
    for (s->at += 2; s->text[s->at]; s->at++) {
        if (s->text[s->at] == '\n') newline(s);
        if (s->text[s->at] != '*' || s->text[s->at + 1] != '/') continue;
        s->at += 2;
        break;
    }
    s->directive = directive;
    s->fresh = fresh;
    return true;
}

/* Past blanks, comments and joined lines. */
static void skip_space(scanner *s)
{
    for (;;) {
        const char *p = s->text + s->at;
        if (p[0] == '\\' && p[1] == '\n') {
            const bool directive = s->directive;
            s->at++;
            newline(s);
            s->directive = directive;
            s->fresh = false;
            s->at++;
        } else if (*p == '\n') {
            newline(s);
            s->at++;
        } else if (*p && isspace((unsigned char)*p)) {
            s->at++;
        } else if (!skip_comment(s)) {
            return;
        }
    }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* At a '#'. Of a #define, past the name and the parameters; of others, past the
 * whole. */
static void skip_directive(scanner *s)
{
    const char *p = s->text;
    size_t at = s->at + 1;
    while (p[at] == ' ' || p[at] == '\t') at++;
    if (strncmp(p + at, "define", 6) == 0 && !is_word(p[at + 6])) {
        for (at += 6; p[at] == ' ' || p[at] == '\t'; at++) {
        }
        while (is_word(p[at])) at++;
        if (p[at] == '(')
            while (p[at] && p[at] != ')') at++;
        s->at = p[at] == ')' ? at + 1 : at;
        s->directive = true;
        s->fresh = false;
        return;
    }
    for (; p[s->at] && p[s->at] != '\n'; s->at++) {
        if (p[s->at] != '\\' || p[s->at + 1] != '\n') continue;
        s->at++;
        newline(s);
    }
}

static size_t quoted_length(const char *p)
{
    size_t n = 1;
    while (p[n] && p[n] != *p && p[n] != '\n') n += p[n] == '\\' && p[n + 1] ? 2 : 1;
    return p[n] == *p ? n + 1 : n;
}

static size_t number_length(const char *p)
{
    const bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    size_t n = 1;
    for (;; n++) {
        const char last = p[n - 1];
        const bool sign = p[n] == '+' || p[n] == '-';
        const bool exponent = hex ? last == 'p' || last == 'P' : last == 'e' || last == 'E';
        if (!is_word(p[n]) && p[n] != '.' && !(sign && exponent)) return n;
    }
}

static hn_token_kind number_kind(const char *p, size_t n)
{
    const bool hex = n > 1 && (p[1] == 'x' || p[1] == 'X');
    for (size_t i = 0; i < n; i++)
        if (p[i] == '.' || (hex ? p[i] == 'p' || p[i] == 'P' : p[i] == 'e' || p[i] == 'E'))
            return HN_REAL;
    return HN_INTEGER;
}

static size_t punctuation_length(const char *p)
{
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++)
        if (strncmp(p, punctuation[i], strlen(punctuation[i])) == 0) return strlen(punctuation[i]);
    return 1;
}

static int add(scanner *s)
{
    hn_tokens *out = s->out;
    const char *p = s->text + s->at;
    hn_token t = { .at = s->at,
                   .line = s->line,
                   .column = (unsigned)(s->at - s->line_start) + 1,
                   .directive = s->directive };
    if (out->n == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        hn_token *more = realloc(out->token, s->room * sizeof *more);
        if (!more) return -1;
        out->token = more;
    }
    if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
        t.length = number_length(p);
        t.kind = number_kind(p, t.length);
    } else if (is_word(*p)) {
        while (is_word(p[t.length])) t.length++;
        t.kind = HN_WORD;
    } else if (*p == '"' || *p == '\'') {
        t.length = quoted_length(p);
        t.kind = HN_QUOTED;
    } else {
        t.length = punctuation_length(p);
        t.kind = HN_PUNCTUATION;
    }
    s->at += t.length;
    out->token[out->n++] = t;
    return 0;
}

bool hn_token_is(const hn_tokens *tokens, size_t i, const char *word)
{
    return i < tokens->n && tokens->token[i].length == strlen(word) &&
           memcmp(tokens->text + tokens->token[i].at, word, tokens->token[i].length) == 0;
}

size_t hn_token_match(const hn_tokens *tokens, size_t i)
{
    size_t depth = 0;
    for (; i < tokens->n; i++) {
        const char c = tokens->text[tokens->token[i].at];
        if (tokens->token[i].kind != HN_PUNCTUATION) continue;
        if (c == '(' || c == '[' || c == '{') depth++;
        if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
    }
    return tokens->n;
}

static bool starts_with_type(const hn_tokens *t, size_t i)
{
    static const char *const words[] = { "const",  "static", "unsigned", "signed",   "int",
                                         "char",   "short",  "long",     "float",    "double",
                                         "void",   "bool",   "struct",   "union",    "enum",
                                         "size_t", "extern", "typedef",  "volatile", "register" };
    static const char *const others[] = { "return", "goto", "case", "else", "sizeof", "do" };
    if (i >= t->n || t->token[i].kind != HN_WORD) return false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (hn_token_is(t, i, words[k])) return true;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (hn_token_is(t, i, others[k])) return false;
    while (++i < t->n && hn_token_is(t, i, "*")) {
    }
    if (i >= t->n || t->token[i].kind != HN_WORD) return false;
    /* "a * b" is an expression, "a *b" declares: the sources are formatted */
    const hn_token *before = &t->token[i - 1];
    return before->kind == HN_WORD || before->at + 1 == t->token[i].at;
}

/* Whether a statement may start after token i. */
static bool ends_statement(const hn_tokens *t, size_t i, size_t header_end)
{
    return hn_token_is(t, i, ";") || hn_token_is(t, i, "{") || hn_token_is(t, i, "}") ||
           hn_token_is(t, i, "else") || hn_token_is(t, i, "do") || i == header_end;
}

static void mark_range(hn_tokens *t, size_t from, size_t to)
{
    for (size_t i = from; i <= to && i < t->n; i++) t->token[i].barred = true;
}

static bool is_header(const hn_tokens *t, size_t i)
{
    return hn_token_is(t, i, "if") || hn_token_is(t, i, "for") || hn_token_is(t, i, "while") ||
           hn_token_is(t, i, "switch");
}

static bool is_barred(const hn_tokens *t, size_t i)
{
    return hn_token_is(t, i, "assert") || hn_token_is(t, i, "_Static_assert") ||
           hn_token_is(t, i, "static_assert") || hn_token_is(t, i, "__attribute__");
}

/* Statements, declarations, depth, and what is barred. */
static void mark_statements(hn_tokens *t)
{
    size_t start = 0, header_end = t->n, spec_end = 0, header = 0;
    unsigned depth = 0;
    bool declaration = false, named_spec = false;
    for (size_t i = 0; i < t->n; i++) {
        hn_token *k = &t->token[i];
        const bool first = i == 0 || ends_statement(t, i - 1, header_end) ||
                           k->directive != t->token[i - 1].directive;
        /* the clauses of a for are statements too */
        const bool clause = i > 1 && hn_token_is(t, i - 1, "(") && hn_token_is(t, i - 2, "for");
        if (first || clause) {
            start = i;
            declaration = starts_with_type(t, i);
            named_spec = false;
        }
        k->declaration = declaration;
        k->statement = start;
        if (hn_token_is(t, i, "=")) k->declaration = declaration = false;
        named_spec |= hn_token_is(t, i, "ck_numspec");
        if (hn_token_is(t, i, "{") && named_spec) spec_end = hn_token_match(t, i);
        k->spec = i < spec_end;
        if (hn_token_is(t, i, "}") && depth > 0) depth--;
        k->depth = depth;
        if (hn_token_is(t, i, "{")) depth++;
        k->header = i < header;
        if (is_header(t, i) && hn_token_is(t, i + 1, "("))
            header = header_end = hn_token_match(t, i + 1);
        if (is_barred(t, i)) mark_range(t, i, hn_token_match(t, i));
    }
}

int hn_tokens_scan(hn_tokens *tokens, const char *text)
{
    scanner s = { .text = text, .line = 1, .fresh = true, .out = tokens };
    *tokens = (hn_tokens){ .text = text };
    for (skip_space(&s); text[s.at]; skip_space(&s)) {
        if (s.fresh && text[s.at] == '#') {
            skip_directive(&s);
            continue;
        }
        s.fresh = false;
        if (add(&s) != 0) return -1;
    }
    mark_statements(tokens);
    return 0;
}

void hn_tokens_free(hn_tokens *tokens)
{
    free(tokens->token);
    *tokens = (hn_tokens){ 0 };
}
