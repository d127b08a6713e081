#!/bin/sh
# Exit statuses, and which stream says what.
. "$(dirname "$0")/lib.sh"
trace >t.json
clean >c.json
run t.json o.json;            same "fixed" "$status" 0; same "stdout of a run to a file" "$out" ""
run --check t.json;           same "--check of a bad trace" "$status" 1; says "--check" "Perfetto refuses 2 of 5 slices"
run --check o.json;           same "--check of a fixed trace" "$status" 0
run --check c.json;           same "--check of a clean trace" "$status" 0
check "--check writes nothing" test ! -e c.fixed.json
run;                          same "no input" "$status" 2; one_line "no input"
run a b c;                    same "too many names" "$status" 2
run --nonsense c.json;        same "unknown option" "$status" 2; says "unknown option" "--nonsense"
run -Y c.json;                same "unknown letter" "$status" 2
run --check c.json none.json; same "--check takes several inputs, not an OUTPUT" "$status" 4
run -i c.json o.json;         same "-i with OUTPUT" "$status" 2
run -i -;                     same "-i with -" "$status" 2
for us in -1 -0.5 nan NaN inf junk "" 0x10 1e999 5us; do
    run -s "$us" c.json o2.json
    same "threshold \"$us\"" "$status" 2; one_line "threshold \"$us\""
    check "threshold \"$us\": no output" test ! -e o2.json
done
for us in 0 5 .5 2.5 1e2; do run -q -s "$us" c.json o3.json; same "threshold $us" "$status" 0; done
for z in lzma gzip:0 gzip:10 zstd:20 zstd:x gzip: none:1; do run -z $z c.json -; same "-z $z" "$status" 2; done
for t in x -1 1.5 9999; do run -t $t c.json o4.json; same "-t $t" "$status" 2; done
run --rebase=sometimes c.json; same "--rebase=sometimes" "$status" 2
run missing.json;             same "missing" "$status" 4; says "missing" "missing.json"; one_line missing
run .;                        same "a folder" "$status" 4; one_line "a folder"
: >empty.json
run empty.json;               same "empty" "$status" 3; says "empty" "empty"; one_line empty
echo '{"a": 1}' >none.json
run none.json;                same "no traceEvents" "$status" 3; says "no traceEvents" "byte 9"
run --version;                same "--version" "$status" 0; case $out in lanefix\ [0-9]*) ok ;; *) bad "--version: $out" ;; esac
run -h;                       same "-h" "$status" 0; same "-h: stderr" "$err" ""
case $out in usage:*--snap-threshold-us*--check*) ok ;; *) bad "help" ;; esac
run -q t.json o.json;         same "-q" "$err" ""
run t.json /dev/full;         same "no space" "$status" 4; says "no space" "No space left"; one_line "no space"
finish
