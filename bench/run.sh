#!/bin/sh
# run.sh BUILD [MB]: times lanefix on generated traces of MB million bytes (256) beside what any tool
# pays, every command in turn, and prints tables: median of the runs, spread, ratio to a named other
# line, peak memory of the largest process. Also into bench/results/<date>-<commit>.txt.
#
# TMPDIR: where the traces go, about 8 times MB. RUNS: rounds (5). TRACE: a plain trace to be repeated
# up to MB in place of the kineto one. Slow rivals run once.
set -u
[ $# -ge 1 ] || { echo "usage: run.sh BUILD [MB]" >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
mb=${2:-256}
runs=${RUNS:-5}
top=$(cd "$(dirname "$0")/.." && pwd)
lanefix=$build/lanefix
gen=$build/bench/gen
measure=$build/bench/measure
for program in "$lanefix" "$gen" "$measure" "$build/bench/repeat" "$build/bench/stages"; do
    [ -x "$program" ] || { echo "run.sh: $program is not built" >&2; exit 2; }
done
trace=${TRACE:+$(cd "$(dirname "$TRACE")" && pwd)/$(basename "$TRACE")}
commit=$(git -C "$top" describe --always --dirty 2>/dev/null || echo unknown)
mkdir -p "$top/bench/results"
results=$top/bench/results/$(date +%Y-%m-%d)-$commit.txt

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 2
: >"$results"

say() { printf '%s\n' "$*" | tee -a "$results"; }
have() { command -v "$1" >/dev/null 2>&1; }
fail() { echo "run.sh: $*" >&2; exit 1; }
nbytes() { wc -c <"$1" | tr -d ' '; }

make_trace() { # kind, MB, file
    if [ "$1" = kineto ] && [ -n "$trace" ]; then
        "$build/bench/repeat" "$trace" "$2" >"$3" || fail "no trace $3"
    else
        "$gen" "$1" "$2" >"$3" || fail "no trace $3"
    fi
}

# A line of a table: name, "-" or the name to compare with, rounds, good exit statuses, command.
# Alternating: each round runs every line that still has rounds left, in an order of its own: what
# writes a file pays for the pages that the line before it left to the system.
begin() { : >lines; rm -f times.*; }
line() { printf '%s|%s|%s|%s|%s\n' "$1" "$2" "$3" "$4" "$5" >>lines; }

measure_lines() {
    round=0
    while [ "$round" -lt "$runs" ]; do
        round=$((round + 1))
        awk -v seed="$round" 'BEGIN { srand(seed) } { print rand() "|" NR "|" $0 }' lines | sort >order
        while IFS='|' read -r _ n name base rounds good command <&3; do
            [ "$round" -le "$rounds" ] || continue
            rm -f out out.*
            "$measure" -f 9 sh -c "$command" 9>>"times.$n" >/dev/null 2>err </dev/null
            status=$?
            case ",$good," in
            *",$status,"*) ;;
            *) cat err >&2; fail "$command: exit status $status" ;;
            esac
        done 3<order
        rm -f out out.*
        sync
    done
}

# Medians as "name|base|runs|median|least|most|cpu|KiB", in the order of the lines.
summarise() {
    n=0
    while IFS='|' read -r name base rounds good command <&3; do
        n=$((n + 1))
        sort -n "times.$n" | awk -v name="$name" -v base="$base" '
            { wall[NR] = $1; cpu += $2 + $3; if ($4 > peak) peak = $4 }
            END {
                median = NR % 2 ? wall[(NR + 1) / 2] : (wall[NR / 2] + wall[NR / 2 + 1]) / 2
                printf "%s|%s|%d|%f|%f|%f|%f|%d\n", name, base, NR, median, wall[1], wall[NR],
                    cpu / NR, peak
            }'
    done 3<lines >summary
}

# nbytes of the trace
table() {
    measure_lines
    summarise
    awk -F'|' -v mb="$1" '
        NR == FNR { median[$1] = $4; next }
        FNR == 1 {
            printf "%-36s %8s %7s %8s %7s %8s %6s  %s\n", "", "seconds", "spread", "MB/s", "cpu s",
                "peak MB", "ratio", "to"
        }
        {
            ratio = $2 == "-" || !($2 in median) ? "" : sprintf("%.2f", $4 / median[$2])
            printf "%-36s %8.3f %6.0f%% %8.0f %7.2f %8.1f %6s  %s\n", $1 ($3 == 1 ? " (once)" : ""), $4,
                ($6 - $5) / $4 * 100, mb / 1e6 / $4, $7, $8 / 1024, ratio,
                ratio == "" ? "" : $2
        }' summary summary | tee -a "$results"
}

header() {
    say "lanefix $commit, $(date +%Y-%m-%d), $mb MB, median of $runs"
    say "machine: $(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) cores, $(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo), $(uname -sr), $(df -PT . | awk 'NR == 2 { print $2 }')"
    say "compiler: $(${CC:-cc} --version | head -n 1); load at the start: $(cut -d ' ' -f 1 /proc/loadavg)"
}

