#!/bin/sh
# compare.sh REV [MB]: builds REV beside this tree and alternates the two over one generated trace.
set -eu
rev=$1
mb=${2:-256}
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
make -s all build/release/bench/gen build/release/bench/measure
old=$top/build/compare
rm -rf "$old"
git worktree prune
git worktree add -q --detach "$old" "$rev"
trap 'git -C "$top" worktree remove --force "$old"' EXIT
make -s -C "$old" all
work=$(mktemp -d)
trap 'rm -rf "$work"; git -C "$top" worktree remove --force "$old"' EXIT
build/release/bench/gen kineto "$mb" >"$work/a.json"
i=0
while [ $i -lt 7 ]; do
    for side in old new; do
        program=$top/build/release/lanefix
        [ $side = new ] || program=$old/build/release/lanefix
        build/release/bench/measure "$program" -q "$work/a.json" "$work/out.json" 2>>"$work/$side"
    done
    i=$((i + 1))
done
for side in old new; do
    sort -n "$work/$side" | awk -v side=$side '{ w[NR] = $1; if ($4 > m) m = $4 } END { printf "%s %.3f s (%.3f to %.3f), %.1f MB\n", side, w[4], w[1], w[NR], m / 1024 }'
done
