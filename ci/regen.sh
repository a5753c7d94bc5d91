#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the golden digests anew from the kernels of this tree, and records why (docs/golden.md).
#   ci/regen.sh --reason TEXT
# Prints which ops moved and by how much, against the kernels of the commit that last changed the
# digests. Fast digests of instruction sets that this machine lacks stay as they are.
# Exit: 0 done, 1 a kernel fails its cases (nothing is written), 2 bad input or something is missing.
set -eu
. "$(dirname "$0")/lib.sh"

case $#${1-} in
2--reason) reason=$2 ;;
1--reason=*) reason=${1#*=} ;;
*) fail 'golden files change for a reason only: ci/regen.sh --reason TEXT' ;;
esac
[ -n "$(printf %s "$reason" | tr -d '[:space:]')" ] || fail 'the reason is empty'

program=${CKPARITY:-build/release/ckparity}
[ -n "${CKPARITY-}" ] || build release || fail 'the tree does not build'
tmp=$(mktemp -d)
forget() {
    [ ! -d "$tmp/tree" ] || git worktree remove --force "$tmp/tree" 2>/dev/null || :
    rm -rf "$tmp"
}
trap forget EXIT
trap 'exit 1' HUP INT TERM

# --- what the kernels give now; a kernel that fails makes no golden line
"$program" digest --suite golden/cases.cases >"$tmp/all" || {
    echo "regen.sh: nothing was written: a kernel fails its cases" >&2
    exit 1
}
header() { printf '# %s: ci/regen.sh makes this file.\n' "$1"; }
{ header 'Strict digests, of every variant, machine and compiler' && grep ' mode=strict ' "$tmp/all"; } \
    >"$tmp/strict.digests" || fail 'golden/cases.cases makes no strict line'
grep -o ' isa=[a-z0-9]* mode=fast ' "$tmp/all" | sort -u | while read -r isa _; do
    { header "Fast digests of ${isa#isa=}" && grep " $isa mode=fast " "$tmp/all"; } \
        >"$tmp/fast-${isa#isa=}.digests"
done

# --- what the references hold them to; a line each that moved
{ header 'Values and radii of the references over cases.cases' &&
    "$program" bounds --suite golden/cases.cases; } >"$tmp/bounds" || fail 'no bounds'

# --- the kernels of the digests that are there
old=
commit=$(git log -1 --format=%H -- 'golden/*.digests' 2>/dev/null || :)
if [ -n "$commit" ] && git worktree add --quiet --detach "$tmp/tree" "$commit" 2>/dev/null &&
    cmake -S "$tmp/tree" -B "$tmp/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$tmp/log" 2>&1 &&
    cmake --build "$tmp/build" --target ck >>"$tmp/log" 2>&1; then
    old="--old $tmp/build/libck.so"
else
    say "no older kernels to compare with: how far the results moved is not known"
fi

# --- what moved
: >"$tmp/moved"
for new in "$tmp"/*.digests; do
    file=golden/${new##*/}
    name=${new##*/}
    name=${name%.digests}
    if [ ! -f "$file" ]; then
        printf '%s: new, %s lines\n' "$name" "$(grep -c -v '^#' "$new")" >>"$tmp/moved"
        continue
    fi
    # shellcheck disable=SC2086 # two words, or none
    "$program" digest --check "$file" $old >"$tmp/out" || :
    sed -n "s/^\([a-z0-9_]\{1,\}\) \{1,\}\([0-9]* of [0-9]* lines changed.*\)/$name: \1 \2/p" \
        "$tmp/out" >>"$tmp/moved"
    sed 's/^[0-9a-f]* [0-9a-f]* //' "$file" | grep -v '^#' | sort >"$tmp/before"
    sed 's/^[0-9a-f]* [0-9a-f]* //' "$new" | grep -v '^#' | sort >"$tmp/after"
    added=$(comm -13 "$tmp/before" "$tmp/after" | wc -l)
    removed=$(comm -23 "$tmp/before" "$tmp/after" | wc -l)
    [ "$added$removed" = 00 ] ||
        printf '%s: %d lines added, %d removed\n' "$name" "$added" "$removed" >>"$tmp/moved"
done
if [ ! -f golden/bounds ]; then
    printf 'bounds: new, %s lines\n' "$(grep -c -v '^#' "$tmp/bounds")" >>"$tmp/moved"
else
    "$program" bounds --suite golden/cases.cases --check golden/bounds >"$tmp/out" || :
    sed -n 's/^CHANGED /bounds: /p' "$tmp/out" >>"$tmp/moved"
    added=$(grep -c '^NEW ' "$tmp/out") || :
    [ "$added" = 0 ] || printf 'bounds: %d lines are new\n' "$added" >>"$tmp/moved"
fi
for file in golden/fast-*.digests; do
    [ ! -f "$file" ] || [ -f "$tmp/${file##*/}" ] ||
        say "$file stays as it is: its instruction set is not here"
done
if [ ! -s "$tmp/moved" ]; then
    say 'nothing moved, nothing written'
    exit 0
fi
cat "$tmp/moved"

# --- written whole, the record last
for new in "$tmp"/*.digests "$tmp/bounds"; do
    file=golden/${new##*/}
    if ! cmp -s "$new" "$file"; then
        cp "$new" "$file.tmp" && mv "$file.tmp" "$file"
    fi
done
{
    [ ! -f golden/CHANGES ] || cat golden/CHANGES
    printf '%s\n' "$reason" | sed '1s/^/* /; 1!s/^/  /'
    sed 's/^/    /' "$tmp/moved"
} >golden/CHANGES.tmp && mv golden/CHANGES.tmp golden/CHANGES
