#!/bin/sh
# Builds the wheel into build/python and runs tests/python with it in a venv. Ends with
# "N passed, N failed".
#
#   PYTHON=python3.12   one that has setuptools, wheel and pytest; default: the first that has
#   LIBRARY=x.a         the static library that the wheel's is made of; default: build/release's
#
# The wheel carries the library and, where they can be had, its codecs inside it; what there is only
# as a shared library lies beside it. So it needs libc alone.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$top/build/python
archive=${LIBRARY:-$top/build/release/liblanefix.a}
cc=${CC:-cc}

skip() { echo "skipped: $*"; echo "0 passed, 0 failed"; exit 0; }

has_all() { "$1" -c 'import setuptools, ensurepip, pip, pytest, venv, wheel' 2>/dev/null; }
python=
for p in ${PYTHON:-python3 /usr/bin/python3}; do
    if has_all "$p"; then python=$p; break; fi
done
[ -n "$python" ] || skip "the Python package: needs python3 (3.10 or newer) with pip, venv," \
    "setuptools, wheel, pytest (Debian: python3-pip python3-venv python3-setuptools python3-wheel python3-pytest)"
[ -e "$archive" ] || { echo "$archive is missing: make builds it"; exit 1; }

# --- sources and library, put together
rm -rf "$out"
mkdir -p "$out/src" "$out/wheel"
cp -r "$top"/src/python/pyproject.toml "$top"/src/python/setup.py "$top"/src/python/README.md "$top"/src/python/trace_lanefix "$out/src/"
rm -rf "$out/src/trace_lanefix/__pycache__"
cp "$top/LICENSE" "$out/src/"
package=$out/src/trace_lanefix

# of a codec: its static archive if there is one, else the shared library, which is taken along
codecs=
hidden=
copyright() { # library: its licence goes with it
    for text in /usr/share/doc/lib"$1"[0-9]*/copyright /usr/share/doc/lib"$1"*-dev/copyright; do
        [ -e "$text" ] && cp "$text" "$out/src/LICENSE.lib$1" && return
    done
    return 0
}
take() {
    file=$($cc -print-file-name="lib$1.a")
    copyright "$1"
    if [ -e "$file" ]; then
        codecs="$codecs $file"; hidden="$hidden:lib$1.a"
        return
    fi
    codecs="$codecs -l$1"
    file=$($cc -print-file-name="lib$1.so")
    soname=$(objdump -p "$file" | sed -n 's/^ *SONAME *//p')
    cp -L "$file" "$package/$soname"
}
take zstd
if nm -u "$archive" 2>/dev/null | grep -q isal_inflate; then take isal; else take z; fi
# shellcheck disable=SC2086
$cc -shared -Wl,-soname,liblanefix.so -Wl,-z,defs -Wl,-s -Wl,-rpath,'$ORIGIN' \
    -Wl,--exclude-libs,"${hidden#:}" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive \
    $codecs -lm -pthread ${LDFLAGS:-} -o "$package/liblanefix.so"

# --- the wheel, without a network
(cd "$out/src" && "$python" -m pip wheel -q --no-index --no-build-isolation --no-deps \
    --disable-pip-version-check -w "$out/wheel" .)
wheel=$(ls "$out"/wheel/*.whl)
echo "$wheel ($(wc -c <"$wheel") bytes)"

# --- its tests
"$python" -m venv --system-site-packages "$out/venv"
"$out/venv/bin/python" -m pip install -q --no-index --no-deps --force-reinstall \
    --disable-pip-version-check "$wheel"
log=$out/test.log
status=0
(cd "$out" && LANEFIX_WHEEL=$wheel LANEFIX_TOP=$top \
    venv/bin/python -m pytest -q -p no:cacheprovider --import-mode=importlib \
    ${PYTEST_ARGUMENTS:-} "$top/tests/python") >"$log" 2>&1 || status=$?
cat "$log"
count() { tail -n 1 "$log" | sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p; s/^\([0-9][0-9]*\) $1.*/\1/p" | head -n 1; }
passed=$(count passed)
failed=$(($(c=$(count failed); echo "${c:-0}") + $(c=$(count error); echo "${c:-0}")))
[ "$status" -eq 0 ] || [ "$failed" -ne 0 ] || failed=1
echo "${passed:-0} passed, $failed failed"
[ "$failed" -eq 0 ]
