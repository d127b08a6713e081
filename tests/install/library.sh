#!/bin/sh
# The installed library: its names, header and pkg-config file; the README's program builds with them and
# runs; runs at the same time on separate handles.
. "$(dirname "$0")/lib.sh"
install_to "$work/d" /usr     # seen through a sysroot
install_to "" "$work/p"       # installed for good
so=p/lib/liblanefix.so
version=$("$LANEFIX" --version | sed 's/lanefix //')
libs=$work/p/lib

# --- names
nm -D --defined-only $so | sed 's/.* //' | LC_ALL=C sort >exported
awk '/^LANEFIX_API/ { on = 1 } on { text = text $0 } /;/ { on = 0 }
     END { n = split(text, call, "LANEFIX_API"); for (i = 2; i <= n; i++) { match(call[i], /lanefix_[a-z_]*\(/); print substr(call[i], RSTART, RLENGTH - 1) } }' \
    p/include/lanefix.h | LC_ALL=C sort >declared
check "calls are found" test "$(wc -l <declared)" -ge 11
check "the shared library exports what lanefix.h declares, nothing else" diff exported declared
same "names of the static library" "$(nm -g --defined-only p/lib/liblanefix.a 2>/dev/null | sed -n 's/.* [A-Z] //p' | grep -cvE '^(lf|lanefix)_')" 0
same "soname" "$(readelf -d $so | sed -n 's/.*soname: \[\(.*\)\].*/\1/p')" "liblanefix.so.${version%%.*}"
check "no text relocations" sh -c "! readelf -d $so | grep -q TEXTREL"
check "no executable stack" sh -c "readelf -lW $so | grep -q 'GNU_STACK.* RW '"

# --- the header alone
for spec in c99:c c11:c c++11:c++ c++17:c++; do
    printf '#include <lanefix.h>\n' >alone
    check "lanefix.h as ${spec%:*}" $CC -x "${spec#*:}" -std="${spec%:*}" -pedantic-errors -Wall -Wextra -Werror -Ip/include -fsyntax-only alone
done

# --- threads; without pkg-config too
trace >trace.json
check "threads.c builds" $CC -std=c99 -Wall -Wextra -Werror -Ip/include "$top/tests/install/threads.c" -Lp/lib -llanefix -pthread -o threads
counts=$(LD_LIBRARY_PATH=$libs ./threads trace.json) || bad "runs at the same time: $counts"
passed=$((passed + $(echo "$counts" | sed -n 's/^\([0-9]*\) passed.*/\1/p')))
"$LANEFIX" -q trace.json want.json
for n in 0 1 2 3 4 5; do check "output of thread $n" cmp -s thread.$n.json want.json; done

# --- the README's program
need pkg-config || finish
awk '/^    #include <lanefix\.h>/ { on = 1 } on && /^[^ ]/ { exit } on { print substr($0, 5) } on && /^    }/ { exit }' "$top/README.md" >example.c
check "README.md holds a program" grep -q 'int main' example.c
command=$(sed -n 's/^    \(cc example\.c .*pkg-config.*\)$/\1/p' "$top/README.md")
check "README.md says how it is compiled" test -n "$command"
for with in "$work/p/lib/pkgconfig:" "$work/d/usr/lib/pkgconfig:$work/d"; do
    what="pkg-config, ${with#*:}"
    PKG_CONFIG_PATH=${with%%:*} PKG_CONFIG_SYSROOT_DIR=${with#*:}
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    [ -n "$PKG_CONFIG_SYSROOT_DIR" ] || unset PKG_CONFIG_SYSROOT_DIR
    same "$what: version" "$(pkg-config --modversion lanefix)" "$version"
    for flags in "-std=c99" "-std=c11 -Wall -Wextra -Werror -pedantic-errors"; do
        rm -f a.out fixed.json
        check "$what: $flags" sh -c "$(echo "$command" | sed "s|^cc |$CC $flags |")"
        check "$what: it is linked with the shared library" sh -c "readelf -d a.out | grep -q 'NEEDED.*liblanefix'"
        same "$what: it runs" "$(LD_LIBRARY_PATH=$libs ./a.out)" "1 moved"
        check "$what: it fixes" cmp -s fixed.json want.json
    done
    same "$what: it reports" "$(cd / && LD_LIBRARY_PATH=$libs "$work/a.out" 2>&1 >/dev/null | grep -c 'trace.json')" 1
    rm -f fixed.json
    check "$what: static" sh -c "$CC example.c -o static \$(pkg-config --cflags --libs --static lanefix | sed 's/-llanefix/-l:liblanefix.a/')"
    same "$what: static, it runs" "$(./static)" "1 moved"
    cp example.c example.cc
    if [ "$CC" = cc ] && command -v c++ >/dev/null; then
        check "$what: C++" sh -c "c++ example.cc -o plus \$(pkg-config --cflags --libs lanefix)"
        same "$what: C++, it runs" "$(LD_LIBRARY_PATH=$libs ./plus)" "1 moved"
    fi
done
finish
