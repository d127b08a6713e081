#!/bin/sh
# make install puts what it should where it should, and make uninstall removes just that.
. "$(dirname "$0")/lib.sh"
version=$("$LANEFIX" --version | sed 's/lanefix //')
cat >want <<TXT
bin/lanefix 755
bin/trace-lanefix 755
include/lanefix.h 644
lib/liblanefix.a 644
lib/liblanefix.so -> liblanefix.so.${version%%.*}
lib/liblanefix.so.${version%%.*} -> liblanefix.so.$version
lib/liblanefix.so.$version 644
lib/pkgconfig/lanefix.pc 644
share/bash-completion/completions/lanefix 644
share/bash-completion/completions/trace-lanefix 644
share/fish/vendor_completions.d/lanefix.fish 644
share/fish/vendor_completions.d/trace-lanefix.fish 644
share/man/man1/lanefix.1 644
share/man/man1/trace-lanefix.1 644
share/man/man3/lanefix.3 644
share/zsh/site-functions/_lanefix 644
share/zsh/site-functions/_trace-lanefix 644
TXT
installed() { # below a folder, as in want
    (cd "$1" && find . -type l -printf '%P -> %l\n' -o -type f -printf '%P %m\n' | LC_ALL=C sort)
}
LC_ALL=C sort -o want want
install_to "$work/d" /usr
installed d/usr >got; check "files of make install" diff got want
install_to "$work/a b" /opt/lane
installed "a b/opt/lane" >got; check "a DESTDIR with a space, another PREFIX" diff got want
same "nothing outside PREFIX" "$(find d "a b" ! -type d | grep -vcE '^(d/usr|a b/opt/lane)/')" 0
same "no traces of DESTDIR" "$(grep -rlF "$work" d | wc -l | tr -d ' ')" 0
install_to "$work/d" /usr; installed d/usr >got; check "make install again" diff got want

make_here install DESTDIR="$work/multi" PREFIX=/usr LIBDIR=/usr/lib/x/y MANDIR=/man >install.log
check "LIBDIR" test -f multi/usr/lib/x/y/pkgconfig/lanefix.pc
check "LIBDIR in lanefix.pc" grep -qx 'libdir=${prefix}/lib/x/y' multi/usr/lib/x/y/pkgconfig/lanefix.pc
check "MANDIR" test -f multi/man/man3/lanefix.3
make_here uninstall DESTDIR="$work/multi" PREFIX=/usr LIBDIR=/usr/lib/x/y MANDIR=/man
same "uninstall with LIBDIR" "$(find multi ! -type d)" ""

for name in bin/lanefix-other lib/liblanefix.so.9 share/man/man1/other.1; do echo other >"d/usr/$name"; done
make_here uninstall DESTDIR="$work/d" PREFIX=/usr
same "make uninstall removes just that" "$(find d ! -type d | LC_ALL=C sort | tr '\n' ' ')" \
    "d/usr/bin/lanefix-other d/usr/lib/liblanefix.so.9 d/usr/share/man/man1/other.1 "
make_here uninstall DESTDIR="$work/d" PREFIX=/usr; same "make uninstall again" $? 0
finish
