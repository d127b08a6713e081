#!/bin/sh
# Of a long track only what has to do with its crossings is unpacked at once and solved; the same track with
# one instant on it is solved as a whole. Both must come to the same, in any order, at any thread count, also
# where one slice holds all others.
. "$(dirname "$0")/lib.sh"
make_trace() { # disorder (0: none, -1: two sequences), last event, first event
    awk -v disorder="$1" -v last="$2" -v first="$3" 'BEGIN {
        srand(4); print "[" first
        n = 200000
        for (i = 0; i < n; i++) {
            k = disorder < 0 ? (i < n / 2 ? 2 * i : 2 * i - n + 1) : disorder ? int(i / disorder) * disorder + (i * 7919) % disorder : i
            if (k >= n) k = i
            ts = k * 10
            dur = (k % 97 == 0) ? 13 : (k % 4001 == 0) ? 37 : (k % 5 == 0) ? 10 : 8
            printf "{\"ph\":\"X\",\"name\":\"n%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},\n", k % 11, ts, dur
            if (k % 3 == 0) printf "{\"ph\":\"%s\",\"id\":%d,\"pid\":1,\"tid\":1,\"ts\":%d%s},\n", (k % 2 ? "s" : "f"), k, ts, (k % 7 ? ",\"bp\":\"e\"" : "")
        }
        print last "]" }'
}
# Tracks that fold into one in Perfetto: what it refuses of them is counted on the one.
make_folded() { # last event
    awk -v last="$1" 'BEGIN {
        print "["
        for (i = 0; i < 200000; i++)
            printf "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d},\n", i % 3 - 3, i * 10, (i % 7 == 0) ? 15 : 10
        print last "]" }'
}
make_folded '{}' >parts.json
make_folded '{"ph":"i","s":"t","name":"i","pid":1,"tid":-1,"ts":9000000}' >whole.json
want=$("$LANEFIX" --check whole.json 2>&1 | tail -n 1 | sed 's/.*refuses//')
check "folded: some are refused" test -n "$(echo "$want" | grep -v ' 0 of')"
for t in 1 2; do same "folded, $t threads" "$("$LANEFIX" --check -t $t parts.json 2>&1 | tail -n 1 | sed 's/.*refuses//')" "$want"; done

for disorder in 0 100 5000 -1; do
    all='{"ph":"X","name":"all","pid":1,"tid":1,"ts":0,"dur":9000000},'
    [ $disorder != 100 ] || all=
    make_trace $disorder '{}' "$all" >parts.json
    make_trace $disorder '{"ph":"i","s":"t","name":"i","pid":1,"tid":1,"ts":9000000}' "$all" >whole.json
    "$LANEFIX" -q --no-annotate -t 1 whole.json want; sed -i '/"ph":"i"/d' want
    for t in 1 2 5; do
        "$LANEFIX" -q --no-annotate -t $t parts.json got; sed -i '/^{}/d' got
        check "disorder $disorder, $t threads" cmp -s got want
    done
    check "something moves" grep -q "\"tid\":1001" want
    check "something snaps" grep -q "\"dur\":[^0-9]*1[02]\b" want
done
finish
