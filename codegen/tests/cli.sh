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
bad 'no/such/ir.json: No such file' c.json --ir-out no/such/ir.json
status=0
"$ckgen" c.json --dump >/dev/full 2>err || status=$?
[ "$status" = 2 ] && grep -q '^ckgen: stdout: No space' err || error "a full stdout: exit $status"
exit "$rc"
