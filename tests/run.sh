#!/bin/sh
# Runs the tests of a build folder and ends with "N passed, N failed".
#
#   run.sh BUILD [KIND...]    kinds: unit prop thread fault fuzz golden cli install shared (default: all)
#
# Every test prints "N passed, N failed" as its last line (Criterion's summary is turned into that);
# what prints nothing of the kind, or ends with a status of its own, counts as one failure.
set -u
build=$1; shift
top=$(cd "$(dirname "$0")/.." && pwd)
case $build in /*) ;; *) build=$top/$build ;; esac
kinds=${*:-unit prop thread fault fuzz golden cli install shared}
passed=0
failed=0
log=$build/test.log
mkdir -p "$build"

count() { # name, status, output file
    p=$(sed -n 's/.*Passing: *\([0-9]*\).*/\1/p; s/^\([0-9]*\) passed, [0-9]* failed.*/\1/p' "$3" | tail -n 1)
    f=$(sed -n 's/.*Failing: *\([0-9]*\).*/\1/p; s/^[0-9]* passed, \([0-9]*\) failed.*/\1/p' "$3" | tail -n 1)
    if [ -z "$p" ] || [ -z "$f" ]; then
        p=0 f=1
    elif [ "$2" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    fi
    passed=$((passed + p))
    failed=$((failed + f))
    printf '%-40s %6d passed, %d failed\n' "$1" "$p" "$f"
    [ "$f" -eq 0 ] || cat "$3"
    sed -n 's/^skipped: /  skipped: /p' "$3"
}

for kind in $kinds; do
    case $kind in
    unit|prop|thread|fault)
        for source in "$top"/tests/$kind/*.c; do
            [ -e "$source" ] || continue
            program=$build/tests/$kind/$(basename "$source" .c)
            if [ -x "$program" ]; then
                "$program" >"$log" 2>&1
                count "$kind/$(basename "$program")" $? "$log"
            else
                echo "not built: $program" >"$log"
                count "$kind/$(basename "$program")" 1 "$log"
            fi
        done ;;
    fuzz)
        for program in "$build"/tests/fuzz/fuzz_*; do
            [ -x "$program" ] || continue
            "$program" "$top/tests/fuzz/corpus/$(basename "$program" | sed 's/^fuzz_//')" >"$log" 2>&1
            count "fuzz/$(basename "$program")" $? "$log"
        done ;;
    esac
    for script in "$top"/tests/$kind/*.sh "$top"/tests/$kind/*.py; do
        case $script in */\**|*/lib.sh|*/run.sh|*/common.py) continue ;; esac
        case $script in *.py) run=python3 ;; *) run=sh ;; esac
        LANEFIX=$build/lanefix BUILD=$build $run "$script" >"$log" 2>&1
        count "$kind/$(basename "$script")" $? "$log"
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
