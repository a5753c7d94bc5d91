#!/bin/sh
# SPDX-License-Identifier: MIT
# A campaign: random cases, libFuzzer and AFL++ in turns until the time is up.
#   ci/campaign.sh --hours H [--seed HEX] [--output FOLDER] [--subject X]
# H may be a fraction; X is another library, as in ckparity run --subject. Everything is in FOLDER (default build/campaign): found/KERNEL_MODE_CHECK.case is
# one failing case, shrunk, for each kernel, mode and check; other/ has inputs that fail without a case;
# corpus/ and afl/ are gone on with by the next campaign; log/ has what the programs printed. Seeds are
# printed: round N uses seed + N.
# Exit: 0 nothing found, 1 something found, 2 bad input or a tool missing.
set -eu
usage="usage: ci/campaign.sh --hours H [--seed HEX] [--output FOLDER] [--subject X]"
here=$PWD
. "$(dirname "$0")/lib.sh"

hours='' seed=1 out=build/campaign subject=''
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || fail "$usage"
    case $1 in
    --hours) hours=$2 ;;
    --seed) seed=$2 ;;
    --subject) subject=$2 ;;
    --output) case $2 in /*) out=$2 ;; *) out=$here/$2 ;; esac ;;
    *) fail "$usage" ;;
    esac
    shift 2
done
case $hours in '' | *[!0-9.]* | *.*.* | .) fail "$usage" ;; esac
case $seed in '' | *[!0-9a-fA-F]* | ???????????*) fail "--seed $seed is no hexadecimal number of at most 10 digits" ;; esac
total=$(awk -v h="$hours" 'BEGIN { printf "%d", 3600 * h }')
[ "$total" -ge 20 ] || fail "--hours $hours is less than 20 seconds"

build release
build fuzz
jobs=$(nproc)
case $subject in
'') ;;
/*) export FZ_SUBJECT="$subject" ;;
*/*) export FZ_SUBJECT="$here/$subject" ;;
*) export FZ_SUBJECT="$PWD/build/release/libckparity_$subject.so" ;;
esac
afl=
if command -v afl-fuzz >/dev/null && command -v afl-clang-fast >/dev/null; then
    build afl
    afl=build/afl/fuzz_cases
    afl_environment
else
    echo "SKIP afl: afl++ is not installed; its time goes to the others"
fi
mkdir -p "$out/found" "$out/other" "$out/log" "$out/corpus/cases" "$out/corpus/text" "$out/crashes"
: >>"$out/seen"

ckparity() { build/release/ckparity run ${FZ_SUBJECT:+--subject "$FZ_SUBJECT"} "$@"; }

# field NAME: of a failure's line of ckparity's JSON.
field() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p"; }

# keep JSON: a file for each kernel, mode and check that has none yet.
keep() {
    [ -f "$1" ] || return 0
    sed -n '/"kernel": .*"verdict": /p' "$1" >"$out/failures"
    while read -r failure; do
        kernel=$(printf '%s\n' "$failure" | field kernel)
        mode=$(printf '%s\n' "$failure" | field mode)
        check=$(printf '%s\n' "$failure" | field check)
        line=$(printf '%s\n' "$failure" | field shrunk)
        [ -n "$line" ] || line=$(printf '%s\n' "$failure" | field case)
        what=$(printf '%s\n' "$failure" | sed -n 's/.*"what": "\(.*\)", "case": .*/\1/p')
        file=$out/found/${kernel}_${mode}_$check.case
        [ ! -e "$file" ] || continue
        printf '# %s %s: %s: %s\n%s\n' "$kernel" "$mode" "$check" "$what" "$line" >"$file.tmp"
        mv "$file.tmp" "$file"
        echo "found: $line"
    done <"$out/failures"
    rm "$out/failures"
}

