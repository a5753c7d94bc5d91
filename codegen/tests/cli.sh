#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line of ckgen: what it writes, and one line and exit code 2 for everything that is bad.
#   codegen/tests/cli.sh CKGEN
# Exit: 0 all well, 1 not.
set -eu
ckgen=$1
test_name=cli.sh
. "$(dirname "$0")/lib.sh"

bad() { # TEXT ARGUMENT...: ckgen refuses these with exit code 2, and prints nothing on stdout
    said=$1
    shift
    refuses 2 "$said" "$ckgen" "$@"
    [ ! -s out ] || error "$*: prints something"
}

cat >c.json <<'EOF'
{"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 32, "intermediate_size": 48,
 "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 50,
 "max_position_embeddings": 16, "rope_theta": 10000.0}
EOF
"$ckgen" c.json --ir-out ir.json || error "c.json is refused"
"$ckgen" --ir ir.json --ir-out again.json || error "ir.json is refused"
cmp -s ir.json again.json || error "ir.json changes on its way through"
"$ckgen" c.json --dump >dump || error "--dump fails"
grep -q '^L1 N9 ADD outputs=' dump || error "--dump lacks a node"
"$ckgen" --help | grep -q '^usage: ckgen' || error "no usage"

sed 's/"hidden_size": 32/"hidden_size": 33/' c.json >bad.json
sed 's/"ADD"/"CONV"/' ir.json >bad-ir.json
mkfifo pipe

# --- formats: what fits, what is there instead, and the specification's figures
"$ckgen" c.json --weights q4_k --weight wv=q8_0 --weight wk=bf16 --dump >dump || error "no formats"
while read -r name format; do
    grep -qE "^[0-9]+ [0-9]+ (L1\\.)?$name $format " dump || error "$name is not in $format"
done <<'EOF'
token_emb q5_0
wq q5_0
wk bf16
wv q8_0
wo q5_0
w1 q5_0
w2 f32
lm_head_weight q5_0
ln1_gamma f32
EOF
cat >q4_k.json <<'EOF'
{"num_hidden_layers": 2, "hidden_size": 256, "intermediate_size": 256, "num_attention_heads": 16,
 "num_key_value_heads": 4, "vocab_size": 50, "max_position_embeddings": 16, "rope_theta": 10000.0}
EOF
"$ckgen" q4_k.json --weights q4_k --dump >dump || error "no q4_k"
grep -q '^7232 16384 pos_emb f32 16x256$' dump || error "pos_emb lies elsewhere"
grep -q '^layers_start 62784 .* total 893504$' dump || error "the total is another"
"$ckgen" c.json --fuse mlp --fuse residual --dump >dump || error "--fuse is refused"
grep -qE 'L1 N5 mlp_gate linear_swiglu y=L1.swiglu_out' dump || error "no fused gate"
grep -qE 'fc1_out|proj_tmp|mlp_out' dump && error "what lies between fused steps is there"
"$ckgen" c.json --fuse residual --weights q8_0 --weight wo=f16 --dump >dump || error "no fused blocks"
grep -qE 'L1 N2 merge_heads_add head_merge_add y=L1.residual1.* w=L1.wo:R:f16:' dump || error "no fused sum"
"$ckgen" c.json --cache bf16 --dump >dump || error "--cache is refused"
grep -qE '^[0-9]+ 1024 L1\.v bf16 2x16x16$' dump || error "the cache is not in bf16"
grep -qE '^L1 N2 kv_write kv_write k_cache=L1.k:W:bf16:2x16x16:1024 .* k=k_new:R:f32' dump || error "no kv_write"
"$ckgen" c.json --cache f32 >plain.c && "$ckgen" c.json | cmp -s - plain.c || error "--cache f32 is another program"
"$ckgen" c.json --fuse residual --weight w1=bf16 --dump >dump || error "w1 does not matter to residual"
bad '--fuse: "off", wanted mlp or residual' c.json --fuse off
bad '--fuse: "MLP", wanted mlp or residual' c.json --fuse MLP
bad '--fuse: "", wanted mlp or residual' c.json --fuse ''
bad '--fuse: mlp: given twice' c.json --fuse mlp --fuse mlp
bad '--fuse: needs a value' c.json --fuse
bad 'fuse: mlp: w1 in bf16, wanted f32' c.json --fuse mlp --weight w1=bf16
bad 'fuse: mlp: w1 in q5_0, wanted f32' c.json --fuse mlp --fuse residual --weights q8_0 --weight w1=q5_0
bad '--cache: "q8_0": wanted one of f32 bf16 f16' c.json --cache q8_0
bad '--cache: "": wanted one of f32 bf16 f16' c.json --cache ''
bad '--cache: given twice' c.json --cache f32 --cache bf16
bad '--cache: needs a value' c.json --cache
bad '--training: only with a cache in f32' c.json --cache f16 --training --dump
bad '--training: not with --fuse' c.json --fuse mlp --training --dump
bad 'bad.json: num_attention_heads: 4' bad.json
bad 'bad.json: num_attention_heads: 4' bad.json --ir-out new.json
bad 'bad-ir.json: nodes[3].op: "CONV"' --ir bad-ir.json
bad 'nowhere.json: No such file' nowhere.json
bad 'pipe: not a regular file' pipe
bad '.: not a regular file' .
bad 'either CONFIG.json or --ir'
bad 'either CONFIG.json or --ir' c.json --ir ir.json
bad '--ctx: "17x"' c.json --ctx 17x
bad '--ctx: "-1"' c.json --ctx -1
bad '--ctx: ""' c.json --ctx ''
bad '--ctx: "4294967312"' c.json --ctx 4294967312
bad '--ctx: 17, wanted at most the 16' c.json --ctx 17
bad '--ctx: not with --ir' --ir ir.json --ctx 4
bad '--ctx: needs a value' c.json --ctx
bad '--ir-out: needs a value' c.json --ir-out
bad '--what: unknown option' c.json --what
bad '/dev/full: not a regular file' c.json --ir-out /dev/full
bad '--weights: "q4": wanted one of f32 bf16' c.json --weights q4
bad '--weights: "": wanted one of f32 bf16' c.json --weights ''
bad '--weights: given twice' c.json --weights f32 --weights f32
bad '--weights: needs a value' c.json --weights
bad '--weight: "wq=q9": wanted one of f32' c.json --weight wq=q9
bad '--weight: "f16": wanted NAME=FORMAT, NAME one of token_emb' c.json --weight f16
bad '--weight: "bq=f16": wanted NAME=FORMAT' c.json --weight bq=f16
bad '--weight: "L1.wq=f16": wanted NAME=FORMAT' c.json --weight L1.wq=f16
bad '--weight: wq: given twice' c.json --weight wq=f16 --weight wq=f16
bad '--weight: w2=q8_0: rows of 48, wanted whole blocks of 32' c.json --weight w2=q8_0
bad '--weight: wq=q4_k: rows of 32, wanted whole blocks of 256' --ir ir.json --weight wq=q4_k
bad '--training: only with weights in f32' c.json --dump --training --weight wq=f16
sed 's/{/{"tie_word_embeddings": true, /' c.json >tied.json
bad '--weight: lm_head_weight: is tied to token_emb' tied.json --weight lm_head_weight=f16
bad 'no/such/ir.json: No such file' c.json --ir-out no/such/ir.json
status=0
"$ckgen" c.json --dump >/dev/full 2>err || status=$?
[ "$status" = 2 ] && grep -q '^ckgen: stdout: No space' err || error "a full stdout: exit $status"
exit "$rc"
