import {
  type CompletionNode,
  flagsOf,
  flagsWithValue,
  optionsWithChoices,
  PROFILES_FILE,
} from './completion.ts';

/** A script that bash, from version 3.2 on, sources. */
export function bashCompletion(nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ words }) => words !== '').map(({ words }) => `' ${words}'`);
  return `# steproll completion for bash
_steproll_profiles() {
  sed -n 's/^\\[\\(profile  *\\)\\{0,1\\}\\([^]]*\\)\\].*/\\2/p' ${PROFILES_FILE} 2>/dev/null
}

_steproll() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local at='' commands='' options='' files='' word i
  COMPREPLY=()
  # Bash takes --output=json apart into three words.
  if [[ $cur == = ]]; then
    cur=''
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${flagsWithValue(nodes).join('|')})
        if [[ \${COMP_WORDS[i+1]} == = ]]; then ((i++)); fi
        ((i++))
        ;;
      *)
        case "$at $word" in
          ${paths.join('|')}) at="$at $word" ;;
        esac
        ;;
    esac
  done
  case $prev in
${optionsWithChoices(nodes)
  .map(
    ({ flags, words }) =>
      `    ${flags.join('|')}) COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur")); return ;;`,
  )
  .join('\n')}
    ${flagsOf(nodes, ({ value }) => value === 'file').join('|')})
      local IFS=$'\\n'
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    --profile) COMPREPLY=($(compgen -W "$(_steproll_profiles)" -- "$cur")); return ;;
    ${flagsOf(nodes, ({ value }) => value === 'any').join('|')}) return ;;
  esac
  case $at in
${nodes.map(branchOf).join('\n')}
  esac
  if [[ -n $files && $cur != -* ]]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
    return
  fi
  if [[ -z $commands || $cur == -* ]]; then commands=$options; fi
  COMPREPLY=($(compgen -W "$commands" -- "$cur"))
}

complete -F _steproll steproll
`;
}

function branchOf({ words, commands, choices, takesFile, options }: CompletionNode): string {
  const names = [...commands.map(({ name }) => name), ...choices].join(' ');
  const flags = options.map(({ name }) => name).join(' ');
  return `    '${words === '' ? '' : ` ${words}`}') commands='${names}' options='${flags}'${takesFile ? ' files=yes' : ''} ;;`;
}
