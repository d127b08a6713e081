#!/bin/sh
# A long track is solved in parts while it is unpacked; the same track with one instant on it is solved as
# a whole. Both must come to the same, sorted or not, at any thread count.
. "$(dirname "$0")/lib.sh"
make_trace() { # disorder, last event
    awk -v disorder="$1" -v last="$2" 'BEGIN {
        srand(4); print "["
        n = 200000
        for (i = 0; i < n; i++) {
            k = disorder ? int(i / disorder) * disorder + (i * 7919) % disorder : i
            if (k >= n) k = i
            ts = k * 10
            dur = (k % 97 == 0) ? 13 : (k % 4001 == 0) ? 37 : (k % 5 == 0) ? 10 : 8
            printf "{\"ph\":\"X\",\"name\":\"n%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},\n", k % 11, ts, dur
            if (k % 3 == 0) printf "{\"ph\":\"%s\",\"id\":%d,\"pid\":1,\"tid\":1,\"ts\":%d%s},\n", (k % 2 ? "s" : "f"), k, ts, (k % 7 ? ",\"bp\":\"e\"" : "")
        }
        print last "]" }'
}
for disorder in 0 100 5000; do
    make_trace $disorder '{}' >parts.json
    make_trace $disorder '{"ph":"i","s":"t","name":"i","pid":1,"tid":1,"ts":9000000}' >whole.json
    "$LANEFIX" -q --no-annotate -t 1 whole.json want; sed -i '/"ph":"i"/d' want
    for t in 1 2 5; do
        "$LANEFIX" -q --no-annotate -t $t parts.json got; sed -i '/^{}/d' got
        check "disorder $disorder, $t threads" cmp -s got want
    done
    check "something moves" grep -q "\"tid\":1001" want
    check "something snaps" grep -q "\"dur\":[^0-9]*1[02]\b" want
done
finish
