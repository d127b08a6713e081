#!/bin/sh
# batch.sh BUILD [FILES]: FILES traces (200) of 1 to 50 MB in one batch: -j 2 against one after the other with
# -t 1, and against the speed of one large file; resuming after a kill; the memory of all processes together
# under --max-memory. Alternating rounds (RUNS, 3), medians. TMPDIR: where the traces go, about 60 MB each.
set -u
[ $# -ge 1 ] || { echo "usage: batch.sh BUILD [FILES]" >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
n=${2:-200}
runs=${RUNS:-3}
lanefix=$build/lanefix
gen=$build/bench/gen
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

mkdir in
"$gen" kineto 50 >50.json || exit 1
i=0
while [ "$i" -lt "$n" ]; do
    "$gen" kineto $((1 + (i * 37) % 50)) >"in/rank$i.json" || exit 1
    i=$((i + 1))
done
bytes=$(cat in/*.json | wc -c)
echo "$n files, $((bytes / 1000000)) MB, $(nproc) CPUs"

seconds() { # COMMAND...: how long it took
    begin=$(date +%s.%N)
    "$@" >/dev/null 2>&1
    end=$(date +%s.%N)
    echo "$begin $end" | awk '{printf "%.3f\n", $2 - $1}'
}
one_by_one() { mkdir -p out; for f in in/*.json; do "$lanefix" -q -t 1 "$f" "out/${f#in/}"; done; }
batch() { "$lanefix" -q -O out -j 2 -r in; }
single() { k=0; while [ $k -lt 20 ]; do "$lanefix" -q 50.json out.json; k=$((k + 1)); done; }
for name in one_by_one batch single; do : >$name.times; done
round=0
while [ $round -lt "$runs" ]; do
    round=$((round + 1))
    for name in one_by_one batch single; do
        rm -rf out
        sync
        seconds $name >>$name.times
    done
done
median() { sort -n "$1.times" | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
a=$(median one_by_one) b=$(median batch) c=$(median single)
single_bytes=$(wc -c <50.json)
echo "$a $b $c $bytes $single_bytes" | awk '{
    printf "one after the other, -t 1    %8.2f s\n", $1
    printf "-j 2                         %8.2f s   %.2f times as fast\n", $2, $1 / $2
    printf "at the speed of one file     %8.2f s   the batch takes %.2f times that\n", $3 / 20 / $5 * $4, $2 / ($3 / 20 / $5 * $4)
}'

rm -rf out
"$lanefix" -q -O out -j 2 -r in &
pid=$!
sleep "$(echo "$b" | awk '{print $1 / 2}')"
kill -9 $pid
wait $pid 2>/dev/null
sleep 1 # what was under way ends by itself
done_before=$(find out/.lanefix -name '*.done' | wc -l)
"$lanefix" -O out -j 2 -r in --resume 2>summary
echo "killed with $done_before files done, resumed: $(tail -n 1 summary)"

limit=200
"$lanefix" -q -O out -j 2 -r in --max-memory ${limit}M &
pid=$!
peak=0
while kill -0 $pid 2>/dev/null; do
    now=$(ps -o rss= --ppid $pid 2>/dev/null | awk '{s += $1} END {print int(s / 1024)}')
    [ "${now:-0}" -gt $peak ] && peak=$now
    sleep 0.02
done
wait $pid
echo "--max-memory ${limit}M: status $?, all processes together at most $peak MB (sampled)"
