#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of the commands about one case, on faults planted in docs/examples/my_gemm.c.
#   tools.sh CKPARITY SOURCE CC
# Exit: 0 all well, 1 not.
set -eu
ckparity=$1 source=$2 cc=$3
test_name=tools command_words=''
. "$(dirname "$0")/lib.sh"

library() { # NAME: builds NAME.c
    "$cc" -std=c11 -O2 -ffp-contract=off -shared -fPIC -I "$source/kernels/include/ck" \
        -include stdlib.h -include xmmintrin.h "$1.c" -o "$1.so"
}
example=$source/docs/examples/my_gemm.c
cp "$example" right.c
library right

# shows STATUS COMMAND: builds an emitted file by its own command, without a warning, and runs it.
shows() {
    want=$1 got=0
    binary=${2##*./}
    rm -f "$binary"
    eval "$(printf '%s' "$2" | sed 's/^gcc /gcc -Wall -Wextra -Werror /')" >out 2>err || got=$?
    [ -x "$binary" ] || wrong "emitted file: does not compile: $2"
    [ "$got" = "$want" ] || wrong "emitted file: exit $got, wanted $want: $2"
}

emits() { # CASE: its file shows the fault of $name, and nothing of the library without it
    exits 0 emit-c "$1" --subject "./$name.so" -o "$name.repro.c"
    command=$(cat out)
    grep -qF "//   $command" "$name.repro.c" || wrong "$name: the file does not say its command"
    shows 1 "$command"
    shows 0 "$(printf '%s' "$command" | sed "s|\./$name\.so|./right.so|")"
}

# plant NAME CHECK SHRUNK KEYS SED: the fault is reported, explained, shrunk, and shown by a C file.
plant() {
    name=$1 check=$2 shrunk=$3 case="gemm_nt_f32 gen=1 $4"
    sed "$5" "$example" >"$name.c"
    cmp -s "$name.c" "$example" && wrong "$name: no fault planted"
    library "$name"
    exits 1 run --subject "./$name.so" "$case"
    says " gemm_nt_f32_plain fast: $check: "
    exits 1 explain --subject "./$name.so" "$case"
    says "gemm_nt_f32_plain"
    says "$check"
    exits 0 shrink "$case" --subject "./$name.so"
    line=$(cat out)
    [ "$line" = "gemm_nt_f32 isa=plain mode=fast gen=1 $shrunk" ] || wrong "$name: shrunk otherwise"
    exits 1 run --subject "./$name.so" "$line"
    says ": $check: "
    case $name in
    hang | slack | stride | batch) emits "$case" ;; # some as they were found
    *) emits "$line" ;;
    esac
}
at_start() { printf 's/= args;$/= args; %s/' "$1"; }
some='M=3 N=5 K=9 ldy=7 lda=12 ldb=11 seed=7f31 at=a:m3'

plant tail value 'M=1 N=1 K=1 fill=int' "$some" 's/l < g->k;/l < g->k \/ 8 * 8;/'
plant stride junk 'M=1 N=2 K=1 ldb=11 fill=int' "$some" 's/j \* g->ldb/j * g->k/'
plant over_read guard 'M=1 N=1 K=0 fill=int' 'M=3 N=5 K=9 seed=3' \
    "$(at_start 'volatile float x = g->a[(g->m - 1) * g->lda + g->k]; (void)x;')"
plant slack slack 'M=1 N=1 K=0 ldy=7 at=y:m0 fill=int' "$some,y:m0" \
    's/float sum = 0;/float sum = 0; if (g->ldy > g->n) g->y[i * g->ldy + g->n] = 0;/'
plant reads_c junk 'M=1 N=1 K=0 fill=int' "$some" 's/if (g->beta != 0) //'
plant last_column unwritten 'M=1 N=1 K=0 fill=int' "$some" 's/j < g->n;/j + 1 < g->n;/'
plant input input 'M=1 N=1 K=1 fill=int' "$some" \
    "$(at_start 'if (g->k) *(float *)(unsigned long)g->b += 1;')"
plant stale prefill 'M=1 N=1 K=1 fill=int' 'M=3 N=5 K=9 fill=int seed=4' 's/ldy + j\] = y/ldy + j] += y/'
plant hang hang 'M=1 N=3 K=0 fill=int' "$some" \
    "$(at_start 'while (g->n >= 3) __asm__ volatile("");')"
