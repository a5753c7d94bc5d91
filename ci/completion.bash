# SPDX-License-Identifier: MIT
# Completion of ckparity's commands, options and kernels' names, for bash: `. ci/completion.bash`
# shellcheck shell=bash

# Options of a command.
_ckparity_options() {
    case $1 in
    list) echo --subject ;;
    selftest) echo --seed --seeds --shrink ;;
    bench) echo --suite --isa --mode --budget --subject --cold --json --harness ;;
    digest) echo --suite --isa --mode --seed --subject --check --old --unguarded ;;
    bounds) echo --suite --isa --mode --seed --subject --check ;;
    bisect) echo --good --bad ;;
    explain) echo --subject --dump-operands ;;
    shrink | gdb | call) echo --subject ;;
    emit-c) echo --subject -o ;;
    run)
        echo --suite --isa --require-isa --mode --seed --budget --jobs --subject --fail-fast --no-trace --cells --expect \
            --json --junit --format --dump-operands --exit-style
        ;;
    esac
}

_ckparity() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} words='' files=
    if [ "$COMP_CWORD" = 1 ]; then
        words='list run explain shrink emit-c gdb digest bounds bisect selftest bench --help'
    else
        case $before in
        --mode) words='fast strict both' ;;
        --suite) words='smoke ci nightly bench' files=yes ;;
        --isa | --require-isa) words=$("$program" list 2>/dev/null | cut -f 3 | sort -u) ;;
        --subject) words='blis ggml onednn openblas sleef' files=yes ;;
        --format) words=editor ;;
        --exit-style) words=bisect ;;
        --expect | --json | --junit | --dump-operands | --check | --old | -o) files=yes ;;
        --seed | --seeds | --budget | --jobs) ;;
        *)
            words=$(_ckparity_options "$command")
            if [[ $command =~ ^(run|digest|bounds|bench)$ && $word != -* ]]; then
                words=$("$program" list 2>/dev/null | cut -f 1)
            elif [[ $word != -* ]]; then
                # a case begins with the op: a kernel's name without its last part
                words=$("$program" list 2>/dev/null | cut -f 1 | sed 's/_[^_]*$//' | sort -u)
            fi
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    if [ -n "$files" ]; then
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _ckparity ckparity
