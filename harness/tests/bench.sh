#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of `ckparity bench`: bad input, skips, and that a wrong kernel is not timed.
#   bench.sh CKPARITY SOURCE CC
# Exit: 0 all well, 1 not.
set -eu
ckparity=$1 source=$2 cc=$3
test_name=bench command_words='bench'
. "$(dirname "$0")/lib.sh"

# subject NAME STATEMENT: a library whose gemm is right but for STATEMENT after it.
subject() {
    sed "s|^static const ck_numspec|static void $1(const void *args)\n{\n    const ck_gemm_args *g = args;\n    gemm_nt_f32_plain(g);\n    $2\n}\n\n&|
        s|gemm_nt_f32_plain,|$1,|; s|\"my_gemm\"|\"$1\"|" "$source/docs/examples/my_gemm.c" >"$1.c"
    "$cc" -std=c11 -O2 -D_GNU_SOURCE -ffp-contract=off -shared -fPIC -include stdlib.h \
        -I "$source/kernels/include/ck" "$1.c" -o "lib$1.so"
}
subject right ';'
subject last 'g->y[(g->m - 1) * g->ldy + g->n - 1] += 1;'
subject leaves 'exit(0);'

small='gemm_nt_f32 gen=1 M=3 N=5 K=7 fill=int'

bad 'nothing matches' nosuch
bad 'unknown key "Q"' "$small Q=1"
bad '--isa mmx' --isa mmx
bad '--budget 0' --budget 0
bad '--mode slow' --mode slow
bad './nowhere.so' --subject ./nowhere.so "$small"
bad '/nowhere/x.cases' --suite /nowhere/x.cases
printf 'gemm_nt_f32 gen=1 M=0 N=1 K=1\n' >bad.cases
bad 'bad.cases:1: ' --suite bad.cases
exits 2 --budget 0.05 --subject ./libright.so --json /nowhere/x.json "$small"
grep -qF '/nowhere/x.json' err || wrong '--json does not name its file'

missing=$("$ckparity" list | awk -F '\t' '$4 != "available" { print $3; exit }')
if [ -n "$missing" ]; then
    exits 77 --budget 0.1 --subject ./libright.so --isa "$missing"
    grep -q "^SKIP .* $missing: " out || wrong "--isa $missing: no SKIP"
fi

# --- right ones are timed and compared, all at least nine times
exits 0 --budget 0.2 --subject ./libright.so --json right.json "$small"
grep -q '^  right plain .*\[[0-9.]*, [0-9.]*\]' out || wrong 'no ratio to the peer'
grep -q '^  scalar ' out || wrong 'no row of ours'
grep -q ' 0 wrong$' out || wrong 'no sum'
grep -q '"n": [1-8],' right.json && wrong 'fewer than nine rounds'
grep -qE '20[0-9][0-9]-|"time"|"date"' right.json && wrong 'a time of day in the JSON'

# --- a win is printed where the interval lies beyond 1, and nowhere else
for file in right.json; do
    tr -d '\n' <$file | sed 's/{ "of"/\n&/g' | grep '^{ "of"' >ratios
    [ -s ratios ] || wrong "$file: no ratios"
    sed 's/.*"low": \([^,]*\), "high": \([^,]*\),.*"decision": "\([a-z]*\)".*/\1 \2 \3/' ratios |
        awk '{ want = $1 > 1 ? "win" : $2 < 1 ? "loss" : ""
            if ($3 != want) { print "interval " $1 " " $2 ": " $3; exit 1 } }' || wrong "$file"
done

# --- wrong ones are reported and not timed; the others are
for one in last leaves; do
    exits 1 --budget 0.1 --subject ./lib$one.so --subject ./libright.so --json $one.json "$small"
    grep -q "^  $one plain .*not timed: " out || wrong "$one: not reported"
    grep -q '^  right plain .* ns' out || wrong "$one: the other peer is not timed"
    grep -q ' 1 wrong$' out || wrong "$one: not counted"
    grep "\"subject\": \"$one\"" $one.json | grep -q '"n": 0 }' || wrong "$one: has times"
done
exits 0 --budget 0.1 --subject ./libright.so --isa sse41 --mode both "$small"
grep -q '^  sse41 strict ' out || wrong '--mode both: no strict row'
grep -q '^  avx2 .*[num]s ' out && wrong '--isa sse41: other rows'
grep -q '^  scalar ' out || wrong '--isa sse41: no baseline'

# --- products of codes are counted, and held to the peak of int8
exits 0 --budget 0.1 --subject ./libright.so --isa scalar --json codes.json \
    'gemm_nt_q8_0_q8_0 gen=1 M=2 N=3 K=64 fill=int'
says 'GOP/s'
grep -qF '"operations": 768,' codes.json || wrong 'not two operations a product of codes'

# --- operands that are not in a cache
exits 77 --budget 0.1 --cold --subject ./libright.so "$small"
grep -q 'SKIP operands are too small for --cold' out || wrong '--cold of a small case'
exits 0 --budget 0.1 --cold --subject ./libright.so --isa scalar \
    'gemm_nt_f32 gen=1 M=1 N=256 K=256 fill=int'
grep -q '^  scalar .* us .* DRAM\|^  scalar .* FMA' out || wrong '--cold: no ceiling'
exit $rc
