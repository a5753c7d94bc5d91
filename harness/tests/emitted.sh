#!/bin/sh
# SPDX-License-Identifier: MIT
# Every mutant of the selftest, by a C file: what ckparity reports of it, the file that emit-c writes
# of that case must show as well.
#   emitted.sh CKPARITY [FILTER]    FILTER: a part of the names, or all
# Without a filter, each sixth mutant, on one op and in one mode. Exit: 0 all well, 1 not, 77 cannot be linked.
set -eu
ckparity=$1 filter=${2-}
unset CK_ISA_MAX NO_COLOR CK_MUTANT
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
if nm -D "$(dirname "$ckparity")/libck.so" | grep -q ' U __asan_init'; then exit 77; fi

rc=0
wrong() { # TEXT: notes a failure, with what was printed
    printf 'emitted: %s: %s\n' "$name" "$1"
    head -12 out | cut -c 1-300 | sed 's/^/    out: /'
    rc=1
}

# What a file cannot show: it makes few calls, at addresses of its own, and holds little data.
beyond_files() { # NAME
    case $1 in
    *.every_third.* | *.packed_for_pointer.* | *.pad_not_cleared.*) ;;
    *.s_longest.*) ;;
    *) return 1 ;;
    esac
}

shows() { # NAME
    name=$1 got=0
    ! beyond_files "$name" || return 0
    export CK_MUTANT="$name"
    "$ckparity" run --subject mutants --fail-fast --jobs 1 --mode "${name##*.}" >out 2>&1 || got=$?
    case $got in
    0 | 77) return ;; # right, or not to be shown here
    1) ;;
    *)
        wrong "exit $got"
        return
        ;;
    esac
    line=$(sed -n "s/^    case   ckparity run '\(.*\)'$/\1/p" out | head -1)
    check=$(sed -n 's/^[A-Z]* [a-z0-9_]* [a-z]*: \([a-z]*\): .*/\1/p' out | head -1)
    [ "$check" != isa ] || return 0 # no C file shows that
    count=$((count + 1)) got=0
    "$ckparity" emit-c "$line" --subject mutants -o repro.c >build.sh 2>out || got=$?
    if [ "$got" != 0 ]; then
        wrong "emit-c: exit $got: $line"
        return
    fi
    got=0
    rm -f repro
    sh -c "$(cat build.sh)" >out 2>&1 || got=$?
    [ -x repro ] || wrong "the file does not compile: $line"
    [ "$got" = 1 ] || wrong "$check: the file exits $got: $line"
}

count=0
"$ckparity" list --subject mutants | sed -n 's/.*CK_MUTANT=//p' | case $filter in
'') awk -F . '!seen[$2]++ && n++ % 6 == 0' ;;
all) cat ;;
*) grep -F -- "$filter" ;;
esac >names
while read -r mutant; do shows "$mutant" </dev/null; done <names
printf 'emitted: %s files\n' "$count"
[ "$count" -gt 0 ] || rc=1
exit "$rc"
