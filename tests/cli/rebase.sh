#!/bin/sh
# --rebase: when, by how much, and where the base is told.
. "$(dirname "$0")/lib.sh"
events='[{"ph":"X","name":"a","pid":1,"tid":1,"ts":"1712345678901234.125","dur":10},{"ph":"M","name":"m","pid":1,"tid":1,"ts":0},{"ph":"i","name":"b","pid":1,"tid":1,"ts":1712345678901250.001}]'
moved='[{"ph":"X","name":"a","pid":1,"tid":1,"ts":901234.125,"dur":10},{"ph":"M","name":"m","pid":1,"tid":1,"ts":0},{"ph":"i","name":"b","pid":1,"tid":1,"ts":901250.001}]'
base=1712345678000000000
echo "{\"traceEvents\":$events}" >e.json
run --no-annotate --rebase e.json o.json; says "auto" "rebased: 1712345678 s taken off every ts"
same "auto" "$(cat o.json)" "{\"baseTimeNanoseconds\":$base,\"traceEvents\":$moved}"
run -q --no-annotate --rebase=always o.json p.json; check "rebasing again changes nothing" cmp -s o.json p.json
run -q e.json p.json; check "never is the default" cmp -s e.json p.json
run -q --no-annotate --rebase=never e.json p.json; check "never" cmp -s e.json p.json
echo "{\"baseTimeNanoseconds\" : 1000 , \"traceEvents\":$events}" >f.json
run -q --no-annotate --rebase f.json p.json
same "increased, before" "$(cat p.json)" "{\"baseTimeNanoseconds\" : 1712345678000001000 , \"traceEvents\":$moved}"
echo "{\"x\":{\"baseTimeNanoseconds\":5},\"traceEvents\":$events,\"baseTimeNanoseconds\":7}" >g.json
run -q --no-annotate --rebase g.json p.json
same "increased, behind; a nested key is none" "$(cat p.json)" \
    "{\"x\":{\"baseTimeNanoseconds\":5},\"traceEvents\":$moved,\"baseTimeNanoseconds\":1712345678000000007}"
echo "$events" >h.json
run -q --no-annotate --rebase h.json p.json; same "array form has no place for it" "$(cat p.json)" "$moved"
echo '{"traceEvents":[],"baseTimeNanoseconds":"x"}' >i.json
run -q --no-annotate --rebase=always i.json p.json; same "nothing to rebase" "$status" 0
sed 's/1000 ,/true ,/' f.json >j.json
run --rebase j.json q.json; same "a base that is no number" "$status" 3; says "a base that is no number" "byte 25"
check "a base that is no number: no output" test ! -e q.json
echo '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":5000000.5,"dur":10}]' >k.json
run -q --no-annotate --rebase k.json p.json; check "auto leaves what loses nothing" cmp -s k.json p.json
run -q --no-annotate --rebase=always k.json p.json; same "always" "$(cat p.json)" '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0.5,"dur":10}]'
# where ts have three decimals throughout, undoing gives them back without a note at each that ends in 0
awk 'BEGIN { print "["; for (i = 0; i < 40; i++)
    printf "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":1712345678%05d0.%03d,\"dur\":1},\n", i, i % 4 * 250
    print "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":1712345679000000.125,\"dur\":1}]" }' >m.json
run -q --rebase=always m.json p.json; same "three decimals: notes at ts" "$(grep -c '"lanefix":{"ts"' p.json)" 0
run -q --undo p.json q.json; check "three decimals: undone" cmp -s m.json q.json
sed 's/\.000,/,/; s/\(\.[1-9]*\)0*,"dur/\1,"dur/' m.json >n.json
run -q --rebase=always n.json p.json; same "no more decimals than needed: notes at ts" "$(grep -c '"lanefix":{"ts"' p.json)" 0
run -q --undo p.json q.json; check "no more decimals than needed: undone" cmp -s n.json q.json
finish
