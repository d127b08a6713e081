#!/bin/sh
# Times whole runs beside what any tool would pay, alternating, and prints one table: median of 5, spread,
# ratio to the first line of its group, peak memory. Also into bench/results/.
#
#   run.sh BUILD [MB]       TMPDIR: where the traces go; TRACE: a plain trace to repeat instead of a generated one
set -u
build=$(cd "$1" && pwd)
mb=${2:-256}
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
lanefix=$build/lanefix
gen=$build/bench/gen
measure=$build/bench/measure
runs=${RUNS:-5}
commit=$(git -C "$top" rev-parse --short HEAD 2>/dev/null || echo none)
mkdir -p "$top/bench/results"
results=$top/bench/results/$(date +%Y-%m-%d)-$commit.txt

say() { echo "$@" | tee -a "$results"; }

# group TITLE, then lines "LABEL|COMMAND" on stdin: every command in turn, runs times over
group() {
    say ""
    say "$1"
    cat >lines
    rm -f times.*
    i=0
    while [ $i -lt "$runs" ]; do
        n=0
        while IFS='|' read -r label command; do
            rm -f out*
            "$measure" sh -c "$command" 2>err >/dev/null
            tail -n 1 err >>times.$n
            n=$((n + 1))
        done <lines
        i=$((i + 1))
    done
    n=0
    base=
    while IFS='|' read -r label command; do
        set -- $(sort -n times.$n | awk '{ w[NR] = $1; if ($4 > m) m = $4 } END { print w[int((NR + 1) / 2)], w[1], w[NR], m }')
        [ -n "$base" ] || base=$1
        say "$(printf '  %-34s %8.3f s  (%.3f to %.3f)  x %6.2f  %7.1f MB' "$label" "$1" "$2" "$3" \
            "$(echo "$1 $base" | awk '{ print $1 / $2 }')" "$(echo "$4" | awk '{ print $1 / 1024 }')")"
        n=$((n + 1))
    done <lines
}

: >"$results"
say "lanefix $commit, $mb MB, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(cc --version | head -n 1)"
if [ -n "${TRACE:-}" ]; then "$gen" repeat "$TRACE" "$mb" >a.json; else "$gen" kineto "$mb" >a.json; fi
say ""
say "stages on one core"
"$build/bench/stages" a.json | tee -a "$results"
group "plain file" <<TXT
cp|cp a.json out
lanefix, file to file|$lanefix -q a.json out
lanefix -t 1|$lanefix -q -t 1 a.json out
cat a pipe: cat, lanefix - -|cat a.json | $lanefix -q - - >out
TXT
group "reading" <<TXT
wc -l|wc -l a.json
lanefix --check|$lanefix --check -q a.json
lanefix --check -t 1|$lanefix --check -q -t 1 a.json
TXT
if command -v zstd >/dev/null; then
    zstd -q -3 a.json -o a.zst
    group "zstd" <<TXT
zstd -dcq, zstd -q -3 -T0|zstd -dcq a.zst | zstd -q -3 -T0 >out
lanefix, zst to zst|$lanefix -q a.zst out.zst
TXT
fi
gzip -1 -c a.json >a.gz
{ command -v igzip >/dev/null && echo "igzip -dc, igzip -1|igzip -dc a.gz | igzip -1 >out"
  echo "lanefix, gz to gz|$lanefix -q a.gz out.gz"
  [ "$mb" -gt 300 ] || echo "gzip -dc, gzip|gzip -dc a.gz | gzip >out"; } >groups
group "gzip" <groups
if [ "$mb" -le 300 ]; then
    group "what any Python tool pays at least" <<TXT
lanefix, file to file|$lanefix -q a.json out
python3 json load and dump|python3 -c 'import json; json.dump(json.load(open("a.json")), open("out", "w"))'
TXT
fi
for kind in kineto clean compact npu tracks one crossing; do "$gen" $kind "$mb" >$kind.json; done
group "kinds of trace" <<TXT
kineto|$lanefix -q kineto.json out
clean|$lanefix -q clean.json out
compact, one line|$lanefix -q compact.json out
npu: times as strings, epoch|$lanefix -q npu.json out
tracks of one slice|$lanefix -q tracks.json out
one track|$lanefix -q one.json out
every slice crosses its neighbour|$lanefix -q --max-lanes 0 crossing.json out
TXT
rm -f ./*.json
for part in 1 4 16; do "$gen" kineto $((mb * part / 16 + 1)) >size$part.json; done
group "growth: 1/16, 1/4 and all of the size" <<TXT
1/16|$lanefix -q size1.json out
1/4|$lanefix -q size4.json out
all|$lanefix -q size16.json out
TXT
echo "written to $results"
