#!/bin/sh
# SPDX-License-Identifier: MIT
# Decoders that are public: their configs (facts alone) as they are, with weights in f32, in k formats and
# mixed. Each has the number of parameters that is published, the formats that fit, and C without a warning.
#   codegen/tests/models.sh CKGEN SOURCES
# Exit: 0 all well, 1 not.
set -eu
ckgen=$1 sources=$2
test_name=models.sh
. "$(dirname "$0")/lib.sh"
configs=$sources/codegen/tests/configs

# parameters MODEL COUNT: what is in weights, of which none has pad lanes; a tied head counts once.
parameters() {
    "$ckgen" "$configs/$1.json" --ctx 16 --dump >dump || error "$1: refused"
    count=$(awk '$4 == "f32" && $3 ~ /(^token_emb|lm_head_weight|final_ln_weight|_gamma|\.[bw][qkvo12])$/ {
            n = 1
            split($5, dims, "x")
            for (i in dims) n *= dims[i]
            if ($3 == "token_emb") tokens = $1
            if ($3 != "lm_head_weight" || $1 != tokens) sum += n
        }
        END { printf "%d", sum }' dump)
    [ "$count" = "$2" ] || error "$1: $count parameters, wanted $2"
}
parameters stories15m 15191712
parameters smollm-135m 134515008
parameters qwen2.5-0.5b 494032768
parameters qwen3-0.6b 596049920
parameters llama-3.2-1b 1235814400

# emits MODEL FORMATS OPTION...: the C tells these formats and has no warning.
emits() {
    model=$1 formats=$2
    shift 2
    "$ckgen" "$configs/$model.json" "$@" --standalone -o $model.c || error "$model $*: not emitted"
    gcc -fsyntax-only -std=c99 -Wall -Wextra -Werror -I"$sources/codegen/runtime" \
        -I"$sources/kernels/include/ck" $model.c || error "$model $*: gcc does not take it"
    told=$(sed -n 's|^ \* weights \(.*\) \*/$|\1|p' $model.c)
    [ "$told" = "$formats" ] || error "$model $*: in $told, wanted $formats"
}
all() {
    for name in token_emb wq wk wv wo w1 w2; do printf '%s=%s ' $name "$1"; done | sed 's/ $//'
}
for config in "$configs"/*.json; do
    model=${config##*/}
    emits "${model%.json}" ''
    emits "${model%.json}" "$(all q8_0)" --weights q8_0
done
small='token_emb=q5_0 wq=q5_0 wk=q5_0 wv=q5_0 wo=q5_0 w1=q5_0 w2=q4_k'
for model in stories15m smollm-135m qwen2.5-0.5b; do
    emits $model "$small" --weights q4_k
    emits $model "$(printf %s "$small" | sed 's/q5_0/q8_0/g; s/q4_k/q6_k/')" --weights q6_k
    emits $model "$(printf %s "$small" | sed 's/emb=q5_0/emb=bf16/; s/wv=q5_0/wv=q8_0/; s/w2=q4_k/w2=q6_k/')" \
        --weights q4_k --weight token_emb=bf16 --weight wv=q8_0 --weight w2=q6_k
done
for model in qwen3-0.6b llama-3.2-1b; do
    emits $model "$(all q4_k)" --weights q4_k
    emits $model "$(all q6_k)" --weights q6_k
    emits $model 'token_emb=q6_k wq=q4_k wk=q4_k wv=q6_k wo=q4_k w1=q4_k w2=q6_k' \
        --weights q4_k --weight token_emb=q6_k --weight wv=q6_k --weight w2=q6_k
done
# --- cases of these names are these decoders, but for layers, MLP, words and positions
# keys MODEL: as a case has them
keys() {
    "$ckgen" "$configs/$1.json" --ir-out ir.json
    "$ckgen" "$configs/$1.json" --ctx 2 --dump | sed -n 1p >first
    sed '/"nodes"/,$d; s/[",:{}]/ /g' ir.json | awk -v first="$(cat first)" '
        { for (i = 1; i < NF; i++) of[$i] = $(i + 1) }
        END {
            split(first, words)
            for (i in words) if (split(words[i], pair, "=") == 2) has[pair[1]] = pair[2]
            printf "D=%s H=%s G=%s hd=%s theta=%s", has["hidden"], has["heads"], has["kv_heads"],
                has["head_dim"], has["theta"]
            if ("factor" in of)
                printf " factor=%s low=%s high=%s original=%s", of["factor"],
                    of["low_freq_factor"], of["high_freq_factor"],
                    of["original_max_position_embeddings"]
            if (has["eps"] != "9.99999975e-06") printf " eps=%s", has["eps"]
            bias = (of["qkv_bias"] != "false") + 2 * (of["output_bias"] != "false")
            bias += 4 * (of["mlp_bias"] != "false")
            if (bias) printf " bias=%s", bias
            if (of["tie_word_embeddings"] != "false") printf " tied=1"
            if (of["qk_norm"] == "true") printf " qknorm=1"
            print ""
        }'
}
cat "$sources/harness/suites/models.cases" "$sources/harness/suites/whole.cases" |
    sed -n 's/^runtime gen=1 \(.*\) # \(.*\)$/\2 \1/p' >cases
[ "$(wc -l <cases)" -gt 12 ] || error "cases are read wrongly"
while read -r model line; do
    [ "$(keys "$model")" = "$(printf %s "$line" | tr ' ' '\n' |
        grep -E '^(D|H|G|hd|theta|factor|low|high|original|eps|bias|tied|qknorm)=' | paste -sd' ' -)" ] ||
        error "a case is not $model: $line"
done <cases

refuses 2 'w1=q4_k: rows of 576, wanted whole blocks of 256' \
    "$ckgen" "$configs/smollm-135m.json" --weight w1=q4_k
refuses 2 '--ctx: 257, wanted at most the 256 positions' "$ckgen" "$configs/stories15m.json" --ctx 257
exit "$rc"
