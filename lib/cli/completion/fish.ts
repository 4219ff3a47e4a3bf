import { type CompletionNode, type CompletionOption, flagsWithValue } from './completion.ts';

/** A script that fish sources, or finds in its completions folder. */
export function fishCompletion(nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ words }) => words !== '').map(({ words }) => quoted(words));
  return `# steproll completion for fish
function __steproll_at --description 'Whether the words so far are this command'
    set -l at
    set -l is_value false
    for word in (commandline -opc)[2..-1]
        if $is_value
            set is_value false
        else if contains -- $word ${flagsWithValue(nodes).join(' ')}
            set is_value true
        else if contains -- (string trim "$at $word") ${paths.join(' ')}
            set -a at $word
        end
    end
    test "$at" = "$argv"
end

function __steproll_profiles --description 'The names of the profiles'
    set -l folder $HOME/.config
    set -q XDG_CONFIG_HOME; and set folder $XDG_CONFIG_HOME
    set -l file $folder/steproll/profiles
    set -q STEPROLL_PROFILES_FILE; and set file $STEPROLL_PROFILES_FILE
    test -r $file; and string replace -rf '^\\[(?:profile +)?([^]]*)\\].*' '$1' <$file
end

complete -c steproll -f
${nodes.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ words, commands, choices, takesFile, options }: CompletionNode): string[] {
  const start = `complete -c steproll -n ${quoted(`__steproll_at ${words}`.trim())}`;
  return [
    ...commands.map(({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`),
    ...choices.map((choice) => `${start} -a ${choice}`),
    ...(takesFile ? [`${start} -F`] : []),
    ...options.map(
      (option) => `${start} ${flagsOfOption(option)} -d ${quoted(option.description)}`,
    ),
  ];
}

function flagsOfOption({ name, short, value }: CompletionOption): string {
  const names = `${short === undefined ? '' : `-s ${short.slice(1)} `}-l ${name.slice(2)}`;
  switch (value) {
    case 'none':
      return names;
    case 'any':
      return `${names} -x`;
    case 'file':
      return `${names} -r -F`;
    case 'profile':
      return `${names} -x -a '(__steproll_profiles)'`;
    default:
      return `${names} -x -a ${quoted(value.join(' '))}`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
