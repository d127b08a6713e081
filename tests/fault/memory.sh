#!/bin/sh
# Memory: a pipe of 300 MB under a limit far below; an allocation that fails anywhere in the program; the
# sample under Valgrind. And the spool is gone after every way to end.
. "$(dirname "$0")/lib.sh"
sample=$here/../../data/sample.json
nm "$LANEFIX" 2>/dev/null | grep -q -e __asan_init -e __tsan_init && sanitized=1 || sanitized=
mkdir spool

# 300 MB by a pipe: a hundred processes, one behind the other
sparse 36000 | sed '1d;$d' >block
many() {
    echo '{"traceEvents":['
    i=0
    while [ $i -lt 100 ]; do i=$((i + 1)); sed "s/\"pid\":0/\"pid\":$i/; s/31.25/9/" block; done
    echo '{}]}'
}
if [ -z "$sanitized" ]; then
    many >many.json
    want=$(cksum <many.json)
    n=${want#* }
    got=$(cat many.json | ( ulimit -v 160000; exec "$LANEFIX" -q -t 2 --spool-dir spool - - 2>"$work/.err" ) | cksum)
    read_err
    same "a pipe of $((n / 1000000)) MB with 160 MB of address space ($err)" "$got" "$want"
    same "the spool is gone" "$(echo spool/*)" "spool/*"
    printf '%-52s %s\n' "a pipe of $((n / 1000000)) MB, 160 MB of address space" "$([ "$got" = "$want" ] && echo same bytes)"
    rm many.json
    # events of 40 MB that change: the bound of lanefix.h, with 60 MB for the program and 10 a thread's
    # stack. (An arena a thread would be 64 MB of address space, used or not.)
    i=0
    while [ $i -lt 6 ]; do
        [ $i = 0 ] && echo '[' || echo ,
        printf '{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":15,"name":"n","args":{"a":"' $((i * 10))
        head -c 40000000 /dev/zero | tr '\0' x
        echo '"}}'
        i=$((i + 1))
    done >big.json
    echo ']' >>big.json
    "$LANEFIX" -q -t 1 big.json want.json
    for t in 1 2; do
        kb=$(((3 * t + 6) * 40000 + 60000 + t * 10000))
        ( ulimit -v $kb; MALLOC_ARENA_MAX=1 exec "$LANEFIX" -q -t $t big.json out.json ) 2>.err
        status=$?; read_err
        stands "events of 40 MB, -t $t" out.json want.json
        same "events of 40 MB, -t $t: $err" $status 0
        row "events of 40 MB, -t $t, $((kb / 1000)) MB of address space"
        rm -f out.json
        cat big.json | ( ulimit -v $kb; MALLOC_ARENA_MAX=1 exec "$LANEFIX" -q -t $t --spool-dir spool - - 2>.err ) | cmp -s - want.json
        same "events of 40 MB by a pipe, -t $t: $(cat .err)" $? 0
    done
    # the smallest events: the bound of lanefix.h, for those in threads + 1 MiB
    { echo '['; yes '{},' | head -n 12000000 | tr -d '\n'; echo '{}]'; } >big.json
    for t in 1 2; do
        kb=$((t * 5 * 1024 + 190 * (t + 1) * 1048576 / 3 / 1024 + 60000 + t * 10000))
        got=$( ( ulimit -v $kb; MALLOC_ARENA_MAX=1 exec "$LANEFIX" -q -t $t big.json - 2>.err ) | cksum )
        same "events of two bytes, -t $t: $(cat .err)" "$got" "$(cksum <big.json)"
        printf '%-52s %s\n' "events of two bytes, -t $t, $((kb / 1000)) MB of address space" "same bytes"
    done
    rm big.json want.json
    for kb in 6000 9000 12000 20000 30000; do # too little: an error, or done
        echo old >out.json
        ( ulimit -v $kb; exec "$LANEFIX" -q -t 2 "$sample" out.json ) 2>.err
        status=$?; read_err
        case $status in
        0) "$LANEFIX" -q "$sample" want.json; stands "$kb KB of address space" out.json want.json ;;
        4) stands "$kb KB of address space" out.json want.json ;;
        *) [ $kb -lt 10000 ] && stood="not started" || bad "$kb KB of address space: status $status ($err)" ;;
        esac
        row "$kb KB of address space"
    done
