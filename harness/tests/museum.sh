#!/bin/sh
# SPDX-License-Identifier: MIT
# Every mutant that docs/museum.md names is planted, and every row of its first table names one.
#   museum.sh CKPARITY SOURCE
# Exit: 0 all well, 1 not.
set -eu
ckparity=$1 page=$2/docs/museum.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$ckparity" list --subject mutants | sed -n 's/.*CK_MUTANT=\(.*\)\.[a-z]*$/\1/p' | sort -u >"$tmp/planted"
grep -o '`[a-z0-9_]*\.[a-z0-9_]*`' "$page" | tr -d '`' | sort -u >"$tmp/named"
rc=0
[ -s "$tmp/named" ] || { printf 'museum: %s names no mutant\n' "$page" && rc=1; }
comm -23 "$tmp/named" "$tmp/planted" | sed 's/^/museum: not planted: /' >"$tmp/missing"
awk '/^## /{ table = /^## What is planted/ }
     table && /^\| / && !/^\| fault/ && !/`[a-z0-9_]*\.[a-z0-9_]*`/ { print "museum: no mutant: " $0 }' \
    "$page" >>"$tmp/missing"
[ ! -s "$tmp/missing" ] || rc=1
cat "$tmp/missing"
exit "$rc"
