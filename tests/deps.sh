#!/bin/sh
# Installs what the build and the tests need, where it is missing. Fast and without a network when
# all is there.
set -u

missing=
has_header() { printf '#include <%s>\n' "$1" | ${CC:-cc} -E - >/dev/null 2>&1; }
need() { # package, command...
    package=$1; shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

need gcc command -v cc
need make command -v make
need clang command -v clang
need zstd command -v zstd
need python3 command -v python3
need pkg-config command -v pkg-config
need libjsmn-dev has_header jsmn.h
need libzstd-dev has_header zstd.h
need libisal-dev has_header isa-l.h
need zlib1g-dev has_header zlib.h
need libcriterion-dev has_header criterion/criterion.h

[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    cat >&2 <<TXT
lanefix: missing (Debian's names):$missing
  Fedora:   dnf install gcc make clang zstd python3 pkgconf-pkg-config jsmn-devel libzstd-devel isa-l-devel zlib-devel criterion-devel
  Arch:     pacman -S gcc make clang zstd python pkgconf isa-l zlib criterion; jsmn from the AUR
  Homebrew: brew install pkg-config jsmn zstd isa-l zlib criterion
TXT
    exit 1
fi

sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
echo "installing:$missing"
# shellcheck disable=SC2086
{
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q $missing >/dev/null 2>&1 ||
    { $sudo apt-get update -q >/dev/null &&
      DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q $missing >/dev/null; }
}