plant crash crash 'M=1 N=1 K=2 fill=int' "$some" \
    "$(at_start 'if (g->k > 1) *(volatile int *)8 = 0;')"
plant exits crash 'M=2 N=1 K=0 fill=int' "$some" "$(at_start 'if (g->m > 1) exit(0);')"
plant repeat repeat 'M=1 N=1 K=0 fill=int' "$some" \
    's/float sum = 0;/static float calls; float sum = calls += 1;/'
plant batch batch 'M=2 N=1 K=0 fill=int' "$some" 's/float sum = 0;/float sum = g->m == 1;/'
plant alias alias 'M=1 N=1 K=0 beta=1 fill=int' 'M=3 N=5 K=9 beta=1 seed=2' \
    's/float y = g/g->y[i * g->ldy + j] = 0; float y = g/'
plant fpenv fpenv 'M=1 N=1 K=0 fill=int' "$some" "$(at_start '_mm_setcsr(0x9fc0);')"
plant abi abi 'M=1 N=1 K=0 fill=int' "$some" "$(at_start '__asm__ volatile("std");')"

# --- our own kernels, where they can be linked with
if ! nm -D "$(dirname "$ckparity")/libck.so" | grep -q ' U __asan_init'; then
    for case in 'gemm_nt_f32 gen=1 M=2 N=3 K=9 fp=up fill=edge seed=7' \
        'gemm_nt_q8_0_q8_0 gen=1 M=2 N=3 K=64 bias=1 at=a:m3' \
        'softmax_causal_f32 mode=strict gen=1 H=2 T=5 pad=3 ldx=9 fill=edge seed=3' \
        'gemm_nt_bf16_bf16_bf16 gen=1 M=2 N=3 K=9 bias=1 seed=7' \
        'gemm_nt_f16_f16_f16 gen=1 M=2 N=3 K=9 fill=edge seed=7' \
        'exp_f32 gen=1 N=33 fill=edge seed=1' 'quantize_row_q8_0 gen=1 K=64 fill=edge' \
        'dequant_row_q8_0 gen=1 K=64 fill=edge' 'pack_q4_k_q4_kx8 gen=1 M=9 K=512 ldy=3' \
        'gemm_nt_q4_0x8_q8_0 gen=1 M=2 N=9 K=64 at=a:m3' 'pack_q4_0_q4_0x8 gen=1 M=9 K=64' \
        'gemm_nt_q4_kx8_q8_k gen=1 M=2 N=9 K=256 bias=1 at=a:m3'; do
        exits 0 explain "$case"
        says 'address mod 64'
        exits 0 emit-c "$case" -o right.repro.c
        shows 0 "$(cat out)"
        says 'nothing wrong: '
    done
    "$ckparity" emit-c "$case" >right.repro.c
    grep -qF 'repro.c -L ' right.repro.c || wrong 'emit-c does not write to standard output'
fi

# --- captured operands: the same bits, or STALE
for case in 'gemm_nt_f32 isa=scalar gen=1 M=3 N=4 K=7 beta=0.5 bias=1 lda=9 seed=9' \
    'softmax_causal_f32 isa=scalar gen=1 H=2 T=5 seed=9' 'dequant_row_q8_0 isa=scalar gen=1 K=64'; do
    rm -rf data data.again
    exits 0 run "$case" --dump-operands data
    line=$(sed -n "s/^replay  ckparity run '\(.*\)'$/\1/p" out)
    exits 0 run "$line"
    exits 0 explain "$line" --dump-operands data.again
    diff -r data data.again >out || wrong 'other data when dumped again'
    exits 0 explain "$case"
    grep '^  got' out >first
    exits 0 explain "$line"
    grep '^  got' out | cmp -s - first || wrong 'the replayed case has other results'
    printf '%s   # why\n' "$line" >file.cases
    exits 0 run --suite file.cases --isa scalar
    exits 1 run "$(printf '%s' "$line" | sed 's/#................/#0123456789abcdef/')"
    says 'STALE '
    printf x >>"$(find data -name '*.bin' | head -1)"
    exits 1 run "$line"
    says 'no more and no less'
    rm -rf data
    exits 2 explain "$line"
    exits 2 emit-c "$line"
    complains STALE
done
for bad in file:data file:#0123456789abcdef file:data#12 file:data#0123456789ABCDEF; do
    exits 2 run "exp_f32 gen=1 N=3 fill=$bad"
    complains 'is no file:DIR#HASH'
