import { Argument, type Command } from 'commander';
import { SHELLS } from '../completion/completion.ts';
import type { Runnable } from '../invocation/invocation.ts';

/** `completion`: prints a script that is made from the program's own tree of commands. */
export function addCompletionCommand(program: Command): Runnable[] {
  const command = program
    .command('completion')
    .description('Print the script that completes commands and options in a shell.')
    .addArgument(new Argument('[shell]', 'the shell (required)').choices(SHELLS))
    .addHelpText('after', COMPLETION_HELP);
  return [
    [
      command,
      async (given) => (await import('../completion/print.ts')).printCompletion(program, given),
    ],
  ];
}

const COMPLETION_HELP = `
Examples:
  source <(steproll completion bash)                 in ~/.bashrc
  source <(steproll completion zsh)                  in ~/.zshrc, after compinit
  steproll completion fish > ~/.config/fish/completions/steproll.fish`;
