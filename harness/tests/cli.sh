#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of the command line: exit codes, messages, and what does not change from run to run.
#   cli.sh CKPARITY SOURCE CC
# Exit: 0 all well, 1 not.
set -eu
ckparity=$1 source=$2 cc=$3
test_name=cli command_words=''
. "$(dirname "$0")/lib.sh"

cat >small.cases <<'E2'
gemm_nt_f32 repeat=40    # a few of each
gemm_nt_q8_0_q8_0 repeat=40
softmax_causal_f32 repeat=40
exp_f32 N=1..40
quantize_row_q8_0 fill=int,unit repeat=20
dequant_row_q8_0 fill=int,unit repeat=20
E2
printf 'gemm_nt_f32 repeat=300\n' >gemm.cases

# --- bad input
good='gemm_nt_f32 gen=1 M=2 N=3 K=4'
bad 'unknown key "Q"' run "$good Q=1"
bad "case '$good lda=3': lda=3 is below" run "$good lda=3"
bad 'no op "gemm_nt_f99"' run 'gemm_nt_f99 gen=1 M=1'
bad 'needs K=' run 'gemm_nt_f32 gen=1 M=2 N=3'
bad 'nothing matches nosuch' run nosuch
bad 'no mutant matches nosuch' selftest nosuch
bad '--isa mmx' run --isa mmx
bad '--require-isa mmx' run --require-isa mmx
bad '/nowhere/x.cases' run --suite /nowhere/x.cases
printf '# fine\ngemm_nt_f32 M=1..x\n' >bad.cases
bad 'bad.cases:2: M=1..x' run --suite bad.cases
bad '--subject ./bad.cases' run --subject ./bad.cases
bad '--subject ./nowhere.so' run --subject ./nowhere.so
printf 'int nothing;\n' >nothing.c
"$cc" -shared -fPIC nothing.c -o nothing.so
bad 'exports no ck_subject_v1' run --subject ./nothing.so
bad '--mode slow' run --mode slow
bad '--mode needs a value' run --mode
bad '--seed xyz' run --seed xyz
bad '--seed -1' run --seed -1
bad '--jobs 0' run --jobs 0
bad '--jobs two' run --jobs=two
bad '--seeds 0' selftest --seeds 0
bad '--budget -1' run --budget -1
bad '--budget nan' run --budget nan
bad '--exit-style git' run --exit-style git
bad 'unknown option --colour' run --colour red
bad 'unknown command walk' walk
bad '/nowhere/known' run --expect /nowhere/known
printf 'gemm_nt_f32_avx2 fast FAIL value\n' >known
bad 'known:1: ' run --expect known
exits 2
grep -q 'ckparity run' err || wrong 'no usage on stderr'
exits 0 --help
says 'ckparity run'
exits 2 run --suite small.cases --json /nowhere/x.json
grep -qF '/nowhere/x.json' err || wrong '--json does not name its file'

# --- list
exits 0 list
awk -F '\t' 'NF != 4 { exit 1 }' out || wrong 'list has a line without 4 fields'
cut -f 1 out | LC_ALL=C sort | uniq -d | grep . && wrong 'list names a kernel twice'
missing=$(awk -F '\t' '$4 != "available" { print $3; exit }' out)
avx2=$(awk -F '\t' '$3 == "avx2" && $4 == "available" { print 1; exit }' out)

# --- runs
exits 0 run --suite small.cases
says ' 0 failed, '
[ -s err ] && wrong 'a good run is not silent on stderr'
grep -q "$(printf '\033')" out && wrong 'color in a pipe'
awk '/^$/ { exit } length > 80 { exit 1 }' out || wrong 'the table is wider than 80 columns'
exits 0 run "$good" "$good isa=scalar mode=strict fill=int seed=7"
exits 0 run --suite small.cases exp softmax_causal_f32_scalar '*_q8_0_scalar'
grep -q '^gemm_nt_f32' out && wrong 'the filter lets gemm_nt_f32 pass'

if [ -n "$missing" ]; then
    exits 1 run --suite small.cases --require-isa "$missing"
    grep -qF -- "--require-isa $missing: " err || wrong "--require-isa $missing does not say why"
    exits 77 run --suite small.cases --isa "$missing"
    says SKIP
fi

