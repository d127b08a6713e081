#!/bin/sh
# Pipes: every way in, every way out, the same trace.
. "$(dirname "$0")/lib.sh"
trace >t.json
"$LANEFIX" -q t.json want.json
"$LANEFIX" -q - - <t.json >o; check "from a file by stdin" cmp -s o want.json
cat t.json | "$LANEFIX" -q - - >o; check "a pipe" cmp -s o want.json
cat t.json | "$LANEFIX" -q - >o; check "OUTPUT of - is -" cmp -s o want.json
cat t.json | "$LANEFIX" -q - o; check "pipe to file" cmp -s o want.json
gzip -c t.json | "$LANEFIX" -q - - >o; check "gzip by a pipe" cmp -s o want.json
cat t.json | "$LANEFIX" -q - - -z gzip | gzip -dc >o; check "-z gzip" cmp -s o want.json
cat t.json | "$LANEFIX" -q - - -z gzip:9 | gzip -dc >o; check "-z gzip:9" cmp -s o want.json
if command -v zstd >/dev/null; then
    zstd -qc t.json | "$LANEFIX" -q - - -z zstd:5 | zstd -dcq >o; check "zstd to zstd" cmp -s o want.json
    zstd -qc t.json >t.json.zst
    "$LANEFIX" -q t.json.zst o.gz; gzip -dc o.gz >o; check "zstd file to gzip file" cmp -s o want.json
fi
mkfifo in
cat t.json >in & "$LANEFIX" -q in o; check "a FIFO" cmp -s o want.json
wait
cat t.json | "$LANEFIX" -q /dev/stdin o; check "/dev/stdin" cmp -s o want.json
"$LANEFIX" -q t.json /dev/stdout >o; check "/dev/stdout" cmp -s o want.json
: | "$LANEFIX" - - >o 2>.err; same "empty stdin" $? 3; err=$(cat .err); says "empty stdin" "empty"
"$LANEFIX" - - <&- >o 2>.err; same "closed stdin" $? 4
"$LANEFIX" -q t.json - >&- 2>.err; same "closed stdout" $? 4

# larger than what stays in memory: the spool; three forms, three thread counts
awk 'BEGIN { print "{\"traceEvents\":["
    for (i = 0; i < 120000; i++)
        printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"kernel_%d\",\"pid\":0,\"tid\":%d,\"ts\":%d.5,\"dur\":%s},\n", i % 7, i % 3, i * 10, (i % 50 ? "9" : "31.25")
    print "{}]}" }' >big.json
"$LANEFIX" -q --max-lanes 0 -t 1 big.json want.json
check "it has something to fix" test "$(wc -c <want.json)" -gt "$(wc -c <big.json)"
gzip -1 -c big.json >big.gz
for t in 1 2 8; do
    for in in big.json big.gz; do
        "$LANEFIX" -q -t $t $in o.json; check "$in, $t threads" cmp -s o.json want.json
        cat $in | "$LANEFIX" -q -t $t --spool-dir . - - >o.json; check "$in by a pipe, $t threads" cmp -s o.json want.json
        "$LANEFIX" -q -t $t -z gzip $in - | gzip -dc >o.json; check "$in to gzip, $t threads" cmp -s o.json want.json
    done
done
# long, with few changes: what lies between them is not given back before it is written
awk 'BEGIN { print "{\"traceEvents\":["
    for (i = 0; i < 400000; i++)
        printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"kernel_%d\",\"pid\":0,\"tid\":7,\"ts\":%d.5,\"dur\":%s},\n", i % 7, i * 10, (i % 20000 == 5 ? "31.25" : "9")
    print "{}]}" }' >few.json
"$LANEFIX" -q -t 1 few.json want.few
check "few: it has something to fix" test "$(wc -c <want.few)" -gt "$(wc -c <few.json)"
for t in 1 2 6 6 6; do
    "$LANEFIX" -q -t $t few.json o.json; check "few, $t threads" cmp -s o.json want.few
    cat few.json | "$LANEFIX" -q -t $t --spool-dir . - o.json; check "few by a pipe, $t threads" cmp -s o.json want.few
    cat few.json | "$LANEFIX" -q -t $t --spool-dir . - - | cmp -s - want.few; same "few through pipes, $t threads" $? 0
done
rm -f few.json want.few
same "the spool is gone" "$(find . -name 'lanefix-spool*' | wc -l | tr -d ' ')" 0
"$LANEFIX" big.json - 2>.err | head -c 10 >/dev/null
same "a reader that leaves: quiet" "$(cat .err)" ""
cat big.json | "$LANEFIX" -q --spool-dir nowhere - o2 2>.err; same "no spool folder" $? 4
check "no spool folder: no output" test ! -e o2
finish
