#!/bin/sh
# compare.sh REV [MB]: builds REV in a worktree under build/ and this tree, runs the two in turn on the
# same generated traces, and prints the ratio of the medians, new to old. RUNS: rounds (7).
set -eu
[ $# -ge 1 ] && [ -n "$1" ] || { echo "usage: compare.sh REV [MB]" >&2; exit 2; }
mb=${2:-256}
runs=${RUNS:-7}
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
commit=$(git rev-parse --short --verify "$1^{commit}")
old=$top/build/compare-$commit
new=$top/build/release
work=
cleanup() {
    [ -z "$work" ] || rm -rf "$work"
    git worktree remove --force "$old" >/dev/null 2>&1 || true
}
trap cleanup EXIT
trap 'exit 130' INT TERM

make -s VARIANT=release all build/release/bench/gen build/release/bench/measure
[ ! -d "$old" ] || git worktree remove --force "$old"
git worktree add -q --detach "$old" "$commit"
make -s -C "$old" VARIANT=release all
work=$(mktemp -d)

# name, command with PROGRAM in the place of lanefix
compare() {
    rm -f "$work/old" "$work/new"
    round=0
    while [ "$round" -lt "$runs" ]; do
        round=$((round + 1))
        for side in old new; do
            eval "program=\$$side/build/release/lanefix"
            [ $side = old ] || program=$new/lanefix
            rm -f "$work"/out*
            (cd "$work" && PROGRAM=$program "$new/bench/measure" -f 9 sh -c "$2" 9>>"$side" \
                >/dev/null 2>err) || [ $? -eq 1 ] || { cat "$work/err" >&2; exit 1; }
        done
    done
    for side in old new; do
        sort -n "$work/$side" | awk '
            { wall[NR] = $1; if ($4 > peak) peak = $4 }
            END { print wall[int((NR + 1) / 2)], (wall[NR] - wall[1]) * 100, peak / 1024 }'
    done | awk -v name="$1" '
        { wall[NR] = $1; spread[NR] = $2 / $1; peak[NR] = $3 }
        END {
            printf "%-20s %8.3f %6.0f%% %8.1f %8.3f %6.0f%% %8.1f %8.3f\n", name, wall[1], spread[1],
                peak[1], wall[2], spread[2], peak[2], wall[2] / wall[1]
        }'
}

echo "new: $(git describe --always --dirty); old: $commit; $mb MB, median of $runs in turn"
printf '%-20s %8s %7s %8s %8s %7s %8s %8s\n' '' 'old s' 'spread' 'peak MB' 'new s' 'spread' 'peak MB' \
    'new/old'
for kind in kineto one tracks crossing; do
    "$new/bench/gen" "$kind" "$mb" >"$work/a.json"
    compare "$kind, check" '$PROGRAM -q --max-lanes 0 --check a.json'
    compare "$kind, file" '$PROGRAM -q --max-lanes 0 a.json out'
done
