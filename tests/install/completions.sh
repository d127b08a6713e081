#!/bin/sh
# The completions in their shells: what is offered where. And the script that makes them: text of any kind.
. "$(dirname "$0")/lib.sh"
install_to "$work/d" /usr
share=$work/d/usr/share
make=$top/src/cli/completions/make.sh
mkdir -p place/folder; : >place/file.json; : >"place/with space.json"
cat >odd-help <<'TXT'
usage: odd

  -a, --all                      it's "all" [of it]: \n $HOME `id` (x); y
  -O, --out-dir DIR              a folder
      --format text|json         a word
      --part I/N|auto            a part
  -h, --help                     show this
TXT

# --- bash: offered WORD...: the last is completed
if need bash; then
    cat >ask.bash <<'TXT'
source "$1"; shift
compopt() { echo "compopt $*"; } # for a completion that is under way only
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
f=_${1//-/_}
$f "$1" "${@: -1}" "${@: -2:1}"
printf '%s\n' "${COMPREPLY[@]}"
TXT
    offered() { (cd place && bash ../ask.bash "$file" "$@" | tr '\n' ' ' | sed 's/ *$//'); }
    file=$share/bash-completion/completions/lanefix
    check "bash: loads" bash -n "$file"
    same "bash: --sn" "$(offered lanefix --sn)" --snap-threshold-us
    same "bash: -z" "$(offered lanefix -z g)" gzip
    same "bash: --compress" "$(offered lanefix --compress z)" zstd
    same "bash: --rebase=" "$(offered lanefix --rebase =)" "auto always never"
    same "bash: --rebase=al" "$(offered lanefix --rebase = al)" always
    same "bash: behind --rebase stands a name" "$(offered lanefix --rebase '')" ""
    same "bash: names" "$(offered lanefix '')" ""
    same "bash: a number" "$(offered lanefix --threads '')" "compopt +o default"
    same "bash: a folder" "$(offered lanefix --spool-dir '')" "compopt +o default -o dirnames"
    check "bash: all options" test "$(offered lanefix - | wc -w)" = "$("$LANEFIX" --help | grep -c '^  [- ].*  *--[a-z]')"
    file=$share/bash-completion/completions/trace-lanefix
    same "bash: trace-lanefix" "$(offered trace-lanefix --s)" --snap-threshold-us
    sh "$make" bash odd <odd-help >odd.bash; file=$work/odd.bash
    check "bash: odd text" bash -n odd.bash
    same "bash: a|b" "$(offered odd --format '')" "text json"
    same "bash: what is no word" "$(offered odd --part =)" "auto"
fi

# --- zsh: that it parses, and what its _arguments is told
if need zsh; then
    sh "$make" zsh odd <odd-help >_odd
    for file in "$share"/zsh/site-functions/_lanefix "$share"/zsh/site-functions/_trace-lanefix _odd; do
        check "zsh: ${file##*/} parses" zsh -n "$file"
        same "zsh: ${file##*/} begins" "$(head -n 1 "$file")" "#compdef $(basename "$file" | cut -c 2-)"
    done
    cat >told.zsh <<'TXT'
_arguments() { print -rl -- "$@"; }
source ./_odd
TXT
    zsh -f told.zsh >told
    cat >want <<'TXT'
-s
-S
(-a --all)-a[it's "all" \[of it\]: \\n $HOME `id` (x); y]
(-a --all)--all[it's "all" \[of it\]: \\n $HOME `id` (x); y]
(-O --out-dir)-O+[a folder]:out-dir:_files -/
(-O --out-dir)--out-dir=[a folder]:out-dir:_files -/
--format=[a word]:format:(text json)
--part=[a part]:part:(auto)
(-h --help)-h[show this]
(-h --help)--help[show this]
*:trace:_files
TXT
    check "zsh: odd text" diff told want
fi

# --- fish
if need fish; then
    sh "$make" fish odd <odd-help >odd.fish
    offered() { (cd place && HOME=$work fish --no-config -c "complete -c $1 -e; source '$file'; complete -C '$2'" | cut -f 1 | tr '\n' ' ' | sed 's/ $//'); }
    file=$share/fish/vendor_completions.d/lanefix.fish
    for f in "$file" "$share/fish/vendor_completions.d/trace-lanefix.fish" odd.fish; do
        check "fish: ${f##*/} parses" fish --no-config -n "$f"
    done
    same "fish: --sn" "$(offered lanefix 'lanefix --sn')" --snap-threshold-us
    same "fish: --rebase=" "$(offered lanefix 'lanefix --rebase=' | tr ' ' '\n' | sort | tr '\n' ' ')" "--rebase=always --rebase=auto --rebase=never "
    same "fish: -z" "$(offered lanefix 'lanefix -z g')" gzip
    same "fish: names" "$(offered lanefix 'lanefix fi')" file.json
    same "fish: a folder" "$(offered lanefix 'lanefix --spool-dir ')" folder/
    same "fish: a number" "$(offered lanefix 'lanefix --threads ')" ""
    file=$work/odd.fish
    same "fish: odd text" "$(HOME=$work fish --no-config -c "source odd.fish; complete -C 'odd --al'" | cut -f 2)" "it's \"all\" [of it]: \\n \$HOME \`id\` (x); y"
    same "fish: a|b" "$(offered odd 'odd --format ')" "json text"
fi

# --- help that cannot be read is an error, not an empty completion
for text in 'no help' '  -h, --help  x
      --too-long-a-name VALUE help'; do
    echo "$text" | sh "$make" bash odd >.out 2>.err; same "unreadable help" $? 1
    err=$(cat .err); one_line "unreadable help"
done
sh "$make" tcsh odd <odd-help >.out 2>&1; same "another shell" $? 1
finish