# --- the cap on instruction sets
for cap in avx2 sse41 scalar; do
    export CK_ISA_MAX=$cap
    exits 0 list
    awk -F '\t' -v cap=$cap '
        $3 ~ /avx512|vnni/ || ($3 == "avx2" && cap != "avx2") || ($3 == "sse41" && cap == "scalar") {
            if ($4 == "available") exit 1 }' out || wrong "CK_ISA_MAX=$cap leaves too much"
    grep -q 'scalar	available' out || wrong "CK_ISA_MAX=$cap leaves no scalar"
    exits 0 run --suite small.cases exp
done
if [ -n "$avx2" ]; then
    exits 77 run --suite small.cases --isa avx2
    exits 1 run --suite small.cases --require-isa avx2
fi
export CK_ISA_MAX=bogus
exits 2 run
grep -qF bogus err || wrong 'CK_ISA_MAX=bogus is not named'
unset CK_ISA_MAX

# --- the same run again
for seed in 1 2b; do
    exits 0 run --suite small.cases --seed $seed --jobs 1 --json $seed.json --junit $seed.xml
    mv out $seed.out
done
cmp -s 1.json 2b.json && wrong 'another seed, the same report'
says_same() { # NAME: as the run of seed 1 said
    cmp -s 1.out out || wrong "$1: other output"
    cmp -s 1.json again.json || wrong "$1: other JSON"
    cmp -s 1.xml again.xml || wrong "$1: other JUnit"
}
exits 0 run --suite small.cases --seed 1 --jobs 1 --json again.json --junit again.xml
says_same 'the same seed'
for jobs in 2 3; do
    exits 0 run --suite small.cases --seed 1 --jobs $jobs --json again.json --junit again.xml
    says_same "$jobs jobs"
done
ls ./*.tmp 2>/dev/null && wrong 'a temporary file is left'

# --- the subject of the documentation
example=$source/docs/examples/my_gemm.c
library() { "$cc" -std=c11 -O2 -ffp-contract=off -shared -fPIC -I "$source/kernels/include/ck" "$1" -o "$2"; }
library "$example" my_gemm.so
exits 0 run --subject ./my_gemm.so --suite gemm.cases
says gemm_nt_f32
sed 's/size_t l = 0;/size_t l = 1;/' "$example" >wrong.c
cmp -s wrong.c "$example" && wrong 'no fault planted'
library wrong.c wrong.so
exits 1 run --subject ./wrong.so --suite gemm.cases
says 'FAIL gemm_nt_f32_plain fast: value'
says "ckparity run 'gemm_nt_f32 isa=plain"
mv out first.out
exits 1 run --subject ./wrong.so --suite gemm.cases
# how far shrinking comes depends on the time it takes
for run in first.out out; do sed '/^    shrunk /d' $run >$run.cut; done
cmp -s first.out.cut out.cut || wrong 'another report of the same failures'
line=$(sed -n "s/^    case   ckparity run '\(.*\)'$/\1/p" out | head -1)
exits 1 run --subject ./wrong.so "$line"

# --- known failures, both ways
printf 'gemm_nt_f32_plain fast FAIL value,nan # planted\n' >known
exits 0 run --subject ./wrong.so --suite gemm.cases --expect known
says 'expected failures'
exits 1 run --subject ./my_gemm.so --suite gemm.cases --expect known
says 'does not happen'

# --- git bisect run
exits 0 run --exit-style bisect --subject ./my_gemm.so --suite gemm.cases
exits 1 run --exit-style bisect --subject ./wrong.so --suite gemm.cases
exits 125 run --exit-style bisect --subject ./nowhere.so --suite gemm.cases
exits 255 run --exit-style bisect --suite bad.cases
[ -z "$missing" ] || exits 125 run --exit-style bisect --suite small.cases --isa "$missing"

# --- color, on a terminal only
if command -v script >/dev/null; then
    script -qec "'$ckparity' run --suite small.cases exp" /dev/null >out </dev/null
    grep -q "$(printf '\033')\[" out || wrong 'no color on a terminal'
    NO_COLOR=1 script -qec "'$ckparity' run --suite small.cases exp" /dev/null >out </dev/null
    grep -q "$(printf '\033')\[3" out && wrong 'color in spite of NO_COLOR'
fi

# --- the selftest's own command line
exits 0 selftest exp_f32.first_element
says '2 passed, 0 failed, 0 skipped'
exits 0 selftest --seeds 2 --seed 7 'exp_f32.first_*.fast'
says '1 passed, 0 failed, 0 skipped'
exits 0 selftest --shrink 'exp_f32.residue_five.fast'
says 'exp_f32 gen=1 N=5 fill=int'
says '1 of 1 minimal (100.0 %)'
exits 2 run --suite small.cases --expect

exit "$rc"
