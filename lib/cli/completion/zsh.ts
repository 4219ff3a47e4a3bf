import {
  type CompletionNode,
  flagsOf,
  flagsWithValue,
  optionsWithChoices,
  PROFILES_FILE,
} from './completion.ts';

/** A script that zsh sources, or finds as `_steproll` in its fpath. */
export function zshCompletion(nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ words }) => words !== '').map(({ words }) => quoted(` ${words}`));
  return `#compdef steproll
# steproll completion for zsh
_steproll_profiles() {
  local -a names
  names=(\${(f)"$(sed -n 's/^\\[\\(profile  *\\)\\{0,1\\}\\([^]]*\\)\\].*/\\2/p' ${PROFILES_FILE} 2>/dev/null)"})
  compadd -a names
}

_steproll() {
  local cur=$words[CURRENT] prev=$words[CURRENT-1] at='' files='' word i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      (${flagsWithValue(nodes).join('|')}) ((i++)) ;;
      (*)
        case "$at $word" in
          (${paths.join('|')}) at="$at $word" ;;
        esac
        ;;
    esac
  done
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*}
    compset -P '*='
  fi
  case $prev in
${optionsWithChoices(nodes)
  .map(({ flags, words }) => `    (${flags.join('|')}) compadd ${words.join(' ')}; return ;;`)
  .join('\n')}
    (${flagsOf(nodes, ({ value }) => value === 'file').join('|')}) _files; return ;;
    (--profile) _steproll_profiles; return ;;
    (${flagsOf(nodes, ({ value }) => value === 'any').join('|')}) return ;;
  esac
  case $at in
${nodes.map(branchOf).join('\n')}
  esac
  if [[ $cur != -* && -n $files ]]; then
    _files
  elif [[ $cur != -* ]] && (($#commands)); then
    _describe -t commands command commands
  else
    _describe -o -t options option options
  fi
}

if [[ $funcstack[1] == _steproll ]]; then _steproll "$@"; else compdef _steproll steproll; fi
`;
}

function branchOf({ words, commands, choices, takesFile, options }: CompletionNode): string {
  const named = commands.map(({ name, description }) => quoted(`${name}:${description}`));
  const offered = [...named, ...choices.map(quoted)].join(' ');
  const flags = options.map(({ name, description }) => quoted(`${name}:${description}`)).join(' ');
  return `    (${quoted(words === '' ? '' : ` ${words}`)})
      commands=(${offered})
      options=(${flags})${takesFile ? '\n      files=yes' : ''}
      ;;`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
