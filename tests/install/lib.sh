# Sourced by the scripts here: what the command line's tests have, and an installation to look at.
# shellcheck shell=sh
top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build/release}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
LANEFIX=$BUILD/lanefix
COMPAT=$BUILD/trace-lanefix
case $BUILD in
*/release-*) CC=${BUILD##*/release-} ;;
*/release) CC=cc ;;
*) echo "skipped: only what is released is installed, not ${BUILD##*/}"
   echo "0 passed, 0 failed"
   exit ;;
esac
# A make around this one does not say what is built here.
unset MAKEFLAGS MAKEOVERRIDES MAKELEVEL MFLAGS VARIANT CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR LIBDIR MANDIR
. "$top/tests/cli/lib.sh"

make_here() { make --no-print-directory -s -C "$top" CC="$CC" "$@"; }
# install_to DESTDIR PREFIX
install_to() { make_here install DESTDIR="$1" PREFIX="$2" >install.log 2>&1 || { bad "make install: $(cat install.log)"; finish; }; }
need() { command -v "$1" >/dev/null 2>&1 || { echo "skipped: no $1"; return 1; }; }
