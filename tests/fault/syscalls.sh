#!/bin/sh
# Every system call of a run fails once, at every place where it is made (of many, at some): either the
# whole new file stands at OUTPUT and the status is 0, or the old one stands and the status is 4 with one
# line; the input is untouched and nothing is left beside it, nor in the spool's folder.
. "$(dirname "$0")/lib.sh"
if ! build_standin; then
    skipped "no stand-in for system calls can be loaded here"
    finish
fi
sparse 110000 >in.json # 9 MB: six changes, far from each other
"$LANEFIX" -q in.json want.json
gzip -1 -c in.json >in.json.gz
"$LANEFIX" -q in.json.gz want.json.zst
sparse 105000 >large.json # more than a pipe keeps in memory
"$LANEFIX" -q large.json want.large
clean >clean.json
mkfifo pipe
mkdir spool
places="1 2 3 4 5 9 20"
full && places=$(seq 1 100)

# piped FAULT: large.json by a pipe
piped() {
    cat large.json >pipe 2>/dev/null &
    with_fault "$1" "$LANEFIX" -q -t 2 --spool-dir spool - out.json <pipe
    wait
}

# sweep FORM CALL ERRNO WANT OUT INPUT: the n-th CALL fails, n = 1, 2, ... while there are so many
sweep() {
    input=$6
    cp "$input" before
    for n in $places; do
        case_is="$1: $2 $n fails"
        echo old >"$5"
        case $1 in
        pipe) piped "$2:$n:$3" ;;
        *) with_fault "$2:$n:$3" "$LANEFIX" -q -t 2 "$input" "$5" ;;
        esac
        [ "$hits" -gt 0 ] || break
        stands "$case_is" "$5" "$4"
        check "$case_is: input untouched" cmp -s before "$input"
        row "$case_is"
    done
}

for call in open pread write copy_file_range fsync close rename fchown fchmod; do
    case $call in
    write|copy_file_range) errno=$ENOSPC ;; open) errno=$EACCES ;; fchown) errno=$EPERM ;; *) errno=$EIO ;;
    esac
    sweep "file" $call $errno want.json out.json in.json
    sweep "gz to zst" $call $errno want.json.zst out.json.zst in.json.gz
    sweep "nothing to fix" $call $errno clean.json out.json clean.json
done
full || places="1 2 5 40"
for call in open read pread write close; do
    case $call in write) errno=$ENOSPC ;; *) errno=$EIO ;; esac
    sweep "pipe" $call $errno want.large out.json large.json
done

# must WHAT FAULT STATUS TEXT INPUT OUTPUT: what is an error, and what is not
must() {
    case_is=$1 wanted=$3 text=$4
    echo old >out.json
    with_fault "$2" "$LANEFIX" -q "$5" "$6"
    check "$case_is: it happened" test "$hits" -gt 0
    same "$case_is ($err)" "$status" "$wanted"
    [ "$wanted" -eq 0 ] || says "$case_is" "$text"
    stands "$case_is" out.json want.json
    row "$case_is"
}
must "disk full from the first write on" write:1+:$ENOSPC 4 "lanefix: out.json: cannot be written: No space" in.json out.json
must "quota reached while the kernel copies" copy_file_range:2+:$EDQUOT 4 "lanefix: out.json: cannot be written: Disk quota" in.json out.json
must "the kernel cannot copy: another file system" copy_file_range:1+:$EXDEV 0 "" in.json out.json
must "the kernel may not copy" copy_file_range:1+:$EPERM 0 "" in.json out.json
must "the kernel copies a part, then cannot" copy_file_range:2+:22 0 "" in.json out.json
must "fsync fails" fsync:1:$EIO 4 "out.json: cannot be written: Input/output error" in.json out.json
must "fsync is not known here" fsync:1+:22 0 "" in.json out.json
must "rename fails" rename:1:$EROFS 4 "out.json: cannot be put in place: Read-only" in.json out.json
must "ownership cannot be kept" fchown:1+:$EPERM 0 "" in.json out.json
must "mode cannot be kept" fchmod:1+:$EPERM 4 "out.json: its mode cannot be kept" in.json out.json
must "read error in pass one" pread:3:$EIO 4 "lanefix: in.json: cannot be read at byte" in.json out.json

for call in open pread write copy_file_range fsync close; do
    must "every second $call is interrupted" $call:odd:$EINTR 0 "" in.json out.json
done
for fault in read:odd:$EINTR write:odd:$EINTR open:odd:$EINTR open:1:tmpfile; do
    echo old >out.json
    piped $fault
    check "pipe, $fault: it happened" test "$hits" -gt 0
    same "pipe, $fault ($err)" "$status" 0
    stands "pipe, $fault" out.json want.large
    row "pipe: $fault"
done
echo old >out.json
piped open:odd:95
row "pipe: no file without a name, out.json not to be made"
sparse 4000 >short.json
"$LANEFIX" -q short.json short.want
for call in pread write; do
    echo old >out.json
    with_fault $call:odd:short "$LANEFIX" -q short.json out.json
    check "short $call: it happened" test "$hits" -gt 0
    stands "short $call" out.json short.want
    row "every second $call moves one byte"
done
must "every second copy_file_range moves one byte" copy_file_range:odd:short 0 "" in.json out.json

# moved WHAT FAULT INPUT: an input that changes under the reader is an error, whenever it happens
moved() {
    cp "$3" moving
    echo old >out.json
    with_fault "$2" "$LANEFIX" -q moving out.json
    [ "$hits" -gt 0 ] || return 1
    case $status in 4) ok ;; *) bad "$1: status $status" ;; esac
    stands "$1" out.json want.json
    row "$1"
}
for how in cut grow touch; do
    for n in $places 17 23; do
        moved "input: $how before pread $n" pread:$n:$how in.json
    done
    for n in 1 2 3 4; do
        moved "input: $how before copy_file_range $n" copy_file_range:$n:$how in.json
        moved "gz input: $how before pread $n" pread:$n:$how in.json.gz
    done
done
finish
