#!/bin/sh
# kill -9 at random moments and at every system call that matters: either the old file or the whole new one
# stands at OUTPUT, the input is untouched, and the next run onto the same name removes what was left.
# Several runs onto one name at once.
. "$(dirname "$0")/lib.sh"
moments=50
full && moments=500
events 100000 >in.json # 8.4 MB: some 100 ms
cp in.json before
"$LANEFIX" -q --max-lanes 0 in.json want.json
cp want.json want
gzip -1 <in.json >in.json.gz
"$LANEFIX" -q --max-lanes 0 in.json.gz want.json.zst

# killed WHAT OUT WANT: what stands after a kill; stood is set
killed() {
    first=
    read -r first <"$2"
    if [ "$first" = old ]; then stood=old; ok
    elif cmp -s "$2" "$3"; then stood="whole new"; ok
    else stood=PART; bad "$1: a part stands at OUTPUT"; fi
    set -- "$1" .*.lanefix-*
    left=$(($# - 1)); [ -e "$2" ] || left=0
    for file; do # known by its name
        case $file in "$1"|.out.json.lanefix-*-*-*|.out.json.zst.lanefix-*-*-*|'.*.lanefix-*') ;; *) bad "left behind: $file" ;; esac
    done
}

# the time of a run, in microseconds; moments are spread over it and some more
start=$(date +%s%N)
"$LANEFIX" -q --max-lanes 0 in.json out.json
end=$(date +%s%N)
us=$(((end - start) / 1000 * 11 / 10))
n_old=0 n_new=0 n_left=0
for moment in $(awk -v n=$moments -v us=$us -v seed="${SEED:-$$}" 'BEGIN { srand(seed)
        for (i = 0; i < n; i++) printf "%.6f\n", (us * (i + rand()) / n + 1) / 1e6 }'); do
    echo old >out.json
    timeout -s KILL "$moment" "$LANEFIX" -q -t 2 --max-lanes 0 in.json out.json 2>.err
    killed "kill -9 after $moment s" out.json want
    case $stood in old) n_old=$((n_old + 1)) ;; *) n_new=$((n_new + 1)) ;; esac
    [ "$left" -eq 0 ] || n_left=$((n_left + 1))
done
check "the input is untouched" cmp -s in.json before
echo "$moments kills at random: old $n_old, whole new $n_new, a temporary file left $n_left times"
check "some kills came before the end" test $n_old -gt 0
echo old >out.json
"$LANEFIX" -q --max-lanes 0 in.json out.json
check "the run after them" cmp -s out.json want
nothing_left "the run after them"

if build_standin; then
    mkdir spool
    for place in open:1 open:2 open:3 pread:3 pread:15 fchmod:1 write:1 write:2 write:7 fsync:1 close:1 rename:1 fsync:2 close:2 close:3; do
        echo old >out.json
        with_fault "$place:kill" "$LANEFIX" -q --max-lanes 0 in.json out.json
        check "killed at $place: it happened" test "$hits" -gt 0
        same "killed at $place" $status 137
        killed "killed at $place" out.json want
        row "kill -9 before $place ($left left)"
        case $place in open:3|fsync:2|close:2|close:3) same "killed at $place" "$stood" "whole new" ;; *) same "killed at $place" "$stood" old ;; esac
    done
    for place in read:2 read:6 write:2 open:1 open:2 pread:3 rename:1; do
        echo old >out.json.zst
        { sed '$d' in.json; sed 1d in.json; } >long.json # too long for memory
        cat long.json | { with_fault "$place:kill" "$LANEFIX" -q --max-lanes 0 --spool-dir spool - out.json.zst
                          same "pipe, killed at $place" $status 137
                          echo "passed=$passed failed=$failed status=$status hits=$hits" >.counts; }
        . ./.counts
        killed "pipe, killed at $place" out.json.zst want.json.zst
        same "pipe, killed at $place: OUTPUT" "$stood" old
        same "pipe, killed at $place: the spool is gone" "$(echo spool/*)" "spool/*"
        row "pipe: kill -9 before $place ($left left)"
    done
    for out in out.json out.json.zst; do
        "$LANEFIX" -q --max-lanes 0 in.json $out
    done
    nothing_left "the runs after them"
else
    skipped "no stand-in for system calls can be loaded here"
fi

# what looks like a leftover and is none: of a run that lives, of another name, host or kind
with_fault write:2:kill "$LANEFIX" -q --max-lanes 0 in.json out.json
set -- .out.json.lanefix-*
if [ -e "$1" ] && command -v flock >/dev/null; then
    tag=${1#.out.json.lanefix-}; tag=${tag%%-*}
    mkfifo pipe
    "$LANEFIX" -q --max-lanes 0 in.json.gz pipe & # lives; has no temporary file of its own
    alive=$!
    : >".out.json.lanefix-$tag-$alive-00000001"
    exec 9>".out.json.lanefix-$tag-$alive-00000002"
    : >".out.json.lanefix-$tag-99999999-00000001"
    : >".out.json.lanefix-00000000-1-00000001"
    : >".out.json.lanefix-00000000-1-00000002"
    touch -d "3 days ago" .out.json.lanefix-00000000-1-00000002
    : >".out.json.lanefix-notes"
    : >".other.json.lanefix-$tag-99999999-00000001"
    : >"out.json.lanefix-$tag-99999999-00000001"
    flock 9
    "$LANEFIX" -q --max-lanes 0 in.json out.json
    exec 9>&-
    for file in ".out.json.lanefix-$tag-$alive-00000002" .out.json.lanefix-00000000-1-00000001 .out.json.lanefix-notes \
        ".other.json.lanefix-$tag-99999999-00000001" "out.json.lanefix-$tag-99999999-00000001"; do
        check "kept: $file" test -e "$file"
    done
    check "removed: of a process that is gone" test ! -e ".out.json.lanefix-$tag-99999999-00000001"
    check "removed: that nobody holds, whatever became of the process" test ! -e ".out.json.lanefix-$tag-$alive-00000001"
    check "removed: of another host, days ago" test ! -e .out.json.lanefix-00000000-1-00000002
    rm -f .*.lanefix-* ./*.lanefix-*
    cat pipe >piped
    wait $alive
    check "a FIFO as OUTPUT is a stream" cmp -s piped want.json
fi

# several runs onto one name at once
for threads in 1 2; do
    echo old >out.json
    for run in 1 2 3 4; do
        "$LANEFIX" -q -t $threads --max-lanes 0 in.json out.json 2>>.many || echo failed >>.many &
    done
    while kill -0 $! 2>/dev/null; do
        read -r first <out.json
        case $first in old|'{"traceEvents":[') ;; *) bad "runs at once: a part stands at OUTPUT" ;; esac
    done
    wait
    check "four runs onto one name, $threads threads" cmp -s out.json want
    nothing_left "four runs onto one name"
done
same "four runs onto one name: none failed" "$(cat .many)" ""
finish
