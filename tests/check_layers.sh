#!/bin/sh
# A room includes only what stands before it; threads, codecs, intrinsics and jsmn stay in their
# rooms; the program sees only the public header. Ends with "N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
passed=0
failed=0
bad() { echo "$1"; failed=$((failed + 1)); }

below=
for room in base par io json trace solve rewrite run; do
    below="$below $room"
    for file in src/$room/*.[ch]; do
        [ -e "$file" ] || continue
        before=$failed
        for other in $(sed -n 's/^ *# *include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
            case " $below " in *" $other "*) ;; *) bad "$file includes $other/, which stands above $room/" ;; esac
        done
        [ $room = par ] || ! grep -nE 'include <(pthread|threads|stdatomic)\.h>' "$file" || bad "$file: threads are par's"
        [ $room = io ] || ! grep -nE 'include <(zstd|zlib|isa-l|isa-l/.*)\.h>' "$file" || bad "$file: codecs are io's"
        [ $room = json ] || ! grep -nE 'include <(jsmn|immintrin|arm_neon|.mmintrin)\.h>' "$file" || bad "$file: jsmn and intrinsics are json's"
        case $room in
        json|trace|solve|rewrite)
            ! grep -nE 'include <(stdio_ext|unistd|fcntl|sys/.*)\.h>|\<(f?printf|puts|fopen|open|read|write)\(' "$file" || bad "$file: no I/O in $room/" ;;
        esac
        ! grep -nE '\<(exit|abort|signal|sigaction)\(' "$file" || bad "$file: the library never exits or touches signals"
        [ $failed -ne $before ] || passed=$((passed + 1))
    done
done
for file in src/cli/*.[ch]; do
    [ -e "$file" ] || continue
    before=$failed
    for other in $(sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' "$file"); do
        case $other in lanefix.h|cli/*) ;; *) bad "$file includes $other: the program sees only lanefix.h" ;; esac
    done
    [ $failed -ne $before ] || passed=$((passed + 1))
done
for spec in c99:c c++11:c++; do
    printf '#include "lanefix.h"\n' | ${CC:-cc} -x "${spec#*:}" -std="${spec%:*}" -pedantic-errors -Wall -Wextra -Werror -Iinclude -fsyntax-only - \
        && passed=$((passed + 1)) || bad "include/lanefix.h does not compile as ${spec%:*}"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
