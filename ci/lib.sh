# SPDX-License-Identifier: MIT
# What the scripts of this folder share; each sources it first. It goes to the top of the tree.
# shellcheck shell=sh

cd "$(dirname "$0")/.." || exit
export LC_ALL=C
export ASAN_SYMBOLIZER_PATH="${ASAN_SYMBOLIZER_PATH-$(command -v llvm-symbolizer-14 || :)}"
# Copies of the tree, which tests build, find its objects again.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
# Without a run of the preprocessor before each compilation: immintrin.h takes it long.
export CCACHE_DEPEND=1
# A user without a home has no place for ccache's files.
[ -z "${CCACHE_DIR-}" ] || mkdir -p "$CCACHE_DIR" 2>/dev/null || :
[ -w "${CCACHE_DIR:-${HOME:-/nowhere}}" ] || export CCACHE_DISABLE=1

# Where ckparity looks for the libraries of others, too.
export CK_PEERS="${CK_PEERS:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/ckparity/peers}"
export CK_EMULATOR="${CK_EMULATOR:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/ckparity/bochs}"
ggml_package=@node-llama-cpp/linux-x64
ggml_version=3.22.1
ggml_stamp=$CK_PEERS/.ckparity-ggml-$ggml_version

say() { printf '== %s\n' "$*"; }

# fail MESSAGE: bad input or a tool missing.
fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 2
}

have_ggml() { [ -e "$ggml_stamp" ] && [ -d "$CK_PEERS/node_modules/$ggml_package" ]; }

# quiet NAME COMMAND...: what COMMAND prints goes to build/log/NAME.log, and is shown if it fails.
quiet() {
    log=build/log/$1.log
    shift
    mkdir -p build/log
    "$@" >"$log" 2>&1 && return 0
    status=$?
    grep -v '^\[[0-9]*/[0-9]*\] [^F]' "$log" | tail -n 80 >&2
    printf '%s: exit %s: %s (all of it: %s)\n' "${0##*/}" "$status" "$*" "$log" >&2
    return "$status"
}

# build PRESET: configures and builds it.
build() {
    say "build $1"
    quiet "configure-$1" cmake --preset "$1" && quiet "build-$1" cmake --build --preset "$1"
}

# afl_environment: what AFL++ needs to run without a screen, a fixed core or a special kernel setting.
afl_environment() {
    export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 AFL_NO_UI=1 \
        AFL_QUIET=1 TERM=dumb
}

# sources GLOB...: the files of the tree that match, new ones included, ignored ones not.
sources() {
    if ! git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null; then
        for glob; do
            find . -path ./build -prune -o -type f -name "$glob" -print | sed 's|^\./||'
        done
    fi | sort -u | while read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done
}
