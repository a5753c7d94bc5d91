#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the build and the tests need, as far as it is missing; silent if nothing is.
#   ci/setup.sh              Debian packages (root, or sudo without a password)
#   ci/setup.sh --peers      other libraries to compare with: Debian packages, and from npm, into
#                            $CK_PEERS or ~/.cache/ckparity/peers; what fails does not stop the rest
#   ci/setup.sh --emulator   what ci/emulate.sh and ci/simde.sh need: Debian packages, and a kernel
#                            from Debian's, not installed, in $CK_EMULATOR or ~/.cache/ckparity/bochs
# Exit: 0 all there, 2 something is missing and could not be installed.
set -eu
. "$(dirname "$0")/lib.sh"

# The one list of packages, and those of --peers and --emulator.
packages='build-essential cmake ninja-build ccache git
    clang-14 llvm-14 libclang-rt-14-dev clang-format-14
    libcmocka-dev libjansson-dev libmpfr-dev libtcc-dev tcc valgrind qemu-user afl++ lcov libxml2-utils'
peers='libopenblas0-pthread libblis4-serial libdnnl2 libsleef3'
emulator='libsimde-dev bochs bochs-term bochsbios vgabios cpio lz4'

# again COMMAND...: up to three tries.
again() {
    for pause in 2 5 0; do
        "$@" && return 0
        sleep "$pause"
    done
    return 1
}

# debian PACKAGE...
debian() {
    missing=
    for package; do
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

# Debian's and npm's, each without the other where one is not to be had.
peers() {
    status=0
    # shellcheck disable=SC2086
    (debian $peers) || status=$?
    (ggml) || status=$?
    return "$status"
}

# The stamp is written last: an installation that was cut short is done again from nothing.
ggml() {
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

# Debian's kernel as it lies in memory from 16 MiB on: the payload of vmlinuz (the offsets are those of
# Linux' boot.rst; four bytes behind it are its size) without the headers of ELF.
kernel() {
    [ ! -e "$CK_EMULATOR/kernel" ] || return 0
    package=$(apt-cache depends linux-image-cloud-amd64 |
        sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
    [ -n "$package" ] || fail "apt-cache knows no linux-image-cloud-amd64; apt-get update?"
    say "unpack $package in $CK_EMULATOR"
    mkdir -p "$CK_EMULATOR" || fail "cannot make $CK_EMULATOR"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    chmod 755 "$work"
    quiet apt-download again env -C "$work" apt-get -qq download "$package" ||
        fail "apt-get could not download $package"
    dpkg-deb --fsys-tarfile "$work"/*.deb | tar -xO --wildcards './boot/vmlinuz-*' >"$work/vmlinuz"
    start=$(((1 + $(number 497 1)) * 512 + $(number 584 4)))
    tail -c "+$((start + 1))" "$work/vmlinuz" | head -c "$(($(number 588 4) - 4))" |
        lz4 -dc >"$work/vmlinux" || fail "the kernel of $package is not packed by lz4"
    objcopy -O binary "$work/vmlinux" "$CK_EMULATOR/kernel.part"
    mv "$CK_EMULATOR/kernel.part" "$CK_EMULATOR/kernel"
}

# number OFFSET BYTES: from vmlinuz.
number() { od -An -tu"$2" -j"$1" -N"$2" "$work/vmlinuz" | tr -d ' '; }

# shellcheck disable=SC2086
case "$*" in
'') debian $packages ;;
--peers) peers ;;
--emulator)
    debian $packages $emulator
    kernel
    ;;
*) fail "usage: ci/setup.sh [--peers | --emulator]" ;;
esac
