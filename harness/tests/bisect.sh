#!/bin/sh
# SPDX-License-Identifier: MIT
# Bisects a history made for it: 72 commits over the kernels of this tree, with a wrong value, a change
# of bits that no radius shows, a crash, and commits that do not build.
#   bisect.sh CKPARITY SOURCE CC [TIMES]     TIMES: a file that gets the seconds of each bisection
# Exit: 0 all well, 1 not, 77 git or cmake is missing.
set -eu
ckparity=$1 source=$2 cc=$3 times=${4:-/dev/null}
for tool in git cmake ninja; do
    command -v $tool >/dev/null || { echo "SKIP $tool is missing"; exit 77; }
done
unset CK_ISA_MAX CCACHE_BASEDIR GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/tree" "$tmp/tmp"
export TMPDIR="$tmp/tmp" CC="$cc" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
    GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org \
    GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org

rc=0
wrong() { # TEXT: notes a failure, with what was printed
    printf 'bisect: %s\n' "$1"
    sed 's/^/    out: /' "$tmp/out" | head -12
    sed 's/^/    err: /' "$tmp/err" | head -4
    rc=1
}
exits() { # STATUS ARGUMENT...: runs ckparity bisect; its output is in out and err
    want=$1 got=0
    shift
    began=$(date +%s)
    rm -rf "$tmp/found"
    "$ckparity" bisect --out "$tmp/found" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || got=$?
    echo $(($(date +%s) - began)) >>"$times"
    [ "$got" = "$want" ] || wrong "bisect $*: exit $got, wanted $want"
    [ -z "$(ls "$tmp/tmp")" ] || wrong "bisect $*: leaves $(ls "$tmp/tmp")"
}
says() { grep -qF -- "$1" "$tmp/out" || wrong "stdout does not say \"$1\""; }
bad() { # TEXT ARGUMENT...: exit 2, one line on stderr that says TEXT
    text=$1
    shift
    exits 2 "$@"
    grep -qF -- "$text" "$tmp/err" || wrong "bisect $*: stderr does not say \"$text\""
}
hash_of() { git log --format=%H --grep="^$1\$"; }

# --- the history
(cd "$source" && tar cf - CMakeLists.txt kernels) | (cd "$tmp/tree" && tar xf -)
cd "$tmp/tree"
# Nothing else is built, and of most ops no kernel, so that a revision takes seconds.
sed -i '/^include(/{/(kernels/!d}' CMakeLists.txt
used='gemm, gemm_nt, f32|softmax, |unary, exp, |(de)?quant(ize)?, .*_row, q8_0'
sed -i -n -E "/^CK_KERNEL/!p; /^CK_KERNEL\(($used)/p" kernels/kernels.def
git init -q .
git add -A
git commit -q -m 'Start'
plant() { # FILE SED-COMMAND: changes FILE, or the test has outlived its tree
    sed "$2" "$1" >"$tmp/new"
    ! cmp -s "$tmp/new" "$1" || wrong "nothing to plant in $1: $2"
    cat "$tmp/new" >"$1"
}
gemm=kernels/gemm_nt/gemm_nt_f32.h
for i in $(seq 71); do
    title="Commit $i"
    case $i in
    23) title='Add the bias to c first'
        plant kernels/gemm_f32.h 's/^\( *\)if (g->beta != 0.0f) y = ck_vf_muladd(beta, \(.*\), y);$/\1const ck_vf c = g->beta != 0.0f ? ck_vf_mul(beta, \2) : ck_vf_set1(0.0f);/
            s/^\( *\)if (g->bias) y = ck_vf_add(y, \(.*\));$/\1y = ck_vf_add(y, g->bias ? ck_vf_add(c, \2) : c);/' ;;
    41) title='Simplify the quantiser'
        plant kernels/quantize_row/quantize_row_q8_0_scalar.c 's/CK_Q8_0_BLOCK; e++/CK_Q8_0_BLOCK - 1; e++/' ;;
    57) title='Tidy softmax'
        plant kernels/softmax_causal/softmax_causal_f32.h '0,/^{$/s//{\n    __builtin_trap();/' ;;
    33 | 34 | 35 | 36) plant kernels/exp/exp_f32.h '$s/$/ @/' ;;
    37) title='Mend the build'
        git checkout -q "HEAD~4" -- kernels/exp/exp_f32.h
        plant kernels/dequant_row/dequant_row_q8_0_scalar.c 's/CK_Q8_0_BLOCK; e++/CK_Q8_0_BLOCK - 1; e++/' ;;
    50) echo 'no_such_command()' >>CMakeLists.txt ;;
    51) git checkout -q "HEAD~2" -- CMakeLists.txt ;;
    *) [ $((i % 3)) = 0 ] && plant $gemm "2s| \*/\$| $i */|" ;;
    esac
    echo "$i" >>notes
    git add -A
    git commit -q -m "$title"
