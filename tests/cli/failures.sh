#!/bin/sh
# On any failure: status, one line, no output, what stood there still stands, the input untouched.
. "$(dirname "$0")/lib.sh"
trace >t.json
"$LANEFIX" -q t.json whole.json
echo '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":null}]}' >null.json
printf '{"traceEvents":[{"ph":"X","name":"a","pid":1' >cut.json
printf '{"traceEvents":[{"ph":"X","na"me":"a"}]}' >quote.json
printf '\357\273\277[]' >bom.json
trace | gzip >g.gz; head -c 150 g.gz >cut.gz
for input in null.json cut.json quote.json bom.json cut.gz missing.json .; do
    echo before >out.json
    cp "$input" input.copy 2>/dev/null
    run "$input" out.json
    case $input in missing.json|.) want=4 ;; *) want=3 ;; esac
    same "$input" "$status" $want; one_line "$input"
    same "$input: what stood at OUTPUT" "$(cat out.json)" before
    [ $want -eq 4 ] || { check "$input: untouched" cmp -s "$input" input.copy; says "$input" "byte "; }
    rm out.json
    run "$input" out.json
    check "$input: no output" test ! -e out.json
    run -q "$input" -; same "$input: nothing on stdout" "$out" ""
done
run t.json nowhere/out.json; same "no such folder" "$status" 4; one_line "no such folder"
run t.json .; same "OUTPUT is a folder" "$status" 4
run t.json ""; same "empty OUTPUT" "$status" 4
run --report nowhere/report t.json out.json; same "--report nowhere" "$status" 4; one_line "--report nowhere"
check "--report nowhere: no output" test ! -e out.json
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked; chmod 555 locked
    run t.json locked/out.json; same "locked folder" "$status" 4
fi
# at many places of a compressed file: cut, and one byte changed
trace >big.json
for kind in gzip zstd; do
    command -v $kind >/dev/null || continue
    $kind -q <big.json >big.packed
    size=$(wc -c <big.packed)
    for at in 1 5 11 20 40 80 120 $((size / 2)) $((size - 9)) $((size - 4)) $((size - 1)); do
        head -c "$at" big.packed >piece
        run -q piece out.json
        same "$kind cut at $at" "$status" 3
        check "$kind cut at $at: no output" test ! -e out.json
    done
    for at in 30 60 $((size / 2)) $((size - 3)); do
        { head -c "$at" big.packed; printf '\377'; tail -c +$((at + 2)) big.packed; } >flipped
        cmp -s flipped big.packed && continue
        run -q flipped out.json
        same "$kind changed at $at" "$status" 3
        check "$kind changed at $at: no output" test ! -e out.json
    done
done
no_leftovers "failures"
finish
