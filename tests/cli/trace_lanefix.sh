#!/bin/sh
# trace-lanefix: the arguments, defaults and exit statuses of the Python tool of that name.
. "$(dirname "$0")/lib.sh"
plain=$LANEFIX
LANEFIX=${LANEFIX%/*}/trace-lanefix
# fixed WHAT FILE LANEFIX-ARGUMENT...: FILE is what lanefix makes of the trace
fixed() { what=$1; file=$2; shift 2; "$plain" -q --indent 2 --no-annotate "$@" trace.json want.json; check "$what" cmp -s "$file" want.json; }

trace >trace.json
run; same "no arguments" "$status" 0; fixed "no arguments: trace.json to trace.fixed.json" trace.fixed.json
same "nothing on stderr" "$err" ""
"$plain" -v trace.json trace.fixed.json 2>want.txt; check "lanefix's report on stdout" diff .out want.txt
cp trace.json in.json
run in.json; fixed "one name: to trace.fixed.json" trace.fixed.json
run in.json out.json; same "two names" "$status" 0; fixed "two names" out.json
for arguments in "in.json out.json --snap-threshold-us 0.25" "--snap-threshold-us 0.25 in.json out.json" \
        "in.json --snap-threshold-us=0.25 out.json" "--snap 0.25 in.json out.json" "--s=.25 -- in.json out.json" \
        "in.json out.json --snap-threshold-us 25e-2"; do
    rm -f out.json
    run $arguments; same "$arguments" "$status" 0; fixed "$arguments" out.json -s 0.25
done
run in.json out.json --snap-threshold-us 2.5; case $out in *"snapped 1 sub-2.5us crossing(s)"*) ok ;; *) bad "threshold in the report: $out" ;; esac
run in.json out.json --snap-threshold-us 0; fixed "threshold 0" out.json -s 0
run in.json in.json; same "onto itself" "$status" 0; fixed "onto itself" in.json
trace | gzip >in.json.gz; run in.json.gz out.json; fixed "gzip in" out.json

for arguments in "--snap-threshold-us" "--snap-threshold-us -1" "--snap-threshold-us=-0.5" "--snap-threshold-us x" \
        "--snap-threshold-us 1x" "--snap-threshold-us nan" "--snap-threshold-us=" "a b c" "-x" "--bogus" "--help=1" \
        "--snap-threshold-usx 1" "-s 1"; do
    rm -f trace.fixed.json
    run $arguments
    same "$arguments" "$status" 2
    same "$arguments: stdout" "$out" ""
    says "$arguments" "usage: trace-lanefix"; says "$arguments" "trace-lanefix: error: "
    check "$arguments: writes nothing" test ! -e trace.fixed.json
done
for arguments in -h --help --he "a b --help"; do
    run $arguments; same "$arguments" "$status" 0
    case $out in "usage: trace-lanefix"*) ok ;; *) bad "$arguments: $out" ;; esac
done

run missing.json; same "a missing input" "$status" 1; one_line "a missing input"; says "a missing input" missing.json
echo '{"a": 1}' >bad.json
run bad.json out2.json; same "no trace" "$status" 1; one_line "no trace"; check "no trace: no output" test ! -e out2.json
run trace.json no/such/out.json; same "no folder" "$status" 1; one_line "no folder"
if [ -w /dev/full ]; then
    "$LANEFIX" trace.json out.json >/dev/full 2>.err; same "a full stdout" $? 1; err=$(cat .err); one_line "a full stdout"
fi

{ echo '['; i=0 # 70 lanes: no limit there
  while [ $i -lt 70 ]; do echo "{\"ph\":\"X\",\"name\":\"n$i\",\"pid\":1,\"tid\":1,\"ts\":$((i * 10)),\"dur\":5000},"; i=$((i + 1)); done
  echo '{}]'; } >lanes.json
run lanes.json out.json; same "many lanes" "$status" 0
same "whole lists" "$(grep -c 'moved to lane' .out)" 69
no_leftovers trace-lanefix
finish
