# Sourced by the scripts here: a folder of their own, and checks that count.
# shellcheck shell=sh
here=$(cd "$(dirname "$0")" && pwd)
LANEFIX=${LANEFIX:-build/release/lanefix}
case $LANEFIX in /*) ;; *) LANEFIX=$PWD/$LANEFIX ;; esac
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
passed=0
failed=0

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "failed: $1"; }
# check WHAT COMMAND...: the command succeeds
check() { what=$1; shift; if "$@"; then ok; else bad "$what"; fi; }
# same WHAT GOT EXPECTED
same() { if [ "$2" = "$3" ]; then ok; else bad "$1: \"$2\", expected \"$3\""; fi; }
# run ARGUMENT...: status, out and err are set
run() {
    "$LANEFIX" "$@" >.out 2>.err
    status=$?
    out=$(cat .out)
    err=$(cat .err)
}
# says WHAT TEXT: the last run's stderr holds TEXT
says() { case $err in *"$2"*) ok ;; *) bad "$1: stderr is \"$err\", expected \"$2\" in it" ;; esac; }
one_line() { same "$1: lines on stderr" "$(wc -l <.err | tr -d ' ')" 1; }
no_leftovers() { same "$1: temporary files" "$(find . -name '*.lanefix-*' | wc -l | tr -d ' ')" 0; }
finish() { echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ]; exit; }

# trace: one snapped and one moved kernel, an arrow to each
trace() {
    cat <<'TXT'
{"traceEvents": [
  {"ph":"X","cat":"kernel","name":"k0","pid":0,"tid":7,"ts":100,"dur":20},
  {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":119.5,"dur":20},
  {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":130,"dur":50.5},
  {"ph":"X","cat":"kernel","name":"k3","pid":0,"tid":7,"ts":170,"dur":20},
  {"ph":"f","bp":"e","id":1,"pid":0,"tid":7,"ts":119.5,"name":"ac2g","cat":"ac2g"},
  {"ph":"f","bp":"e","id":2,"pid":0,"tid":7,"ts":130,"name":"ac2g","cat":"ac2g"},
  {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":100,"dur":20}
]}
TXT
}
# clean: nothing to fix
clean() { echo '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]'; }
