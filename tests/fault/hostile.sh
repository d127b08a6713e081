#!/bin/sh
# Input that is made to harm: it is taken or refused in a time and a memory that go with its size, and
# nothing of it reaches a terminal. LF_FULL=1: the sizes that the promises name.
. "$(dirname "$0")/lib.sh"
mega=2 # sizes of single texts, in MB
keys=40000 tracks=60000 bomb=130
if full; then mega=1000 keys=1000000 tracks=1000000 bomb=4000; fi
number=$((mega / 10 + 1))
nm "$LANEFIX" 2>/dev/null | grep -q -e __asan_init -e __tsan_init && sanitized=1 || sanitized=

fill() { head -c "$1" /dev/zero | tr '\0' "$2"; }
mb() { echo $(($1 << 20)); }
# time_limit: nothing here may take longer; what grows with the square of its size would
time_limit() { timeout "$((${1} + ${1} * ${sanitized:-0} * 9))" "$LANEFIX" -q -t 2 --max-lanes 0 - -; }

# taken WHAT GENERATOR...: comes out byte for byte
taken() {
    case_is=$1; shift
    want=$("$@" | cksum)
    got=$("$@" | { time_limit 60 2>.err; echo $? >.status; } | cksum)
    status=$(cat .status); read_err
    same "$case_is ($err)" "$status" 0
    same "$case_is: bytes" "$got" "$want"
    printf '%-52s taken\n' "$case_is"
}
# refused WHAT STATUS GENERATOR...
refused() {
    case_is=$1 wanted=$2; shift 2
    "$@" | { time_limit 60 >out 2>.err; echo $? >.status; }
    status=$(cat .status); read_err
    same "$case_is ($err)" "$status" "$wanted"
    same "$case_is: nothing written" "$(wc -c <out | tr -d ' ')" 0
    same "$case_is: lines on stderr" $n_lines 1
    printf '%-52s refused: %s\n' "$case_is" "$err"
}
# fixed WHAT GENERATOR...: something is changed, and Perfetto refuses nothing any more
fixed() {
    case_is=$1; shift
    "$@" | { time_limit 60 >out 2>.err; echo $? >.status; }
    status=$(cat .status); read_err
    same "$case_is ($err)" "$status" 0
    check "$case_is: something was to be done" test "$(wc -c <out)" -ne "$("$@" | wc -c)"
    timeout 600 "$LANEFIX" -q --check out 2>.err; same "$case_is: --check of the result" $? 0
    timeout 600 "$LANEFIX" -q --max-lanes 0 out again 2>.err; same "$case_is: again" $? 0
    check "$case_is: fixing again changes nothing" cmp -s out again
    printf '%-52s fixed\n' "$case_is"
}

# brackets
nested() { # OPEN CLOSE N BEFORE BEHIND
    printf '%s' "$4"; fill "$3" "$1"; fill "$3" "$2"; printf '%s' "$5"
}
open_only() { printf '%s' "$1"; fill "$3" "$2"; }
million=1000000
event='{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2'
taken "a million nested arrays in args" nested '[' ']' $million "[$event,\"args\":{\"a\":" "}}]"
taken "a million nested arrays in an event" nested '[' ']' $million "[$event,\"x\":" "}]"
taken "a million open braces, array form" open_only "[$event,\"args\":" '{' $million
refused "a million open braces, object form" 3 open_only "{\"traceEvents\":[$event,\"args\":" '{' $million
refused "a million open braces" 3 open_only "" '{' $million
taken "a million open brackets in an array" open_only "[$event},{\"a\":" '[' $million
refused "a million nested arrays outside the events" 3 nested '[' ']' $million '{"a":' ',"traceEvents":[]}'
refused "a million closing braces" 3 open_only "[$event" '}' $million
taken "a million commas between events" nested ' ' ' ' $million "[$event}," "$event}]"

# long texts
long() { # BEFORE MB CHARACTER BEHIND
    printf '%s' "$1"; fill "$(mb "$2")" "$3"; printf '%s' "$4"
}
taken "a name of $mega MB" long '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"' $mega a '"}]'
taken "a name of $mega MB of backslashes" long '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"' $mega '\134' '"}]'
taken "args of $mega MB" long "[$event,\"args\":{\"a\":\"" $mega '{' '"}}]'
taken "a key of $mega MB" long "[$event,\"" $mega k '":1}]'
taken "a key of $mega MB outside the events" long '{"' $mega k '":1,"traceEvents":[]}'
taken "a tid of $mega MB" long '[{"ph":"X","name":"a","pid":1,"ts":1,"dur":2,"tid":"' $mega t '"}]'
taken "$mega MB of white space in an event" long "[$event" $mega ' ' '}]'
refused "a string of $mega MB that does not end" 3 long '{"traceEvents":[{"name":"' $mega a ''
two_tracks() {
    for ts in 1 2 3; do
        printf '%s{"ph":"X","name":"a","pid":1,"ts":%d,"dur":%d,"tid":"' "$([ $ts -eq 1 ] && echo '[' || echo ,)" $ts $((10 * ts))
        fill "$(mb $number)" t
        printf '"}'
    done
    echo ']'
}
fixed "slices that cross on a track whose name is long" two_tracks

