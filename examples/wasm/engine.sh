#!/bin/sh
# engine.sh FLAGS... PROGRAM: runs a program by V8; --wasm-opt=LEVEL changes it by binaryen first.
here=$(dirname "$0")
for program; do :; done
case $1 in
--wasm-opt=*)
    wasm-opt "-${1#--wasm-opt=}" "$program" -o optimised.wasm || exit 1
    shift
    set -- "$@" optimised.wasm
    program=optimised.wasm
    ;;
esac
flags=
while [ $# -gt 1 ]; do
    case $1 in --*) flags="$flags $1" ;; esac
    shift
done
# shellcheck disable=SC2086
exec node --no-warnings $flags "$here/engine.mjs" "$program"