done
echo 'not to be touched' >>notes
git status --porcelain >"$tmp/before"
git worktree list >>"$tmp/before"
first=$(git rev-list HEAD | tail -n 1)

# --- a wrong value: the commit, the op, the element
exits 0 --good "$first" --bad HEAD 'quantize_row_q8_0 isa=scalar gen=1 K=64 seed=1'
says "first bad $(hash_of 'Simplify the quantiser')"
says 'subject   Simplify the quantiser'
says 'op        quantize_row_q8_0_scalar fast'
says 'verdict   FAIL'
says 'kernels/quantize_row/quantize_row_q8_0_scalar.c | '
says 'does not build: '
grep -q '^element   y\[0,' "$tmp/out" || wrong 'no element'
says "shrunk    'quantize_row_q8_0 isa=scalar mode=fast gen=1 K=32 "

grep -A1 '^repro  ' "$tmp/out" | sed -n '2p' >"$tmp/build.sh"
got=0
(cd "$source" && sh "$tmp/build.sh") >"$tmp/repro" 2>&1 || got=$?
[ "$got" = 1 ] || wrong "the C file of the report: exit $got, wanted 1: $(head -3 "$tmp/repro")"

# --- bits only: by a case, then by the line of a golden file
bits='gemm_nt_f32 isa=scalar mode=fast gen=1 M=3 N=5 K=9 beta=0.5 bias=1 seed=2'
exits 0 --good "$first" --bad HEAD --digest "$bits"
says "first bad $(hash_of 'Add the bias to c first')"
says ' ulp'
line=$(sed -n "s/^    echo '\(.*\)' |\$/\1/p" "$tmp/out")
exits 0 --good "$first" --bad HEAD --digest "$line"
says "first bad $(hash_of 'Add the bias to c first')"
exits 1 --good "$first" --bad HEAD "$bits"
says 'not reproducible: the bad end is good'

# --- a crash; the good end may be any ancestor
exits 0 --repo "$tmp/tree" --good HEAD~19 --bad HEAD~3 'softmax_causal_f32 gen=1 H=1 T=4 seed=1'
says "first bad $(hash_of 'Tidy softmax')"
says 'verdict   CRASH'

# --- between the last good and the first bad is only what does not build
exits 0 --good "$(hash_of 'Commit 32')" --bad "$(hash_of 'Simplify the quantiser')" \
    'dequant_row_q8_0 isa=scalar gen=1 K=64 seed=1'
says "first bad $(hash_of 'Mend the build')"
says 'it is this one or one of the 4 before it, which cannot be tested'

# --- ends that are not as they should be, bad input
exits 1 --good HEAD~3 --bad HEAD 'softmax_causal_f32 gen=1 H=1 T=4 seed=1'
says 'not reproducible: the good end is bad: CRASH'
bad 'is no ancestor' --good HEAD --bad HEAD~3 "$bits"
bad 'no commit nowhere' --good nowhere --bad HEAD "$bits"
bad 'unknown key "Q"' --good HEAD~1 --bad HEAD "$bits Q=1"
bad 'needs --good REV and --bad REV' "$bits"

# --- libraries and compilers
"$cc" -std=c11 -O2 -ffp-contract=off -shared -fPIC -I "$source/kernels/include/ck" \
    "$source/docs/examples/my_gemm.c" -o right.so
sed 's/size_t l = 0;/size_t l = 1;/' "$source/docs/examples/my_gemm.c" >"$tmp/wrong.c"
"$cc" -std=c11 -O2 -ffp-contract=off -shared -fPIC -I "$source/kernels/include/ck" "$tmp/wrong.c" \
    -o wrong.so
cp right.so right2.so
cp wrong.so wrong2.so
echo >broken.so
exits 0 'gemm_nt_f32 gen=1 M=2 N=3 K=4' --libs right.so broken.so right2.so wrong.so wrong2.so
says 'first bad wrong.so'
rm ./*.so
exits 0 --compilers "$cc no-such-compiler" --isas 'scalar sse41' \
    'quantize_row_q8_0 isa=sse41 gen=1 K=64 seed=1'
says 'no-such-compiler'
grep -qE "^$cc +FAIL [a-z]+ +ok" "$tmp/out" || wrong 'no line of the compiler'
exits 1 --isas scalar "$bits"

# --- the checkout, its worktrees and the temporary folder are as they were
git status --porcelain >"$tmp/after"
git worktree list >>"$tmp/after"
cmp -s "$tmp/before" "$tmp/after" || wrong 'the checkout has changed'
exit "$rc"
