#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves by disassembly that every kernel is what its name says. For each row of kernels.def, in its
# fast and its strict function and all that these reach within the object:
#   scalar                  no packed arithmetic
#   sse41, avx*, avx512*    packed arithmetic on xmm, ymm, zmm registers; moves where nothing else is done
#   *vnni, avx512bf16       vpdpbusd, vdpbf16ps in the fast function
# and in the whole object no encoding beyond its instruction set and no use of another set's
# kernels. The objects that are nobody's kernel must run on any CPU.
#   ci/isa.sh [BUILD]      (build/release)
# Exit: 0 all well, 1 not, 2 an object is missing.
set -eu
. "$(dirname "$0")/lib.sh"
objects=${1:-build/release}/CMakeFiles/ck_objects.dir/kernels
[ -d "$objects" ] || fail "$objects is not there, build it first"

# inspect NAME ISA OBJECT: ISA is "any" for an object that is no kernel.
inspect() {
    [ -f "$3" ] || fail "$3 is not there"
    objdump -drw --no-show-raw-insn "$3" | awk -v name="$1" -v isa="$2" '
function error(text) {
    errors = errors "error: " name ": " text "\n"
}
# Packed arithmetic: what a vector kernel must have, and a scalar one must not. Moves, shuffles,
# logic and conversions are not: compilers use them on scalars, too, but for those of f16.
function packed(op) {
    sub(/^v/, "", op)
    return op ~ /^(add|sub|mul|div|sqrt|min|max|hadd|hsub|addsub|round|rndscale|scalef)p[sd]$/ ||
        op ~ /^fn?m(add|sub|addsub|subadd)(132|213|231)p[sd]$/ ||
        op ~ /^p(add|sub|mul|madd|dpb|dpw|min|max|abs|sign|movsx|movzx|acks|acku)[a-z0-9]*$/ ||
        op ~ /^(dpbf16ps|cvtph2ps|cvtps2ph)$/
}
# The function that holds address `at` of section `in_section`.
function holder(in_section, at, i, best) {
    for (i = 1; i <= functions; i++)
        if (section_of[i] == in_section && start[i] <= at && (!best || start[i] > start[best]))
            best = i
    return best ? title[best] : ""
}
function number(hex, i, n) {
    for (i = 1; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
    return n
}
function refer(target) {
    reach[here] = reach[here] " " target
}
# Adds up count[function, kind] over `from` and all that it reaches.
function total(from, kind, todo, seen, n, i, next_one, m, sum) {
    for (i in seen) delete seen[i]
    todo[n = 1] = from
    seen[from]
    for (i = 1; i <= n; i++) {
        sum += count[todo[i], kind]
        m = split(reach[todo[i]], next_one)
        for (; m; m--)
            if (!(next_one[m] in seen)) {
                seen[next_one[m]]
                todo[++n] = next_one[m]
            }
    }
    return sum + 0
}
function once(what) {
    if (!(what in told)) error("has " what ", as in " here ": " text)
    told[what]
}
/^Disassembly of section/ {
    section = $4
    sub(/:$/, "", section)
    next
}
/^[0-9a-f]+ <.*>:$/ {
    here = $2
    gsub(/[<>:]/, "", here)
    functions++
    title[functions] = here
    section_of[functions] = section
    start[functions] = number($1)
    next
}
# An instruction to be relocated. The target is a symbol, or a place in a section, which is resolved
# at the end.
/R_X86_64_/ {
    target = $NF
    if (target ~ /^[.]text/) {
        relocations++
        source[relocations] = here
        place[relocations] = target
        if ($0 ~ /R_X86_64_(PC|PLT)32/) pc[relocations]
    } else {
        sub(/[-+]0x[0-9a-f]+$/, "", target)
        refer(target)
        uses[target]
    }
}
/^ *[0-9a-f]+:\t/ {
    text = $0
    sub(/^ *[0-9a-f]+:\t/, "", text)
    sub(/\t+[0-9a-f]+: R_X86_64.*/, "", text)
    gsub(/[ \t]+/, " ", text)
    op = text
    while (op ~ /^(\{[a-z0-9]+\}|rep|repz|repnz|lock|notrack|bnd|data16|cs) /) sub(/^[^ ]+ /, "", op)
    sub(/ .*/, "", op)
    if ($0 !~ /R_X86_64_/ && match(text, /<[^>+]+/)) refer(substr(text, RSTART + 1, RLENGTH - 1))

    wide = text ~ /%zmm/ ? "zmm" : text ~ /%ymm/ ? "ymm" : text ~ /%xmm/ ? "xmm" : ""
    evex = text ~ /%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])|\{1to/
    vex = op ~ /^v/ && wide != ""
    if (evex && isa !~ /^avx512/) once("an AVX-512 encoding")
    else if (vex && isa !~ /^avx/) once("an AVX encoding")
    if (wide != "" && packed(op)) {
        count[here, wide " arithmetic"]++
        if (isa == "scalar") once("packed arithmetic")
    }
    if (wide != "" && op ~ /^v?mov[ua]p[sd]$|^v?movdq[ua]/) count[here, wide " moves"]++
    if (op ~ /^vpdpbusds?$/) {
        count[here, "vpdpbusd"]++
        if (isa !~ /vnni$/) once("vpdpbusd")
    }
    if (op == "vdpbf16ps") count[here, "vdpbf16ps"]++
}
END {
    for (i = 1; i <= relocations; i++) {
        offset = 0
        if (match(place[i], /[-+]0x[0-9a-f]+$/)) {
            offset = number(substr(place[i], RSTART + 3))
            if (substr(place[i], RSTART, 1) == "-") offset = -offset
            place[i] = substr(place[i], 1, RSTART - 1)
        }
        here = source[i]
        refer(holder(place[i], offset + (i in pc ? 4 : 0)))
    }
    for (target in uses) {
        base = target
        sub(/_(strict|spec)$/, "", base)
        if (base ~ /^ck_.*_(scalar|sse41|avx2|avxvnni|avx512|avx512vnni|avx512bf16)$/ &&
            base !~ ("_" isa "$")) error("uses " target)
    }
    if (isa == "any") {
        printf "%s", errors
        exit errors != ""
    }

    fast = "ck_" name
    strict = fast "_strict"
    needs = isa ~ /^avx512/ ? "zmm" : isa ~ /^avx/ ? "ymm" : isa == "sse41" ? "xmm" : ""
    special = isa ~ /vnni$/ ? "vpdpbusd" : isa == "avx512bf16" ? "vdpbf16ps" : ""
    for (i = 1; i <= functions; i++) found[title[i]]
    if (!(fast in found)) error("does not define " fast)
    if (!(strict in found)) error("does not define " strict)
    line = name ":"
    what = name ~ /^(kv_write_f32|pack)_/ ? "moves" : "arithmetic" # these copy, and do nothing else
    if (needs != "") {
        a = total(fast, needs " " what)
        b = total(strict, needs " " what)
        if (!a) error("no " needs " " what " in the fast function")
        if (!b) error("no " needs " " what " in the strict function")
        line = line " " needs " " what ": fast " a ", strict " b
    } else
        line = line " no packed arithmetic"
    if (special != "") {
        a = total(fast, special)
        if (!a) error("no " special " in the fast function")
        line = line "; " special " " a
    }
    if (errors != "") printf "%s", errors
    else print line
    exit errors != ""
}'
}

rows=$(sed -n 's/^CK_KERNEL([a-z0-9_]*, \([a-z0-9_]*\), \([a-z0-9_]*\), \([a-z0-9]*\)).*/\1 \2 \3/p' \
    kernels/kernels.def)
[ -n "$rows" ] || fail "kernels/kernels.def has no row"

rc=0
kernels=' '
while read -r op dtype isa; do
    file=$op/${op}_${dtype}_$isa.c.o
    kernels="$kernels$file "
    inspect "${op}_${dtype}_$isa" "$isa" "$objects/$file" || rc=1
done <<EOF
$rows
EOF
for object in "$objects"/*.o "$objects"/*/*.o; do
    [ -f "$object" ] || continue
    case $kernels in
    *" ${object#"$objects/"} "*) ;;
    *) inspect "${object#"$objects/"}" any "$object" || rc=1 ;;
    esac
done
exit "$rc"