whole_runs() {
    say ""
    say "the kineto trace, $(nbytes a.json) bytes"
    begin
    line "cp" - "$runs" 0 "cp a.json out"
    line "cp, then sync" - "$runs" 0 "cp a.json out && sync out"
    line "cat >" "cp" "$runs" 0 "cat a.json >out"
    line "wc -l" - "$runs" 0 "wc -l a.json"
    line "lanefix file file" "cp" "$runs" 0 "$lanefix -q a.json out"
    line "lanefix file file, with sync" "cp, then sync" "$runs" 0 "$lanefix -q a.json out"
    line "lanefix -t 1 file file" "cp" "$runs" 0 "$lanefix -q -t 1 a.json out"
    line "lanefix --check" "wc -l" "$runs" 0,1 "$lanefix -q --check a.json"
    line "lanefix --check -t 1" "wc -l" "$runs" 0,1 "$lanefix -q -t 1 --check a.json"
    line "lanefix file >" "cat >" "$runs" 0 "$lanefix -q a.json - >out"
    line "cat, lanefix - - >" "cp" "$runs" 0 "cat a.json | $lanefix -q - - >out"
    if have zstd; then
        zstd -q -3 a.json -o a.json.zst
        line "zstd -dcq, zstd -q -3 -T0" - "$runs" 0 "zstd -dcq a.json.zst | zstd -q -3 -T0 >out"
        line "lanefix zst zst" "zstd -dcq, zstd -q -3 -T0" "$runs" 0 \
            "$lanefix -q -z zstd:3 a.json.zst out.zst"
    fi
    gzip -1 -c a.json >a.json.gz
    line "gzip -dc, gzip" - 1 0 "gzip -dc a.json.gz | gzip >out"
    rival="gzip -dc, gzip"
    if have igzip; then
        rival="igzip -dc, igzip -1"
        line "$rival" - "$runs" 0 "igzip -dc a.json.gz | igzip -1 >out"
        line "lanefix gz gz, once more" "gzip -dc, gzip" "$runs" 0 \
            "$lanefix -q -z gzip:1 a.json.gz out.gz"
    fi
    line "lanefix gz gz" "$rival" "$runs" 0 "$lanefix -q -z gzip:1 a.json.gz out.gz"
    if have python3; then
        line "python3 json load, dump" "lanefix file file" 1 0 \
            "python3 -c 'import json; json.dump(json.load(open(\"a.json\")), open(\"out\", \"w\"))'"
    fi
    table "$(nbytes a.json)"
    rm -f a.json.zst a.json.gz
}

# One line for each kind, each beside kineto in the same rounds: time a byte as a ratio.
kinds() {
    say ""
    say "$1"
    shift
    say "$(printf '%-20s %9s %9s %9s %9s %8s' '' 'file s' 'x kineto' 'check s' 'x kineto' 'peak MB')"
    for kind in "$@"; do
        make_trace "$kind" "$mb" b.json
        begin
        line "kineto" - "$runs" 0 "$lanefix -q a.json out"
        line "kineto check" - "$runs" 0,1 "$lanefix -q --check a.json"
        line "other" - "$runs" 0 "$lanefix -q --max-lanes 0 b.json out"
        line "other check" - "$runs" 0,1 "$lanefix -q --max-lanes 0 --check b.json"
        measure_lines
        summarise
        awk -F'|' -v kind="$kind" -v a="$(nbytes a.json)" -v b="$(nbytes b.json)" '
            { median[$1] = $4; if ($1 == "other") peak = $8 / 1024 }
            END {
                printf "%-20s %9.3f %9.2f %9.3f %9.2f %8.1f\n", kind, median["other"],
                    median["other"] / b / (median["kineto"] / a), median["other check"],
                    median["other check"] / b / (median["kineto check"] / a), peak
            }' summary | tee -a "$results"
        rm -f b.json
    done
}

# Time and memory a byte as the trace grows; all sizes in the same rounds.
growth() {
    say ""
    say "how cost grows: kineto"
    begin
    for factor in 0.25 1 4; do
        make_trace kineto "$(awk -v a="$mb" -v b="$factor" 'BEGIN { print a * b }')" "g$factor.json"
        line "$factor" - "$runs" 0 "$lanefix -q g$factor.json out"
        line "$factor check" - "$runs" 0,1 "$lanefix -q --check g$factor.json"
        echo "$factor $(nbytes "g$factor.json")" >>sizes
    done
    measure_lines
    summarise
    say "$(printf '%-12s %9s %9s %9s %9s %9s' 'MB' 'file s' 'ms/MB' 'check s' 'ms/MB' 'peak %')"
    while read -r factor n; do
        awk -F'|' -v factor="$factor" -v n="$n" '
            { median[$1] = $4; peak[$1] = $8 }
            END {
                check = factor " check"
                printf "%-12.0f %9.3f %9.2f %9.3f %9.2f %9.1f\n", n / 1e6, median[factor],
                    median[factor] * 1e9 / n, median[check], median[check] * 1e9 / n,
                    peak[factor] * 1024 / n * 100
            }' summary | tee -a "$results"
    done <sizes
    rm -f g*.json
}

header
make_trace kineto "$mb" a.json
say ""
say "stages"
"$build/bench/stages" a.json out "$runs" >stages || fail "stages"
tee -a "$results" <stages
whole_runs
kinds "kinds of trace: time a byte beside the kineto trace" clean compact npu tracks one crossing
kinds "how cost grows: tracks, and slices in one conflict" tracks:1 tracks:1000 tracks:10000 \
    tracks:100000 crossing:10 crossing:1000 crossing:100000
growth
echo "written to $results"
