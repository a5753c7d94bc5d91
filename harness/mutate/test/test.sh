#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests ckparity-mutate: all mutations of snippet.c, bad input, and a small hunt.
#   harness/mutate/test/test.sh CKPARITY-MUTATE SOURCE
# Exit: 0 all well, 1 not.
set -eu
mutate=$1
cd "$2/harness/mutate/test"
output=$(mktemp)
trap 'rm -f "$output"' EXIT

fail() {
    printf 'test.sh: %s\n' "$1" >&2
    cat "$output" >&2
    exit 1
}

"$mutate" --list snippet.c >"$output" || fail "--list"
diff -u snippet.expected "$output" || fail "other mutations than snippet.expected has"

for bad in '--target nothing' '--limit 0' '--mutator nothing' '--jobs 1000' '--list /nowhere' \
    '--build /nowhere' '--limit'; do
    status=0
    # shellcheck disable=SC2086
    "$mutate" $bad >"$output" 2>&1 || status=$?
    [ "$status" = 2 ] || fail "exit $status for $bad"
    [ "$(wc -l <"$output")" = 1 ] || fail "not one line for $bad"
done

# Each way of dying and of living once, at least: five mutants are judged, whatever becomes of them.
status=0
"$mutate" --target kernels --op dequant_row_q8_0 --isa scalar --limit 5 --seed 3 >"$output" 2>/dev/null ||
    status=$?
[ "$status" -lt 2 ] || fail "a hunt ended with $status"
judged=$(grep -cE '^(killed|survived|accepted|equivalent|suspect) ' "$output") || :
[ "$judged" = 5 ] || fail "$judged mutants judged in place of 5"
grep -q '^killed ' "$output" || fail "none killed"
