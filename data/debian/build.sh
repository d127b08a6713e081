#!/bin/sh
# build.sh VERSION SOURCE...: Debian packages from these files, in build/deb/. `make deb` calls it.
#
# The sources are staged below build/, as Debian wants a debian/ beside them.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
version=$1; shift
cd "$top"
for tool in dpkg-buildpackage dh; do
    command -v "$tool" >/dev/null || { echo "make deb: no $tool: apt-get install dpkg-dev debhelper" >&2; exit 1; }
done
[ "$(dpkg-parsechangelog -l data/debian/changelog -S Version)" = "$version" ] || {
    echo "make deb: data/debian/changelog: the first entry is not of version $version" >&2; exit 1; }

stage=build/deb/lanefix-$version
rm -rf build/deb
mkdir -p "$stage/debian"
tar -cf - --exclude=bench/results --exclude='*.fixed.json' "$@" | tar -xf - -C "$stage"
rm -rf "$stage/data/debian"
cp -R data/debian/. "$stage/debian"
rm "$stage/debian/build.sh"
chmod 755 "$stage/debian/rules"

# what a make around this one was told (CC, VARIANT, PREFIX) is not the package's business
unset MAKEFLAGS MAKEOVERRIDES MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS VARIANT PREFIX DESTDIR LIBDIR MANDIR RUN_DIR
cd "$stage"
dpkg-buildpackage -b -us -uc >../build.log 2>&1 || { tail -n 40 ../build.log >&2; exit 1; }
cd ..
rm -rf "lanefix-$version"
ls "$PWD"/*.deb
