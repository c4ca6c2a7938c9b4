#!/usr/bin/env bash
# Tab in Bash: loads the script that `ringside completion bash` prints, and calls it as Readline does, with words cut at = and
# :. usage: completion.bash PROGRAM
set -u
program=$1
cd "$(mktemp -d)" || exit 1
trap 'rm -rf "$PWD"' EXIT
touch report.json other.json
mkdir folder
# shellcheck source=/dev/null
source <("$program" completion bash)
compopt() { :; } # may be called from within Readline only
failures=0

# expect "CANDIDATES" WORD... : the last word is under the cursor, and pieces that begin with = follow without a blank.
expect() {
  local expected=$1 word
  shift
  COMP_WORDS=("$program")
  COMP_LINE=$program
  for word in "$@"; do
    [[ $word == =* || ${COMP_WORDS[-1]} == = ]] || COMP_LINE+=" "
    COMP_WORDS+=("$word")
    COMP_LINE+=$word
  done
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMP_POINT=${#COMP_LINE}
  word=${COMP_WORDS[COMP_CWORD]}
  [[ $word == = ]] && word=""
  _ringside ringside "$word" "${COMP_WORDS[COMP_CWORD - 1]}"
  if [[ ${COMPREPLY[*]} != "$expected" ]]; then
    echo "FAILED: $COMP_LINE|: ${COMPREPLY[*]}, expected: $expected" >&2
    failures=$((failures + 1))
  fi
}

expect "run" ru
expect "--quiet" run x --q
expect "stmmac-capture stmmac-tcp stmmac-tcp-two-cores stmmac-udp stmmac-xdp-drop" run stm
expect "driver." run x --set dr
expect "driver.compiler=" run x --set driver.compi
expect "clang gcc" run x --set driver.compiler =
expect "clang" run x --set driver.compiler = c
expect "text markdown json html folded" compare a b --format ""
expect "report.json" compare re
expect "folder" check --suite f
expect "bash zsh fish" completion ""
expect "" run x --no-such-option ""
[ "$failures" -eq 0 ] || exit 1
echo "Bash completes what it should"
