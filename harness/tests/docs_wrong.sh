#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that docs.sh reports pages that are wrong: each line below is put into a README of its own.
#   docs_wrong.sh CKPARITY SOURCE
# Exit: 0 all are reported, 1 not.
set -eu
ckparity=$1 source=$2
here=$(dirname "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/tree/docs"
for entry in "$source"/*; do
    case ${entry##*/} in build | docs | README.md) ;; *) ln -s "$entry" "$tmp/tree/" ;; esac
done
ln -s "$source/docs/examples" "$tmp/tree/docs/"
sed '/^    /d; s/]([a-z-]*[.]md)//g; s/`ckparity [^`]*`//g' "$source/docs/verdicts.md" >"$tmp/tree/docs/verdicts.md"

rc=0
# page STATUS TEXT LINE...: docs.sh on a README of these lines exits so and says TEXT.
page() {
    want=$1 text=$2 got=0
    shift 2
    printf '%s\n' "$@" >"$tmp/tree/README.md"
    "$here/docs.sh" "$ckparity" "$tmp/tree" >"$tmp/said" 2>&1 || got=$?
    if [ "$got" != "$want" ] || ! { cat "$tmp/said"; echo; } | grep -qF -- "$text"; then
        printf 'docs_wrong: exit %s, wanted %s with "%s": %s\n' "$got" "$want" "$text" "$*"
        cat "$tmp/said"
        rc=1
    fi
}
case="gemm_nt_f32 isa=scalar mode=fast gen=1 M=1 N=1 K=1 fill=int"

page 0 '' "    \$ ckparity run '$case'" '    1 passed, 0 failed' "\`ckparity run '$case'\`"
page 1 'prints no "2 passed' "    \$ ckparity run '$case'" '    2 passed'
page 1 'prints no "kernel' "    ckparity run '$case'" '    1 passed' '    kernel'
page 1 'exit 0, wanted 1' "    ckparity run '$case'" '    (exit 1)'
page 1 'exit 2, wanted 0' '    ckparity run exp_f99'
page 1 'exit 1, wanted 0' '    $ false' '    ckparity list'
page 1 'exit 2: ckparity run --colour' '| `ckparity run --colour` | |'
page 1 'has no --peer' '    ci/setup.sh --peer'
page 1 'sh -n ci/nowhere.sh' 'As `ci/nowhere.sh` says.'
page 1 'no preset releases' '    cmake --preset releases'
page 1 'no label quickly' '    ctest --preset release -L quickly'
page 1 'ckparity-mutate has no --limits' '    build/release/ckparity-mutate --limits 600'
page 1 'is there already' '```c docs/verdicts.md' '```'
page 1 'has no line CK_OPS(' '```c kernels/kernels.def, before CK_OPS(' '```'
page 1 'leads to no docs/none.md' 'See [none](docs/none.md#all), [all](https://example.org).'
sed -i '/^| `repeat`/d' "$tmp/tree/docs/verdicts.md"
page 1 '## Checks is not the list' 'Nothing.'
exit "$rc"
