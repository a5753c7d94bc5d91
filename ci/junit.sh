#!/bin/sh
# SPDX-License-Identifier: MIT
# Adds up ctest's JUnit files. Lists the tests that took longest, in seconds, and those that failed or
# were skipped, the skipped with their reasons, then prints "N passed, N failed, N skipped". A test that
# could not be started has failed: ctest's files call it skipped.
#   ci/junit.sh FILE...
# Exit: 0, 1 if a test failed or none passed, 2 if a file cannot be read.
set -eu
export LC_ALL=C

# get FILE XPATH: its string value.
get() { xmllint --huge --xpath "string($2)" "$1"; }

# values FILE ATTRIBUTE: of all its tests, a line each.
values() { xmllint --huge --xpath "//testcase/@$2" "$1" 2>/dev/null | sed 's/^[^"]*"\(.*\)"$/\1/'; }

lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
for file; do
    name=${file##*/}
    values "$file" name >"$lists/name"
    values "$file" time | paste - "$lists/name" | sed "s/^\([0-9]*\)[^	]*	/\1 s: ${name%.xml}: /"
done | sort -rn | head -n 10 | sed 's/^/longest: /'

passed=0 failed=0 skipped=0
for file; do
    name=${file##*/}
    name=${name%.xml}
    total=$(get "$file" 'count(//testcase)') || exit 2
    skip='@status="disabled" or (@status="notrun" and starts-with(skipped/@message, "SKIP_"))'
    ok=$(get "$file" 'count(//testcase[@status="run"])')
    some=$(get "$file" "count(//testcase[$skip])")
    bad=$((total - ok - some))
    i=0
    while [ "$((i += 1))" -le "$bad" ]; do
        test="(//testcase[not(@status=\"run\" or $skip)])[$i]"
        printf 'failed: %s: %s\n' "$name" "$(get "$file" "$test/@name")"
    done
    i=0
    while [ "$((i += 1))" -le "$some" ]; do
        test="(//testcase[$skip])[$i]"
        reason=$(get "$file" "$test/system-out" | grep -i skip | grep -v ' passed, ' | tail -n 1)
        [ -n "$reason" ] || reason=$(get "$file" "$test/skipped/@message")
        printf 'skipped: %s: %s: %s\n' "$name" "$(get "$file" "$test/@name")" \
            "${reason:-disabled}"
    done
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + some))
done
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
