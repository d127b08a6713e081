#!/bin/sh
# Notes say what changed events were, and --undo gives the original back byte for byte; what is none of
# ours, or was edited since, is refused.
. "$(dirname "$0")/lib.sh"

# back WHAT ORIGINAL OPTION...: fixing changes it, undoing gives it back
back() {
    what=$1; original=$2; shift 2
    run -q "$@" "$original" fixed.json
    same "$what: fixed" "$status" 0
    check "$what: changed" sh -c "! cmp -s $original fixed.json"
    run --undo fixed.json undone.json
    same "$what: undone" "$status" 0
    check "$what: byte for byte" cmp -s "$original" undone.json
    rm -f undone.json
}

trace >t.json
back "moved, snapped, arrows" t.json
check "the snapped one's note" grep -q '"k1".*"args":{"lanefix":{"ts":"119.5","dur":"20","args":""}}' fixed.json
check "the moved one's note" grep -q '"k2".*"tid":7001.*"args":{"lanefix":{"tid":"7","args":""}}' fixed.json
check "the arrow's note" grep -q '"id":2.*"lanefix":{"tid":"7"' fixed.json
check "the op that stays has none" sh -c '! grep "aten::mm" fixed.json | grep -q lanefix'
run -q fixed.json again.json
check "fixing it again changes nothing" cmp -s fixed.json again.json
run --undo - <fixed.json; same "through a pipe" "$out" "$(cat t.json)"
run -q --undo -i again.json; check "in place" cmp -s t.json again.json
for form in gz zst; do
    run -q t.json f.json.$form; run -q --undo f.json.$form u.json
    check "from .$form" cmp -s t.json u.json
done
back "nothing snapped" t.json -s 0
back "rebased" t.json --rebase=always

# every way an event can be written: args of all kinds, ids of all kinds, white space, commas too many
cat >odd.json <<'TXT'
{ "baseTimeNanoseconds": 77, "traceEvents" : [
  {"ph":"M","name":"thread_name","pid":"p{1}","tid":"t\"q\\","args":{"name":"{}"}},
  {"ph":"X","name":"a","pid":"p{1}","tid":"t\"q\\","ts":1000000010,"dur":10 },
  {"ph":"X","name":"b","pid":"p{1}","tid":"t\"q\\","ts":"1000000015.500" , "dur":"1e1", "args" : { } },
  {"ph":"X","args":null,"name":"c","pid":"p{1}","tid":"t\"q\\","ts":1000000016.0,"dur":99} ,
  {"ph":"X","name":"d","pid":5,"ts":1000000010.250,"dur":10,"args":[1,{"x":2}]},
  {"name":"e","pid":5,"ts":+1000000015.1239,"dur":10,"ph":"X","args":"text, \"quoted\""},
  {"ph":"X","name":"f","pid":5,"tid":null,"ts":1000000019.999,"dur":10,"args":{"k":[{"lanefix":{"ts":"1"}}],}},
  {"ph":"X","name":"g","pid":6,"tid":-1,"ts":1000000000,"dur":10,"args":{"a":1 }},
  {"ph":"X","name":"h","pid":6,"tid":-2,"ts":1000000005,"dur":10},
  {"ph":"M","name":"thread_name","pid":6,"tid":-2,"ts":1000000001.5,"args":{"name":"n"}},
  {"ph":"X","name":"i","pid":-7,"tid":00,"ts":1000000005,"dur":-3},,
  {"ph":"X","name":"j","pid":0,"tid":0.0,"ts":1000000006,"dur":10,"dur":11}
  {"ph":"X","name":"k","pid":0,"tid":0,"ts":1000000010,"dur":10}
], "x": 1 }
TXT
for o in "-s 5" "-s 0" "--no-unfold" "--rebase=always" "--rebase=always --no-unfold" "--rebase=always -s 0 -t 1"; do
    # shellcheck disable=SC2086
    back "odd text, $o" odd.json $o
done
tr -d '\n' <odd.json >line.json; back "on one line" line.json
printf '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":3},{"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":9},{"ph":"X","na' >cut.json
back "cut inside an event" cut.json -s 0

# two runs, one undo
run -q t.json one.json; run -q --rebase=always -s 50 one.json two.json; run -q --undo two.json zero.json
check "two runs are undone at once" cmp -s t.json zero.json

# refused RUN WHAT TEXT
refused() {
    run --undo "$1" no.json
    same "$2: status" "$status" 3; says "$2" "$3"; one_line "$2"
    check "$2: no output" test ! -e no.json
}
clean >c.json; refused c.json "no trace of ours" "nothing to undo"
run -q --no-annotate t.json n.json; refused n.json "without notes" "nothing to undo"
run -q t.json fixed.json
sed 's/aten::mm/aten::mn/' fixed.json >e.json; refused e.json "a name was edited" "edited since"
sed 's/"ts":100,/"ts":101,/' fixed.json >e.json; refused e.json "a time was edited" "edited since"
sed '/"name":"k0"/d' fixed.json >e.json; refused e.json "an event was taken out" "edited since"
sed 's/^\]}/,{"ph":"i","name":"z","ts":1,"pid":1,"tid":1}&/' fixed.json >e.json
refused e.json "an event was put behind" "edited since"
sed 's/"tid":"7","args":""/"tid":"7\\n","args":""/' fixed.json >e.json; refused e.json "a note was edited" "edited since"
sed 's/"tid":"7","args":""/"dir":"7"/' fixed.json >e.json; refused e.json "a note was lost" "edited since"
sed 's/"crc32":"/&0/' fixed.json >e.json; refused e.json "a bad checksum" "edited since"
sed 's/"added_bytes":"[0-9]*/"added_bytes":"99999/' fixed.json >e.json; refused e.json "a bad length" "edited since"
run --undo t.json; same "no OUTPUT" "$status" 2
run --undo --check t.json; same "--undo --check" "$status" 2
no_leftovers "undo"
finish