done
exits 2 run exp --dump-operands data
complains 'needs run or explain, and one case'
exits 2 shrink 'exp_f32 gen=1 N=3' --dump-operands data
exits 2 run 'exp_f32 gen=1 N=3' --dump-operands 'da ta'

# --- what cannot be done is one line
good='gemm_nt_f32 gen=1 M=2 N=3 K=4'
for command in explain shrink emit-c gdb call; do
    exits 2 $command
    complains "$command needs one 'CASE'"
    exits 2 $command "$good Q=1"
    complains 'unknown key "Q"'
    exits 2 $command "$good isa=plain"
    complains 'no kernel of gemm_nt_f32 takes this case'
    exits 2 $command "$good" --subject ./nowhere.so
done
exits 1 shrink "$good"
complains 'the case does not fail'
exits 2 emit-c "$good" -o /nowhere/x.c
complains /nowhere/x.c
exits 2 emit-c 'gemm_nt_f32 gen=1 M=400 N=400 K=40000'
complains 'shrink it first'
exits 2 run --format vi
complains 'is not editor'

# --- what a kernel demands of its caller
demand() { # NAME FIELD: a library whose numspec has this field
    sed "s/\.lanes = 1,/.lanes = 1, $2,/" "$example" >"$1.c"
    library "$1"
}
demand eights '.k_multiple = 8'
exits 0 run --subject ./eights.so 'gemm_nt_f32 gen=1 M=2 N=3 K=16'
exits 77 run --subject ./eights.so 'gemm_nt_f32 gen=1 M=2 N=3 K=15'
says '0 passed, 0 failed, 1 skipped'
demand aligned '.align = 64'
exits 0 run --subject ./aligned.so 'gemm_nt_f32 gen=1 M=2 N=3 K=16 at=y:m0,a:m0,b:m0,c:m0,v:m0'
exits 77 run --subject ./aligned.so 'gemm_nt_f32 gen=1 M=2 N=3 K=16 at=y:m1,a:m0,b:m0,c:m0,v:m0'
demand scratch '.workspace = (void *)gemm_nt_f32_plain'
exits 2 run --subject ./scratch.so
complains 'spec->workspace is not supported'

# --- cells
demand tile '.mr = 2, .nr = 3'
exits 0 run --subject ./tile.so 'gemm_nt_f32 gen=1 M=1 N=1 K=1'
exits 1 run --subject ./tile.so --cells 'gemm_nt_f32 gen=1 M=1 N=1 K=1'
says 'gemm_nt_f32_plain fast: not run: M % 2 = 0; '
says '1 rows lack cells'

# --- lines for editors: of our own kernels, the definition
exits 1 run --subject ./tail.so --format editor "$good"
grep -q '^\./tail\.so:1: error: value: .*\[gemm_nt_f32 isa=plain ' out || wrong 'no line for editors'

# --- a debugger
mkdir bin
printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >bin/gdb
chmod +x bin/gdb
PATH=$tmp/bin:$PATH "$ckparity" gdb "$good" --subject ./right.so >out
says 'break *'"\$rdi"
[ "$(sed -n '/^--args$/,$p' out | sed -n '3,6p' | tr '\n' '|')" = "call|$good|--subject|./right.so|" ] ||
    wrong 'gdb gets other arguments'
PATH=/nowhere "$ckparity" gdb "$good" >out 2>err && wrong 'gdb without gdb'
complains 'gdb: it is not installed'
exits 0 call "$good" --subject ./right.so
says 'it returned'

# --- completion
if command -v bash >/dev/null; then
    cat >complete.sh <<'E2'
. "$1/ci/completion.bash"
binary=$2
ckparity() { "$binary" "$@"; }
try() { COMP_WORDS=(ckparity "$@") COMP_CWORD=$#; _ckparity; printf '%s\n' "${COMPREPLY[@]}"; }
try sh
try run --mo
try run gemm_nt_f32_sc
try run --isa sca
try explain gemv_f
E2
    bash complete.sh "$source" "$ckparity" >out 2>err || wrong 'completion fails'
    [ "$(tr '\n' ' ' <out)" = 'shrink --mode gemm_nt_f32_scalar scalar gemv_f32 ' ] ||
        wrong 'other completions'
fi

exit "$rc"
