# Sourced by the scripts here: what tests/cli/lib.sh has, the stand-in for system calls, and a row of
# the table of faults a check (run a script by hand to see it).
# shellcheck shell=sh
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$PWD/build/release}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
. "$here/../cli/lib.sh"

ENOSPC=28 EIO=5 EINTR=4 ENOMEM=12 EACCES=13 EXDEV=18 EPERM=1 EROFS=30 EDQUOT=122

skipped() { echo "skipped: $1"; }
# full: the long forms were asked for
full() { [ -n "${LF_FULL:-}" ]; }

# build_standin: makes the stand-in; false where this system or build cannot load one
build_standin() {
    standin=$BUILD/fault-standin.so
    asan=
    nm "$LANEFIX" 2>/dev/null | grep -q __asan_init && asan=-DLF_NO_ALLOC
    # shellcheck disable=SC2086
    cc -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared $asan "$here/preload/standin.c" -o "$work/standin.so" \
        2>"$work/.cc" && mv "$work/standin.so" "$standin" || return 1
    echo '[]' >probe.json
    with_fault read:1:5 "$LANEFIX" -q - /dev/null <probe.json
    with_fault pread:1:5 "$LANEFIX" -q probe.json /dev/null
    rm probe.json
    [ "$hits" -gt 0 ]
}

# with_fault FAULT COMMAND...: status, err (its first line), n_lines (on stderr) and hits (1: the fault
# happened) are set. The shell's own means only: these run hundreds of times.
with_fault() {
    fault=$1; shift
    : >"$work/.hits"
    LF_FAULT=$fault LF_FAULT_LOG=$work/.hits LD_PRELOAD=$standin \
        ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0 \
        "$@" 2>"$work/.err"
    status=$?
    read_err
    hits=0
    [ ! -s "$work/.hits" ] || hits=1
}

read_err() {
    err= n_lines=0
    while read -r line; do
        n_lines=$((n_lines + 1))
        [ $n_lines -gt 1 ] || err=$line
    done <"$work/.err"
}

# row WHAT: one line of the table
row() { printf '%-52s status %-3s %-10s %s\n' "$1" "$status" "$stood" "$err"; }

# nothing_left WHAT: neither beside the output nor in the spool's folder
nothing_left() {
    set -- "$1" .*.lanefix-* lanefix-spool* */lanefix-spool* */.*.lanefix-*
    left="$2 $3 $4 $5"
    same "$1: left behind" "$left" ".*.lanefix-* lanefix-spool* */lanefix-spool* */.*.lanefix-*"
}

# stands WHAT FILE WANT: what stands at FILE is the text "old" or the whole of WANT, as the status says
# it; nothing else is in the folder. stood is set.
stands() {
    first=
    [ ! -e "$2" ] || read -r first <"$2"
    if [ "$first" = old ]; then stood=old
    elif cmp -s "$2" "$3"; then stood="whole new"
    elif [ -e "$2" ]; then stood=PART
    else stood=NOTHING; fi
    case $status/$stood in
    0/"whole new") ok ;;
    4/old) ok; same "$1: lines on stderr" $n_lines 1 ;;
    *) bad "$1: status $status, at OUTPUT stands: $stood ($err)" ;;
    esac
    nothing_left "$1"
}

# events N: a trace of N events, two in a hundred to be changed
events() {
    awk -v n="$1" 'BEGIN { print "{\"traceEvents\":["
        for (i = 0; i < n; i++)
            printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"kernel_%d\",\"pid\":0,\"tid\":%d,\"ts\":%d.5,\"dur\":%s},\n", i % 7, i % 3, i * 10, (i % 50 ? "9" : "31.25")
        print "{}]}" }'
}
# sparse N: as long, but only one event in 20000 is to be changed: most of a file is copied unread
sparse() {
    awk -v n="$1" 'BEGIN { print "{\"traceEvents\":["
        for (i = 0; i < n; i++)
            printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"kernel_%d\",\"pid\":0,\"tid\":7,\"ts\":%d.5,\"dur\":%s},\n", i % 7, i * 10, (i % 20000 == 5 ? "31.25" : "9")
        print "{}]}" }'
}
