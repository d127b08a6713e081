#!/bin/sh
# A run that is ended from outside: the old output or the whole new one, no temporary file, the status of
# the signal; what kill -9 leaves behind is removed by the next run onto the same name.
. "$(dirname "$0")/lib.sh"
awk 'BEGIN { print "["
    for (i = 0; i < 250000; i++)
        printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"kernel_%d\",\"pid\":0,\"tid\":%d,\"ts\":%d.5,\"dur\":%s},\n", i % 7, i % 3, i * 10, (i % 50 ? "9" : "31.25")
    print "{}]" }' >big.json
"$LANEFIX" -q --max-lanes 0 big.json want.json

# in pass one, while it waits for its input
mkfifo in
for signal in TERM HUP; do # a shell without job control lets its background jobs ignore INT
    "$LANEFIX" -q - out.json <in 2>err &
    pid=$!
    exec 3>in
    printf '[{"ph":"X"' >&3
    kill -$signal $pid
    wait $pid; status=$?
    exec 3>&-
    check "$signal in pass one: ended by it" test $status -gt 128
    check "$signal in pass one: no output" test ! -e out.json
done
no_leftovers "pass one"

# in pass two: as soon as the temporary file is there
for signal in TERM TERM TERM KILL KILL; do
    echo old >out.json
    "$LANEFIX" -q -t 1 --max-lanes 0 big.json out.json 2>err &
    pid=$!
    while [ "$(head -c 3 out.json)" = old ] && ! ls .out.json.lanefix-* >/dev/null 2>&1; do :; done
    kill -$signal $pid 2>/dev/null
    wait $pid 2>/dev/null
    if cmp -s out.json want.json || [ "$(head -c 4 out.json)" = "old" ]; then ok; else bad "$signal: a part of an output"; fi
    [ $signal = KILL ] || no_leftovers "$signal in pass two"
done
"$LANEFIX" -q --max-lanes 0 big.json out.json
check "the next run" cmp -s out.json want.json
no_leftovers "after kill -9 and another run"

# two runs onto one name: one whole result
"$LANEFIX" -q --max-lanes 0 big.json out.json & "$LANEFIX" -q --max-lanes 0 big.json out.json
wait
check "two runs onto one name" cmp -s out.json want.json
no_leftovers "two runs"
finish