else
    skipped "a limit of address space is nothing for a sanitizer"
fi

# the ways to end
{ sparse 105000; } >large.json
way() { # WHAT STATUS, what is left of a run that was just made
    same "$1" "$status" "$2"
    nothing_left "$1"
    printf '%-52s status %s, spool gone\n' "$1" "$status"
}
by_pipe() { cat large.json | { "$LANEFIX" -q --spool-dir spool "$@" 2>.err; echo $? >.status; }; status=$(cat .status); }
by_pipe - out.json; way "spool: done" 0
by_pipe --check - ; way "spool: --check" 1
by_pipe - nowhere/out.json; way "spool: no output folder" 4
by_pipe --max-lanes 0 -s 0 - out.json; way "spool: done, with lanes" 0
{ cat large.json; echo ']'; } | { "$LANEFIX" -q --spool-dir spool - out.json 2>.err; echo $? >.status; }
status=$(cat .status); way "spool: a fault in the text" 3
head -c 8500000 large.json | { "$LANEFIX" -q --spool-dir spool - out.json 2>.err; echo $? >.status; }
status=$(cat .status)
way "spool: cut short" 3
by_pipe - /dev/full; way "spool: output full" 4
cat large.json | { "$LANEFIX" -q --spool-dir spool - - 2>.err; echo $? >.status; } | head -c 10 >/dev/null
status=$(cat .status); way "spool: the reader leaves" 141
mkfifo pipe
for signal in INT TERM HUP KILL; do
    case $signal in INT) ended=130 ;; TERM) ended=143 ;; HUP) ended=129 ;; KILL) ended=137 ;; esac
    { cat large.json; sleep 5; } >pipe &
    feeder=$!
    # env: a shell lets its background jobs ignore INT
    timeout -s $signal 0.3 "$LANEFIX" -q --spool-dir spool - out.json <pipe 2>.err
    status=$?
    [ $status -ne 124 ] || status=$ended # timeout says that it ended it
    kill $feeder 2>/dev/null; wait $feeder 2>/dev/null
    way "spool: SIG$signal while it reads" $ended
done

# every allocation of the program itself fails once
"$LANEFIX" -q -t 1 "$sample" want.json
if [ -z "$sanitized" ] && build_standin; then
    n=1 in_vain=0
    while [ $n -lt 1000 ]; do
        echo old >out.json
        with_fault alloc:$n:$ENOMEM "$LANEFIX" -t 1 -v --report report "$sample" out.json
        [ $hits -gt 0 ] || break
        first=; read -r first <out.json
        case $status in
        0) check "allocation $n: done" cmp -s out.json want.json ;;
        4) # the report comes when the output stands
           { [ "$first" = old ] || cmp -s out.json want.json; } && ok || bad "allocation $n: a part stands"
           case $err in *memory*) in_vain=$((in_vain + 1)) ;; esac ;;
        *) bad "allocation $n: status $status ($err)" ;;
        esac
        nothing_left "allocation $n"
        full && n=$((n + 1)) || n=$((n + 1 + n / 12))
    done
    echo "allocations refused one by one: up to number $n, $in_vain times out of memory"
    check "some were missed" test $in_vain -gt 3
fi

# Valgrind
if [ -z "$sanitized" ] && command -v valgrind >/dev/null; then
    full && more="out.json out.json.gz --check" || more=
    for arguments in $more "-t 2 out.json.zst" "--rebase=always out.json"; do
        # shellcheck disable=SC2086
        valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect,possible \
            --errors-for-leak-kinds=definite "$LANEFIX" -q -t 1 "$sample" $arguments 2>.err
        status=$?
        case "$status/$arguments" in 0/*|1/--check) ok ;; *) bad "valgrind: $arguments: $status"; cat .err ;; esac
    done
    echo "valgrind over the sample: $(valgrind --version)"
else
    skipped "no Valgrind here, or a sanitizer in its place"
fi
finish
