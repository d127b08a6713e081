#!/bin/sh
# --max-memory: held, told, and enough where it is enough; sizes as users write them.
. "$(dirname "$0")/lib.sh"
awk 'BEGIN { print "["; for (i = 0; i < 1500000; i++) { printf "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d},\n", i % 50, (i * 7919) % 1500000, 5 } print "{}]" }' >t.json
run -q t.json want.json; same "no limit" "$status" 0
run -q --max-memory 12M t.json o.json
same "too little: status" "$status" 4; says "too little" "expected at most 12 MB"; one_line "too little"
check "too little: no output" test ! -e o.json
run -q --max-memory 2G t.json o.json; same "enough" "$status" 0; check "enough: the same" cmp -s want.json o.json
for size in 0 1000000000 900000K 1.5g 2GB 1T; do run -q --max-memory $size t.json o.json; same "$size" "$status" 0; done
for size in x -1 12X 1e 0x10 nan 5GG ''; do run -q --max-memory "$size" t.json o.json; same "\"$size\"" "$status" 2; done
no_leftovers "memory"
finish
