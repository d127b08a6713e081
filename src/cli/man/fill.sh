#!/bin/sh
# fill.sh PAGE: the manual page PAGE with what is written elsewhere put in, on stdout.
#
#   @VERSION@          of include/lanefix.h
#   @MEMORY@           the bound on memory that the comment at its head gives
#   @DECLARE NAME@     what it declares under NAME (struct NAME, enum NAME), with its comments
#   @CALLS@            its prototypes
#   @EXAMPLE@          the program of README.md
#
# All but @VERSION@ stand alone on their line. What cannot be found is an error.
set -eu
[ $# -eq 1 ] || { echo "usage: fill.sh PAGE" >&2; exit 2; }
top=$(cd "$(dirname "$0")/../../.." && pwd)
awk '
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.\047]/) { text = "\\\\&" text }
    return text
}
function add(what, text) { found[what] = found[what] roff(text) "\n" }

FILENAME ~ /lanefix\.h$/ {
    if ($2 == "LANEFIX_VERSION_STRING") { version = $3; gsub(/"/, "", version) }
    if (/^ \*.*and does not otherwise grow/) { memory = 0 }
    if (memory) { add("MEMORY", substr($0, 8)) }
    if (/^ \* Memory of a run is bounded by/) { memory = 1 }
    if (/^(struct|enum) [a-z_]+ \{/) { name = $1 " " $2 }
    if (name != "") { add("DECLARE " name, $0) }
    if (/^};/) { name = "" }
    if (sub(/^LANEFIX_API /, "")) { call = 1; shift = 12 }
    if (call) {
        ends = /;/
        sub(/ LANEFIX_MUST_USE/, "")
        match($0, /^ */)
        add("CALLS", RLENGTH > shift ? substr($0, shift + 1) : $0)
        if (ends) { call = 0; found["CALLS"] = found["CALLS"] ".sp 0.5\n" }
    }
    next
}
FILENAME ~ /README\.md$/ {
    if (/^    #include <lanefix\.h>/) { example = 1 }
    if (example && /^[^ ]/) { example = 0 }
    if (example) { add("EXAMPLE", substr($0, 5)) }
    if (example && /^    }/) { example = 0 }
    next
}
/^@[A-Z]+( (struct|enum) [a-z_]+)?@$/ {
    what = substr($0, 2, length($0) - 2)
    if (found[what] == "") { print FILENAME ": nothing found for " $0 >"/dev/stderr"; exit 1 }
    printf "%s", found[what]
    next
}
{
    if (/@VERSION@/ && version == "") { print FILENAME ": no version found" >"/dev/stderr"; exit 1 }
    gsub(/@VERSION@/, version)
    print
}' "$top/include/lanefix.h" "$top/README.md" "$1"
