import { type Shell } from "./verb.ts";

/** Scripts that make a shell call `meridian __complete`, under the program name that the person has typed. */

const BASH = `\
# Completion of meridian in bash:  source <(meridian completion bash)
# For every new shell:             echo 'source <(meridian completion bash)' >> ~/.bashrc
__meridian_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line directive=4
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :*) directive="\${line#:}" ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)
  if [ "$directive" = 0 ]; then compopt -o default 2>/dev/null; fi
}
complete -F __meridian_complete meridian
`;

const ZSH = `\
#compdef meridian
# Completion of meridian in zsh:  source <(meridian completion zsh)   (after compinit)
# For every new shell:            meridian completion zsh > "\${fpath[1]}/_meridian"
_meridian() {
  local line directive=4
  local -a candidates
  while IFS= read -r line; do
    case "$line" in
      :*) directive="\${line#:}" ;;
      *$'\\t'*) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      ?*) candidates+=("\${line//:/\\\\:}") ;;
    esac
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe meridian candidates
  [ "$directive" = 0 ] && _files
}
if [ "\${funcstack[1]}" = _meridian ]; then _meridian; else compdef _meridian meridian; fi
`;

const FISH = `\
# Completion of meridian in fish:  meridian completion fish | source
# For every new shell:             meridian completion fish > ~/.config/fish/completions/meridian.fish
function __meridian_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    string match -v ':*' -- $lines
    if contains -- ':0' $lines
        __fish_complete_path "$current"
    end
end
complete -c meridian -f -a '(__meridian_complete)'
`;

const SCRIPTS: Record<Shell, string> = { bash: BASH, zsh: ZSH, fish: FISH };

export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}
