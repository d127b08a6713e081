#!/bin/sh
# good-*.json comes out as good-*.expected, byte for byte (without notes; note-*.json with them, and is
# undone to what it was). bad-*.json is refused: bad-*.expected holds the
# exit status and the message, FILE in place of the name. Both were written by hand from the rules.
LANEFIX=${LANEFIX:-build/release/lanefix}
case $LANEFIX in /*) ;; *) LANEFIX=$PWD/$LANEFIX ;; esac
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
for input in "$here"/good-*.json; do
    if "$LANEFIX" -q --no-annotate "$input" "$work/out" 2>"$work/err" && cmp -s "$work/out" "${input%.json}.expected"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1)); echo "failed: $(basename "$input")"; cat "$work/err"
        diff "${input%.json}.expected" "$work/out"
    fi
    rm -f "$work/out"
done
for input in "$here"/note-*.json; do
    if "$LANEFIX" -q "$input" "$work/out" 2>"$work/err" && cmp -s "$work/out" "${input%.json}.expected" &&
        "$LANEFIX" -q --undo "$work/out" "$work/back" 2>"$work/err" && cmp -s "$work/back" "$input"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1)); echo "failed: $(basename "$input")"; cat "$work/err"
        diff "${input%.json}.expected" "$work/out"
    fi
    rm -f "$work/out" "$work/back"
done
for input in "$here"/bad-*.json; do
    "$LANEFIX" "$input" "$work/out" 2>"$work/err"
    { echo $?; sed "s|$input|FILE|" "$work/err"; } >"$work/got"
    if cmp -s "$work/got" "${input%.json}.expected" && [ ! -e "$work/out" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1)); echo "failed: $(basename "$input")"; diff "${input%.json}.expected" "$work/got"
    fi
    rm -f "$work/out"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
