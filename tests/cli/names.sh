#!/bin/sh
# Default names; in place; one file under two names.
. "$(dirname "$0")/lib.sh"
for pair in trace.json:trace.fixed.json trace:trace.fixed a.b.json:a.b.fixed.json t.pt.trace.json:t.pt.trace.fixed.json \
            .hidden:.hidden.fixed; do
    trace >"${pair%%:*}"
    run -q "${pair%%:*}"; check "$pair" test -s "${pair#*:}"
done
mkdir -p some.folder
trace >some.folder/trace
run -q some.folder/trace; check "dots in the folder" test -s some.folder/trace.fixed
trace | gzip >x.json.gz
run -q x.json.gz; check "gzip in, gzip out" gzip -t x.fixed.json.gz
if command -v zstd >/dev/null; then
    trace | zstd -q >y.json.zst
    run -q y.json.zst; check "zstd in, zstd out" zstd -tq y.fixed.json.zst
fi

trace >a.json; cp a.json before.json; ln -s a.json link.json; ln a.json hard.json
for name in a.json ./a.json link.json hard.json; do
    run a.json $name; same "a.json onto $name" "$status" 2; one_line "a.json onto $name"
    check "a.json onto $name: untouched" cmp -s a.json before.json
done
rm hard.json
"$LANEFIX" -q a.json want.json
chmod 640 a.json
run -q -i link.json; same "-i" "$status" 0
check "-i: fixed" cmp -s a.json want.json
check "-i: the link stays" test -L link.json
same "-i: mode" "$(stat -c %a a.json)" 640
run -q -i a.json; check "-i again changes nothing" cmp -s a.json want.json
no_leftovers "in place"
finish