# long numbers
for member in ts dur pid tid; do
    rest=$(printf '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}' | sed "s/\"$member\":[0-9]*,*//; s/,}/}/; s/}//")
    taken "a $member of $number MB of digits" long "[$rest,\"$member\":" $number 9 "}]"
    taken "a $member of $number MB of zeros" long "[$rest,\"$member\":1." $number 0 "}]"
    taken "a $member with an exponent of $number MB" long "[$rest,\"$member\":1e" $number 9 "}]"
    taken "a $member with an exponent of $number MB below 0" long "[$rest,\"$member\":1e-" $number 9 "}]"
    taken "a $member of $number MB in quotes" long "[$rest,\"$member\":\"" $number 7 "\"}]"
done
taken "a number of $number MB in args" long "[$event,\"args\":{\"a\":" $number 3 "}}]"
taken "baseTimeNanoseconds of $number MB" long '{"baseTimeNanoseconds":' $number 3 ",\"traceEvents\":[$event}]}"

# many members
members() { # BEFORE FORMAT BEHIND
    printf '%s' "$1"; awk -v n=$keys -v f="$2" 'BEGIN { for (i = 0; i < n; i++) printf f, i }'; printf '%s' "$3"
}
taken "$keys keys in an event" members '[{' '"key%d":1,' "\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]"
taken "$keys times ts" members "[$event" ',"ts":%d' '}]'
taken "$keys objects in an event" members "[$event" ',"k%d":{"a":[]}' '}]'
taken "$keys keys in args" members "[$event,\"args\":{\"a\":1" ',"k%d":{}' '}}]'
taken "$keys keys in the args of a name" members '[{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"x"' ',"k%d":1' '}}]'
taken "$keys keys outside the events" members "{\"a\":1" ',"k%d":1' ",\"traceEvents\":[$event}]}"
taken "$keys events without a member" members '[{}' ',{}' ']'
taken "$keys shapes of an event" members '[{}' ',{"k%d":1}' ']'

# tracks that would meet in a table without a seed
for stride in 1 4096 65536 1048576 2654435761; do
    strided() {
        awk -v n=$tracks -v s=$stride 'BEGIN { printf "["; for (i = 1; i <= n; i++)
            printf "{\"ph\":\"X\",\"name\":\"a\",\"pid\":%.0f,\"tid\":%.0f,\"ts\":1,\"dur\":2}%s", 1 + int(i * s / 4294967296), (i * s) % 4294967296 + (i * s % 4294967296 == 0), i < n ? ",\n" : "]\n" }'
    }
    taken "$tracks tracks, $stride apart" strided
done
named() { members '[{}' ',{"ph":"X","name":"a","pid":"p%d","tid":"t","ts":1,"dur":2}' ']'; }
taken "$keys processes with names" named
folded() { members '[{}' ',{"ph":"X","name":"a","pid":7,"tid":-1%d,"ts":5,"dur":2}' ']'; }
fixed "$keys tracks that fold into one" folded

# shapes that invite the square of their number
crossing() { members '[{}' ',{"ph":"X","name":"a","pid":1,"tid":1,"ts":%d,"dur":100000}' ']'; }
old_keys=$keys; keys=1500
fixed "$keys slices that all cross each other" crossing
keys=$old_keys
opened() { members '[{}' ',{"ph":"B","name":"a%d","pid":1,"tid":1,"ts":1}' ']'; }
taken "$keys slices that are never closed" opened
closed() { members '[{}' ',{"ph":"E","name":"a%d","pid":1,"tid":1,"ts":1}' ']'; }
taken "$keys ends without a beginning" closed
arrows() { members "[$event}" ',{"ph":"s","id":%d,"pid":1,"tid":1,"ts":1,"name":"a"}' ']'; }
taken "$keys arrows from one slice" arrows
empty() { members '[{}' ',{"ph":"X","name":"a%d","pid":1,"tid":1,"ts":1,"dur":0}' ']'; }
fixed "$keys empty slices at one time: too deep" empty
same_time() { members '[{}' ',{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":%d}' ']'; }
fixed "$keys slices one within the other: too deep" same_time

