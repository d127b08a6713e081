#!/bin/sh
# No space, no permission, no descriptor: the limits of the system itself, without a stand-in.
. "$(dirname "$0")/lib.sh"
sparse 50000 >in.json
"$LANEFIX" -q in.json want.json
sparse 105000 >large.json
mkdir spool

# fails WHAT TEXT: the last run failed with TEXT, and the old file stands
fails() {
    same "$1 ($err)" "$status" 4
    says "$1" "$2"
    stands "$1" out.json want.json
    row "$1"
}
try() { # COMMAND...
    echo old >out.json
    "$@" 2>.err
    status=$?
    stood=-
    read_err
}
limited() { # BLOCKS COMMAND...: files may have so many blocks of 512 bytes
    ( ulimit -f "$1"; shift; exec "$@" )
}

for blocks in 1 700 4000 8000; do
    try limited $blocks "$LANEFIX" -q in.json out.json
    fails "file size limit of $blocks blocks" "out.json: cannot be written: File too large"
done
gzip -1 -c in.json >in.json.gz
try limited 100 "$LANEFIX" -q -z gzip in.json.gz out.json
fails "file size limit, compressed" "File too large"
cat large.json | {
    try limited 10000 "$LANEFIX" -q --spool-dir spool - out.json
    fails "file size limit, the spool" "copy of piped input in spool: cannot be written: File too large"
    echo "passed=$passed failed=$failed" >.counts
}
. ./.counts
try limited 1 "$LANEFIX" -q -v in.json /dev/null --report out.report
same "file size limit, the report" $status 4
says "file size limit, the report" "out.report: cannot be written: File too large"

# a file system that is full: 6 of its 10 MB are taken
small=
if mkdir small && mount -t tmpfs -o size=10m tmpfs small 2>/dev/null; then
    small=1
    trap 'umount "$work/small"; rm -rf "$work"' EXIT
    cp in.json small/
    head -c 2500000 /dev/zero >small/filler
    try "$LANEFIX" -q in.json small/out.json
    same "full file system" $status 4; says "full file system" "No space left"; one_line "full file system"
    same "full file system: left" "$(echo $(ls -A small))" "filler in.json"
    row "full file system: output"
    cp in.json before
    try "$LANEFIX" -q -i small/in.json
    same "full file system, in place" $status 4
    check "full file system, in place: the input stands" cmp -s before small/in.json
    same "full file system, in place: left" "$(echo $(ls -A small))" "filler in.json"
    row "full file system: in place"
    cat large.json | {
        try "$LANEFIX" -q --spool-dir small - out.json
        fails "full file system: spool" "No space left"
        echo "passed=$passed failed=$failed" >.counts
    }
    . ./.counts
    rm small/in.json small/filler
    "$LANEFIX" -q in.json small/out.json; status=$?
    check "output on another file system" cmp -s small/out.json want.json
    cp in.json small/moved.json
    rm small/out.json
    try "$LANEFIX" -q small/moved.json out.json; stands "input on another file system" out.json want.json
    ln -s small/linked.json link.json; rm small/moved.json
    "$LANEFIX" -q in.json link.json; status=$?
    check "a link to another file system" cmp -s small/linked.json want.json
    check "a link to another file system: still a link" test -L link.json
else
    skipped "no file system can be mounted here"
    if [ -d /dev/shm ] && other=$(mktemp -d /dev/shm/lanefix-test-XXXXXX 2>/dev/null); then
        "$LANEFIX" -q in.json "$other/out.json"
        check "output on another file system" cmp -s "$other/out.json" want.json
        rm -rf "$other"
    fi
fi
if [ -c /dev/full ]; then
    try "$LANEFIX" -q in.json /dev/full
    same "a full device" $status 4; says "a full device" "/dev/full: cannot be written: No space"
    try "$LANEFIX" -q -z zstd in.json - >/dev/full
    same "stdout is full" $status 4; says "stdout is full" "standard output: cannot be written: No space"
fi

# permission: a user who may not write the folder; root may all, and becomes somebody else
mkdir locked; cp in.json locked/; echo old >locked/out.json
chmod 777 .; chmod 755 locked
user=
if [ "$(id -u)" -ne 0 ]; then
    chmod 555 locked
    user=env
elif command -v setpriv >/dev/null && setpriv --reuid 65534 --regid 65534 --clear-groups "$LANEFIX" --version >/dev/null 2>&1; then
    user="setpriv --reuid 65534 --regid 65534 --clear-groups"
fi
if [ -n "$user" ]; then
    try $user "$LANEFIX" -q locked/in.json locked/out.json
    same "a folder that may not be written" $status 4; says "a folder that may not be written" "locked/out.json: cannot be made: Permission denied"
    same "a folder that may not be written: OUTPUT" "$(cat locked/out.json)" old
    row "no permission on the folder"
    chmod 000 locked/in.json
    try $user "$LANEFIX" -q locked/in.json out2.json
    same "an input that may not be read" $status 4; says "an input that may not be read" "locked/in.json: cannot be opened: Permission denied"
    try $user "$LANEFIX" -q --spool-dir locked - out2.json <locked/out.json
    check "no output" test ! -e out2.json
    cat large.json | {
        try $user "$LANEFIX" -q --spool-dir locked - out2.json
        same "a spool folder that may not be written" $status 4; says "a spool folder that may not be written" "locked: no temporary file can be made here"
        echo "passed=$passed failed=$failed" >.counts
    }
    . ./.counts
    if [ "$(id -u)" -eq 0 ]; then
        # a file of somebody else, in a folder that may be written: replaced, by one of our own
        echo old >theirs.json; chmod 4664 theirs.json
        $user "$LANEFIX" -q in.json theirs.json; status=$?
        same "a file of another owner" $status 0
        same "a file of another owner: mode" "$(stat -c %a theirs.json)" 604
    fi
else
    skipped "no other user can be taken on here"
fi

# descriptors
try sh -c 'ulimit -n 4; exec "$0" -q in.json out.json' "$LANEFIX"
fails "no descriptor for the output" "out.json: cannot be made: Too many open files"
for fd in "0<&-" "1>&-" "2>&-" "0<&- 1>&-" "0<&- 1>&- 2>&-"; do
    echo old >out.json
    eval '"$LANEFIX" in.json out.json 2>.err' "$fd"; status=$?
    check "closed $fd: the output" cmp -s out.json want.json
    rm -f report
    eval '"$LANEFIX" -q --report report in.json out.json' "$fd"; status=$?
    same "closed $fd, --report" $status 0
    check "closed $fd, --report: the output" cmp -s out.json want.json
    same "closed $fd, --report: the report" "$(head -c 10 report)" processing
done
for fd in "1>&-" "0<&- 1>&-" "1>&- 2>&-"; do
    rm -f report
    eval '"$LANEFIX" -q --report report in.json -' "$fd" 2>.err; status=$?
    same "closed $fd, trace to it" $status 4
    check "closed $fd: the trace is not in the report" test ! -s report
done
rm -f report; echo old >out.json
"$LANEFIX" --report report - out.json <&- 2>.err; status=$?; read_err
fails "closed stdin" "standard input: cannot be"
check "closed stdin: the report is untouched" test ! -s report
finish