# explain TARGET FILE...: the cases of inputs that a fuzzer saved; each is run alone, so as to be shrunk.
explain() {
    target=$1
    shift
    for input; do
        [ -f "$input" ] || continue
        grep -qxF "$input" "$out/seen" && continue
        echo "$input" >>"$out/seen"
        "build/fuzz/replay_$target" "$input" >"$out/log/replay" 2>&1 || :
        sed -n "s/^ *case   ckparity run '\(.*\)'$/\1/p" "$out/log/replay" >"$out/lines"
        if ! [ -s "$out/lines" ]; then
            cp "$input" "$out/other/"
            echo "found: $out/other/${input##*/}, no case: $(tail -n 1 "$out/log/replay")"
        fi
        while read -r line; do
            rm -f "$out/one.json"
            ckparity --json "$out/one.json" "$line" >/dev/null 2>&1 || :
            keep "$out/one.json"
        done <"$out/lines"
    done
}

random() { # SECONDS SEED
    rm -f "$out/run.json"
    ckparity --suite fuzz/campaign.cases --budget "$1" --seed "$2" --json "$out/run.json" \
        >"$out/log/run" 2>&1 || :
    printf 'random    seed %s: %s\n' "$2" "$(tail -n 1 "$out/log/run")"
    keep "$out/run.json"
}

libfuzzer() { # SECONDS SEED TARGET [libFuzzer's argument]...
    seconds=$1 number=$(printf '%d' "0x$2") target=$3
    shift 3
    "build/fuzz/fuzz_$target" -fork="$jobs" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 \
        -max_total_time="$seconds" -seed="$((number % 4294967295 + 1))" -timeout=60 \
        "-artifact_prefix=$out/crashes/$target-" "$@" "$out/corpus/$target" "fuzz/corpus/$target" \
        >"$out/log/fuzz_$target" 2>&1 || :
    printf 'libFuzzer %s: %s\n' "$target" \
        "$(grep '^#[0-9]' "$out/log/fuzz_$target" | tail -n 1 | cut -c 1-70)"
    explain "$target" "$out/crashes/$target-"*
}

aflplus() { # SECONDS SEED
    input=fuzz/corpus/cases
    [ ! -d "$out/afl/m/queue" ] || input=-
    AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/build/release/libfz_mutator.so AFL_CUSTOM_MUTATOR_ONLY=1 \
        afl-fuzz -s "$(printf '%d' "0x$2")" -V "$1" -G 1152 -i "$input" -o "$out/afl" -M m \
        -- "$afl" >"$out/log/afl" 2>&1 || :
    printf 'AFL++     %s\n' "$(sed -n 's/^\(execs_done\|saved_crashes\) *: /\1 /p' \
        "$out/afl/m/fuzzer_stats" 2>/dev/null | tr '\n' ' ')"
    explain cases "$out/afl/m/crashes/id:"*
}

began=$(date +%s)
round=0
while :; do
    left=$((total - $(date +%s) + began))
    [ "$left" -ge 15 ] || break
    # rounds of up to half an hour: early ones show early what is broken
    [ "$left" -le 2400 ] && slice=$left || slice=1800
    now=$(printf '%x' "$((0x$seed + round))")
    say "round $round, seed $now, $slice of $left seconds"
    random "$((slice / 2))" "$now"
    libfuzzer "$((slice / 4))" "$now" cases -max_len=1152
    if [ -n "$afl" ]; then aflplus "$((slice / 6))" "$now"; else random "$((slice / 6))" "a$now"; fi
    libfuzzer "$((slice / 16))" "$now" text -max_len=512 -dict=fuzz/text.dict
    round=$((round + 1))
done

set -- "$out"/found/*.case "$out"/other/*
say "$round rounds from seed $seed"
rc=0
for file; do
    [ -f "$file" ] || continue
    rc=1
    printf '%s: %s\n' "$file" "$(sed -n 2p "$file")"
done
[ "$rc" = 1 ] || echo "nothing found"
exit "$rc"
