#!/bin/sh
# The report: lines, order, cut lists, safe names.
. "$(dirname "$0")/lib.sh"
trace >t.json
cat >want <<'TXT'
processing 2 track(s)
  pid=0 tid=7: 2 lane(s), 1 slice(s) moved, 1 snapped
snapped 1 sub-5.0us crossing(s)
updated 2 slice(s): total |start shift|=500ns, total |end shift|=0.000us, total |boundary shift|=500ns
kernel timing summary (2 run(s) across 2 kernel name(s)):
  k1: runs=1, total delayed=500ns, total trimmed=0.000us, total boundary shift=500ns, moved=0, snapped=1
  k2: runs=1, total delayed=0.000us, total trimmed=0.000us, total boundary shift=0.000us, moved=1, snapped=0
moved slices (1):
  k2 pid=0: moved to lane 1 (tid 7 -> 7001)
snapped slices (1):
  k1 pid=0 tid=7: start delayed by 500ns
rewrote 2 flow endpoint(s) onto rewritten slice starts/lanes
wrote o.json: 5 slices, 1 new lanes
TXT
run --report saved t.json o.json
check "the report" diff .err want
check "--report" diff saved want
run -q --report saved2 t.json o.json
same "-q" "$err" ""; check "-q --report" diff saved2 want
run -s 2.5 t.json o.json; says "threshold" "snapped 1 sub-2.5us crossing(s)"

{ echo '['; i=0
  while [ $i -lt 1030 ]; do
      echo "{\"ph\":\"X\",\"name\":\"n$i\",\"pid\":1,\"tid\":1,\"ts\":$((i * 100)),\"dur\":50},"
      echo "{\"ph\":\"X\",\"name\":\"m$i\",\"pid\":1,\"tid\":1,\"ts\":$((i * 100 + 30)),\"dur\":50},"
      i=$((i + 1))
  done; echo '{}]'; } >many.json
run many.json o.json
same "moved lines" "$(grep -c 'moved to lane' .err)" 20
says "cut" "… and 1,010 more; -v shows all"
run -v many.json o.json
same "moved lines with -v" "$(grep -c 'moved to lane' .err)" 1030

printf '[{"ph":"X","name":"a\033[31m\\u0007\001%s","pid":1,"tid":1,"ts":1,"dur":50},{"ph":"X","name":"\033]0;x","pid":1,"tid":1,"ts":11,"dur":48}]' \
    "$(head -c 900 /dev/zero | tr '\0' n)" >odd.json
run odd.json o.json
same "control bytes in the report" "$(tr -d '\n\040-\176\200-\377' <.err | wc -c | tr -d ' ')" 0
says "shown" '\x1b]0;x'
check "lines of a sensible width" test "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' .err)" -lt 300
check "the name's bytes stay" sh -c "head -c 60 odd.json | cmp -s -n 60 - o.json"
finish
