#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line of ckgen: what it writes, and one line and exit code 2 for everything that is bad.
#   codegen/tests/cli.sh CKGEN
# Exit: 0 all well, 1 not.
set -eu
ckgen=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
rc=0

error() {
    printf 'cli.sh: %s\n' "$*" >&2
    rc=1
}

# refuses TEXT ARGUMENT...: exit 2, one line with TEXT on stderr, nothing on stdout, no new file.
refuses() {
    text=$1 got=0
    shift
    ls -A >before
    "$ckgen" "$@" >out 2>err || got=$?
    [ "$got" = 2 ] || error "$*: exit $got, wanted 2"
    [ "$(wc -l <err)" = 1 ] || error "$*: not one line: $(cat err)"
    grep -qF -- "$text" err || error "$*: says $(cat err), should name $text"
    [ ! -s out ] || error "$*: prints something"
    rm out err
    touch out err
    ls -A >after
    cmp -s before after || error "$*: leaves $(cat after)"
}
touch out err before after

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
refuses 'bad.json: num_attention_heads: 4' bad.json
refuses 'bad.json: num_attention_heads: 4' bad.json --ir-out new.json
refuses 'bad-ir.json: nodes[3].op: "CONV"' --ir bad-ir.json
refuses 'nowhere.json: No such file' nowhere.json
refuses 'pipe: not a regular file' pipe
refuses '.: not a regular file' .
refuses 'either CONFIG.json or --ir'
refuses 'either CONFIG.json or --ir' c.json --ir ir.json
refuses '--ctx: "17x"' c.json --ctx 17x
refuses '--ctx: "-1"' c.json --ctx -1
refuses '--ctx: ""' c.json --ctx ''
refuses '--ctx: "4294967312"' c.json --ctx 4294967312
refuses '--ctx: 17, wanted at most the 16' c.json --ctx 17
refuses '--ctx: not with --ir' --ir ir.json --ctx 4
refuses '--ctx: needs a value' c.json --ctx
refuses '--ir-out: needs a value' c.json --ir-out
refuses '--what: unknown option' c.json --what
refuses '/dev/full: not a regular file' c.json --ir-out /dev/full
refuses 'no/such/ir.json: No such file' c.json --ir-out no/such/ir.json
status=0
"$ckgen" c.json --dump >/dev/full 2>err || status=$?
[ "$status" = 2 ] && grep -q '^ckgen: stdout: No space' err || error "a full stdout: exit $status"
exit "$rc"
