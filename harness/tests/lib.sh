# SPDX-License-Identifier: MIT
# What the tests of ckparity's commands share. Each sets `test_name`, and `command_words`, with which
# the arguments of its commands begin, sources this, and is then in a folder of its own; its exit code
# is $rc.
# shellcheck shell=sh

unset CK_ISA_MAX NO_COLOR
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

rc=0
wrong() { # TEXT: notes a failure, with what was printed
    printf '%s: %s\n' "$test_name" "$1"
    sed 's/^/    out: /' out | head -40
    sed 's/^/    err: /' err | head -20
    rc=1
}
exits() { # STATUS ARGUMENT...: runs ckparity; its output is in out and err
    want=$1 got=0
    shift
    # shellcheck disable=SC2086
    "$ckparity" $command_words "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || wrong "ckparity $command_words $*: exit $got, wanted $want"
}
says() { grep -qF -- "$1" out || wrong "stdout does not say \"$1\""; }
complains() { # TEXT: one line on stderr, which says so
    grep -qF -- "$1" err || wrong "stderr does not say \"$1\""
    [ "$(wc -l <err)" = 1 ] || wrong 'not one line of stderr'
}
bad() { # TEXT ARGUMENT...: exit 2, one line on stderr that says TEXT, nothing on stdout
    text=$1
    shift
    exits 2 "$@"
    complains "$text"
    [ ! -s out ] || wrong "ckparity $command_words $*: writes to stdout"
}
