#include <stdexcept>

#include "tb/manual/completion.h"

namespace ringside {
namespace {

// Bash cuts words at = and :, which Ringside does not: pieces without a blank between them are put together again, and what
// Bash takes for done is cut off the candidates.
constexpr std::string_view kBash = R"sh(# Completion for ringside in Bash. Source this, or put it into a folder that bash-completion reads.
_ringside() {
  local rest=${COMP_LINE:0:COMP_POINT} current=$2 words=() i word blank
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blank=${rest%%[![:blank:]]*}
    rest=${rest#"$blank"}
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    rest=${rest#"$word"}
    if [[ $i -gt 0 && -z $blank ]]; then words[-1]+=$word; else words+=("$word"); fi
  done
  word=${words[-1]#[\"\']}
  words[-1]=$word
  current=${current#[\"\']}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    case $candidate in
      :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("${candidate#"${word%"$current"}"}") ;;
    esac
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=.] ]]; then compopt -o nospace; fi
}
complete -F _ringside ringside
)sh";

constexpr std::string_view kZsh = R"sh(#compdef ringside
# Completion for ringside in zsh. Put this as _ringside into a folder of $fpath.
_ringside() {
  local line candidate help
  local -a all open
  for line in "${(@f)$("${words[1]}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    candidate=${line%%$'\t'*}
    help=
    [[ $line == *$'\t'* ]] && help=:${line#*$'\t'}
    case $candidate in
      '') ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *[=.]) open+=("${candidate//:/\\:}$help") ;;
      *) all+=("${candidate//:/\\:}$help") ;;
    esac
  done
  (( $#all )) && _describe -V ringside all
  (( $#open )) && _describe -V ringside open -S ''
}
if [[ ${funcstack[1]-} == _ringside ]]; then _ringside "$@"; else compdef _ringside ringside; fi
)sh";

constexpr std::string_view kFish = R"sh(# Completion for ringside in fish. Put this as ringside.fish into ~/.config/fish/completions.
function __ringside_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c ringside -f -a '(__ringside_complete)'
)sh";

}  // namespace

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  throw std::invalid_argument("a shell without a script");
}

}  // namespace ringside
