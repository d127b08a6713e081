#!/bin/sh
# make deb: lintian finds no error; the packages install, run, build a program and go without a trace: in a
# folder of their own, and where LANEFIX_TEST_SYSTEM is set (a machine to be thrown away) and we are root,
# in the system too.
. "$(dirname "$0")/lib.sh"
for tool in dpkg-buildpackage dh lintian fakeroot; do need $tool || finish; done
[ "$CC" = cc ] || { echo "skipped: packages are built with cc"; finish; }
version=$("$LANEFIX" --version | sed 's/lanefix //')

if DEB_BUILD_OPTIONS=nocheck make_here deb >deb.log 2>&1; then ok; else bad "make deb: $(cat deb.log)"; finish; fi
deb=$top/build/deb
arch=$(dpkg --print-architecture)
set -- "$deb/lanefix_${version}_$arch.deb" "$deb/liblanefix0_${version}_$arch.deb" "$deb/liblanefix-dev_${version}_$arch.deb"
for package in "$@"; do check "${package##*/}" test -f "$package"; done
check "no other package but debug symbols" test "$(find "$deb" -name '*.deb' ! -name '*-dbgsym_*' | wc -l)" = 3
lintian --fail-on error "$deb"/*.changes >lintian.log 2>/dev/null
same "lintian: errors" "$(grep '^E:' lintian.log)" ""
grep '^W:' lintian.log

# use WHERE ROOT LIBRARY-PATH: what was installed below ROOT does its work
use() {
    trace >trace.json
    rm -f trace.fixed.json fixed.json a.out
    same "$1: version" "$("$2/usr/bin/lanefix" --version)" "lanefix $version"
    "$2/usr/bin/lanefix" -q trace.json; check "$1: lanefix" test -s trace.fixed.json
    "$2/usr/bin/trace-lanefix" trace.json compat.json >.out; check "$1: trace-lanefix" grep -q "lane 1" compat.json
    check "$1: manual" test -f "$2/usr/share/man/man1/lanefix.1.gz" -a -f "$2/usr/share/man/man3/lanefix.3.gz"
    for file in bash-completion/completions/lanefix zsh/vendor-completions/_lanefix fish/vendor_completions.d/lanefix.fish; do
        check "$1: $file" test -f "$2/usr/share/$file"
    done
    awk '/^    #include <lanefix\.h>/ { on = 1 } on && /^[^ ]/ { exit } on { print substr($0, 5) } on && /^    }/ { exit }' "$top/README.md" >example.c
    if need pkg-config; then
        check "$1: the README's program builds" sh -c "cc example.c \$(pkg-config --cflags --libs lanefix)"
        same "$1: and runs" "$(LD_LIBRARY_PATH=$3 ./a.out)" "1 moved"
        check "$1: and fixes" cmp -s fixed.json trace.fixed.json
    fi
}

# --- below a folder. No package of ours has scripts, so nothing of it runs outside.
root=$work/root
mkdir -p root/var/lib/dpkg/updates root/var/lib/dpkg/info root/var/lib/dpkg/triggers
: >root/var/lib/dpkg/status; : >root/var/lib/dpkg/available
for package in "$@"; do
    same "${package##*/}: no maintainer scripts" "$(dpkg-deb --ctrl-tarfile "$package" | tar -tf - | grep -E 'inst$|rm$|config$')" ""
done
if [ "$(id -u)" -eq 0 ]; then as_root=; else as_root=fakeroot; fi
dpkg_root() { PATH=$PATH:/usr/sbin:/sbin $as_root dpkg --root="$root" --log="$work/dpkg.log" --force-depends --force-script-chrootless "$@" >dpkg.out 2>&1; }
files() { (cd "$root" && find . ! -type d ! -path './var/lib/dpkg/*' | LC_ALL=C sort); }
dpkg_root -i "$@"; same "dpkg -i: $(tail -n 3 dpkg.out)" $? 0
libs=$(dirname "$(find root -name 'liblanefix.so.0')")
PKG_CONFIG_PATH=$work/$libs/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
use "in a folder" "$root" "$work/$libs"
unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
dpkg_root -P lanefix liblanefix-dev liblanefix0; same "dpkg -P: $(tail -n 3 dpkg.out)" $? 0
same "nothing stays" "$(files)" ""

# --- in the system
if [ -z "${LANEFIX_TEST_SYSTEM:-}" ] || [ "$(id -u)" -ne 0 ]; then
    echo "skipped: packages in the system itself (LANEFIX_TEST_SYSTEM=1, as root)"
    finish
fi
if dpkg -s lanefix liblanefix0 >/dev/null 2>&1 || [ -e /usr/bin/lanefix ]; then
    echo "skipped: lanefix is installed already"
    finish
fi
DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >apt.log 2>&1; same "apt-get install: $(tail -n 3 apt.log)" $? 0
same "installed" "$(dpkg-query -W -f '${db:Status-Abbrev}' lanefix)" "ii "
dpkg -L lanefix liblanefix0 liblanefix-dev | sort -u | while read -r f; do [ -d "$f" ] || echo "$f"; done >there
use "in the system" "" ""
DEBIAN_FRONTEND=noninteractive apt-get purge -y -q lanefix liblanefix-dev liblanefix0 >apt.log 2>&1; same "apt-get purge: $(tail -n 3 apt.log)" $? 0
same "nothing stays in the system" "$(while read -r f; do [ ! -e "$f" ] || echo "$f"; done <there)" ""
check "files were there" test "$(wc -l <there)" -gt 15
finish
