#!/bin/sh
# The manual: no warnings, all of lanefix.h in lanefix(3), the bound on memory, the program of README.md.
. "$(dirname "$0")/lib.sh"
install_to "$work/d" /usr
man=d/usr/share/man
header=d/usr/include/lanefix.h
version=$("$LANEFIX" --version | sed 's/lanefix //')

for page in man1/lanefix.1 man1/trace-lanefix.1 man3/lanefix.3; do
    check "$page: the version" grep -q "^\.TH .*\"lanefix $version\"" $man/$page
    check "$page: nothing is left to fill in" sh -c "! grep -n '@[A-Z]' $man/$page"
    if need man; then
        same "$page: warnings of man" "$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l $man/$page 2>&1 >/dev/null)" ""
    fi
    if need mandoc; then
        same "$page: warnings of mandoc" "$(mandoc -Tlint $man/$page | grep -v 'missing date\|longer than 80 bytes\|STYLE')" ""
    fi
done

plain() { sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g' "$1"; }
plain $man/man3/lanefix.3 >three
plain $man/man1/lanefix.1 >one
for name in $(sed -n 's/.*\(lanefix_[a-z_]*\)(.*/\1/p; s/^\(struct\|enum\) \(lanefix_[a-z_]*\) {.*/\1 \2 {/p' $header | tr ' ' ',' | sort -u); do
    name=$(echo "$name" | tr ',' ' ')
    case $name in lanefix_verb_object) continue ;; esac
    check "lanefix(3) has $name" grep -qF "$name" three
done
for call in $(sed -n '/^LANEFIX_API/s/.*\(lanefix_[a-z_]*\)(.*/\1/p' $header); do
    check "lanefix(3) explains $call" grep -qE "^\.BR $call " $man/man3/lanefix.3
done
# the bound, as one line of words
bound() { sed -n '/Memory of a run is bounded by/,/and does not otherwise grow/p' "$1" | sed 's/^ \* *//' | grep -v '^\.' | tr -s ' \n' ' '; }
check "the bound is found" test "$(bound $header | wc -w)" -gt 30
same "lanefix(1): the bound on memory" "$(bound one | sed 's/ with the trace.*//')" "$(bound $header | sed 's/ with the trace.*//')"
same "lanefix(3): the bound on memory" "$(bound three | sed 's/ with the trace.*//')" "$(bound $header | sed 's/ with the trace.*//')"
awk '/^    #include <lanefix\.h>/ { on = 1 } on && /^[^ ]/ { exit } on { print substr($0, 5) } on && /^    }/ { exit }' "$top/README.md" >example.c
sed -n '/^\.SH EXAMPLES/,/^\.RE/p' three | grep -v '^\.' >got
check "lanefix(3): the program of README.md" diff got example.c
for status in 0 1 2 3 4; do
    check "lanefix(1): exit status $status" grep -qx "\.B $status" $man/man1/lanefix.1
done

echo '@DECLARE struct lanefix_none@' >page
sh "$top/src/cli/man/fill.sh" page >.out 2>.err; same "what is not found" $? 1
finish
