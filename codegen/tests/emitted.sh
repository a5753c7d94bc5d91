#!/bin/sh
# SPDX-License-Identifier: MIT
# Emitted files: deterministic, whole or not there, without a warning under gcc, clang and tcc at plain
# x86-64, linked by their manifest; and the command line of standalone programs.
#   codegen/tests/emitted.sh CKGEN SOURCES BUILD
# Exit: 0 all well, 1 not.
set -eu
ckgen=$1 sources=$2 build=$3
test_name=emitted.sh
. "$(dirname "$0")/lib.sh"

cat >plain.json <<'EOF'
{"num_hidden_layers": 2, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4,
 "num_key_value_heads": 2, "vocab_size": 50, "max_position_embeddings": 16, "rope_theta": 10000.0}
EOF
cat >learned.json <<'EOF'
{"n_layer": 1, "n_embd": 20, "n_inner": 7, "n_head": 5, "n_vocab": 9, "n_positions": 3}
EOF
cat >llama3.json <<'EOF'
{"model_type": "llama", "num_hidden_layers": 3, "hidden_size": 64, "intermediate_size": 100,
 "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 12, "vocab_size": 40,
 "max_position_embeddings": 64, "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3",
 "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
 "original_max_position_embeddings": 32}}
EOF
cat >qwen3.json <<'EOF'
{"model_type": "qwen3", "num_hidden_layers": 2, "hidden_size": 48, "intermediate_size": 64,
 "num_attention_heads": 6, "num_key_value_heads": 3, "head_dim": 16, "vocab_size": 33,
 "max_position_embeddings": 20}
EOF

cat >blocks.json <<'EOF'
{"num_hidden_layers": 2, "hidden_size": 250, "intermediate_size": 251, "num_attention_heads": 16,
 "num_key_value_heads": 4, "head_dim": 14, "vocab_size": 50, "max_position_embeddings": 16,
 "rope_theta": 10000.0}
EOF
cp plain.json halves.json
cp plain.json fused.json
cp blocks.json cached.json

for model in plain learned llama3 qwen3 blocks halves fused cached; do
    case $model in
    blocks) set -- --weights q4_k --weight wk=q5_1 --weight wo=q8_0 --weight w2=q6_k ;;
    halves) set -- --weights bf16 --weight w1=f16 --weight wo=q4_0 ;;
    fused) set -- --fuse mlp --fuse residual ;;
    cached) set -- --cache f16 --fuse residual --weights q5_k ;;
    *) set -- ;;
    esac
    for mode in library standalone skeleton; do
        file=$model-$mode.c
        "$ckgen" $model.json "$@" --$mode -o "$file" || error "$file is not emitted"
        "$ckgen" $model.json "$@" --$mode >twice.c
        cmp -s "$file" twice.c || error "$file is another the second time"
        "$ckgen" $model.json --ir-out ir.json
        "$ckgen" --ir ir.json "$@" --$mode >twice.c
        cmp -s "$file" twice.c || error "$file is another by way of its graph"
        for cc in 'gcc -fsyntax-only' 'clang-14 -fsyntax-only' 'tcc -c -o out'; do
            # shellcheck disable=SC2086 # a command with options
            $cc -std=c99 -Wall -Wextra -Werror -I"$sources/codegen/runtime" \
                -I"$sources/kernels/include/ck" "$file" || error "$cc does not take $file"
        done
    done
    cmp -s $model-library.c.kernels $model-standalone.c.kernels || error "manifests differ"
    [ ! -e $model-skeleton.c.kernels ] || error "a skeleton has a manifest"
done

# --- the manifest is the sources of both libraries, each once
manifest=plain-standalone.c.kernels
sort "$manifest" | uniq -d >double
[ ! -s double ] || error "twice in the manifest: $(cat double)"
while read -r path; do
    [ -f "$sources/$path" ] || error "in the manifest, not in the tree: $path"
done <"$manifest"
objects=$(while read -r path; do
    for library in ck_objects ck_model; do
        object=$build/CMakeFiles/$library.dir/$path.o
        [ ! -e "$object" ] || printf '%s\n' "$object"
    done
done <"$manifest")
[ "$(printf '%s\n' "$objects" | wc -l)" = "$(wc -l <"$manifest")" ] ||
    error "an object of the manifest is not built"
for model in plain blocks halves fused cached; do
    gcc -std=c99 -I"$sources/codegen/runtime" -I"$sources/kernels/include/ck" -c $model-standalone.c
    # shellcheck disable=SC2086 # a list
    ${CG_LINK:-gcc} $model-standalone.o $objects -lm -o $model || error "the manifest does not link"
done

# --- a cache of 16 bits: decoding has the bits of a prefill
./cached --random 7 --tokens 1,2,3 --generate 5 --logits whole.f32 >ids || error "cached fails"
./cached --random 7 --tokens "1,2,3,$(head -n 4 ids | paste -sd, -)" --logits again.f32 || error "cached fails"
cmp -s whole.f32 again.f32 || error "cached: decode and prefill differ"

# --- a standalone program
run() { ./plain "$@" || error "plain $*: exit $?"; }
run --random 7 --tokens 1,2,3 --generate 5 --logits whole.f32 --save w.ck --save-bump w.bump >ids
[ "$(wc -l <ids)" = 5 ] || error "not 5 ids: $(cat ids)"
[ "$(wc -c <whole.f32)" = $((7 * 50 * 4)) ] || error "the logits are not 7 rows"
for weights in w.ck w.bump; do
    run --weights $weights --tokens "1,2,3,$(head -n 4 ids | paste -sd, -)" --logits again.f32
    cmp -s whole.f32 again.f32 || error "$weights: decode and prefill differ"
