#!/bin/sh
# What --help lists, the manual, the completions and the README list, and nothing else.
. "$(dirname "$0")/lib.sh"
install_to "$work/d" /usr
share=d/usr/share

# "--name" or "-x --name", one option a line
in_help() { "$1" --help | sed -n 's/^  \(-.\), \(--[a-z][a-z0-9-]*\).*/\1 \2/p; s/^      \(--[a-z][a-z0-9-]*\).*/\1/p'; }
in_man() { sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' "$1" | sed 's/\\-/-/g; s/\\f[BIR]//g' |
    sed -n 's/^\(-.\), \(--[a-z][a-z0-9-]*\).*/\1 \2/p; s/^\(--[a-z][a-z0-9-]*\).*/\1/p'; }
in_bash() { tr ' "' '\n\n' <"$1" | sed -n 's/^--[a-z][a-z0-9-]*$/&/p'; }
in_zsh() { sed -n "s/^    '(-. --[^)]*)'{\(-.\)+*,\(--[a-z0-9-]*\).*/\1 \2/p; s/^    '\(--[a-z0-9-]*\).*/\1/p" "$1"; }
in_fish() { sed -n 's/^complete -c [a-z-]* -s \(.\) -l \([a-z0-9-]*\).*/-\1 --\2/p; s/^complete -c [a-z-]* -l \([a-z0-9-]*\).*/--\1/p' "$1"; }
long() { sed 's/^-. //' | LC_ALL=C sort -u; }

# lists WHAT LIST WANTED: the same lines in the same order
lists() {
    before=$failed
    for option in $(sed 's/ /,/' "$3"); do
        grep -qxe "$(echo "$option" | sed 's/,/ /')" "$2" || bad "$1 lacks $option, which --help lists"
    done
    for option in $(sed 's/ /,/' "$2"); do
        grep -qxe "$(echo "$option" | sed 's/,/ /')" "$3" || bad "$1 has $option, which --help lacks"
    done
    [ $failed -ne $before ] || ok
}

for program in lanefix trace-lanefix; do
    in_help "$BUILD/$program" >help
    check "$program: options are found" test "$(wc -l <help)" -ge 2
    in_man $share/man/man1/$program.1 >got; lists "$program.1" got help
    check "$program.1: in the order of --help" cmp got help
    in_zsh $share/zsh/site-functions/_$program >got; lists "zsh: $program" got help
    in_fish $share/fish/vendor_completions.d/$program.fish >got; lists "fish: $program" got help
    long <help >help.long
    in_bash $share/bash-completion/completions/$program | long >got; lists "bash: $program" got help.long
done

in_help "$LANEFIX" | long >help.long
sed -n '/^## Options/,/^## /p' "$top/README.md" | grep -oe '--[a-z][a-z0-9-]*' | long >got
lists "README.md, Options" got help.long
grep -v '^    ' "$top/README.md" | grep -oe '`lanefix [^`]*`' -e '`--[^`]*`' | grep -oe '--[a-z][a-z0-9-]*' | long >got
for option in $(cat got); do
    check "README.md speaks of $option, which --help lacks" grep -qxe "$option" help.long
done

# the values that completions offer are taken
for option in $(sed -n "s/^    .*{-.+*,\(--[a-z-]*\)=.*(\([a-z ]*\))'.*/\1 \2/p; s/^    '\(--[a-z-]*\)=-*\[.*:(\([a-z ]*\))'.*/\1 \2/p" \
        $share/zsh/site-functions/_lanefix | sed 's/ /=/; s/ /,/g'); do
    for value in $(echo "${option#*=}" | tr ',' ' '); do
        run "${option%%=*}=$value" --version; same "${option%%=*}=$value" "$status" 0
    done
done
finish
