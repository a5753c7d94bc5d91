# SPDX-License-Identifier: MIT
# What the tests of ckgen's commands share. Each sets `test_name`, sources this by its own folder, and is
# then in a folder of its own; its exit code is $rc.
# shellcheck shell=sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
rc=0

error() {
    printf '%s: %s\n' "$test_name" "$*" >&2
    rc=1
}

# refuses STATUS TEXT COMMAND...: exit STATUS, one line with TEXT on stderr, no new file.
refuses() {
    want=$1 text=$2 got=0
    shift 2
    ls -A >before
    "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || error "$*: exit $got, wanted $want"
    [ "$(wc -l <err)" = 1 ] || error "$*: not one line: $(cat err)"
    grep -qF -- "$text" err || error "$*: says $(cat err), should name $text"
    ls -A >after
    cmp -s before after || error "$*: leaves $(cat after)"
}
touch out err before after
