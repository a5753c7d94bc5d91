#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the build and the tests need, as far as it is missing; silent if nothing is.
#   ci/setup.sh           Debian packages (root, or sudo without a password)
#   ci/setup.sh --peers   other libraries to compare with, from npm, into $CK_PEERS or
#                         ~/.cache/ckparity/peers
# Exit: 0 all there, 2 something is missing and could not be installed.
set -eu
. "$(dirname "$0")/lib.sh"

# The one list of packages.
packages='build-essential cmake ninja-build ccache git
    clang-14 llvm-14 libclang-rt-14-dev clang-format-14
    libcmocka-dev libmpfr-dev valgrind libxml2-utils'

# again COMMAND...: up to three tries.
again() {
    for pause in 2 5 0; do
        "$@" && return 0
        sleep "$pause"
    done
    return 1
}

debian() {
    missing=
    for package in $packages; do
        case $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || :) in
        installed*) ;;
        *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0

    hint="packages missing, as root: apt-get install --no-install-recommends$missing"
    command -v apt-get >/dev/null || fail "no apt-get here; $hint"
    if [ "$(id -u)" = 0 ]; then
        root='env'
    elif sudo -n true 2>/dev/null; then
        root='sudo -n env'
    else
        fail "$hint"
    fi
    say "install$missing"
    apt="$root DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120"
    # shellcheck disable=SC2086
    quiet apt-update again $apt update || say "apt-get update failed, going on with the old lists"
    # shellcheck disable=SC2086
    quiet apt-install again $apt install -y --no-install-recommends $missing || fail "$hint"
}

# The stamp is written last: an installation that was cut short is done again from nothing.
peers() {
    ! have_ggml || return 0
    command -v npm >/dev/null || fail "npm missing: install it to get $ggml_package"
    say "install $ggml_package@$ggml_version in $CK_PEERS"
    mkdir -p "$CK_PEERS" || fail "cannot make $CK_PEERS"
    rm -rf "$CK_PEERS/node_modules/${ggml_package:?}" "$CK_PEERS/node_modules/.package-lock.json" \
        "$CK_PEERS"/.ckparity-ggml-*
    quiet npm again timeout 120 npm i --ignore-scripts --no-audit --no-fund --save-exact \
        --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=30000 \
        --prefix "$CK_PEERS" "$ggml_package@$ggml_version" </dev/null ||
        fail "npm could not install $ggml_package@$ggml_version"
    : >"$ggml_stamp"
}

case $# in
0) debian ;;
*)
    [ "$*" = --peers ] || fail "usage: ci/setup.sh [--peers]"
    peers
    ;;
esac