done
run --random 7 --tokens 1,2,3 --generate 5 --strict --logits strict.f32 >strict-ids
cmp -s whole.f32 strict.f32 && error "--strict changes nothing"
run --random 7 --tokens 1,2,3 --generate 5 --threads 3 --logits again.f32 >ids
cmp -s whole.f32 again.f32 || error "--threads 3 has other logits"
CK_NUM_THREADS=2 run --random 7 --tokens 1,2,3 --generate 5 --threads 0 --logits again.f32 >ids
cmp -s whole.f32 again.f32 || error "--threads 0 has other logits"
refuses 2 'CK_NUM_THREADS: wanted' env CK_NUM_THREADS=2x ./plain --random 1 --threads 0
refuses 2 '--threads: "257", wanted an integer up to 256' ./plain --random 1 --threads 257
for model in blocks halves fused; do
    ./$model --random 7 --tokens 1,2,3 --generate 3 --logits whole.f32 --save $model.ck \
        --save-bump $model.bump >ids || error "$model: exit $?"
    for weights in $model.ck $model.bump; do
        ./$model --weights $weights --tokens "1,2,3,$(head -n 2 ids | paste -sd, -)" \
            --logits again.f32 || error "$model --weights $weights: exit $?"
        cmp -s whole.f32 again.f32 || error "$weights: decode and prefill differ"
    done
done
grep -qx ' \* fuse residual \*/' fused-library.c || error "an emitted file does not tell its fusions"
grep -qx ' \* weights token_emb=q4_k wq=q4_k wk=q5_1 wv=q4_k wo=q8_0 w1=q4_k w2=q6_k \*/' \
    blocks-library.c || error "an emitted file does not tell its formats"
refuses 2 'w.ck: dtype of token_emb of layer 0: "f32", the program has bf16' ./halves --weights w.ck
refuses 2 'the program has f32' ./plain --weights halves.bump
run --dump >dump
grep -qx '16640 128 L0.ln1_gamma' dump || error "--dump lacks ln1_gamma"
grep -qx 'total 177408' dump || error "--dump has another total"
run --help | grep -q '^usage' || error "no usage"
refuses 2 'either --weights or --random' ./plain
refuses 2 'either --weights or --random' ./plain --random 1 --weights w.ck
refuses 2 '--random: "x"' ./plain --random x
refuses 2 '--random: "-1"' ./plain --random -1
refuses 2 '--random: needs a value' ./plain --random
refuses 2 '--generate: needs --tokens' ./plain --random 1 --generate 2
refuses 2 '--logits: needs --tokens' ./plain --random 1 --logits x
refuses 2 '--what: unknown option' ./plain --what
refuses 2 '--tokens: "": wanted ids' ./plain --random 1 --tokens ''
refuses 2 '--tokens: "x": wanted ids' ./plain --random 1 --tokens 1,x
refuses 2 'token 1: 50, the vocabulary has 50' ./plain --random 1 --tokens 1,50
refuses 2 'more than the 16 positions' ./plain --random 1 --tokens 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
refuses 2 '--generate: 17 after 1 tokens' ./plain --random 1 --tokens 1 --generate 17
[ ! -s out ] || error 'refused, but ids were printed'
refuses 2 'nowhere: No such file' ./plain --weights nowhere --tokens 1
refuses 2 'wanted' ./plain --weights plain.json --tokens 1
refuses 2 '/dev/full: not a regular file' ./plain --random 1 --tokens 1 --logits /dev/full
refuses 2 'no/x: No such file' ./plain --random 1 --save no/x
status=0
./plain --random 1 --tokens 1 --generate 1 >/dev/full 2>err || status=$?
[ "$status" = 1 ] && grep -q '^stdout: No space' err || error "a full stdout: exit $status"

# --- nothing half written
refuses 2 '/dev/full: not a regular file' "$ckgen" plain.json -o /dev/full
refuses 2 'no/x.c: No such file' "$ckgen" plain.json -o no/x.c
mkdir full.c.kernels
refuses 2 'full.c.kernels: not a regular file' "$ckgen" plain.json -o full.c
limited() ( # COMMAND...: with files of at most 4 KiB; the shell's unit is 512 bytes
    trap '' XFSZ
    ulimit -f 8
    exec "$@"
)
refuses 2 'new.c: File too large' limited "$ckgen" plain.json -o new.c
refuses 2 'new.ck: File too large' limited ./plain --random 1 --save new.ck
cp w.ck old.ck
refuses 2 'old.ck: File too large' limited ./plain --random 1 --save old.ck
cmp -s w.ck old.ck || error "a failed save changes the old file"
refuses 2 'memory: more than the 1000 bytes' "$ckgen" plain.json --memory 1000
refuses 2 '--guard: "65"' "$ckgen" plain.json --guard 65
refuses 2 'guard: 32' "$ckgen" plain.json --guard 32
refuses 2 'one of --library' "$ckgen" plain.json --library --skeleton
refuses 2 '--training: only with --dump' "$ckgen" plain.json --training
refuses 2 '--dump: with C only' "$ckgen" plain.json --dump --library
"$ckgen" plain.json --dump --training | grep -q 'total 370176$' || error "--training has another total"
exit "$rc"