# what grows when it is unpacked: memory stays, time goes with what it says
if [ -z "$sanitized" ]; then
    spaces() { printf '['; fill "$(mb "$1")" ' '; printf '%s}]' "$event"; }
    for pack in "gzip -9" "zstd -q -19"; do
        command -v "${pack%% *}" >/dev/null || continue
        spaces $bomb | $pack >bomb
        ( ulimit -v 120000; exec timeout 120 "$LANEFIX" -q --check -t 2 bomb ) 2>.err
        status=$?; read_err
        same "$bomb MB of white space, ${pack%% *} ($err)" $status 0
        printf '%-52s taken\n' "$bomb MB in $(wc -c <bomb | tr -d ' ') bytes by ${pack%% *}, 120 MB of address space"
        long '[{"name":"' $bomb a '"}]' | $pack >bomb
        ( ulimit -v 120000; exec timeout 120 "$LANEFIX" -q bomb out ) 2>.err
        status=$?; read_err
        same "a string of $bomb MB, ${pack%% *}: an error ($err)" $status 4
        same "a string of $bomb MB, ${pack%% *}: lines" $n_lines 1
        nothing_left "a string of $bomb MB"
        printf '%-52s refused: %s\n' "a string of $bomb MB in $(wc -c <bomb | tr -d ' ') bytes by ${pack%% *}" "$err"
    done
else
    skipped "a limit of memory is nothing for a sanitizer"
fi

# bytes of any kind
printf '[{"ph":"X","name":"a\000b","pid":1,"tid":1,"ts":1,"dur":2,"args":{"\000":"\000"}}]' >nul
taken "NUL bytes in strings" cat nul
for text in '[\000]' '\000[]' '[]\000' '[{}\000,{}]' '{\000"traceEvents":[]}' '[{"ph":"X","ts":1\000}]' '[{\000}]'; do
    printf "$text" | timeout 10 "$LANEFIX" -q - - >out 2>.err
    status=$?; read_err
    case $status in 0|3) ok ;; *) bad "NUL in $text: status $status" ;; esac
    [ $status -eq 0 ] || same "NUL in $text: lines" $n_lines 1
done
head -c 300000 /dev/urandom >noise
for input in noise "$LANEFIX"; do
    timeout 10 "$LANEFIX" -q "$input" out2 2>.err; status=$?; read_err
    same "$input as a trace ($err)" $status 3
done
printf '\037\213' >magic; timeout 10 "$LANEFIX" -q magic out2 2>.err; same "gzip's magic alone" $? 3
printf '\050\265\057\375' >magic; timeout 10 "$LANEFIX" -q magic out2 2>.err; same "zstd's magic alone" $? 3

# what drives a terminal: in every text of the report, in messages, in names of files
esc=$(printf '\033[2J\033]0;x\007\177\302\233m\r\010')
{
    printf '[{"ph":"M","name":"thread_name","pid":"P%s","tid":"T%s","args":{"name":"N%s"}},\n' "$esc" "$esc" "$esc"
    for ts in 1 2 3 40 41; do
        printf '{"ph":"X","cat":"kernel","name":"K%s%d","pid":"P%s","tid":"T%s","ts":%d.5,"dur":15},\n' "$esc" $ts "$esc" "$esc" $ts
        printf '{"ph":"X","cat":"kernel","name":"K%s%d","pid":7,"tid":-%d,"ts":%d.5,"dur":-1},\n' "$esc" $ts $ts $ts
    done
    printf '{}]'
} >escapes.json
clean_text() { # WHAT FILE: printable, line by line
    same "$1: control characters" "$(tr -d '\n' <"$2" | LC_ALL=C tr -d '\040-\176\240-\377\200-\237' | wc -c | tr -d ' ')" 0
    check "$1: controls of eight bits" sh -c '! LC_ALL=C grep -q "$(printf "\302[\200-\237]")" "$0"' "$2"
}
name=$(printf 'a\nb\033[31m\302\233c.json')
cp escapes.json "$name"
"$LANEFIX" -v --report report escapes.json out3 2>.err; same "escapes" $? 0
check "the report names them" grep -q 'K\\x1b\[2J' .err
clean_text "stderr" .err; clean_text "--report" report
"$LANEFIX" -v "$name" 2>.err; same "a path with a new line" $? 0
clean_text "a path with a new line" .err
check "its output stands beside it" test -e "$(printf 'a\nb\033[31m\302\233c.fixed.json')"
echo '[{]' >"$name"
"$LANEFIX" "$name" 2>.err; same "a path with a new line, a fault" $? 3
read_err; same "a path with a new line, a fault: lines" $n_lines 1
same "it is named once" "$(grep -o 'x9bc.json' .err | wc -l | tr -d ' ')" 1
clean_text "a path with a new line, a fault" .err
for arguments in "--$esc" "-s $esc" "-z $esc" "-t $esc" "--report $esc/$esc"; do
    # shellcheck disable=SC2086
    "$LANEFIX" $arguments escapes.json out4 2>.err
    clean_text "$arguments" .err
done
"$LANEFIX" "$name/x" out4 2>.err; clean_text "no such folder" .err
deep=$(fill 240 d); path=$deep; mkdir -p "$deep/$deep/$deep/$deep"
"$LANEFIX" "$deep/$deep/$deep/$deep/none.json" out4 2>.err; same "a path of a thousand bytes" $? 4
check "the reason is told behind a path of a thousand bytes" grep -q 'No such file' .err
finish
