#!/bin/sh
# --indent: the layout of Python's json.dumps, the same tokens, at any thread count and any chunk border.
. "$(dirname "$0")/lib.sh"
trace >t.json
run -q --no-annotate --indent 2 t.json o.json
same "layout" "$(head -8 o.json)" '{
  "traceEvents": [
    {
      "ph": "X",
      "cat": "kernel",
      "name": "k0",
      "pid": 0,
      "tid": 7,'
check "the lanes too" grep -q '^        "name": "tid 7 lane 1"$' o.json
run -q --no-annotate --indent 2 o.json p.json; check "again: nothing changes" cmp -s o.json p.json
run -q --no-annotate --indent 0 t.json p.json; same "no spaces" "$(sed -n 2p p.json)" '"traceEvents": ['
run --check --indent 2 t.json; same "a check writes nothing" "$status" 1
clean >c.json; run -q --indent 4 c.json p.json
same "also where nothing is to be fixed" "$(sed -n 3p p.json)" '        "ph": "X",'
printf '{"a" :\t[ ] ,"b":{ },"s":"x:{,}[\\"\\\\","traceEvents":[{"ph":"X","args":{"q":[1,2,{"z":NaN}]}},{"ph":"i"}\n\n{"ph":"i"},],"n":-1.5e3 }\n' >odd.json
run -q --indent 1 odd.json p.json
same "odd text" "$(cat p.json)" '{
 "a": [],
 "b": {},
 "s": "x:{,}[\"\\",
 "traceEvents": [
  {
   "ph": "X",
   "args": {
    "q": [
     1,
     2,
     {
      "z": NaN
     }
    ]
   }
  },
  {
   "ph": "i"
  }
  {
   "ph": "i"
  },
 ],
 "n": -1.5e3
}'
run -q --indent 2 t.json n.json; run --undo n.json u.json
same "undone: refused" "$status" 3; says "undone: why" "white space is lost"
run --undo --indent 2 n.json u.json; same "undone with an indent" "$status" 2
run --indent 17 t.json u.json; same "too many" "$status" 2
# many chunks, cut at every kind of place
awk 'BEGIN { print "["; for (i = 0; i < 40000; i++) {
    pad = substr("                                                                ", 1, i % 61)
    printf "%s{\"ph\":\"X\",\"name\":\"n \\\" %d\",%s\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{\"a\":[%d,{}],\"s\":\"%s\"}}%s\n", pad, i, pad, i % 3, i * 10, 5 + i % 7, i, pad, i < 39999 ? "," : "" } print "]" }' >large.json
run -q --indent 3 -t 1 large.json one.json
for t in 2 5; do run -q --indent 3 -t $t large.json p.json; check "$t threads" cmp -s one.json p.json; done
run -q --indent 3 - p.json <large.json; check "a pipe" cmp -s one.json p.json
if command -v python3 >/dev/null; then
    run -q large.json f.json
    python3 - <<'PY'
import json
data = json.load(open("f.json"))
open("want.json", "w").write(json.dumps(data, indent=3, ensure_ascii=False))
PY
    run -q --indent 3 f.json p.json; check "as Python writes it" cmp -s want.json p.json
else
    echo "skipped: no python3 here"
fi
finish
