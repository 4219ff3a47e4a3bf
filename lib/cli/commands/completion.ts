import { Argument, type Command } from 'commander';
import * as z from 'zod';
import { bashCompletion } from '../completion/bash.ts';
import { completionNodes } from '../completion/completion.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Runnable } from '../invocation/invocation.ts';
import { parseOptions } from '../options/fields.ts';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `completion`: prints a script that is made from the program's own tree of commands. */
export function addCompletionCommand(program: Command): Runnable[] {
  const command = program
    .command('completion')
    .description('Print the script that completes commands and options in a shell.')
    .addArgument(new Argument('[shell]', 'the shell (required)').choices(SHELLS))
    .addHelpText('after', COMPLETION_HELP);
  const optionsSchema = z.strictObject({ shell: z.enum(SHELLS) });
  return [
    [
      command,
      async (invocation) => {
        const { shell } = parseOptions(optionsSchema, invocation);
        process.stdout.write(SCRIPTS[shell](completionNodes(program)));
        return ExitCode.Done;
      },
    ],
  ];
}

const COMPLETION_HELP = `
Examples:
  source <(steproll completion bash)                 in ~/.bashrc
  source <(steproll completion zsh)                  in ~/.zshrc, after compinit
  steproll completion fish > ~/.config/fish/completions/steproll.fish`;
