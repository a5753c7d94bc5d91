#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every command that README.md and docs/*.md show, page by page, and compares what they print.
#   docs.sh CKPARITY SOURCE            all pages, each in a folder of links to the tree
#   docs.sh CKPARITY SOURCE PAGE       this one in a copy of the tree, with its build in it
# What a page says:
#   - An indented line that begins with "$ ", or with a program of this tree (ci/, coverage/, build/,
#     ckparity, cmake, ctest), is a command. The rest of the indented block is what it prints: each
#     line is part of a line of the output, in this order; "..." in it is anything; "(exit N)" is the
#     exit code, 0 if not told.
#   - `A command` in the text, of these programs, has to be valid: its CASE, FILE, ... are replaced.
#   - A [link](PATH) leads to something in the tree.
#   - A fenced block is a file: ```c PATH, or ```c PATH, at the end, or ```c PATH, before START OF LINE.
# Exit: 0 all well, 1 not, 77 the CPU cannot run the page.
set -eu
ckparity=$1 source=$2 only=${3:-}
unset CK_ISA_MAX NO_COLOR CDPATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# What is not run here, and why. Of it the program, its options, presets and labels must exist.
elsewhere() { # COMMAND
    case $1 in
    ci/* | coverage/*) ;; # minutes, installs or writes; steps and tests of ci/test.sh run them
    ctest*) ;; # the tests themselves
    'cmake --preset '*) ;; # builds: ci/lib.sh does the same
    build/fuzz/*) ;; # needs the build of preset fuzz: ci/fuzz.sh
    *ckparity-mutate\ *) ;; # minutes
    # all of it: tests selftest, smoke, golden
    'ckparity selftest' | 'ckparity selftest --shrink' | 'ckparity run' | 'ckparity run --cells' | \
        'ckparity digest' | 'ckparity bounds') ;;
    *ckparity\ run\ --subject\ ggml*) ;; # needs ggml, from npm: ci/parity.sh
    *ckparity\ gdb*) ;; # needs gdb: harness/tests/tools.sh runs it with a false one
    *ckparity\ bisect\ * | 'git bisect run'*) ;; # builds old commits: harness/tests/bisect.sh
    *ckparity\ bench | *ckparity\ bench\ *) ;; # a minute, and figures that belong to a quiet machine
    *) return 1 ;;
    esac
}

rc=0
wrong() { # TEXT: notes a failure, with what was printed
    printf '%s: %s\n' "$page" "$1"
    sed 's/^/    out: /' "$tmp/out" | head -20
    rc=1
}

# Splits a page: "C command", "O output", "I inline command" and "F block target", block by block.
split='
function program(text) {
    return text ~ /^(ci\/[a-z]+\.sh|coverage\/[a-z]+\.sh|build\/[a-z]+\/[a-z_-]+( |$)|(ckparity|ckparity-mutate|cmake|ctest|git bisect run)( |$))/
}
/^```/ {
    if (fence) { close(fence); fence = ""; next }
    info = $0
    sub(/^```[a-z]* */, "", info)
    fence = tmp "/block." ++blocks
    printf "" >fence
    print "F", "block." blocks, info
    next
}
fence { print >fence; next }
/^    / {
    line = substr($0, 5)
    if (line ~ /^\$ / || program(line)) { sub(/^\$ /, "", line); print "C", line; open = 1 }
    else if (open) print "O", line
    next
}
{ open = 0 }
{
    rest = $0
    while (match(rest, /`[^`]+`/)) {
        span = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        gsub(/\\\|/, "|", span)
        if (program(span)) print "I", span
    }
}'

# Each line of `shown` is part of a line of `out`, in order.
compare='
function has(line, pattern, part, n, i, at) {
    n = split(pattern, part, "[.][.][.]")
    for (i = 1; i <= n; i++) {
        if (!(at = index(line, part[i]))) return 0
        line = substr(line, at + length(part[i]))
    }
    return 1
}
FNR == NR { want[++wanted] = $0; next }
met < wanted && has($0, want[met + 1]) { met++ }
END { if (met < wanted) { print want[met + 1]; exit 1 } }'

# has_option OPTION FILE...: quoted, or as a word of a script.
has_option() {
    option=$1
    shift
    grep -qE -- "(^|[\"' |([])$option([]\"' |)=]|\$)" "$@" || wrong "$program has no $option"
}

# known COMMAND: its program, options, presets and labels exist.
known() {
    set -f
    # shellcheck disable=SC2086
    set -- $1
    set +f
    program=$1 files=
    case $program in
    ci/* | coverage/*)
        files=$source/$program
        sh -n "$files" >"$tmp/out" 2>&1 || wrong "sh -n $program"
        [ -x "$files" ] || wrong "$program cannot be executed"
        ;;
    *ckparity-mutate) files="$source/harness/mutate/main.c" ;;
    *ckparity) files="$source/harness/main.c $source/harness/bisect.c" ;;
    build/fuzz/*) grep -q "${program##*/}" "$source/fuzz/fuzz.cmake" || wrong "no target $program" ;;
    esac
    while shift && [ $# -gt 0 ]; do
        case $1 in
        --preset) grep -qF "\"name\": \"${2:-}\"" "$source/CMakePresets.json" || wrong "no preset ${2:-}" ;;
        -L) grep -rqwF --include='*.cmake' -e "${2:-}" "$source"/[a-z]*/ || wrong "no label ${2:-}" ;;
        '#') break ;;
        --* | '[--'*)
            word=${1#\[}
            # shellcheck disable=SC2086
            [ -z "$files" ] || has_option "${word%%[=\]]*}" $files
            ;;
        esac
    done
}

# run COMMAND: its output, both streams of it, is in out.
run() {
    got=0
    (cd "$tree" && PATH=$bin:$PATH timeout 300 sh -c "$1") >"$tmp/out" 2>&1 </dev/null || got=$?
}

# inline COMMAND: valid, with something in the place of what it leaves open.
inline() {
    case $1 in *ckparity | *ckparity-mutate) return 0 ;; esac # only a name
    if elsewhere "$1"; then
        known "$1"
        return
    fi
    run "$(printf '%s' "$1" | sed "s/'CASE'/'$case'/; s/'RUNTIME'/'$runtime'/; s/'LINE'/'$case'/; s/FILE/small.cases/")"
    case $got in
    0 | 1 | 77) ;;
    *) wrong "exit $got: $1" ;;
    esac
}

# finish: compares what the last command of a block printed.
finish() {
    [ -n "$command" ] || return 0
    [ "$got" = "$wanted" ] || wrong "exit $got, wanted $wanted: $command"
    if [ -s "$tmp/shown" ]; then
        missing=$(awk "$compare" "$tmp/shown" "$tmp/out") || wrong "$command: prints no \"$missing\""
    fi
    command=
}

# place BLOCK TARGET: the file that a fenced block is, or belongs into.
place() {
    path=${2%%,*}
    mkdir -p "$tree/$(dirname "$path")"
    case $2 in
    *', at the end') cat "$tmp/$1" >>"$tree/$path" ;;
    *', before '*)
        awk -v block="$tmp/$1" -v start="${2#*, before }" '
            !done && index($0, start) == 1 { while ((getline line < block) > 0) print line; done = 1 }
            { print }
            END { exit !done }' "$tree/$path" >"$tmp/changed" || wrong "$path has no line ${2#*, before }"
        cp "$tmp/changed" "$tree/$path"
        ;;
    *)
        [ ! -e "$tree/$path" ] || wrong "$path is there already"
        cp "$tmp/$1" "$tree/$path"
        ;;
    esac
}

# links PAGE: all of them lead somewhere.
links() {
    grep -o '](\([^)#:]*\)[)#]' "$source/$1" | sed 's/^](//; s/[)#]$//' | sort -u >"$tmp/links"
    while read -r link; do
        [ -e "$source/$(dirname "$1")/$link" ] || wrong "a link leads to no $link"
    done <"$tmp/links"
}

# follow PAGE: does what it says.
follow() {
    links "$1"
    command='' commands=0
    awk -v tmp="$tmp" -v OFS='\t' "$split" "$source/$1" >"$tmp/split"
    while IFS='	' read -r kind text target; do
        case $kind in
        O)
            case $text in
            '(exit '*) wanted=${text#(exit } wanted=${wanted%)} ;;
            *) [ -z "$command" ] || printf '%s\n' "$text${target:+	$target}" >>"$tmp/shown" ;;
            esac
            continue
            ;;
        esac
        finish
        case $kind in
        I) inline "$text" ;;
        F) place "$text" "$target" ;;
        C)
            commands=$((commands + 1))
            if [ -z "$only" ] && elsewhere "$text"; then
                known "$text"
                continue
            fi
            command=$text wanted=0
            : >"$tmp/shown"
            run "$text"
            ;;
        esac
    done <"$tmp/split"
    finish
}

case='gemm_nt_f32 gen=1 M=2 N=3 K=4'
runtime='runtime isa=scalar gen=1 L=1 D=8 I=8 H=2 G=1 hd=4 V=9 T=3'
bin=$(dirname "$ckparity")
if [ -n "$only" ]; then
    "$ckparity" list | grep -q '_avx2	.*	available$' || exit 77 # the page's example is for AVX2
    page=$only tree=$tmp/tree
    mkdir "$tree"
    (cd "$source" && tar -c --exclude=./build --exclude=./.git .) | tar -x -C "$tree"
    # ccache then finds what an earlier copy, elsewhere, was compiled to
    export CCACHE_BASEDIR="$tree" CCACHE_NOHASHDIR=1
    bin=$tree/build/release
    follow "$only"
    [ "$commands" -gt 0 ] || wrong 'shows no command'
    exit "$rc"
fi
# names ARRAY: the words of that table of harness/compare.c.
names() {
    sed -n "/const $1\\[/,/};/p" "$source/harness/compare.c" | grep -o '"[^"]*"' | tr -d '"' | grep -vx none
}
# lists PAGE SECTION ARRAY: its table has a row for each name and no other.
lists() {
    page=$1
    names "$3" | LC_ALL=C sort >"$tmp/want"
    awk -v title="## $2" '/^## / { on = $0 == title } on' "$source/$1" | sed -n 's/^| \(`[^|]*`\) |.*/\1/p' |
        tr -d '`' | LC_ALL=C sort >"$tmp/got"
    diff "$tmp/want" "$tmp/got" >"$tmp/out" || wrong "## $2 is not the list of $3"
}
lists docs/verdicts.md Verdicts hn_verdict_names
lists docs/verdicts.md Checks hn_check_names

gcc -std=c11 -O2 -ffp-contract=off -shared -fPIC -I "$source/kernels/include/ck" \
    "$source/docs/examples/my_gemm.c" -o "$tmp/libmine.so"
for page in README.md $(cd "$source" && find docs -name '*.md' | LC_ALL=C sort); do
    [ "$page" != docs/add-a-kernel.md ] || continue # in a copy, with its own build
    tree=$tmp/tree
    rm -rf "$tree"
    mkdir -p "$tree/build"
    for entry in "$source"/*; do
        [ "${entry##*/}" = build ] || ln -s "$entry" "$tree/"
    done
    ln -s "$bin" "$tree/build/release"
    printf 'exp_f32 N=1..3\n' >"$tree/small.cases"
    cp "$tmp/libmine.so" "$tree/"
    follow "$page"
done
exit "$rc"
