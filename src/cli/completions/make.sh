#!/bin/sh
# make.sh SHELL PROGRAM: the completions of PROGRAM for bash, zsh or fish on stdout, made from what
# "PROGRAM --help" prints on stdin, so that they cannot disagree with it.
#
# Owns only what the help does not say: the words that a value may be, by the option's name. An option
# is a line whose left column holds "-x, --name", "    --name", with "VALUE" or "[=VALUE]" behind it; the
# right column starts where that of --help does. FILE and DIR complete as such, "a|b" as a or b.
set -eu
[ $# -eq 2 ] || { echo "usage: make.sh bash|zsh|fish PROGRAM <HELP" >&2; exit 2; }
awk -v shell="$1" -v program="$2" '
function fail(text) { print "completions: " text >"/dev/stderr"; failed = 1; exit 1 }

# what a value may be: a list of words, "FILE", "DIR", or "" where nothing can be offered
function words_of(name, value) {
    if (name == "rebase") { return "auto always never" }
    if (name == "compress") { return "zstd gzip none" }
    if (value == "FILE" || value == "DIR") { return value }
    if (value ~ /\|/) {
        gsub(/\|/, " ", value)
        gsub(/[^ ]*[A-Z][^ ]* ?/, "", value) # what is no word but stands for one
        return value
    }
    return ""
}

{ line[NR] = $0 }
/^  -h, --help +/ { match($0, /--help +/); column = RSTART + RLENGTH }

END {
    if (failed) { exit 1 }
    if (!column) { fail("no --help line in the help of " program) }
    for (i = 1; i <= NR; i++) {
        if (line[i] !~ /^  (-.,|   ) --[a-z]/) { continue }
        left = substr(line[i], 7, column - 7)
        if (left !~ / $/) { fail("the left column is too wide: " line[i]) }
        sub(/ +$/, "", left)
        n++
        letter[n] = substr(line[i], 3, 1) == "-" ? substr(line[i], 4, 1) : ""
        match(left, /^--[a-z0-9-]+/)
        name[n] = substr(left, 3, RLENGTH - 2)
        value = substr(left, RLENGTH + 1)
        optional[n] = value ~ /^\[=/
        if (optional[n]) { value = substr(value, 3, length(value) - 3) }
        sub(/^ /, "", value)
        takes[n] = value
        words[n] = value == "" ? "" : words_of(name[n], value)
        help[n] = substr(line[i], column)
        sub(/[:;,]$/, "", help[n])
    }
    if (shell == "bash") { bash() }
    else if (shell == "zsh") { zsh() }
    else if (shell == "fish") { fish() }
    else { fail("unknown shell " shell) }
}

function bash(    i, all, f) {
    f = "_" program
    gsub(/-/, "_", f)
    print "# bash completion for " program "; made from its --help"
    print f "()"
    print "{"
    print "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} equals="
    print "    COMPREPLY=()"
    print "    # bash takes --name=value apart at the \"=\""
    print "    if [[ $cur == = ]]; then"
    print "        cur= equals=="
    print "    elif [[ $option == = && $COMP_CWORD -gt 2 ]]; then"
    print "        option=${COMP_WORDS[COMP_CWORD-2]} equals=="
    print "    fi"
    print "    case $option$equals in"
    for (i = 1; i <= n; i++) {
        all = all (all == "" ? "" : " ") "--" name[i]
        if (takes[i] == "") { continue }
        printf "    %s--%s=)", letter[i] != "" ? "-" letter[i] "|" : "", \
            optional[i] ? name[i] : name[i] "|--" name[i]
        if (words[i] == "FILE") { print " return ;;" }
        else if (words[i] == "DIR") { print " compopt +o default -o dirnames; return ;;" }
        else if (words[i] == "") { print " compopt +o default; return ;;" }
        else { printf "\n        COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", words[i] }
    }
    print "    esac"
    print "    if [[ $cur == -* ]]; then"
    print "        COMPREPLY=($(compgen -W \"" all "\" -- \"$cur\"))"
    print "    fi"
    print "}"
    print "complete -o default -F " f " " program
}

function zsh(    i, text, spec, action) {
    print "#compdef " program
    print "# zsh completion; made from the --help of " program
    print "_arguments -s -S \\"
    for (i = 1; i <= n; i++) {
        text = marked(marked(marked(help[i], "\\"), "["), "]")
        action = ""
        if (takes[i] != "") {
            action = words[i] == "FILE" ? "_files" : words[i] == "DIR" ? "_files -/" : \
                words[i] == "" ? " " : "(" words[i] ")"
            action = (optional[i] ? "::" : ":") tolower(name[i]) ":" action
        }
        spec = "--" name[i] (takes[i] == "" ? "" : optional[i] ? "=-" : "=")
        if (letter[i] != "") {
            printf "    %s{%s,%s}%s \\\n", quoted("(-" letter[i] " --" name[i] ")"), \
                "-" letter[i] (takes[i] == "" ? "" : "+"), spec, quoted("[" text "]" action)
        } else {
            printf "    %s \\\n", quoted(spec "[" text "]" action)
        }
    }
    print "    " quoted("*:trace:_files")
}

function fish(    i, action) {
    print "# fish completion for " program "; made from its --help"
    for (i = 1; i <= n; i++) {
        action = ""
        if (takes[i] != "") {
            action = words[i] == "FILE" ? " -r -F" : \
                words[i] == "DIR" ? " -x -a \"(__fish_complete_directories)\"" : \
                words[i] == "" ? " -x" : (optional[i] ? " -f" : " -x") " -a \"" words[i] "\""
        }
        printf "complete -c %s%s -l %s%s -d %s\n", program, \
            letter[i] != "" ? " -s " letter[i] : "", name[i], action, quoted_fish(help[i])
    }
}

# text with a backslash before every mark in it
function marked(text, mark,    i, out) {
    while ((i = index(text, mark)) != 0) {
        out = out substr(text, 1, i - 1) "\\" mark
        text = substr(text, i + 1)
    }
    return out text
}
function quoted(text) { gsub(/\047/, "\047\\\047\047", text); return "\047" text "\047" }
function quoted_fish(text) { return "\047" marked(marked(text, "\\"), "\047") "\047" }
'
