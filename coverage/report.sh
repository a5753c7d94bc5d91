#!/bin/sh
# SPDX-License-Identifier: MIT
# Coverage of the tests: clang's source-based counters over ctest's unit, smoke and slow tests (not
# docs'), as a table by folder and by kernel and instruction set, and as HTML in build/coverage/html.
# What the CPU cannot run is said so and counts nowhere. The floors of coverage/floors.txt must be met.
#   coverage/report.sh [--raise]     --raise lifts the floors to what was measured; none is lowered
# Exit: 0, 1 if a test failed or a floor is not met, 2 if something needed is missing.
set -eu
. "$(dirname "$0")/../ci/lib.sh"
case $* in
'') raise= ;;
--raise) raise=1 ;;
*) fail "usage: coverage/report.sh [--raise]" ;;
esac
for tool in llvm-profdata-14 llvm-cov-14; do
    command -v "$tool" >/dev/null || fail "$tool is missing: ci/setup.sh installs it"
done

build coverage
dir=$PWD/build/coverage
floors=coverage/floors.txt
rm -rf "$dir/profile"
mkdir -p "$dir/profile"

rc=0
say "ctest coverage -L unit|smoke|slow -LE docs"
# Not the selftest: counters are packed arithmetic, which its mutants of the isa check must not have.
# Continuous mode (%c): the counters are the file, so that processes may end in any way. %m: one file
# for each program, which all of its processes share.
LLVM_PROFILE_FILE=$dir/profile/%m%c.profraw quiet ctest-coverage \
    ctest --preset coverage -j "$(nproc)" -L 'unit|smoke|slow' -LE docs || rc=1
grep 'tests passed' build/log/ctest-coverage.log || :
llvm-profdata-14 merge -sparse "$dir"/profile/*.profraw -o "$dir/all.profdata"

# lines NAME PROGRAM...: what was run of these programs or objects, as NAME.info.
lines() {
    info=$dir/$1.info
    first=$2
    shift 2
    for object; do
        shift
        set -- "$@" -object "$object"
    done
    llvm-cov-14 export -format=lcov -instr-profile="$dir/all.profdata" \
        -ignore-filename-regex='/tests/|/selftest/|/build/' "$first" "$@" >"$info" 2>"$info.log" && return 0
    cat "$info.log" >&2
    return 1
}
# sums NAMES: "name hit lines percent branches%" of each folder in NAMES, from an .info file.
sums() {
    awk -v root="$PWD/" -v names="$1" -v absent="$absent" '
    function ratio(hit, all) { return all ? sprintf("%.1f", 100 * hit / all) : "-" }
    BEGIN { n = split(names, name); m = split(absent, isa) }
    /^SF:/ {
        file = substr($0, 4)
        sub("^" root, "", file)
        skip = file ~ /^\//
        for (i = 1; i <= m; i++) skip = skip || file ~ ("[_/]" isa[i] "[.][ch]$")
    }
    /^L[FH]:|^BR[FH]:/ && !skip {
        split($0, part, ":")
        best = ""
        for (i = 1; i <= n; i++)
            if (index(file, name[i] "/") == 1 && length(name[i]) > length(best)) best = name[i]
        if (best != "") sum[best, part[1]] += part[2]
    }
    END {
        for (i = 1; i <= n; i++)
            if (sum[name[i], "LF"])
                print name[i], sum[name[i], "LH"], sum[name[i], "LF"],
                    ratio(sum[name[i], "LH"], sum[name[i], "LF"]),
                    ratio(sum[name[i], "BRH"], sum[name[i], "BRF"])
    }'
}
kernels() {
    sed -n 's/^CK_KERNEL([a-z0-9_]*, \([a-z0-9_]*\), \([a-z0-9_]*\), \([a-z0-9]*\)).*/\1 \2 \3/p' \
        kernels/kernels.def
}

set -- "$dir/ckparity"
for program in test_harness test_kernels test_ref replay_cases replay_text ckgen libck_model.so test_cg_config \
    test_cg_graph test_cg_layout test_cg_plan test_cg_runtime test_cg_weights; do
    [ ! -x "$dir/$program" ] || set -- "$@" "$dir/$program"
done
lines all "$@"
absent=$(LLVM_PROFILE_FILE=$dir/list.profraw "$dir/ckparity" list | awk -F '\t' '$4 != "available" { print $3 }' | sort -u | tr '\n' ' ')

# Each variant is an object of its own, so its part of a header that all variants include is known.
table=$dir/table.txt
{
    sums 'kernels kernels/simd ref codegen codegen/runtime harness harness/family fuzz' <"$dir/all.info"
    kernels | while read -r op dtype isa; do
        name=${op}_${dtype}_$isa
        case " $absent" in
        *" $isa "*) echo "$name - - - -" ;;
        *)
            lines kernel "$dir/CMakeFiles/ck_objects.dir/kernels/$op/$name.c.o"
            sums "kernels/$op" <"$dir/kernel.info" | sed "s|^kernels/$op |$name |"
            ;;
        esac
    done
} >"$table"
say "lines run"
awk 'BEGIN { printf "%-32s %14s %7s %9s\n", "", "lines", "%", "branch %" }
    $2 == "-" { printf "%-32s not run: this CPU lacks the instructions\n", $1; next }
    { printf "%-32s %7d/%-6d %7s %9s\n", $1, $2, $3, $4, $5 }' "$table"

# Floors: "NAME PERCENT". One whose kernel this CPU cannot run is left alone.
if [ -n "$raise" ]; then
    awk 'FILENAME == ARGV[1] { if (/^#/) print; else floor[$1] = $2; next }
        $4 != "-" && !($1 in floor && floor[$1] + 0 > $4 + 0) { floor[$1] = $4 }
        $1 in floor { print $1, floor[$1] }' "$floors" "$table" >"$dir/floors.txt"
    cp "$dir/floors.txt" "$floors"
fi
awk 'function error(text) { print text; bad = 1 }
    FILENAME == ARGV[1] { now[$1] = $4; next }
    /^#/ || NF == 0 { next }
    !($1 in now) { error($1 ": there is a floor, " $2 " %, but nothing of that name"); next }
    now[$1] != "-" && now[$1] + 0 < $2 + 0 { error($1 ": " now[$1] " % of the lines, the floor is " $2) }
    END { exit bad }' "$table" "$floors" || rc=1

if command -v genhtml >/dev/null; then
    rm -rf "$dir/html"
    quiet genhtml genhtml --quiet --branch-coverage --legend --prefix "$PWD" \
        --output-directory "$dir/html" "$dir/all.info" || rc=1
    echo "build/coverage/html/index.html"
else
    echo "SKIP genhtml: lcov is not installed"
fi
exit "$rc"
