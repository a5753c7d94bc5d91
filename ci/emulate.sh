#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs build/release/ckparity on an emulated CPU with AVX-512 and VNNI: Bochs, docs/emulation.md.
#   ci/emulate.sh [ARGUMENT of ckparity run]...
# Without arguments: the avx512, avx512vnni and scalar kernels, suite harness/suites/emulated.cases.
# Files that are arguments are there in the emulated machine, too; what is written there is lost.
# Environment: CK_EMULATE=1 runs it although this CPU has AVX-512; CK_EMULATE_SECONDS limits the CPU
# time, 240 by default, and a quarter of the time by the clock.
# Exit: that of ckparity run; 1 also if time was up or the emulator failed; 77 not installed, or needless.
set -eu
. "$(dirname "$0")/lib.sh"

skip() {
    echo "SKIP emulate: $1"
    exit 77
}
if [ -z "${CK_EMULATE:-}" ] && grep -qw avx512_vnni /proc/cpuinfo; then
    skip "this CPU has AVX-512 itself; CK_EMULATE=1 runs it nevertheless"
fi
for tool in bochs-bin cpio; do
    command -v $tool >/dev/null || skip "no $tool; ci/setup.sh --emulator installs it"
done
[ -e "$CK_EMULATOR/kernel" ] || skip "no $CK_EMULATOR/kernel; ci/setup.sh --emulator makes it"
build release
[ $# != 0 ] ||
    set -- --require-isa avx512vnni "*_scalar" "*_avx512*" --suite harness/suites/emulated.cases

limit=${CK_EMULATE_SECONDS:-240}
top=$PWD
tmp=$(mktemp -d)
bochs=
finish() {
    [ -z "$bochs" ] || kill "$bochs" 2>/dev/null || :
    wait
    rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The initramfs: init, ckparity, its libraries, the arguments and the files among them.
mkdir -p "$tmp/root"
gcc -O1 -static -o "$tmp/root/init" ci/bochs/init.c
cp build/release/ckparity "$tmp/root/"
ldd build/release/ckparity | sed -n 's|.*[[:space:]]\(/[^ ]*\) (0x.*|\1|p' |
    while read -r library; do cp -L --parents "$library" "$tmp/root"; done
for argument; do
    [ ! -f "$argument" ] || cp -L --parents "$argument" "$tmp/root"
done
printf '%s\0' /ckparity run "$@" >"$tmp/root/command"
(cd "$tmp/root" && find . | cpio -o -H newc --quiet >../initramfs)

# The disk: loader, kernel, initramfs.
cp "$CK_EMULATOR/kernel" "$tmp/kernel"
truncate -s %512 "$tmp/kernel"
gcc -Os -nostdlib -static -ffreestanding -fno-pic -fcf-protection=none -fno-stack-protector \
    -fno-asynchronous-unwind-tables -mgeneral-regs-only -mno-red-zone -DLOADER_SECTORS=8 \
    -DKERNEL_BYTES="$(wc -c <"$tmp/kernel")" -DINITRAMFS_BYTES="$(wc -c <"$tmp/initramfs")" \
    -Wl,--oformat=binary,-Ttext=0x7c00,-N,-estart,--build-id=none \
    -o "$tmp/loader" ci/bochs/boot.S ci/bochs/load.c
[ "$(wc -c <"$tmp/loader")" -le 4608 ] || fail "the loader is larger than its 9 sectors"
truncate -s 4608 "$tmp/loader"
cat "$tmp/loader" "$tmp/kernel" "$tmp/initramfs" >"$tmp/disk"
[ "$(wc -c <"$tmp/disk")" -le 268369920 ] || fail "the files are larger than the disk of ci/bochs/bochsrc"
truncate -s 268369920 "$tmp/disk"

# Debian's Bochs is built with its debugger, which wants to be told to go on.
echo c >"$tmp/rc"
: >"$tmp/out"
say "ckparity run $*: emulated (Bochs), $limit s at most"
cd "$tmp"
TERM=vt100 timeout -k 1 $((4 * limit)) prlimit --cpu="$limit" \
    bochs-bin -q -f "$top/ci/bochs/bochsrc" -rc rc </dev/null >screen 2>&1 &
bochs=$!
wait "$bochs" || :
bochs=
cd "$top"
status=$(sed -n '$s/^exit \([0-9]*\)$/\1/p' "$tmp/out")
if [ -n "$status" ]; then
    sed '$d' "$tmp/out"
    echo "emulated (Bochs)"
    exit "$status"
fi
cat "$tmp/out"
tail -n 3 "$tmp/log" "$tmp/screen" >&2
echo "emulate.sh: no result: the emulated machine stopped, or CK_EMULATE_SECONDS=$limit were over" >&2
exit 1
